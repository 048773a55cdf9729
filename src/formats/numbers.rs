//! Numbers that values of 32 bits can hold.

/// Whether a number is one of 32 bits too.
pub(crate) fn usable(number: &f64) -> bool {
    (*number as f32).is_finite()
}

/// A number as a graph may get it: 0 in place of one that is infinite or none, which is counted.
pub fn finite(number: f32, strange: &mut usize) -> f32 {
    if number.is_finite() {
        return number;
    }
    *strange += 1;
    0.0
}
