//! Prefix sums and the counting sort: exact for every size around a workgroup's, and the same in every run.

use stagewright::graph::Graph;
use stagewright::library::Library;
use stagewright::plan::{Keep, Plan, PlanOptions, Tuning};
use stagewright::sim::Simulation;

use super::harness::*;
use super::killing::HASH;
use super::sets::*;

/// A graph as a GPU gets it, in fewer dispatches; it keeps a wire.
fn joined(nodes: &str, values: &[(&str, &str)], keep: &str) -> Simulation {
    let graph = Graph::build(&document(60.0, nodes, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let (keep, tuning) = (Keep::Wires(vec![keep.into()]), Tuning::gpu());
    let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() });
    Simulation::new(gpu(), plan.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"))
}

const SCAN: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "count": (custom: r#"//! Count
        //! @out count: Grid<u32>
        fn stage(cell: Cell) -> u32 {
            let row = cell.y * RESOLUTION.x + cell.x;
            return hash(u32($index)) % 1000u;
        }
        $hash"#),
    "start": (stage: "neighbors/start", inputs: {"count": "count.count"}),
"##;

#[test]
fn a_scan_is_the_sum_of_all_before() {
    let flat = "row";
    let deep = "cell.z * RESOLUTION.x * RESOLUTION.y + row";
    for (cells, count, index) in [
        ("1, 1", 1, flat),
        ("255, 1", 255, flat),
        ("256, 1", 256, flat),
        ("257, 1", 257, flat),
        ("1000, 1000", 1_000_000, flat),
        ("100, 100, 100", 1_000_000, deep),
    ] {
        let mut sim = start(60.0, SCAN, &[("$cells", cells), ("$index", index), ("$hash", HASH)]);
        step(&mut sim, 1);
        let mut sum = 0;
        let expected: Vec<u32> = (0..count)
            .map(|i| {
                let before = sum;
                sum += pcg(i) % 1000;
                before
            })
            .collect();
        let mut short = joined(SCAN, &[("$cells", cells), ("$index", index), ("$hash", HASH)], "start.start");
        let left = short.plan().still.len() + short.plan().frame.len();
        assert_eq!(left, 3, "cells, blocks and what lies before them: {}", short.plan().to_text());
        step(&mut short, 1);
        assert!(words(&short, "start.start") == words(&sim, "start.start"), "{cells}: in two dispatches the same");
        let wrong = words(&sim, "start.start").iter().zip(&expected).filter(|(a, b)| a != b).count();
        println!("scan of {cells} cells: {wrong} wrong, total {sum}");
        assert_eq!((words(&sim, "start.start").len(), wrong), (expected.len(), 0));
    }
}

/// Cells of 1/64 m, so that which cell holds a place is exact.
const SORT: &str = r##"
    "domain": (domain: (resolution: (64, 64, 32), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 200000),
    "sorted": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
    "listed": (stage: "neighbors/fill_list", on: "domain", inputs: {"particles": "set.value"}),
    "entries": (custom: r#"//! Entries
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{} -> {entry: u32}
        fn stage(particle: Particle) -> u32 { return neighbors_item(particle.index); }"#,
        on: "domain", inputs: {"neighbors": "listed.neighbors", "particles": "listed.particles"}),
"##;

const CELLS: [i64; 3] = [64, 64, 32];

fn cell(position: &[f32]) -> i64 {
    let along: Vec<i64> =
        (0..3).map(|a| ((f64::from(position[a]) * 64.0).floor() as i64).clamp(0, CELLS[a] - 1)).collect();
    (along[2] * CELLS[1] + along[1]) * CELLS[0] + along[0]
}

#[test]
fn the_counting_sort_is_a_stable_sort_by_cell() {
    let mut sim = start(60.0, SORT, &[]);
    for count in [0usize, 1, 255, 256, 257, 200_000] {
        // Some lie outside, and a third in a sixteenth of the cells.
        let spread = |i: usize, v: f32| if (i / 3).is_multiple_of(3) { 0.5 + 0.2 * v } else { 0.5 + 0.55 * v };
        let positions: Vec<f32> =
            random(3 * count, count as u32).iter().enumerate().map(|(i, v)| spread(i, *v)).collect();
        sim.reset();
        place(&mut sim, "set", &positions, &[], 3);
        step(&mut sim, 1);
        let mut expected: Vec<u32> = (0..count as u32).collect();
        expected.sort_by_key(|id| cell(&positions[3 * *id as usize..]));
        let ids = wholes(&sim, "sorted.particles", "id");
        assert!(ids == expected, "{count}: a stable sort by cell");
        let listed = wholes(&sim, "entries.particles", "entry");
        assert!(listed == expected, "{count}: the list names the same particles in the same order");
        assert_eq!(wholes(&sim, "listed.particles", "id"), (0..count as u32).collect::<Vec<_>>(), "which stay put");
        let moved = read(&sim, "sorted.particles.position");
        let kept = ids
            .iter()
            .enumerate()
            .all(|(k, id)| (0..3).all(|a| moved[3 * k + a] == f64::from(positions[3 * *id as usize + a])));
        assert!(kept, "{count}: attributes move with their particle");
        for _ in 0..2 {
            step(&mut sim, 1);
            assert!(wholes(&sim, "sorted.particles", "id") == ids, "{count}: the same in every run");
        }
        println!("{count} particles: sorted by cell, stable, the same in 3 runs");
    }
    assert!(sim.warnings(true).is_empty(), "nothing was cut short");
}

const HEAP: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 20000),
    "sorted": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
"##;

#[test]
fn a_cell_too_full_to_sort_loses_nobody_and_says_so() {
    let plain = start(60.0, HEAP, &[]);
    for mut sim in [plain, joined(HEAP, &[], "sorted.particles")] {
        overfilled(&mut sim);
    }
}

/// Whole numbers are reduced in one dispatch or in two.
fn overfilled(sim: &mut Simulation) {
    place(sim, "set", &vec![0.4; 40_000], &[], 2);
    step(sim, 1);
    let said = sim.warnings(true).to_string();
    println!("{said}");
    assert!(said.contains("order") && said.contains("16384"), "{said}");
    let mut ids = wholes(sim, "sorted.particles", "id");
    ids.sort_unstable();
    assert_eq!(ids, (0..20_000).collect::<Vec<_>>(), "each is there once");
}
