//! Which shape of a stage's dispatches is fastest on a device: found out by running each of them, and kept in a book on disk.

mod book;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::gpu::{Gpu, Profile};
use crate::graph::{Graph, Kind};
use crate::plan::tuning::{self, Shape, Tuning};
use crate::plan::{Plan, PlanOptions};
use crate::problem::Problems;
use crate::sim::Simulation;

pub use book::Book;

/// An idle GPU clocks down: what runs before anything is believed, at first and before each shape.
const WARM: Duration = Duration::from_millis(300);
const WARM_AGAIN: Duration = Duration::from_millis(25);
/// Frames that a shape is timed over; the median counts.
const FRAMES: usize = 15;
/// Nodes below this part of a frame are left as they are.
const SHARE: f64 = 0.02;
/// A shape has to be this much faster than the one before it: less is noise.
const GAIN: f64 = 0.98;

/// Cells around the tiles that are tried, where a parameter says how far a stage looks.
const HALOS: [u32; 3] = [8, 4, 16];

/// What a node came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub node: String,
    pub shape: Shape,
    /// Its dispatches in the plain shape, and in the one that was chosen \[ms a frame\].
    pub plain_ms: f64,
    pub ms: f64,
}

/// Times the shapes of every node that takes a part of the frame worth the trouble and is not in the book yet, and enters the
/// fastest. `go_on` is asked between two shapes.
///
/// # Errors
/// Whatever keeps the graph itself from running; a shape that does not run is no choice.
pub fn tune(
    gpu: &Gpu,
    graph: &Graph,
    options: &PlanOptions,
    book: &mut Book,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Choice>, Problems> {
    let mut tuning = book.tuning(gpu);
    let compiled = |tuning: &Tuning| Plan::compile(graph, &PlanOptions { tuning: tuning.clone(), ..options.clone() });
    let plan = compiled(&tuning)?;
    let mut choices = Vec::new();
    for node in worth(gpu, &plan)? {
        let Some((key, candidates)) = candidates(gpu, graph, &node).filter(|(key, _)| !tuning.shapes.contains_key(key))
        else {
            continue;
        };
        let mut best: Option<(Shape, f64)> = None;
        let (mut plain_ms, mut tried) = (0.0, BTreeSet::new());
        for shape in candidates {
            if !go_on() {
                return Ok(choices);
            }
            let mut with = tuning.clone();
            with.shapes.insert(key.clone(), shape);
            let Ok(plan) = compiled(&with).map(|plan| plan.only(&node)) else { continue };
            // A shape that the stage can't take comes out as another one.
            if !tried.insert(format!("{:?}", plan.frame)) {
                continue;
            }
            let Some(ms) = time(gpu, plan) else { continue };
            if best.is_none() {
                plain_ms = ms;
            }
            if best.is_none_or(|(_, before)| ms < before * GAIN) {
                best = Some((shape, ms));
            }
        }
        if let Some((shape, ms)) = best {
            tuning.shapes.insert(key.clone(), shape);
            book.enter(gpu, key, shape);
            choices.push(Choice { node, shape, plain_ms, ms });
        }
    }
    Ok(choices)
}

/// Nodes by the time that they take, the longest first, without those that take next to nothing.
fn worth(gpu: &Gpu, plan: &Plan) -> Result<Vec<String>, Problems> {
    let mut simulation = Simulation::new(gpu, plan.clone())?;
    simulation.set_profiling(Profile::Nodes);
    let started = Instant::now();
    while started.elapsed() < WARM {
        let input = simulation.recorded_input();
        simulation.step(&input)?;
        gpu.wait();
    }
    let names: Vec<String> = simulation.times(true).unwrap_or_default().iter().map(|t| t.node.clone()).collect();
    let means = simulation.node_times().map(|recent| recent.means()).unwrap_or_default();
    let total: f64 = means.iter().sum();
    let mut nodes: Vec<(String, f64)> = names.into_iter().zip(means).filter(|(_, ms)| *ms > SHARE * total).collect();
    nodes.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(nodes.into_iter().map(|(node, _)| node).collect())
}

/// The key of a node and the shapes that it may take, the plain one first.
fn candidates(gpu: &Gpu, graph: &Graph, node: &str) -> Option<(String, Vec<Shape>)> {
    let node = graph.nodes.iter().find(|n| n.path == node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let dim = node.domain.and_then(|d| graph.domains.get(d))?.dim;
    let words = node.outputs.iter().map(|ty| ty.value().components(dim).next_power_of_two()).sum();
    let mut shapes = Shape::candidates(dim, words);
    if stage.looks_around(dim) {
        shapes.extend(HALOS.into_iter().flat_map(|halo| Shape::with_halo(dim, halo)));
    }
    shapes.retain(|shape| shape.group.iter().product::<u32>() <= gpu.widest_group());
    Some((tuning::key(graph, node, stage), shapes))
}

/// Median time of a frame \[ms\]; nothing where the device does not take the plan.
fn time(gpu: &Gpu, plan: Plan) -> Option<f64> {
    let mut simulation = Simulation::new(gpu, plan).ok()?;
    simulation.set_profiling(Profile::Frame);
    let (mut times, mut walls) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while times.len().max(walls.len()) < FRAMES {
        if begun.elapsed() < WARM_AGAIN {
            // As many as the queue takes: waiting for each would let the clock fall.
            for _ in 0..8 {
                let input = simulation.recorded_input();
                simulation.step(&input).ok()?;
            }
            gpu.wait();
            continue;
        }
        let started = Instant::now();
        let input = simulation.recorded_input();
        simulation.step(&input).ok()?;
        gpu.wait();
        walls.push(started.elapsed().as_secs_f64() * 1e3);
        times.extend(simulation.times(true).and_then(|times| times.first().map(|t| t.ms)));
    }
    // Without timestamps the clock on the wall has to do.
    let mut all = if times.is_empty() { walls } else { times };
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}
