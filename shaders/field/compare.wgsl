//! Compare Fields
//! 1 where a comparison of two scalars holds and 0 elsewhere:  a < b,  a > b,  |a - b| <= tolerance  or the opposite of one
//! of these. The result is a mask.
//! Keywords: less, greater, equal, threshold, mask
//! Source: none.
//!
//! @in    a: Field<f32>                      A scalar
//! @in    b: Field<f32> = 0                  Another, in the same unit
//! @out   result: Field<f32>           1 or 0
//! @param test: i32 = 0, 0..5, fixed        0 less, 1 greater, 2 equal, 3 less or equal, 4 greater or equal, 5 not equal
//! @param tolerance: f32 = 0, 0..           Difference up to which values are equal

fn stage(position: Vec) -> f32 {
    let a = a(position);
    let b = b(position);
    switch params.test {
        case 0 { return f32(a < b); }
        case 1 { return f32(a > b); }
        case 2 { return f32(abs(a - b) <= params.tolerance); }
        case 3 { return f32(a <= b); }
        case 4 { return f32(a >= b); }
        default { return f32(abs(a - b) > params.tolerance); }
    }
}
