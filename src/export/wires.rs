//! The wires of a graph that can be exported.

use super::select::{SelectedWire, Wire, find};
use super::sink::Kind;
use crate::document::Document;
use crate::graph::{self, Graph};

/// Something that can be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exportable {
    /// The name by which `stagewright export` takes it.
    pub name: String,
    /// Path of its node.
    pub node: String,
    /// Kind of the item.
    pub kind: Kind,
    /// Whether the item is the value of a State.
    pub state: bool,
    /// Type, size and unit of the item, for display.
    pub about: String,
}

impl Exportable {
    /// Whether the item is a statistic of a wire.
    pub fn is_statistic(&self) -> bool {
        self.name.contains(':')
    }
}

/// Statistics of States that are offered; the others can be typed on the command line.
const STATISTICS: [&str; 6] = ["min", "max", "mean", "sum", "rms", "count"];

/// All Outputs, topmost first; then States, all other wires, those inside groups last, and statistics of States.
pub fn exportable(document: &Document, graph: &Graph) -> Vec<Exportable> {
    let mut found = Vec::new();
    for node in graph.outputs().into_iter().filter_map(|id| graph.nodes.get(id)) {
        found.extend(one(&node.path, &node.path, false, document, graph));
    }
    let outputs = found.len();
    for (id, node) in graph.nodes.entries() {
        let (count, state) = match &node.kind {
            graph::Kind::Output { .. } | graph::Kind::Broken => continue,
            graph::Kind::Group(group) => (group.outputs.len(), false),
            kind => (node.outputs.len(), matches!(kind, graph::Kind::State(_))),
        };
        for port in 0..count {
            let name = graph.wire_name(id, port);
            let wire = one(&name, &node.path, state, document, graph);
            let kind = wire.as_ref().map(|wire| wire.kind);
            found.extend(wire);
            let statistics = STATISTICS.iter().filter(|statistic| match kind {
                Some(Kind::Grid2 | Kind::Grid3) => **statistic != "count",
                Some(Kind::Particles) => **statistic == "count",
                _ => false,
            });
            for statistic in statistics.filter(|_| state) {
                found.extend(one(&format!("{name}:{statistic}"), &node.path, state, document, graph));
            }
        }
    }
    let depth = |wire: &Exportable| wire.node.matches('/').count();
    if let Some(wires) = found.get_mut(outputs..) {
        wires.sort_by(|a, b| {
            (a.is_statistic(), !a.state, depth(a), &a.name).cmp(&(b.is_statistic(), !b.state, depth(b), &b.name))
        });
    }
    found
}

/// A wire, unless it carries a constant or something that no format holds.
fn one(name: &str, node: &str, state: bool, document: &Document, graph: &Graph) -> Option<Exportable> {
    let found = find(None, name, document, graph).ok()?;
    Some(Exportable { name: name.into(), node: node.into(), kind: found.kind(), state, about: about(&found) })
}

fn about(found: &SelectedWire) -> String {
    match &found.wire {
        Wire::Output(.., size) => size.map_or_else(String::new, |(width, height)| format!("{width} × {height}")),
        Wire::Number(_) => "number".into(),
        Wire::Carried(carried) => {
            let [x, y, z] = carried.cells;
            let cells = match (x, carried.dim) {
                (0, _) => String::new(),
                (_, 2) => format!(" {x} × {y}"),
                _ => format!(" {x} × {y} × {z}"),
            };
            let unit = if carried.unit.is_empty() { String::new() } else { format!(" {}", carried.unit) };
            format!("{}{cells}{unit}", carried.ty)
        }
    }
}
