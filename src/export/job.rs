//! An export: frames of a separate simulation, with progress, cancelling and resuming.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::checkpoints::{self, Checkpoints};
use super::frames::Frames;
pub use super::item::Item;
use super::measure;
pub use super::pace::Left;
use super::pace::Pace;
use super::record::{Fingerprint, RECORD, Record};
use super::sink::{About, ExportError, Frame, FrameSink, Target};
use super::subject::{FrameSource, Pending, plan_options};
pub use super::subject::{Part, Source, Subject};
use crate::asset::Work;
use crate::background::{self, Background, Reports};
use crate::bake;
use crate::document::Document;
use crate::files::{Access, write};
use crate::gpu::{Gpu, Making};
use crate::graph::{Graph, aside};
use crate::library::Library;
use crate::plan::{Plan, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::sim::saver::{self, SaveError};
use crate::sim::wire_view::Statistics;
use crate::sim::{Simulation, files};
use crate::tune::TuningCache;

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
/// How often the size of the files is measured.
const MEASURE_INTERVAL: Duration = Duration::from_secs(1);

/// What to export, and where to.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// Frames that are written. Earlier ones are computed too, since each frame depends on the one before.
    pub frames: Frames,
    /// Size of the images \[pixels\]; that of the Output when `None`.
    pub size: Option<(u32, u32)>,
    /// What is written, all in one pass.
    pub items: Vec<Item>,
    /// Folder for the files; created if it does not exist.
    pub folder: PathBuf,
    /// Keep the frames that an interrupted export with the same inputs has written, and write those after them.
    pub resume: bool,
    /// Which checkpoints are written into the folder.
    pub checkpoints: Option<Checkpoints>,
    /// Compute no more of frames that are not written than others depend on. Not for callers that read images or wires after each frame.
    pub unseen: bool,
}

/// Most threads that encode frames.
const MAX_THREADS: usize = 32;

impl Export {
    /// The options to compile the plan with, for a graph that may read these files.
    pub fn plan_options(&self, access: &Access) -> PlanOptions {
        let options = plan_options(self.items.iter().map(|item| &item.subject), self.size);
        PlanOptions { folder: access.folder.clone(), allow_files: access.anywhere, ..options }
    }

    /// Whether there is an interrupted export in the folder that differs from this one by the contents of caches alone.
    pub fn rebaked(&self, inputs: &Fingerprint) -> bool {
        let record = Record::read(&self.record_path());
        record.is_some_and(|record| record.rebaked(&self.record(None, inputs)))
    }

    /// The number of complete frames of an interrupted export with these inputs in the folder, counted from the first;
    /// `None` where there is no such export. Reads each of the files.
    pub fn interrupted(&self, inputs: &Fingerprint) -> Option<u64> {
        let record = Record::read(&self.record_path())?;
        if !record.same(&self.record(None, inputs)) {
            return None;
        }
        let whole = self.sinks(&About::default()).into_iter().map(|sink| sink.whole(record.image_size));
        whole.min()
    }

    /// Whether the frames fill the sheets of all flipbooks.
    ///
    /// # Errors
    /// The numbers that do not fit, and those that do.
    pub fn check(&self) -> Result<(), JobError> {
        let flipbooks = self.items.iter().filter(|item| !item.format.beside.is_empty());
        flipbooks
            .map(|item| item.settings.sheet.layout(&self.frames))
            .try_for_each(|layout| layout.map(drop))
            .map_err(JobError::Sheet)
    }

    /// Whether the folder contains files of the range's frames, which would be replaced.
    pub fn would_replace(&self) -> bool {
        self.sinks(&About::default()).iter().any(|sink| sink.present().is_ok_and(|count| count > 0))
    }

    /// The first file that a frame goes to.
    pub fn path(&self, frame: u64) -> PathBuf {
        self.sinks(&About::default()).first().map_or_else(|| self.folder.clone(), |sink| sink.path(frame))
    }

    /// Size of the files of one of the last frames that it has written \[bytes\]; `None` where a file holds all frames.
    fn measure(&self, progress: &Progress) -> Option<f64> {
        if self.items.iter().any(|item| item.format.single) {
            return None;
        }
        let sinks = self.sinks(&About::default());
        let paths = |index| sinks.iter().map(|sink| sink.path(self.frames.at(index))).collect();
        measure::frame_bytes(progress.kept + progress.written, paths)
    }

    /// The names of the files in one line: `frame.0001.png to frame.0240.png`.
    pub fn names(&self) -> String {
        let names: Vec<String> = self.sinks(&About::default()).iter().map(|sink| sink.names()).collect();
        names.join(", ")
    }

    /// The folders that it writes to, its own first.
    fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.folder.clone()];
        for folder in self.items.iter().map(|item| self.folder.join(&item.folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// The sinks of all items.
    fn sinks(&self, about: &About) -> Vec<Box<dyn FrameSink>> {
        // The simulation needs a core. Two threads keep up with small images.
        let cores = std::thread::available_parallelism().map_or(2, usize::from).saturating_sub(1);
        let threads = (cores.min(MAX_THREADS) / self.items.len().max(1)).max(2);
        let sink = |item: &Item| {
            (item.format.open)(Target {
                folder: self.folder.join(&item.folder),
                frames: self.frames,
                names: item.names.clone(),
                kind: item.kind,
                layers: item.layers(),
                settings: item.settings,
                threads,
                about: about.clone(),
            })
        };
        self.items.iter().map(sink).collect()
    }

    fn fault(&self, error: &io::Error) -> JobError {
        JobError::Record { path: self.record_path(), cause: error.to_string() }
    }

    /// A file in the folder that exists until the export is complete.
    fn record_path(&self) -> PathBuf {
        self.folder.join(RECORD)
    }

    fn record(&self, image_size: Option<[u32; 2]>, inputs: &Fingerprint) -> Record {
        let (mut subject, mut formats) = (format!("{:?}", self.size), Vec::new());
        for item in &self.items {
            subject += &format!(" {:?} {:?} {:?} {:?}", item.subject, item.kind, item.names, item.settings);
            if !item.folder.as_os_str().is_empty() {
                subject += &format!(" {:?}", item.folder);
            }
            formats.push(item.format.name);
        }
        Record::new(&self.frames.range(), image_size, &subject, &formats.join(" "), inputs)
    }
}

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Errors of the graph, of its files, or of the GPU.
    #[error("{0}")]
    Graph(#[from] Problems),
    /// The files cannot be written.
    #[error(transparent)]
    Files(#[from] ExportError),
    /// The GPU did not finish a frame in time.
    #[error("the GPU did not respond; lower the size or the resolution, or update the driver")]
    Gpu,
    /// A frame range that is empty or starts at 0.
    #[error("invalid frame range {first}-{last}: first must be at least 1 and must not exceed last")]
    Frames {
        /// First frame.
        first: u64,
        /// Last frame.
        last: u64,
    },
    /// Frames that do not fill the sheet of a flipbook.
    #[error("{0}")]
    Sheet(String),
    /// The record of the export cannot be written.
    #[error("{} can't be written: {cause}; choose another folder", .path.display())]
    Record {
        /// The record's file.
        path: PathBuf,
        /// The operating system's error.
        cause: String,
    },
    /// A checkpoint can't be written.
    #[error(transparent)]
    Checkpoint(#[from] SaveError),
    /// A simulation that stands after the first frame.
    #[error("frame {first} is not after frame {present}, which the checkpoint holds; give --frames from {} on", .present + 1)]
    Past {
        /// First frame of the export.
        first: u64,
        /// The present frame.
        present: u64,
    },
    /// Another export writes into the same folder.
    #[error("another export is writing into {}; wait until it is done, or choose another folder", .folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The export was cancelled before its first frame.
    #[error("the export was cancelled before its first frame")]
    Cancelled,
    /// The operating system's error when a thread was started.
    #[error("no thread can be started for the export: {0}")]
    Thread(String),
}

impl From<Problem> for JobError {
    fn from(problem: Problem) -> JobError {
        JobError::Graph(problem.into())
    }
}

/// Progress of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Frames computed.
    pub frame: u64,
    /// Frames written by this run.
    pub written: u64,
    /// Frames that existed already and are kept.
    pub kept: u64,
    /// Frames of another export that existed and are replaced.
    pub replaced: u64,
    /// Whether those were of the same graph and caches that were baked again since.
    pub rebaked: bool,
    /// Frames that were not computed again, since a checkpoint of this export holds their States.
    pub skipped: u64,
    /// The frame that it ends with.
    pub last: u64,
    /// Frames per second over the last frames.
    pub rate: Option<f64>,
    /// Estimated time until the last frame.
    pub left: Option<Left>,
    /// Time of a frame that is not written, and of one that is, over the last frames \[s\].
    pub seconds: [Option<f64>; 2],
    /// Size of the files of one of the last frames \[bytes\], where each frame has files of its own. Measured by [`Job`] alone.
    pub frame_bytes: Option<f64>,
}

impl Progress {
    /// 0..1
    pub fn share(&self) -> f32 {
        if self.last == 0 { 0.0 } else { self.frame as f32 / self.last as f32 }
    }
}

/// Exports frames of a simulation, whose plan was compiled from `inputs`. It has not started yet, or continues from a
/// checkpoint before the first frame. `go_on` is called after each frame, repeatedly while waiting for one, and before the
/// first one where a checkpoint in the folder stands for earlier frames; when it returns false, the export ends normally
/// and can be resumed. Returns the progress and, for a wire, the statistics of its last frame.
///
/// # Errors
/// A range that is empty or past. Files that cannot be written; a folder that another export is writing to; a device that fails. Frames that were
/// written stay, and the export can be resumed.
pub fn run(
    export: &Export,
    inputs: &Fingerprint,
    simulation: &mut Simulation,
    mut go_on: impl FnMut(&Progress, &mut Simulation) -> bool,
) -> Result<(Progress, Option<Statistics>), JobError> {
    let frames = export.frames;
    let (first, last) = (frames.first(), frames.last());
    if first == 0 || frames.count() == 0 {
        return Err(JobError::Frames { first, last: *frames.range().end() });
    }
    export.check()?;
    if simulation.frame() >= first {
        return Err(JobError::Past { first, present: simulation.frame() });
    }
    let mut sources = Sources::new(simulation, export)?;
    let about = About { graph: simulation.plan().name.clone(), hash: inputs.text().into(), fps: simulation.plan().fps };
    let mut sinks = export.sinks(&about);
    let mut _locks = Vec::new();
    for folder in export.folders() {
        Target::create_folder(&folder)?;
        let lock = write::FolderLock::take(&folder).map_err(|e| export.fault(&e))?;
        let Some(lock) = lock else { return Err(JobError::Locked { folder }) };
        write::sweep(&folder);
        _locks.push(lock);
    }
    let rebaked = export.resume && export.rebaked(inputs);
    let (kept, replaced) = begin(export, &mut sinks, sources.size(simulation), inputs)?;
    sinks.iter_mut().try_for_each(|sink| sink.begin(kept))?;
    let mut progress = Progress { kept, replaced, rebaked, last, ..Progress::default() };
    let mut waiting = Waiting::new();
    let mut wanted = true;
    // Nothing is left to write where all frames exist.
    let end = if kept >= frames.count() { 0 } else { last };
    let mut resumed = None;
    if kept > 0 && end > 0 {
        let adapter = simulation.gpu().name().to_string();
        let same = saver::Same { inputs: inputs.text(), adapter: &adapter };
        let before = frames.at(kept) - 1;
        let newest = saver::newest(&export.folder, checkpoints::FILES, same, simulation.plan(), before);
        if let Some(checkpoint) = newest.filter(|checkpoint| checkpoint.snapshot.frame > simulation.frame()) {
            progress.skipped = checkpoint.snapshot.frame - simulation.frame();
            simulation.resume(&checkpoint);
            resumed = Some(checkpoint.snapshot.frame);
        }
    }
    let mut saver = export.checkpoints.as_ref().map(|wanted| wanted.saver(&export.folder, inputs, resumed));
    if progress.skipped > 0 {
        progress.frame = simulation.frame();
        wanted = go_on(&progress, simulation);
    }
    let end = if wanted { end } else { 0 };
    let mut pace = Pace::new(Instant::now());
    for frame in simulation.frame() + 1..=end {
        let input = simulation.recorded_input();
        let write = frame >= frames.at(kept) && frames.contains(frame);
        match write || !export.unseen {
            true => simulation.step(&input)?,
            false => simulation.step_unseen(&input)?,
        }
        saver.iter_mut().try_for_each(|saver| saver.after_frame(simulation, last))?;
        let pending = match (write, frame % WAIT_EVERY) {
            (true, _) => sources.read(simulation)?,
            (false, 0) => simulation.computed().map(Pending::Computed).into_iter().collect(),
            (false, _) => Vec::new(),
        };
        if !pending.is_empty() {
            waiting.push_back(Computed { index: frame, time: simulation.time(), write, pending });
        }
        while wanted && waiting.len() > IN_FLIGHT {
            wanted = take(&mut waiting, &mut sinks, &mut progress, &mut |progress| go_on(progress, simulation))?;
        }
        progress.frame = frame;
        pace.frame(write, Instant::now());
        let written = frames.after(frame).count();
        progress.rate = pace.rate();
        (progress.seconds, progress.left) = (pace.seconds(), pace.left([end - frame - written, written]));
        wanted = wanted && go_on(&progress, simulation);
        if !wanted {
            break;
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
    progress.written = written.into_iter().collect::<Result<Vec<u64>, _>>()?.into_iter().min().unwrap_or(0);
    saver.into_iter().try_for_each(|saver| saver.finish(simulation))?;
    if wanted {
        progress.frame = last;
        // The files must be on disk before the record that marks them as incomplete is removed.
        sinks.iter().for_each(|sink| sink.sync());
        // Removing the record marks the export as complete. If this fails, the next export only starts over.
        let _ = fs::remove_file(export.record_path());
    }
    Ok((progress, sources.statistics()))
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

    /// The size of the images \[pixels\], where all files are images of the same kind and it is known before the first frame.
    fn size(&self, simulation: &Simulation) -> Option<[u32; 2]> {
        let [only] = self.0.as_slice() else { return None };
        only.size(simulation)
    }

    /// Requests the contents of the last frame, for each item.
    fn read(&mut self, simulation: &Simulation) -> Result<Vec<Pending>, Problem> {
        self.0.iter_mut().map(|source| source.read(simulation)).collect()
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
    /// For each item.
    pending: Vec<Pending>,
}

type Waiting = VecDeque<Computed>;

/// Writes the record of the export, and removes frames of other exports from the range. Returns how many frames are
/// kept and how many were removed.
fn begin(
    export: &Export,
    sinks: &mut [Box<dyn FrameSink>],
    image_size: Option<[u32; 2]>,
    inputs: &Fingerprint,
) -> Result<(u64, u64), JobError> {
    let fault = |error: io::Error| export.fault(&error);
    let kept = if export.resume { export.interrupted(inputs) } else { None };
    if let Some(kept) = kept {
        return Ok((kept, 0));
    }
    let removed = sinks.iter_mut().map(|sink| sink.remove()).collect::<io::Result<Vec<u64>>>().map_err(fault)?;
    let replaced = removed.into_iter().max().unwrap_or(0);
    export.record(image_size, inputs).write(&export.record_path()).map_err(fault)?;
    Ok((0, replaced))
}

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
    for (mut pending, sink) in pending.into_iter().zip(sinks) {
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
        if write {
            sink.write(Frame { index, time, content })?;
        }
    }
    progress.written += u64::from(write);
    Ok(true)
}

/// How an export ended; frames written so far remain.
pub type Ended = background::Ended<Progress, JobError>;

/// An export on its own thread, with a separate simulation on the same device: the running simulation is not affected.
/// Dropping it cancels the export.
pub struct Job {
    background: Background<Progress, JobError>,
    /// Loading of the files that the graph names.
    work: Arc<Work>,
}

impl Job {
    /// Starts to export the document as it is now; it may read the files that `access` allows. `wake` is called on the
    /// export's thread when there is new progress.
    ///
    /// # Errors
    /// When no thread can be started. All other errors are returned by [`Job::ended`].
    pub fn start(
        gpu: &Gpu,
        library: Arc<Library>,
        document: Document,
        access: &Access,
        export: Export,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Job, JobError> {
        let (tuning, memory_budget) = (TuningCache::open().tuning(gpu), gpu.memory_budget());
        let options = PlanOptions { tuning, memory_budget, ..export.plan_options(access) };
        let (gpu, access, work) = (gpu.clone(), access.clone(), Arc::<Work>::default());
        let reading = work.clone();
        let run = move |reports: &mut Reports<Progress, JobError>| {
            let stop = reports.cancel.clone();
            let (mut measured, mut frame_bytes) = (Instant::now(), None);
            let go_on = |progress: &Progress, _: &mut Simulation| {
                if frame_bytes.is_none() || measured.elapsed() > MEASURE_INTERVAL {
                    measured = Instant::now();
                    frame_bytes = export.measure(progress).or(frame_bytes);
                }
                reports.tell(Progress { frame_bytes, ..*progress })
            };
            let result = prepare(&gpu, &library, &document, &options, &reading, &mut |_| !stop.is_cancelled())
                .and_then(|mut simulation| {
                    let inputs = Fingerprint::of(&document, &library, &access, &stop).ok_or(JobError::Cancelled)?;
                    let (progress, _) = self::run(&export, &inputs, &mut simulation, go_on)?;
                    Ok(progress)
                });
            match result {
                Err(_) if stop.is_cancelled() && reports.progress().frame == 0 => Ended::Cancelled(reports.progress()),
                Ok(progress) if progress.frame == progress.last => Ended::Complete(progress),
                Ok(progress) => Ended::Cancelled(progress),
                Err(error) => Ended::Failed(error),
            }
        };
        let background = Background::start("export", wake, run).map_err(|e| JobError::Thread(e.to_string()))?;
        Ok(Job { background, work })
    }

    /// The present progress.
    pub fn progress(&self) -> Progress {
        self.background.progress()
    }

    /// Ends the export after the current frame; it can be resumed.
    pub fn cancel(&self) {
        self.background.cancel();
        self.work.stop();
    }

    /// The result, returned once.
    pub fn ended(&mut self) -> Option<Ended> {
        self.background.ended(JobError::Gpu)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// `go_on` is called while the driver compiles shaders.
fn prepare(
    gpu: &Gpu,
    library: &Library,
    document: &Document,
    options: &PlanOptions,
    work: &Work,
    go_on: &mut dyn FnMut(&Making) -> bool,
) -> Result<Simulation, JobError> {
    let access = Access::new(&options.folder, options.allow_files);
    let compile = |document: &Document| {
        let graph = Graph::build(document, library)?;
        // What is played from caches is exported from them.
        let played = bake::playing(&graph, &access).played();
        Plan::compile(&graph, &PlanOptions { played, ..options.clone() })
    };
    let (plan, _) = aside::build_needed(document, compile)?;
    let grids = files::read_watched(&plan, work)?;
    gpu.prepare_while(&plan, go_on)?;
    Ok(Simulation::with_files(gpu, plan, &grids)?)
}
