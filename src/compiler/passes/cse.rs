//! Common subexpression elimination across the iterations of a group: a stage runs once if nothing that it reads has
//! changed since, such as the coarse face weights of a multigrid cycle.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::arena::Arena;
use crate::graph::{Graph, Kind, NodeId};
use crate::ir::query::open_with;
use crate::ir::{Op, Program, Read, Task, ValueId};
use crate::stage::header::{Direction, Port};
use crate::stage::types::PortType;
use crate::stage::{IterationSource, Stage};

/// What a stage's results follow from within a frame.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    node: NodeId,
    color: Option<u32>,
    invariant: bool,
    reads: Vec<Read>,
    inlined: Vec<NodeId>,
}

impl Key {
    fn of(op: &Op) -> Key {
        Key {
            node: op.node,
            color: op.color,
            invariant: op.invariant,
            reads: op.reads.clone(),
            inlined: op.inlined().iter().map(|stage| stage.node).collect(),
        }
    }
}

/// Removes operations that repeat the work of an earlier one of the same node.
pub(super) fn drop_repeats(graph: &Graph, program: &mut Program) {
    let held = held(program);
    let open = open_with(program);
    let mut earlier = HashMap::<Key, Vec<(Option<ValueId>, Vec<ValueId>)>>::new();
    let mut same = BTreeMap::<ValueId, ValueId>::new();
    let mut ops = Arena::default();
    for mut op in std::mem::take(&mut program.ops) {
        for read in &mut op.reads {
            read.value = same.get(&read.value).copied().unwrap_or(read.value);
        }
        let made: Vec<ValueId> = op.writes.iter().map(|w| w.value).collect();
        if repeats(graph, &op) && made.iter().all(|value| !held.contains(value)) {
            // One behind a gate has run only if that is open.
            let ran =
                |gate: &ValueId| op.gate.and_then(|op_gate| open.get(&op_gate)).is_some_and(|all| all.contains(gate));
            let before = earlier.entry(Key::of(&op)).or_default();
            if let Some((_, before)) = before.iter().find(|(gate, _)| gate.as_ref().is_none_or(ran)) {
                same.extend(made.into_iter().zip(before.iter().copied()));
                continue;
            }
            before.push((op.gate, made));
        }
        ops.push(op);
    }
    program.ops = ops;
    for value in program.wires.values_mut() {
        *value = same.get(value).copied().unwrap_or(*value);
    }
}

/// Whether an operation's results depend only on what it reads and on the frame.
fn repeats(graph: &Graph, op: &Op) -> bool {
    let stage = |node: NodeId| match graph.nodes.get(node).map(|n| &n.kind) {
        Some(Kind::Stage(stage)) => Some(stage),
        _ => None,
    };
    let counts = |stage: &Stage| stage.names("iteration") || stage.names("substep");
    let grid = |port: &Port| port.ty.is_grid() && port.scatter.is_none() && !port.converted();
    let fresh = |stage: &Stage| {
        let made = |port: &Port| match stage.source() {
            IterationSource::Cells => grid(port),
            IterationSource::Once => !port.ty.is_grid() && port.ty != PortType::Particles,
            _ => false,
        };
        let number = |port: &Port| port.reduce.is_some() && stage.source() == IterationSource::Cells;
        stage.outputs().all(|port| port.direction == Direction::Out && (number(port) || made(port)))
    };
    let fields = op.inlined().iter().all(|built| stage(built.node).is_some_and(|stage| !counts(stage)));
    let pure_stage = stage(op.node).is_some_and(|stage| fresh(stage) && !counts(stage));
    matches!(op.task, Task::Stage | Task::Reduce(..))
        && pure_stage
        && fields
        && op.writes.iter().all(|w| w.consumes.is_none())
}

/// Values that must stay where they are, or that something updates.
fn held(program: &Program) -> BTreeSet<ValueId> {
    let consumed = program.ops.iter().flat_map(|op| &op.writes).filter_map(|w| w.consumes);
    let groups = program.carries.iter().chain(&program.together).flatten().copied();
    consumed.chain(groups).chain(program.pinned.iter().copied()).chain(program.next.values().copied()).collect()
}
