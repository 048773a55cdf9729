//! Compiles the other side on a thread of its own, and checks its memory before any is taken.

use std::path::PathBuf;
use std::sync::Arc;

use crate::asset::{AssetGrid, Work};
use crate::background::{Outbox, Worker};
use crate::cancel::Cancel;
use crate::document::Document;
use crate::files::Access;
use crate::gpu::Gpu;
use crate::graph::{Graph, partial};
use crate::library::Library;
use crate::plan::{Keep, Plan, PlanOptions, mebibytes};
use crate::problem::Problems;
use crate::sim::files;
use crate::tune;

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

/// The work. Dropping it cancels it.
pub(super) struct Build {
    worker: Worker<Result<Built, String>>,
    reading: Arc<Work>,
}

impl Build {
    /// `wake` is called on the thread when it is done.
    pub(super) fn start(job: Job, wake: impl Fn() + Send + 'static) -> Build {
        let reading = Arc::<Work>::default();
        let theirs = reading.clone();
        let work = move |outbox: &Outbox<_>| outbox.send(job.run(&outbox.cancel, &theirs));
        Build { worker: Worker::start("other side", wake, work), reading }
    }

    /// The result, once.
    ///
    /// # Errors
    /// What is wrong with the graph, with the node, in one sentence; memory that is not there.
    pub(super) fn poll(&self) -> Option<Result<Built, String>> {
        let stopped = || Some(Err("the other graph could not be compiled".into()));
        self.worker.next().unwrap_or_else(|_| stopped())
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        self.reading.stop();
    }
}

impl Job {
    fn run(self, cancel: &Cancel, reading: &Work) -> Result<Built, String> {
        let options = PlanOptions {
            keep: Keep::Wires(self.keep),
            folder: PathBuf::clone(&self.access.folder),
            allow_files: self.access.anywhere,
            cancel: cancel.clone(),
            ..PlanOptions::default()
        };
        let options = tune::on_device(&self.gpu, options);
        let build = |document: &Document| Plan::compile(&Graph::build(document, &self.library)?, &options);
        let (plan, _) = partial::build_needed(&self.document, build).map_err(sentence)?;
        if plan.memory > self.free {
            let (needed, free) = (mebibytes(plan.memory), mebibytes(self.free));
            return Err(format!(
                "The other graph takes {needed}, and {free} of the memory budget are free. Lower the resolution, or raise the memory budget in the preferences."
            ));
        }
        let grids = files::prepare(&self.gpu, &plan, reading, &mut |_| !cancel.is_cancelled()).map_err(sentence)?;
        Ok((plan, grids))
    }
}

/// The first problem.
fn sentence(problems: Problems) -> String {
    problems.0.first().map_or_else(String::new, ToString::to_string)
}
