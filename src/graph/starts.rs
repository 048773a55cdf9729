//! Which nodes only a start needs: what they give goes to the `init` of States and nowhere else.

use super::{Graph, Kind, Source};

/// Place of a State's `init` among its inputs.
const INIT: usize = 1;

impl Graph {
    /// For each node whether no frame reads it, but the start of a State does. Nodes that nothing reads are not among them.
    pub fn start_only(&self) -> Vec<bool> {
        // Who reads each node, and whether that is for a start.
        let mut readers: Vec<Vec<(usize, bool)>> = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let state = matches!(node.kind, Kind::State(_));
            let inputs = node.inputs.iter().enumerate().map(|(port, i)| (&i.source, state && port == INIT));
            let shown = match &node.kind {
                Kind::Group(group) => group.outputs.iter().map(|(_, source)| (source, false)).collect(),
                _ => Vec::new(),
            };
            for (source, start) in inputs.chain(shown) {
                if let Source::Wire { node, .. } = source
                    && let Some(readers) = readers.get_mut(*node)
                {
                    readers.push((index, start));
                }
            }
        }
        let mut only = vec![false; self.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (index, node) in self.nodes.iter().enumerate().rev() {
                let read = &readers[index];
                let by_starts = !read.is_empty() && read.iter().all(|(reader, start)| *start || only[*reader]);
                let inside = node.group.is_some_and(|group| only[group]);
                if !only[index] && !matches!(node.kind, Kind::State(_)) && (by_starts || inside) {
                    (only[index], changed) = (true, true);
                }
            }
        }
        only
    }
}
