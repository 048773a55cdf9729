//! Graphs from RON text on one device a process, fields in and out, and the line that every measurement prints.

use std::fmt::Write as _;
use std::sync::OnceLock;

use stagewright_compiler::{Keep, Outputs, Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::{Gpu, GpuOptions};
use stagewright_runtime::sim::{FrameInput, Simulation};

/// Unit roundoff of f32: the relative error of one rounding.
pub const U: f64 = 0.5 * f32::EPSILON as f64;

/// The one device of the process. WGSL's division and square root may be off by 2.5 units in the last place: 5 `U`.
pub fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new(&GpuOptions::default()).unwrap())
}

/// A document of these nodes (`"name": (..),`), with `$key` replaced by its value.
pub fn document(fps: f64, nodes: &str, values: &[(&str, &str)]) -> Document {
    let mut nodes = nodes.to_string();
    for (key, value) in values {
        nodes = nodes.replace(key, value);
    }
    let text = format!("(version: 1, name: \"test\", fps: {fps}, seed: 7, nodes: {{\n{nodes}\n}})");
    Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn compile(document: &Document, keep: Keep) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { keep, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// A simulation that keeps every wire.
pub fn simulation(document: &Document) -> Simulation {
    Simulation::new(gpu(), compile(document, Keep::All)).unwrap_or_else(|e| panic!("{e}"))
}

pub fn start(fps: f64, nodes: &str, values: &[(&str, &str)]) -> Simulation {
    simulation(&document(fps, nodes, values))
}

/// The plan that programs run, for tests of many frames: stages share dispatches, no image is drawn, and of the wires only these are kept, with
/// the States. `joining_dispatches_changes_no_bit` says that the numbers are the same.
pub fn start_fused(fps: f64, nodes: &str, values: &[(&str, &str)], wires: &[&str]) -> Simulation {
    fused(&document(fps, nodes, values), wires)
}

pub fn fused(document: &Document, wires: &[&str]) -> Simulation {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let keep = Keep::Wires(wires.iter().map(ToString::to_string).collect());
    let options = PlanOptions { keep, tuning: gpu().tuning(), outputs: Outputs::None, ..PlanOptions::default() };
    let plan = Plan::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

/// Frames of 1/fps with a pointer at rest.
pub fn step(simulation: &mut Simulation, frames: usize) {
    for _ in 0..frames {
        simulation.step(&FrameInput::default()).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Restarts, overwrites the States, computes so many frames and reads a wire.
pub fn run(simulation: &mut Simulation, states: &[(&str, &[f32])], frames: usize, wire: &str) -> Vec<f64> {
    simulation.reset();
    states.iter().for_each(|(state, values)| simulation.write(state, values).unwrap());
    step(simulation, frames);
    read(simulation, wire)
}

/// A wire's numbers.
pub fn read(simulation: &Simulation, wire: &str) -> Vec<f64> {
    let field = simulation.read(wire).unwrap_or_else(|e| panic!("{e}"));
    field.data.into_iter().map(f64::from).collect()
}

/// A wire's words.
pub fn words(simulation: &Simulation, wire: &str) -> Vec<u32> {
    simulation.read(wire).unwrap_or_else(|e| panic!("{e}")).words
}

/// Replacements as `start` takes them.
pub fn pairs<'a>(values: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    values.iter().map(|(key, value)| (*key, value.as_str())).collect()
}

/// Hash PCG-RXS-M-XS (O'Neill 2014).
pub fn pcg(v: u32) -> u32 {
    let s = v.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let w = ((s >> ((s >> 28) + 4)) ^ s).wrapping_mul(277_803_737);
    (w >> 22) ^ w
}

/// Uniform in -1..1, the same everywhere.
pub fn random(count: usize, seed: u32) -> Vec<f32> {
    (0..count as u32).map(|i| (pcg(i ^ pcg(seed)) >> 8) as f32 / 8_388_608.0 - 1.0).collect()
}

pub fn f32s(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

pub fn f64s(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

pub fn max_abs(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| if v.is_nan() { f64::NAN } else { v.abs().max(m) })
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Root mean square.
pub fn rms(values: &[f64]) -> f64 {
    mean(&values.iter().map(|v| v * v).collect::<Vec<_>>()).sqrt()
}

pub fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Order of a method from its errors at step h and h/2.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// Prints an error of either sign with its bar and where that comes from, and asserts its size. NaN fails.
#[track_caller]
pub fn within(what: &str, error: f64, bar: f64, because: &str) {
    let error = error.abs();
    let mut line = format!("{what}: error {error:.3e}, bar {bar:.3e} ({because})");
    if error > 0.0 {
        let _ = write!(line, ", margin {:.1}x", bar / error);
    }
    println!("{line}");
    assert!(error <= bar, "{line}");
}

/// Prints a measured order and asserts that it rounds to the method's own.
#[track_caller]
pub fn has_order(what: &str, measured: f64, method: f64) {
    println!(
        "{what}: order {measured:.3}, the method's is {method} (bar: within 0.5, so that no other whole order fits)"
    );
    assert!((measured - method).abs() < 0.5, "{what}: order {measured} instead of {method}");
}

/// Whether a float's bits say NaN or infinity; comparisons may be optimised away.
pub fn is_wild(word: u32) -> bool {
    word & 0x7fff_ffff >= 0x7f80_0000
}

/// Residual at which a relaxed pressure in f32 stands still. An update rounds by no more than w (F + 12) U |p|: F - 1
/// sums of up to F terms, a product, a difference, a division (5 U) and `mix`, for F faces and relaxation w. It moves
/// p by w h^2 / F times the residual, so once that is below the rounding, old and new, nothing changes any more.
pub fn stalled_residual(faces: usize, largest_pressure: f64, h: f64) -> f64 {
    let faces = faces as f64;
    2.0 * faces * (faces + 12.0) * U * largest_pressure / (h * h)
}
