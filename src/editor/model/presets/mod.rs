//! Presets: values of a node's parameters under a name, for other nodes of the same kind and other graphs.
//!
//! The file is kept by the same store as the settings: a change is applied to what is on disk, under a lock, so no window loses the presets of
//! another. A damaged file is never replaced.

mod file;
pub(crate) mod values;
mod wish;

pub(crate) use file::Presets;
pub(crate) use wish::PresetWish;
