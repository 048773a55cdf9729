//! The open document as a file: what is asked about it, and what is read and written.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::events::{Event, Leaving, Purpose, Question};
use super::gallery::Gallery;
use super::tasks::{Comparing, Data, Dropping, Opening, Reader, Saving, Storing, Writer};
use super::watch::Watch;
use crate::document::{Document, Salvaged};
use crate::model::recovery::{Left, Recovery};
use crate::model::settings::Store;

/// The result of a dialog, and how long it took.
type Answer = (Option<PathBuf>, Duration);

#[derive(Default)]
pub(crate) struct Files {
    pub(super) settings: Store,
    /// The system's dialog, while it is open.
    pub(super) dialog: Option<(Purpose, Receiver<Answer>)>,
    /// A path being typed, and whether overwriting an existing file was confirmed.
    pub(super) typed: Option<(Purpose, String, bool)>,
    /// At most one by path.
    pub(super) saving: Vec<Saving>,
    /// A file that is being read.
    pub(super) opening: Option<Opening>,
    /// Files that were dropped on the window and are being read.
    pub(super) dropping: Vec<Dropping>,
    /// The recent files and whether each is there, looked up when their menu was opened.
    pub(super) recent: Option<Vec<(PathBuf, bool)>>,
    /// In place of the disk, for tests.
    pub(super) writer: Option<Writer>,
    pub(super) reader: Option<Reader>,
    /// What is to be saved besides the graph, and what is being written.
    pub(super) data: Option<Data>,
    pub(super) storing: Vec<Storing>,
    /// A graph to compare with that is being read.
    pub(super) comparing: Option<Comparing>,
    /// What waits for answers, or for saving.
    pub(super) leaving: Option<Leaving>,
    pub(super) question: Option<Question>,
    /// An export is running.
    pub(super) exporting: bool,
    /// A damaged file and what could be recovered from it.
    pub(super) broken: Option<(String, Box<Salvaged>)>,
    /// The changed content of the document's file, while the document has unsaved changes.
    pub(super) conflict: Option<Box<Document>>,
    /// Documents of windows that crashed.
    pub(super) left: Vec<Left>,
    pub(super) gallery: Option<Gallery>,
    pub(super) recovery: Option<Recovery>,
    pub(super) watch: Option<Watch>,
    /// The path and revision for which files are watched.
    pub(super) watched: Option<(Option<PathBuf>, u64)>,
    /// The last message about the document's file, so that it is shown once.
    pub(super) last_message: String,
    pub(super) events: Vec<Event>,
}
