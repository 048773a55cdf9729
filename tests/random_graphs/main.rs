//! Random graphs that are valid by construction, on the GPU and by an interpreter: every State after every frame, bit for bit, of plain
//! and of optimised plans.
//!
//! `STAGEWRIGHT_SEED` is the first seed and `STAGEWRIGHT_COUNT` the number of graphs, for a run as long as one likes:
//! `STAGEWRIGHT_SEED=1000 STAGEWRIGHT_COUNT=100000 cargo test --test random_graphs`. A failure prints the seed and the graph.

mod confined;
mod generate;
mod interpret;
mod loops;
mod model;
mod pairs;
mod sums;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use interpret::Interpreter;
use model::Model;
use stagewright_compiler::tuning::LANES;
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_test_support::seed;

const FRAMES: usize = 3;

/// Ways to compile a graph that must not change a bit.
const WAYS: [&str; 6] = [
    "plain, every wire kept",
    "for a GPU",
    "plain, nothing hoisted",
    "for a GPU, nothing hoisted",
    "for a CPU",
    "for a GPU, some wires kept",
];

/// `wires`: all that stages compute; which of them a seed keeps is random.
fn options(way: usize, seed: u64, states: Vec<String>, wires: &[String]) -> PlanOptions {
    let tuning = match way {
        0 | 2 => Tuning::default(),
        4 => Tuning::cpu(),
        _ => Tuning {
            binned_capacity: 1,
            joined_buffers: 8 + 8 * (way as u32 / 2 % 2),
            lanes: LANES << (way / 2),
            ..Tuning::gpu()
        },
    };
    let keep = match way {
        0 => Keep::All,
        5 => {
            let some = wires
                .iter()
                .enumerate()
                .filter(|(k, _)| (seed as usize + k).is_multiple_of(3))
                .map(|(_, wire)| wire.clone());
            Keep::Wires(states.into_iter().chain(some).collect())
        }
        _ => Keep::Wires(states),
    };
    PlanOptions { keep, tuning, hoist: !matches!(way, 2 | 3), pools: way > 0, ..PlanOptions::default() }
}

/// What differs between the engine and the interpreter, if anything.
fn compare(gpu: &Gpu, model: &Model, seed: u64, ways: &[usize]) -> Result<usize, String> {
    let document = Document::parse(&model.ron()).map_err(|e| format!("the text is not RON: {e}"))?;
    let graph = Graph::build(&document, Library::builtin()).map_err(|e| format!("refused: {e}"))?;
    let mut compared = 0;
    let wires = model.wires();
    for way in ways {
        let failed = |what: String| format!("{}: {what}", WAYS[*way]);
        let mut interpreter = Interpreter::new(model);
        let names = interpreter.states().keys().cloned().collect();
        let plan = Plan::compile(&graph, &options(*way, seed, names, &wires))
            .map_err(|e| failed(format!("does not compile: {e}")))?;
        let mut simulation = Simulation::new(gpu, plan).map_err(|e| failed(format!("does not start: {e}")))?;
        for frame in 0..FRAMES {
            simulation.step(&FrameInput::default()).map_err(|e| failed(e.to_string()))?;
            for (path, (ty, values)) in interpreter.step() {
                let read = simulation.read(path).map_err(|e| failed(format!("{path} can't be read: {e}")))?;
                let wanted: Vec<u32> = values.iter().map(|v| ty.elem.word(*v)).collect();
                if read.words != wanted {
                    return Err(failed(format!(
                        "frame {frame}, {path}: {}: {:?}, the interpreter has {values:?}",
                        ty.name(),
                        read.data
                    )));
                }
                compared += 1;
            }
        }
        let warnings = simulation.warnings(true);
        if !warnings.is_empty() {
            return Err(failed(format!("warns: {warnings}")));
        }
    }
    Ok(compared)
}

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new(&GpuOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn random_graphs_compute_what_the_interpreter_says() {
    let gpu = gpu();
    let (seed, count) = (seed::first(), seed::number("STAGEWRIGHT_COUNT"));
    // A run by hand goes all ways, the one among all tests two of them in turn.
    let ways = |seed: u64| match (count, seed % 3) {
        (Some(_), _) => (0..WAYS.len()).collect(),
        (None, 0) => vec![0, 1],
        (None, 1) => vec![2, 5],
        (None, _) => vec![3, 4],
    };
    let (mut compared, mut failed) = (0, Vec::new());
    for seed in seed..seed + count.unwrap_or(80) {
        let model = generate::generate(seed);
        let outcome = catch_unwind(AssertUnwindSafe(|| compare(gpu, &model, seed, &ways(seed))));
        match outcome.unwrap_or_else(|_| Err("a panic".into())) {
            Ok(states) => compared += states,
            Err(difference) => {
                println!("seed {seed}: {difference}\n{}", model.ron());
                failed.push(seed);
            }
        }
    }
    println!("from seed {seed}: {compared} States compared, {} graphs failed: {failed:?}", failed.len());
    let repeat = failed.iter().map(|seed| seed::repeat(*seed, 1, "random_graphs_compute_what_the_interpreter"));
    assert!(failed.is_empty(), "{}", repeat.collect::<Vec<_>>().join("\n"));
    assert!(compared > 0, "there was something to compare");
}
