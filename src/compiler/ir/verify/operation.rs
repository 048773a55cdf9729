//! Checks of a single operation.

use super::super::{InstanceId, OWN, Op, Part, Program, Read, Task, query};
use crate::graph::Graph;
use crate::stage::{IterationSource, Stage};
use crate::tuning::{CELLS_OF_A_WORD, MAX_WORKGROUP};

/// Checks that the values, stages and ports it refers to exist.
pub(super) fn verify(graph: &Graph, program: &Program, op: &Op) -> Result<(), String> {
    if op.stages.get(OWN).is_none_or(|dispatched| dispatched.node != op.node || dispatched.before) {
        return Err("its first stage is not its own".into());
    }
    values(program, op)?;
    if op.sweeps == 0 {
        return Err("it makes no sweep".into());
    }
    if !matches!(op.task, Task::Stage) {
        return Ok(());
    }
    if op.sweeps > 1 && op.shape.is_none() {
        return Err(format!("it makes {} sweeps, and has no tile", op.sweeps));
    }
    let group = op.shape.map_or([1; 3], |shape| shape.group);
    if group.iter().zip(MAX_WORKGROUP).any(|(along, most)| *along > most) {
        return Err(format!("its workgroup is {group:?}, more along an axis than {MAX_WORKGROUP:?}"));
    }
    ports(graph, op)?;
    instances(op)
}

fn values(program: &Program, op: &Op) -> Result<(), String> {
    let consumed = op.writes.iter().filter_map(|write| write.consumes);
    let forwarded = || op.forwarded.iter().map(|read| read.value);
    let all = op.needs().chain(forwarded()).chain(consumed).chain(op.writes.iter().map(|write| write.value));
    if let Some(value) = all.into_iter().find(|value| program.values.get(*value).is_none()) {
        return Err(format!("%{value} is no value"));
    }
    let made = |value| op.writes.iter().any(|write| write.value == value);
    if let Some(value) = forwarded().find(|value| !made(*value)) {
        return Err(format!("%{value} is forwarded, and none of its stages makes it"));
    }
    match op.writes.iter().find(|write| write.start.is_some() && write.consumes.is_some()) {
        Some(write) => Err(format!("%{} begins with a constant, and updates a version too", write.value)),
        None => Ok(()),
    }
}

fn ports(graph: &Graph, op: &Op) -> Result<(), String> {
    let stage = |instance: InstanceId| query::stage_of(graph, op, instance);
    let lacks = |stage: &Stage, what: &str| format!("`{}` has no {what}", stage.name);
    for read in op.reads.iter().chain(&op.forwarded) {
        let Some(stage) = stage(read.stage) else {
            return Err(format!("stage {} of it, which reads %{}, is none", read.stage, read.value));
        };
        if matches!(read.part, Part::Slots(_)) {
            continue;
        } else if read.part.is_blocks() {
            blocks(op, read, stage)?;
        } else if stage.inputs().nth(read.port).is_none() {
            return Err(lacks(stage, &format!("input {}, which reads %{}", read.port, read.value)));
        }
    }
    for write in &op.writes {
        let Some(stage) = stage(write.stage) else {
            return Err(format!("stage {} of it, which writes %{}, is none", write.stage, write.value));
        };
        if stage.outputs().nth(write.port).is_none() {
            return Err(lacks(stage, &format!("output {}, which writes %{}", write.port, write.value)));
        }
    }
    Ok(())
}

/// Which blocks an operation runs in is asked cell by cell, behind the declared inputs of its own stage.
fn blocks(op: &Op, read: &Read, stage: &Stage) -> Result<(), String> {
    let cells = stage.source() == IterationSource::Cells && read.port == stage.inputs().count();
    let single = op.sweeps == 1 && op.shape.is_none_or(|shape| shape.halo == 0 && shape.cells <= CELLS_OF_A_WORD);
    // A tile asks before each cell, but not what runs before it.
    let by_cell = single || op.sweeps > 1 && op.inlined().is_empty();
    let called = op.stages.get(read.stage).is_some_and(|stage| stage.recomputes.is_some());
    match (read.stage == OWN || called) && cells && by_cell {
        true => Ok(()),
        false => Err(format!("%{} confines what does not run cell by cell", read.value)),
    }
}

fn instances(op: &Op) -> Result<(), String> {
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
