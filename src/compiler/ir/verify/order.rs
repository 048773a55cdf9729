//! Checks that the operations of a program have a valid order, and that a given order is valid.

use super::super::{Op, OpId, links};
use super::def_use::DefUse;
use super::updates;

/// Checks that operations do not depend on each other in a cycle.
pub(super) fn verify(def_use: &DefUse<'_>) -> Result<(), String> {
    let ops = &def_use.program.ops;
    let mut after = ops.table(Vec::new());
    for (index, op) in ops.entries() {
        op.needs().filter_map(|value| def_use.writer[value]).for_each(|from| after[from].push(index));
    }
    match links::topological(&after).len() {
        ordered if ordered < ops.len() => Err(format!("{} operations wait for each other", ops.len() - ordered)),
        _ => Ok(()),
    }
}

/// Checks that what an operation reads is written before it, and that what it overwrites has been read before.
/// Invariant operations come first.
pub(super) fn verify_scheduled(def_use: &DefUse<'_>, index: OpId, op: &Op) -> Result<(), String> {
    if let Some(value) = op.needs().find(|value| def_use.writer[*value].is_some_and(|writer| writer >= index)) {
        return Err(format!("%{value}, which it needs, is written later"));
    }
    if op.invariant && index >= def_use.frame_begins {
        return Err("it is invariant, and runs with the frame".into());
    }
    for (write, before) in updates::bound(def_use.graph, op) {
        let late = def_use.readers[before].iter().find(|reader| **reader > index);
        if let Some(reader) = late {
            let place = def_use.place(*reader);
            return Err(format!("%{} takes the place of %{before}, which {place} reads later", write.value));
        }
    }
    Ok(())
}
