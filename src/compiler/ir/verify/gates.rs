//! Checks gates: a value that is written by a repeat which may be skipped is read only where that repeat has run, or is
//! carried out of the group.

use super::super::query::open_gates;
use super::super::{Op, Task, ValueId};
use super::def_use::DefUse;

/// Checks an operation's gate against the gates of the values it reads.
pub(super) fn verify(def_use: &DefUse<'_>, op: &Op) -> Result<(), String> {
    if let Some(gate) = op.gate {
        let tested = def_use.writer(gate).is_some_and(|op| matches!(op.task, Task::Test { .. }));
        if op.invariant || !tested {
            return Err(format!("%{gate} is no gate for it"));
        }
    }
    match op.inputs().find(|value| !reads(def_use, op, *value)) {
        Some(value) => Err(format!("%{value}, which it needs, may not have been written in this frame")),
        None => Ok(()),
    }
}

/// Checks that values which outlive the frame are written in every frame, or carried.
pub(super) fn outside(def_use: &DefUse<'_>) -> Result<(), String> {
    let program = def_use.program;
    for versions in program.carries.iter().chain(&program.together) {
        let written = versions.iter().filter(|version| def_use.exists(**version)).count();
        if written != 0 && written < versions.len() {
            return Err(format!("of {} versions that are carried, {written} are written", versions.len()));
        }
    }
    let watched = program.watches.iter().map(|(_, _, value)| value);
    let outside = program.pinned.iter().chain(program.next.values()).chain(watched);
    let behind = |value: &ValueId| def_use.writer(*value).is_some_and(|op| op.gate.is_some());
    match outside.copied().find(|value| behind(value) && !def_use.carried.contains(value)) {
        Some(value) => Err(format!("%{value} has to outlive the frame, and may not have been written in it")),
        None => Ok(()),
    }
}

/// Whether a value is certainly written when an operation runs.
fn reads(def_use: &DefUse<'_>, op: &Op, value: ValueId) -> bool {
    let Some(gate) = def_use.writer(value).and_then(|op| op.gate) else { return true };
    // A test reads the number even if the repeat was skipped: after a closed gate it opens no further gate.
    let looks = matches!(op.task, Task::Test { .. }) && op.reads.first().is_some_and(|read| read.value == value);
    looks
        || def_use.carried.contains(&value)
        || open_gates(def_use.program, &def_use.writer, op.gate).any(|open| open == gate)
}
