//! What does not change from frame to frame. An operation is *invariant* when all that it depends on is: constant parameters,
//! values of invariant operations, States that nothing changes. The engine runs it once, and again when one of those was set.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::numbers::Table;
use crate::graph::{Graph, Kind, Node, NodeId, Setting, Source};
use crate::plan::ir::{Op, Part, Program, StateKey, Task, ValueId};
use crate::stage::types::{PortType, ValueType};

/// Marks a program's invariant operations.
pub fn mark(graph: &Graph, program: &mut Program) {
    // Numbers of a checked graph are right; without them nothing that names one would be invariant.
    let numbers = Table::new(&graph.numbers).unwrap_or_default();
    let mut known = BTreeMap::new();
    let mut rests = |node: NodeId| *known.entry(node).or_insert_with(|| node_rests(graph, node, &numbers));
    // What a State becomes is written in every frame: with two buffers that swap, a frame without it would bring up the last
    // frame but one.
    let next: BTreeSet<ValueId> = program.next.values().copied().collect();
    for op in &mut program.ops {
        let filled = match &op.task {
            Task::Fill(Some(setting)) => constant(setting, &numbers),
            _ => true,
        };
        // A number of the document that goes into memory at a group's border; of what leaves a group that may stop, `take_back` sees to.
        let number = op.gate.is_none()
            && matches!(op.task, Task::Fill(Some(_)))
            && graph.nodes.get(op.node).is_some_and(|node| matches!(node.kind, Kind::Group(_)));
        op.invariant = filled
            && (number || rests(op.node))
            && op.inlined().iter().all(|field| rests(field.node))
            && !op.writes.iter().any(|w| next.contains(&w.value));
    }
    while take_back(program) {}
    // What is computed once does not wait for a group to have come so far.
    program.ops.iter_mut().filter(|op| op.invariant).for_each(|op| op.gate = None);
}

/// Takes back what depends on something that is not invariant. Returns whether there was any.
fn take_back(program: &mut Program) -> bool {
    let mut invariant = program.values.table(false);
    let mut begun = invariant.clone();
    unchanging(program).for_each(|value| invariant[value] = true);
    let mut found = false;
    for op in &mut program.ops {
        let depends = op.invariant && !op.inputs().all(|value| invariant[value]);
        op.invariant &= !depends;
        found |= depends;
        if op.invariant {
            op.writes.iter().for_each(|w| invariant[w.value] = true);
        } else {
            op.writes.iter().filter_map(|w| w.consumes).for_each(|value| begun[value] = true);
        }
    }
    for op in program.ops.iter_mut().filter(|op| op.invariant && begins(op)) {
        let with_frame = op.writes.iter().any(|w| begun[w.value]);
        op.invariant &= !with_frame;
        found |= with_frame;
    }
    found
}

/// Last frame's values that are this frame's too: of States with nothing that they become, and of files.
fn unchanging(program: &Program) -> impl Iterator<Item = ValueId> + '_ {
    let own = |((key, value), next): ((&StateKey, &ValueId), Option<&ValueId>)| {
        (key.1 == Part::Whole && next == Some(value)).then_some(*value)
    };
    program.states.iter().map(|(key, value)| ((key, value), program.next.get(key))).filter_map(own)
}

/// Whether an operation only lays out what another goes on from. A scatter adds up in place, and has to begin anew each time.
fn begins(op: &Op) -> bool {
    matches!(op.task, Task::Fill(_) | Task::FillWord(_) | Task::ToFixed(_))
}

/// Whether a node's own part in an operation is the same in every frame: its text and its parameters. Flags and watched
/// numbers are collected frame by frame, and sets of particles change, so a node with any of these is left alone.
fn node_rests(graph: &Graph, node: NodeId, numbers: &Table) -> bool {
    let Some(node) = graph.nodes.get(node) else { return false };
    let stage = match &node.kind {
        Kind::Stage(stage) => stage,
        Kind::State(_) | Kind::Output { .. } => return true,
        Kind::Number | Kind::Group(_) | Kind::Broken => return false,
    };
    let moves = |ty: PortType| matches!(ty, PortType::Particles | PortType::NeighborGrid);
    !stage.names("frame")
        && !stage.header.ports.iter().any(|p| moves(p.ty) || p.expect.is_some())
        && stage.bounded(graph.dim(node)).finite
        && settings(node).all(|setting| constant(setting, numbers))
}

fn settings(node: &Node) -> impl Iterator<Item = &Setting> {
    let unwired = node.inputs.iter().filter_map(|input| match &input.source {
        Source::Setting(setting) => Some(setting),
        _ => None,
    });
    node.params.iter().chain(unwired)
}

/// Whether a value is the same in every frame, until somebody sets it. Curves and gradients are.
fn constant(setting: &Setting, numbers: &Table) -> bool {
    if matches!(setting.ty, ValueType::Curve | ValueType::Gradient) {
        return true;
    }
    numbers.formula(&setting.value, &setting.names).is_ok_and(|formula| numbers.follows(&formula).is_none())
}
