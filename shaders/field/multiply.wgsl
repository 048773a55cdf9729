//! Multiply Fields
//! The product of fields:  factor a b,  of vectors component by component.
//! Keywords: product, mask, times
//! Source: none, multiplication.
//!
//! @in    a: Field<F>                           A field
//! @in    b: Field<F> = 1                       Another
//! @out   product: Field<F>            Their product
//! @param factor: f32 = 1, soft -4..4          Factor

fn stage(position: Vec) -> F {
    return a(position) * b(position) * params.factor;
}
