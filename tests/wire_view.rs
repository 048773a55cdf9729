//! Views of wires, compared with `Simulation::read` and references in f64.
//! `cargo nextest run --test wire_view --no-capture`.

#[path = "wire_view/camera.rs"]
mod camera;
#[path = "wire_view/compare.rs"]
mod compare;
#[path = "wire_view/fields.rs"]
mod fields;
#[path = "wire_view/halves.rs"]
mod halves;
#[path = "solvers/harness.rs"]
#[allow(dead_code)]
mod harness;
#[path = "wire_view/images.rs"]
mod images;
#[path = "wire_view/kept.rs"]
mod kept;
#[path = "wire_view/points.rs"]
mod points;
#[path = "wire_view/shaders.rs"]
mod shaders;
#[path = "wire_view/slices.rs"]
mod slices;
#[path = "wire_view/statistics.rs"]
mod statistics;
#[path = "wire_view/view.rs"]
mod view;
