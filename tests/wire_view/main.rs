//! Views of wires, compared with `Simulation::read` and references in f64.
//! `cargo nextest run --test wire_view --no-capture`.

mod camera;
mod compare;
mod fields;
mod halves;
#[path = "../solvers/harness.rs"]
#[allow(dead_code)]
mod harness;
mod images;
mod kept;
mod points;
mod shaders;
mod slices;
mod statistics;
mod view;
