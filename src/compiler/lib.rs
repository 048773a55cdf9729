//! The plan: the result of compiling a graph. Plain data without any GPU type; it prints, compares and serialises, and
//! an engine runs it.
//!
//! A compilation has four steps: `lower` unrolls the graph into operations on values (`ir`), `passes` rewrite them in
//! the order of one list, `codegen` generates a kernel for each, and `check` validates its text and cost.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

use stagewright_base::{arena, cache, cancel, curve, input, problem, threads};
#[cfg(test)]
use stagewright_language::library;
use stagewright_language::{document, graph, stage};

mod baked;
mod budget;
mod check;
mod codegen;
mod compile;
mod data;
mod ir;
mod isolate;
mod lower;
mod options;
mod passes;
mod scatter;
mod simulation_dispatches;
#[cfg(test)]
mod tests;
mod text;
mod traffic;
pub mod tuning;
mod unneeded;

pub use baked::baked_wire;
pub use budget::{BudgetSource, MemoryBudget};
pub use check::module;
pub use check::validate::forget_passed;
pub use codegen::uniforms::FRAME_BYTES;
pub use compile::PassReport;
pub use data::{
    Accesses, Alarm, Binding, Buffer, BufferId, COUNT_GROUPS, Cause, Dispatch, FileGrid, FilePart, FileTrack, Holding,
    Indirect, Kernel, KernelId, Over, PLAN_VERSION, ParamSlot, Picture, Plan, PlayedPart, PlayedWire, Reorder,
    Reorders, State, Version, Versions, Watch, Wire, WireUpdate, mebibytes,
};
pub use ir::layout::regrouped;
pub use ir::stored::Stored;
pub use options::{Keep, Outputs, PlanOptions, PlayedCache};
pub use scatter::{HEAD_WORDS as SCATTER_HEAD, Places, ScatterCheck};
pub use tuning::{Shape, Tuning};
pub use unneeded::Unneeded;
