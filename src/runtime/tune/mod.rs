//! Finds the fastest shape of a stage's dispatches on a device by timing each of them, and keeps it in a file.
//!
//! The node's dispatches are timed by themselves (`Plan::only`), in turn with those of the plain shape: while a GPU waits for the next
//! candidate to be compiled, its clock rate drops. The key of a measurement is the stage's text, its resolution and its iterations, not the
//! hash of the plan, which any edit would change. On a software adapter measuring is not worth it (`Gpu::is_worth_tuning`).

mod cache;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::gpu::{Gpu, Profile};
use crate::graph::{Graph, Kind};
use crate::plan::tuning::{self, Shape, Tuning};
use crate::plan::{Plan, PlanOptions};
use crate::problem::Problems;
use crate::sim::Simulation;
use crate::stage::IterationSource;

pub use cache::{TuningCache, cache_folder};

/// The options of a plan that is to run on a device: what was measured there before, and its memory.
pub fn on_device(gpu: &Gpu, options: PlanOptions) -> PlanOptions {
    PlanOptions { tuning: TuningCache::open().tuning(gpu), memory_budget: gpu.memory_budget(), ..options }
}

/// Warm-up time at the start and before each shape: an idle GPU runs at a lower clock rate.
const WARM: Duration = Duration::from_millis(300);
const WARM_AGAIN: Duration = Duration::from_millis(25);
/// Frames over which a shape is timed; the median counts.
const FRAMES: usize = 15;
/// Nodes with a smaller share of the frame are not tuned.
const SHARE: f64 = 0.02;
/// A shape has to be this much faster than the best one so far; a smaller difference is noise.
const GAIN: f64 = 0.98;

/// Halos that are tried where a parameter says how far a stage reads.
const HALOS: [u32; 3] = [8, 4, 16];

/// The result for a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Path of the node.
    pub node: String,
    /// The fastest shape.
    pub shape: Shape,
    /// GPU time of its dispatches in the plain shape, and in the chosen one \[ms a frame\].
    pub plain_ms: f64,
    /// GPU time in the chosen shape \[ms a frame\].
    pub ms: f64,
}

/// Times the shapes of every node that takes a relevant part of the frame and is not in the cache yet, and stores the
/// fastest. `go_on` is called between two shapes.
///
/// # Errors
/// All problems of the graph itself. A shape that cannot run is skipped.
pub fn tune(
    gpu: &Gpu,
    graph: &Graph,
    options: &PlanOptions,
    cache: &mut TuningCache,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Choice>, Problems> {
    let mut tuning = cache.tuning(gpu);
    let compiled = |tuning: &Tuning| Plan::compile(graph, &PlanOptions { tuning: tuning.clone(), ..options.clone() });
    let plan = compiled(&tuning)?;
    let mut choices = Vec::new();
    for node in worth(gpu, &plan)? {
        let Some((key, mut candidates)) =
            candidates(gpu, graph, &node).filter(|(key, _)| !tuning.shapes.contains_key(key))
        else {
            continue;
        };
        let usual = plan.frame.iter().find(|dispatch| dispatch.node == node).and_then(|dispatch| dispatch.shape);
        let usual = usual.map(|(shape, _)| shape).or(candidates.first().copied());
        let second = candidates.len().min(1);
        candidates.splice(second..second, usual);
        let mut timed: Vec<(Shape, f64)> = Vec::new();
        let mut tried = BTreeSet::new();
        // The plain shape is timed alternately with each other shape: a GPU is idle between shapes, so its clock rate
        // varies.
        let mut plain: Option<(Simulation, f64)> = None;
        for shape in candidates {
            if !go_on() {
                return Ok(choices);
            }
            let mut with = tuning.clone();
            with.shapes.insert(key.clone(), shape);
            let Ok(plan) = compiled(&with).map(|plan| plan.only(&node)) else { continue };
            // A shape that the stage does not support gives the same plan as another one.
            if !tried.insert(format!("{:?}", plan.frame)) {
                continue;
            }
            let Some(mut simulation) = ready(gpu, plan) else { continue };
            let ms = match &mut plain {
                None => {
                    let Some(ms) = alone(gpu, &mut simulation) else { continue };
                    plain = Some((simulation, ms));
                    ms
                }
                Some((plain, plain_ms)) => {
                    let Some(share) = share(gpu, &mut simulation, plain) else { continue };
                    share * *plain_ms
                }
            };
            timed.push((shape, ms));
        }
        let best = timed.iter().copied().reduce(|best, next| if next.1 < best.1 * GAIN { next } else { best });
        let usual = timed.iter().copied().find(|(shape, _)| Some(*shape) == usual);
        let whole = |(shape, _): (Shape, f64)| {
            let mut with = tuning.clone();
            with.shapes.insert(key.clone(), shape);
            ready(gpu, compiled(&with).ok()?)
        };
        // Nodes share dispatches: the fastest shape in isolation can be slower there, so the whole frame decides.
        let slower = |best, usual| Some(share(gpu, &mut whole(best)?, &mut whole(usual)?)? > 1.0);
        let best = match (best, usual) {
            (Some(best), Some(usual)) if best.0 != usual.0 && slower(best, usual) != Some(false) => Some(usual),
            _ => best,
        };
        if let (Some((shape, ms)), Some((_, plain_ms))) = (best, plain) {
            tuning.shapes.insert(key.clone(), shape);
            cache.enter(gpu, key, shape);
            // If the stage supports only the plain shape, there was no choice.
            if timed.len() > 1 {
                choices.push(Choice { node, shape, plain_ms, ms });
            }
        }
    }
    Ok(choices)
}

/// Nodes by GPU time, longest first, without those below [`SHARE`].
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

/// The key of a node and the shapes that it may take, plain one first. Only stages that run over cells have shapes.
fn candidates(gpu: &Gpu, graph: &Graph, node: &str) -> Option<(String, Vec<Shape>)> {
    let node = graph.nodes.iter().find(|n| n.path == node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    if stage.source() != IterationSource::Cells {
        return None;
    }
    let dim = node.domain.and_then(|d| graph.domains.get(d))?.dim;
    let words = node.outputs.iter().map(|ty| ty.value().components(dim).next_power_of_two()).sum();
    let mut shapes = Shape::candidates(dim, words);
    if stage.has_wide_footprint(dim) {
        let lockstep = stage.interleaves(dim);
        shapes.extend(HALOS.into_iter().flat_map(|halo| Shape::with_halo(dim, halo, lockstep)));
    }
    shapes.retain(|shape| shape.group.iter().product::<u32>() <= gpu.widest_group());
    Some((tuning::key(graph, node, stage), shapes))
}

/// A simulation with profiling switched on; `None` where the device cannot run the plan.
fn ready(gpu: &Gpu, plan: Plan) -> Option<Simulation> {
    let mut simulation = Simulation::new(gpu, plan).ok()?;
    simulation.set_profiling(Profile::Frame);
    Some(simulation)
}

/// Median time of a frame \[ms\].
fn alone(gpu: &Gpu, simulation: &mut Simulation) -> Option<f64> {
    warm(gpu, simulation, WARM)?;
    median((0..FRAMES).map(|_| frame(gpu, simulation)).collect::<Option<_>>()?)
}

/// Median time of a frame relative to that of another simulation, with frames of both alternating.
fn share(gpu: &Gpu, simulation: &mut Simulation, other: &mut Simulation) -> Option<f64> {
    let begun = Instant::now();
    while begun.elapsed() < WARM_AGAIN {
        warm(gpu, simulation, Duration::ZERO)?;
        warm(gpu, other, Duration::ZERO)?;
    }
    let (mut times, mut other_times) = (Vec::new(), Vec::new());
    for _ in 0..FRAMES {
        other_times.push(frame(gpu, other)?);
        times.push(frame(gpu, simulation)?);
    }
    Some(median(times)? / median(other_times)?.max(f64::MIN_POSITIVE))
}

fn median(mut all: Vec<f64>) -> Option<f64> {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// Keeps the device busy. Submits as many frames as the queue takes, since waiting for each would let the clock rate
/// fall.
fn warm(gpu: &Gpu, simulation: &mut Simulation, long: Duration) -> Option<()> {
    let begun = Instant::now();
    loop {
        for _ in 0..8 {
            let input = simulation.recorded_input();
            simulation.step(&input).ok()?;
        }
        gpu.wait();
        if begun.elapsed() >= long {
            break;
        }
    }
    simulation.times(true);
    Some(())
}

/// Time of a frame \[ms\], by the wall clock where there are no timestamps.
fn frame(gpu: &Gpu, simulation: &mut Simulation) -> Option<f64> {
    let started = Instant::now();
    let input = simulation.recorded_input();
    simulation.step(&input).ok()?;
    gpu.wait();
    let wall = started.elapsed().as_secs_f64() * 1e3;
    Some(simulation.times(true).and_then(|times| times.first().map(|t| t.ms)).unwrap_or(wall))
}
