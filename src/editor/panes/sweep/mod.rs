//! The sweep pane: runs of the graph with many values, each to a frame, written to a folder.

mod axes;
mod pane;

pub(crate) use pane::Sweep;
