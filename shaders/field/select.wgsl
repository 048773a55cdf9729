//! Switch Fields
//! Chooses between two values at every position:  b where the mask is above the threshold, a elsewhere.
//! Keywords: select, if, choose, mask, condition
//! Source: none.
//!
//! @in    a: Field<T> = 0                    Where the mask is not above the threshold
//! @in    b: Field<T> = 0                    Where it is
//! @in    mask: Field<f32>                   The mask, such as the result of a comparison
//! @out   result: Field<T>                   The value that was chosen
//! @param threshold: f32 = 0.5, soft 0..1    Largest value of the mask that chooses a

fn stage(position: Vec) -> T {
    return select(a(position), b(position), mask(position) > params.threshold);
}
