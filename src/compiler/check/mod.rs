//! Checks generated text before the driver gets it: validates it with naga, works around errors of naga, and estimates
//! its cost.

pub(super) mod cost;
pub(super) mod handles;
pub mod module;
pub(super) mod patience;
pub(super) mod validate;
pub(super) mod zeros;
