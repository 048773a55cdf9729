//! A run of an export: computes frames, and passes those that its files lack on to be written.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

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
use crate::sim::frame_loop::{Consumer, FrameLoop};
use crate::sim::wire_view::Statistics;
use crate::sim::{Simulation, saver};

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
    Ready::lock(export, inputs, simulation)?.run(simulation, go_on)
}

impl Ready<'_> {
    /// Runs an export whose folder has been examined.
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
        let sources = Sources::new(simulation, export)?;
        let Started { sinks, work, replaced, remarks, logs, locks: _locks } = self.start(simulation)?;
        let last = frames.last();
        let first = work.after(0).unwrap_or(0);
        let progress = Progress { kept: work.kept(), first, replaced, last, ..Progress::default() };
        let (left, end) = (frames.count() - progress.kept, work.last().unwrap_or(0));
        let pace = Pace::new(Instant::now());
        let mut writing =
            Writing { export, inputs, sources, sinks, work, progress, pace, left, end, sought: 0, go_on: &mut go_on };
        let resumed = writing.jump(simulation, first).then(|| simulation.frame());
        let wanted = resumed.is_none() || writing.go_on(simulation);
        let saver = export
            .checkpoints
            .as_ref()
            .map(|wanted| wanted.saver(&export.folder, inputs, resumed, logs.log(&export.folder)));
        let mut frame_loop = FrameLoop::new(simulation, saver, last, export.unseen);
        let wanted = wanted && frame_loop.run(&mut writing)?;
        let saver = frame_loop.saver.take();
        let Writing { mut sources, mut sinks, mut progress, .. } = writing;
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

/// The files of an export.
struct Writing<'a, G> {
    export: &'a Export,
    inputs: &'a Fingerprint,
    sources: Sources<'a>,
    sinks: Vec<Box<dyn FrameSink>>,
    work: Missing,
    progress: Progress,
    pace: Pace,
    /// Frames that remain to be written.
    left: u64,
    /// The frame after which nothing is left to write.
    end: u64,
    /// The frame before which a checkpoint was sought last.
    sought: u64,
    go_on: &'a mut G,
}

impl<G: FnMut(&Progress, &mut Simulation) -> bool> Consumer for Writing<'_, G> {
    type Pending = Computed;
    type Error = JobError;

    fn next(&self, frame: u64) -> Option<u64> {
        self.work.after(frame)
    }

    /// Continues from the newest checkpoint in the folder before a frame, of the same inputs.
    fn jump(&mut self, simulation: &mut Simulation, next: u64) -> bool {
        let present = simulation.frame();
        // After frames that are kept, a later checkpoint may be nearer.
        let skips = self.sought == 0 || self.export.frames.after(present).first() < next;
        if !self.export.resume || !skips || next <= present + 1 || std::mem::replace(&mut self.sought, next) == next {
            return false;
        }
        let (folder, inputs) = (&self.export.folder, self.inputs.text());
        let skipped = saver::resume_before(simulation, folder, checkpoints::FILES, inputs, next);
        self.progress.skipped += skipped.unwrap_or(0);
        self.progress.frame = simulation.frame();
        skipped.is_some()
    }

    fn request(&mut self, simulation: &Simulation) -> Result<Computed, JobError> {
        let (work, index) = (&self.work, simulation.frame());
        let pending = self.sources.read(simulation, |item| work.lacks(item, index))?;
        Ok(Computed { index, time: simulation.time(), pending })
    }

    fn take(&mut self, mut computed: Computed) -> Result<Option<Computed>, JobError> {
        while let Some((item, pending)) = computed.pending.pop_front() {
            match pending.try_take() {
                Ok(content) => {
                    let content = content.ok_or(JobError::Gpu)?;
                    if let Some(sink) = self.sinks.get_mut(item) {
                        sink.write(Frame { index: computed.index, time: computed.time, content })?;
                    }
                }
                Err(pending) => {
                    computed.pending.push_front((item, pending));
                    return Ok(Some(computed));
                }
            }
        }
        self.progress.written += 1;
        Ok(None)
    }

    fn computed(&mut self, simulation: &mut Simulation, needed: bool) -> bool {
        let frame = simulation.frame();
        self.progress.frame = frame;
        self.pace.frame(needed, Instant::now());
        self.left -= u64::from(needed);
        self.progress.rate = self.pace.rate();
        let between = (self.end - frame).saturating_sub(self.left);
        (self.progress.seconds, self.progress.left) = (self.pace.seconds(), self.pace.left([between, self.left]));
        self.go_on(simulation)
    }

    fn go_on(&mut self, simulation: &mut Simulation) -> bool {
        (self.go_on)(&self.progress, simulation)
    }
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
        (0..self.frames.count()).rev().map(|index| self.frames.nth(index)).find(|frame| self.any_lacks(frame))
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
    ) -> Result<VecDeque<(usize, Pending)>, Problem> {
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
    /// Contents of items, by their places.
    pending: VecDeque<(usize, Pending)>,
}
