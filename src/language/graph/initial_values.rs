//! What States start from: which nodes only run at the start, and which States and files an initial value depends on.

use std::collections::HashSet;

use super::{Graph, Kind, Node, NodeId, Source};
use crate::arena::IdVec;

/// Index of a State's `init` among its inputs.
pub const INIT: usize = 1;

impl Graph {
    /// The outputs of files that a node or the output of a group reads.
    pub fn read_of_files(&self) -> HashSet<(NodeId, usize)> {
        let sources = self.nodes.iter().flat_map(|node| {
            let shown = match &node.kind {
                Kind::Group(group) => group.outputs.as_slice(),
                _ => &[],
            };
            node.inputs.iter().map(|input| &input.source).chain(shown.iter().map(|(_, source)| source))
        });
        let read = sources.filter_map(|source| match source {
            Source::Wire { node, port } => Some((*node, *port)),
            _ => None,
        });
        read.filter(|(node, _)| self.nodes[*node].file.is_some()).collect()
    }

    /// Whether only the start of a State reads each node, and no frame does. Nodes that nothing reads are not
    /// included. Takes time proportional to the wires.
    pub fn start_only(&self) -> IdVec<Node, bool> {
        // The number of readers of each node in a frame, and the sources of each node.
        let (mut read, mut in_frame) = (self.nodes.table(false), self.nodes.table(0usize));
        let (mut sources, mut inside) = (self.nodes.table(Vec::new()), self.nodes.table(Vec::new()));
        for (index, node) in self.nodes.entries() {
            let state = matches!(node.kind, Kind::State(_));
            let inputs = node.inputs.iter().enumerate().map(|(port, i)| (&i.source, state && port == INIT));
            let shown = match &node.kind {
                Kind::Group(group) => group.outputs.iter().map(|(_, source)| (source, false)).collect(),
                _ => Vec::new(),
            };
            for (source, start) in inputs.chain(shown) {
                if let Source::Wire { node, .. } = source
                    && let Some(read) = read.get_mut(*node)
                {
                    *read = true;
                    if !start {
                        in_frame[*node] += 1;
                        sources[index].push(*node);
                    }
                }
            }
            if let Some(around) = node.group.and_then(|group| inside.get_mut(group)) {
                around.push(index);
            }
        }
        let state = |node: NodeId| matches!(self.nodes[node].kind, Kind::State(_));
        let mut only = self.nodes.table(false);
        let mut pending: Vec<NodeId> = self.nodes.ids().filter(|n| read[*n] && in_frame[*n] == 0).collect();
        while let Some(node) = pending.pop() {
            if state(node) || std::mem::replace(&mut only[node], true) {
                continue;
            }
            pending.extend(&inside[node]);
            for source in &sources[node] {
                in_frame[*source] -= 1;
                if in_frame[*source] == 0 {
                    pending.push(*source);
                }
            }
        }
        only
    }
}

/// Follows values back to the States that they depend on within the frame. Values that were found to depend on none are
/// not visited again.
#[derive(Default)]
pub struct Behind {
    clear: HashSet<GraphPlace>,
    /// Number of searches that found a State; after a few, further ones are not reported.
    found: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum GraphPlace {
    Node(NodeId),
    Output(NodeId, usize),
    Input(NodeId, usize),
}

impl Behind {
    /// The path of a State that a value depends on. A file's value exists before anything runs, so it does not count.
    pub fn state(&mut self, graph: &Graph, source: &Source) -> Option<String> {
        if self.found > 20 {
            return None;
        }
        let mut state = None;
        let met = walk(graph, source, &mut self.clear, &mut |node, _| {
            if graph.nodes[node].file.is_none() {
                state = Some(graph.nodes[node].path.clone());
            }
            state.is_none()
        });
        if state.is_some() {
            self.found += 1;
            for place in &met {
                self.clear.remove(place);
            }
        }
        state
    }

    /// Outputs of files that a value depends on, each only once.
    pub fn files(&mut self, graph: &Graph, source: &Source) -> Vec<(NodeId, usize)> {
        let mut files = Vec::new();
        walk(graph, source, &mut self.clear, &mut |node, port| {
            files.extend(graph.nodes[node].file.is_some().then_some((node, port)));
            true
        });
        files
    }
}

/// Follows wires back, except where they were seen before, and calls `on` for each State until it returns false.
/// Returns the places that it has added to `seen`.
fn walk(
    graph: &Graph,
    source: &Source,
    seen: &mut HashSet<GraphPlace>,
    on: &mut dyn FnMut(NodeId, usize) -> bool,
) -> Vec<GraphPlace> {
    let mut met = Vec::new();
    let mut pending = vec![source];
    while let Some(source) = pending.pop() {
        match source {
            Source::Wire { node, port } => {
                let target = &graph.nodes[*node];
                let place = if matches!(target.kind, Kind::Group(_)) || target.file.is_some() {
                    GraphPlace::Output(*node, *port)
                } else {
                    GraphPlace::Node(*node)
                };
                if !seen.insert(place) {
                    continue;
                }
                met.push(place);
                match &target.kind {
                    Kind::State(_) if !on(*node, *port) => return met,
                    Kind::State(_) => {}
                    Kind::Group(group) => {
                        pending.extend(group.outputs.get(*port).map(|(_, s)| s));
                        // Whether it stops is decided by a number.
                        let until = target.until.as_ref().and_then(|until| group.outputs.get(until.port));
                        pending.extend(until.map(|(_, s)| s));
                    }
                    _ => pending.extend(target.inputs.iter().map(|i| &i.source)),
                }
            }
            Source::GroupInput { group, input } => {
                if seen.insert(GraphPlace::Input(*group, *input)) {
                    met.push(GraphPlace::Input(*group, *input));
                    let entry = &graph.nodes[*group];
                    pending.extend(entry.inputs.get(*input).map(|i| &i.source));
                    if let (Kind::Group(kind), true) = (&entry.kind, entry.iterations > 1) {
                        pending.extend(kind.feedback(*input));
                    }
                }
            }
            Source::Setting(_) | Source::Nothing => {}
        }
    }
    met
}
