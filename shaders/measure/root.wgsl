//! Square Root
//! Square root of a number on the GPU.
//! Source: none.
//!
//! @over once
//! @in  square: f32       A number; below 0 it counts as 0
//! @out root: f32         Its square root

fn stage() -> f32 {
    return sqrt(max(square(), 0.0));
}
