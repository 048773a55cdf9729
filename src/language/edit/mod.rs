//! Edits of a document: pure functions, one for each action of the user.
//!
//! They work on one level, which a [`Scope`] names: the document itself or the inside of a group. Inside a group, a
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
mod nodes;
mod refusal;
mod remedy;
mod remove;
pub mod signature;
mod swap;
mod ungroup;
mod wires;

pub use crate::graph::ports::{group_of, stage_of};
pub use bookmark::{remove_bookmark, rename_bookmark, set_bookmark};
pub use border::{expose_param, hide_param, remove_port, rename_port};
pub use clipboard::{PasteInputs, copy, duplicate, paste};
pub use coarsen::{Coarser, coarsen, coarser};
pub use custom::custom_stage;
pub use ends::{InputEnd, Side};
pub use expect::{add_expectation, remove_expectation};
pub use frames::{add_frame, frame_around, frame_contents, remove_frame, update_frame};
pub use group::make_group;
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

use crate::document::{Document, LevelMut, Link, Nodes, Scope};

/// The name that nodes in a group use to read its inputs.
pub const IN: &str = "in";
/// The name of a group's outputs as the end of a wire inside it.
pub const OUT: &str = "out";

/// Whether a node may have this name. Links are read without blanks around the names in them.
pub fn is_node_name(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && ![IN, OUT].contains(&name) && !name.contains(['.', '/'])
}

/// An unused name on the level, made from `wish`.
pub fn free_name(nodes: &Nodes, wish: &str) -> String {
    free(wish, |name| nodes.contains_key(name))
}

fn free(wish: &str, taken: impl Fn(&str) -> bool) -> String {
    let wish = if is_node_name(wish) { wish.to_string() } else { readable(wish) };
    let mut name = wish.clone();
    let mut number = 2u64;
    while taken(&name) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    name
}

/// Turns an invalid node name into a valid one.
fn readable(name: &str) -> String {
    let name = name.trim().replace(['.', '/'], "_");
    if is_node_name(&name) { name } else { format!("node_{name}").trim_end_matches('_').to_string() }
}

fn level_mut<'a>(document: &'a mut Document, scope: &Scope) -> Result<LevelMut<'a>, Refusal> {
    document.level_mut(scope).ok_or_else(|| gone(scope))
}

fn gone(scope: &Scope) -> Refusal {
    Refusal::NoSuchLevel { scope: scope.clone() }
}

fn no_node(scope: &Scope, name: &str) -> Refusal {
    Refusal::NoSuchNode { path: scope.path(name) }
}

/// Every wire of a level: those that nodes read, and those that the group's outputs pass on.
fn links<'a>(level: LevelMut<'a>) -> Box<dyn Iterator<Item = &'a mut Link> + 'a> {
    match level {
        LevelMut::Document(document) => Box::new(document.nodes.values_mut().flat_map(|n| n.inputs.values_mut())),
        LevelMut::Group(group) => {
            let inside = group.nodes.values_mut().flat_map(|node| node.inputs.values_mut());
            Box::new(inside.chain(group.outputs.values_mut()))
        }
    }
}
