//! Looking at a run does not change it: after some frames every State is the same, whichever wire is kept to be read. With the plans for a
//! software adapter it has the same bits. A driver may contract and reorder what stages compute that share a kernel, so with plans for a GPU it
//! is the same but for rounding.
//!
//! Wires are drawn with the seed of the day, or `STAGEWRIGHT_SEED`. `STAGEWRIGHT_COUNT` is their number for each graph, `STAGEWRIGHT_GRAPHS` a folder
//! whose graphs are taken instead of those that ship, as far as they have no errors, and `STAGEWRIGHT_GRAPH` a part of the name of the only one.

use std::cell::OnceCell;

use stagewright_compiler::{Keep, Outputs, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

use super::shipped::{ShippedGraph, all_graphs, state_words};

const FRAMES: usize = 5;

/// Wires of each graph in a run among all tests. All of them: `STAGEWRIGHT_COUNT=1000`.
const WIRES: usize = 1;

/// What rounding in other places may change in a few frames, relative to the largest value.
const ROUNDING: f32 = 5e-4;

pub(super) fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// `STAGEWRIGHT_SEED`, or that of the day.
pub(super) fn seed() -> usize {
    let day = || number("STAGEWRIGHT_DAY").map(|day| 1000 * day);
    number("STAGEWRIGHT_SEED").or_else(day).unwrap_or(1)
}

/// Names of States, and their bits.
pub(super) type States = Vec<(String, Vec<u32>)>;

/// How the States of an observed run differ from those of the same names of an unobserved one, where not `exact` by more than rounding.
pub(super) fn differences(unobserved: &States, observed: &States, exact: bool) -> Vec<String> {
    let mut changed = Vec::new();
    for (state, words) in observed {
        // One that nothing but the wire depends on runs only with it.
        let Some((_, expected)) = unobserved.iter().find(|(other, _)| other == state) else { continue };
        let pairs = || expected.iter().zip(words).map(|(a, b)| (f32::from_bits(*a), f32::from_bits(*b)));
        let largest = pairs().fold(0f32, |most, (a, _)| most.max(a.abs()));
        let close = |(a, b): (f32, f32)| (a - b).abs() <= ROUNDING * largest || a.to_bits() == b.to_bits();
        if expected.len() != words.len() {
            changed.push(format!("{state} has {} words of {}", words.len(), expected.len()));
        } else if expected != words && (exact || !pairs().all(close)) {
            let off = pairs().fold(0f32, |most, (a, b)| most.max((a - b).abs()));
            changed.push(format!("{state} is off by {off:e} of {largest:e}"));
        }
    }
    changed
}

/// The States after a few frames of a plan.
fn states(plan: Plan) -> States {
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..FRAMES {
        let input = sim.recorded_input();
        sim.step(&input).unwrap_or_else(|e| panic!("{e}"));
    }
    state_words(&sim)
}

/// The checked graph; `None`, with its errors printed, where it has some and is none of those that ship.
pub(super) fn checked(shipped: &ShippedGraph) -> Option<Graph> {
    let ShippedGraph { name, document, library, .. } = shipped;
    match Graph::build(document, library) {
        Ok(graph) => Some(graph),
        Err(errors) if std::env::var_os("STAGEWRIGHT_GRAPHS").is_some() => {
            println!("{name} is left out: {errors}");
            None
        }
        Err(errors) => panic!("{name}: {errors}"),
    }
}

/// The number of wires that were looked at, and the States that differ then from those of an unobserved run.
fn observe(shipped: &ShippedGraph, count: usize, seed: usize) -> (usize, Vec<String>) {
    let ShippedGraph { name, folder, .. } = shipped;
    let Some(graph) = checked(shipped) else { return (0, Vec::new()) };
    let compile = |keep: Keep, outputs: Outputs, tuning: Tuning| {
        let (size, folder) = (Some((64, 64)), folder.clone());
        let options = PlanOptions { keep, outputs, tuning, size, folder, ..PlanOptions::default() };
        Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let everything = compile(Keep::All, Outputs::default(), Tuning::default());
    let wires: Vec<&String> = everything.wires.iter().filter(|(_, wire)| wire.kept).map(|(name, _)| name).collect();
    let tunings = [Tuning::gpu(), gpu().tuning()];
    let unobserved: [OnceCell<States>; 2] = Default::default();
    let mut changed = Vec::new();
    let (count, first) = (count.min(wires.len()), pcg(seed as u32) as usize);
    for k in 0..count {
        let Some(wire) = wires.get((first + k * wires.len() / count) % wires.len()) else { continue };
        let for_this_gpu = !(seed + k + name.len()).is_multiple_of(3);
        // An attribute of particles is kept with its set.
        let names = wire.match_indices('.').map(|(end, _)| wire[..end].to_string()).chain([wire.to_string()]).collect();
        let tuning = &tunings[usize::from(for_this_gpu)];
        let plan = compile(Keep::Wires(names), Outputs::None, tuning.clone());
        assert!(plan.wires.get(*wire).is_some_and(|found| found.kept), "{name}: {wire} is kept");
        let expected = unobserved[usize::from(for_this_gpu)]
            .get_or_init(|| states(compile(Keep::Needed, Outputs::default(), tuning.clone())));
        let found = differences(expected, &states(plan), for_this_gpu && gpu().is_software());
        changed
            .extend(found.iter().map(|state| format!("{name}: {state} when {wire} is read, own plan: {for_this_gpu}")));
    }
    (count, changed)
}

/// Every other graph, and of those a third each day.
fn every_other_graph(first: usize) {
    let (seed, count) = (seed(), number("STAGEWRIGHT_COUNT").unwrap_or(WIRES));
    let (mut observed, mut changed) = (0, Vec::new());
    let only = std::env::var("STAGEWRIGHT_GRAPH").unwrap_or_default();
    let graphs = all_graphs(32.0);
    let graphs = graphs.iter().skip(first).step_by(2).filter(|shipped| shipped.name.contains(&only));
    for shipped in today(graphs, if only.is_empty() { 3 } else { 1 }) {
        let started = std::time::Instant::now();
        let (wires, found) = observe(shipped, count, seed);
        println!("{}: {wires} wires in {:.1} s", shipped.name, started.elapsed().as_secs_f64());
        observed += wires;
        changed.extend(found);
    }
    println!("{observed} wires observed from seed {seed}");
    assert!(observed > 0 || !only.is_empty(), "there are wires");
    assert!(changed.is_empty(), "STAGEWRIGHT_SEED={seed}:\n{}", changed.join("\n"));
}

#[test]
fn observing_a_wire_changes_no_state() {
    every_other_graph(0);
}

#[test]
fn observing_a_wire_changes_no_state_of_other_graphs() {
    every_other_graph(1);
}

/// By hand: memory that each graph takes in a frame more, over 800 frames; those whose frames take long are left out.
#[test]
#[ignore = "takes minutes"]
fn long_runs_take_no_more_memory() {
    let resident = || {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        4096 * pages.split_whitespace().nth(1).unwrap().parse::<i64>().unwrap()
    };
    let only = std::env::var("STAGEWRIGHT_GRAPH").unwrap_or_default();
    let mut grown = Vec::new();
    for ShippedGraph { name, document, library, folder } in all_graphs(24.0) {
        if !name.contains(&only) {
            continue;
        }
        let graph = Graph::build(&document, &library).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (size, tuning) = (Some((32, 32)), gpu().tuning());
        let options = PlanOptions { size, folder, tuning, ..PlanOptions::default() };
        let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
        let mut run = |frames: u64| {
            let began = std::time::Instant::now();
            for frame in 0..frames {
                let input = sim.recorded_input();
                sim.step(&input).unwrap_or_else(|e| panic!("{name}: {e}"));
                if frame == 20 && began.elapsed().as_secs() > 3 {
                    return None;
                }
            }
            sim.image(None).ok();
            Some(resident())
        };
        let Some((before, after)) = run(200).and_then(|before| Some((before, run(800)?))) else {
            println!("{name}: its frames take too long");
            continue;
        };
        let each = (after - before) as f64 / 800.0;
        println!("{name}: {each:.0} bytes a frame");
        if each > 1000.0 {
            grown.push((name, each));
        }
    }
    assert!(grown.is_empty(), "{grown:?}");
}
