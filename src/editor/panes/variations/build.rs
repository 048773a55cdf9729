//! Makes the simulations of a wall on a thread of its own: compiles, checks memory, and only then allocates.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::asset::Work;
use crate::background::{Outbox, Worker};
use crate::cancel::Cancel;
use crate::document::{Document, ParamValue};
use crate::files::Access;
use crate::gpu::Gpu;
use crate::graph::{Graph, partial};
use crate::library::Library;
use crate::plan::{Outputs, Plan, PlanOptions, mebibytes};
use crate::problem::Problems;
use crate::sim::Simulation;
use crate::tune;

/// How often to look whether the GPU is done.
const LOOK: Duration = Duration::from_millis(1);

/// What is to be made.
pub(super) struct Job {
    pub gpu: Gpu,
    pub library: Arc<Library>,
    pub access: Access,
    /// The Output that is shown; the first one when `None`.
    pub output: Option<String>,
    /// Size of the images \[pixels\].
    pub size: (u32, u32),
    pub documents: Vec<Document>,
    /// Whether the documents differ only in their seeds.
    pub by_seed: bool,
    /// GPU memory that is left of the budget \[bytes\].
    pub free: u64,
}

/// What was made.
pub(super) struct Built {
    /// In the order of the documents; fewer where memory does not suffice. A document may have errors.
    pub simulations: Vec<Result<Simulation, String>>,
    /// Why there are fewer, or why they are all alike.
    pub remark: Option<String>,
}

/// The work. Dropping it cancels it.
pub(super) struct Build {
    /// What the work does, in a word.
    pub does: &'static str,
    worker: Worker<Result<Built, String>>,
    reading: Arc<Work>,
    done: Arc<AtomicUsize>,
}

impl Build {
    /// Makes the simulations of a job. `wake` is called on the thread when there is news.
    pub(super) fn start(job: Job, wake: impl Fn() + Send + 'static) -> Build {
        Build::spawn("compiling", wake, move |cancel, reading, done| job.run(cancel, reading, done))
    }

    /// Starts simulations over. On a graph whose States begin with something elaborate, that takes as long as some frames.
    pub(super) fn restart(built: Built, wake: impl Fn() + Send + 'static) -> Build {
        Build::spawn("restarting", wake, move |cancel, _, done| {
            let Built { mut simulations, remark } = built;
            for simulation in simulations.iter_mut().flatten() {
                begin(simulation, cancel);
                done();
            }
            Ok(Built { simulations, remark })
        })
    }

    fn spawn(
        does: &'static str,
        wake: impl Fn() + Send + 'static,
        work: impl FnOnce(&Cancel, &Work, &mut dyn FnMut()) -> Result<Built, String> + Send + 'static,
    ) -> Build {
        let (reading, done) = (Arc::<Work>::default(), Arc::<AtomicUsize>::default());
        let theirs = (reading.clone(), done.clone());
        let work = move |outbox: &Outbox<_>| {
            let (reading, count) = theirs;
            let built = work(&outbox.cancel, &reading, &mut || {
                count.fetch_add(1, Ordering::Relaxed);
                outbox.wake();
            });
            outbox.send(built);
        };
        Build { does, worker: Worker::start("variations", wake, work), reading, done }
    }

    /// The number of variations that are done.
    pub(super) fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks it to end early.
    pub(super) fn stop(&self) {
        self.worker.cancel();
        self.reading.stop();
    }

    /// Whether the work has ended, and has freed what nobody took.
    pub(super) fn is_over(&self) -> bool {
        self.worker.is_over()
    }

    /// The result, once.
    pub(super) fn poll(&self) -> Option<Result<Built, String>> {
        let stopped = || Some(Err("the variations could not be compiled".into()));
        self.worker.next().unwrap_or_else(|_| stopped())
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        self.reading.stop();
    }
}

impl Job {
    fn run(self, cancel: &Cancel, reading: &Work, compiled: &mut dyn FnMut()) -> Result<Built, String> {
        let options = PlanOptions {
            size: Some(self.size),
            outputs: self.output.clone().map_or(Outputs::First, Outputs::One),
            folder: PathBuf::clone(&self.access.folder),
            allow_files: self.access.anywhere,
            cancel: cancel.clone(),
            ..PlanOptions::default()
        };
        let options = tune::on_device(&self.gpu, options);
        let mut plans = Vec::new();
        for document in &self.documents {
            let build = |document: &Document| Plan::compile(&Graph::build(document, &self.library)?, &options);
            plans.push(partial::build_needed(document, build).map(|(plan, _)| plan).map_err(sentence));
            compiled();
            if cancel.is_cancelled() {
                return Err("cancelled".into());
            }
        }
        let sizes: Vec<u64> = plans.iter().map(|plan| plan.as_ref().map_or(0, |plan| plan.memory)).collect();
        let fits = fitting(&sizes, self.free);
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let remark = (fits < plans.len()).then(|| remark(fits, plans.len(), largest, self.free));
        if fits == 0 {
            return Err(remark.unwrap_or_default());
        }
        plans.truncate(fits);
        let alike = self.by_seed && !plans.iter().flatten().any(uses_seed);
        let remark = remark.or_else(|| alike.then(|| ALIKE.to_string()));
        let make = |plan: Plan| {
            let mut simulation = Simulation::prepared(&self.gpu, plan, reading, &mut |_| !cancel.is_cancelled())?;
            begin(&mut simulation, cancel);
            Ok(simulation)
        };
        let mut simulations = Vec::new();
        for plan in plans {
            if cancel.is_cancelled() {
                return Err("cancelled".into());
            }
            simulations.push(plan.and_then(|plan| make(plan).map_err(sentence)));
        }
        Ok(Built { simulations, remark })
    }
}

/// Gives the States of a simulation their initial values, and waits until the GPU has computed them: what the window draws
/// meanwhile waits for one simulation and not for all.
fn begin(simulation: &mut Simulation, cancel: &Cancel) {
    simulation.reset();
    let (gpu, done) = (simulation.gpu().clone(), Arc::<AtomicBool>::default());
    let theirs = done.clone();
    gpu.when_done(move || theirs.store(true, Ordering::Relaxed));
    while !(done.load(Ordering::Relaxed) || cancel.is_cancelled() || gpu.is_lost()) {
        gpu.poll();
        std::thread::sleep(LOOK);
    }
}

const ALIKE: &str = "This graph does not use its seed, so all variations are alike. Vary parameters instead.";

/// Whether a kernel or an expression reads the seed of the graph.
fn uses_seed(plan: &Plan) -> bool {
    let settings = plan.settings.iter().map(|slot| &slot.value);
    let values = settings.chain(plan.numbers.iter().map(|number| &number.value));
    plan.reads("frame.seed")
        || values.filter_map(ParamValue::expression).any(|text| text.contains("seed") || text.contains("random"))
}

/// How many of the first plans fit into the free memory \[bytes\].
fn fitting(sizes: &[u64], free: u64) -> usize {
    let sums = sizes.iter().scan(0u64, |sum, bytes| {
        *sum = sum.checked_add(*bytes)?;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= free).count()
}

fn remark(fits: usize, count: usize, bytes: u64, free: u64) -> String {
    let (bytes, free) = (mebibytes(bytes), mebibytes(free));
    let remedy = "Lower the resolution, or raise the memory budget in the preferences.";
    match fits {
        0 => format!(
            "The variations do not fit in memory: each takes {bytes}, and {free} of the budget are free. {remedy}"
        ),
        fits => format!(
            "{fits} of {count} variations fit in memory: each takes {bytes}, and {free} of the budget are free. {remedy}"
        ),
    }
}

/// The first problem.
fn sentence(problems: Problems) -> String {
    problems.0.first().map_or_else(String::new, ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_variations_as_fit_the_budget() {
        assert_eq!(fitting(&[10; 9], 90), 9);
        assert_eq!(fitting(&[10; 9], 89), 8);
        assert_eq!(fitting(&[10; 9], 9), 0);
        assert_eq!(fitting(&[10, 30, 10], 25), 1, "in their order");
        assert_eq!(fitting(&[u64::MAX, u64::MAX], u64::MAX), 1);
    }

    #[test]
    fn a_graph_that_does_not_use_its_seed_is_known() {
        let uses = |radius: ParamValue| {
            let mut document = stagewright_test_support::fixture::fluid();
            document.set("jet", "radius", radius).unwrap();
            let graph = Graph::build(&document, Library::builtin()).unwrap();
            uses_seed(&Plan::compile(&graph, &PlanOptions::default()).unwrap())
        };
        assert!(!uses(ParamValue::Number(0.1)) && !uses(ParamValue::Expression("0.1 + 0.01 * time".into())));
        assert!(uses(ParamValue::Expression("0.1 + 0.1 * random(3)".into())));
        let noise = Document::parse(&stagewright_graphs::EXAMPLES.text("curl_noise_2d.ron").unwrap()).unwrap();
        let graph = Graph::build(&noise, Library::builtin()).unwrap();
        assert!(uses_seed(&Plan::compile(&graph, &PlanOptions::default()).unwrap()), "its stages do");
    }
}
