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
use crate::ir::{OWN, Program, ValueId};
use rematerialize::Which;

/// Fuses operations of a program where that does not change results.
///
/// `rematerialize`: a stage that reads another's result elsewhere than at its own cell computes it itself, where that
/// is little work. `into_scatters`: also fuse into stages over particles that add to grids; these have no packs.
pub(super) fn fuse(graph: &Graph, program: &mut Program, rematerialize: bool, into_scatters: bool) {
    // An operation that was fused into another one stays with nothing to write, so that indices are valid until the
    // end.
    let mut links = Links::new(program);
    constants::begin_from(graph, program, &mut links);
    if rematerialize {
        rematerialize::fuse(graph, program, &mut links, Which::Means);
    }
    vertical::fuse(graph, program, &mut links, into_scatters);
    if rematerialize {
        rematerialize::fuse(graph, program, &mut links, Which::All);
        horizontal::fuse(graph, program, &mut links);
    }
    program.ops.retain(|_, op| !op.writes.is_empty());
    leave_in_registers(program, &links);
}

/// Values that only stages of their own operation read are not stored.
fn leave_in_registers(program: &mut Program, links: &Links) {
    let pinned: BTreeSet<ValueId> = program.pinned.iter().copied().collect();
    let states: BTreeSet<ValueId> = program.next.values().copied().collect();
    for op in program.ops.iter_mut().filter(|op| op.inlined().iter().any(|b| b.before)) {
        for write in &mut op.writes {
            let inside = links.readers(write.value).is_empty() && write.stage != OWN;
            write.transient |= inside && !pinned.contains(&write.value) && !states.contains(&write.value);
        }
    }
}
