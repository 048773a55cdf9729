//! Checkpoints in a folder: files that a long run writes beside its results, and from which another one continues.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::checkpoint::{BadState, Checkpoint, CheckpointError, CheckpointFile};
use super::state_layout::held;
use super::{Simulation, SnapshotReading};
use crate::files::numbered::Numbered;
use crate::files::written::Log;
use crate::plan::Plan;
use crate::problem::Problem;

/// When a checkpoint is due. There is always one of the last frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// After so many frames.
    Frames(u64),
    /// After so much time.
    Time(Duration),
}

/// Which checkpoints stay when there are newer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retain {
    /// The newest one that is so many frames before the last, and those after it: results of later frames may still be on their
    /// way to the disk when the run is interrupted.
    Behind(u64),
    /// Number of checkpoints that stay, at about equal distances.
    Spread(usize),
}

/// Why a checkpoint is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file can't be written.
    #[error(transparent)]
    File(#[from] CheckpointError),
    /// There is no memory for a copy of the States.
    #[error("{0}")]
    Problem(#[from] Problem),
    /// The GPU did not finish the copy in time.
    #[error("the GPU did not respond; lower the resolution, or update the driver")]
    Gpu,
    /// The operating system's error when a thread was started.
    #[error("no thread can be started for a checkpoint: {0}")]
    Thread(String),
}

/// What is written, and where.
#[derive(Clone, Debug)]
pub struct Target {
    /// The folder.
    pub folder: PathBuf,
    /// How files are named.
    pub files: Numbered,
    /// The graph as text.
    pub graph: String,
    /// A hash of all that the frames depend on.
    pub inputs: String,
    /// The list of the folder's files.
    pub log: Log,
}

/// Which checkpoints lead to the same values of frames.
#[derive(Clone, Copy, Debug)]
pub struct Same<'a> {
    /// A hash of all that the frames depend on.
    pub inputs: &'a str,
    /// The name of the adapter.
    pub adapter: &'a str,
}

/// The newest checkpoint in a folder, of a frame up to `frame`, from which a plan's frames after it get the same values. Files that
/// can't be read or do not fit the plan are passed over, and those with NaN or infinity in a State.
pub fn newest(folder: &Path, files: Numbered, same: Same<'_>, plan: &Plan, frame: u64) -> Option<Checkpoint> {
    let usable = |saved: u64| {
        let file = CheckpointFile::open(&files.path(folder, saved)).ok()?;
        let about = file.about();
        let same = about.inputs.as_deref() == Some(same.inputs) && about.adapter == same.adapter;
        let sound = same && file.frame() == saved && file.marked().is_empty();
        let loaded = sound.then(|| file.load(plan).ok()).flatten()?;
        loaded.not_finite().is_empty().then_some(loaded)
    };
    let frames = files.present(folder).into_iter().map(|(saved, _)| saved).filter(|saved| (1..=frame).contains(saved));
    frames.rev().find_map(usable)
}

/// The newest checkpoint that holds all States of a simulation.
fn newest_for(simulation: &Simulation, folder: &Path, files: Numbered, inputs: &str, frame: u64) -> Option<Checkpoint> {
    let (plan, same) = (simulation.plan(), Same { inputs, adapter: simulation.gpu().name() });
    let found = newest(folder, files, same, plan, frame)?;
    held(plan).all(|state| found.holds(&state.node, &state.description)).then_some(found)
}

/// Continues from the newest checkpoint between the present frame and one that is needed next. Returns how many frames are skipped.
pub fn resume_before(
    simulation: &mut Simulation,
    folder: &Path,
    files: Numbered,
    inputs: &str,
    next: u64,
) -> Option<u64> {
    let present = simulation.frame();
    let newest = newest_for(simulation, folder, files, inputs, next.checked_sub(1)?);
    let checkpoint = newest.filter(|checkpoint| checkpoint.snapshot.frame > present)?;
    simulation.resume(&checkpoint);
    Some(simulation.frame() - present)
}

/// The last checkpoint without NaN and infinity before a frame in the folder of another one, of the same kind of file.
pub fn last_sound(beside: &CheckpointFile, files: Numbered) -> Option<PathBuf> {
    let folder = beside.path().parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let earlier = files.present(folder).into_iter().map(|(frame, _)| frame).filter(|frame| *frame < beside.frame());
    let sound = |path: &PathBuf| CheckpointFile::open(path).is_ok_and(|file| file.marked().is_empty());
    earlier.rev().map(|frame| files.path(folder, frame)).find(sound)
}

/// The thread that writes a checkpoint, and finds the States that hold NaN or infinity.
type Writing = JoinHandle<Result<Vec<BadState>, CheckpointError>>;

/// Writes checkpoints while a simulation runs.
pub struct Saver {
    target: Target,
    pace: Pace,
    retain: Retain,
    /// When the last one was requested.
    since: Instant,
    /// States on their way from the GPU.
    reading: Option<SnapshotReading>,
    /// The frame that is being written.
    writing: Option<(u64, Writing)>,
    /// Frames of this run with a checkpoint, in order.
    written: Vec<u64>,
    /// The newest of them without NaN and infinity, which stays.
    sound: Option<u64>,
    /// The frames after which NaN or infinity was seen in a State first.
    bad: BTreeMap<String, u64>,
}

impl Saver {
    /// `written` are the frames of checkpoints that earlier parts of the same run have written.
    pub fn new(target: Target, pace: Pace, retain: Retain, written: Vec<u64>) -> Saver {
        let (sound, bad) = (written.last().copied(), BTreeMap::new());
        Saver { target, pace, retain, since: Instant::now(), reading: None, writing: None, written, sound, bad }
    }

    /// Called after each frame; `last` is the run's last one.
    ///
    /// # Errors
    /// A checkpoint that can't be written.
    pub fn after_frame(&mut self, simulation: &Simulation, last: u64) -> Result<(), SaveError> {
        let frame = simulation.frame();
        let due = match self.pace {
            Pace::Frames(every) => frame.is_multiple_of(every.max(1)),
            Pace::Time(every) => self.since.elapsed() >= every,
        };
        if due || frame == last {
            self.save(simulation)?;
        }
        self.poll(simulation, false)
    }

    /// Writes one of the present frame, unless there is one.
    ///
    /// # Errors
    /// A checkpoint that can't be written.
    pub fn save(&mut self, simulation: &Simulation) -> Result<(), SaveError> {
        self.drain(simulation)?;
        if self.written.last() != Some(&simulation.frame()) {
            self.reading = Some(simulation.snapshot()?);
            self.since = Instant::now();
        }
        Ok(())
    }

    /// Waits for the last one.
    ///
    /// # Errors
    /// A checkpoint that can't be written.
    pub fn finish(mut self, simulation: &Simulation) -> Result<(), SaveError> {
        self.drain(simulation)
    }

    /// Waits until nothing is on its way.
    fn drain(&mut self, simulation: &Simulation) -> Result<(), SaveError> {
        self.poll(simulation, true)?;
        self.join()
    }

    fn poll(&mut self, simulation: &Simulation, wait: bool) -> Result<(), SaveError> {
        if self.writing.as_ref().is_some_and(|(_, thread)| thread.is_finished()) {
            self.join()?;
        }
        let Some(reading) = self.reading.take() else { return Ok(()) };
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
        let snapshot = snapshot.ok_or(SaveError::Gpu)?;
        self.join()?;
        let (frame, target) = (snapshot.frame, &self.target);
        let checkpoint = Checkpoint::new(simulation, snapshot, target.graph.clone(), Some(target.inputs.clone()));
        let checkpoint = checkpoint.after(self.bad.clone());
        let (path, log) = (target.files.path(&target.folder, frame), target.log.clone());
        let write = move || checkpoint.write_in_export(&path, &log);
        // Not `background`: the run waits for the file, and reports a thread that does not start or panics.
        let thread = std::thread::Builder::new().name("checkpoint".into()).spawn(write);
        self.writing = Some((frame, thread.map_err(|e| SaveError::Thread(e.to_string()))?));
        Ok(())
    }

    /// Waits for the file that is being written, and removes those that it makes superfluous.
    fn join(&mut self) -> Result<(), SaveError> {
        let Some((frame, thread)) = self.writing.take() else { return Ok(()) };
        let bad = match thread.join() {
            Ok(written) => written?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        if bad.is_empty() {
            self.sound = Some(frame);
        }
        self.bad = bad.into_iter().map(|state| (state.node, state.since)).collect();
        self.written.push(frame);
        for old in self.retain.surplus(&mut self.written).into_iter().filter(|old| Some(*old) != self.sound) {
            // One that stays takes space and does no harm.
            let _ = std::fs::remove_file(self.target.files.path(&self.target.folder, old));
        }
        Ok(())
    }
}

impl Retain {
    /// Takes those that are superfluous from frames in order.
    fn surplus(self, written: &mut Vec<u64>) -> Vec<u64> {
        match self {
            Retain::Behind(frames) => {
                let last = written.last().copied().unwrap_or(0);
                let enough = written.iter().rposition(|saved| saved + frames <= last);
                written.drain(..enough.unwrap_or(0)).collect()
            }
            Retain::Spread(count) => {
                let mut surplus = Vec::new();
                while written.len() > count.max(2) {
                    // The one whose neighbours are closest to each other; the newest two stay.
                    let gap = |at: usize| {
                        let before = at.checked_sub(1).and_then(|at| written.get(at)).copied().unwrap_or(0);
                        written.get(at + 1).map_or(u64::MAX, |next| next - before)
                    };
                    let Some(at) = (0..written.len() - 2).min_by_key(|at| gap(*at)) else { break };
                    surplus.push(written.remove(at));
                }
                surplus
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_that_stay_lie_at_about_equal_distances() {
        let mut written = Vec::new();
        for frame in (10..=1000).step_by(10) {
            written.push(frame);
            Retain::Spread(8).surplus(&mut written);
        }
        let widest = written.windows(2).map(|pair| pair[1] - pair[0]).chain([written[0]]).max().unwrap();
        assert!(written.len() == 8 && written.ends_with(&[990, 1000]), "{written:?}");
        assert!(widest <= 400, "no longer way than about twice the mean distance of 160: {written:?}");
    }
}
