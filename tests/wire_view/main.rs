//! Views of wires, compared with `Simulation::read` and references in f64.
//! `cargo nextest run --test wire_view --no-capture`.

mod camera;
mod compare;
mod fields;
mod halves;
mod images;
mod kept;
mod points;
mod shaders;
mod slices;
mod statistics;
mod view;
