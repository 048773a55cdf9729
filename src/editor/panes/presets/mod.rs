//! Presets of a node's parameters: the button that offers them, and the dialog that names one.

mod dialog;
mod menu;

pub(crate) use dialog::PresetDialog;
pub(crate) use menu::button;
