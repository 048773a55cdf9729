//! Files that are being written.

use std::path::{Path, PathBuf};

use crate::app::disk;
use crate::app::errand::Errand;
use crate::document::Document;

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

    /// Whether it takes so long that the user should know; true once.
    pub(super) fn is_newly_slow(&mut self) -> bool {
        self.errand.is_newly_slow()
    }
}
