//! An invocation computes four cells of a row: values at the computed cell and across its faces are loaded as vectors
//! of four words, which is the best access pattern. Where two cells share a word in half precision, an invocation computes
//! both (`pair`).

use crate::graph::{Graph, Kind, Node};
use crate::ir::window::{Side, Window, window};
use crate::ir::{Op, Program, Task, blocks};
use crate::stage::header::Port;
use crate::stage::types::{PortType, WireType};
use crate::stage::{IterationSource, Stage};
use crate::tuning::{CELLS_OF_A_ROW, Shape, Tuning};

/// Gives every operation that can compute four cells at a time this shape, where the tuning says so; others get the
/// shape of their workgroups.
pub(super) fn widen(graph: &Graph, program: &mut Program, tuning: &Tuning) {
    for index in program.ops.ids() {
        let op = &program.ops[index];
        let Some(node) = graph.nodes.get(op.node).filter(|_| !op.edited) else { continue };
        let Kind::Stage(stage) = &node.kind else { continue };
        let rows = tuning.rows(graph, node, stage).filter(|_| fits(graph, program, op, node, stage));
        let shape = rows.or_else(|| tuning.group(graph, node, stage).filter(|_| grouped(op, stage)));
        if shape.is_some() {
            program.ops[index].shape = shape;
        }
    }
}

/// Gives operations that write numbers sharing a word a shape in which one invocation writes the whole word.
pub(super) fn pair(graph: &Graph, program: &mut Program) {
    let Program { ops, values, .. } = program;
    let shares = |op: &Op| {
        let mut stored = op.writes.iter().filter(|w| !w.transient);
        stored.any(|w| values.get(w.value).is_some_and(|v| v.layout().pairs()))
    };
    for op in ops.iter_mut().filter(|op| matches!(op.task, Task::Stage) && op.sweeps == 1) {
        let Some(node) = graph.nodes.get(op.node).filter(|_| shares(op)) else { continue };
        let shape = op.shape.unwrap_or(Shape::plain(graph.dim(node)));
        op.shape = Some(if shape.cells == 1 { shape.in_pairs() } else { shape });
    }
}

/// Whether the workgroups of an operation may have any shape. Partial results of a reduction are laid out by the plain
/// one.
fn grouped(op: &Op, stage: &Stage) -> bool {
    let reduces = stage.outputs().any(|port| port.reduce.is_some());
    matches!(op.task, Task::Stage) && op.shape.is_none() && stage.source() == IterationSource::Cells && !reduces
}

/// Whether a stage's kernel can compute four cells: all its outputs are plain grids of its own, in rows of a multiple
/// of four cells.
fn fits(graph: &Graph, program: &Program, op: &Op, node: &Node, stage: &Stage) -> bool {
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return false };
    let plain = |port: &Port| {
        port.scatter.is_none() && port.reduce.is_none() && !port.converted() && matches!(port.ty, PortType::Grid(_))
    };
    let alone = matches!(op.task, Task::Stage)
        && blocks::table(op).is_none()
        && op.sweeps == 1
        && op.shape.is_none()
        && op.color.is_none();
    alone
        && stage.source() == IterationSource::Cells
        && op.inlined().is_empty()
        && op.forwarded.is_empty()
        && !op.writes.is_empty()
        && stage.repeatable()
        && stage.bounded(domain.dim).finite
        && domain.resolution[0] % CELLS_OF_A_ROW == 0
        && stage.outputs().all(plain)
        && node
            .outputs
            .iter()
            .all(|ty| matches!(ty, WireType::Grid(value) if value.components(domain.dim) <= 4 && !value.is_compound()))
        && op.writes.iter().all(|w| window(graph, program, op, w.port, Side::Output) != Some(Window::Narrow))
        && op.reads.iter().any(|r| window(graph, program, op, r.port, Side::Input) == Some(Window::Faces))
            | op.writes.iter().any(|w| window(graph, program, op, w.port, Side::Output) == Some(Window::Faces))
}
