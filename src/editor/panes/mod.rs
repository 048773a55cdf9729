//! The panes, bars and dialogs of the window, each in a file or a folder of its own.

pub(crate) mod bake;
pub(crate) mod canvas;
pub(crate) mod code;
pub(crate) mod compare;
pub(crate) mod content;
pub(crate) mod curves;
pub(crate) mod debugger;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod find;
pub(crate) mod followed;
pub(crate) mod help;
pub(crate) mod inspector;
pub(crate) mod key_list;
pub(crate) mod plan_pane;
pub(crate) mod plots;
pub(crate) mod presets;
pub(crate) mod problems;
pub(crate) mod snapshots;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod timeline;
pub(crate) mod transport;
pub(crate) mod variants;
pub(crate) mod variations;
pub(crate) mod view;
