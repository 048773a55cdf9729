//! Scale Field
//! A field times a number:  factor field.
//! Keywords: multiply by number, gain
//! Source: none, multiplication.
//!
//! @in    field: Field<T>                       A field
//! @out   scaled: Field<T>                      The field times the factor
//! @param factor: f32 = 1, soft -4..4           Factor

fn stage(position: Vec) -> T {
    return field(position) * params.factor;
}
