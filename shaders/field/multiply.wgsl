//! Multiply Fields
//! The product of fields:  factor a b,  of vectors component by component.
//! Keywords: product, mask, times
//! Source: none, multiplication.
//!
//! @in    a: Field<T>                           A field
//! @in    b: Field<T> = 1                       Another
//! @out   product: Field<T>            Their product
//! @param factor: f32 = 1, soft -4..4          Factor

fn stage(position: Vec) -> T {
    return a(position) * b(position) * params.factor;
}
