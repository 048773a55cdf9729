//! What must hold in every frame of the oil clock: volumes, fractions that fill their cells, dry walls, equal bits.

use std::path::PathBuf;

use stagewright_base::input::InputTrack;
use stagewright_compiler::{Keep, Outputs, Plan, PlanOptions};
use stagewright_language::document::{Document, NodeKind, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// Fractions are whole multiples of this.
const QUANTUM: f64 = 1.0 / 1_048_576.0;

/// The graph that ships, with so many cells.
fn clock(cells: [f64; 2]) -> Document {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("graphs/oil_clock.ron");
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    document.set("domain", "resolution", ParamValue::Vector(cells.to_vec())).unwrap();
    document
}

/// The solver without any image.
fn simulate(document: &Document) -> Simulation {
    let keep = Keep::Wires(["fractions.value", "open.open"].map(String::from).to_vec());
    let options = PlanOptions { keep, outputs: Outputs::One("none".into()), ..PlanOptions::default() };
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

/// Strokes across both bulbs, and a press of the space key.
fn hands() -> InputTrack {
    InputTrack::parse(
        "(repeat: true, pointer: [(t: 0.0, x: 0.3, y: 0.7, buttons: 1), (t: 0.4, x: 0.7, y: 0.65, buttons: 1),
            (t: 0.8, x: 0.4, y: 0.3, buttons: 1), (t: 1.2, x: 0.6, y: 0.35), (t: 3.0, x: 0.5, y: 0.5)],
            keys: [(from: 1.5, to: 1.7, keys: 1)])",
    )
    .unwrap()
}

/// What a frame's fractions amount to.
#[derive(Clone, Copy, Debug)]
struct Tally {
    totals: [f64; 2],
    least: f64,
    /// Largest |V_f + V_g - 1| of an open cell.
    off: f64,
    /// Largest fraction in a wall.
    in_walls: f64,
}

fn tally(fractions: &[f64], open: &[f64]) -> Tally {
    let mut tally = Tally { totals: [0.0; 2], least: f64::MAX, off: 0.0, in_walls: 0.0 };
    for (v, open) in fractions.chunks_exact(2).zip(open) {
        assert!(v.iter().all(|v| v.is_finite()), "a fraction is not finite");
        (0..2).for_each(|k| tally.totals[k] += v[k]);
        tally.least = tally.least.min(v[0]).min(v[1]);
        if *open > 0.5 {
            tally.off = tally.off.max((v[0] + v[1] - 1.0).abs());
        } else {
            tally.in_walls = tally.in_walls.max(v[0].abs()).max(v[1].abs());
        }
    }
    tally
}

/// Plays so many frames and tallies each.
fn play(document: &Document, track: &InputTrack, frames: usize) -> (Vec<Tally>, Vec<u32>) {
    let mut sim = simulate(document);
    step(&mut sim, 1);
    let open = read(&sim, "open.open");
    sim.reset();
    let mut tallies = Vec::new();
    for frame in 0..frames {
        let input = track.at(frame as f64 / 60.0, 1.0 / 60.0);
        sim.step(&input).unwrap_or_else(|e| panic!("{e}"));
        tallies.push(tally(&read(&sim, "fractions.value"), &open));
    }
    (tallies, words(&sim, "fractions.value"))
}

/// What holds in every frame, whatever the solves reached: totals are sums of whole quanta, exact in f64.
fn hold(what: &str, tallies: &[Tally]) {
    let first = tallies[0].totals;
    for (k, name) in ["V_f", "V_g"].into_iter().enumerate() {
        assert!(first[k] > 100.0, "there is some of {name}");
        let change = tallies.iter().map(|t| ((t.totals[k] - first[k]) / first[k]).abs()).fold(0.0, f64::max);
        within(&format!("{what}: total of {name} over {} frames", tallies.len()), change, 1e-6, "asked for");
        let whole = tallies.iter().all(|t| (t.totals[k] / QUANTUM).fract() == 0.0);
        assert!(whole && change == 0.0, "{what}: moves of whole quanta of {name} lose nothing");
    }
    let least = tallies.iter().map(|t| t.least).fold(f64::MAX, f64::min);
    assert!(least >= 0.0, "{what}: a fraction of {least}");
    let wet = tallies.iter().map(|t| t.in_walls).fold(0.0, f64::max);
    assert_eq!(wet, 0.0, "{what}: fluid in a wall");
}

/// Cells are full after the correction.
fn full(what: &str, tallies: &[Tally]) {
    let worst = tallies.iter().map(|t| t.off).fold(0.0, f64::max);
    within(&format!("{what}: |V_f + V_g - 1| after correction"), worst, 1e-3, "asked for, at the shipped iterations");
}

#[test]
fn volumes_stay_over_hundreds_of_frames_of_mixing_and_turning() {
    let mut document = clock([40.0, 64.0]);
    // They do not depend on how well the solves converge, so few cycles do.
    document.set("04_pressure", "iterations", ParamValue::Number(1.0)).unwrap();
    document.set("11_correct", "iterations", ParamValue::Number(3.0)).unwrap();
    hold("40x64", &play(&document, &hands(), 250).0);
}

#[test]
fn cells_are_full_at_the_shipped_iterations() {
    for (cells, frames) in [([80.0, 128.0], 40), ([160.0, 256.0], 10)] {
        let (tallies, _) = play(&clock(cells), &hands(), frames);
        let what = format!("{cells:?}, {frames} frames");
        hold(&what, &tallies);
        full(&what, &tallies);
    }
}

/// A user puts another node in the place of one of the article's, and the rest continues.
#[test]
fn the_alternatives_take_the_places_of_the_articles_nodes() {
    let alternatives = [
        ("04_pressure", "two_phase/pressure_sor", 60.0),
        ("04_pressure", "two_phase/pressure_jacobi", 60.0),
        ("07_advect_fractions", "two_phase/advect_plic", 0.0),
        ("08_surface_tension", "two_phase/surface_tension", 0.0),
        ("11_correct", "two_phase/correct_sor", 2.0),
    ];
    let first = play(&clock([40.0, 64.0]), &hands(), 25).1;
    for (node, stage, iterations) in alternatives {
        let mut document = clock([40.0, 64.0]);
        let swapped = document.node_mut(node).unwrap();
        swapped.kind = NodeKind::Stage(stage.into());
        swapped.params.clear();
        // A single sweep has no coarser cells, to which labels of parts would lead.
        swapped.inputs.remove("part");
        swapped.iterations = (iterations > 0.0).then_some(ParamValue::Number(iterations));
        let (tallies, last) = play(&document, &hands(), 25);
        hold(stage, &tallies);
        assert!(last != first, "{stage} does what {node} did");
    }
}

#[test]
fn two_runs_are_bit_identical() {
    let document = clock([40.0, 64.0]);
    let [a, b] = [0, 1].map(|_| play(&document, &hands(), 40).1);
    let still = play(&document, &InputTrack::default(), 40).1;
    assert!(a == b, "two runs differ");
    assert!(a != still, "the hands moved nothing");
}
