//! Ratio
//! A vector over a number, both on the GPU; 0 where the number is 0.
//! Source: none.
//!
//! @over once
//! @in  moment: Vec       A vector
//! @in  total: f32        A number
//! @out ratio: Vec        The vector over the number

fn stage() -> Vec {
    return select(moment() / total(), Vec(), total() == 0.0);
}
