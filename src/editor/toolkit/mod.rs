//! Widgets, text and colours that panes share. Nothing here knows of a pane.

pub(crate) mod command_button;
pub(crate) mod completion;
pub(crate) mod markup;
pub(crate) mod menu_scroll;
pub(crate) mod notice;
pub(crate) mod number;
pub(crate) mod picker;
pub(crate) mod row;
pub(crate) mod theme;
pub(crate) mod widget_memory;
