//! Decides which operations may share a dispatch.

use crate::graph::{Graph, Kind, Node};
use crate::ir::query::{count, stage_of};
use crate::ir::{Op, Part, Read, Task, ValueId, blocks};
use crate::stage::header::{Change, Port};
use crate::stage::types::{PortType, WireType};
use crate::stage::{IterationSource, Reach, Stage};

/// Limit of stages that a kernel runs besides its own. A pointwise stage may repeat thousands of times, and longer kernels gain nothing.
const MAX_TOGETHER: usize = 8;
/// Limit of all stages in a kernel besides its own, with the fields that they call: one for each call.
const MAX_INLINED: usize = 24;

/// Length of a stage's text that counts as little work \[bytes\].
pub(super) const LITTLE: usize = 900;

/// An operation that dispatches a stage.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub op: &'a Op,
    pub node: &'a Node,
    pub stage: &'a Stage,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(graph: &'a Graph, op: &'a Op) -> Option<Candidate<'a>> {
        let node = graph.nodes.get(op.node)?;
        match &node.kind {
            Kind::Stage(stage) if matches!(op.task, Task::Stage) && !op.edited => Some(Candidate { op, node, stage }),
            _ => None,
        }
    }

    /// Candidate for an operation that writes only its own cells or its own particles, in one pass.
    pub(super) fn plain(graph: &'a Graph, op: &'a Op) -> Option<Candidate<'a>> {
        let simple = |port: &Port| {
            let own_elements = matches!(port.ty, PortType::Grid(_)) || port.ty == PortType::Particles;
            own_elements
                && port.scatter.is_none()
                && port.reduce.is_none()
                && !port.converted()
                && port.change == Change::Own
        };
        let grid = |ty: &WireType| matches!(ty, WireType::Grid(_) | WireType::Particles);
        let packs = op.writes.iter().any(|w| matches!(w.part, Part::Packed(_)));
        Candidate::new(graph, op)
            .filter(|_| once(op) && !packs)
            .filter(|candidate| candidate.node.outputs.iter().all(grid) && candidate.stage.outputs().all(simple))
    }

    /// Candidate for an operation that writes only its own cells or its own particles, or that reduces its results to a number.
    pub(super) fn running(graph: &'a Graph, op: &'a Op) -> Option<Candidate<'a>> {
        let reduces = Candidate::new(graph, op).filter(|candidate| {
            let cells = candidate.stage.source() == IterationSource::Cells;
            once(op) && cells && candidate.stage.outputs().all(|port| port.reduce.is_some())
        });
        reduces.or_else(|| Candidate::plain(graph, op))
    }

    /// Whether another operation runs over the same elements, at the same time and as often as this one.
    pub(super) fn runs_with(&self, graph: &Graph, other: &Candidate<'_>) -> bool {
        let extent = |candidate: &Candidate<'_>| (candidate.node.domain, graph.extent(candidate.node));
        let same = match (self.stage.source(), other.stage.source()) {
            (IterationSource::Cells, IterationSource::Cells) => extent(self) == extent(other),
            (IterationSource::Particles, IterationSource::Particles) => {
                count(graph, self.op).is_some_and(|set| Some(set) == count(graph, other.op))
            }
            _ => false,
        };
        let (one, two) = (self.op, other.op);
        let counts = |op: &Op| names(graph, op, "substep");
        same && one.invariant == two.invariant
            && one.gate == two.gate
            && blocks::table(one) == blocks::table(two)
            && (blocks::table(one).is_none() || one.sweeps == 1 && two.sweeps == 1)
            && (one.substep == two.substep || !counts(one) || !counts(two))
    }
}

/// Whether a kernel of two operations has few enough stages.
pub(super) fn few(one: &Op, other: &Op) -> bool {
    let all = || [one, other].into_iter().flat_map(Op::inlined);
    all().count() < MAX_INLINED && all().filter(|stage| stage.before).count() < MAX_TOGETHER
}

/// Whether an operation makes one pass over its cells or particles, in the default shape.
fn once(op: &Op) -> bool {
    op.sweeps == 1 && op.color.is_none() && op.shape.is_none() && !op.writes.is_empty()
}

/// Whether a stage's own text, or that of an inlined stage, contains a word.
pub(super) fn names(graph: &Graph, op: &Op, word: &str) -> bool {
    op.stages.ids().any(|i| stage_of(graph, op, i).is_some_and(|stage| stage.names(word)))
}

/// Whether an operation reads a value only at its own cell, or of its own particle.
pub(super) fn reads_own(graph: &Graph, op: &Op, value: ValueId) -> bool {
    let read = op.reads.iter().filter(|r| r.value == value).all(|r| reads_own_element(graph, op, r));
    let consumed = op.writes.iter().filter(|w| w.consumes == Some(value)).all(|w| {
        let Some(stage) = stage_of(graph, op, w.stage) else { return false };
        stage.outputs().nth(w.port).is_some_and(|port| match w.part {
            Part::Attribute(_) => true,
            _ => stage.reach(&port.name) == Reach::Own,
        })
    });
    read && consumed
}

fn reads_own_element(graph: &Graph, op: &Op, read: &Read) -> bool {
    let runs = op.runs_itself(read.stage);
    let Some(stage) = stage_of(graph, op, read.stage).filter(|_| runs) else { return false };
    let Some(port) = stage.inputs().nth(read.port) else { return false };
    match read.part {
        Part::Whole => port.ty.is_grid() && port.ty != PortType::FaceGrid && stage.reach(&port.name) == Reach::Own,
        Part::Attribute(_) => stage.set().is_some_and(|set| set.name == port.name) && !stage.calls(&port.name),
        _ => false,
    }
}

/// Buffers that the two bind together, plus one for alarms.
pub(super) fn buffers(from: &Op, to: &Op) -> usize {
    let made = |value: &ValueId| from.writes.iter().any(|w| w.value == *value);
    let all = from.inputs().chain(to.inputs()).chain(to.writes.iter().map(|w| w.value));
    let mut apart: Vec<ValueId> = all.filter(|value| !made(value)).collect();
    apart.sort_unstable();
    apart.dedup();
    apart.len() + from.writes.len().saturating_sub(1) + 1
}
