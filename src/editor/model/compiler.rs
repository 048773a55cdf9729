//! Compiling on a thread of its own, so that the window never waits for a shader compiler.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::Duration;

use super::driver::DriverWatch;
use super::edited_text::EditedText;
use super::leaving_caches::CachedRun;
use super::loader::{Loader, Watch};
use crate::asset::AssetGrid;
use crate::background::{Outbox, Worker};
use crate::bake::{self, Status};
use crate::cancel::Cancel;
use crate::document::{Document, Scope};
use crate::files::Access;
use crate::gpu::Gpu;
use crate::graph::expect::Expectation;
use crate::graph::{DomainId, Graph, Kind, Node, NodeId, partial, variants};
use crate::library::Library;
use crate::plan::{Keep, Plan, PlanOptions, PlayedCache, Tuning};
use crate::problem::{Problem, Problems};
use crate::sim::checkpoint::Checkpoint;
use crate::sim::{camera, expect, files, wire_view};
use crate::stage::types::WireType;
use crate::tune::{self, TuningCache};

/// What is to be compiled.
#[derive(Clone)]
pub(crate) struct Job {
    pub document: Document,
    /// The stages and groups that its nodes may use.
    pub library: Arc<Library>,
    /// Which files it may name.
    pub access: Access,
    /// Wires that views show.
    pub watched: BTreeSet<String>,
    /// The level whose nodes show thumbnails.
    pub thumbnail_scope: Option<Scope>,
    /// Whether the shapes of its dispatches are measured afterwards, if no other job arrives.
    pub tune: bool,
    /// The text that is being edited: its nodes are kept apart, and joined with others if no other job arrives for a while.
    pub edited: Option<EditedText>,
    /// Whether only pipelines are made, for edits of that text. There is no result.
    pub prepares: bool,
    /// The run, where it is played from caches: it may leave them.
    pub cached: Option<CachedRun>,
    /// Set when the result is no longer needed; [`Compiler::request`] gives each job its own.
    pub cancel: Cancel,
}

/// A grid of the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridMade {
    pub ty: WireType,
    pub domain: DomainId,
    /// Whether the grid is the value of a State.
    pub state: bool,
    /// Whether the grid is a field, which is a grid only while it is viewed.
    pub field: bool,
}

/// A plan whose pipelines are built, with facts about its graph.
pub(crate) struct Compiled {
    pub plan: Plan,
    /// What the plan needs from files.
    pub grids: Vec<Arc<AssetGrid>>,
    /// Warnings, after the errors of nodes that no image needs.
    pub problems: Problems,
    /// A wire of each node of the thumbnail_scope level.
    pub thumbnails: Vec<String>,
    /// The node that sets the camera of each Output, for cameras that can be moved.
    pub cameras: BTreeMap<String, String>,
    /// The domain of each node that has one, by its path.
    pub domains: BTreeMap<String, DomainId>,
    /// Every grid and field that a node makes, by `node.port`, in the graph; many have no memory in the plan unless they are viewed.
    pub grids_made: BTreeMap<String, GridMade>,
    /// The graph's bakes.
    pub bakes: Vec<Status>,
    /// Where the run continues that leaves a cache.
    pub checkpoint: Option<Checkpoint>,
    /// The graph's expectations.
    pub expectations: Vec<Result<Expectation, Problem>>,
}

type Outcome = Result<Compiled, Problems>;

/// How long no edit must come before nodes whose text was edited are joined with others.
const TYPING_PAUSE: Duration = Duration::from_secs(1);
/// How long no edit must come before the shapes of a graph are measured.
const QUIET: Duration = Duration::from_secs(2);

/// The thread, with the jobs sent to it and the results on their way back.
pub(crate) struct Compiler {
    /// Sends jobs to the thread; `None` only while the compiler is dropped.
    jobs: Option<Sender<(u64, Job)>>,
    /// Ends the compilation of the newest job.
    cancel: Cancel,
    worker: Worker<(u64, Outcome)>,
    /// Result of the newest job.
    result: Option<Outcome>,
    requested: u64,
    answered: u64,
    watch: Watch,
    driver: DriverWatch,
}

impl Compiler {
    /// `wake` is called on the thread when a result is ready.
    pub(crate) fn new(gpu: Gpu, wake: impl Fn() + Send + 'static) -> Compiler {
        let (jobs, queue) = channel::<(u64, Job)>();
        let watch = Watch::default();
        let driver = DriverWatch::default();
        let theirs = driver.clone();
        let mut loader = Loader::new(watch.clone());
        let work = move |results: &Outbox<(u64, Outcome)>| {
            let (mut next, mut cache) = (None, TuningCache::open());
            // Nodes of the running plan are kept apart.
            let mut apart = false;
            while let Some(mut job) = next.take().or_else(|| queue.recv().ok()) {
                // Only the newest document matters.
                while let Ok(newer) = queue.try_recv() {
                    job = newer;
                }
                // Neither does a window that is gone need a result.
                let newer = || match queue.try_recv() {
                    Ok(newer) => {
                        next = Some(newer);
                        true
                    }
                    Err(nothing) => nothing == TryRecvError::Disconnected,
                };
                let tuning = cache.tuning(&gpu);
                if job.1.prepares {
                    // Where this fails, the first edit takes longer, or says why.
                    let _ = catch_unwind(AssertUnwindSafe(|| prepare(&gpu, &job.1, tuning, newer)));
                } else {
                    let outcome =
                        catch_unwind(AssertUnwindSafe(|| compile(&gpu, &job.1, tuning, (&mut loader, &theirs), newer)));
                    let Some(outcome) = outcome.unwrap_or_else(|_| Err(died())).transpose() else { continue };
                    let runs = outcome.is_ok();
                    results.send((job.0, outcome));
                    if !runs {
                        continue;
                    }
                    apart = job.1.edited.is_some();
                    if !apart {
                        gpu.save_pipelines();
                    }
                }
                if next.is_some() {
                    continue;
                }
                let whole = (job.0, Job { edited: None, prepares: false, ..job.1 });
                // After a while without edits, all nodes are joined, and the shapes of the dispatches that are fastest here are measured.
                let pause = match apart {
                    true => TYPING_PAUSE,
                    false if whole.1.tune && gpu.is_worth_tuning() => QUIET,
                    false => continue,
                };
                match queue.recv_timeout(pause) {
                    Ok(newer) => next = Some(newer),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) if apart => next = Some(whole),
                    Err(RecvTimeoutError::Timeout) => next = tune(&gpu, &whole, &mut cache, &queue),
                }
            }
        };
        // Without a thread the queue is closed, and `request` says so.
        let worker = Worker::start("compiler", wake, work);
        Compiler {
            jobs: Some(jobs),
            cancel: Cancel::default(),
            worker,
            result: None,
            requested: 0,
            answered: 0,
            watch,
            driver,
        }
    }

    /// Requests that a document is compiled; earlier requests are dropped.
    ///
    /// # Errors
    /// When the thread has ended.
    pub(crate) fn request(&mut self, mut job: Job) -> Result<(), Problems> {
        self.requested += 1;
        self.result = None;
        self.cancel.cancel();
        self.cancel = Cancel::default();
        job.cancel = self.cancel.clone();
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send((self.requested, job)).is_ok());
        if !sent {
            self.answered = self.requested;
            return Err(died());
        }
        Ok(())
    }

    /// Has the pipelines made that edits of a text will need, of the document that was requested last. To be called while no result is to
    /// come; the next request ends it.
    pub(crate) fn prepare(&mut self, job: Job) {
        let job = Job { prepares: true, cancel: self.cancel.clone(), ..job };
        if let Some(jobs) = &self.jobs {
            // Without the thread, the next request says so.
            let _ = jobs.send((self.requested, job));
        }
    }

    /// The result for the newest document, until it is taken.
    pub(crate) fn poll(&mut self) -> Option<&Outcome> {
        let arrived = std::iter::from_fn(|| self.worker.next().ok().flatten());
        let newest = arrived.filter(|(id, _)| *id == self.requested).last();
        self.result = newest.map(|(_, outcome)| outcome).or(self.result.take());
        self.result.as_ref()
    }

    /// The result for the newest document, once.
    pub(crate) fn take(&mut self) -> Option<Outcome> {
        let result = self.result.take()?;
        self.answered = self.requested;
        Some(result)
    }

    /// The files that are being read.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// What the driver is doing.
    pub(crate) fn driver(&self) -> &DriverWatch {
        &self.driver
    }

    /// Whether a result is still to come.
    pub(crate) fn busy(&self) -> bool {
        self.answered != self.requested
    }
}

/// The thread ends as soon as it sees that the queue is closed, which is soon: long work is done on other threads, or told
/// to stop. If it does not end, it is left behind, and the program ends without it.
impl Drop for Compiler {
    fn drop(&mut self) {
        self.jobs = None;
        self.cancel.cancel();
    }
}

/// Compiles a job; `None` if a newer job arrived while this one waited for a file or the driver.
fn compile(
    gpu: &Gpu,
    job: &Job,
    tuning: Tuning,
    (loader, driver): (&mut Loader, &DriverWatch),
    mut newer: impl FnMut() -> bool,
) -> Result<Option<Compiled>, Problems> {
    let one = |document: &Document| compile_all(gpu, job, document, tuning.clone(), (&mut *loader, driver), &mut newer);
    let (compiled, errors) = partial::build_needed(&job.document, one)?;
    Ok(compiled.map(|mut compiled| {
        // Those that are not chosen do not keep the graph from running.
        let varied = variants::check(&job.document, &job.library).0.into_iter().map(Problem::warning);
        compiled.problems = Problems(errors.0.into_iter().chain(compiled.problems.0).chain(varied).collect());
        compiled
    }))
}

/// Compiles all nodes of a document.
fn compile_all(
    gpu: &Gpu,
    job: &Job,
    document: &Document,
    tuning: Tuning,
    (loader, driver): (&mut Loader, &DriverWatch),
    mut newer: impl FnMut() -> bool,
) -> Result<Option<Compiled>, Problems> {
    let Planned { graph, plan, thumbnails, bakes } = planned(gpu, job, document, tuning)?;
    if !loader.load(&plan, &mut newer)? {
        return Ok(None);
    }
    // They were loaded above.
    let grids = files::read(&plan)?;
    let mut superseded = false;
    let prepared = gpu.make_pipelines(&plan, &mut |making| {
        superseded = newer();
        driver.note(Some(making)) && !superseded
    });
    driver.note(None);
    if superseded {
        return Ok(None);
    }
    prepared?;
    let camera = |output: &str| Some((output.to_string(), camera::orbit_target(&graph, Some(output))?));
    let cameras = plan.outputs.iter().filter_map(|output| camera(&output.node)).collect();
    let domains = graph.nodes.entries().filter_map(|(_, node)| Some((node.path.clone(), node.domain?))).collect();
    let fields = graph.fields().into_iter().map(|(name, field)| {
        (name, GridMade { ty: WireType::Grid(field.value), domain: field.domain, state: false, field: true })
    });
    let grids_made = graph.nodes.entries().flat_map(|(id, node)| grids_of(&graph, id, node)).chain(fields).collect();
    let Graph { warnings: mut problems, expectations, .. } = graph;
    bakes.problems.0.into_iter().for_each(|problem| problems.push(problem));
    let bakes = bakes.all;
    let checkpoint = job.cached.as_ref().and_then(|cached| cached.checkpoint(&bakes, &plan, gpu.name()));
    Ok(Some(Compiled {
        plan,
        grids,
        problems,
        thumbnails,
        cameras,
        domains,
        grids_made,
        bakes,
        checkpoint,
        expectations,
    }))
}

/// A document's plan, and what it was made from.
struct Planned {
    graph: Graph,
    plan: Plan,
    /// A wire of each node of the thumbnail_scope level.
    thumbnails: Vec<String>,
    bakes: bake::Bakes,
}

fn planned(gpu: &Gpu, job: &Job, document: &Document, tuning: Tuning) -> Result<Planned, Problems> {
    let graph = Graph::build(document, &job.library)?;
    let group = |scope: &Scope| (!scope.is_root()).then(|| scope.to_string());
    let thumbnail_scope =
        job.thumbnail_scope.as_ref().map(|scope| wire_view::thumbnails(&graph, group(scope).as_deref()));
    let thumbnails = thumbnail_scope.unwrap_or_default();
    let expected = expect::keep(graph.expectations.iter().flatten());
    let bakes = bake::playing(&graph, &job.access);
    let played = bakes.played();
    let kept = job.watched.iter().chain(&thumbnails).chain(&expected).cloned().collect();
    let keep = Keep::Wires(computed_wires(&graph, &played, kept));
    let edited = job.edited.as_ref().map(|text| text.nodes(&graph)).unwrap_or_default();
    let options = PlanOptions { keep, tuning, played, edited, ..options(gpu, job) };
    let plan = Plan::compile(&graph, &options)?;
    Ok(Planned { graph, plan, thumbnails, bakes })
}

/// Makes the pipelines of a job's plan, until a newer job arrives.
fn prepare(gpu: &Gpu, job: &Job, tuning: Tuning, mut newer: impl FnMut() -> bool) -> Result<(), Problems> {
    let (plan, _) = partial::build_needed(&job.document, |document| planned(gpu, job, document, tuning.clone()))?;
    gpu.make_pipelines(&plan.plan, &mut |_| !newer())
}

/// Keeps those of `wires` that a plan has which is played from caches: views and thumbnails of a solver do not make it run.
fn computed_wires(graph: &Graph, played: &[PlayedCache], mut wires: Vec<String>) -> Vec<String> {
    if !played.is_empty() {
        let outside = played.iter().flat_map(|cache| &cache.wires).filter_map(|name| graph.find_wire(name)).collect();
        let needed = graph.needed_beside(&outside, &[]);
        let node = |wire: &String| graph.node(wire.split(['.', '@']).next().unwrap_or(wire));
        wires.retain(|wire| node(wire).is_none_or(|node| needed.contains(&node)));
    }
    wires
}

/// The grids that a node makes.
fn grids_of(graph: &Graph, id: NodeId, node: &Node) -> Vec<(String, GridMade)> {
    let (state, domain) = (matches!(node.kind, Kind::State(_)), node.domain);
    let ports = node.outputs.iter().enumerate().filter(|(_, ty)| ty.is_grid());
    let grid = |(port, ty): (usize, &WireType)| {
        Some((graph.wire_name(id, port), GridMade { ty: *ty, domain: domain?, state, field: false }))
    };
    ports.filter_map(grid).collect()
}

/// Measures the shapes of the running plan until another job arrives. Returns the job to compile next: that one, or the same
/// again if another shape was faster.
fn tune(gpu: &Gpu, job: &(u64, Job), cache: &mut TuningCache, queue: &Receiver<(u64, Job)>) -> Option<(u64, Job)> {
    let next_job = RefCell::new(None);
    let go_on = || {
        let mut next_job = next_job.borrow_mut();
        if next_job.is_none() {
            *next_job = queue
                .try_recv()
                .map_or_else(|e| (e == TryRecvError::Disconnected).then_some(None), |job| Some(Some(job)));
        }
        next_job.is_none()
    };
    let build = |document: &Document| Graph::build(document, &job.1.library);
    let (graph, _) = partial::build_needed(&job.1.document, build).ok()?;
    let played = bake::playing(&graph, &job.1.access).played();
    let options = PlanOptions { played, ..options(gpu, &job.1) };
    let before = cache.tuning(gpu);
    // What can't be measured keeps its shape.
    let measured = catch_unwind(AssertUnwindSafe(|| tune::tune(gpu, &graph, &options, cache, &go_on)));
    let found = measured.is_ok_and(|choices| choices.is_ok_and(|choices| !choices.is_empty()));
    if cache.tuning(gpu) != before {
        // A cache that can't be written counts until the window closes.
        let _ = cache.save();
    }
    match next_job.into_inner() {
        Some(next_job) => next_job,
        None => found.then(|| job.clone()),
    }
}

fn options(gpu: &Gpu, job: &Job) -> PlanOptions {
    let Access { folder, anywhere } = job.access.clone();
    let (memory_budget, cancel) = (gpu.memory_budget(), job.cancel.clone());
    PlanOptions { folder, allow_files: anywhere, memory_budget, cancel, ..PlanOptions::default() }
}

fn died() -> Problems {
    Problem::new("", "", "the compiler crashed on this graph", "save the graph under another name, and report the bug")
        .into()
}
