//! Cells that PLIC keeps full, in the graphs of validation, at several sizes and frame rates.

use std::path::PathBuf;

use stagewright_compiler::{Keep, Outputs, Plan, PlanOptions};
use stagewright_language::document::{Document, ParamValue};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::advection_reference::PLIC_Q;

/// A graph of validation without its image, with so many cells and frames a second.
fn shipped(name: &str, cells: &[usize], fps: f64) -> Simulation {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("graphs/validation/{name}.ron"));
    let mut document = Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    document.fps = fps;
    let resolution = cells.iter().map(|n| *n as f64).collect();
    document.set("domain", "resolution", ParamValue::Vector(resolution)).unwrap();
    let keep = Keep::Wires(vec!["fractions.value".into()]);
    let options = PlanOptions { keep, outputs: Outputs::One("none".into()), ..PlanOptions::default() };
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

/// In every frame: |V_f + V_g - 1| is below 1e-6, volumes are whole quanta, and no bit of their sums is lost.
fn stays_full(name: &str, cells: &[usize], fps: f64, frames: usize) {
    let mut sim = shipped(name, cells, fps);
    let what = format!("{name}, {cells:?} cells, {fps} frames a second, {frames} frames");
    let totals = |v: &[f64]| [0, 1].map(|k| v.iter().skip(k).step_by(2).sum::<f64>());
    let mut first = None;
    let (mut off, mut lost) = (0.0f64, 0.0f64);
    for _ in 0..frames {
        step(&mut sim, 1);
        let v = read(&sim, "fractions.value");
        assert!(v.iter().all(|v| *v >= 0.0 && (v / PLIC_Q).fract() == 0.0), "{what}: whole quanta, none below zero");
        let now = totals(&v);
        let begin = first.get_or_insert(now);
        lost = (0..2).map(|k| (now[k] - begin[k]).abs()).fold(lost, f64::max);
        off = v.chunks(2).map(|v| (v[0] + v[1] - 1.0).abs()).fold(off, f64::max);
    }
    within(&format!("{what}, volume lost"), lost, 0.0, "whole quanta move, and sums of them are exact");
    within(&format!("{what}, |V_f + V_g - 1|"), off, 1e-6, "asked for");
}

#[test]
fn the_deforming_ball_stays_full() {
    for (n, fps, frames) in [(12, 24.0, 60), (16, 16.0, 40), (24, 48.0, 40)] {
        stays_full("deforming_ball", &[n, n, n], fps, frames);
    }
}

#[test]
fn the_bubble_in_two_dimensions_stays_full() {
    for (n, fps) in [(16, 64.0), (24, 160.0), (32, 128.0)] {
        stays_full("rising_bubble_2d", &[n, 2 * n], fps, 60);
    }
}

#[test]
fn the_bubble_in_three_dimensions_stays_full() {
    for (n, fps) in [(8, 48.0), (12, 64.0)] {
        stays_full("rising_bubble", &[n, 2 * n, n], fps, 16);
    }
}

/// The first pressure is an impulse, 20 times that of the second frame.
#[test]
fn the_dense_drop_stays_full() {
    for (n, fps) in [(24, 64.0), (32, 80.0)] {
        stays_full("dense_drop", &[n, n], fps, 12);
    }
}
