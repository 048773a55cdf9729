//! Tiles in workgroup memory: what an operation loads of its inputs, and which part of the tile is valid afterwards.

use crate::graph::Graph;
use crate::graph::Kind;
use crate::graph::Node;
use crate::ir::{OWN, Op, Part, Program, Read};
use crate::stage::IterationSource;
use crate::stage::Reach;
use crate::stage::Stage;
use crate::stage::header::Direction;
use crate::stage::header::Port;
use crate::stage::header::Radius;
use crate::stage::types::EdgeRule;
use crate::stage::types::PortType;
use crate::stage::types::WireType;
use crate::tuning::{CELLS_OF_A_WORD, Shape};

/// An input that is loaded into workgroup memory.
pub(crate) struct Haloed {
    /// Index of the stage's input.
    pub input: usize,
    /// Cells on either side of those that a workgroup computes.
    pub cells: [u32; 3],
    /// Words of a cell: vectors of three are stored like those of four.
    pub words: u32,
    /// The parameter that must not exceed `limit`; otherwise the input is read from its buffer.
    pub param: Option<String>,
    pub limit: u32,
}

/// The inputs of an operation that can be loaded into workgroup memory, where parameters allow up to `halo` cells.
pub(crate) fn inputs(graph: &Graph, program: &Program, op: &Op, halo: u32) -> Vec<Haloed> {
    let Some((node, Kind::Stage(stage))) = graph.nodes.get(op.node).map(|node| (node, &node.kind)) else {
        return Vec::new();
    };
    let dim = graph.dim(node);
    let found = stage.inputs().enumerate().filter_map(|(input, port)| {
        let around = stage.footprint(&port.name, dim).filter(|around| around.is_wide())?;
        let read = op.reads.iter().find(|r| r.stage == OWN && r.port == input && r.part == Part::Whole)?;
        let value = program.values.get(read.value)?;
        let words = value.ty.value().components(dim).next_power_of_two();
        let grid =
            matches!(value.ty, WireType::Grid(ty) if !ty.is_compound()) && value.domain == node.domain && words <= 4;
        let wraps =
            node.domain.and_then(|d| graph.domains.get(d)).is_some_and(|d| port.edges(d.edge).has(EdgeRule::Wrap));
        // Around a periodic axis a cell has several names, and only the text tells which of them a stage means.
        let named = around.proven || !wraps;
        let (param, limit) = match &around.radius {
            Radius::Cells(cells) => (None, *cells),
            // No value exceeds the largest one.
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
pub(crate) fn pairs(program: &Program, op: &Op) -> bool {
    let mut written = op.writes.iter().filter_map(|w| program.values.get(w.value));
    written.any(|value| value.layout().pairs())
}

/// Cells along each axis that an invocation computes: along the row in lockstep, otherwise along the second axis; two
/// of a row where these share a word.
pub(crate) fn block(graph: &Graph, program: &Program, op: &Op, shape: &Shape) -> [u32; 3] {
    let stage = graph.nodes.get(op.node).and_then(|node| match &node.kind {
        Kind::Stage(stage) => Some((stage, graph.dim(node))),
        _ => None,
    });
    match stage {
        _ if pairs(program, op) => [CELLS_OF_A_WORD, shape.cells / CELLS_OF_A_WORD, 1],
        Some((stage, dim)) if stage.interleaves(dim) => [shape.cells, 1, 1],
        _ => [1, shape.cells, 1],
    }
}

/// Cells along each axis that a workgroup computes.
pub(crate) fn inner(graph: &Graph, program: &Program, op: &Op, shape: &Shape) -> [u32; 3] {
    let block = block(graph, program, op, shape);
    [0, 1, 2].map(|axis| shape.group[axis] * block[axis])
}

/// Cells along each axis that it loads of an input.
pub(crate) fn tile(inner: [u32; 3], halo: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|axis| inner[axis] + 2 * halo[axis])
}

/// Words of workgroup memory that a cell's written values take: vectors of three are stored like those of four.
pub(crate) fn words(graph: &Graph, node: &Node) -> u32 {
    let dim = graph.dim(node);
    node.outputs.iter().map(|ty| ty.value().components(dim).next_power_of_two()).sum()
}

/// Whether a tile of this shape holds the whole domain of an operation, which then needs no halo. Around a periodic
/// axis every cell has neighbours on all sides.
pub(crate) fn holds_domain(graph: &Graph, op: &Op, shape: &Shape) -> bool {
    let Some(node) = graph.nodes.get(op.node) else { return false };
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return false };
    let Kind::Stage(stage) = &node.kind else { return false };
    let wraps = |port: &Port| port.edges(domain.edge).has(EdgeRule::Wrap);
    let size = shape.tile_size(domain.dim);
    size.iter().zip(graph.extent(node)).all(|(size, cells)| *size >= cells) && !stage.outputs().any(wraps)
}

/// The radius of a stage that can be swept on tiles: all its outputs, grids or values on faces, update an earlier version
/// cell by cell within this radius, its loops end, and no variable outlives a call.
pub(crate) fn radius(graph: &Graph, op: &Op, node: &Node, stage: &Stage) -> Option<u32> {
    let domain = node.domain.and_then(|d| graph.domains.get(d))?;
    let plain = stage.source() == IterationSource::Cells
        && stage.repeatable()
        && stage.bounded(domain.dim).finite
        && op.inlined().iter().all(|built| built.before || built.recomputes.is_some())
        && !op.writes.is_empty();
    let on_faces = node.fills_faces();
    let mut radius = 0;
    for (port, ty) in stage.outputs().zip(&node.outputs).filter(|_| plain) {
        let grid = match ty {
            WireType::FaceGrid => true,
            WireType::Grid(ty) => matches!(port.ty, PortType::Grid(_)) && !ty.is_compound() && !on_faces,
            _ => false,
        };
        let swept = port.direction == Direction::InOut && port.scatter.is_none() && !port.converted();
        let (looks, proven) = stage.radius(port).filter(|_| grid && swept && port.reduce.is_none())?;
        let edges = port.edges(domain.edge);
        // Around a periodic axis the first face and the last are one. Accessors of faces enforce no declared radius.
        if on_faces && (edges.has(EdgeRule::Wrap) || !proven) {
            return None;
        }
        // Around a periodic axis a cell has several names, and only the text tells which of them a stage means.
        if edges.has(EdgeRule::Wrap) && !proven {
            return None;
        }
        if op.color.is_some() && (looks > 1 || !proven || domain.wraps_oddly(edges)) {
            return None;
        }
        radius = radius.max(looks);
    }
    plain.then_some(radius)
}

/// Limit of registers of an invocation that inputs may take.
const MAX_INPUT_WORDS: u32 = 48;

/// The inputs of a tile that are held in registers, by port.
pub(crate) fn held_inputs(graph: &Graph, program: &Program, op: &Op) -> Vec<usize> {
    let Some(node) = graph.nodes.get(op.node) else { return Vec::new() };
    let Kind::Stage(stage) = &node.kind else { return Vec::new() };
    let at_own_cell = |read: &&Read| {
        let port = stage.inputs().nth(read.port);
        let near = |port: &Port| {
            matches!(port.ty, PortType::Grid(_)) && !port.ty.is_compound() && stage.reach(&port.name) == Reach::Own
        };
        let value = program.values.get(read.value);
        port.is_some_and(near) && value.is_some_and(|value| value.domain == node.domain)
    };
    let all = op.reads.iter().chain(&op.forwarded).filter(|r| r.stage == OWN && r.part == Part::Whole);
    let mut held: Vec<&Read> = all.filter(at_own_cell).collect();
    held.sort_by_key(|read| read.port);
    let mut room = MAX_INPUT_WORDS;
    held.retain(|read| {
        let words = program.values.get(read.value).map_or(1, |value| value.ty.value().components(value.dim));
        room = room.saturating_sub(words * op.shape.map_or(1, |s| s.cells));
        room > 0
    });
    held.iter().map(|read| read.port).collect()
}

/// Cells along each axis that are valid at the end.
pub(crate) fn tile_inner(graph: &Graph, op: &Op, shape: &Shape) -> [u32; 3] {
    let size = tile_size(graph, op, shape);
    let halo = halo(graph, op);
    let dim = op_dim(graph, op);
    [0, 1, 2].map(|axis| if axis < dim as usize { size[axis].saturating_sub(2 * halo).max(1) } else { 1 })
}

pub(crate) fn op_dim(graph: &Graph, op: &Op) -> u32 {
    graph.nodes.get(op.node).map_or(2, |node| graph.dim(node))
}

pub(crate) fn tile_size(graph: &Graph, op: &Op, shape: &Shape) -> [u32; 3] {
    shape.tile_size(op_dim(graph, op))
}

/// The radius of all sweeps of an operation together.
pub(crate) fn halo(graph: &Graph, op: &Op) -> u32 {
    ring(graph, op) * op.sweeps
}

/// The radius of one sweep: cells closer to the tile's border are not computed. Where the tile holds the whole domain,
/// all are.
pub(crate) fn ring(graph: &Graph, op: &Op) -> u32 {
    if op.shape.is_some_and(|shape| holds_domain(graph, op, &shape)) {
        return 0;
    }
    let Some(node) = graph.nodes.get(op.node) else { return 0 };
    let Kind::Stage(stage) = &node.kind else { return 0 };
    radius(graph, op, node, stage).unwrap_or(0)
}
