//! An export: frames of a separate simulation, with progress, cancelling and resuming.

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use super::error::JobError;
pub use super::item::Item;
use super::measure;
pub use super::order::Export;
use super::order::Logs;
pub use super::pace::Left;
use super::record::Fingerprint;
pub use super::resume::Ready;
pub use super::run::{Progress, run};
use super::sink::About;
pub use super::subject::{ExportSubject, Part, Source};
use crate::asset::Work;
use crate::background::{self, Background, Reports};
use crate::bake;
use crate::document::Document;
use crate::files::Access;
use crate::gpu::{Gpu, Making};
use crate::graph::{Graph, partial};
use crate::library::Library;
use crate::plan::{Plan, PlanOptions};
use crate::sim::Simulation;
use crate::tune;

/// How often the size of the files is measured.
const MEASURE_INTERVAL: Duration = Duration::from_secs(1);

impl Export {
    /// Size of the files of one of the last frames that it has written \[bytes\]; `None` where a file holds all frames.
    fn measure(&self, progress: &Progress) -> Option<f64> {
        if self.items.iter().any(|item| item.format.single) {
            return None;
        }
        let sinks = self.sinks(&About::default(), &Logs::default());
        let paths = |index| sinks.iter().map(|sink| sink.path(self.frames.nth(index))).collect();
        measure::frame_bytes(progress.kept + progress.written, paths)
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
        let options = tune::on_device(gpu, export.plan_options(access));
        let gpu = gpu.clone();
        let access = access.clone();
        let work = Arc::<Work>::default();
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
    let (plan, _) = partial::build_needed(document, compile)?;
    Ok(Simulation::prepared(gpu, plan, work, go_on)?)
}
