//! How wires are kept in a cache: the memory of each part, as a plan stores it.

use crate::cache::{BakedPart, BakedWire, Numbers};
use crate::graph::{Graph, Kind, NodeId};
use crate::ir::layout;
use crate::ir::stored::Stored;
use crate::lower::origin;
use crate::stage::types::{Scalar, WireType};

/// The parts of a wire in a cache; `None` for a wire without memory.
pub fn baked_wire(graph: &Graph, node: NodeId, port: usize) -> Option<BakedWire> {
    let (from, at) = origin(graph, node, port)?;
    let entry = graph.nodes.get(from)?;
    let ty = *entry.outputs.get(at)?;
    let part = |name: &str, wire: Stored| {
        let (stored, words) = wire.on_disk(&graph.domains, name);
        let numbers = match (wire.ty.value().scalar(), wire.layout().is_half()) {
            (Scalar::F32, true) => Numbers::Half,
            (Scalar::F32, false) => Numbers::Single,
            _ => Numbers::Whole,
        };
        BakedPart { name: name.into(), stored, words, numbers }
    };
    let whole = |ty, dim| Stored { dim, ..Stored::number(ty) };
    let mut capacity = 0;
    let parts = match (ty, graph.particles_on(from, at)) {
        (WireType::Particles, Some(set)) => {
            let dim = graph.domains.get(set.domain).map_or(2, |domain| domain.dim);
            capacity = set.capacity;
            let attribute = |(name, ty): (&String, &_)| {
                part(name, Stored { capacity: set.capacity, ..whole(WireType::Attribute(*ty), dim) })
            };
            let count = part("count", whole(WireType::Number(crate::stage::types::ValueType::U32), 2));
            set.attributes.iter().map(attribute).chain([count]).collect()
        }
        (WireType::Particles | WireType::Field(_) | WireType::NeighborGrid, _) => return None,
        _ => {
            let domain = entry.domain.filter(|_| ty.is_grid());
            let precision = layout::precision(ty, entry.precision);
            vec![part("", Stored { domain, precision, ..whole(ty, graph.dim(entry)) })]
        }
    };
    let state = matches!(graph.nodes.get(node)?.kind, Kind::State(_));
    Some(BakedWire { name: graph.wire_name(node, port), state, capacity, parts })
}
