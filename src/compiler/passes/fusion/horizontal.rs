//! Horizontal fusion: stages that read the same value at their own cell run in one dispatch.

use std::collections::{BTreeMap, BTreeSet};

use super::eligible::{Candidate, MAX_TOGETHER, buffers, names, reads_own};
use super::merge::merge;
use crate::graph::Graph;
use crate::ir::links::Links;
use crate::ir::{Op, OpId, Program, ValueId};
use crate::stage::{IterationSource, Reach};

/// Puts stages that read the same value at their own cell into one dispatch, where neither depends on the other: it is
/// loaded once for both.
pub(super) fn fuse(graph: &Graph, program: &mut Program, links: &mut Links) {
    let mut last = BTreeMap::<ValueId, OpId>::new();
    for index in program.ops.ids() {
        let shared: BTreeSet<ValueId> = program.ops[index].reads.iter().map(|r| r.value).collect();
        let shared: Vec<ValueId> = shared.into_iter().filter(|v| reads_own(graph, &program.ops[index], *v)).collect();
        let before: BTreeSet<OpId> = shared.iter().filter_map(|v| last.get(v)).copied().collect();
        for other in before {
            if fits(graph, program, links, (other, index)) {
                links.join(program, other, index);
                merge(program, other, index);
                links.enter(program, index);
            }
        }
        last.extend(shared.into_iter().map(|value| (value, index)));
    }
}

/// Whether two operations can share a dispatch though neither reads what the other computes.
fn fits(graph: &Graph, program: &Program, links: &Links, (one, other): (OpId, OpId)) -> bool {
    let (from, to) = (&program.ops[one], &program.ops[other]);
    let (Some(first), Some(second)) = (Candidate::plain(graph, from), Candidate::plain(graph, to)) else {
        return false;
    };
    // What one updates must not be what the other still reads.
    let apart = |a: &Op, b: &Op| a.writes.iter().filter_map(|w| w.consumes).all(|value| b.inputs().all(|v| v != value));
    let linked = |a: OpId, b: OpId| links.after(program, a).any(|next| next == b) || links.around(program, a, b);
    // Stencils may be faster in rows of four.
    let stencil = |candidate: &Candidate<'_>| {
        candidate.op.inlined().is_empty()
            && candidate.stage.inputs().any(|port| candidate.stage.reach(&port.name) == Reach::Faces)
    };
    first.stage.source() == IterationSource::Cells
        && first.runs_with(graph, &second)
        && !names(graph, from, "iteration")
        && !stencil(&first)
        && !stencil(&second)
        && apart(from, to)
        && apart(to, from)
        && buffers(from, to) <= program.buffer_budget
        && from.inlined().len() + to.inlined().len() < MAX_TOGETHER
        && !linked(one, other)
        && !linked(other, one)
}
