//! Whether an operation may overwrite what it reads.

use crate::graph::{Graph, Kind, NodeId};
use crate::ir::{Op, Part, Program, Task, ValueId, Write};
use crate::stage::Reach;
use crate::stage::header::Port;
use crate::stage::types::{EdgeRule, WireType};

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
    if let (Some(Kind::Stage(stage)), Part::Attribute(_)) = (node.map(|n| &n.kind), &write.part) {
        // A particle may overwrite what only it has read: its own attribute, through the port that writes it.
        let Some(declared) = stage.outputs().nth(write.port) else { return false };
        let reads_own = |r: &crate::ir::Read| {
            r.stage == write.stage
                && r.part == write.part
                && stage.inputs().nth(r.port).is_some_and(|p| p.name == declared.name)
                && stage.set().is_some_and(|p| p.name == declared.name)
                && !stage.calls(&declared.name)
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
                    _ if repeats_faces(graph, program, op.node, (declared, write)) => false,
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

/// Whether a face has two places: around a periodic axis the last one is the first one, which its invocation reads while another may store it.
fn repeats_faces(graph: &Graph, program: &Program, node: NodeId, (port, write): (&Port, &Write)) -> bool {
    let domain = graph.nodes.get(node).and_then(|n| n.domain).and_then(|d| graph.domains.get(d));
    let faces = program.values.get(write.value).is_some_and(|value| value.ty == WireType::FaceGrid);
    faces && domain.is_some_and(|domain| port.edges(domain.edge).has(EdgeRule::Wrap))
}

/// Whether cells across a face always differ in colour. Around a periodic axis with an odd number of cells they do not.
pub(crate) fn colors_alternate(graph: &Graph, node: NodeId, port: &Port) -> bool {
    let domain = graph.nodes.get(node).and_then(|n| n.domain).and_then(|d| graph.domains.get(d));
    domain.is_none_or(|d| !d.wraps_oddly(port.edges(d.edge)))
}
