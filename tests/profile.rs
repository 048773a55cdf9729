//! GPU times of nodes and dispatches, on whatever adapter there is.

use std::sync::OnceLock;
use std::time::Instant;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions, List, Profile};
use stagewright_runtime::sim::{FrameInput, Simulation};

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new(&GpuOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

/// A State that a node advances so many times a frame, with a source that is computed once.
fn counter(iterations: u32) -> Simulation {
    let nodes = format!(
        r#""domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
        "s": (state: "Grid<f32>", inputs: {{"next": "c.x"}}),
        "ones": (custom: "//! Ones\n//! @out y: Grid<f32>\n//! @param value: f32 = 1\nfn stage(cell: Cell) -> f32 {{ return params.value; }}", on: "domain"),
        "c": (custom: "//! Add\n//! @in y: Grid<f32>\n//! @inout x: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return x(cell) + y(cell); }}", inputs: {{"x": "s.value", "y": "ones.y"}}, iterations: {iterations}),
        "look": (stage: "view/color_map", inputs: {{"field": "c.x"}}), "screen": (output: (), inputs: {{"image": "look.image"}}),"#
    );
    let document = Document::parse(&format!("(version: 1, nodes: {{ {nodes} }})")).unwrap();
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
    let plan = Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|p| panic!("{p}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|p| panic!("{p}"))
}

fn step(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        simulation.step(&FrameInput::default()).unwrap_or_else(|p| panic!("{p}"));
        gpu().wait();
    }
}

/// Whether the adapter has timestamps; where it has none, nothing here can be measured.
fn times(simulation: &mut Simulation) -> bool {
    let there = simulation.times(true).is_some();
    if !there {
        println!("{} has no timestamps", gpu().name());
    }
    there
}

/// Two timestamps, whatever the number of dispatches; between them lies what the wall clock waits for.
#[test]
fn a_frame_is_timed_as_a_whole() {
    let mut simulation = counter(40);
    simulation.set_profiling(Profile::Frame);
    let started = Instant::now();
    step(&mut simulation, 20);
    let wall = started.elapsed().as_secs_f64() * 1e3 / 20.0;
    if !times(&mut simulation) {
        return;
    }
    let whole = simulation.times(true).unwrap().to_vec();
    assert!(whole.len() == 1 && whole[0].node.is_empty() && whole[0].ms > 0.0, "{whole:?}");
    let recent = simulation.node_times().unwrap();
    assert_eq!((recent.width(), recent.frames()), (1, 20), "no frame is left out");
    let plan = simulation.plan();
    let once = plan.reset.len() + plan.invariant.len();
    assert!(
        simulation.engine().queries() <= 2 + once + 2,
        "two for the frame, one for each that runs once and one behind"
    );
    println!("{:?}; {wall:.4} ms a step by the wall clock", recent.spread(0));
    assert!(recent.spread(0).mean < wall, "the GPU can't take longer than it was waited for");
}

#[test]
fn the_dispatches_of_a_frame_take_what_the_frame_takes() {
    let mut simulation = counter(40);
    simulation.set_profiling(Profile::Dispatches);
    let started = Instant::now();
    step(&mut simulation, 20);
    let wall = started.elapsed().as_secs_f64() * 1e3 / 20.0;
    if !times(&mut simulation) {
        return;
    }
    let nodes: f64 = simulation.times(true).unwrap().iter().map(|t| t.ms).sum();
    let dispatches = simulation.dispatch_times(List::Frame).unwrap().clone();
    assert_eq!((dispatches.width(), dispatches.frames()), (simulation.plan().frame.len(), 20), "no frame is left out");
    let last = dispatches.last();
    let sum: f64 = last.iter().map(|ms| f64::from(*ms)).sum();
    assert!(last.iter().all(|ms| ms.is_finite() && *ms >= 0.0) && sum > 0.0, "{last:?}");
    assert!((sum - nodes).abs() <= 1e-5 * sum, "{sum} ms by dispatches, {nodes} by nodes");
    let spread = dispatches.sum(0..dispatches.width());
    println!("{sum:.4} ms in the last frame; {spread:?}; {wall:.4} ms a step by the wall clock");
    assert!(spread.min <= spread.mean && spread.mean <= spread.max);
    assert!(spread.mean < wall, "the GPU can't take longer than it was waited for");
    // The counter is all but two of the dispatches, and the nodes' own times agree.
    simulation.set_profiling(Profile::Nodes);
    step(&mut simulation, 20);
    let by_node = simulation.node_times().unwrap();
    let coarse = by_node.sum(0..by_node.width());
    println!("by nodes: {coarse:?}");
    assert!(
        coarse.min < spread.max && spread.min < coarse.max * 4.0,
        "the same work, whatever the number of timestamps"
    );
    assert!(simulation.dispatch_times(List::Frame).is_none(), "nodes only");
}

#[test]
fn more_dispatches_than_a_query_set_holds_are_timed() {
    let mut simulation = counter(5000);
    assert!(simulation.plan().frame.len() > 4096);
    simulation.set_profiling(Profile::Dispatches);
    step(&mut simulation, 2);
    if !times(&mut simulation) {
        return;
    }
    let last = simulation.dispatch_times(List::Frame).unwrap().last().to_vec();
    let timed = last.iter().filter(|ms| **ms > 0.0).count();
    println!(
        "{} dispatches, {timed} of them took measurable time, {} queries",
        last.len(),
        simulation.engine().queries()
    );
    assert_eq!(last.len(), simulation.plan().frame.len());
    // The one that begins in the first set and ends in the second is timed like the others: the clock is the same.
    let sum: f32 = last.iter().sum();
    assert!(last[4095] < 0.5 * sum && last[4096..].iter().any(|ms| *ms > 0.0), "{} of {sum} ms", last[4095]);
    assert!(sum < 10_000.0, "{sum} ms");
}

/// Prints what a timestamp costs; the least of several frames, for other programs take their share of the machine.
#[test]
fn timestamps_cost_little() {
    let mut simulation = counter(2000);
    let profiles = [Profile::Off, Profile::Nodes, Profile::Dispatches];
    let mut least = [f64::INFINITY; 3];
    for _ in 0..6 {
        for (profile, least) in profiles.into_iter().zip(&mut least) {
            simulation.set_profiling(profile);
            for _ in 0..3 {
                let started = Instant::now();
                step(&mut simulation, 1);
                *least = least.min(started.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let [off, nodes, dispatches] = least;
    let count = simulation.plan().frame.len() as f64;
    println!(
        "{count} dispatches: {off:.2} ms a step, {nodes:.2} with nodes timed, {dispatches:.2} with every dispatch timed, \
         {:.2} us a timestamp",
        (dispatches - off) * 1e3 / count
    );
    // The kernels here do next to nothing, so this is the most that timing may weigh.
    assert!(dispatches < 10.0 * off, "{dispatches} ms, and {off} ms without");
}

#[test]
fn without_a_profile_there_are_no_queries() {
    let mut simulation = counter(3);
    step(&mut simulation, 3);
    assert_eq!(simulation.engine().queries(), 0);
    assert!(simulation.times(true).is_none_or(<[_]>::is_empty));
    simulation.set_profiling(Profile::Dispatches);
    step(&mut simulation, 1);
    if times(&mut simulation) {
        // One in front of each, and one behind each list.
        let plan = simulation.plan();
        let lists = [&plan.reset, &plan.invariant, &plan.frame];
        assert_eq!(simulation.engine().queries(), lists.iter().map(|list| list.len() + 1).sum::<usize>());
    }
    simulation.set_profiling(Profile::Off);
    step(&mut simulation, 1);
    assert_eq!(simulation.engine().queries(), 0);
}

#[test]
fn what_runs_once_is_timed_when_it_runs() {
    let mut simulation = counter(3);
    assert!(!simulation.plan().invariant.is_empty() && !simulation.plan().reset.is_empty());
    simulation.set_profiling(Profile::Nodes);
    step(&mut simulation, 3);
    if !times(&mut simulation) {
        return;
    }
    let runs = |simulation: &Simulation, list| simulation.dispatch_times(list).map_or(0, |times| times.frames());
    assert_eq!((runs(&simulation, List::Reset), runs(&simulation, List::Invariant)), (1, 1));
    simulation.set_param("ones.value", stagewright_language::document::ParamValue::Number(2.0)).unwrap();
    step(&mut simulation, 2);
    simulation.set_profiling(Profile::Dispatches);
    assert_eq!((runs(&simulation, List::Reset), runs(&simulation, List::Invariant)), (1, 2), "known from before");
    simulation.reset();
    step(&mut simulation, 1);
    simulation.times(true);
    assert_eq!((runs(&simulation, List::Reset), runs(&simulation, List::Invariant)), (2, 3));
    assert_eq!(simulation.dispatch_times(List::Invariant).unwrap().width(), simulation.plan().invariant.len());
    assert!(simulation.cpu_times().spread(0).mean > 0.0);
}
