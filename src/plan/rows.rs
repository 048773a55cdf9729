//! Four cells of a row an invocation: what is read at the computed cell and across its faces comes in vectors of four words, as
//! memory likes it.

use super::expand::{Op, Part, Program, Task};
use super::kernel::dim;
use super::tuning::{CELLS_OF_A_ROW, Shape, Tuning};
use crate::graph::{Graph, Kind, Node};
use crate::stage::header::{Direction, Port};
use crate::stage::types::{EdgeRule, PortType, WireType};
use crate::stage::{IterationSource, Reach, Stage};

/// Gives every operation that can take four cells at a time that shape, where the tuning says so; others the shape of their
/// workgroups.
pub fn widen(graph: &Graph, program: &mut Program, tuning: &Tuning) {
    for index in 0..program.ops.len() {
        let op = &program.ops[index];
        let Some(node) = graph.nodes.get(op.node) else { continue };
        let Kind::Stage(stage) = &node.kind else { continue };
        let rows = tuning.rows(graph, node, stage).filter(|_| fits(graph, program, op, node, stage));
        let shape = rows.or_else(|| tuning.group(graph, node, stage).filter(|_| grouped(op, stage)));
        if shape.is_some() {
            program.ops[index].shape = shape;
        }
    }
}

/// Gives what writes numbers that share a word a shape in which one invocation writes all of it.
pub fn pair(graph: &Graph, program: &mut Program) {
    let Program { ops, values, .. } = program;
    let shares = |op: &Op| {
        let mut stored = op.writes.iter().filter(|w| !w.passed);
        stored.any(|w| values.get(w.value).is_some_and(|v| v.layout().pairs()))
    };
    for op in ops.iter_mut().filter(|op| matches!(op.task, Task::Stage) && op.sweeps == 1) {
        let Some(node) = graph.nodes.get(op.node).filter(|_| shares(op)) else { continue };
        let shape = op.shape.unwrap_or(Shape::plain(dim(graph, node)));
        op.shape = Some(if shape.cells == 1 { shape.in_pairs() } else { shape });
    }
}

/// Whether the workgroups of an operation may have any shape. Partial results of a reduction are laid out by the plain one.
fn grouped(op: &Op, stage: &Stage) -> bool {
    let reduces = stage.outputs().any(|port| port.reduce.is_some());
    matches!(op.task, Task::Stage) && op.shape.is_none() && stage.source() == IterationSource::Cells && !reduces
}

/// Whether a stage's kernel can take four cells: all that it writes are plain grids of its own, in rows of a multiple of four cells.
fn fits(graph: &Graph, program: &Program, op: &Op, node: &Node, stage: &Stage) -> bool {
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return false };
    let plain = |port: &Port| {
        port.scatter.is_none() && port.reduce.is_none() && !port.scan && matches!(port.ty, PortType::Grid(_))
    };
    let alone = matches!(op.task, Task::Stage) && op.sweeps == 1 && op.shape.is_none() && op.color.is_none();
    alone
        && stage.source() == IterationSource::Cells
        && op.built_in.is_empty()
        && op.handed.is_empty()
        && !op.writes.is_empty()
        && stage.repeatable()
        && stage.bounded(domain.dim).finite
        && domain.resolution[0] % CELLS_OF_A_ROW == 0
        && stage.outputs().all(plain)
        && node.outputs.iter().all(|ty| matches!(ty, WireType::Grid(value) if value.components(domain.dim) <= 4))
        && op.writes.iter().all(|w| window(graph, program, op, w.port, Side::Output) != Some(Window::Narrow))
        && op.reads.iter().any(|r| window(graph, program, op, r.port, Side::Input) == Some(Window::Faces))
            | op.writes.iter().any(|w| window(graph, program, op, w.port, Side::Output) == Some(Window::Faces))
}

/// How a port's cells come into registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The four computed cells.
    Own,
    /// Those and all across their faces, of one word a cell.
    Faces,
    /// One by one, by the accessor.
    Narrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Input,
    Output,
}

/// The window of a port of an operation that takes four cells; nothing where it is no grid. An output that is not read counts as
/// own.
pub fn window(graph: &Graph, program: &Program, op: &Op, port: usize, side: Side) -> Option<Window> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let (declared, value) = match side {
        Side::Input => {
            let read = op.reads.iter().find(|r| r.field == 0 && r.port == port && r.part == Part::Whole)?;
            (stage.inputs().nth(port)?, read.value)
        }
        Side::Output => (stage.outputs().nth(port)?, op.writes.iter().find(|w| w.of == 0 && w.port == port)?.value),
    };
    let value = program.values.get(value)?;
    if !matches!(value.ty, WireType::Grid(_)) {
        return (declared.ty.is_grid()).then_some(Window::Narrow);
    }
    let dim = dim(graph, node);
    let edge = declared.edge.or(node.domain.and_then(|d| graph.domains.get(d)).map(|d| d.edge));
    // A mirror shows the cell itself across a border, as walls do for numbers.
    let known = !matches!(edge, None | Some(EdgeRule::Zero));
    let words = value.ty.value().components(dim);
    let float = value.ty.value().scalar() == crate::stage::types::Scalar::F32;
    Some(match stage.reach(&declared.name) {
        _ if value.domain != node.domain || !float || words > 4 => Window::Narrow,
        _ if declared.direction == Direction::Out => Window::Own,
        Reach::Own => Window::Own,
        Reach::Faces if words == 1 && known => Window::Faces,
        _ => Window::Narrow,
    })
}
