//! Checks that the operations of a program have a valid order, and that a given order is valid.

use super::super::{Op, OpId, links};
use super::def_use::Known;
use super::updates;

/// Checks that operations do not depend on each other in a cycle.
pub(super) fn verify(known: &Known<'_>) -> Result<(), String> {
    let ops = &known.program.ops;
    let mut after = ops.table(Vec::new());
    for (index, op) in ops.entries() {
        op.needs().filter_map(|value| known.writer[value]).for_each(|from| after[from].push(index));
    }
    match links::topological(&after).len() {
        ordered if ordered < ops.len() => Err(format!("{} operations wait for each other", ops.len() - ordered)),
        _ => Ok(()),
    }
}

/// Checks that what an operation reads is written before it, and that what it overwrites has been read before.
/// Invariant operations come first.
pub(super) fn verify_scheduled(known: &Known<'_>, index: OpId, op: &Op) -> Result<(), String> {
    if let Some(value) = op.needs().find(|value| known.writer[*value].is_some_and(|writer| writer >= index)) {
        return Err(format!("%{value}, which it needs, is written later"));
    }
    if op.invariant && index >= known.frame_begins {
        return Err("it is invariant, and runs with the frame".into());
    }
    for (write, before) in updates::bound(known.graph, op) {
        let late = known.readers[before].iter().find(|reader| **reader > index);
        if let Some(reader) = late {
            let place = known.place(*reader);
            return Err(format!("%{} takes the place of %{before}, which {place} reads later", write.value));
        }
    }
    Ok(())
}
