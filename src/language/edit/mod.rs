//! Edits of a document: pure functions, one for each action of the user.
//!
//! An edit works on one level, which a [`Scope`](crate::document::Scope) names: the document itself or the inside of a group. Inside a group, a
//! wire from `in.NAME` reads an input of the group, and an [`InputEnd`] of `out` is an output of it; no node can have
//! these names.
//!
//! An edit that is not possible changes nothing and returns a [`Refusal`].

mod bookmark;
mod border;
mod clipboard;
mod coarsen;
mod custom;
mod ends;
mod expect;
mod frames;
mod group;
mod level;
mod names;
mod nodes;
mod refusal;
mod remedy;
mod remove;
pub mod signature;
mod swap;
mod ungroup;
mod wires;

pub use crate::graph::ports::{group_of, stage_of};
pub use crate::graph::takes_where;
pub use bookmark::{remove_bookmark, rename_bookmark, set_bookmark};
pub use border::{expose_param, hide_param, remove_port, rename_port};
pub use clipboard::{PasteInputs, copy, duplicate, paste};
pub use coarsen::{Coarser, coarsen, coarser};
pub use custom::custom_stage;
pub use ends::{InputEnd, Side};
pub use expect::{add_expectation, remove_expectation};
pub use frames::{add_frame, frame_around, frame_contents, remove_frame, update_frame};
pub use group::make_group;
use level::{gone, level_mut, links, no_node};
use names::free;
pub use names::{IN, OUT, free_name, is_node_name};
pub use nodes::{add, bypass, comment, place, rename, round_positions, set_color, set_iterations, shift};
pub use refusal::Refusal;
pub use remedy::{Remedy, remedies};
pub use remove::remove;
pub use signature::{NodeSignature, PortSignature, fits, port_types};
pub use swap::{WireChanges, make_local_copy, replace_stage, wire_changes};
pub use ungroup::ungroup;
pub use wires::{
    add_input, add_reroute, add_reroute_shared, connect, disconnect, feeds, free_output, insert_on_wire, origin,
    refusal, source,
};
