//! Temporal blocking: consecutive iterations of a stage with a bounded radius become one dispatch, on tiles whose halo
//! is as wide as the radius of all its sweeps together.
//!
//! Iterations are joined where each updates all that the one before wrote, and nothing else reads that. The radius is what the text proves
//! or what the header declares; accessors enforce a declared one in every shape, so results do not depend on the shape. A tile that holds
//! the whole domain needs no halo and takes all iterations: the coarsest levels of a multigrid cycle are one dispatch. What a tile starts
//! from is computed while it is loaded, where that is little work (`fusion`).

use crate::ir::tiles::{holds_domain, radius, words};
use crate::ir::{Op, OpId, Program, Task, ValueId, blocks};
use crate::tuning::{DefaultTuning, LANES, MAX_TILE_WORDS, MAX_WORKGROUP, Shape, Tuning};
use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Graph, Kind};

/// Cells an invocation of a tile that holds a small domain: measured on the GPU of docs/performance.md.
const SMALL: u32 = 4;

/// Joins the sweeps of every stage that can be swept on tiles, where its shape says so.
pub(super) fn join(graph: &Graph, program: &mut Program, tuning: &Tuning) {
    let mut readers = BTreeMap::<ValueId, usize>::new();
    for value in program.ops.iter().flat_map(Op::inputs).chain(program.pinned.iter().copied()) {
        *readers.entry(value).or_default() += 1;
    }
    let mut next = BTreeMap::new();
    for (index, op) in program.ops.entries().filter(|(_, op)| matches!(op.task, Task::Stage)) {
        op.writes.iter().filter_map(|w| w.consumes).for_each(|value| {
            next.insert(value, index);
        });
    }
    let (mut seen, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for first in program.ops.ids() {
        if !seen.insert(first) {
            continue;
        }
        let Some((radius, shape)) = wanted(graph, &program.ops[first], tuning) else { continue };
        let mut run = vec![first];
        while let Some(index) = run.last().and_then(|last| follower(program, *last, &next, &readers)) {
            run.push(index);
        }
        seen.extend(run.iter().copied());
        let colors = if program.ops[first].color.is_some() { 2 } else { 1 };
        let longest =
            (shape.sweeps as usize * colors).min(most_sweeps(graph, &program.ops[first], &shape, radius)) / colors;
        let iterations = run.len() / colors;
        // Where a tile holds the whole domain, nothing is missing at its border; where it is small, no other is as fast.
        let small = |shape: &Shape| tuning.defaults == DefaultTuning::Gpu && shape.cells <= SMALL;
        let whole = whole_shape(graph, &program.ops[first], tuning);
        let whole = whole.filter(|shape| iterations > longest || small(shape));
        let (shape, longest) = whole.map_or((shape, longest), |whole| (whole, iterations));
        if longest == 0 {
            continue;
        }
        let dispatches = iterations.div_ceil(longest);
        // As evenly as possible: 20 in dispatches of up to 8 are 6, 7 and 7.
        for part in 0..dispatches {
            let chunk = iterations * part / dispatches * colors..iterations * (part + 1) / dispatches * colors;
            merge(program, &run[chunk], shape, &mut dropped);
        }
    }
    program.ops.retain(|op, _| !dropped.contains(&op));
}

/// Replaces several operations by one.
fn merge(program: &mut Program, chunk: &[OpId], shape: Shape, dropped: &mut BTreeSet<OpId>) {
    let [first, .., last] = chunk else { return };
    let writes = program.ops[*last].writes.clone();
    let op = &mut program.ops[*first];
    for (write, end) in op.writes.iter_mut().zip(writes) {
        write.value = end.value;
    }
    op.sweeps = chunk.len() as u32;
    op.shape = Some(shape);
    dropped.extend(&chunk[1..]);
}

/// The operation that updates everything that another one writes, where nothing else needs that.
fn follower(
    program: &Program,
    index: OpId,
    next: &BTreeMap<ValueId, OpId>,
    readers: &BTreeMap<ValueId, usize>,
) -> Option<OpId> {
    let op = &program.ops[index];
    let follower = *next.get(&op.writes.first()?.value)?;
    let after = &program.ops[follower];
    let goes_on = op.writes.iter().zip(&after.writes).all(|(before, write)| {
        write.consumes == Some(before.value) && readers.get(&before.value) == Some(&1) && before.port == write.port
    });
    let same = op.node == after.node
        && op.substep == after.substep
        && op.invariant == after.invariant
        && op.gate == after.gate
        && op.reads.iter().map(|r| r.value).eq(after.reads.iter().map(|r| r.value));
    (goes_on && same && op.writes.len() == after.writes.len()).then_some(follower)
}

/// The radius of a sweep, and the shape of its dispatch, if it is a tile.
fn wanted(graph: &Graph, op: &Op, tuning: &Tuning) -> Option<(u32, Shape)> {
    // The fill that an update starts from is an operation of the same node.
    let node = graph.nodes.get(op.node).filter(|_| matches!(op.task, Task::Stage) && !op.edited)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let radius = radius(graph, op, node, stage)?;
    let (words, dim) = (words(graph, node), graph.dim(node));
    if blocks::table(op).is_some() {
        // In blocks of its own cells less is done by their list.
        let wide = blocks::tile(op).is_some() && tuning.defaults == DefaultTuning::Gpu;
        return Some((radius, whole_shape(graph, op, tuning).filter(|_| wide)?));
    }
    let shape = tuning.sweeping(graph, node, stage, words);
    let cells: u32 = shape.tile_size(dim).iter().product();
    // Rows with an even number of cells, since two may share a word.
    let even = shape.group[0].is_multiple_of(2);
    let small = || whole_shape(graph, op, tuning).filter(|_| tuning.defaults == DefaultTuning::Gpu);
    let shape = Some(shape).filter(|shape| shape.sweeps > 1 && even && cells * words <= MAX_TILE_WORDS).or_else(small);
    shape.map(|shape| (radius, shape))
}

/// Number of sweeps after which a tile's valid part would be narrower than half of it.
fn most_sweeps(graph: &Graph, op: &Op, shape: &Shape, radius: u32) -> usize {
    let Some(node) = graph.nodes.get(op.node) else { return 1 };
    let dim = graph.dim(node);
    let narrowest = shape.tile_size(dim).into_iter().take(dim as usize).min().unwrap_or(1);
    (narrowest / 4 / radius.max(1)).max(1) as usize
}

/// The shape of a tile that holds the whole domain, if it fits into workgroup memory.
fn whole_shape(graph: &Graph, op: &Op, tuning: &Tuning) -> Option<Shape> {
    let node = graph.nodes.get(op.node)?;
    let [x, y, z] = graph.extent(node).map(u32::next_power_of_two);
    let dim = graph.dim(node);
    if x.saturating_mul(y).saturating_mul(z) > MAX_TILE_WORDS {
        return None;
    }
    // In the plane several tiles are faster than a wider one. Sizes of tiles are powers of two.
    let most = if dim == 3 { 1 << tuning.lanes.max(1).ilog2() } else { LANES };
    let lanes = |free: u32, cells: u32| free.min(cells / 2).max(1);
    // An even number of cells along both axes: two share a word, or differ in colour.
    let x = x.max(2);
    let (group, along) = match dim {
        3 => ([x, y, lanes(most.checked_div(x * y)?, z)], z),
        _ => ([x, lanes(most.checked_div(x)?, y), 1], y),
    };
    let rows: u32 = if dim == 3 { group[2] } else { group[1] };
    let shape = Shape { group, cells: (along / rows).max(2), sweeps: 2, halo: 0 };
    let cells: u32 = shape.tile_size(dim).iter().product();
    let few =
        group.iter().product::<u32>() <= most && group.iter().zip(MAX_WORKGROUP).all(|(size, most)| *size <= most);
    let fits = few && cells * words(graph, node) <= MAX_TILE_WORDS;
    (fits && holds_domain(graph, op, &shape)).then_some(shape)
}
