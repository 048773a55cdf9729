//! Saving on a thread of its own, so that a slow disk does not hold the window.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::app::disk;
use crate::document::Document;

/// Saving that takes longer is shown.
const SLOW: Duration = Duration::from_secs(1);

/// Writes a document to a path.
pub(super) type Writer = fn(&Path, &Document) -> Result<(), String>;

/// A document that is being written.
pub(super) struct Saving {
    pub path: PathBuf,
    pub document: Document,
    /// Where to save next: the user saved again meanwhile.
    pub again: Option<PathBuf>,
    /// The file has changed meanwhile, by this or another program.
    pub overtaken: bool,
    /// The user was told that it takes long.
    pub told: bool,
    since: Instant,
    result: Receiver<Result<(), String>>,
}

impl Saving {
    pub(super) fn start(path: PathBuf, document: Document, writer: Option<Writer>) -> Saving {
        let (answer, result) = channel();
        let (to, copy) = (path.clone(), document.clone());
        let work = move || {
            // The window may be gone.
            let _ = answer.send(writer.unwrap_or(disk::save)(&to, &copy));
        };
        // If no thread can be started, the channel is closed, which `result` reports.
        drop(std::thread::Builder::new().name("saving".into()).spawn(work));
        Saving { path, document, again: None, overtaken: false, told: false, since: Instant::now(), result }
    }

    /// The result once it is there; waits as long as a prompt disk takes.
    pub(super) fn result(&self) -> Option<Result<(), String>> {
        let failed = || format!("{} can't be written: the system starts no thread", self.path.display());
        match self.result.recv_timeout(disk::PROMPT.saturating_sub(self.since.elapsed())) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(failed())),
        }
    }

    pub(super) fn is_slow(&self) -> bool {
        self.since.elapsed() > SLOW
    }
}
