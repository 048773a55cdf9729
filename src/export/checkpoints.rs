//! Checkpoints of an export: every so many frames all States go to a file in its folder, from which the export, or another
//! one, continues.

use std::path::{Path, PathBuf};

use super::record::Fingerprint;
use crate::document::Document;
use crate::files::numbered::Numbered;
use crate::files::written::Log;
use crate::sim::checkpoint::{Checkpoint, CheckpointFile};
use crate::sim::saver::{Pace, Retain, Saver, Target};

/// How the files are named.
pub const FILES: Numbered = Numbered { prefix: "checkpoint", extension: Checkpoint::EXTENSION };
/// Frames may be on their way to the disk when a checkpoint of later States is there already. An interrupted export then
/// continues from an earlier checkpoint, so the last one at least as many frames before the newest is kept.
const ON_THEIR_WAY: u64 = 16;

/// Which checkpoints an export writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Frames between two of them.
    pub every: u64,
    /// The graph as text.
    pub graph: String,
}

impl Checkpoints {
    /// Checkpoints of a graph, one in every so many frames.
    pub fn new(every: u64, document: &Document) -> Checkpoints {
        Checkpoints { every, graph: document.to_text() }
    }

    /// Writes them into a folder. `resumed` is the frame of the export's checkpoint that it continues from. Those before it, which an
    /// interrupted export has left, are removed in their turn.
    pub(super) fn saver(&self, folder: &Path, inputs: &Fingerprint, resumed: Option<u64>, log: Log) -> Saver {
        let same = |frame: &u64| {
            let file = CheckpointFile::open(&path(folder, *frame));
            file.is_ok_and(|file| file.about().inputs.as_deref() == Some(inputs.text()))
        };
        let present = FILES.present(folder).into_iter().map(|(frame, _)| frame);
        let before = present.filter(|frame| resumed.is_some_and(|resumed| *frame <= resumed)).filter(same).collect();
        let (graph, inputs) = (self.graph.clone(), inputs.text().into());
        let target = Target { folder: folder.into(), files: FILES, graph, inputs, log };
        Saver::new(target, Pace::Frames(self.every), Retain::Behind(ON_THEIR_WAY), before)
    }
}

/// The file of a frame.
pub fn path(folder: &Path, frame: u64) -> PathBuf {
    FILES.path(folder, frame)
}
