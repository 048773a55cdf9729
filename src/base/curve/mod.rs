//! Curves and colour ramps over 0..1: what the user draws, and the table of samples that the GPU reads. [`Keyframes`] are
//! curves over frames, evaluated on the CPU.
//!
//! A [`Curve`] is the [`monotone`](monotone()) cubic through its points, which never goes above or below the two points around it.
//! `curve(x, ..)` in expressions is the same. A [`Gradient`] is linear between its stops, in linear RGB. Two points at
//! the same t make a step. Before the first point and after the last, both keep the end's value.
//!
//! The GPU reads [`SAMPLES`] values at equal distances and interpolates linearly. So a step becomes a ramp from one
//! sample to the next, and a curve is off by at most [`Curve::table_error`].

mod gradient;
mod keyframes;
mod monotone;
mod points;

pub use gradient::linear_from_srgb;
pub use gradient::{Color, Gradient, color_from_hex, hex_from_color};
pub use keyframes::{Key, Keyframes, LAST_FRAME, Tangent};
pub use monotone::{Curve, monotone};
pub use points::SAMPLES;
use points::{LARGEST, Unfit, check_places, check_value, place, segment};

#[cfg(test)]
mod tests;
