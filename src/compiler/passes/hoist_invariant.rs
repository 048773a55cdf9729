//! Finds operations whose results are the same in every frame. An operation is *invariant* if everything that it
//! depends on is: constant parameters, results of invariant operations, States that nothing changes. The engine runs it
//! once, and again after one of these was set.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::numbers::Table;
use crate::graph::{Graph, Kind, Node, NodeId, Setting, Source};
use crate::ir::{Op, Part, Program, StateKey, Task, ValueId};
use crate::stage::types::PortType;

/// Marks the invariant operations of a program.
pub(super) fn mark(graph: &Graph, program: &mut Program) {
    // Numbers of a checked graph have no errors; without their values nothing that uses one would be invariant.
    let numbers = Table::new(&graph.numbers).unwrap_or_default();
    let mut rests_by_node = BTreeMap::new();
    let mut rests = |node: NodeId| *rests_by_node.entry(node).or_insert_with(|| node_rests(graph, node, &numbers));
    // The next value of a State is written in every frame: with two buffers that are swapped, a frame without it would
    // show the value before the last.
    let next: BTreeSet<ValueId> = program.next.values().copied().collect();
    for op in &mut program.ops {
        let filled = match &op.task {
            Task::Fill(Some(setting)) => setting.is_constant(&numbers),
            _ => true,
        };
        // A number of the document that is stored at a group's border. `take_back` handles what leaves a group with
        // early exit.
        let number = op.gate.is_none()
            && matches!(op.task, Task::Fill(Some(_)))
            && graph.nodes.get(op.node).is_some_and(|node| matches!(node.kind, Kind::Group(_)));
        op.invariant = filled
            && (number || rests(op.node))
            && op.inlined().iter().all(|field| rests(field.node))
            && !op.writes.iter().any(|w| next.contains(&w.value));
    }
    while take_back(graph, program) {}
    // What is computed once does not depend on a group's gate.
    program.ops.iter_mut().filter(|op| op.invariant).for_each(|op| op.gate = None);
}

/// Unmarks operations that depend on something that is not invariant. Returns whether there was any.
fn take_back(graph: &Graph, program: &mut Program) -> bool {
    let mut invariant = program.values.table(false);
    let mut begun = invariant.clone();
    unchanging(graph, program).for_each(|value| invariant[value] = true);
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

/// Last frame's values that are also this frame's: of States without a next value, and of files that are not numbered by frame. What
/// comes from a cache is another value in each frame.
fn unchanging<'a>(graph: &'a Graph, program: &'a Program) -> impl Iterator<Item = ValueId> + 'a {
    let numbered = |node: NodeId| graph.nodes.get(node)?.file.as_ref()?.sequence;
    let unchanged = move |((key, value), next): ((&StateKey, &ValueId), Option<&ValueId>)| {
        // The colours of a file are a part on a domain; attributes of particles are on none.
        let grid = program.values.get(*value).is_some_and(|value| value.domain.is_some());
        let moves = numbered(key.0).is_some() || matches!(key.1, Part::Outside(..));
        ((key.1 == Part::Whole || grid) && next == Some(value) && !moves).then_some(*value)
    };
    program.states.iter().map(|(key, value)| ((key, value), program.next.get(key))).filter_map(unchanged)
}

/// Whether an operation only initialises what another one updates. A scatter sums in place, so it needs this in every
/// frame.
fn begins(op: &Op) -> bool {
    matches!(op.task, Task::Fill(_) | Task::FillWord(_) | Task::ToFixed(_))
}

/// Whether a node's own part in an operation is the same in every frame: its text and its parameters. Alarms and
/// watched numbers are collected in every frame, and particle sets change, so a node with any of these is excluded.
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
        && settings(node).all(|setting| setting.is_constant(numbers))
}

fn settings(node: &Node) -> impl Iterator<Item = &Setting> {
    let unwired = node.inputs.iter().filter_map(|input| match &input.source {
        Source::Setting(setting) => Some(setting),
        _ => None,
    });
    node.params.iter().chain(unwired)
}
