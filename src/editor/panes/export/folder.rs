//! What the folder of an export holds, and how much space its disk has left.

use std::sync::mpsc::{Receiver, TryRecvError};

use eframe::egui;

use crate::background::answer;
use crate::cancel::Cancel;
use crate::export::job::Export;
use crate::export::preset;
use crate::export::record::Fingerprint;
use crate::files::space;
use crate::model::session::Session;

/// What the folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum There {
    /// Not known yet.
    #[default]
    Unknown,
    Nothing,
    /// Frames of an interrupted export with the same inputs.
    Interrupted(u64),
    /// Frames of an interrupted export from caches that were baked again since. They would be overwritten.
    Rebaked,
    /// Number of files of earlier exports, which would be replaced.
    Earlier(usize),
    /// Number of files that would be replaced, some of them not written by exports. 0 if unknown.
    Others(usize),
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inspected {
    pub there: There,
    /// Space that is left on the disk \[bytes\].
    pub free: Option<u64>,
    /// Whether the folder is outside of the graph's folder, and files there are not allowed.
    pub outside: bool,
}

/// Inspects the folder on a thread of its own, since all inputs of the frames are read.
pub(super) struct Inspection {
    export: Export,
    revision: u64,
    found: Option<Inspected>,
    answer: Receiver<Option<Inspected>>,
    cancel: Cancel,
}

impl Drop for Inspection {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Inspection {
    /// The disk is read once for the same settings and graph.
    pub(super) fn cached(
        cached: &mut Option<Inspection>,
        export: &Export,
        ctx: &egui::Context,
        session: &Session,
    ) -> Inspected {
        let (export, revision) = (Export { resume: true, checkpoints: None, ..export.clone() }, session.revision());
        let same = |look: &&mut Inspection| look.export == export && look.revision == revision;
        if let Some(look) = cached.as_mut().filter(same) {
            return look.poll();
        }
        *cached = Some(Inspection::start(export, ctx, session));
        Inspected::default()
    }

    #[cfg(test)]
    pub(super) fn is_done(&self) -> bool {
        self.found.is_some()
    }

    fn poll(&mut self) -> Inspected {
        self.found = self.found.or_else(|| match self.answer.try_recv() {
            Ok(Some(found)) => Some(found),
            Err(TryRecvError::Empty) => None,
            // If no thread can be started, nothing is known, and frames may be overwritten.
            Ok(None) | Err(TryRecvError::Disconnected) => {
                Some(Inspected { there: There::Others(0), free: None, outside: true })
            }
        });
        self.found.unwrap_or_default()
    }

    fn start(export: Export, ctx: &egui::Context, session: &Session) -> Inspection {
        let (cancel, revision) = (Cancel::default(), session.revision());
        let document = session.document().clone();
        let library = session.library().clone();
        let access = session.access();
        let theirs = export.clone();
        let stop = cancel.clone();
        let wake = ctx.clone();
        let look = move || {
            let inputs = Fingerprint::of(&document, &library, &access, &stop)?;
            let there = match (theirs.interrupted(&inputs), theirs.would_replace()) {
                (Some(count), _) => There::Interrupted(count),
                (None, (0, _)) => There::Nothing,
                (None, (count, false)) => There::Others(count),
                (None, (_, true)) if theirs.rebaked(&inputs) => There::Rebaked,
                (None, (count, true)) => There::Earlier(count),
            };
            let outside = preset::outside(&theirs, &access).is_some();
            Some(Inspected { there, free: space::free(&theirs.folder), outside })
        };
        let answer = answer("export folder", move || wake.request_repaint(), look);
        Inspection { export, revision, found: None, answer, cancel }
    }
}
