//! Length of a Field
//! The length of a vector at every position:  |a|,  of a scalar its magnitude.
//! Keywords: magnitude, norm, absolute value
//! Source: none.
//!
//! @in  a: Field<F>                      A field of vectors or numbers
//! @out magnitude: Field<f32>         Its length

fn stage(position: Vec) -> f32 {
    return length(a(position));
}
