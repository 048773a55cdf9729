//! Compiling on a thread of its own, so that the window never waits for a shader compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use super::loader::{Loader, Watch};
use crate::document::{Document, Scope};
use crate::gpu::Gpu;
use crate::graph::Graph;
use crate::library::Library;
use crate::plan::{Keep, Plan, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::sim::{camera, probe};

/// What is to be compiled.
#[derive(Clone)]
pub struct Job {
    pub document: Document,
    /// Stages and groups that its nodes may be of.
    pub library: Arc<Library>,
    /// Where files are that it names.
    pub folder: PathBuf,
    /// Wires that are looked at.
    pub watched: BTreeSet<String>,
    /// The level whose nodes show small pictures.
    pub pictured: Option<Scope>,
}

/// A plan whose pipelines are built, and what is worth knowing about the graph.
pub struct Compiled {
    pub plan: Plan,
    pub warnings: Problems,
    /// A wire of each node of the pictured level.
    pub thumbnails: Vec<String>,
    /// The node that the picture of each Output gets its camera from, for those that can be moved.
    pub cameras: BTreeMap<String, String>,
}

type Outcome = Result<Compiled, Problems>;

/// The thread and the jobs on their way to it and back.
pub struct Compiler {
    /// Gone only while the compiler is dropped.
    jobs: Option<Sender<(u64, Job)>>,
    thread: Option<JoinHandle<()>>,
    results: Receiver<(u64, Outcome)>,
    asked: u64,
    answered: u64,
    watch: Watch,
}

impl Compiler {
    /// `wake` is called, on the thread, when a result is there.
    pub fn new(gpu: Gpu, wake: impl Fn() + Send + 'static) -> Compiler {
        let (jobs, queue) = channel::<(u64, Job)>();
        let (answers, results) = channel();
        let watch = Watch::default();
        let mut loader = Loader::new(watch.clone());
        let work = move || {
            let mut next = None;
            while let Some(mut job) = next.take().or_else(|| queue.recv().ok()) {
                // Only the newest document matters.
                while let Ok(newer) = queue.try_recv() {
                    job = newer;
                }
                // A window that is gone has nothing to wait for either.
                let newer = || match queue.try_recv() {
                    Ok(newer) => {
                        next = Some(newer);
                        true
                    }
                    Err(nothing) => nothing == TryRecvError::Disconnected,
                };
                let outcome = catch_unwind(AssertUnwindSafe(|| compile(&gpu, &job.1, &mut loader, newer)));
                let Some(outcome) = outcome.unwrap_or_else(|_| Err(died())).transpose() else { continue };
                if answers.send((job.0, outcome)).is_err() {
                    return;
                }
                wake();
            }
        };
        // Without a thread the queue is closed, and `request` says so.
        let thread = std::thread::Builder::new().name("compiler".into()).spawn(work).ok();
        Compiler { jobs: Some(jobs), thread, results, asked: 0, answered: 0, watch }
    }

    /// Asks for a document to be compiled; what was asked before is no longer of interest.
    ///
    /// # Errors
    /// When the thread has ended.
    pub fn request(&mut self, job: Job) -> Result<(), Problems> {
        self.asked += 1;
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send((self.asked, job)).is_ok());
        if !sent {
            self.answered = self.asked;
            return Err(died());
        }
        Ok(())
    }

    /// The result for the newest document, once.
    pub fn poll(&mut self) -> Option<Outcome> {
        let newest = self.results.try_iter().filter(|(id, _)| *id == self.asked).last()?;
        self.answered = newest.0;
        Some(newest.1)
    }

    /// What is known of files that are being read.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Whether a result is still to come.
    pub fn busy(&self) -> bool {
        self.answered != self.asked
    }
}

/// A thread that is inside the driver's shader compiler while the process ends crashes it, so it is waited for.
impl Drop for Compiler {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic in it was reported as a problem already.
            let _ = thread.join();
        }
    }
}

/// `None` when something newer came up while a file was waited for.
fn compile(
    gpu: &Gpu,
    job: &Job,
    loader: &mut Loader,
    newer: impl FnMut() -> bool,
) -> Result<Option<Compiled>, Problems> {
    let graph = Graph::build(&job.document, &job.library)?;
    let group = |scope: &Scope| (!scope.is_root()).then(|| scope.to_string());
    let pictured = job.pictured.as_ref().map(|scope| probe::thumbnails(&graph, group(scope).as_deref()));
    let thumbnails = pictured.unwrap_or_default();
    let keep = Keep::Wires(job.watched.iter().chain(&thumbnails).cloned().collect());
    let plan = Plan::compile(&graph, &PlanOptions { folder: job.folder.clone(), keep, ..PlanOptions::default() })?;
    if !loader.load(&plan, newer)? {
        return Ok(None);
    }
    gpu.prepare(&plan)?;
    let camera = |output: &str| Some((output.to_string(), camera::orbit_target(&graph, Some(output))?));
    let cameras = plan.outputs.iter().filter_map(|output| camera(&output.node)).collect();
    Ok(Some(Compiled { plan, warnings: graph.warnings, thumbnails, cameras }))
}

fn died() -> Problems {
    Problem::new("", "", "the compiler gave up on this graph", "save it under another name, and report it").into()
}
