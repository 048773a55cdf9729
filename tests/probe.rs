//! Seeing any wire, held against `Simulation::read` and references in f64. `cargo nextest run --test probe --no-capture`.

#[path = "solvers/harness.rs"]
#[allow(dead_code)]
mod harness;
#[path = "probe/shaders.rs"]
mod shaders;
#[path = "probe/statistics.rs"]
mod statistics;
#[path = "probe/view.rs"]
mod view;
