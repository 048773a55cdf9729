//! Gates: what a repeat writes that may not run is read only where it has run, or is carried.

use super::super::{Op, Task, ValueId};
use super::Known;

/// What holds of an operation's gate, and of the gates of what it reads.
pub fn verify(known: &Known<'_>, op: &Op) -> Result<(), String> {
    if let Some(gate) = op.gate {
        let tested = known.writer(gate).is_some_and(|op| matches!(op.task, Task::Test { .. }));
        if op.invariant || !tested {
            return Err(format!("%{gate} is no gate for it"));
        }
    }
    match op.inputs().find(|value| !reads(known, op, *value)) {
        Some(value) => Err(format!("%{value}, which it needs, may not have been written in this frame")),
        None => Ok(()),
    }
}

/// What outlives the frame is written in every frame, or carried.
pub fn outside(known: &Known<'_>) -> Result<(), String> {
    let program = known.program;
    for versions in program.carries.iter().chain(&program.together) {
        let written = versions.iter().filter(|version| known.exists(**version)).count();
        if written != 0 && written < versions.len() {
            return Err(format!("of {} versions that are carried, {written} are written", versions.len()));
        }
    }
    let watched = program.watches.iter().map(|(_, _, value)| value);
    let outside = program.pinned.iter().chain(program.next.values()).chain(watched);
    let behind = |value: &ValueId| known.writer(*value).is_some_and(|op| op.gate.is_some());
    match outside.copied().find(|value| behind(value) && !known.carried.contains(value)) {
        Some(value) => Err(format!("%{value} has to outlive the frame, and may not have been written in it")),
        None => Ok(()),
    }
}

/// Whether a value has been written when an operation runs.
fn reads(known: &Known<'_>, op: &Op, value: ValueId) -> bool {
    let Some(gate) = known.writer(value).and_then(|op| op.gate) else { return true };
    // A test looks at the number whatever came of the repeat: behind a gate that is shut it does not open another.
    let looks = matches!(op.task, Task::Test { .. }) && op.reads.first().is_some_and(|read| read.value == value);
    looks || known.carried.contains(&value) || open(known, op.gate).any(|open| open == gate)
}

/// The gates that are open where this one is: itself, and those that its test follows.
fn open(known: &Known<'_>, gate: Option<ValueId>) -> impl Iterator<Item = ValueId> {
    let before = |gate: &ValueId| {
        let op = known.writer(*gate).filter(|op| matches!(op.task, Task::Test { .. }))?;
        op.reads.get(1).map(|read| read.value)
    };
    // As many as there are values, in case they go round.
    std::iter::successors(gate, before).take(known.program.values.len())
}
