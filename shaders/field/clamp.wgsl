//! Clamp Field
//! Keeps values between two bounds at every position:  min(max(a, low), high),  of vectors component by component.
//! Keywords: limit, range, saturate
//! Source: none.
//!
//! @in    a: Field<T>                    Any values
//! @out   result: Field<T>               The values within the bounds
//! @param low: f32 = 0, soft -10..10     Lower bound
//! @param high: f32 = 1, soft -10..10    Upper bound; it wins where it is below the lower one

fn stage(position: Vec) -> T {
    return min(max(a(position), T(params.low)), T(params.high));
}
