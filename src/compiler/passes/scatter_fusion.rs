//! A stage that determines where particles go also moves them in its own dispatch: no index is stored and read again.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::ir::{OWN, Op, OpId, Part, Program, Read, Task, ValueId, Write, bindings, demand, query};
use crate::stage::header::Change;

/// Fuses moves of particles into the stages that determine their targets, as far as their kernels have buffers for it.
pub(super) fn join(graph: &Graph, program: &mut Program) {
    let demanded = demand::demanded(program);
    let mut readers = program.values.table(Vec::new());
    for (reader, op) in program.ops.entries() {
        let read: BTreeSet<ValueId> = op.inputs().collect();
        read.into_iter().for_each(|value| readers[value].push(reader));
    }
    let mut moved = BTreeSet::<OpId>::new();
    for stage in program.ops.ids() {
        let Some(says) = program.ops.get(stage) else { continue };
        let Some(index) = index_of(graph, says).filter(|index| !demanded.contains(index)) else { continue };
        let readers = &readers[index];
        let mut moves = readers.iter().map(|reader| &program.ops[*reader]);
        let fits = |op: &Op| {
            bindings::buffers(graph, program, op, &|value| demanded.contains(&value)) <= program.buffer_budget
        };
        if moves.clone().all(|op| matches!(op.task, Task::Scatter))
            && let Some(joined) = moves.try_fold(says.clone(), |op, next| with((graph, program), op, next, index))
            && fits(&joined)
        {
            moved.extend(readers);
            program.ops[stage] = joined;
        }
    }
    program.ops.retain(|op, _| !moved.contains(&op));
}

/// The value by which an operation determines where its particles go.
fn index_of(graph: &Graph, op: &Op) -> Option<ValueId> {
    let stage = query::stage_of(graph, op, OWN).filter(|_| matches!(op.task, Task::Stage) && !op.edited)?;
    let port = stage.outputs().position(|port| port.change == Change::Scatter)?;
    op.writes.iter().find(|w| w.stage == OWN && w.port == port && w.part == Part::Whole).map(|w| w.value)
}

/// A stage that also does another operation's moves.
fn with((graph, program): (&Graph, &Program), mut op: Op, moves: &Op, index: ValueId) -> Option<Op> {
    let stage = query::stage_of(graph, &op, OWN)?;
    let input = stage.inputs().position(|port| port.change == Change::Scatter)?;
    let output = stage.outputs().position(|port| port.change == Change::Scatter)?;
    for (read, write) in moves.reads.iter().filter(|r| r.port == 0).zip(&moves.writes) {
        let (_, name) = program.values.get(write.value)?.label.rsplit_once('.')?;
        let part = Part::Attribute(name.into());
        if !op.reads.iter().any(|r| r.stage == OWN && r.port == input && r.part == part) {
            op.reads.push(Read { stage: OWN, port: input, part: part.clone(), value: read.value });
        }
        op.writes.push(Write { stage: OWN, port: output, part, ..write.clone() });
    }
    op.writes.iter_mut().filter(|w| w.value == index).for_each(|w| w.transient = true);
    (moves.invariant == op.invariant && moves.gate == op.gate).then_some(op)
}
