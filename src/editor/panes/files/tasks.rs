//! Reading and writing that goes on in the background, on a disk that may be slow.

use std::path::{Path, PathBuf};

use crate::document::{Document, NodeKind};
use crate::model::disk::{self, Broken};
use crate::model::disk_work::Errand;

/// Writes a file; the error is a sentence.
type Write = Box<dyn FnOnce(&Path) -> Result<(), String> + Send>;

/// What is saved, and as what.
pub(crate) struct Data {
    /// A file name.
    pub name: String,
    /// What a dialog calls such files.
    pub title: &'static str,
    /// Writes the file.
    pub write: Write,
}

impl Data {
    /// A text.
    pub(crate) fn text(name: String, title: &'static str, text: String) -> Data {
        Data { name, title, write: Box::new(move |path| disk::save_text(path, &text)) }
    }

    pub(super) fn extension(&self) -> String {
        Path::new(&self.name).extension().map_or_else(String::new, |extension| extension.to_string_lossy().into_owned())
    }

    /// Files of this kind, for a dialog.
    pub(super) fn filter(&self) -> (&'static str, String) {
        (self.title, self.extension())
    }
}

/// A graph that is being read, and its file.
pub(super) type Comparing = (PathBuf, Errand<Result<Document, Broken>>);

/// A file that is being written.
pub(super) type Storing = (PathBuf, Errand<Result<(), String>>);

pub(super) struct Dropping {
    pub(super) path: PathBuf,
    pub(super) errand: Errand<Result<NodeKind, String>>,
}

/// Reads a graph file.
pub(super) type Reader = fn(&Path) -> Result<Document, Broken>;

pub(super) struct Opening {
    pub path: PathBuf,
    /// Whether the file is the open document's own one, which was written.
    pub again: bool,
    pub(super) errand: Errand<Result<Document, Broken>>,
}

impl Opening {
    pub(super) fn start(path: PathBuf, again: bool, reader: Option<Reader>) -> Opening {
        let from = path.clone();
        Opening { path, again, errand: Errand::start(move || reader.unwrap_or(disk::read)(&from)) }
    }

    /// The result once it is there; waits as long as a prompt disk takes.
    pub(super) fn result(&self) -> Option<Result<Document, Broken>> {
        let failed = |cause| {
            let sentence = format!("{} can't be read: {cause}", self.path.display());
            Err(Broken { sentence, salvaged: None, missing: false })
        };
        self.errand.result().map(|result| result.unwrap_or_else(failed))
    }

    /// Whether opening the file takes so long that the user should know; true once.
    pub(super) fn is_newly_slow(&mut self) -> bool {
        self.errand.is_newly_slow()
    }
}

/// Writes a file.
pub(super) type Writer = fn(&Path, &Content) -> Result<(), String>;

/// What is written.
#[derive(Clone)]
pub(super) enum Content {
    Graph(Box<Document>),
    Stage(String),
}

impl Content {
    /// Writes it to a file.
    ///
    /// # Errors
    /// Why it can't be written, in one sentence; then the file is as it was.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        match self {
            Content::Graph(document) => disk::save(path, document),
            Content::Stage(text) => disk::save_stage(path, text),
        }
    }
}

/// A file that is being written.
pub(super) struct Saving {
    pub path: PathBuf,
    pub content: Content,
    /// Where to save next: the user saved again meanwhile.
    pub again: Option<PathBuf>,
    /// The file has changed meanwhile, by this or another program.
    pub overtaken: bool,
    errand: Errand<Result<(), String>>,
}

impl Saving {
    pub(super) fn start(path: PathBuf, content: Content, writer: Option<Writer>) -> Saving {
        let (to, copy) = (path.clone(), content.clone());
        let errand = Errand::start(move || match writer {
            Some(writer) => writer(&to, &copy),
            None => copy.write(&to),
        });
        Saving { path, content, again: None, overtaken: false, errand }
    }

    pub(super) fn is_graph(&self) -> bool {
        matches!(self.content, Content::Graph(_))
    }

    /// The result once it is there; waits as long as a prompt disk takes.
    pub(super) fn result(&self) -> Option<Result<(), String>> {
        let failed = |cause| Err(format!("{} can't be written: {cause}", self.path.display()));
        self.errand.result().map(|result| result.unwrap_or_else(failed))
    }

    /// Whether saving the file takes so long that the user should know; true once.
    pub(super) fn is_newly_slow(&mut self) -> bool {
        self.errand.is_newly_slow()
    }
}
