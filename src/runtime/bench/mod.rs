//! Measures how long a graph takes: GPU timestamps, wall-clock time and CPU time, for the frame and for each node,
//! together with the minimum memory traffic. The built-in [`cases`] are comparable with other programs.

pub mod cases;
mod states;

use crate::files::Access;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::document::{Document, NodeKind, ParamValue};
use crate::gpu::{Gpu, Making, Profile};
use crate::graph::Graph;
use crate::library::Library;
use crate::plan::{self, Keep, Plan, PlanOptions};
use crate::problem::Problems;
use crate::sim::Simulation;

pub use states::{Difference, compare, dump};

/// Repeats of each measurement; the median is reported.
const REPEATS: usize = 5;
/// Warm-up time before anything is measured: an idle GPU runs at a lower clock rate.
const WARM: Duration = Duration::from_millis(300);
/// Minimum time of a repeat \[s\], and its maximum number of steps.
const REPEAT: f64 = 0.02;
const MAX_STEPS: u32 = 1000;

/// Steps of a repeat in which each waits for the one before, and the pause between them.
const PACED: u32 = 30;
const BREATH: Duration = Duration::from_millis(2);

/// A time in milliseconds: median, minimum and maximum of the repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Time {
    /// \[ms\]
    pub median: f64,
    /// \[ms\]
    pub min: f64,
    /// \[ms\]
    pub max: f64,
}

/// The part of a node in a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeCost {
    /// Path of the node.
    pub node: String,
    /// GPU time, by timestamps between nodes, which take some time themselves.
    pub ms: f64,
    /// Dispatches in one step.
    pub dispatches: usize,
    /// Bytes that its dispatches must read and write ([`Plan::traffic`]).
    pub bytes: u64,
    /// Memory throughput: `bytes` in `ms` \[GB/s\].
    pub gb_s: f64,
}

/// The cost of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Dispatches in one step.
    pub dispatches: usize,
    /// GPU memory of the plan \[bytes\].
    pub memory: u64,
    /// Time to make the pipelines: mostly the driver's, whose own cache may shorten it.
    pub pipelines_ms: f64,
    /// Steps in one repeat.
    pub steps: u32,
    /// GPU time from before the first dispatch until after the last; `None` where the adapter has no timestamps.
    pub gpu_ms: Option<Time>,
    /// Wall-clock time, without timestamps on the GPU.
    pub wall_ms: Time,
    /// CPU time of a step after the previous one has ended: uniforms and submission. The core has been idle in between.
    pub cpu_ms: Time,
    /// CPU time of a step on a core that stays busy.
    pub cpu_awake_ms: Time,
    /// Recording the commands, which a separate thread has done before the step.
    pub record_ms: Time,
    /// Bytes that the dispatches of a step must read and write ([`Plan::traffic`]).
    pub bytes: u64,
    /// [`Cost::bytes`] per second of GPU time, or of wall-clock time where there are no timestamps \[GB/s\].
    pub gb_s: f64,
    /// Costs of nodes in the order of the frame.
    pub nodes: Vec<NodeCost>,
}

/// Compiles a graph five times. Returns the plan, and the time from the document's text to the plan \[ms\], without the
/// driver.
///
/// # Errors
/// All problems of the graph.
pub fn compile(document: &Document, library: &Library, options: &PlanOptions) -> Result<(Plan, Time), Problems> {
    let text = document.to_text();
    let mut times = Vec::new();
    loop {
        // Otherwise only the first compilation would be a complete one.
        plan::forget_passed();
        let started = Instant::now();
        let read = Document::parse(&text);
        let graph = Graph::build(read.as_ref().unwrap_or(document), library)?;
        let plan = Plan::compile(&graph, options)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        if times.len() == REPEATS {
            return Ok((plan, Time::from_samples(times)));
        }
    }
}

/// The options to compile a graph for timing: with all States, and the wires in `show`.
pub fn options(document: &Document, access: &Access, show: &[String]) -> PlanOptions {
    // States are also computed where no Output needs them.
    let states = document.nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::State(_)));
    let kept = states.map(|(name, _)| format!("{name}.value")).chain(show.iter().cloned());
    let Access { folder, anywhere } = access.clone();
    PlanOptions { keep: Keep::Wires(kept.collect()), folder, allow_files: anywhere, ..PlanOptions::default() }
}

/// Scales all domains of a graph by the same factor, so that the longest side of the finest has `size` cells.
///
/// # Errors
/// All problems of the graph.
pub fn scale(document: &mut Document, library: &Library, size: u32) -> Result<(), Problems> {
    // Resolutions may be expressions; the graph holds their values.
    let domains = Graph::build(document, library)?.domains;
    let finest = domains.iter().filter(|d| !d.derived()).flat_map(|d| d.resolution).max().unwrap_or(1).max(1);
    for domain in domains {
        if let Some(NodeKind::Domain(scaled)) = document.node_mut(&domain.name).map(|node| &mut node.kind) {
            let cells = domain.resolution.iter().map(|n| (u64::from(*n) * u64::from(size) / u64::from(finest)).max(1));
            let cells = cells.take(domain.dim as usize).map(|n| ParamValue::Number(n as f64));
            scaled.resolution = cells.collect();
        }
    }
    Ok(())
}

/// Times a plan on a device.
///
/// # Errors
/// What the adapter lacks, shaders that the driver rejects, a lost device.
pub fn measure(gpu: &Gpu, plan: Plan) -> Result<Cost, Problems> {
    measure_while(gpu, plan, &mut |_| true)
}

/// Times a plan on a device, for as long as `go_on` returns true while the driver compiles shaders.
///
/// # Errors
/// As [`measure`]; or the node whose shader was being compiled when `go_on` returned false.
pub fn measure_while(gpu: &Gpu, plan: Plan, go_on: &mut dyn FnMut(&Making) -> bool) -> Result<Cost, Problems> {
    let started = Instant::now();
    gpu.prepare_while(&plan, go_on)?;
    let pipelines_ms = started.elapsed().as_secs_f64() * 1e3;
    let bytes = plan.traffic();
    let mut simulation = Simulation::new(gpu, plan)?;
    let steps = warm_up(&mut simulation)?;
    let mut repeats = |steps, pace| -> Result<Vec<Repeat>, Problems> {
        (0..REPEATS).map(|_| repeat(&mut simulation, steps, pace)).collect()
    };
    let walls = repeats(steps, Pace::None)?;
    let [asleep, awake] = [Pace::Asleep, Pace::Awake].map(|pace| repeats(steps.min(PACED), pace));
    let (asleep, awake) = (asleep?, awake?);
    let mut timed = |profile| -> Result<Vec<(String, Time)>, Problems> {
        simulation.set_profiling(profile);
        // The first repeat is different, since it creates the queries.
        repeat(&mut simulation, steps, Pace::None)?;
        let repeats = (0..REPEATS).map(|_| repeat(&mut simulation, steps, Pace::None));
        let repeats = repeats.collect::<Result<Vec<Repeat>, Problems>>()?;
        let Some(names) = simulation.times(true) else { return Ok(Vec::new()) };
        let times = names.iter().enumerate().map(|(column, time)| {
            let means = repeats.iter().filter_map(|r| r.times.get(column).copied());
            (time.node.clone(), Time::from_samples(means.collect()))
        });
        Ok(times.collect())
    };
    let gpu_ms = timed(Profile::Frame)?.pop().map(|(_, time)| time);
    let nodes = timed(Profile::Nodes)?;
    let wall_ms = Time::from_samples(walls.iter().map(|r| r.wall).collect());
    let plan = simulation.plan();
    let total: u64 = bytes.iter().sum();
    let nodes = nodes.into_iter().map(|(node, time)| {
        let timed_dispatches = plan.frame.iter().zip(&bytes).filter(|(dispatch, _)| dispatch.node == node);
        let (dispatches, bytes) = timed_dispatches.fold((0, 0), |(count, sum), (_, bytes)| (count + 1, sum + bytes));
        NodeCost { ms: time.median, dispatches, bytes, gb_s: gb_s(bytes, time.median), node }
    });
    Ok(Cost {
        dispatches: plan.frame.len(),
        memory: plan.memory,
        pipelines_ms,
        steps,
        gpu_ms,
        wall_ms,
        cpu_ms: Time::from_samples(asleep.iter().map(|r| r.cpu).collect()),
        cpu_awake_ms: Time::from_samples(awake.iter().map(|r| r.cpu).collect()),
        record_ms: Time::from_samples(asleep.iter().map(|r| r.record).collect()),
        bytes: total,
        gb_s: gb_s(total, gpu_ms.unwrap_or(wall_ms).median),
        nodes: nodes.collect(),
    })
}

/// The first component of each of these wires, in the first `frames` frames.
///
/// # Errors
/// As [`measure`]; a wire that does not exist.
pub fn watch(
    gpu: &Gpu,
    plan: Plan,
    show: &BTreeSet<String>,
    frames: u32,
) -> Result<BTreeMap<String, Vec<f64>>, Problems> {
    let mut simulation = Simulation::new(gpu, plan)?;
    let mut seen: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..frames {
        let input = simulation.recorded_input();
        simulation.step(&input)?;
        for wire in show {
            let value = simulation.read(wire)?.data.first().copied().unwrap_or(f32::NAN);
            seen.entry(wire.clone()).or_default().push(f64::from(value));
        }
    }
    Ok(seen)
}

/// Keeps the GPU busy until its clock rate is up. Returns the number of steps for a repeat.
fn warm_up(simulation: &mut Simulation) -> Result<u32, Problems> {
    // Includes what runs only once, and the driver's own initialisation.
    repeat(simulation, 1, Pace::None)?;
    let (started, mut steps) = (Instant::now(), 1);
    loop {
        let seconds = repeat(simulation, steps, Pace::None)?.wall * 1e-3 * f64::from(steps);
        if seconds < REPEAT && steps < MAX_STEPS {
            let wanted = (f64::from(steps) * 1.2 * REPEAT / seconds.max(1e-6)).ceil();
            steps = (wanted as u32).clamp(steps + 1, MAX_STEPS);
        } else if started.elapsed() >= WARM {
            return Ok(steps);
        }
    }
}

/// Some steps, with their times per step \[ms\].
struct Repeat {
    wall: f64,
    cpu: f64,
    record: f64,
    /// Means over the steps whose timestamps have arrived, in the order of [`Simulation::times`].
    times: Vec<f64>,
}

/// What happens between steps.
#[derive(Clone, Copy, PartialEq)]
enum Pace {
    /// Nothing.
    None,
    /// Waits for the GPU, then the core sleeps until the next step, as in a program that draws every frame.
    Asleep,
    /// Waits for the GPU, and the core does other work until the next step.
    Awake,
}

fn repeat(simulation: &mut Simulation, steps: u32, pace: Pace) -> Result<Repeat, Problems> {
    let gpu = simulation.gpu().clone();
    let before = simulation.node_times().map_or(0, |recent| recent.frames());
    gpu.wait();
    let started = Instant::now();
    let mut cpu = 0.0;
    let mut record = 0.0;
    for _ in 0..steps {
        let input = simulation.recorded_input();
        let step = Instant::now();
        simulation.step(&input)?;
        cpu += step.elapsed().as_secs_f64();
        record += simulation.recording().as_secs_f64();
        if pace != Pace::None {
            gpu.wait();
        }
        let ended = Instant::now();
        match pace {
            Pace::None => {}
            Pace::Asleep => std::thread::sleep(BREATH),
            Pace::Awake => while ended.elapsed() < BREATH {},
        }
    }
    gpu.wait();
    let wall = started.elapsed().as_secs_f64();
    simulation.times(true);
    let rows = simulation.node_times().map(|recent| (before..recent.frames()).map(|frame| recent.row(frame)));
    let ms = 1e3 / f64::from(steps);
    Ok(Repeat { wall: wall * ms, cpu: cpu * ms, record: record * ms, times: means(rows.into_iter().flatten()) })
}

/// Means of the columns. Rows that are no longer kept are empty.
fn means<'a>(rows: impl Iterator<Item = &'a [f32]>) -> Vec<f64> {
    let (mut sums, mut count) = (Vec::new(), 0.0);
    for row in rows.filter(|row| !row.is_empty()) {
        sums.resize(row.len(), 0.0);
        sums.iter_mut().zip(row).for_each(|(sum, ms)| *sum += f64::from(*ms));
        count += 1.0;
    }
    sums.into_iter().map(|sum| sum / count).collect()
}

fn gb_s(bytes: u64, ms: f64) -> f64 {
    if ms > 0.0 { bytes as f64 / ms * 1e-6 } else { 0.0 }
}

impl Time {
    fn from_samples(mut values: Vec<f64>) -> Time {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or_default();
        Time { median: at(values.len() / 2), min: at(0), max: at(values.len().saturating_sub(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_the_median_with_its_extremes() {
        let time = Time::from_samples(vec![3.0, 1.0, 9.0, 2.0, 4.0]);
        assert_eq!(time, Time { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(Time::from_samples(Vec::new()), Time::default());
        assert_eq!(gb_s(2_000_000, 1.0), 2.0);
    }

    #[test]
    fn rows_that_are_forgotten_do_not_count() {
        let rows: [&[f32]; 3] = [&[], &[1.0, 10.0], &[3.0, 20.0]];
        assert_eq!(means(rows.into_iter()), [2.0, 15.0]);
    }

    #[test]
    fn scaling_keeps_proportions() {
        let nodes = r#"(version: 1, nodes: {
            "n": (number: 8), "a": (domain: (resolution: ("2 * n", "n"), width: 1, edge: "wall")),
            "b": (domain: (resolution: (4, 2, 1), width: 1, edge: "wall")),
        })"#;
        let mut document = Document::parse(nodes).unwrap();
        scale(&mut document, Library::builtin(), 64).unwrap();
        let domains = Graph::build(&document, Library::builtin()).unwrap().domains;
        let cells: Vec<[u32; 3]> = domains.iter().map(|d| d.resolution).collect();
        assert_eq!(cells, [[64, 32, 1], [16, 8, 4]]);
    }
}
