//! The number of workgroups of a dispatch.

use crate::graph::{Domain, Graph, Kind, Node, NodeId};
use crate::ir::query::stage_of;
use crate::ir::{Lanes, Op, Part, Program, Task, ValueId, WireValue, Write, bins, blocks, tiles, workgroups};
use crate::stage::IterationSource;
use crate::tuning::Shape;

/// Invocations of a workgroup in built-in tasks, one word each.
pub(crate) const LANES: u32 = 256;

/// WebGPU's limit on workgroups along one axis.
pub(crate) const MAX_GROUPS: u64 = 65_535;

/// Workgroups that cover this many words.
pub(crate) fn word_groups(words: u64) -> [u32; 3] {
    let groups = words.div_ceil(u64::from(LANES)).max(1);
    let rows = groups.div_ceil(MAX_GROUPS);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}

/// Cells of the tiles in which connected parts are labelled first, one for each lane.
pub(crate) fn connect_tile(dim: u32) -> [u32; 3] {
    if dim == 3 { [8, 8, 4] } else { [16, 16, 1] }
}

/// The number of these tiles.
pub(crate) fn connect_tiles(domain: &Domain) -> u64 {
    let along = domain.resolution.iter().zip(connect_tile(domain.dim)).map(|(n, width)| n.div_ceil(width));
    along.map(u64::from).product()
}

/// Elements of a grid or a particle set.
pub(crate) fn elements(graph: &Graph, value: &WireValue) -> u64 {
    match (value.capacity, value.domain.and_then(|d| graph.domains.get(d))) {
        (0, Some(domain)) => domain.elements(value.ty),
        (capacity, _) => u64::from(capacity),
    }
}

/// The table of the blocks along whose list an operation sums: each of its workgroups has part of one block. In the plane a block has fewer
/// cells than a workgroup has invocations.
pub(crate) fn summed_blocks(graph: &Graph, op: &Op) -> Option<ValueId> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let sums = stage.outputs().any(|port| port.reduce.is_some()) && graph.dim(node) == 3 && op.shape.is_none();
    blocks::table(op).filter(|_| sums && blocks::tile(op).is_none())
}

/// Blocks that a table of them has words for.
fn table_blocks(graph: &Graph, table: Option<&WireValue>) -> u64 {
    table.and_then(|table| graph.domains.get(table.domain?)).map_or(0, blocks::count)
}

/// The table that a dispatch of a stage goes through block by block: one that leaves all other cells as they are. `in_place`: by write.
pub(crate) fn listed_blocks(graph: &Graph, op: &Op, in_place: &[bool]) -> Option<ValueId> {
    let node = graph.nodes.get(op.node)?;
    matches!(node.kind, Kind::Stage(_)).then_some(())?;
    let port = |write: &Write| stage_of(graph, op, write.stage)?.outputs().nth(write.port);
    let reduces = |write: &Write| port(write).is_some_and(|port| port.reduce.is_some());
    let stays = |(write, in_place): (&Write, &bool)| {
        // Nothing is added for other cells.
        let summed = reduces(write) || port(write).is_some_and(|port| port.scatter.is_some());
        write.transient || write.part == Part::Whole && (summed || write.pooled || *in_place && write.settled)
    };
    let plain = blocks::tile(op).is_none() && op.gate.is_none() && op.shape.is_none();
    let all = !op.writes.is_empty() && op.writes.iter().zip(in_place).all(stays);
    let sums = !op.writes.iter().any(reduces) || summed_blocks(graph, op).is_some();
    blocks::table(op).filter(|_| plain && all && sums)
}

/// The domain of a table of tiles, that of the blocks they lie in, and the width of a tile.
pub(crate) fn covering<'g>(
    graph: &'g Graph,
    table: Option<&WireValue>,
    blocks: Option<&WireValue>,
) -> Option<(&'g Domain, &'g Domain, u32)> {
    let domain = |value: Option<&WireValue>| graph.domains.get(value?.domain?);
    let (domain, by) = (domain(table)?, domain(blocks)?);
    Some((domain, by, blocks::covered(domain, by)?))
}

/// Workgroups of a dispatch for all blocks of a node's domain.
pub(crate) fn block_groups(graph: &Graph, node: &Node) -> [u32; 3] {
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return [1; 3] };
    word_groups(blocks::count(domain) * u64::from(blocks::groups(domain.dim).0) * u64::from(LANES))
}

/// Workgroups of a built-in task.
pub(crate) fn task_groups(graph: &Graph, program: &Program, op: &Op) -> [u32; 3] {
    let target = op.writes.first().and_then(|w| program.values.get(w.value));
    let (words, elements) = target.map_or((0, 0), |value| (value.bytes / 4, elements(graph, value)));
    let source = op.reads.first().and_then(|r| program.values.get(r.value));
    let converts = target.zip(source).filter(|(target, source)| target.precision != source.precision);
    let threads = match op.task {
        Task::Copy if converts.is_some_and(|(target, _)| target.layout().pairs()) => elements.div_ceil(2),
        Task::Copy if converts.is_some() => elements,
        Task::Present { width, height } => return [width.div_ceil(32), height.div_ceil(8), 1],
        Task::Reduce(..) | Task::ScanSums | Task::CompactCount | Task::Test { .. } | Task::Repeats(_) => 1,
        Task::ScanBlocks => elements.div_ceil(4),
        Task::ScanAdd => elements + 1,
        Task::ScanEnd => (elements + 1).div_ceil(4),
        Task::ConnectTiles => {
            let domain = target.and_then(|t| graph.domains.get(t.domain?));
            domain.map_or(0, |d| u64::from(LANES) * connect_tiles(d))
        }
        Task::FindBlocks => table_blocks(graph, target) * u64::from(LANES),
        Task::WidenBlocks | Task::PlaceBlocks(_) => table_blocks(graph, target),
        Task::CoverBlocks => covering(graph, target, source).map_or(0, |(domain, by, width)| {
            let (tiles, lanes) = blocks::tile_lanes(domain, by, width);
            tiles * u64::from(lanes)
        }),
        Task::BinCount(_) | Task::BinList(_) => source.map_or(0, |source| u64::from(source.capacity)),
        Task::Compact | Task::Gather | Task::Scatter | Task::Pack => elements,
        _ => words,
    };
    workgroups::word_groups(threads)
}

/// Workgroups of an operation's dispatch, whatever its task.
pub(crate) fn op_groups(graph: &Graph, program: &Program, op: &Op) -> [u32; 3] {
    match (&op.task, graph.nodes.get(op.node).map(|node| (node, &node.kind))) {
        (Task::Stage, Some((node, Kind::Stage(_)))) => shaped_groups(graph, program, op, node),
        _ => task_groups(graph, program, op),
    }
}

pub(crate) fn workgroup(graph: &Graph, node: &Node, shape: Option<Shape>) -> [u32; 3] {
    match source(node) {
        Some(IterationSource::Once | IterationSource::Positions) => [1; 3],
        Some(IterationSource::Particles) => [workgroups::LANES, 1, 1],
        // A box of one layer, such as a matrix among grids in space, is a plane.
        _ => shape.unwrap_or_else(|| Shape::plain(if graph.extent(node)[2] > 1 { 3 } else { 2 })).group,
    }
}

/// Invocations of a workgroup along each axis where each has the cell of one colour among two in a row.
pub(crate) fn colored(graph: &Graph, node: &Node, shape: Option<Shape>) -> [u32; 3] {
    let [x, y, z] = workgroup(graph, node, shape);
    if x.is_multiple_of(2) { [x / 2, 2 * y, z] } else { [x, y, z] }
}

/// Workgroups of a dispatch for the cells of one colour, each of two in a row.
pub(crate) fn colored_groups(graph: &Graph, node: &Node, shape: Option<Shape>) -> [u32; 3] {
    let ([x, y, z], workgroup) = (graph.extent(node), colored(graph, node, shape));
    let pairs = [x.div_ceil(2), y, z];
    [0, 1, 2].map(|axis| pairs[axis].div_ceil(workgroup[axis]))
}

pub(crate) fn source(node: &Node) -> Option<IterationSource> {
    match &node.kind {
        Kind::Stage(stage) => Some(stage.source()),
        _ => None,
    }
}

/// Workgroups of a stage's dispatch, in its plain shape.
pub(crate) fn groups(graph: &Graph, node: NodeId) -> [u32; 3] {
    let Some(node) = graph.nodes.get(node) else { return [1; 3] };
    if source(node) == Some(IterationSource::Particles) {
        return workgroups::word_groups(node.set.as_ref().map_or(1, |s| u64::from(s.capacity)));
    }
    let (extent, workgroup) = (graph.extent(node), workgroup(graph, node, None));
    [0, 1, 2].map(|i| extent[i].div_ceil(workgroup[i]))
}

/// Workgroups of an operation's dispatch.
pub(crate) fn shaped_groups(graph: &Graph, program: &Program, op: &Op, node: &Node) -> [u32; 3] {
    let binned = bins::table(op).zip(node.set.as_ref());
    if let Some((_, set)) = binned
        && let Some(domain) = graph.domains.get(set.domain)
    {
        return bins::groups(domain, set.capacity);
    }
    if let Some(set) = node.set.as_ref().filter(|_| op.lanes != Lanes::One) {
        return word_groups(u64::from(set.capacity) * u64::from(op.lanes.count()));
    }
    if let (Some(_), Some(domain)) = (summed_blocks(graph, op), node.domain.and_then(|d| graph.domains.get(d))) {
        // All of a block have a place in the sum, those beyond the last cells too.
        let [x, y, z] = blocks::blocks(domain);
        return [x, y, z * blocks::groups(domain.dim).0];
    }
    let Some(shape) = op.shape else { return groups(graph, op.node) };
    let (extent, dim) = (graph.extent(node), graph.dim(node));
    if op.sweeps > 1 {
        let inner = tiles::tile_inner(graph, op, &shape);
        return [0, 1, 2].map(|i| if i < dim as usize { extent[i].div_ceil(inner[i]) } else { 1 });
    }
    let size = match shape.halo {
        0 => [shape.group[0] * shape.cells, shape.group[1], shape.group[2]],
        _ => tiles::inner(graph, program, op, &shape),
    };
    [0, 1, 2].map(|i| extent[i].div_ceil(size[i]))
}
