//! Files that are being written.

use std::path::PathBuf;

use super::tasks::{Content, Saving};
use super::{Event, Files, Question};
use crate::model::session::Session;

impl Files {
    pub(super) fn write(&mut self, session: &mut Session, path: PathBuf) {
        // One after the other, so that the last one is what the file has in the end.
        match self.saving.iter_mut().find(|saving| saving.is_graph()) {
            Some(running) => running.again = Some(path),
            None => {
                let content = Content::Graph(Box::new(session.document().clone()));
                self.saving.push(Saving::start(path, content, self.writer));
            }
        }
        self.poll_saving(session);
    }

    /// Writes the unsaved text of a stage file.
    pub(crate) fn save_stage(&mut self, session: &mut Session, path: PathBuf) {
        self.start_stage(session, path);
        self.poll_saving(session);
    }

    pub(super) fn start_stage(&mut self, session: &Session, path: PathBuf) {
        let Some(draft) = session.drafts().get(&path) else { return };
        match self.saving.iter_mut().find(|saving| !saving.is_graph() && saving.path == path) {
            Some(running) => running.again = Some(path),
            None => self.saving.push(Saving::start(path, Content::Stage(draft.text.clone()), self.writer)),
        }
    }

    /// Handles files that were saved, or could not be.
    pub(super) fn poll_saving(&mut self, session: &mut Session) {
        let finished = |(at, saving): (usize, &Saving)| Some((at, saving.result()?));
        while let Some((at, result)) = self.saving.iter().enumerate().find_map(finished) {
            let saving = self.saving.remove(at);
            self.saved(session, saving, result);
        }
        for saving in self.saving.iter_mut().filter_map(|saving| saving.is_newly_slow().then_some(&*saving)) {
            self.events.push(Event::Saving(saving.path.clone()));
            self.question = self.question.or(self.leaving.is_some().then_some(Question::Wait));
        }
    }

    fn saved(&mut self, session: &mut Session, saving: Saving, result: Result<(), String>) {
        let Saving { path, content, again, overtaken, .. } = saving;
        if let Err(sentence) = result {
            self.cancel();
            return self.events.push(Event::Failed(sentence));
        }
        match content {
            Content::Graph(document) => {
                // A graph without a file keeps its permission to read other files where it is first saved.
                if session.path().is_some() {
                    self.note_allowed(session, Some(&path));
                }
                session.mark_saved(path.clone(), *document);
                self.remember(&path);
                self.events.push(Event::Saved(path));
                if overtaken {
                    self.read_again(session);
                }
                if let Some(path) = again {
                    self.write(session, path);
                }
            }
            Content::Stage(text) => {
                session.mark_stage_saved(&path, &text);
                self.events.push(Event::SavedStage(path, text));
                if let Some(path) = again {
                    self.save_stage(session, path);
                }
            }
        }
        if self.saving.is_empty() && self.dialog.is_none() && self.typed.is_none() {
            self.question.take_if(|question| *question == Question::Wait);
            if let Some(leaving) = self.leaving.take_if(|_| self.question.is_none()) {
                self.leave(session, leaving);
            }
        }
    }
}
