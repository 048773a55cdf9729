//! GPU memory that runs out at every allocation in turn: what was asked for fails with a sentence, and what runs continues.

use stagewright_compiler::{Keep, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions, Profile};
use stagewright_runtime::sim::wire_view::{View, Viewer};
use stagewright_runtime::sim::{FrameInput, Simulation};

fn gpu() -> Gpu {
    Gpu::new(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn plan() -> Plan {
    let document = Document::parse(super::device::GRAPH).unwrap_or_else(|error| panic!("{error}"));
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|error| panic!("{error}"));
    Plan::compile(&graph, &PlanOptions { keep: Keep::All, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// Does a part of the work with the first, the second, .. allocation failing, until it needs no more than succeed. Returns how many
/// it makes.
fn in_turn(gpu: &Gpu, mut work: impl FnMut(u64)) -> u64 {
    for nth in 1..1_000 {
        gpu.fail_allocation(nth);
        work(nth);
        if gpu.has_allocation_to_fail() {
            gpu.fail_allocation(0);
            return nth - 1;
        }
        assert!(gpu.take_faults().is_empty(), "allocation {nth} is reported by nobody");
    }
    panic!("the work makes over 1,000 allocations");
}

#[test]
fn a_simulation_without_memory_says_so_and_the_next_one_starts() {
    let (gpu, plan) = (gpu(), plan());
    let made = in_turn(&gpu, |nth| match Simulation::new(&gpu, plan.clone()) {
        Ok(_) => assert!(gpu.has_allocation_to_fail(), "allocation {nth} failed in silence"),
        Err(problems) => assert!(problems.to_string().contains("memory"), "{problems}"),
    });
    println!("{made} allocations of a start");
    assert!(made as usize >= plan.buffers.len() + 2, "{made}");
    assert!(Simulation::new(&gpu, plan).is_ok());
}

#[test]
fn what_runs_continues_bit_by_bit_when_a_read_a_view_or_a_snapshot_gets_no_memory() {
    let (gpu, plan) = (gpu(), plan());
    let run = |disturbed: bool| {
        let mut simulation = Simulation::new(&gpu, plan.clone()).unwrap();
        simulation.set_profiling(Profile::Nodes);
        for _ in 0..3 {
            simulation.step(&FrameInput::default()).unwrap();
            if disturbed {
                disturb(&gpu, &mut simulation, &plan);
            }
        }
        (simulation.frame(), simulation.read("smoke").unwrap().words)
    };
    assert!(run(true) == run(false));
}

/// Everything that allocates beside the frames.
fn disturb(gpu: &Gpu, simulation: &mut Simulation, plan: &Plan) {
    let failed = |result: Result<(), String>, nth: u64| match result {
        Ok(()) => assert!(gpu.has_allocation_to_fail(), "allocation {nth} failed in silence"),
        Err(error) => assert!(error.contains("memory"), "{error}"),
    };
    let reads = in_turn(gpu, |nth| failed(simulation.read("spread.field").map(drop).map_err(|e| e.to_string()), nth));
    assert_eq!(reads, 1);
    in_turn(gpu, |nth| failed(simulation.image(None).map(drop).map_err(|e| e.to_string()), nth));
    let snapshots = in_turn(gpu, |nth| {
        let snapshot = simulation.snapshot().map(|reading| drop(reading.wait().unwrap()));
        failed(snapshot.map_err(|e| e.to_string()), nth);
    });
    assert_eq!(snapshots as usize, plan.states.len());
    in_turn(gpu, |nth| {
        let previewed = simulation.preview(&FrameInput::default());
        failed(previewed.map_err(|e| e.to_string()), nth);
    });
    in_turn(gpu, |nth| {
        let looked = Viewer::new(gpu).and_then(|mut viewer| {
            viewer.update(simulation, &View::new("spread.field"))?;
            viewer.wait();
            viewer
                .statistics()
                .map(drop)
                .ok_or_else(|| stagewright_base::problem::Problem::new("", "", "no statistics", ""))
        });
        failed(looked.map_err(|e| e.to_string()), nth);
    });
    simulation.set_profiling(Profile::Off);
    in_turn(gpu, |nth| {
        let replaced = simulation.replace(plan.clone());
        failed(replaced.map_err(|e| e.to_string()), nth);
    });
    // Flags of alarms are asked for again the next time.
    in_turn(gpu, |_| drop(simulation.warnings(true)));
    // Times are absent where there is no memory for them.
    in_turn(gpu, |_| {
        simulation.set_profiling(Profile::Off);
        simulation.set_profiling(Profile::Nodes);
    });
}
