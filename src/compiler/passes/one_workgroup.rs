//! Small dispatches in a row, which one workgroup does in their turn: a barrier in it takes less time than a GPU takes from a dispatch to the
//! next. The coarse levels of a multigrid cycle become one dispatch, and what runs once for the whole graph.
//!
//! The pass says which operations are small enough: no more invocations than the workgroup has. To go through them twice takes longer than
//! several workgroups do at once (docs/performance.md). Which of them share a kernel is decided where their texts are known: a kernel can bind
//! so many buffers, and has so much workgroup memory (`codegen::one_workgroup`).

use crate::graph::{Graph, Kind};
use crate::ir::workgroups::op_groups;
use crate::ir::{Op, Program, Task, bins, tiles};
use crate::stage::IterationSource;
use crate::tuning::{LANES, MAX_TILE_WORDS, MAX_WORKGROUP};

/// Marks operations that may share a workgroup with those next to them.
pub(super) fn mark(graph: &Graph, program: &mut Program) {
    if program.versions {
        // A debugger stops between any two.
        return;
    }
    let small: Vec<bool> = program.ops.iter().map(|op| is_small(graph, program, op)).collect();
    let near = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| small.get(before)).copied().unwrap_or(false);
        before || small.get(at + 1).copied().unwrap_or(false)
    };
    let marked: Vec<bool> = small.iter().enumerate().map(|(at, small)| *small && near(at)).collect();
    for (op, small) in program.ops.iter_mut().zip(marked) {
        op.small = small;
        if small {
            fill_workgroup(graph, op);
        }
    }
}

/// Whether one workgroup can do the work of an operation.
fn is_small(graph: &Graph, program: &Program, op: &Op) -> bool {
    if op.invariant || op.edited || op.gate.is_some() {
        return false;
    }
    let groups = op_groups(graph, program, op).iter().product::<u32>();
    let Some(node) = graph.nodes.get(op.node) else { return false };
    match (&op.task, &node.kind) {
        (Task::Stage, Kind::Stage(stage)) => {
            let over_cells = matches!(stage.source(), IterationSource::Cells | IterationSource::Once);
            let adds = stage.outputs().any(|port| port.scatter.is_some());
            let reduces = stage.outputs().any(|port| port.reduce.is_some());
            let fits = match op.shape.is_none() && !reduces {
                true => graph.extent(node).iter().product::<u32>() <= LANES,
                false => groups == 1,
            };
            over_cells && !adds && bins::table(op).is_none() && fits
        }
        (Task::Stage | Task::Test { .. } | Task::Present { .. } | Task::Fill(Some(_)) | Task::ToFixed(_), _) => false,
        _ => groups == 1,
    }
}

/// Gives a tile that holds the whole domain as many invocations as the workgroup has, since all of them meet at barriers.
fn fill_workgroup(graph: &Graph, op: &mut Op) {
    let Some(node) = graph.nodes.get(op.node) else { return };
    let Some(mut shape) = op.shape.filter(|shape| op.sweeps > 1 && tiles::holds_domain(graph, op, shape)) else {
        return;
    };
    let dim = graph.dim(node);
    let lanes = shape.group.iter().product::<u32>().max(1);
    if lanes >= LANES {
        return;
    }
    let mut left = LANES / lanes;
    // The last axis first; a kernel that shares its workgroup with no other is dispatched in this shape.
    for axis in (0..dim as usize).rev() {
        while left.is_multiple_of(2) && 2 * shape.group[axis] <= MAX_WORKGROUP[axis] {
            shape.group[axis] *= 2;
            left /= 2;
        }
    }
    let cells = shape.tile_size(dim).iter().product::<u32>();
    if shape.group.iter().product::<u32>() == LANES && cells * tiles::words(graph, node) <= MAX_TILE_WORDS {
        op.shape = Some(shape);
    }
}
