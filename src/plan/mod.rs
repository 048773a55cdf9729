//! The plan: what a graph compiles to. Plain data without a GPU type in it; it prints, compares and serialises, and an
//! engine only carries it out.
//!
//! A compilation goes through four rooms: `lower` unrolls the graph into operations on values (`ir`), `passes` rewrite them in
//! the order of one declared list, `codegen` writes a kernel for each, and `check` validates its text and cost.

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
#[cfg(test)]
mod tests;
mod text;
mod traffic;
pub mod tuning;

pub use budget::{BudgetSource, MemoryBudget};
pub(crate) use check::module;
pub use check::validate::forget_passed;
pub use codegen::uniforms::FRAME_BYTES;
pub use compile::PassReport;
pub use data::{
    Alarm, Binding, Buffer, BufferId, COUNT_GROUPS, Cause, Dispatch, FileGrid, Holding, Indirect, Kernel, KernelId,
    Over, PLAN_VERSION, Picture, Plan, Slot, State, Watch, Wire, mebibytes,
};
pub use options::{Keep, Outputs, PlanOptions};
pub use scatter::{HEAD_WORDS as SCATTER_HEAD, Places, ScatterCheck};
pub use tuning::{Shape, Tuning};
