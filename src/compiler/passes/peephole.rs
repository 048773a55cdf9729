//! Removes dispatches that are not needed: stages that only forward an input, conversions of sums from fixed point, which stages that read
//! them can do, clears that one dispatch can do together, the second dispatch of an integer reduction, and the middle one of a prefix sum's three.

use crate::arena::Arena;
use crate::ir::demand::{self, demanded};
use crate::ir::{OWN, Op, Part, Program, Read, StageInstance, Task, ValueId, WireValue, Write};
use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Graph, Kind};
use crate::stage::Forwarded;
use crate::stage::types::Scalar;

/// Applies all of these to a program.
pub(super) fn thin(graph: &Graph, program: &mut Program) {
    hand_on(graph, program);
    reduce_at_once(program);
    read_fixed(program);
    scan_in_two(program);
    clear_together(graph, program);
}

/// Copy propagation: a stage whose text is `return particle.x;` or `return x(cell);` is bypassed, and its readers read
/// the input.
fn hand_on(graph: &Graph, program: &mut Program) {
    let demanded = demanded(program);
    let go_on = program.ops.iter().filter(|op| !matches!(op.task, Task::ScanBlocks)).flat_map(|op| &op.writes);
    let consumed: BTreeSet<ValueId> = go_on.filter_map(|w| w.consumes).collect();
    let mut instead = BTreeMap::<ValueId, ValueId>::new();
    let mut left_out = BTreeSet::new();
    for (index, op) in program.ops.entries() {
        let Some((source, value)) = handed_on(graph, program, op) else { continue };
        if !demanded.contains(&value) && !consumed.contains(&value) {
            instead.insert(value, instead.get(&source).copied().unwrap_or(source));
            left_out.insert(index);
        }
    }
    for op in &mut program.ops {
        for read in &mut op.reads {
            read.value = instead.get(&read.value).copied().unwrap_or(read.value);
        }
        // A prefix sum updates what it sums; here that belongs to another reader.
        for write in &mut op.writes {
            if let Some(source) = write.consumes.and_then(|value| instead.get(&value)) {
                op.reads.push(Read { stage: OWN, port: 0, part: Part::Whole, value: *source });
                write.consumes = None;
            }
        }
    }
    program.ops.retain(|op, _| !left_out.contains(&op));
}

/// The result of an operation, and the value that equals it.
fn handed_on(graph: &Graph, program: &Program, op: &Op) -> Option<(ValueId, ValueId)> {
    let Kind::Stage(stage) = &graph.nodes.get(op.node)?.kind else { return None };
    let [write] = op.writes.as_slice() else { return None };
    let plain =
        matches!(op.task, Task::Stage) && !op.edited && op.sweeps == 1 && op.color.is_none() && op.inlined().is_empty();
    let part = match stage.forwarded()? {
        Forwarded::Attribute(name) => (stage.set()?.name.as_str(), Part::Attribute(name.into())),
        Forwarded::Cell(port) => (port, Part::Whole),
    };
    let input = stage.inputs().position(|port| port.name == part.0)?;
    let read = op.reads.iter().find(|r| r.stage == OWN && r.port == input && r.part == part.1)?;
    let (from, to) = (program.values.get(read.value)?, program.values.get(write.value)?);
    let layout = |value: &WireValue| (value.layout().buffer(), value.layout().numbers());
    let same = from.ty.value() == to.ty.value() && from.precision == to.precision && layout(from) == layout(to);
    let room = from.domain == to.domain && from.capacity == to.capacity;
    (plain && same && room && write.start.is_none() && !write.transient).then_some((read.value, write.value))
}

/// An integer reduction has the same result in any order, so each workgroup adds its result to that of the others
/// directly.
fn reduce_at_once(program: &mut Program) {
    let kept: BTreeSet<ValueId> = program.next.values().chain(program.carries.iter().flatten()).copied().collect();
    let mut ends = BTreeMap::new();
    for (index, op) in program.ops.entries() {
        let (Task::Reduce(kind, ty), [read], [write]) = (&op.task, op.reads.as_slice(), op.writes.as_slice()) else {
            continue;
        };
        let whole = matches!(ty.scalar(), Scalar::I32 | Scalar::U32);
        if whole && write.consumes.is_none() && !kept.contains(&write.value) {
            ends.insert(read.value, (index, write.value, demand::first_word(*kind, *ty)));
        }
    }
    let mut left_out = BTreeSet::new();
    let mut ops = Vec::with_capacity(program.ops.len());
    for (index, mut op) in std::mem::take(&mut program.ops).into_entries() {
        for at in 0..op.writes.len() {
            let Some(write) = op.writes.get(at).filter(|w| matches!(op.task, Task::Stage) && w.consumes.is_none())
            else {
                continue;
            };
            let Some((end, result, word)) = ends.get(&write.value) else { continue };
            let Some(like) = program.values.get(*result).cloned() else { continue };
            let begun = program.values.push(like);
            ops.push((None, fill(&op, *word, begun)));
            let joined = Write { value: *result, consumes: Some(begun), ..write.clone() };
            op.writes.splice(at..=at, [joined]);
            left_out.insert(*end);
        }
        ops.push((Some(index), op));
    }
    let there = ops.into_iter().filter(|(index, _)| index.is_none_or(|index| !left_out.contains(&index)));
    program.ops = there.map(|(_, op)| op).collect();
}

/// Sums in fixed point that only stages read stay as they are: loading converts them, to the same bits.
fn read_fixed(program: &mut Program) {
    let demanded = demanded(program);
    let mut used = demanded.clone();
    for op in &program.ops {
        used.extend(op.writes.iter().filter_map(|w| w.consumes));
        if !matches!(op.task, Task::Stage) {
            used.extend(op.inputs());
        }
    }
    let mut instead = BTreeMap::<ValueId, ValueId>::new();
    let mut left_out = BTreeSet::new();
    for (index, op) in program.ops.entries() {
        let (Task::FromFixed(bits), [write]) = (&op.task, op.writes.as_slice()) else { continue };
        let Some(sum) = write.consumes.filter(|_| !used.contains(&write.value)) else { continue };
        let Some(value) = program.values.get_mut(sum) else { continue };
        if value.ty.value().scalar() == Scalar::F32 && value.ty.is_grid() {
            value.stored.fixed = Some(*bits);
            instead.insert(write.value, sum);
            left_out.insert(index);
        }
    }
    for read in program.ops.iter_mut().flat_map(|op| op.reads.iter_mut().chain(&mut op.forwarded)) {
        read.value = instead.get(&read.value).copied().unwrap_or(read.value);
    }
    program.ops.retain(|op, _| !left_out.contains(&op));
}

/// A dispatch before another one that sets all words of a value.
fn fill(before: &Op, word: u32, value: ValueId) -> Op {
    Op {
        task: Task::FillWord(word),
        reads: Vec::new(),
        forwarded: Vec::new(),
        stages: Arena::from(vec![StageInstance::own(before.node)]),
        writes: vec![Write::whole(value)],
        color: None,
        sweeps: 1,
        shape: None,
        ..before.clone()
    }
}

/// Limit of blocks that each workgroup can sum up before its own: a few for each of its lanes.
const MOST_BLOCKS: u64 = 4096;

/// The sums of a prefix sum's blocks are added where they are needed, instead of by one workgroup for all.
fn scan_in_two(program: &mut Program) {
    let mut sums = BTreeMap::new();
    for (index, op) in program.ops.entries() {
        let (Task::ScanSums, [write]) = (&op.task, op.writes.as_slice()) else { continue };
        let Some(before) = write.consumes else { continue };
        let words = program.values.get(before).map_or(u64::MAX, |value| u64::from(value.capacity));
        if words <= MOST_BLOCKS {
            sums.insert(write.value, (index, before));
        }
    }
    let mut left_out = BTreeSet::new();
    for op in program.ops.iter_mut().filter(|op| matches!(op.task, Task::ScanAdd)) {
        if let Some(read) = op.reads.first_mut()
            && let Some((index, before)) = sums.get(&read.value)
        {
            (read.value, op.task) = (*before, Task::ScanEnd);
            left_out.insert(*index);
        }
    }
    program.ops.retain(|op, _| !left_out.contains(&op));
}

/// Limit of buffers that one dispatch clears, and of the distance of two clears in operations: what is cleared early
/// occupies memory for longer.
const CLEARED_AT_ONCE: usize = 6;
const APART: usize = 24;

/// Joins the clears of one group's nodes, at the position of the first.
fn clear_together(graph: &Graph, program: &mut Program) {
    let word = |op: &Op| match op.task {
        Task::Fill(None) => Some(0),
        Task::FillWord(word) => Some(word),
        _ => None,
    };
    let group = |op: &Op| graph.nodes.get(op.node).map(|node| node.group);
    let clears = |op: &Op| word(op).filter(|_| op.writes.iter().all(|w| w.consumes.is_none()));
    let mut left_out = BTreeSet::new();
    for first in program.ops.ids() {
        let Some(begin) = program.ops.get(first).filter(|_| !left_out.contains(&first)) else { continue };
        let Some(word) = clears(begin) else { continue };
        let mut cleared: Vec<(u32, Write)> = begin.writes.iter().map(|w| (word, w.clone())).collect();
        for (index, op) in program.ops.entries().skip(first.index() + 1).take(APART) {
            let place = |op: &Op| (group(op), op.substep, op.invariant, op.gate);
            let alike = place(op) == place(begin);
            if let (Some(word), true) = (clears(op), alike && cleared.len() < CLEARED_AT_ONCE)
                && left_out.insert(index)
            {
                cleared.extend(op.writes.iter().map(|w| (word, w.clone())));
            }
        }
        if cleared.len() > 1 {
            // The largest determines the number of invocations.
            cleared.sort_by_key(|(_, w)| std::cmp::Reverse(program.values.get(w.value).map_or(0, |v| v.bytes)));
            let (words, writes) = cleared.into_iter().unzip();
            if let Some(op) = program.ops.get_mut(first) {
                (op.task, op.writes) = (Task::Clear(words), writes);
            }
        }
    }
    program.ops.retain(|op, _| !left_out.contains(&op));
}
