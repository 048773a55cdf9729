//! Stops inside a frame. A plain plan of the same graph, where every operation is a dispatch of its own and every version of a wire
//! stays in memory, repeats a frame from its start and runs as far as one likes. Everything that reads a simulation, such as views,
//! then shows the wires at that point.

mod conditions;
mod debugger;
pub(super) mod element;
mod expression;
mod find;
mod first;
mod follow;
mod history;
mod order;
mod report;
mod start;

use super::Simulation;

pub use conditions::{Bounds, Condition, Conditions, Fired};
pub use debugger::FrameDebugger;
pub use element::{Element, ElementPlace};
pub use expression::Formula;
pub use first::{NanSearch, first_nan};
pub use follow::{Follower, TrailPoint};
pub use history::{Reading, WriteEvent};
pub use report::{Input, Report, Values};
pub use start::FrameStart;
