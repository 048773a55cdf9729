//! Counts the storage buffers that the kernel of an operation binds. Values passed between its stages take none; an
//! in-place update takes one for both versions.

use crate::ir::in_place::works_in_place;
use crate::ir::{InstanceId, OWN, Op, Part, Program, Task, ValueId, Write, query};
use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::stage::header::{Change, Direction};

/// Limit of storage buffers of a kernel, including its alarms: what every adapter offers.
pub(crate) const MAX_BUFFERS: usize = 8;

/// Limit of buffers of a kernel: what every adapter offers, or as many as one of the program's single stages needs
/// anyway.
pub(crate) fn budget(program: &Program) -> usize {
    let stages = program.ops.iter().filter(|op| matches!(op.task, Task::Stage) && op.inlined().is_empty());
    stages.map(buffers_of).max().unwrap_or(0).max(MAX_BUFFERS)
}

/// Buffers that an operation certainly takes. Versions of a value that its stages make and change take one, unless none
/// of them is stored.
pub(crate) fn buffers_of(op: &Op) -> usize {
    let read: BTreeSet<ValueId> = op.inputs().collect();
    let stored = op.writes.iter().filter(|write| !write.transient);
    let apart: BTreeSet<ValueId> = stored.filter_map(|write| made(op, write)).collect();
    let warns = op.reads.iter().any(|r| r.part == Part::Start);
    read.len() + apart.len() + usize::from(warns)
}

/// Buffers that an operation takes as far as its own stages tell: also those of versions that they cannot change in place.
/// What runs later may need more versions apart.
pub(crate) fn own_buffers(graph: &Graph, program: &Program, op: &Op) -> usize {
    let stored = op.writes.iter().filter(|write| !write.transient && made(op, write).is_none());
    buffers_of(op) + stored.filter(|write| place(graph, program, op, write, &|_| false).is_none()).count()
}

/// The first version of what a write changes, if the operation makes it.
fn made(op: &Op, write: &Write) -> Option<ValueId> {
    let mut first = write;
    for _ in 0..=op.writes.len() {
        let Some(before) = first.consumes else { return Some(first.value) };
        first = op.writes.iter().find(|write| write.value == before)?;
    }
    None
}

/// Buffers of an operation with one cell or particle an invocation, including its alarms; never fewer than it binds in
/// the end. `elsewhere`: whether a value is needed by anything but the operation and those that certainly run before
/// it.
pub(crate) fn buffers(graph: &Graph, program: &Program, op: &Op, elsewhere: &dyn Fn(ValueId) -> bool) -> usize {
    let shares = op.inlined().iter().any(|built| built.before);
    let reads: BTreeSet<ValueId> = op.reads.iter().map(|read| read.value).collect();
    let read = if shares { reads.len() } else { op.reads.len() };
    let passed = |w: &Write| w.transient || shares && w.stage != OWN && !elsewhere(w.value);
    let stored = op.writes.iter().filter(|w| !passed(w));
    let bound = |write: &Write| match place(graph, program, op, write, elsewhere) {
        Some(before) => usize::from(!reads.contains(&before)),
        None => 1 + usize::from(loads(graph, op, write)),
    };
    // What is updated and stored by nothing is loaded all the same.
    let ends = |w: &&Write| w.transient && op.writes.iter().all(|next| next.consumes != Some(w.value));
    let loaded = |w: &Write| loads(graph, op, w) && w.consumes.is_some_and(|before| !reads.contains(&before));
    let lost = op.writes.iter().filter(ends).filter(|w| loaded(w)).count();
    read + stored.map(bound).sum::<usize>() + lost + usize::from(warns(graph, op))
}

/// The outside version that a write certainly updates in place, through what its stages pass to one another.
fn place(
    graph: &Graph,
    program: &Program,
    op: &Op,
    write: &Write,
    elsewhere: &dyn Fn(ValueId) -> bool,
) -> Option<ValueId> {
    // The memory of a State is never used for another State's next value; which State this would be is decided by the
    // allocator.
    let state = |value: ValueId| program.states.values().any(|v| *v == value);
    let next = program.next.values().any(|v| *v == write.value);
    let mut last = write;
    for _ in 0..=op.writes.len() {
        let before = last.consumes.filter(|value| !elsewhere(*value))?;
        if !works_in_place(graph, program, op, last) {
            return None;
        }
        match op.writes.iter().find(|w| w.value == before) {
            Some(made) => last = made,
            None => return (!(next && state(before))).then_some(before),
        }
    }
    None
}

/// Whether a version that is not written in place is certain to be loaded.
fn loads(graph: &Graph, op: &Op, write: &Write) -> bool {
    let made = |value: ValueId| op.writes.iter().any(|w| w.value == value);
    let port = query::stage_of(graph, op, write.stage).and_then(|stage| stage.outputs().nth(write.port));
    let copies = port.is_some_and(|port| {
        let grid = port.ty.is_grid() && port.direction == Direction::InOut && port.scatter.is_none();
        grid || matches!(port.change, Change::Emit(_))
    });
    copies && write.consumes.is_some_and(|before| !made(before))
}

/// Whether an operation raises alarms.
fn warns(graph: &Graph, op: &Op) -> bool {
    let loops = |instance: InstanceId| {
        let dim = op.node_of(instance).and_then(|node| graph.nodes.get(node)).map_or(2, |n| graph.dim(n));
        query::stage_of(graph, op, instance).is_some_and(|stage| {
            let adds = instance == OWN && stage.outputs().any(|port| query::checked(stage, port));
            adds || !stage.bounded(dim).finite || stage.outputs().any(|p| matches!(p.change, Change::Emit(_)))
        })
    };
    op.reads.iter().any(|read| read.part == Part::Start) || op.stages.ids().any(loops)
}
