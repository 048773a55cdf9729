//! What files report to the window, what dialogs are for, and the questions that come first.

use std::path::PathBuf;

use crate::document::{Document, Node};
use crate::model::disk::Source;
use crate::model::recovery::Left;

/// What happens once the unsaved document is saved or given up.
pub(crate) enum Leaving {
    /// A document that is read once the open one is saved: the same file may be meant.
    Load(Source),
    /// A document and its file.
    Open(Box<Document>, Option<PathBuf>),
    /// What was recovered from a damaged file: an unsaved document.
    Copy(Box<Document>),
    /// The document of a window that crashed.
    Recover(Left),
    Close,
}

/// What is asked before the open document is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Whether to save changes.
    Save,
    /// Whether to stop a running export.
    Export,
    /// Whether to wait for a slow disk.
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Open,
    Save,
    /// Saves something else than the graph.
    Data,
    /// Reads a graph to compare the open one with.
    Compare,
}

/// What the window has to react to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Opened,
    Close,
    /// The export is to stop; it can be resumed.
    StopExport,
    Saved(PathBuf),
    /// A stage file has this text now.
    SavedStage(PathBuf, String),
    /// The disk is slow to write this file.
    Saving(PathBuf),
    /// The disk is slow to read this file.
    Opening(PathBuf),
    /// The file was changed by another program and read again.
    Reloaded(PathBuf),
    /// A stage or a shape was dropped on the window: its preferred name, and the node.
    Dropped(String, Box<Node>),
    /// A graph to compare the open one with was read.
    Compare(PathBuf, Box<Document>),
    Failed(String),
}
