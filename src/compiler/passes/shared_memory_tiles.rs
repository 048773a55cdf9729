//! Shared-memory tiling: inputs that a stage reads many times around its own cell are loaded into workgroup memory
//! once, as a tile with a halo, and its invocations read that.
//!
//! Windows are derived from the text (`stage::loops::window`), or declared and then enforced by the accessor. Where a parameter sets the
//! width, the halo is fixed and the kernel holds the stage's text twice: one reads the tile, the other, for wider windows, memory. Such a
//! stage shares its dispatch with no other.

use crate::graph::{Graph, Kind, Node};
use crate::ir::tiles::{Haloed, inner, inputs, pairs, tile};
use crate::ir::{OWN, Op, Part, Program, Task};
use crate::stage::header::Port;
use crate::stage::types::{PortType, WireType};
use crate::stage::{IterationSource, Stage};
use crate::tuning::{CELLS_OF_A_WORD, DefaultTuning, MAX_TILE_WORDS, Shape, Tuning};

/// Smaller windows are nearly as fast through the cache; only measurements choose a tile for them.
const MANY: u32 = 25;
/// Smaller domains, at four cells an invocation, leave multiprocessors of a large GPU idle.
const SMALL: u64 = 1 << 19;
/// Halos where a parameter determines how far a stage reads, the widest first.
const HALOS: [u32; 3] = [8, 4, 2];

/// Assigns this shape to every operation whose inputs can be loaded into workgroup memory, where the tuning says so.
pub(super) fn assign(graph: &Graph, program: &mut Program, tuning: &Tuning) {
    // Otherwise no stage's text needs to be analysed.
    if tuning.shapes.is_empty() && tuning.defaults != DefaultTuning::Gpu {
        return;
    }
    for index in program.ops.ids() {
        let op = &program.ops[index];
        let Some(node) = graph.nodes.get(op.node) else { continue };
        let Kind::Stage(stage) = &node.kind else { continue };
        if !stage.has_wide_footprint(graph.dim(node)) || !plain(graph, op, node, stage) {
            continue;
        }
        let fitted = |shape: &Shape| fit(graph, program, op, *shape);
        let shape = tuning.around(graph, node, stage, || usual(graph, program, op, (node, stage)));
        if let Some(shape) = shape.as_ref().and_then(fitted) {
            program.ops[index].shape = Some(shape);
        }
    }
}

/// Whether an operation only computes each cell of plain grids separately.
fn plain(graph: &Graph, op: &Op, node: &Node, stage: &Stage) -> bool {
    let plain_grid = |port: &Port| {
        port.scatter.is_none() && port.reduce.is_none() && !port.converted() && matches!(port.ty, PortType::Grid(_))
    };
    let parts = op.reads.iter().all(|r| r.part == Part::Whole && r.stage == OWN);
    matches!(op.task, Task::Stage)
        && !op.edited
        && (op.sweeps, op.color, op.shape) == (1, None, None)
        && op.inlined().is_empty()
        && op.forwarded.is_empty()
        && !op.writes.is_empty()
        && parts
        && stage.source() == IterationSource::Cells
        && stage.repeatable()
        && stage.bounded(graph.dim(node)).finite
        && stage.outputs().all(plain_grid)
        && node.outputs.iter().all(|ty| matches!(ty, WireType::Grid(_)))
}

/// The default on a GPU: the first of some shapes that fits, where a window has many cells. Small domains need as many
/// invocations as possible.
fn usual(graph: &Graph, program: &Program, op: &Op, (node, stage): (&Node, &Stage)) -> Option<Shape> {
    let many = |inputs: &[Haloed]| {
        let window = |i: &Haloed| i.cells.iter().map(|cells| 2 * cells + 1).product::<u32>();
        inputs.iter().any(|i| window(i) >= MANY)
    };
    let domain = node.domain.and_then(|d| graph.domains.get(d))?;
    let lockstep = in_lockstep(program, op, stage, domain.dim);
    let shapes = HALOS.into_iter().flat_map(|halo| {
        let mut shapes = Shape::with_halo(domain.dim, halo, lockstep);
        if domain.cells() < SMALL {
            shapes.sort_by_key(|shape| shape.cells);
        }
        shapes
    });
    let mut fitting = shapes.filter_map(|shape| fit(graph, program, op, shape));
    fitting.find(|shape| many(&inputs(graph, program, op, shape.halo)))
}

/// A shape as applied to an operation, with its actual halo; `None` where the tile does not fit.
fn fit(graph: &Graph, program: &Program, op: &Op, shape: Shape) -> Option<Shape> {
    let inputs = inputs(graph, program, op, shape.halo);
    let size = inner(graph, program, op, &shape);
    let words: u32 = inputs.iter().map(|i| tile(size, i.cells).iter().product::<u32>() * i.words).sum();
    let whole = !pairs(program, op) || shape.cells.is_multiple_of(CELLS_OF_A_WORD);
    let halo = inputs.iter().map(|i| i.limit).max()?;
    (whole && words <= MAX_TILE_WORDS).then_some(Shape { halo, ..shape })
}

/// Whether the cells of an invocation are computed in lockstep.
fn in_lockstep(program: &Program, op: &Op, stage: &Stage, dim: u32) -> bool {
    !pairs(program, op) && stage.interleaves(dim)
}
