//! Workgroups that fit what they run over. Rows of 32 cells are what memory likes best, but a domain of 80 cells leaves a sixth of such
//! invocations without work, and rays from a camera that lie in a row go different ways, while those of a block are long together.

use crate::graph::{Graph, Kind, Node};
use crate::ir::query::stage_of;
use crate::ir::{Op, Program, Task, blocks};
use crate::stage::types::{Element, PortType, ValueType};
use crate::stage::{IterationSource, Stage};
use crate::tuning::Shape;

/// Smaller domains wait for memory, whatever their workgroups are.
const LARGE: u32 = 1 << 15;
/// Workgroups of rays, whose groups of 32 are blocks of 16 x 2.
const RAYS: [u32; 3] = [16, 4, 1];
/// Workgroups with shorter rows, in space.
const SHORT_ROWS: [u32; 3] = [16, 4, 4];

/// Gives operations with one cell an invocation another shape than the plain one, where that is faster.
pub(super) fn fit(graph: &Graph, program: &mut Program) {
    for index in program.ops.ids() {
        let op = &program.ops[index];
        let Some(node) = graph.nodes.get(op.node).filter(|node| is_free(graph, op, node)) else { continue };
        let plain = Shape::plain(graph.dim(node));
        let group = match graph.dim(node) {
            3 => Some(SHORT_ROWS).filter(|short| idle(graph, node, plain.group) > 2 * idle(graph, node, *short)),
            _ => Some(RAYS).filter(|_| follows_rays(graph, op)),
        };
        if let Some(group) = group {
            program.ops[index].shape = Some(Shape { group, ..plain });
        }
    }
}

/// Whether the shape of an operation's workgroups changes nothing but time. Partial results of a reduction are laid out by the plain one.
fn is_free(graph: &Graph, op: &Op, node: &Node) -> bool {
    let Kind::Stage(stage) = &node.kind else { return false };
    let reduces = |stage: &Stage| stage.outputs().any(|port| port.reduce.is_some());
    matches!(op.task, Task::Stage)
        && op.shape.is_none()
        && !op.edited
        && !op.small
        && blocks::table(op).is_none()
        && stage.source() == IterationSource::Cells
        && !op.stages.ids().any(|instance| stage_of(graph, op, instance).is_some_and(reduces))
        && graph.extent(node).iter().product::<u32>() >= LARGE
}

/// Invocations without a cell, for each hundred with one.
fn idle(graph: &Graph, node: &Node, group: [u32; 3]) -> u64 {
    let cells = graph.extent(node);
    let product = |sizes: [u32; 3]| sizes.map(u64::from).iter().product::<u64>();
    let all = product([0, 1, 2].map(|axis| cells[axis].next_multiple_of(group[axis])));
    100 * (all - product(cells)) / product(cells).max(1)
}

/// Whether a stage of an operation goes along rays through the pixels of a camera.
fn follows_rays(graph: &Graph, op: &Op) -> bool {
    let camera = PortType::Number(Element::Fixed(ValueType::Camera));
    let follows = |stage: &Stage| {
        let loops = ["for", "while", "loop"].iter().any(|word| stage.names(word));
        loops && stage.inputs().any(|port| port.ty == camera)
    };
    op.stages.ids().any(|instance| stage_of(graph, op, instance).is_some_and(follows))
}
