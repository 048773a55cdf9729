//! Rematerialising fusion: a stage that reads a value at other cells than its own computes it itself.

use super::eligible::{Candidate, LITTLE, buffers, names, reads_own};
use crate::graph::Graph;
use crate::ir::links::Links;
use crate::ir::query::stage_of;
use crate::ir::{OWN, Op, OpId, Part, Program, Read, StageInstance, Task, ValueId, blocks};
use crate::stage::IterationSource;
use crate::stage::types::Precision;

/// Length of a stage's text up to which it counts as cheap if each of its cells is computed once \[bytes\].
const MUCH: usize = 4000;

/// Which values may be computed again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Only values that a mean of finer cells reads, since it reads each of them once.
    Means,
    All,
}

/// Inlines a cheap stage into its only reader, even if that reads it at other cells: it is computed for each cell that
/// is read, which is cheaper than storing a grid and loading it again.
pub(super) fn fuse(graph: &Graph, program: &mut Program, links: &mut Links, which: Which) {
    for producer in program.ops.ids() {
        let room = |to: OpId| buffers(&program.ops[producer], &program.ops[to]) <= program.buffer_budget;
        if let Some((consumer, read)) = consumer(graph, program, links, producer, which).filter(|(to, _)| room(*to)) {
            links.join(program, producer, consumer);
            build(graph, program, (producer, consumer), read);
            links.enter(program, consumer);
        }
    }
}

/// The operation that may compute another one's result, and the read that needs it.
fn consumer(graph: &Graph, program: &Program, links: &Links, producer: OpId, which: Which) -> Option<(OpId, usize)> {
    let from = program.ops.get(producer)?;
    let candidate = Candidate::plain(graph, from)?;
    let [write] = from.writes.as_slice() else { return None };
    let [consumer] = links.readers(write.value) else { return None };
    // Stored in half precision it would have been rounded.
    let halves = program.values.get(write.value).is_none_or(|value| value.precision != Precision::F32);
    let kept = halves || program.pinned.contains(&write.value) || program.next.values().any(|v| *v == write.value);
    let to = program.ops.get(*consumer)?;
    let cells = candidate.stage.source() == IterationSource::Cells && candidate.node.set.is_none();
    let whole = from.inlined().is_empty()
        && write.start.is_none()
        && from.invariant == to.invariant
        && from.gate == to.gate
        && (blocks::table(from).is_none() || which == Which::Means && covers(program, links, from, to));
    let counters = !names(graph, from, "iteration") && !names(graph, from, "substep");
    // It is called for cells other than the kernel's own, so reads must not be limited relative to that one.
    let dim = graph.dim(candidate.node);
    let held = candidate.stage.inputs().any(|port| {
        candidate.stage.radius(port).is_some_and(|(_, proven)| !proven)
            || candidate.stage.footprint(&port.name, dim).is_some_and(|around| !around.proven)
    });
    let fits = cells && whole && counters && !held && !kept;
    let read = fits.then(|| replaceable(graph, &candidate, (to, which), write.value)).flatten()?;
    Some((*consumer, read))
}

/// Whether an operation runs in all cells that another one's, of twice their width, are made of: those run where the same blocks cover them.
fn covers(program: &Program, links: &Links, from: &Op, to: &Op) -> bool {
    let found = |op: &Op| {
        let table = blocks::table(op)?;
        let writer = links.writer(table).and_then(|writer| program.ops.get(writer))?;
        Some(if matches!(writer.task, Task::CoverBlocks) { writer.reads.first()?.value } else { table })
    };
    blocks::tile(to).is_some() && found(from).is_some() && found(from) == found(to)
}

/// The read of an operation that may be replaced by a call.
fn replaceable(graph: &Graph, from: &Candidate<'_>, (to, which): (&Op, Which), value: ValueId) -> Option<usize> {
    let Candidate { op: from, node, stage } = *from;
    Candidate::running(graph, to).filter(|_| to.writes.iter().all(|w| w.consumes != Some(value)))?;
    let read = to.reads.iter().position(|r| r.value == value)?;
    let alone = to.reads.iter().filter(|r| r.value == value).count() == 1;
    let asks = to.reads.get(read).filter(|r| r.part == Part::Whole && alone)?;
    let runs = to.runs_itself(asks.stage);
    let target = graph.nodes.get(to.node_of(asks.stage)?).filter(|_| runs)?;
    let reader = stage_of(graph, to, asks.stage)?;
    let port = reader.inputs().nth(asks.port)?;
    let looping = ["for", "while", "loop"];
    let cells = reader.source() == IterationSource::Cells;
    // A mean of finer cells reads each of them once in total, so nothing is computed twice.
    let finer = target.domain.and_then(|d| graph.domains.get(d)).and_then(|d| d.finer).map(|f| f.domain);
    let each = finer.is_some() && finer == node.domain && reader.asks_centre(&port.name);
    let much = stage.text_length() <= MUCH && stage.bounded(graph.dim(node)).finite;
    let little = looping.iter().all(|word| !stage.names(word))
        && stage.text_length() <= LITTLE
        && from.inputs().all(|value| reads_own(graph, from, value))
        && from.inputs().count() <= 2;
    // A value is interpolated between four or eight cells; if it is read more often, storing it is better.
    let once = looping.iter().all(|word| !reader.names(word)) && reader.reads_once(&port.name);
    (cells && !port.ty.is_array() && !port.table && (each && much || little && once && which == Which::All))
        .then_some(read)
}

fn build(graph: &Graph, program: &mut Program, (producer, consumer): (OpId, OpId), read: usize) {
    let Some(op) = program.ops.get_mut(producer) else { return };
    // The rest of it writes nothing.
    let (reads, writes) = (std::mem::take(&mut op.reads), std::mem::take(&mut op.writes));
    let from = Op { reads, writes, ..op.clone() };
    let Some(to) = program.ops.get_mut(consumer) else { return };
    let asks = to.reads.remove(read);
    let value = from.writes.first().map(|w| w.value);
    let callers = vec![(asks.stage, asks.port)];
    let instance = to.stages.push(StageInstance { callers, recomputes: value, ..StageInstance::own(from.node) });
    // The version that it updated is now read.
    let consumed = from.writes.iter().filter_map(|write| {
        let stage = stage_of(graph, &from, OWN)?;
        let name = &stage.outputs().nth(write.port)?.name;
        let port = stage.inputs().position(|p| p.name == *name)?;
        Some(Read { stage: instance, port, part: Part::Whole, value: write.consumes? })
    });
    to.reads.extend(consumed);
    // The table by which it ran, where it asks for the cells in which it does.
    let asks = stage_of(graph, &from, OWN).is_some_and(|stage| stage.names("runs_in"));
    let needed = from.reads.iter().filter(|read| asks || !read.part.is_blocks());
    to.reads.extend(needed.map(|read| Read { stage: instance, ..read.clone() }));
}
