//! A graph file that is being read.

use std::path::{Path, PathBuf};

use super::tasks::Opening;
use super::{Event, Files, Leaving};
use crate::document::Document;
use crate::model::disk::Broken;
use crate::model::layout;
use crate::model::session::Session;

impl Files {
    /// Handles that a file was read, or could not be.
    pub(super) fn poll_opening(&mut self, session: &mut Session) {
        let Some(opening) = &mut self.opening else { return };
        let Some(result) = opening.result() else {
            if opening.is_newly_slow() && !opening.again {
                self.events.push(Event::Opening(opening.path.clone()));
            }
            return;
        };
        let Some(Opening { path, again, .. }) = self.opening.take() else { return };
        match again {
            true if session.path() == Some(&path) => self.was_read_again(session, result, path),
            true => {}
            false => self.loaded(session, result, Some(path)),
        }
    }

    /// Opens what was read, once the open document is saved or given up.
    pub(super) fn loaded(&mut self, session: &mut Session, result: Result<Document, Broken>, path: Option<PathBuf>) {
        match result {
            Ok(document) => self.leave(session, Leaving::Open(Box::new(document), path)),
            Err(Broken { sentence, salvaged, .. }) => match salvaged.filter(|s| s.document.is_some()) {
                Some(salvaged) => self.broken = Some((sentence, salvaged)),
                None => self.events.push(Event::Failed(sentence)),
            },
        }
    }

    /// Reads the document's file again, because it was written, perhaps by this window. What the user opens goes first.
    pub(super) fn read_again(&mut self, session: &mut Session) {
        let Some(path) = session.path().map(Path::to_path_buf) else { return };
        if self.opening.as_ref().is_none_or(|opening| opening.again) {
            self.opening = Some(Opening::start(path, true, self.reader));
            self.poll_opening(session);
        }
    }

    fn was_read_again(&mut self, session: &mut Session, result: Result<Document, Broken>, path: PathBuf) {
        match result.map(layout::placed) {
            Ok(document) if session.on_disk() == Some(&document) => self.last_message.clear(),
            Ok(document) if session.modified() && *session.document() != document => {
                self.conflict = Some(Box::new(document));
            }
            Ok(document) => {
                session.reload(document);
                self.last_message.clear();
                self.events.push(Event::Reloaded(path));
            }
            // A file that is gone may be about to return; the open document stays.
            Err(Broken { missing: true, .. }) => {}
            Err(Broken { sentence, .. }) => {
                let sentence = format!("{sentence}; another program changed the file, and the version open here stays");
                if self.last_message != sentence {
                    self.last_message.clone_from(&sentence);
                    self.events.push(Event::Failed(sentence));
                }
            }
        }
    }
}
