//! The level that an edit changes, the wires on it, and the refusals where it does not exist.

use super::refusal::Refusal;
use crate::document::{Document, LevelMut, Link, Scope};

pub(super) fn level_mut<'a>(document: &'a mut Document, scope: &Scope) -> Result<LevelMut<'a>, Refusal> {
    document.level_mut(scope).ok_or_else(|| gone(scope))
}

pub(super) fn gone(scope: &Scope) -> Refusal {
    Refusal::NoSuchLevel { scope: scope.clone() }
}

pub(super) fn no_node(scope: &Scope, name: &str) -> Refusal {
    Refusal::NoSuchNode { path: scope.path(name) }
}

/// Every wire of a level: those that nodes read, and those that the group's outputs pass on.
pub(super) fn links<'a>(level: LevelMut<'a>) -> Box<dyn Iterator<Item = &'a mut Link> + 'a> {
    match level {
        LevelMut::Document(document) => Box::new(document.nodes.values_mut().flat_map(|n| n.inputs.values_mut())),
        LevelMut::Group(group) => {
            let inside = group.nodes.values_mut().flat_map(|node| node.inputs.values_mut());
            Box::new(inside.chain(group.outputs.values_mut()))
        }
    }
}
