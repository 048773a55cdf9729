//! An export: frames of a separate simulation, with progress, cancelling and resuming.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::checkpoints::Checkpoints;
use super::claim::{self, Logs};
use super::frames::Frames;
pub use super::item::Item;
use super::measure;
pub use super::pace::Left;
use super::record::{Fingerprint, RECORD};
pub use super::resume::Ready;
pub use super::run::run;
use super::sink::{About, ExportError, FrameSink, Target};
use super::subject::plan_options;
pub use super::subject::{Part, Source, Subject};
use crate::asset::Work;
use crate::background::{self, Background, Reports};
use crate::bake;
use crate::document::Document;
use crate::files::Access;
use crate::gpu::{Gpu, Making};
use crate::graph::{Graph, aside};
use crate::library::Library;
use crate::plan::{Plan, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::sim::saver::SaveError;
use crate::sim::{Simulation, files};
use crate::tune::TuningCache;

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
    /// Keep the frames that exports with the same inputs have written, and write those that are missing.
    pub resume: bool,
    /// Replace files that are there and that no export has written; with `resume`, those that are not of this export. Otherwise such files are
    /// an error.
    pub overwrite: bool,
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

    /// The number of files in the folder that would be replaced, and whether exports have written all of them.
    pub fn would_replace(&self) -> (usize, bool) {
        let (count, others) = claim::in_the_way(self);
        (count.max(others.len()), others.is_empty())
    }

    /// The first file that a frame goes to.
    pub fn path(&self, frame: u64) -> PathBuf {
        self.sinks(&About::default(), &Logs::default())
            .first()
            .map_or_else(|| self.folder.clone(), |sink| sink.path(frame))
    }

    /// Size of the files of one of the last frames that it has written \[bytes\]; `None` where a file holds all frames.
    fn measure(&self, progress: &Progress) -> Option<f64> {
        if self.items.iter().any(|item| item.format.single) {
            return None;
        }
        let sinks = self.sinks(&About::default(), &Logs::default());
        let paths = |index| sinks.iter().map(|sink| sink.path(self.frames.at(index))).collect();
        measure::frame_bytes(progress.kept + progress.written, paths)
    }

    /// The names of the files in one line: `frame.0001.png to frame.0240.png`.
    pub fn names(&self) -> String {
        let names: Vec<String> =
            self.sinks(&About::default(), &Logs::default()).iter().map(|sink| sink.names()).collect();
        names.join(", ")
    }

    /// The folders that it writes to, its own first.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.folder.clone()];
        for folder in self.items.iter().map(|item| self.folder.join(&item.folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// The sinks of all items.
    pub(super) fn sinks(&self, about: &About, logs: &Logs) -> Vec<Box<dyn FrameSink>> {
        // The simulation needs a core. Two threads keep up with small images.
        let cores = std::thread::available_parallelism().map_or(2, usize::from).saturating_sub(1);
        let threads = (cores.min(MAX_THREADS) / self.items.len().max(1)).max(2);
        let sink = |item: &Item| {
            let folder = self.folder.join(&item.folder);
            (item.format.open)(Target {
                log: logs.of(&folder),
                folder,
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

    pub(super) fn fault(&self, error: &io::Error) -> JobError {
        JobError::Record { path: self.record_path(), cause: error.to_string() }
    }

    /// The record of the export.
    fn record_path(&self) -> PathBuf {
        self.folder.join(RECORD)
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
    /// Files in the folder that are not of the export to be resumed.
    #[error("{there}; give --overwrite to replace them, or another --out to keep them")]
    Others {
        /// How many there are, where, and what differs.
        there: String,
    },
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
    /// Files with the names of the export's files that no export has written.
    #[error(
        "{}{} there and {} written by an export; choose another folder, or give --overwrite to replace {}",
        .path.display(),
        match .others { 0 => " is".to_string(), 1 => " and another file are".to_string(), count => format!(" and {count} other files are") },
        if *.others == 0 { "was not" } else { "were not" },
        if *.others == 0 { "it" } else { "them" }
    )]
    Taken {
        /// The first file.
        path: PathBuf,
        /// How many others there are.
        others: usize,
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
    /// Size of the files of one of the last frames \[bytes\], where each frame has files of its own. Measured by [`Job`] alone.
    pub frame_bytes: Option<f64>,
}

impl Progress {
    /// 0..1
    pub fn share(&self) -> f32 {
        if self.last == 0 { 0.0 } else { self.frame as f32 / self.last as f32 }
    }
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
                    self::run(&export, &inputs, &mut simulation, go_on).map(|(progress, ..)| progress)
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
