//! Sweeps joined in time: consecutive iterations of a stage that looks only so far become one dispatch, on tiles whose halo is as
//! wide as all its sweeps look together.

use std::collections::{BTreeMap, BTreeSet};

use super::expand::{Op, Program, Task, ValueId};
use super::kernel::dim;
use super::tuning::{LANES, MAX_TILE_WORDS, Otherwise, Shape, Tuning};
use crate::graph::{Graph, Kind, Node};
use crate::stage::header::{Direction, Port};
use crate::stage::types::{EdgeRule, PortType, WireType};
use crate::stage::{IterationSource, Stage};

/// Joins the sweeps of every stage that can be swept on tiles, where its shape says so.
pub fn join(graph: &Graph, program: &mut Program, tuning: &Tuning) {
    let mut readers = BTreeMap::<ValueId, usize>::new();
    for value in program.ops.iter().flat_map(Op::inputs).chain(program.pinned.iter().copied()) {
        *readers.entry(value).or_default() += 1;
    }
    let mut next = BTreeMap::new();
    for (index, op) in program.ops.iter().enumerate().filter(|(_, op)| matches!(op.task, Task::Stage)) {
        op.writes.iter().filter_map(|w| w.consumes).for_each(|value| {
            next.insert(value, index);
        });
    }
    let (mut seen, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for first in 0..program.ops.len() {
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
        // Where a tile holds the whole domain, nothing is missing at its border.
        let whole = whole_shape(graph, &program.ops[first]).filter(|_| iterations > longest);
        let (shape, longest) = whole.map_or((shape, longest), |whole| (whole, iterations));
        if longest == 0 {
            continue;
        }
        let dispatches = iterations.div_ceil(longest);
        // As even as can be: 20 in dispatches of up to 8 are 6, 7 and 7.
        for part in 0..dispatches {
            let chunk = iterations * part / dispatches * colors..iterations * (part + 1) / dispatches * colors;
            merge(program, &run[chunk], shape, &mut dropped);
        }
    }
    let mut index = 0..;
    program.ops.retain(|_| index.next().is_some_and(|i| !dropped.contains(&i)));
}

/// One operation in the place of several.
fn merge(program: &mut Program, chunk: &[usize], shape: Shape, dropped: &mut BTreeSet<usize>) {
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

/// The operation that goes on from another in all that it writes, where nothing else needs that.
fn follower(
    program: &Program,
    index: usize,
    next: &BTreeMap<ValueId, usize>,
    readers: &BTreeMap<ValueId, usize>,
) -> Option<usize> {
    let op = &program.ops[index];
    let follower = *next.get(&op.writes.first()?.value)?;
    let after = &program.ops[follower];
    let goes_on = op.writes.iter().zip(&after.writes).all(|(before, write)| {
        write.consumes == Some(before.value) && readers.get(&before.value) == Some(&1) && before.port == write.port
    });
    let same = |op: &Op| (op.node, op.substep, op.still, op.gate, op.reads.iter().map(|r| r.value).collect::<Vec<_>>());
    (goes_on && same(op) == same(after) && op.writes.len() == after.writes.len()).then_some(follower)
}

/// How far a sweep looks, and the shape of its dispatch, where it is a tile.
fn wanted(graph: &Graph, op: &Op, tuning: &Tuning) -> Option<(u32, Shape)> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let radius = radius(graph, op, node, stage)?;
    let (words, dim) = (words(graph, node), dim(graph, node));
    let shape = tuning.sweeping(graph, node, stage, words);
    let cells: u32 = shape.tile_size(dim).iter().product();
    // Rows of an even number of cells, since two may share a word.
    let even = shape.group[0].is_multiple_of(2);
    let small = || whole_shape(graph, op).filter(|_| tuning.otherwise == Otherwise::Gpu);
    let shape = Some(shape).filter(|shape| shape.sweeps > 1 && even && cells * words <= MAX_TILE_WORDS).or_else(small);
    shape.map(|shape| (radius, shape))
}

/// Words of workgroup memory that a cell's written values take: vectors of three are laid out like those of four.
fn words(graph: &Graph, node: &Node) -> u32 {
    let dim = dim(graph, node);
    node.outputs.iter().map(|ty| ty.value().components(dim).next_power_of_two()).sum()
}

/// Sweeps after which a tile's inner part would be narrower than half of it.
fn most_sweeps(graph: &Graph, op: &Op, shape: &Shape, radius: u32) -> usize {
    let Some(node) = graph.nodes.get(op.node) else { return 1 };
    let dim = dim(graph, node);
    let narrowest = shape.tile_size(dim).into_iter().take(dim as usize).min().unwrap_or(1);
    (narrowest / 4 / radius.max(1)).max(1) as usize
}

/// Whether a tile of a shape holds the whole domain of an operation, which then needs no halo. Around a periodic axis every cell has
/// others on all sides.
pub fn holds_domain(graph: &Graph, op: &Op, shape: &Shape) -> bool {
    let Some(node) = graph.nodes.get(op.node) else { return false };
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return false };
    let Kind::Stage(stage) = &node.kind else { return false };
    let wraps = |port: &Port| port.edge.unwrap_or(domain.edge) == EdgeRule::Wrap;
    let size = shape.tile_size(domain.dim);
    size.iter().zip(domain.resolution).all(|(size, cells)| *size >= cells) && !stage.outputs().any(wraps)
}

/// The shape of a tile that holds the whole domain, where workgroup memory has room for it.
fn whole_shape(graph: &Graph, op: &Op) -> Option<Shape> {
    let node = graph.nodes.get(op.node)?;
    let [x, y, z] = node.domain.and_then(|d| graph.domains.get(d))?.resolution.map(u32::next_power_of_two);
    let dim = dim(graph, node);
    if x.saturating_mul(y).saturating_mul(z) > MAX_TILE_WORDS {
        return None;
    }
    let lanes = |free: u32, cells: u32| free.min(cells / 2).max(1);
    // An even number of cells along both ends: two share a word, or differ in colour.
    let x = x.max(2);
    let (group, along) = match dim {
        3 => ([x, y, lanes(LANES.checked_div(x * y)?, z)], z),
        _ => ([x, lanes(LANES.checked_div(x)?, y), 1], y),
    };
    let rows: u32 = if dim == 3 { group[2] } else { group[1] };
    let shape = Shape { group, cells: (along / rows).max(2), sweeps: 2, halo: 0 };
    let cells: u32 = shape.tile_size(dim).iter().product();
    let fits = group.iter().product::<u32>() <= LANES && cells * words(graph, node) <= MAX_TILE_WORDS;
    (fits && holds_domain(graph, op, &shape)).then_some(shape)
}

/// How far a stage that can be swept on tiles looks: all that it writes it goes on from, cell by cell, within a radius; its
/// loops end, and no variable outlives a call.
pub fn radius(graph: &Graph, op: &Op, node: &Node, stage: &Stage) -> Option<u32> {
    let domain = node.domain.and_then(|d| graph.domains.get(d))?;
    let plain = stage.source() == IterationSource::Cells
        && stage.repeatable()
        && stage.bounded(domain.dim).finite
        && op.built_in.iter().all(|built| built.before || built.anew.is_some())
        && !op.writes.is_empty();
    let mut radius = 0;
    for (port, ty) in stage.outputs().zip(&node.outputs).filter(|_| plain) {
        let grid = matches!(port.ty, PortType::Grid(_)) && matches!(ty, WireType::Grid(_));
        let swept = port.direction == Direction::InOut && port.scatter.is_none() && !port.scan;
        let (looks, proven) = stage.radius(port).filter(|_| grid && swept && port.reduce.is_none())?;
        let edge = port.edge.unwrap_or(domain.edge);
        // Around a periodic axis a cell has several names, and only the text tells which of them a stage means.
        if edge == EdgeRule::Wrap && !proven {
            return None;
        }
        let odd = domain.resolution.iter().take(domain.dim as usize).any(|n| n % 2 == 1);
        if op.color.is_some() && (looks > 1 || !proven || (edge == EdgeRule::Wrap && odd)) {
            return None;
        }
        radius = radius.max(looks);
    }
    plain.then_some(radius)
}
