//! Presets: values of a node's parameters under a name, for other nodes of the same kind and other graphs.

mod file;
pub(crate) mod values;
mod wish;

pub(crate) use file::Presets;
pub(crate) use wish::PresetWish;
