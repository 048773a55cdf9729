//! What holds of every program, whichever passes have run.

use std::collections::BTreeSet;

use super::{OWN, Op, Program, Task, Value, ValueId, query};
use crate::arena::Arena;
use crate::graph::Graph;

/// Checks a program.
///
/// # Errors
/// What does not hold, and of which operation.
pub fn verify(graph: &Graph, program: &Program) -> Result<(), String> {
    let mut written = program.values.table(None);
    let held: BTreeSet<ValueId> = program.states.values().copied().collect();
    for (index, op) in program.ops.iter().enumerate() {
        let place = || format!("operation {index} of {}", graph.nodes.get(op.node).map_or("?", |node| &node.path));
        operation(graph, &program.values, op).map_err(|cause| format!("{}: {cause}", place()))?;
        for write in &op.writes {
            if held.contains(&write.value) || written[write.value].replace(index).is_some() {
                return Err(format!("{}: %{} has two writers", place(), write.value));
            }
        }
    }
    for (index, op) in program.ops.iter().enumerate() {
        let place = || format!("operation {index} of {}", graph.nodes.get(op.node).map_or("?", |node| &node.path));
        if let Some(value) = op.needs().find(|value| written[*value].is_none() && !held.contains(value)) {
            return Err(format!("{}: nothing writes %{value}, which it needs", place()));
        }
        if let Some(gate) = op.gate {
            let tests = |by: usize| program.ops.get(by).is_some_and(|op| matches!(op.task, Task::Test { .. }));
            if op.invariant || !written[gate].is_some_and(tests) {
                return Err(format!("{}: %{gate} is no gate for it", place()));
            }
        }
    }
    let outside = program.pinned.iter().chain(program.next.values());
    match outside.copied().find(|value| !written.get(*value).is_some_and(|by| by.is_some() || held.contains(value))) {
        Some(value) => Err(format!("nothing writes %{value}, which has to outlive the frame")),
        None => in_order(program),
    }
}

/// Whether operations follow one another without a circle.
fn in_order(program: &Program) -> Result<(), String> {
    let mut writer = program.values.table(None);
    for (index, op) in program.ops.iter().enumerate() {
        op.writes.iter().for_each(|write| writer[write.value] = Some(index));
    }
    let mut after = vec![Vec::new(); program.ops.len()];
    for (index, op) in program.ops.iter().enumerate() {
        op.needs().filter_map(|value| writer[value]).for_each(|from| after[from].push(index));
    }
    let ordered = super::links::topological(&after).len();
    if ordered < program.ops.len() {
        return Err(format!("{} operations wait for each other", program.ops.len() - ordered));
    }
    Ok(())
}

/// What holds of an operation by itself.
fn operation(graph: &Graph, values: &Arena<Value>, op: &Op) -> Result<(), String> {
    if op.stages.get(OWN).is_none_or(|own| own.node != op.node || own.before) {
        return Err("its first stage is not its own".into());
    }
    let known = |value: &ValueId| values.get(*value).is_some();
    let consumed = op.writes.iter().filter_map(|write| write.consumes);
    let all = op.needs().chain(consumed).chain(op.writes.iter().map(|write| write.value));
    if let Some(value) = all.into_iter().find(|value| !known(value)) {
        return Err(format!("%{value} is no value"));
    }
    if op.sweeps == 0 {
        return Err("it makes no sweep".into());
    }
    if !matches!(op.task, Task::Stage) {
        return Ok(());
    }
    for read in op.reads.iter().chain(&op.forwarded) {
        let Some(stage) = query::stage_of(graph, op, read.stage) else {
            return Err(format!("stage {} of it, which reads %{}, is none", read.stage, read.value));
        };
        if stage.inputs().nth(read.port).is_none() {
            return Err(format!("`{}` has no input {}, which reads %{}", stage.name, read.port, read.value));
        }
    }
    for write in &op.writes {
        let Some(stage) = query::stage_of(graph, op, write.stage) else {
            return Err(format!("stage {} of it, which writes %{}, is none", write.stage, write.value));
        };
        if stage.outputs().nth(write.port).is_none() {
            return Err(format!("`{}` has no output {}, which writes %{}", stage.name, write.port, write.value));
        }
    }
    for (index, inlined) in op.stages.entries().filter(|(index, _)| *index != OWN) {
        if inlined.callers.iter().any(|(caller, _)| op.stages.get(*caller).is_none() || *caller == index) {
            return Err(format!("stage {index} of it is called by none of its stages"));
        }
        if !inlined.before && inlined.callers.is_empty() {
            return Err(format!("stage {index} of it is called by nothing"));
        }
    }
    Ok(())
}
