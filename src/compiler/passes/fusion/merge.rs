//! Inlines one operation into another.

use std::collections::BTreeSet;

use super::eligible::names;
use crate::graph::Graph;
use crate::ir::{InstanceId, OWN, Op, OpId, Program, Read, StageInstance, ValueId, Write};

/// Inlines the producer into the consumer, and empties the producer. Of two substeps the dispatch counts as the one that a text names.
pub(super) fn merge(graph: &Graph, program: &mut Program, producer: OpId, consumer: OpId) {
    let named = program.ops.get(producer).filter(|op| names(graph, op, "substep")).map(|op| op.substep);
    let from = program.ops.get_mut(producer).map(|op| Op {
        stages: std::mem::take(&mut op.stages),
        writes: std::mem::take(&mut op.writes),
        reads: std::mem::take(&mut op.reads),
        forwarded: std::mem::take(&mut op.forwarded),
        task: op.task.clone(),
        ..*op
    });
    if let (Some(from), Some(to)) = (from, program.ops.get_mut(consumer)) {
        build_before(from, to);
        to.substep = named.unwrap_or(to.substep);
    }
}

/// Inlines an operation into another one that runs it first.
pub(super) fn build_before(from: Op, to: &mut Op) {
    let first = to.stages.len();
    let moved = |stage: InstanceId| InstanceId::new(first + stage.index());
    let ids = from.stages.ids();
    to.stages.extend(ids.zip(from.stages).map(|(instance, stage)| StageInstance {
        callers: stage.callers.into_iter().map(|(caller, port)| (moved(caller), port)).collect(),
        before: stage.before || instance == OWN,
        ..stage
    }));
    let made: BTreeSet<ValueId> = from.writes.iter().map(|w| w.value).collect();
    let (forwarded, mut reads): (Vec<Read>, Vec<Read>) = to.reads.drain(..).partition(|r| made.contains(&r.value));
    to.forwarded.extend(forwarded);
    let moved_read = |read: Read| Read { stage: moved(read.stage), ..read };
    // Both run in the same blocks, which the operation's own stage reads.
    reads.extend(from.reads.into_iter().filter(|read| !read.part.is_blocks()).map(moved_read));
    to.reads = reads;
    to.forwarded.extend(from.forwarded.into_iter().map(moved_read));
    // Writes in the order of computation, so that in-place updates can be followed from one to the next.
    let mut writes: Vec<Write> =
        from.writes.into_iter().map(|write| Write { stage: moved(write.stage), ..write }).collect();
    writes.append(&mut to.writes);
    to.writes = writes;
}
