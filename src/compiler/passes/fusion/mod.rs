//! Fuses neighbouring stages into one dispatch: a stage whose results another needs at its own cell, or for its own
//! particle, is inlined into that one and called before it. Values between the two stay in registers, and are stored
//! only where something else reads them.
//!
//! Stages may share a dispatch if they run over the same elements and behind the same gate, if both or neither are invariant, and if no third
//! operation comes between them. Together they bind no more storage buffers than `buffer_budget` allows: what they share is bound once, and
//! values that they pass on take no buffer. A stage that is read at other cells is recomputed there where that is little work, or where a
//! mean of finer cells reads each of its cells once. Values in half precision are never recomputed.

mod constants;
mod eligible;
mod horizontal;
mod merge;
mod rematerialize;
mod vertical;

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::ir::links::Links;
use crate::ir::{OWN, Op, Program, ValueId, Write};
use rematerialize::Which;
use vertical::Scatters;

/// Fuses operations of a program where that does not change results.
///
/// `rematerialize`: on a GPU, where a stage that reads another's result elsewhere than at its own cell computes it itself, if that
/// is little work, and where invocations share loops. `into_scatters`: also fuse into stages over particles that add to grids; these have no packs.
pub(super) fn fuse(graph: &Graph, program: &mut Program, rematerialize: bool, into_scatters: bool) {
    // An operation that was fused into another one stays with nothing to write, so that indices are valid until the
    // end.
    let mut links = Links::new(program);
    constants::begin_from(graph, program, &mut links);
    if rematerialize {
        rematerialize::fuse(graph, program, &mut links, Which::Means);
    }
    let scatters = match (into_scatters, rematerialize) {
        (false, _) => Scatters::Apart,
        (true, true) => Scatters::InRegisters,
        (true, false) => Scatters::Any,
    };
    vertical::fuse(graph, program, &mut links, scatters);
    if rematerialize {
        rematerialize::fuse(graph, program, &mut links, Which::All);
        horizontal::fuse(graph, program, &mut links);
    }
    program.ops.retain(|_, op| !op.writes.is_empty());
    leave_in_registers(program);
}

/// Values that only stages of their own operation read are not stored. What would take their memory takes that of the version before.
fn leave_in_registers(program: &mut Program) {
    let mut kept: BTreeSet<ValueId> = program.pinned.iter().chain(program.next.values()).copied().collect();
    let mut overwriters = program.values.table(Vec::new());
    for (index, op) in program.ops.entries() {
        kept.extend(op.reads.iter().map(|read| read.value).chain(op.gate));
        for (at, write) in op.writes.iter().enumerate() {
            let before = write.consumes.filter(|before| op.writes.iter().all(|made| made.value != *before));
            match before {
                Some(before) if is_overwritten(op, write) => overwriters[before].push((index, at)),
                Some(before) => drop(kept.insert(before)),
                None => {}
            }
        }
    }
    for index in program.ops.ids() {
        let op = &mut program.ops[index];
        if !op.inlined().iter().any(|stage| stage.before) {
            continue;
        }
        let inside = |write: &Write| write.stage != OWN && !kept.contains(&write.value);
        let last = |write: &Write| overwriters[write.value].is_empty() || write.overwrites;
        let found: Vec<usize> =
            (0..op.writes.len()).filter(|at| inside(&op.writes[*at]) && last(&op.writes[*at])).collect();
        for at in found {
            let write = &mut program.ops[index].writes[at];
            write.transient = true;
            let next = std::mem::take(&mut overwriters[write.value]);
            if next.is_empty() {
                continue;
            }
            let before = write.consumes.take();
            for (op, at) in next {
                program.ops[op].writes[at].consumes = before;
                before.into_iter().for_each(|before| overwriters[before].push((op, at)));
            }
        }
    }
}

/// Whether a write only takes the memory of the version before.
fn is_overwritten(op: &Op, write: &Write) -> bool {
    write.overwrites && op.gate.is_none()
}
