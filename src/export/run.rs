//! A run of an export: computes frames, and passes those that its files lack on to be written.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use super::checkpoints;
use super::error::JobError;
use super::frames::Frames;
use super::order::Export;
use super::pace::{Left, Pace};
use super::record::Fingerprint;
use super::resume::{Ready, Started};
use super::sink::{Frame, FrameSink};
use super::subject::{FrameSource, Pending};
use crate::files::write;
use crate::problem::{Problem, Problems};
use crate::sim::wire_view::Statistics;
use crate::sim::{Simulation, saver};

/// How long to wait for a cancelled export.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);
/// Limit of frames on their way from the GPU at once.
const IN_FLIGHT: usize = 2;
/// How often to check whether a frame has arrived. Waiting inside the driver would block a window that uses the same
/// device.
const POLL_INTERVAL: Duration = Duration::from_micros(200);
/// How often to check for cancelling while a frame has not arrived.
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);
/// Frames that are computed but not written are awaited every few frames, so that they do not pile up in the driver.
const WAIT_EVERY: u64 = 4;

/// Progress of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Frames computed.
    pub frame: u64,
    /// Frames written by this run.
    pub written: u64,
    /// Frames that existed already and are kept.
    pub kept: u64,
    /// The first frame that this run writes; 0 where it writes none.
    pub first: u64,
    /// Frames of another export that existed and are replaced.
    pub replaced: u64,
    /// Frames that were not computed again, since a checkpoint of this export holds the States of later ones.
    pub skipped: u64,
    /// The frame that it ends with.
    pub last: u64,
    /// Frames per second over the last frames.
    pub rate: Option<f64>,
    /// Estimated time until the last frame.
    pub left: Option<Left>,
    /// Time of a frame that is not written, and of one that is, over the last frames \[s\].
    pub seconds: [Option<f64>; 2],
    /// Size of the files of one of the last frames \[bytes\], where each frame has files of its own. Measured by
    /// [`Job`](super::job::Job) alone.
    pub frame_bytes: Option<f64>,
}

impl Progress {
    /// 0..1
    pub fn share(&self) -> f32 {
        if self.last == 0 { 0.0 } else { self.frame as f32 / self.last as f32 }
    }
}

/// How a run ended, for a wire the statistics of its last frame, and warnings about the values in the files.
type Done = (Progress, Option<Statistics>, Problems);

/// Exports frames of a simulation, whose plan was compiled from `inputs`. It has not started yet, or continues from a
/// checkpoint before the first frame. `go_on` is called after each frame, repeatedly while waiting for one, and whenever
/// a checkpoint in the folder stands for earlier frames; when it returns false, the export ends normally
/// and can be resumed.
///
/// # Errors
/// A range that is empty or past. Files that cannot be written; a folder that another export is writing to; a device that fails. Frames that were
/// written stay, and the export can be resumed.
pub fn run(
    export: &Export,
    inputs: &Fingerprint,
    simulation: &mut Simulation,
    go_on: impl FnMut(&Progress, &mut Simulation) -> bool,
) -> Result<Done, JobError> {
    Ready::of(export, inputs, simulation)?.run(simulation, go_on)
}

impl Ready<'_> {
    /// The same for an export whose folder has been looked at.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(
        self,
        simulation: &mut Simulation,
        mut go_on: impl FnMut(&Progress, &mut Simulation) -> bool,
    ) -> Result<Done, JobError> {
        let (export, inputs) = (self.export, self.inputs);
        let frames = export.frames;
        let mut sources = Sources::new(simulation, export)?;
        let Started { mut sinks, work, replaced, remarks, logs, locks: _locks } = self.start(simulation)?;
        let last = frames.last();
        let first = work.after(0).unwrap_or(0);
        let mut progress = Progress { kept: work.kept(), first, replaced, last, ..Progress::default() };
        let (mut waiting, mut wanted) = (Waiting::new(), true);
        let mut left = frames.count() - progress.kept;
        // The frame after which nothing is left to write.
        let end = work.last().unwrap_or(0);
        let mut resumed = jump(export, inputs, simulation, first, &mut progress);
        let mut saver = export
            .checkpoints
            .as_ref()
            .map(|wanted| wanted.saver(&export.folder, inputs, resumed, logs.of(&export.folder)));
        let mut pace = Pace::new(Instant::now());
        while wanted && let Some(next) = work.after(simulation.frame()) {
            // After frames that are kept, a later checkpoint may be nearer.
            if frames.after(simulation.frame()).first() < next && resumed.is_none() {
                resumed = jump(export, inputs, simulation, next, &mut progress);
            }
            if resumed.take().is_some() {
                progress.frame = simulation.frame();
                wanted = go_on(&progress, simulation);
            }
            for frame in simulation.frame() + 1..=next {
                if !wanted {
                    break;
                }
                let (input, write) = (simulation.recorded_input(), frame == next);
                match write || !export.unseen {
                    true => simulation.step(&input)?,
                    false => simulation.step_unseen(&input)?,
                }
                saver.iter_mut().try_for_each(|saver| saver.after_frame(simulation, last))?;
                let pending = match (write, frame % WAIT_EVERY) {
                    (true, _) => sources.read(simulation, |item| work.lacks(item, frame))?,
                    (false, 0) => simulation.computed().map(Pending::Computed).map(|it| (0, it)).into_iter().collect(),
                    (false, _) => Vec::new(),
                };
                if !pending.is_empty() {
                    waiting.push_back(Computed { index: frame, time: simulation.time(), write, pending });
                }
                while wanted && waiting.len() > IN_FLIGHT {
                    wanted =
                        take(&mut waiting, &mut sinks, &mut progress, &mut |progress| go_on(progress, simulation))?;
                }
                progress.frame = frame;
                pace.frame(write, Instant::now());
                left -= u64::from(write);
                progress.rate = pace.rate();
                let between = (end - frame).saturating_sub(left);
                (progress.seconds, progress.left) = (pace.seconds(), pace.left([between, left]));
                wanted = wanted && go_on(&progress, simulation);
            }
        }
        // Frames that were computed before a cancel are still written, if they arrive soon.
        let ended = Instant::now();
        while !waiting.is_empty() {
            let complete = wanted;
            let mut wait = |progress: &Progress| match complete {
                true => go_on(progress, simulation),
                false => ended.elapsed() < CANCEL_TIMEOUT,
            };
            if !take(&mut waiting, &mut sinks, &mut progress, &mut wait)? {
                wanted = false;
                break;
            }
        }
        // All of them finish, whichever fails.
        let written: Vec<_> = sinks.iter_mut().map(|sink| sink.finish()).collect();
        written.into_iter().collect::<Result<Vec<u64>, _>>()?;
        saver.into_iter().try_for_each(|saver| saver.finish(simulation))?;
        logs.finish();
        if wanted {
            progress.frame = last;
            // The files must be on disk before the record says that they are complete.
            sinks.iter().for_each(|sink| sink.sync());
            super::record::complete(&export.folder);
            // The ffmpeg of a killed export may have created its file after this one began.
            export.folders().iter().for_each(|folder| write::sweep(folder));
        }
        Ok((progress, sources.statistics(), remarks.problems()))
    }
}

/// Continues from the newest checkpoint in the folder before a frame, of the same inputs. Returns its frame.
fn jump(
    export: &Export,
    inputs: &Fingerprint,
    simulation: &mut Simulation,
    next: u64,
    progress: &mut Progress,
) -> Option<u64> {
    let before = next.checked_sub(1).filter(|_| export.resume)?;
    let present = simulation.frame();
    let newest = saver::newest_for(simulation, &export.folder, checkpoints::FILES, inputs.text(), before);
    let checkpoint = newest.filter(|checkpoint| checkpoint.snapshot.frame > present)?;
    progress.skipped += checkpoint.snapshot.frame - present;
    simulation.resume(&checkpoint);
    Some(checkpoint.snapshot.frame)
}

/// Which frames the files of each series lack.
pub(super) struct Missing {
    frames: Frames,
    /// Frames that are kept, for each series.
    kept: Vec<BTreeSet<u64>>,
}

impl Missing {
    pub(super) fn new(frames: Frames, kept: Vec<BTreeSet<u64>>) -> Missing {
        Missing { frames, kept }
    }

    /// Whether a series lacks a frame of the range.
    fn lacks(&self, series: usize, frame: u64) -> bool {
        self.kept.get(series).is_none_or(|kept| !kept.contains(&frame))
    }

    fn any_lacks(&self, frame: &u64) -> bool {
        self.kept.iter().any(|kept| !kept.contains(frame))
    }

    /// The next frame after this one that a series lacks.
    fn after(&self, frame: u64) -> Option<u64> {
        self.frames.after(frame).iter().find(|frame| self.any_lacks(frame))
    }

    /// Whether all series have all frames.
    pub(super) fn is_empty(&self) -> bool {
        self.after(0).is_none()
    }

    /// The frames that each series keeps.
    pub(super) fn of_each(&self) -> &[BTreeSet<u64>] {
        &self.kept
    }

    /// The last one.
    fn last(&self) -> Option<u64> {
        (0..self.frames.count()).rev().map(|index| self.frames.at(index)).find(|frame| self.any_lacks(frame))
    }

    /// The number of frames of the range that all series have.
    pub(super) fn kept(&self) -> u64 {
        let Some(first) = self.kept.first() else { return 0 };
        let range = self.frames.range();
        let within = |frame: &&u64| self.frames.contains(**frame) && !self.any_lacks(frame);
        if range.is_empty() { 0 } else { first.range(range).filter(within).count() as u64 }
    }
}

/// Where the contents of all items come from.
struct Sources<'a>(Vec<FrameSource<'a>>);

impl<'a> Sources<'a> {
    fn new(simulation: &Simulation, export: &'a Export) -> Result<Sources<'a>, Problem> {
        export
            .items
            .iter()
            .map(|item| FrameSource::new(simulation, &item.subject))
            .collect::<Result<_, _>>()
            .map(Sources)
    }

    /// Requests the contents of the last frame, for each item that wants them.
    fn read(
        &mut self,
        simulation: &Simulation,
        wants: impl Fn(usize) -> bool,
    ) -> Result<Vec<(usize, Pending)>, Problem> {
        let wanting = self.0.iter_mut().enumerate().filter(|(item, _)| wants(*item));
        wanting.map(|(item, source)| Ok((item, source.read(simulation)?))).collect()
    }

    /// The statistics of the first view of a wire in the last frame.
    fn statistics(&mut self) -> Option<Statistics> {
        self.0.iter_mut().find_map(FrameSource::statistics)
    }
}

/// A frame on its way.
struct Computed {
    /// Counted from 1.
    index: u64,
    /// Simulated time at its end \[s\].
    time: f64,
    /// Whether it is written.
    write: bool,
    /// Contents of items, by their places.
    pending: Vec<(usize, Pending)>,
}

type Waiting = VecDeque<Computed>;

/// Passes the oldest frame on to be written. `wait` is called repeatedly until the frame arrives; when it returns
/// false, the frame is dropped, and this function returns false.
fn take(
    waiting: &mut Waiting,
    sinks: &mut [Box<dyn FrameSink>],
    progress: &mut Progress,
    wait: &mut dyn FnMut(&Progress) -> bool,
) -> Result<bool, JobError> {
    let Some(Computed { index, time, write, pending }) = waiting.pop_front() else { return Ok(true) };
    let mut asked = Instant::now();
    for (item, mut pending) in pending {
        let content = loop {
            match pending.try_take() {
                Ok(content) => break content.ok_or(JobError::Gpu)?,
                Err(not_yet) => pending = not_yet,
            }
            if asked.elapsed() > CANCEL_INTERVAL {
                asked = Instant::now();
                if !wait(progress) {
                    return Ok(false);
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        if let (true, Some(sink)) = (write, sinks.get_mut(item)) {
            sink.write(Frame { index, time, content })?;
        }
    }
    progress.written += u64::from(write);
    Ok(true)
}
