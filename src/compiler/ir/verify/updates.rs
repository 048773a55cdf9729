//! Checks versions that an operation updates. Most can be copied where they may not be overwritten; targets of atomic
//! sums cannot.

use std::collections::BTreeSet;

use super::super::{Op, OpId, Task, ValueId, Write, in_place, query};
use super::def_use::DefUse;
use crate::graph::Graph;
use crate::stage::header::Change;

/// Updates that work only in place, with their versions: atomic sums, labels that are joined, and particles that a stage
/// writes at indices of its choice.
pub(super) fn bound<'a>(graph: &'a Graph, op: &'a Op) -> impl Iterator<Item = (&'a Write, ValueId)> {
    let adds = |write: &&Write| {
        let port = query::stage_of(graph, op, write.stage).and_then(|stage| stage.outputs().nth(write.port));
        port.is_some_and(|port| {
            port.scatter.is_some() || port.reduce.is_some() || port.change == Change::Put || port.is_summed_set()
        })
    };
    let updates = op.writes.iter().filter(move |write| match op.task {
        Task::Stage => adds(write),
        Task::ConnectBorders | Task::BinCount(_) | Task::BinList(_) | Task::WidenBlocks | Task::PlaceBlocks(_) => true,
        _ => false,
    });
    updates.filter_map(|write| Some((write, write.consumes?)))
}

/// Checks that such a version may be overwritten, and that all its other readers can run before.
pub(super) fn verify(def_use: &DefUse<'_>, index: OpId, op: &Op) -> Result<(), String> {
    for (write, before) in bound(def_use.graph, op) {
        let value = write.value;
        if !in_place::works_in_place(def_use.graph, def_use.program, op, write) {
            return Err(format!("%{value} has to take the place of %{before}, which it may not overwrite"));
        }
        if def_use.demanded.contains(&before) {
            return Err(format!("%{value} has to take the place of %{before}, which has to outlive the frame"));
        }
        let others = || def_use.readers[before].iter().filter(|reader| **reader != index);
        if others().next().is_none() {
            continue;
        }
        let behind = behind(def_use, index);
        if let Some(reader) = others().find(|reader| behind.contains(reader)) {
            let place = def_use.place(*reader);
            return Err(format!("%{value} has to take the place of %{before}, which {place} can only read later"));
        }
    }
    Ok(())
}

/// The operations that must run after one.
fn behind(def_use: &DefUse<'_>, index: OpId) -> BTreeSet<OpId> {
    let (mut found, mut pending) = (BTreeSet::new(), vec![index]);
    while let Some(op) = pending.pop().and_then(|index| def_use.program.ops.get(index)) {
        let next = op.writes.iter().flat_map(|write| &def_use.readers[write.value]).copied();
        pending.extend(next.filter(|next| found.insert(*next)));
    }
    found
}
