//! Commands, their keys, and what panes ask of the rest of the window.

pub(crate) mod action;
pub(crate) mod command;
pub(crate) mod keymap;
pub(crate) mod table;
