//! Prefix sums and the counting sort: exact for every size around a workgroup's, and the same in every run.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::killing::HASH;
use super::sets::*;

/// A graph as a GPU gets it, in fewer dispatches; it keeps a wire.
fn joined(nodes: &str, values: &[(&str, &str)], keep: &str) -> Simulation {
    joined_by(nodes, values, keep, Tuning::gpu())
}

fn joined_by(nodes: &str, values: &[(&str, &str)], keep: &str, tuning: Tuning) -> Simulation {
    let graph = Graph::build(&document(60.0, nodes, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let keep = Keep::Wires(vec![keep.into()]);
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
        let left = short.plan().invariant.len() + short.plan().frame.len();
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

/// Quarters of cells along x, cells along y and z, and how many of them a metre takes.
const CELLS: [(i64, f64); 3] = [(256, 256.0), (64, 64.0), (32, 64.0)];

fn cell(position: &[f32]) -> i64 {
    let along = |a: usize| ((f64::from(position[a]) * CELLS[a].1).floor() as i64).clamp(0, CELLS[a].0 - 1);
    (along(2) * CELLS[1].0 + along(1)) * CELLS[0].0 + along(0)
}

#[test]
fn the_counting_sort_is_a_stable_sort_by_quarters_of_cells() {
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
        assert!(ids == expected, "{count}: a stable sort by quarters of cells");
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
        println!("{count} particles: sorted by quarters, stable, the same in 3 runs");
    }
    assert!(sim.warnings(true).is_empty(), "nothing was cut short");
}

#[test]
fn a_sort_moves_its_particles_in_the_dispatch_that_sorts_them() {
    let nodes = SORT.replace(r#""listed": (stage"#, r#""no": (stage"#);
    let nodes = nodes.split(r#"    "no":"#).next().unwrap_or_default();
    let tuning = Tuning { buffers: 16, ..Tuning::gpu() };
    let (mut short, mut plain) = (joined_by(nodes, &[], "sorted.particles", tuning), start(60.0, nodes, &[]));
    let text = short.plan().to_text();
    let line = text.lines().find(|line| line.contains("sorted/reorder  [")).unwrap_or_else(|| panic!("{text}"));
    for part in ["particles.id<b", "particles.id>b", "particles.position<b", "particles.position>b"] {
        assert!(line.contains(part), "{line}");
    }
    assert!(!text.contains("[scatter]") && !text.contains(".index"), "{text}");
    for count in [0usize, 1, 257, 20_000] {
        let positions: Vec<f32> = random(3 * count, count as u32).iter().map(|v| 0.5 + 0.1 * v).collect();
        let sorted = [&mut short, &mut plain].map(|sim| {
            sim.reset();
            place(sim, "set", &positions, &[], 3);
            step(sim, 1);
            ["position", "id"].map(|name| words(sim, &format!("sorted.particles.{name}"))[..count].to_vec())
        });
        assert!(sorted[0] == sorted[1], "{count}: the same bits");
        let mut expected: Vec<u32> = (0..count as u32).collect();
        expected.sort_by_key(|id| cell(&positions[3 * *id as usize..]));
        assert!(wholes(&short, "sorted.particles", "id") == expected, "{count}: a stable sort by quarters of cells");
    }
}

#[test]
fn particles_go_where_their_stage_says() {
    const BACK: &str = r##"
        "line": (domain: (resolution: (4, 4, 4), width: 1, edge: "wall")),
        "moved": (stage: "particles/contain", on: "line", inputs: {"particles": "turned.particles"}),
        "set": (state: "Particles{position: Vec, velocity: Vec, id: u32$more}", capacity: 1000, inputs: {"next": "moved.particles"}),
        "turned": (custom: r#"//! Turned
            //! @inout particles: Particles{id: u32}, scatter
            fn stage(particle: Particle) -> u32 { return particles_count() - 1u - particle.index; }"#,
            on: "line", inputs: {"particles": "set.value"}),
    "##;
    // Where a kernel has no buffers left, the places are stored, and others move.
    for (more, apart) in [("", false), (", a: vec4f", true)] {
        let values = [("$more", more)];
        let (mut short, mut plain) = (joined(BACK, &values, "set.value"), start(60.0, BACK, &values));
        assert_eq!(short.plan().to_text().contains("[scatter]"), apart, "{}", short.plan().to_text());
        let positions = random(3 * 700, 5);
        for sim in [&mut short, &mut plain] {
            sim.reset();
            place(sim, "set", &positions, &[], 3);
            step(sim, 3);
            let ids: Vec<u32> = (0..700).rev().collect();
            assert_eq!(wholes(sim, "set", "id"), ids, "three times turned is once");
        }
        assert!(words(&short, "set.position") == words(&plain, "set.position"));
    }
}

const HEAP: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 20000),
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
