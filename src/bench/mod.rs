//! How long a graph takes: GPU timestamps, the wall clock and the CPU's share, for the frame and for each node, beside the bytes
//! that have to move. The built-in [`cases`] do the work that other programs are compared by.

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

/// Times of each kind; their median is told.
const REPEATS: usize = 5;
/// An idle GPU clocks down: it works so long before anything counts.
const WARM: Duration = Duration::from_millis(300);
/// What a repeat takes at least \[s\], and how many steps it has at most.
const REPEAT: f64 = 0.02;
const MOST_STEPS: u32 = 1000;

/// Steps of a repeat that wait for one another, and the time between them.
const PACED: u32 = 30;
const BREATH: Duration = Duration::from_millis(2);

/// A time in milliseconds: the median of the repeats, the least and the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Time {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

/// What a node takes of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeCost {
    pub node: String,
    /// GPU time by timestamps between nodes, which cost some time themselves.
    pub ms: f64,
    pub dispatches: usize,
    /// What its dispatches must read and write ([`Plan::traffic`]).
    pub bytes: u64,
    pub gb_s: f64,
}

/// What a step takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    pub dispatches: usize,
    /// GPU memory of the plan \[bytes\].
    pub memory: u64,
    /// Making the pipelines: the driver's time, which its own cache may shorten.
    pub pipelines_ms: f64,
    /// Steps of a repeat.
    pub steps: u32,
    /// Between the timestamps before the first dispatch and behind the last; absent where the adapter has none.
    pub gpu_ms: Option<Time>,
    /// The clock on the wall, nothing timed on the GPU.
    pub wall_ms: Time,
    /// The call of a step whose predecessor has ended: uniforms, submitting. Its core has slept in between.
    pub cpu_ms: Time,
    /// The same on a core that stays awake.
    pub cpu_awake_ms: Time,
    /// Recording its commands, which a thread of its own has done by then.
    pub record_ms: Time,
    /// What the dispatches of a step must read and write ([`Plan::traffic`]).
    pub bytes: u64,
    /// The same a second of GPU time, or of wall clock where there are no timestamps \[GB/s\].
    pub gb_s: f64,
    /// In the order of the frame.
    pub nodes: Vec<NodeCost>,
}

/// Compiles a graph five times. Returns the plan, and the time from the document's text to it \[ms\], without any driver.
///
/// # Errors
/// Whatever is wrong with the graph.
pub fn compile(document: &Document, library: &Library, options: &PlanOptions) -> Result<(Plan, Time), Problems> {
    let text = document.to_text();
    let mut times = Vec::new();
    loop {
        // Else only the first would be whole.
        plan::forget_passed();
        let started = Instant::now();
        let read = Document::parse(&text);
        let graph = Graph::build(read.as_ref().unwrap_or(document), library)?;
        let plan = Plan::compile(&graph, options)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        if times.len() == REPEATS {
            return Ok((plan, Time::of(times)));
        }
    }
}

/// How a graph is compiled that is to be timed: with its States, and the wires that are named.
pub fn options(document: &Document, access: &Access, show: &[String]) -> PlanOptions {
    // What no Output needs is there for its States.
    let states = document.nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::State(_)));
    let kept = states.map(|(name, _)| format!("{name}.value")).chain(show.iter().cloned());
    let Access { folder, anywhere } = access.clone();
    PlanOptions { keep: Keep::Wires(kept.collect()), folder, allow_files: anywhere, ..PlanOptions::default() }
}

/// Scales all domains of a graph alike, so that the longest side of the finest has `size` cells.
///
/// # Errors
/// Whatever is wrong with the graph.
pub fn scale(document: &mut Document, library: &Library, size: u32) -> Result<(), Problems> {
    // Resolutions may be expressions; the graph has worked them out.
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
/// What the adapter lacks, shaders that it refuses, a device that is lost.
pub fn measure(gpu: &Gpu, plan: Plan) -> Result<Cost, Problems> {
    measure_while(gpu, plan, &mut |_| true)
}

/// The same, as long as `go_on` says yes while the driver compiles shaders.
///
/// # Errors
/// As [`measure`]; or the node whose shader was being compiled when `go_on` said no.
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
        // The first of it are not like the others: queries are made.
        repeat(&mut simulation, steps, Pace::None)?;
        let repeats = (0..REPEATS).map(|_| repeat(&mut simulation, steps, Pace::None));
        let repeats = repeats.collect::<Result<Vec<Repeat>, Problems>>()?;
        let Some(names) = simulation.times(true) else { return Ok(Vec::new()) };
        let times = names.iter().enumerate().map(|(column, time)| {
            let means = repeats.iter().filter_map(|r| r.times.get(column).copied());
            (time.node.clone(), Time::of(means.collect()))
        });
        Ok(times.collect())
    };
    let gpu_ms = timed(Profile::Frame)?.pop().map(|(_, time)| time);
    let nodes = timed(Profile::Nodes)?;
    let wall_ms = Time::of(walls.iter().map(|r| r.wall).collect());
    let plan = simulation.plan();
    let total: u64 = bytes.iter().sum();
    let nodes = nodes.into_iter().map(|(node, time)| {
        let own = plan.frame.iter().zip(&bytes).filter(|(dispatch, _)| dispatch.node == node);
        let (dispatches, bytes) = own.fold((0, 0), |(count, sum), (_, bytes)| (count + 1, sum + bytes));
        NodeCost { ms: time.median, dispatches, bytes, gb_s: gb_s(bytes, time.median), node }
    });
    Ok(Cost {
        dispatches: plan.frame.len(),
        memory: plan.memory,
        pipelines_ms,
        steps,
        gpu_ms,
        wall_ms,
        cpu_ms: Time::of(asleep.iter().map(|r| r.cpu).collect()),
        cpu_awake_ms: Time::of(awake.iter().map(|r| r.cpu).collect()),
        record_ms: Time::of(asleep.iter().map(|r| r.record).collect()),
        bytes: total,
        gb_s: gb_s(total, gpu_ms.unwrap_or(wall_ms).median),
        nodes: nodes.collect(),
    })
}

/// The first component of each wire that is shown, in the first `frames` frames.
///
/// # Errors
/// As [`measure`], and a wire that is not there.
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

/// Keeps the GPU busy until its clocks are up. Returns how many steps make a repeat.
fn warm_up(simulation: &mut Simulation) -> Result<u32, Problems> {
    // What runs once, and the driver's own first time.
    repeat(simulation, 1, Pace::None)?;
    let (started, mut steps) = (Instant::now(), 1);
    loop {
        let seconds = repeat(simulation, steps, Pace::None)?.wall * 1e-3 * f64::from(steps);
        if seconds < REPEAT && steps < MOST_STEPS {
            let wanted = (f64::from(steps) * 1.2 * REPEAT / seconds.max(1e-6)).ceil();
            steps = (wanted as u32).clamp(steps + 1, MOST_STEPS);
        } else if started.elapsed() >= WARM {
            return Ok(steps);
        }
    }
}

/// Some steps, their times a step \[ms\].
struct Repeat {
    wall: f64,
    cpu: f64,
    record: f64,
    /// Means over the steps whose timestamps arrived, in the order of [`Simulation::times`].
    times: Vec<f64>,
}

/// What is done between steps.
#[derive(Clone, Copy, PartialEq)]
enum Pace {
    /// Nothing.
    None,
    /// The GPU ends, and the core sleeps until the next step, as in a program that draws every frame.
    Asleep,
    /// The GPU ends, and the core is busy with something else until then.
    Awake,
}

fn repeat(simulation: &mut Simulation, steps: u32, pace: Pace) -> Result<Repeat, Problems> {
    let gpu = simulation.gpu().clone();
    let before = simulation.node_times().map_or(0, |recent| recent.frames());
    gpu.wait();
    let (started, mut cpu, mut record) = (Instant::now(), 0.0, 0.0);
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

/// Means of the columns. Rows that are forgotten already are empty.
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
    fn of(mut values: Vec<f64>) -> Time {
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
        let time = Time::of(vec![3.0, 1.0, 9.0, 2.0, 4.0]);
        assert_eq!(time, Time { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(Time::of(Vec::new()), Time::default());
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
