//! Stagewright compiles a graph of GPU *stages* into an ordered list of compute dispatches and runs it.
//!
//! # Vocabulary
//! A **stage** is GPU work described by one WGSL file: a header that declares ports and parameters, and a function that
//! computes one element ([`stage`]). A **node** is anything on the canvas: a stage, a **domain** (a box in space, cut
//! into cubic cells), a **State** (what survives a frame), a number, a group of nodes, a file, an output. A **wire**
//! carries one version of a grid, a set of **particles**, a number or a **field** (a function of position, inlined into
//! whatever reads it) from an output port to an input port. Only a State gives access to last frame's value.
//!
//! # Data flow
//! [`document::Document`] is the graph file as written, which may contain errors; [`edit`] holds the user's operations
//! on it. [`graph::Graph`] is flattened, typed and checked, and reports all [`problem::Problems`] at once.
//! [`plan::Plan`] is plain data: dispatches in order, memory, uniform layout and generated WGSL. [`sim::Simulation`]
//! runs a plan on a [`gpu::Gpu`].
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
//! let image = simulation.image(None)?;
//! println!("{} x {} pixels", image.width, image.height);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

pub use stagewright_base::threads::deep_stack;
pub use stagewright_base::{
    arena, background, cache, cancel, curve, expr, files, input, printable, problem, quoting, spelling,
};
pub use stagewright_compiler as plan;
#[cfg(feature = "editor")]
pub use stagewright_editor as editor;
pub use stagewright_export as export;
pub use stagewright_export::sweep;
pub use stagewright_formats as formats;
pub use stagewright_language::{document, edit, graph, library, stage};
pub use stagewright_runtime::{asset, bake, bench, gpu, sim, tune};
