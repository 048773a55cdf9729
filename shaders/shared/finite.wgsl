//! Finite numbers
//! Numbers that are neither NaN nor infinite.

// By its bits: a shader compiler may assume that NaN does not occur and drop `value == value`.
fn is_finite(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7fffffffu) < 0x7f800000u;
}
