//! Presets: values of a node's parameters under a name, for other nodes of the same kind and other graphs.

mod dialog;
mod file;
mod menu;
mod values;
mod wish;

pub(super) use dialog::PresetDialog;
pub(super) use file::Presets;
pub(super) use menu::button;
pub(super) use wish::PresetWish;
