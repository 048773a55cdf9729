//! Stagewright compiles a graph of GPU *stages* into an ordered list of compute dispatches and runs it.
//!
//! # Vocabulary
//! A **stage** is GPU work described by one WGSL file: a header that declares ports and parameters, and a function that
//! computes one element. A **node** is anything on the canvas: a stage, a **domain** (a box in space, cut into cubic
//! cells), a **State** (what survives a frame), a number, a group of nodes, a file, an output. A **wire** carries one
//! version of a grid, a set of **particles**, a number or a **field** (a function of position, inlined into whatever reads
//! it) from an output port to an input port. Only a State gives access to last frame's value.
//!
//! # From a file to a frame
//! A [`Document`] is the graph file as written, which may contain errors; the functions of [`edit`] change it. A [`Graph`] is flattened, typed and
//! checked against a [`Library`] of stages, and reports all [`Problems`] at once. A [`Plan`] is plain data: dispatches in order, memory,
//! uniform layout and generated WGSL. A [`Simulation`] runs a plan on a [`Gpu`].
//!
//! ```no_run
//! use stagewright::{Document, Gpu, Graph, Library, Plan, Simulation};
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
//!
//! Six programs in `examples` do one thing each: render without a window, run on the program's own device, add a stage from text, set and
//! animate parameters, export OpenEXR, read a wire.
//!
//! # What is stable
//! What this page lists. It is defined in crates named `stagewright-*`, whose other items are internal and change with every version. Structs of
//! options have a `Default`: build them with `..Default::default()`, since they gain fields. Errors gain variants, and so do enums that only choose (`Keep`, `Profile`, `ExportSubject`). Those that a document is made of
//! (`NodeKind`, `ParamValue`, `Edge`) gain some with a minor version alone, so that a program can match all of them.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

/// The example of the README, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// Documents.
#[doc(inline)]
pub use stagewright_base::curve::{Curve, Gradient, Key, Keyframes, Tangent};
#[doc(inline)]
pub use stagewright_language::document::{
    ChangeError, Document, Domain, Edge, FileSource, Link, Node, NodeKind, ParamValue, ReadError, Scope, Substeps,
};

// Stages, checked graphs, and what is wrong with them.
#[doc(inline)]
pub use stagewright_base::problem::{Problem, Problems, Severity, SourcePlace};
#[doc(inline)]
pub use stagewright_language::graph::Graph;
#[doc(inline)]
pub use stagewright_language::library::{Definition, Library};
#[doc(inline)]
pub use stagewright_language::stage::{SharedFile, Stage, StageError};

// Plans.
#[doc(inline)]
pub use stagewright_base::cancel::Cancel;
#[doc(inline)]
pub use stagewright_base::threads::deep_stack;
#[doc(inline)]
pub use stagewright_compiler::{Dispatch, Keep, Kernel, MemoryBudget, Outputs, Plan, PlanOptions, Tuning};

// Running simulations.
#[doc(inline)]
pub use stagewright_base::input::{FrameInput, InputError, InputTrack, KeySpan, PointerKey};
#[doc(inline)]
pub use stagewright_runtime::gpu::{Gpu, GpuError, GpuOptions, NodeTime, Profile, Reading};
#[doc(inline)]
pub use stagewright_runtime::sim::checkpoint::{Checkpoint, CheckpointError, CheckpointFile};
#[doc(inline)]
pub use stagewright_runtime::sim::{Field, Image, Simulation, Snapshot, SnapshotReading};

// Exports.
#[doc(inline)]
pub use stagewright_base::files::Access;
#[doc(inline)]
pub use stagewright_export::frames::Frames;
#[doc(inline)]
pub use stagewright_export::job::{Export, ExportSubject, Item, JobError, Progress, run as run_export};
#[doc(inline)]
pub use stagewright_export::record::Fingerprint;
#[doc(inline)]
pub use stagewright_export::sink::{Format, Kind as Exported};
#[doc(inline)]
pub use stagewright_export::{FORMATS, format_named};

/// Edits of a document: pure functions, one for each action of the user, on one level, which a [`Scope`] names.
/// An edit that is not possible changes nothing and returns a [`Refusal`](edit::Refusal).
pub mod edit {
    #[doc(inline)]
    pub use stagewright_language::edit::{
        InputEnd, Refusal, Side, add, bypass, connect, disconnect, expose_param, make_group, remove, rename,
        replace_stage, set_iterations, ungroup,
    };
}
