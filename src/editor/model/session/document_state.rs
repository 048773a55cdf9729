//! What belongs to the open document: its files and drafts, the stages that it may use, the text that is open, and snapshots A and B.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::library::Library;
use crate::model::edited_text::EditedText;
use crate::model::stages::{self, Stages};
use crate::problem::{Problem, Problems};

/// The files that belong to the document.
pub(super) struct OnDisk {
    /// The document as its file has it, or as it came with the program; `None` if it was never saved.
    pub(super) saved: Option<Document>,
    pub(super) path: Option<PathBuf>,
    pub(super) drafts: Drafts,
    /// Whether the graph may read files outside its folder.
    pub(super) files_allowed: bool,
}

impl Default for OnDisk {
    fn default() -> OnDisk {
        OnDisk { saved: Some(Document::default()), path: None, drafts: Drafts::new(), files_allowed: false }
    }
}

impl OnDisk {
    /// Notes that a document was opened, with its file.
    pub(super) fn open(&mut self, document: Document, path: Option<PathBuf>) {
        (self.saved, self.path) = (Some(document), path);
        self.drafts.clear();
    }
}

/// A changed text, and the text of its file before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draft {
    pub text: String,
    pub of: String,
    /// The file was changed elsewhere meanwhile.
    pub overtaken: bool,
}

/// Drafts by the paths of their files.
pub(crate) type Drafts = BTreeMap<PathBuf, Draft>;

/// The stages that ship, with those of the user's folder.
pub(super) struct StageLibrary {
    pub(super) library: Arc<Library>,
    /// A folder that was requested for every graph.
    pub(super) requested: Option<PathBuf>,
    pub(super) folder: Option<Stages>,
    /// Why the folder can't be read.
    pub(super) unreadable: Option<Problem>,
}

impl Default for StageLibrary {
    fn default() -> StageLibrary {
        StageLibrary { library: Arc::new(Library::builtin().clone()), requested: None, folder: None, unreadable: None }
    }
}

impl StageLibrary {
    /// Takes in stages that were read again. Returns whether there were any.
    pub(super) fn poll(&mut self) -> bool {
        let Some(answer) = self.folder.as_mut().and_then(Stages::poll) else { return false };
        self.unreadable = answer.map(|library| self.library = library).err();
        true
    }

    /// Problems of the stages that a document uses, or of their folder.
    pub(super) fn problems(&self, document: &Document) -> Problems {
        let mut problems = stages::problems(&self.library, document);
        self.unreadable.iter().for_each(|problem| problems.push(problem.clone()));
        problems
    }
}

/// The open text, and what is known to the compiler of it.
#[derive(Default)]
pub(super) struct TextEdits {
    /// Whether nodes are kept apart while their text is edited.
    pub(super) on: bool,
    pub(super) open: Option<EditedText>,
    /// The text when the document was compiled last.
    pub(super) compiled: Option<String>,
    /// The pipelines of its nodes are to be made in advance.
    pub(super) unprepared: bool,
}

impl TextEdits {
    pub(super) fn new(on: bool) -> TextEdits {
        TextEdits { on, ..TextEdits::default() }
    }

    /// Forgets the open text, since another document is open.
    pub(super) fn forget(&mut self) {
        *self = TextEdits::new(self.on);
    }
}

/// Name of a snapshot: A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SnapshotSlot {
    A,
    B,
}

impl SnapshotSlot {
    pub(crate) const BOTH: [SnapshotSlot; 2] = [SnapshotSlot::A, SnapshotSlot::B];

    pub(crate) fn name(self) -> &'static str {
        match self {
            SnapshotSlot::A => "A",
            SnapshotSlot::B => "B",
        }
    }

    pub(crate) fn other(self) -> SnapshotSlot {
        match self {
            SnapshotSlot::A => SnapshotSlot::B,
            SnapshotSlot::B => SnapshotSlot::A,
        }
    }

    /// The gesture that switches to it.
    pub(super) fn gesture(self) -> &'static str {
        match self {
            SnapshotSlot::A => "snapshot A",
            SnapshotSlot::B => "snapshot B",
        }
    }
}

/// The snapshots, and which of them was stored or shown last.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) stored: [Option<Document>; 2],
    pub(super) last: Option<SnapshotSlot>,
}
