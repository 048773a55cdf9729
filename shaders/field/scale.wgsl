//! Scale Field
//! A field times a number:  factor field.
//! Keywords: multiply by number, gain
//! Source: none, multiplication.
//!
//! @in    field: Field<F>                       A field
//! @out   scaled: Field<F>                      The field times the factor
//! @param factor: f32 = 1, soft -4..4           Factor

fn stage(position: Vec) -> F {
    return field(position) * params.factor;
}
