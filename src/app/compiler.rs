//! Compiling on a thread of its own, so that the window never waits for a shader compiler.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::loader::{Loader, Watch};
use crate::cancel::Cancel;
use crate::document::{Document, Scope};
use crate::gpu::Gpu;
use crate::graph::Graph;
use crate::library::Library;
use crate::plan::{Keep, Plan, PlanOptions, Tuning};
use crate::problem::{Problem, Problems};
use crate::sim::{camera, probe};
use crate::tune::{self, Book};

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
    /// Set when nobody waits for it any more; [`Compiler::request`] gives each job its own.
    pub cancel: Cancel,
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

/// How long a graph is left alone before its shapes are measured.
const QUIET: Duration = Duration::from_secs(2);

/// The thread and the jobs on their way to it and back.
pub struct Compiler {
    /// Gone only while the compiler is dropped.
    jobs: Option<Sender<(u64, Job)>>,
    /// Ends the compilation of the newest job.
    cancel: Cancel,
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
            let (mut next, mut book) = (None, Book::open());
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
                let tuning = book.tuning(&gpu);
                let outcome = catch_unwind(AssertUnwindSafe(|| compile(&gpu, &job.1, tuning, &mut loader, newer)));
                let Some(outcome) = outcome.unwrap_or_else(|_| Err(died())).transpose() else { continue };
                let runs = outcome.is_ok();
                if answers.send((job.0, outcome)).is_err() {
                    return;
                }
                wake();
                // What runs and is left alone for a while is looked at: which shapes of its dispatches are fastest here?
                if next.is_none() && runs && gpu.is_worth_tuning() {
                    match queue.recv_timeout(QUIET) {
                        Ok(newer) => next = Some(newer),
                        Err(RecvTimeoutError::Disconnected) => return,
                        Err(RecvTimeoutError::Timeout) => next = tune(&gpu, &job, &mut book, &queue),
                    }
                }
            }
        };
        // Without a thread the queue is closed, and `request` says so.
        let deep = move || crate::deep_stack(work);
        let thread = std::thread::Builder::new().name("compiler".into()).spawn(deep).ok();
        Compiler { jobs: Some(jobs), cancel: Cancel::default(), thread, results, asked: 0, answered: 0, watch }
    }

    /// Asks for a document to be compiled; what was asked before is no longer of interest.
    ///
    /// # Errors
    /// When the thread has ended.
    pub fn request(&mut self, mut job: Job) -> Result<(), Problems> {
        self.asked += 1;
        self.cancel.cancel();
        self.cancel = Cancel::default();
        job.cancel = self.cancel.clone();
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
        self.cancel.cancel();
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
    tuning: Tuning,
    loader: &mut Loader,
    newer: impl FnMut() -> bool,
) -> Result<Option<Compiled>, Problems> {
    let graph = Graph::build(&job.document, &job.library)?;
    let group = |scope: &Scope| (!scope.is_root()).then(|| scope.to_string());
    let pictured = job.pictured.as_ref().map(|scope| probe::thumbnails(&graph, group(scope).as_deref()));
    let thumbnails = pictured.unwrap_or_default();
    let keep = Keep::Wires(job.watched.iter().chain(&thumbnails).cloned().collect());
    let cancel = job.cancel.clone();
    let options = PlanOptions { folder: job.folder.clone(), keep, tuning, cancel, ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options)?;
    if !loader.load(&plan, newer)? {
        return Ok(None);
    }
    gpu.prepare(&plan)?;
    let camera = |output: &str| Some((output.to_string(), camera::orbit_target(&graph, Some(output))?));
    let cameras = plan.outputs.iter().filter_map(|output| camera(&output.node)).collect();
    Ok(Some(Compiled { plan, warnings: graph.warnings, thumbnails, cameras }))
}

/// Measures the shapes of what runs, until something else is asked for. Returns what is to be compiled next: that, or the same
/// once more, where another shape was found to be faster.
fn tune(gpu: &Gpu, job: &(u64, Job), book: &mut Book, queue: &Receiver<(u64, Job)>) -> Option<(u64, Job)> {
    let asked = RefCell::new(None);
    let go_on = || {
        let mut asked = asked.borrow_mut();
        if asked.is_none() {
            *asked = queue
                .try_recv()
                .map_or_else(|e| (e == TryRecvError::Disconnected).then_some(None), |job| Some(Some(job)));
        }
        asked.is_none()
    };
    let graph = Graph::build(&job.1.document, &job.1.library).ok()?;
    let cancel = job.1.cancel.clone();
    let options = PlanOptions { folder: job.1.folder.clone(), cancel, ..PlanOptions::default() };
    let before = book.tuning(gpu);
    // What can't be measured stays as it is.
    let measured = catch_unwind(AssertUnwindSafe(|| tune::tune(gpu, &graph, &options, book, &go_on)));
    let found = measured.is_ok_and(|choices| choices.is_ok_and(|choices| !choices.is_empty()));
    if book.tuning(gpu) != before {
        // A book that can't be written counts until the window closes.
        let _ = book.save();
    }
    match asked.into_inner() {
        Some(asked) => asked,
        None => found.then(|| job.clone()),
    }
}

fn died() -> Problems {
    Problem::new("", "", "the compiler gave up on this graph", "save it under another name, and report it").into()
}
