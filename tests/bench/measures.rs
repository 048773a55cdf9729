//! What `stagewright bench` measures.

use stagewright_runtime::bench;
use stagewright_runtime::gpu::copy_bandwidth;
use stagewright_solver_support::harness::gpu;

use super::cases::*;

#[test]
fn a_case_is_timed_node_by_node() {
    let document = case("b1", 32);
    let library = stagewright_language::library::Library::builtin();
    let (plan, compiled) = bench::compile(&document, library, &options(&document, &[], gpu().tuning())).unwrap();
    let cost = bench::measure(gpu(), plan).unwrap();
    println!("{cost:?}");
    assert!(0.0 < compiled.min && compiled.min <= compiled.median && compiled.median <= compiled.max);
    assert!(cost.steps >= 1 && cost.pipelines_ms > 0.0);
    for time in [cost.gpu_ms.expect("lavapipe has timestamps"), cost.wall_ms, cost.cpu_ms, cost.cpu_awake_ms] {
        assert!(0.0 < time.min && time.min <= time.median && time.median <= time.max, "{time:?}");
    }
    // They are of different steps, some of which a busy machine holds up.
    assert!(cost.cpu_ms.min <= cost.wall_ms.max);
    let sums = |value: fn(&bench::NodeCost) -> u64| cost.nodes.iter().map(value).sum::<u64>();
    assert_eq!((sums(|n| n.dispatches as u64), sums(|n| n.bytes)), (cost.dispatches as u64, cost.bytes));
    assert!(cost.nodes.iter().any(|n| n.node == "pressure" && n.ms > 0.0 && n.gb_s > 0.0));
}

/// The table of bytes that each stage of B1 and B2 must move, from the comparison with other programs.
#[test]
fn what_must_move_is_what_others_count() {
    for (name, size, cells, bytes) in [("b1", 64, 64 * 64, 620), ("b2", 16, 16 * 16 * 16, 620 + 20)] {
        let plan = ready(&case(name, size), &[]).plan().clone();
        let moved: u64 = plan.traffic().iter().sum::<u64>() / cells;
        println!("{name}: {moved} bytes a cell");
        // Two scalars of B2 are filled and carried on their own.
        assert!(moved <= bytes, "{name}: {moved} bytes a cell");
    }
}

#[test]
fn a_copy_is_faster_than_nothing_and_slower_than_light() {
    let bandwidth = copy_bandwidth(gpu()).unwrap();
    println!("{:.1} GB/s", bandwidth * 1e-9);
    assert!((1e8..1e14).contains(&bandwidth));
}
