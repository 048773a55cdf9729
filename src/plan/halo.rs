//! Inputs that a stage reads many times around its own cell come through workgroup memory: a workgroup loads a tile with a halo
//! once, and its invocations read that.

use super::expand::{Op, Part, Program, Task};
use super::kernel::dim;
use super::tuning::{CELLS_OF_A_WORD, MAX_TILE_WORDS, Otherwise, Shape, Tuning};
use crate::graph::{Graph, Kind, Node};
use crate::stage::header::{Port, Radius};
use crate::stage::types::{EdgeRule, PortType, WireType};
use crate::stage::{IterationSource, Stage};

/// Windows of fewer cells come through the cache nearly as fast; only measuring takes a tile for them.
const MANY: u32 = 25;
/// Fewer cells than these, four an invocation, leave multiprocessors of a large GPU without work.
const SMALL: u64 = 1 << 19;
/// What a tile has around where a parameter says how far its stage looks, the widest first.
const HALOS: [u32; 3] = [8, 4, 2];

/// An input that comes through workgroup memory.
pub struct Haloed {
    /// Which of the stage's inputs.
    pub input: usize,
    /// Cells on either side of those that a workgroup computes.
    pub cells: [u32; 3],
    /// Words of a cell: vectors of three are laid out like those of four.
    pub words: u32,
    /// The parameter that must not be above `limit`, or the input is read where it lies.
    pub param: Option<String>,
    pub limit: u32,
}

/// Gives every operation whose inputs can come through workgroup memory that shape, where the tuning says so.
pub fn assign(graph: &Graph, program: &mut Program, tuning: &Tuning) {
    // Else no stage's text need be looked through.
    if tuning.shapes.is_empty() && tuning.otherwise != Otherwise::Gpu {
        return;
    }
    for index in 0..program.ops.len() {
        let op = &program.ops[index];
        let Some(node) = graph.nodes.get(op.node) else { continue };
        let Kind::Stage(stage) = &node.kind else { continue };
        if !stage.has_wide_footprint(dim(graph, node)) || !plain(graph, op, node, stage) {
            continue;
        }
        let fitted = |shape: &Shape| fit(graph, program, op, *shape);
        let shape = tuning.around(graph, node, stage, || usual(graph, program, op, (node, stage)));
        if let Some(shape) = shape.as_ref().and_then(fitted) {
            program.ops[index].shape = Some(shape);
        }
    }
}

/// Whether all that an operation does is to compute each cell of plain grids by itself.
fn plain(graph: &Graph, op: &Op, node: &Node, stage: &Stage) -> bool {
    let own = |port: &Port| {
        port.scatter.is_none() && port.reduce.is_none() && !port.scan && matches!(port.ty, PortType::Grid(_))
    };
    let parts = op.reads.iter().all(|r| r.part == Part::Whole && r.field == 0);
    matches!(op.task, Task::Stage)
        && (op.sweeps, op.color, op.shape) == (1, None, None)
        && op.built_in.is_empty()
        && op.handed.is_empty()
        && !op.writes.is_empty()
        && parts
        && stage.source() == IterationSource::Cells
        && stage.repeatable()
        && stage.bounded(dim(graph, node)).finite
        && stage.outputs().all(own)
        && node.outputs.iter().all(|ty| matches!(ty, WireType::Grid(_)))
}

/// What does best on a GPU: the first of some shapes that fits, where a window has many cells. Small domains need all invocations
/// that they can have.
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

/// A shape as an operation takes it, with the halo that it really has; nothing where a tile of it does not fit.
fn fit(graph: &Graph, program: &Program, op: &Op, shape: Shape) -> Option<Shape> {
    let inputs = inputs(graph, program, op, shape.halo);
    let size = inner(graph, program, op, &shape);
    let words: u32 = inputs.iter().map(|i| tile(size, i.cells).iter().product::<u32>() * i.words).sum();
    let whole = !pairs(program, op) || shape.cells.is_multiple_of(CELLS_OF_A_WORD);
    let halo = inputs.iter().map(|i| i.limit).max()?;
    (whole && words <= MAX_TILE_WORDS).then_some(Shape { halo, ..shape })
}

/// The inputs of an operation that come through workgroup memory, where parameters may say `halo` cells.
pub fn inputs(graph: &Graph, program: &Program, op: &Op, halo: u32) -> Vec<Haloed> {
    let Some((node, Kind::Stage(stage))) = graph.nodes.get(op.node).map(|node| (node, &node.kind)) else {
        return Vec::new();
    };
    let dim = dim(graph, node);
    let found = stage.inputs().enumerate().filter_map(|(input, port)| {
        let around = stage.footprint(&port.name, dim).filter(|around| around.is_wide())?;
        let read = op.reads.iter().find(|r| r.field == 0 && r.port == input && r.part == Part::Whole)?;
        let value = program.values.get(read.value)?;
        let words = value.ty.value().components(dim).next_power_of_two();
        let grid = matches!(value.ty, WireType::Grid(_)) && value.domain == node.domain && words <= 4;
        let edge = port.edge.or(node.domain.and_then(|d| graph.domains.get(d)).map(|d| d.edge));
        // Around a periodic axis a cell has several names, and only the text tells which of them a stage means.
        let named = around.proven || edge != Some(EdgeRule::Wrap);
        let (param, limit) = match &around.radius {
            Radius::Cells(cells) => (None, *cells),
            // No value is above the largest one.
            Radius::Param(name) => match most(stage, name) {
                Some(most) if most <= halo => (None, most),
                _ => (Some(name.clone()), halo),
            },
        };
        (grid && named && limit > 0).then(|| Haloed { input, cells: around.cells(limit), words, param, limit })
    });
    found.collect()
}

/// The largest value of a parameter.
fn most(stage: &Stage, param: &str) -> Option<u32> {
    stage.param(param)?.range.1.map(|high| high.clamp(0.0, f64::from(u16::MAX)) as u32)
}

/// Whether an operation writes numbers that share a word, so that an invocation has to compute both.
pub fn pairs(program: &Program, op: &Op) -> bool {
    let mut written = op.writes.iter().filter_map(|w| program.values.get(w.value));
    written.any(|value| value.layout().pairs())
}

/// Whether the cells of an invocation are computed in lockstep.
fn in_lockstep(program: &Program, op: &Op, stage: &Stage, dim: u32) -> bool {
    !pairs(program, op) && stage.interleaves(dim)
}

/// Cells along each axis that an invocation computes: along the row in lockstep, else along the second axis, and two of a row where
/// these share a word.
pub fn block(graph: &Graph, program: &Program, op: &Op, shape: &Shape) -> [u32; 3] {
    let stage = graph.nodes.get(op.node).and_then(|node| match &node.kind {
        Kind::Stage(stage) => Some((stage, dim(graph, node))),
        _ => None,
    });
    match stage {
        _ if pairs(program, op) => [CELLS_OF_A_WORD, shape.cells / CELLS_OF_A_WORD, 1],
        Some((stage, dim)) if stage.interleaves(dim) => [shape.cells, 1, 1],
        _ => [1, shape.cells, 1],
    }
}

/// Cells along each axis that a workgroup computes.
pub fn inner(graph: &Graph, program: &Program, op: &Op, shape: &Shape) -> [u32; 3] {
    let block = block(graph, program, op, shape);
    [0, 1, 2].map(|axis| shape.group[axis] * block[axis])
}

/// Cells along each axis that it loads of an input.
pub fn tile(inner: [u32; 3], halo: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|axis| inner[axis] + 2 * halo[axis])
}
