//! Which wires come from outside, and what is needed beside them.

use std::collections::HashSet;

use crate::graph::{Graph, Kind, NodeId, Source};
use crate::options::{Keep, PlanOptions};

/// The wires that come from outside.
#[derive(Default)]
pub(super) struct Outside {
    wires: HashSet<(NodeId, usize)>,
    /// What images need beside them.
    needed: HashSet<NodeId>,
}

impl Outside {
    pub(super) fn new(graph: &Graph, options: &PlanOptions) -> Outside {
        let names = options.played.iter().flat_map(|cache| &cache.wires);
        let wires: HashSet<(NodeId, usize)> = names.filter_map(|name| graph.find_wire(name)).collect();
        // A wire that is kept by its name is computed even where a cache plays what it reads.
        let kept = match &options.keep {
            Keep::Wires(kept) if !wires.is_empty() => kept.as_slice(),
            _ => &[],
        };
        let kept: Vec<NodeId> = kept
            .iter()
            .filter_map(|name| graph.find_wire(name).filter(|wire| !wires.contains(wire)).map(|(node, _)| node))
            .collect();
        let needed = if wires.is_empty() { HashSet::new() } else { graph.needed_beside(&wires, &kept) };
        Outside { wires, needed }
    }

    pub(super) fn has(&self, node: NodeId, port: usize) -> bool {
        self.wires.contains(&(node, port))
    }

    /// Whether a node takes part: where wires come from outside, what is only kept or watched before them does not.
    pub(super) fn runs(&self, node: NodeId) -> bool {
        self.wires.is_empty() || self.needed.contains(&node)
    }
}

/// The stage or State that an output of a group passes on.
pub(crate) fn origin(graph: &Graph, node: NodeId, port: usize) -> Option<(NodeId, usize)> {
    let mut source = Source::Wire { node, port };
    for _ in 0..graph.nodes.len() * 2 {
        source = match source {
            Source::Wire { node, port } => match &graph.nodes.get(node)?.kind {
                Kind::Group(group) => group.outputs.get(port)?.1.clone(),
                _ => return Some((node, port)),
            },
            Source::GroupInput { group, input } => graph.nodes.get(group)?.inputs.get(input)?.source.clone(),
            Source::Setting(_) | Source::Nothing => return None,
        };
    }
    None
}
