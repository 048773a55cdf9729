//! Horizontal fusion: stages that read the same value at their own cell, or search the same neighbours, run in one dispatch.

use std::collections::{BTreeMap, BTreeSet};

use super::eligible::{Candidate, buffers, few, names, reads_own};
use super::merge::merge;
use crate::graph::Graph;
use crate::ir::links::Links;
use crate::ir::query::stage_of;
use crate::ir::{Op, OpId, Program, Read, ValueId};
use crate::stage::types::PortType;
use crate::stage::{IterationSource, Reach};

/// Puts stages that read the same value at their own cell into one dispatch, where neither depends on the other: it is
/// loaded once for both. So does it with those that search the same neighbours: a launch less.
pub(super) fn fuse(graph: &Graph, program: &mut Program, links: &mut Links) {
    let mut last = BTreeMap::<ValueId, OpId>::new();
    for index in program.ops.ids() {
        let shared: BTreeSet<ValueId> = program.ops[index].reads.iter().map(|r| r.value).collect();
        let mut shared: Vec<ValueId> =
            shared.into_iter().filter(|v| reads_own(graph, &program.ops[index], *v)).collect();
        shared.extend(searched(graph, &program.ops[index]));
        let before: BTreeSet<OpId> = shared.iter().filter_map(|v| last.get(v)).copied().collect();
        for other in before {
            if fits(graph, program, links, (other, index)) {
                links.join(program, other, index);
                merge(graph, program, other, index);
                links.enter(program, index);
            }
        }
        last.extend(shared.into_iter().map(|value| (value, index)));
    }
}

/// The neighbour grid that an operation's particles go through.
fn searched(graph: &Graph, op: &Op) -> Option<ValueId> {
    let grid = |read: &&Read| {
        let stage = stage_of(graph, op, read.stage)?;
        stage.inputs().nth(read.port).filter(|port| port.ty == PortType::NeighborGrid)
    };
    op.reads.iter().find(|read| grid(read).is_some()).map(|read| read.value)
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
    let searches = || searched(graph, from).is_some_and(|grid| searched(graph, to) == Some(grid));
    (first.stage.source() == IterationSource::Cells || searches())
        && first.runs_with(graph, &second)
        && !names(graph, from, "iteration")
        && !stencil(&first)
        && !stencil(&second)
        && apart(from, to)
        && apart(to, from)
        && buffers(from, to) <= program.buffer_budget
        && few(from, to)
        && !linked(one, other)
        && !linked(other, one)
}
