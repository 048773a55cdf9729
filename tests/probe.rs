//! Seeing any wire, held against `Simulation::read` and references in f64. `cargo nextest run --test probe --no-capture`.

#[path = "probe/camera.rs"]
mod camera;
#[path = "probe/halves.rs"]
mod halves;
#[path = "solvers/harness.rs"]
#[allow(dead_code)]
mod harness;
#[path = "probe/kept.rs"]
mod kept;
#[path = "probe/pictures.rs"]
mod pictures;
#[path = "probe/points.rs"]
mod points;
#[path = "probe/shaders.rs"]
mod shaders;
#[path = "probe/slices.rs"]
mod slices;
#[path = "probe/statistics.rs"]
mod statistics;
#[path = "probe/view.rs"]
mod view;
