//! Compiling on a thread of its own, so that the window never waits for a shader compiler.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::document::Document;
use crate::gpu::Gpu;
use crate::graph::Graph;
use crate::library::Library;
use crate::plan::{Plan, PlanOptions};
use crate::problem::{Problem, Problems};

/// A plan whose pipelines are built, and what is worth knowing about the graph.
pub struct Compiled {
    pub plan: Plan,
    pub warnings: Problems,
}

type Outcome = Result<Compiled, Problems>;

/// What a plan is made of.
struct Job {
    number: u64,
    document: Document,
    library: Arc<Library>,
    /// Of the files that the document names.
    folder: PathBuf,
}

/// The thread and the jobs on their way to it and back.
pub struct Compiler {
    /// Gone only while the compiler is dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    results: Receiver<(u64, Outcome)>,
    asked: u64,
    answered: u64,
}

impl Compiler {
    /// `wake` is called, on the thread, when a result is there.
    pub fn new(gpu: Gpu, wake: impl Fn() + Send + 'static) -> Compiler {
        let (jobs, queue) = channel::<Job>();
        let (answers, results) = channel();
        let work = move || {
            while let Ok(mut job) = queue.recv() {
                // Only the newest document matters.
                while let Ok(newer) = queue.try_recv() {
                    job = newer;
                }
                let number = job.number;
                let outcome = catch_unwind(AssertUnwindSafe(|| compile(&gpu, job))).unwrap_or_else(|_| Err(died()));
                if answers.send((number, outcome)).is_err() {
                    return;
                }
                wake();
            }
        };
        // Without a thread the queue is closed, and `request` says so.
        let thread = std::thread::Builder::new().name("compiler".into()).spawn(work).ok();
        Compiler { jobs: Some(jobs), thread, results, asked: 0, answered: 0 }
    }

    /// Asks for a document to be compiled; what was asked before is no longer of interest. Files that it names are in
    /// `folder`, stages in `library`.
    ///
    /// # Errors
    /// When the thread has ended.
    pub fn request(&mut self, document: &Document, library: &Arc<Library>, folder: PathBuf) -> Result<(), Problems> {
        self.asked += 1;
        let job = Job { number: self.asked, document: document.clone(), library: library.clone(), folder };
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
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

fn compile(gpu: &Gpu, job: Job) -> Outcome {
    let graph = Graph::build(&job.document, &job.library)?;
    let plan = Plan::compile(&graph, &PlanOptions { folder: job.folder, ..PlanOptions::default() })?;
    // Read here, so that the window need not wait for a large mesh.
    crate::sim::files::read(&plan)?;
    gpu.prepare(&plan)?;
    Ok(Compiled { plan, warnings: graph.warnings })
}

fn died() -> Problems {
    Problem::new("", "", "the compiler gave up on this graph", "save it under another name, and report it").into()
}
