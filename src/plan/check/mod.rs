//! Checks generated text before the driver gets it: validates it with naga, works around errors of naga, and estimates
//! its cost.

pub mod cost;
pub mod handles;
pub mod module;
pub mod patience;
pub mod validate;
pub mod zeros;
