//! Stagewright compiles a graph of GPU *stages* into an ordered list of compute dispatches and runs it.
//!
//! # Vocabulary
//! A **stage** is GPU work described by one WGSL file: a header that declares ports and parameters, and a function that
//! computes one element ([`stage`]). A **node** is anything on the canvas: a stage, a **domain** (a box in space, cut into
//! cubic cells), a **state** (what survives a frame), a number, a group of nodes, a file, an output. A **wire** carries one version
//! of a grid, a set of **particles**, a number or a **field** (a function of position, built into whatever reads it) from an
//! output port to an input port; last frame's value comes only from a state.
//!
//! # Data flow
//! [`document::Document`] is the graph file, right or wrong; [`edit`] is what a person does to it. [`graph::Graph`] is flattened, typed and checked, with all
//! [`problem::Problems`] reported at once. [`plan::Plan`] is plain data: dispatches in order, memory, uniform layout and generated
//! WGSL. [`sim::Simulation`] runs a plan on a [`gpu::Gpu`].
//!
//! ```no_run
//! use stagewright::{document::Document, gpu::Gpu, graph::Graph, library::Library, plan::Plan, sim::Simulation};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let document = Document::parse(&std::fs::read_to_string("graphs/stable_fluids.ron")?)?;
//! let graph = Graph::build(&document, Library::builtin())?;
//! let plan = Plan::compile(&graph, &Default::default())?;
//! let mut simulation = Simulation::new(&Gpu::new(&Default::default())?, plan)?;
//! for _ in 0..60 {
//!     simulation.step(&simulation.recorded_input())?;
//! }
//! let picture = simulation.picture(None)?;
//! println!("{} x {} pixels", picture.width, picture.height);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]

#[cfg(feature = "editor")]
pub mod app;
pub mod arena;
pub mod asset;
pub mod bench;
pub mod cancel;
pub mod curve;
pub mod document;
pub mod edit;
mod embedded;
pub mod export;
pub mod expr;
pub mod files;
pub mod gpu;
pub mod graph;
pub mod input;
pub mod library;
pub mod plan;
pub mod printable;
pub mod problem;
mod quiet;
pub mod sim;
pub mod spelling;
pub mod stage;
mod threads;
pub mod tune;

pub use threads::deep_stack;
