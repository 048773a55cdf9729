//! Saving something else than the graph: tables, recordings and checkpoints, written by a thread.

use std::path::PathBuf;

use eframe::egui;

use super::tasks::Data;
use super::{Event, Files, Purpose};
use crate::model::disk_work::Errand;
use crate::model::session::Session;

impl Files {
    /// Asks for a file and writes something else than the graph to it.
    pub(crate) fn save_data(&mut self, ctx: &egui::Context, session: &Session, data: Data) {
        if self.dialog.is_none() {
            self.data = Some(data);
            self.ask(ctx, session, Purpose::Data);
        }
    }

    /// Asks for a graph file to compare the open graph with.
    pub(crate) fn ask_to_compare(&mut self, ctx: &egui::Context, session: &Session) {
        self.ask(ctx, session, Purpose::Compare);
    }

    /// Takes over a graph that was read to compare with.
    pub(super) fn poll_comparing(&mut self) {
        let Some((path, errand)) = self.comparing.take() else { return };
        match errand.result() {
            None => self.comparing = Some((path, errand)),
            Some(Ok(Ok(document))) => self.events.push(Event::Compare(path, Box::new(document))),
            Some(Ok(Err(broken))) => self.events.push(Event::Failed(broken.sentence)),
            Some(Err(fault)) => self.events.push(Event::Failed(format!("{}: {fault}", path.display()))),
        }
    }

    /// The file was chosen.
    pub(super) fn store(&mut self, mut path: PathBuf) {
        let Some(data) = self.data.take() else { return };
        if path.extension().is_none() {
            path.set_extension(data.extension());
        }
        let to = path.clone();
        self.storing.push((path, Errand::start(move || (data.write)(&to))));
    }

    /// Takes over the results of writing.
    pub(super) fn poll_storing(&mut self) {
        for (path, errand) in std::mem::take(&mut self.storing) {
            match errand.result() {
                None => self.storing.push((path, errand)),
                Some(Ok(Ok(()))) => self.events.push(Event::Saved(path)),
                Some(Ok(Err(sentence))) => self.events.push(Event::Failed(sentence)),
                Some(Err(fault)) => self.events.push(Event::Failed(format!("{}: {fault}", path.display()))),
            }
        }
    }
}
