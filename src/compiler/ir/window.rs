//! How the cells of a port are loaded into registers where an invocation computes four cells of a row.

use crate::graph::Graph;
use crate::graph::Kind;
use crate::ir::{OWN, Op, Part, Program};
use crate::stage::Reach;
use crate::stage::header::Direction;
use crate::stage::types::EdgeRule;
use crate::stage::types::WireType;

/// How a port's cells are loaded into registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// The four computed cells.
    Own,
    /// The four computed cells and all cells across their faces, with one word a cell.
    Faces,
    /// One by one, by the accessor.
    Narrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// The window of a port of an operation that computes four cells; `None` where it is not a grid. An output that is not
/// read counts as own.
pub(crate) fn window(graph: &Graph, program: &Program, op: &Op, port: usize, side: Side) -> Option<Window> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let (declared, value) = match side {
        Side::Input => {
            let read = op.reads.iter().find(|r| r.stage == OWN && r.port == port && r.part == Part::Whole)?;
            (stage.inputs().nth(port)?, read.value)
        }
        Side::Output => {
            (stage.outputs().nth(port)?, op.writes.iter().find(|w| w.stage == OWN && w.port == port)?.value)
        }
    };
    let value = program.values.get(value)?;
    if !matches!(value.ty, WireType::Grid(_)) {
        return (declared.ty.is_grid()).then_some(Window::Narrow);
    }
    let dim = graph.dim(node);
    let domain = node.domain.and_then(|d| graph.domains.get(d));
    // A mirror gives the cell itself across a border, and so do walls for scalars.
    let edges_show_cells = domain.is_some_and(|d| !declared.edges(d.edge).has(EdgeRule::Zero));
    let words = value.ty.value().components(dim);
    let float = value.ty.value().scalar() == crate::stage::types::Scalar::F32;
    Some(match stage.reach(&declared.name) {
        _ if value.domain != node.domain || !float || words > 4 || declared.ty.is_compound() => Window::Narrow,
        _ if declared.direction == Direction::Out => Window::Own,
        Reach::Own => Window::Own,
        Reach::Faces if words == 1 && edges_show_cells => Window::Faces,
        _ => Window::Narrow,
    })
}
