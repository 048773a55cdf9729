//! Cases as `stagewright bench` compiles them.

use stagewright_compiler::{PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::library::Library;
use stagewright_runtime::bench::{self, cases};
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

pub fn case(name: &str, size: u32) -> Document {
    let mut document = cases::case(name).expect("a case").expect("it reads");
    cases::resize(&mut document, size);
    assert_eq!(cases::size(&document), Some(size));
    document
}

/// How a case is compiled that keeps what is timed, and these wires.
pub fn options(document: &Document, keep: &[String], tuning: Tuning) -> PlanOptions {
    PlanOptions { tuning, ..bench::options(document, &stagewright_base::files::Access::default(), keep) }
}

/// A case that keeps what is timed, and these wires.
pub fn ready(document: &Document, keep: &[&str]) -> Simulation {
    let keep: Vec<String> = keep.iter().map(ToString::to_string).collect();
    let compiled = bench::compile(document, Library::builtin(), &options(document, &keep, gpu().tuning()));
    let (plan, _) = compiled.unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"))
}

/// Every nth number from the kth on: a component.
pub fn part(values: &[f64], k: usize, n: usize) -> Vec<f64> {
    values.iter().skip(k).step_by(n).copied().collect()
}

/// Components side by side.
pub fn woven(parts: &[Vec<f64>]) -> Vec<f32> {
    (0..parts[0].len()).flat_map(|i| parts.iter().map(move |part| part[i] as f32)).collect()
}

#[test]
fn every_case_compiles_at_its_own_size() {
    for name in cases::names() {
        let document = cases::case(&name).expect("a case").expect("it reads");
        let compiled = bench::compile(&document, Library::builtin(), &options(&document, &[], Tuning::gpu()));
        let (plan, time) = compiled.unwrap_or_else(|e| panic!("{name}: {e}"));
        println!("{name} {:?}: {} dispatches in {:.1} ms", cases::size(&document), plan.frame.len(), time.median);
        assert!(plan.outputs.is_empty() && !plan.states.is_empty(), "{name} has States and no picture");
    }
    assert_eq!(cases::names(), ["b1", "b2", "b3", "b4", "b5", "b6", "lbm", "mg", "mpm"]);
}

/// A bench runs a case for thousands of steps: numbers that grew beyond all bounds, or fell below the smallest, would be timed
/// instead of the work.
#[test]
fn cases_stay_sensible_for_hundreds_of_steps() {
    for (name, size, state, most) in [
        ("b1", 32, "velocity", 10.0),
        ("b2", 12, "velocity", 10.0),
        ("b3", 500, "water.velocity", 30.0),
        ("b5", 24, "velocity", 10.0),
        ("b6", 12, "image", 3.0),
    ] {
        let mut sim = ready(&case(name, size), &[]);
        step(&mut sim, 300);
        assert!(!words(&sim, state).into_iter().any(is_wild), "{name}: {state} is finite");
        let largest = max_abs(&read(&sim, state));
        println!("{name}: {state} up to {largest:.3}");
        assert!((1e-6..most).contains(&largest), "{name}: {state} is {largest} after 300 steps");
    }
}
