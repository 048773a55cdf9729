//! Compiles the other side on a thread of its own, and checks its memory before any is taken.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::asset::{AssetGrid, Work};
use crate::cancel::Cancel;
use crate::document::Document;
use crate::files::Access;
use crate::gpu::Gpu;
use crate::graph::{Graph, aside};
use crate::library::Library;
use crate::plan::{Keep, Plan, PlanOptions, mebibytes};
use crate::problem::Problems;
use crate::sim::files;
use crate::tune::TuningCache;

/// How long a closing window waits for the thread.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// What is compiled.
pub(super) struct Job {
    pub gpu: Gpu,
    pub library: Arc<Library>,
    pub access: Access,
    pub document: Document,
    /// The wires that are kept.
    pub keep: Vec<String>,
    /// GPU memory that is left of the budget \[bytes\].
    pub free: u64,
}

/// A plan whose pipelines are built, with what it needs from files.
pub(super) type Built = (Plan, Vec<Arc<AssetGrid>>);

/// The thread. Dropping it cancels the work and waits for its end, so that it does not outlive the window's device.
pub(super) struct Build {
    cancel: Cancel,
    reading: Arc<Work>,
    result: Receiver<Result<Built, String>>,
    thread: Option<JoinHandle<()>>,
}

impl Build {
    /// `wake` is called on the thread when it is done.
    pub(super) fn start(job: Job, wake: impl FnOnce() + Send + 'static) -> Build {
        let (answer, result) = channel();
        let (cancel, reading) = (Cancel::default(), Arc::<Work>::default());
        let theirs = (cancel.clone(), reading.clone());
        let work = move || {
            // Nobody may want it any more.
            let _ = answer.send(job.run(&theirs.0, &theirs.1));
            wake();
        };
        let deep = || crate::threads::deep_stack(work);
        // Without a thread the channel is closed, which `poll` reports.
        let thread = std::thread::Builder::new().name("other side".into()).spawn(deep).ok();
        Build { cancel, reading, result, thread }
    }

    /// The result, once.
    ///
    /// # Errors
    /// What is wrong with the graph, with the node, in one sentence; memory that is not there.
    pub(super) fn poll(&self) -> Option<Result<Built, String>> {
        match self.result.try_recv() {
            Ok(built) => Some(built),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("the other graph could not be compiled".into())),
        }
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.reading.stop();
        if let Some(thread) = self.thread.take() {
            // What takes longer is in the driver, and is left behind.
            crate::threads::join_within(thread, CLOSE_TIMEOUT);
        }
    }
}

impl Job {
    fn run(self, cancel: &Cancel, reading: &Work) -> Result<Built, String> {
        let options = PlanOptions {
            keep: Keep::Wires(self.keep),
            folder: PathBuf::clone(&self.access.folder),
            allow_files: self.access.anywhere,
            memory_budget: self.gpu.memory_budget(),
            tuning: TuningCache::open().tuning(&self.gpu),
            cancel: cancel.clone(),
            ..PlanOptions::default()
        };
        let build = |document: &Document| Plan::compile(&Graph::build(document, &self.library)?, &options);
        let (plan, _) = aside::build_needed(&self.document, build).map_err(sentence)?;
        if plan.memory > self.free {
            let (needed, free) = (mebibytes(plan.memory), mebibytes(self.free));
            return Err(format!(
                "The other graph takes {needed}, and {free} of the memory budget are free. Lower the resolution, or raise the memory budget in the preferences."
            ));
        }
        let grids = files::read_watched(&plan, reading).map_err(sentence)?;
        self.gpu.prepare_while(&plan, &mut |_| !cancel.is_cancelled()).map_err(sentence)?;
        Ok((plan, grids))
    }
}

/// The first problem.
fn sentence(problems: Problems) -> String {
    problems.0.first().map_or_else(String::new, ToString::to_string)
}
