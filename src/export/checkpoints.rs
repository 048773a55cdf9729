//! Checkpoints of an export: every so many frames all States go to a file in its folder, from which the export, or another
//! one, continues.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::job::JobError;
use super::record::Fingerprint;
use crate::document::Document;
use crate::sim::checkpoint::{Checkpoint, CheckpointError};
use crate::sim::{Simulation, SnapshotReading};

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
    /// Of a graph, every so many frames.
    pub fn of(every: u64, document: &Document) -> Checkpoints {
        Checkpoints { every, graph: document.to_text() }
    }
}

/// The file of a frame.
pub fn path(folder: &Path, frame: u64) -> PathBuf {
    folder.join(format!("checkpoint.{frame:04}.{}", Checkpoint::EXTENSION))
}

/// The newest checkpoint in a folder from which frames after `frame` give the same images: of the same inputs, adapter and
/// program. Files that can't be read are passed over.
pub(super) fn newest(folder: &Path, inputs: &Fingerprint, adapter: &str, frame: u64) -> Option<Checkpoint> {
    let mut frames: Vec<u64> = there(folder).into_iter().filter(|known| (1..=frame).contains(known)).collect();
    frames.sort_unstable();
    let usable = |known: &u64| {
        let found = Checkpoint::read(&path(folder, *known)).ok()?;
        let same = found.about.inputs.as_deref() == Some(inputs.text()) && found.about.adapter == adapter;
        (same && found.snapshot.frame == *known).then_some(found)
    };
    frames.iter().rev().find_map(usable)
}

/// Frames with a checkpoint in the folder.
fn there(folder: &Path) -> Vec<u64> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let frame = |name: &str| {
        let frame = name.strip_prefix("checkpoint.")?.strip_suffix(Checkpoint::EXTENSION)?.strip_suffix('.')?;
        frame.parse().ok()
    };
    entries.filter_map(|entry| frame(entry.ok()?.file_name().to_str()?)).collect()
}

/// Writes them beside the export.
pub(super) struct Saver<'e> {
    wanted: Option<&'e Checkpoints>,
    folder: &'e Path,
    inputs: &'e Fingerprint,
    /// States on their way from the GPU, and their frame.
    reading: Option<SnapshotReading>,
    writing: Option<(u64, JoinHandle<Result<(), CheckpointError>>)>,
    /// Frames whose checkpoints this export has written.
    written: Vec<u64>,
}

impl<'e> Saver<'e> {
    /// `resumed` is the frame of the export's checkpoint that it continues from.
    pub(super) fn new(
        wanted: Option<&'e Checkpoints>,
        folder: &'e Path,
        inputs: &'e Fingerprint,
        resumed: Option<u64>,
    ) -> Saver<'e> {
        Saver { wanted, folder, inputs, reading: None, writing: None, written: resumed.into_iter().collect() }
    }

    /// Called after each frame; `last` is the export's last one.
    ///
    /// # Errors
    /// A checkpoint that can't be written.
    pub(super) fn after_frame(&mut self, simulation: &Simulation, last: u64) -> Result<(), JobError> {
        let Some(wanted) = self.wanted else { return Ok(()) };
        let frame = simulation.frame();
        if frame.is_multiple_of(wanted.every.max(1)) || frame == last {
            self.settle(simulation)?;
            self.reading = Some(simulation.snapshot()?);
        }
        self.poll(simulation, false)
    }

    /// Waits for the last one.
    ///
    /// # Errors
    /// As [`Saver::after_frame`].
    pub(super) fn finish(mut self, simulation: &Simulation) -> Result<(), JobError> {
        self.settle(simulation)
    }

    /// Waits until nothing is on its way.
    fn settle(&mut self, simulation: &Simulation) -> Result<(), JobError> {
        self.poll(simulation, true)?;
        self.join()
    }

    fn poll(&mut self, simulation: &Simulation, wait: bool) -> Result<(), JobError> {
        if self.writing.as_ref().is_some_and(|(_, thread)| thread.is_finished()) {
            self.join()?;
        }
        let (Some(reading), Some(wanted)) = (self.reading.take(), self.wanted) else { return Ok(()) };
        let snapshot = match wait {
            true => reading.wait(),
            false => match reading.try_take() {
                Ok(snapshot) => snapshot,
                Err(reading) => {
                    self.reading = Some(reading);
                    return Ok(());
                }
            },
        };
        let snapshot = snapshot.ok_or(JobError::Gpu)?;
        self.join()?;
        let frame = snapshot.frame;
        let checkpoint =
            Checkpoint::new(simulation, snapshot, wanted.graph.clone(), Some(self.inputs.text().to_string()));
        let path = path(self.folder, frame);
        let thread =
            std::thread::Builder::new().name("checkpoint".into()).spawn(move || checkpoint.write_in_export(&path));
        self.writing = Some((frame, thread.map_err(|e| JobError::Thread(e.to_string()))?));
        Ok(())
    }

    /// Waits for the file that is being written, and removes those that it makes superfluous.
    fn join(&mut self) -> Result<(), JobError> {
        let Some((frame, thread)) = self.writing.take() else { return Ok(()) };
        match thread.join() {
            Ok(written) => written?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        self.written.push(frame);
        let enough = self.written.iter().rposition(|known| known + ON_THEIR_WAY <= frame);
        for old in self.written.drain(..enough.unwrap_or(0)) {
            // One that stays takes space and does no harm.
            let _ = std::fs::remove_file(path(self.folder, old));
        }
        Ok(())
    }
}
