//! Names of nodes: which are valid, which are reserved, and unused ones.

use crate::document::{Nodes, WHERE};

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

pub(super) fn free(wish: &str, is_used: impl Fn(&str) -> bool) -> String {
    let wish = if is_node_name(wish) { wish.to_string() } else { readable(wish) };
    let mut name = wish.clone();
    let mut number = 2u64;
    while is_used(&name) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    name
}

/// The wish for an input of a group: one called `where` would hide the group's own `where`.
pub(super) fn of_input(wish: &str) -> &str {
    if wish == WHERE { "mask" } else { wish }
}

/// Turns an invalid node name into a valid one.
fn readable(name: &str) -> String {
    let name = name.trim().replace(['.', '/'], "_");
    if is_node_name(&name) { name } else { format!("node_{name}").trim_end_matches('_').to_string() }
}
