//! Removes nodes: their readers are connected to what they passed on.

use std::collections::BTreeSet;

use super::wires::{connect, disconnect};
use super::{InputEnd, OUT};
use crate::document::{Document, LevelMut, Link, Node, NodeKind, ParamValue, Scope};
use crate::graph::bypass::{takes_constant, through};
use crate::graph::ports::{Ports, Through};
use crate::library::Library;

/// Removes nodes. Readers of a removed node are connected to what it would pass on if it were bypassed; where there is
/// nothing, the wire is removed. Uses of it as a domain, and parameters of the group that set it, are removed as well.
pub fn remove(document: &mut Document, scope: &Scope, names: &BTreeSet<String>, library: &Library) {
    for (end, healed) in heal(document, scope, names, library) {
        match healed {
            Healed::Wire(link) => connect(document, scope, link, &end),
            Healed::Constant(param, value) => {
                disconnect(document, scope, &end);
                if let Some(node) = document.level_mut(scope).and_then(|l| l.into_nodes().get_mut(&end.node)) {
                    node.params.insert(param, value);
                }
            }
            Healed::Nothing => disconnect(document, scope, &end),
        }
    }
    let Some(mut level) = document.level_mut(scope) else { return };
    level.nodes().retain(|name, _| !names.contains(name));
    level.nodes().values_mut().for_each(|node| leave_domains(node, names));
    document.forget_in_variants(&names.iter().map(|name| scope.path(name)).collect());
    drop_targets(document, scope, &|target| !names.contains(&target.node));
}

/// Removes the targets of the group's parameters for which `kept` is false. A parameter without targets is removed with
/// its value.
pub(super) fn drop_targets(document: &mut Document, scope: &Scope, kept: &dyn Fn(&Link) -> bool) {
    let Some(LevelMut::Group(group)) = document.level_mut(scope) else { return };
    let mut lost = BTreeSet::new();
    for (name, targets) in &mut group.params {
        let before = targets.len();
        targets.retain(kept);
        if targets.is_empty() && before > 0 {
            lost.insert(name.clone());
        }
    }
    group.params.retain(|name, _| !lost.contains(name));
    if let Some((around, group)) = scope.outside()
        && let Some(node) = document.level_mut(&around).and_then(|level| level.into_nodes().get_mut(group))
    {
        node.params.retain(|name, _| !lost.contains(name));
        let path = around.path(group);
        lost.iter().for_each(|name| document.spread_in_variants(&format!("{path}.{name}"), &[]));
    }
}

enum Healed {
    Wire(Link),
    Constant(String, ParamValue),
    Nothing,
}

/// Every end of a wire from a removed node, with its replacement.
fn heal(document: &Document, scope: &Scope, names: &BTreeSet<String>, library: &Library) -> Vec<(InputEnd, Healed)> {
    let (Some(level), Some(ports)) = (document.level(scope), Ports::of_level(document, scope, library)) else {
        return Vec::new();
    };
    let stays = level.nodes().iter().filter(|(name, _)| !names.contains(*name));
    let inputs = stays.flat_map(|(name, node)| node.inputs.iter().map(move |(port, link)| (name.as_str(), port, link)));
    let outputs = level.group().into_iter().flat_map(|group| &group.outputs).map(|(port, link)| (OUT, port, link));
    let ends = inputs.chain(outputs).filter(|(_, _, link)| names.contains(&link.node));
    let healed = ends.map(|(node, port, link)| {
        let healed = match through(&ports, link, &|name, _| names.contains(name)) {
            Through::Wire(link) => Healed::Wire(link),
            // Only a constant that the user has set is kept.
            Through::Constant { from, value } => {
                let is_set = level.nodes().get(&from.node).is_some_and(|node| node.params.contains_key(&from.port));
                let param = takes_constant(&ports, node, port).filter(|_| is_set);
                param.map_or(Healed::Nothing, |param| Healed::Constant(param, value))
            }
            Through::Stuck(_) | Through::Cycle(..) => Healed::Nothing,
        };
        (InputEnd { node: node.into(), port: port.clone() }, healed)
    });
    healed.collect()
}

/// Nodes in groups can use the enclosing domains, unless the group has one of the same name.
fn leave_domains(node: &mut Node, names: &BTreeSet<String>) {
    node.on = node.on.take().filter(|on| !names.contains(on));
    if let NodeKind::Group(group) = &mut node.kind {
        let seen = names.iter().filter(|name| !group.nodes.contains_key(*name)).cloned().collect();
        group.nodes.values_mut().for_each(|inner| leave_domains(inner, &seen));
    }
}
