//! A graph file that is being read.

use std::path::{Path, PathBuf};

use crate::app::disk::{self, Broken};
use crate::app::errand::Errand;
use crate::document::Document;

/// Reads a graph file.
pub(super) type Reader = fn(&Path) -> Result<Document, Broken>;

pub(super) struct Opening {
    pub path: PathBuf,
    /// It is the open document's own file, which was written.
    pub again: bool,
    errand: Errand<Result<Document, Broken>>,
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
            Err(Broken { sentence, salvaged: None })
        };
        self.errand.result().map(|result| result.unwrap_or_else(failed))
    }

    /// Whether it takes so long that the user should know; true once.
    pub(super) fn is_newly_slow(&mut self) -> bool {
        self.errand.is_newly_slow()
    }
}
