//! What must hold in every frame of the oil clock: volumes, fractions that fill their cells, dry walls, equal bits.

use std::path::PathBuf;

use stagewright::document::{Document, ParamValue};
use stagewright::plan::Keep;
use stagewright::sim::Simulation;
use stagewright::sim::input::InputTrack;

use super::harness::*;

/// Fractions are whole multiples of this.
const QUANTUM: f64 = 1.0 / 1_048_576.0;

/// The graph that ships, with so many cells and a picture that costs nothing.
fn clock(cells: [f64; 2]) -> Document {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("graphs/oil_clock.ron");
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    document.set("domain", "resolution", ParamValue::Vector(cells.to_vec())).unwrap();
    document.set("picture", "resolution", ParamValue::Vector(vec![32.0, 32.0])).unwrap();
    document
}

fn simulate(document: &Document) -> Simulation {
    let keep = ["fractions.value", "open.open", "11_correct.fractions"].map(String::from).to_vec();
    Simulation::new(gpu(), compile(document, Keep::Wires(keep))).unwrap_or_else(|e| panic!("{e}"))
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
    let open = {
        step(&mut sim, 1);
        read(&sim, "open.open")
    };
    sim.reset();
    let mut tallies = Vec::new();
    for frame in 0..frames {
        let input = track.at(frame as f64 / 60.0, 1.0 / 60.0);
        sim.step(&input).unwrap_or_else(|e| panic!("{e}"));
        tallies.push(tally(&read(&sim, "fractions.value"), &open));
    }
    (tallies, words(&sim, "fractions.value"))
}

/// The bars that hold in every frame. A lost quantum would show: totals are sums of whole quanta, exact in f64.
fn hold(what: &str, tallies: &[Tally], off: f64) {
    let first = tallies[0].totals;
    for (k, name) in ["V_f", "V_g"].into_iter().enumerate() {
        assert!(first[k] > 100.0, "there is some of {name}");
        let change = tallies.iter().map(|t| ((t.totals[k] - first[k]) / first[k]).abs()).fold(0.0, f64::max);
        within(&format!("{what}: total of {name} over {} frames", tallies.len()), change, 1e-6, "asked for");
        let whole = tallies.iter().all(|t| (t.totals[k] / QUANTUM).fract() == 0.0);
        assert!(whole, "{what}: {name} is not of whole quanta");
        assert_eq!(change, 0.0, "{what}: moves of whole quanta lose nothing");
    }
    let least = tallies.iter().map(|t| t.least).fold(f64::MAX, f64::min);
    assert!(least >= 0.0, "{what}: a fraction of {least}");
    let worst = tallies.iter().map(|t| t.off).fold(0.0, f64::max);
    within(&format!("{what}: |V_f + V_g - 1| after correction"), worst, off, "asked for, at the shipped iterations");
    let wet = tallies.iter().map(|t| t.in_walls).fold(0.0, f64::max);
    assert_eq!(wet, 0.0, "{what}: fluid in a wall");
}

#[test]
fn volumes_stay_over_a_thousand_frames_of_mixing_and_turning() {
    let (tallies, _) = play(&clock([40.0, 64.0]), &hands(), 1000);
    hold("40x64", &tallies, 1e-3);
}

#[test]
fn the_graph_as_it_ships_keeps_its_cells_full() {
    let (tallies, _) = play(&clock([160.0, 256.0]), &hands(), 40);
    hold("160x256", &tallies, 1e-3);
}

#[test]
fn two_runs_are_bit_identical() {
    let document = clock([40.0, 64.0]);
    let [a, b] = [0, 1].map(|_| play(&document, &hands(), 120).1);
    let still = play(&document, &InputTrack::default(), 120).1;
    assert!(a == b, "two runs differ");
    assert!(a != still, "the hands moved nothing");
}
