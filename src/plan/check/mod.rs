//! Generated text on its way to the driver: validated by naga, with what naga gets wrong corrected, and measured.

pub mod cost;
pub mod handles;
pub mod module;
pub mod patience;
pub mod validate;
pub mod zeros;
