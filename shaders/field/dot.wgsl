//! Dot Product of Fields
//! The dot product of two vectors at every position:  a . b.
//! Source: none.
//!
//! @in  a: Field<Vec>                    A field of vectors
//! @in  b: Field<Vec>                    Another
//! @out result: Field<f32>         Their dot product

fn stage(position: Vec) -> f32 {
    return dot(a(position), b(position));
}
