//! Whether an operation may overwrite what it reads.

use crate::graph::{Graph, Kind, NodeId};
use crate::ir::query::stage_of;
use crate::ir::{OWN, Op, Part, Program, Task, ValueId, Write};
use crate::stage::Reach;
use crate::stage::header::Port;
use crate::stage::types::WireType;

/// Whether an operation may overwrite the version that it updates.
pub(crate) fn works_in_place(graph: &Graph, program: &Program, op: &Op, write: &Write) -> bool {
    let precision = |v: ValueId| program.values.get(v).map(|v| (v.precision, v.pooled));
    // The halo of a tile is the inside of others.
    if op.sweeps > 1 || write.consumes.is_some_and(|before| precision(before) != precision(write.value)) {
        return false;
    }
    // Of two writes that update the same version, neither may overwrite it.
    let sharers = op.writes.iter().filter(|w| w.consumes == write.consumes).count();
    let mut readers = op.reads.iter().filter(|r| Some(r.value) == write.consumes);
    let node = op.node_of(write.stage).and_then(|node| graph.nodes.get(node));
    if let (Some(Kind::Stage(stage)), Part::Attribute(name)) = (node.map(|n| &n.kind), &write.part) {
        // A particle may overwrite what only it has read: its own attribute, through the port that writes it.
        let Some(declared) = stage.outputs().nth(write.port) else { return false };
        let of_others = stage.may_read_of_others(&declared.name, name);
        let reads_own = |r: &crate::ir::Read| {
            r.stage == write.stage
                && r.part == write.part
                && stage.inputs().nth(r.port).is_some_and(|p| p.name == declared.name)
                && stage.set().is_some_and(|p| p.name == declared.name)
                && !of_others
        };
        return sharers == 1 && readers.all(reads_own);
    }
    if matches!(write.part, Part::Zeros(_)) {
        // The pass that zeroes sums where they are has seen that they are read cell by cell.
        return sharers == 1 && readers.count() <= 1;
    }
    if readers.next().is_some() || sharers > 1 {
        return false;
    }
    match (&op.task, node.map(|n| &n.kind)) {
        (Task::Stage, _) if write.part == Part::Blocks => true,
        (Task::Stage, Some(Kind::Stage(stage))) => stage.outputs().nth(write.port).is_some_and(|declared| {
            declared.scatter.is_some()
                || declared.reduce.is_some()
                || match stage.reach(&declared.name) {
                    _ if apart(graph, program, op, (declared, write)) => false,
                    Reach::Own => true,
                    // A red cell reads only black neighbours, which do not change, unless they share a word with
                    // another cell.
                    Reach::Faces => {
                        let shared = program.values.get(write.value).is_some_and(|v| v.layout().pairs());
                        stage.header.checkerboard && !shared && colors_alternate(graph, op.node, declared)
                    }
                    Reach::Anywhere => false,
                }
        }),
        (Task::ToFixed(_) | Task::FromFixed(_) | Task::FromOrdered, _) => true,
        // The output of a group that may stop goes to where the iteration before has put it.
        (Task::Copy | Task::Fill(_), _) => true,
        (Task::BinCount(_) | Task::BinList(_) | Task::WidenBlocks | Task::PlaceBlocks(_), _) => true,
        (Task::ScanBlocks | Task::ScanSums | Task::ScanAdd | Task::ScanEnd | Task::ConnectBorders, _) => true,
        _ => false,
    }
}

/// Axes along which the last face is the first one: the invocation of that stores both, since another would read it while it is stored.
pub(crate) fn repeated_faces(graph: &Graph, op: &Op) -> [bool; 3] {
    let node = graph.nodes.get(op.node);
    let domain = node.and_then(|node| graph.domains.get(node.domain?));
    let (Some(node), Some(domain), Some(stage)) = (node, domain, stage_of(graph, op, OWN)) else { return [false; 3] };
    let faces = || stage.outputs().zip(&node.outputs).filter(|(_, ty)| **ty == WireType::FaceGrid);
    [0, 1, 2].map(|axis| {
        let wraps = |port: &Port| port.edges(domain.edge).wraps(axis);
        axis < domain.dim as usize && faces().next().is_some() && faces().all(|(port, _)| wraps(port))
    })
}

/// Whether the last face is the first one for a port, and is computed by itself because it is not for another port of the stage.
fn apart(graph: &Graph, program: &Program, op: &Op, (port, write): (&Port, &Write)) -> bool {
    let domain = graph.nodes.get(op.node).and_then(|node| graph.domains.get(node.domain?));
    let faces = program.values.get(write.value).is_some_and(|value| value.ty == WireType::FaceGrid);
    let repeated = repeated_faces(graph, op);
    faces
        && domain.is_some_and(|domain| {
            (0..domain.dim as usize).any(|axis| port.edges(domain.edge).wraps(axis) && !repeated[axis])
        })
}

/// Whether cells across a face always differ in colour. Around a periodic axis with an odd number of cells they do not.
pub(crate) fn colors_alternate(graph: &Graph, node: NodeId, port: &Port) -> bool {
    let domain = graph.nodes.get(node).and_then(|n| n.domain).and_then(|d| graph.domains.get(d));
    domain.is_none_or(|d| !d.wraps_oddly(port.edges(d.edge)))
}
