//! Queries about an operation for passes and code generation: its stage, its space, what it runs over.

use std::collections::{BTreeSet, HashMap};

use crate::arena::IdVec;
use crate::graph::Graph;
use crate::graph::Kind;
use crate::ir::{InstanceId, OWN, Op, OpId, Part, Program, Task, ValueId, WireValue, Write};
use crate::stage::Stage;
use crate::stage::header::Direction;
use crate::stage::header::Port;
use crate::stage::header::Scatter;
use crate::stage::types::Element;
use crate::stage::types::PortType;
use crate::stage::types::Scalar;
use crate::stage::types::ValueType;

pub(crate) fn stage_of<'a>(graph: &'a Graph, op: &Op, instance: InstanceId) -> Option<&'a Stage> {
    match &graph.nodes.get(op.node_of(instance)?)?.kind {
        Kind::Stage(stage) => Some(stage),
        _ => None,
    }
}

/// The value with the number of live particles that an operation runs over.
pub(crate) fn count(graph: &Graph, op: &Op) -> Option<ValueId> {
    let stage = stage_of(graph, op, OWN)?;
    let set = stage.set()?;
    let input = stage.inputs().position(|p| p.name == set.name)?;
    op.reads.iter().find(|r| r.stage == OWN && r.port == input && r.part == Part::Count).map(|r| r.value)
}

/// Whether the sums of a port are checked. A stage that adds ones to a grid of zeros cannot overflow 32 bits.
pub(crate) fn checked(stage: &Stage, port: &Port) -> bool {
    let whole = match port.ty {
        PortType::Grid(element) => matches!(element, Element::Fixed(ValueType::I32 | ValueType::U32)),
        _ => false,
    };
    let counts = whole && port.direction == Direction::Out && stage.counts(&port.name);
    port.sum_bits().is_some() && !counts
}

/// Whether a write adds to a grid in fixed point. Sums of whole numbers give back what was there before.
pub(crate) fn adds_fixed(graph: &Graph, program: &Program, op: &Op, write: &Write) -> bool {
    let port = stage_of(graph, op, OWN).and_then(|stage| stage.outputs().nth(write.port));
    let sums = port.is_some_and(|port| matches!(port.scatter, Some(Scatter::Sum(_))));
    let floats = program.values.get(write.value).is_some_and(|value| value.ty.value().scalar() == Scalar::F32);
    write.stage == OWN && write.part == Part::Whole && sums && floats
}

/// The gates that are certainly open if this one is: itself, and those that its test depends on.
pub(crate) fn open_gates<'a>(
    program: &'a Program,
    writers: &'a IdVec<WireValue, Option<OpId>>,
    gate: Option<ValueId>,
) -> impl Iterator<Item = ValueId> + 'a {
    let before = |gate: &ValueId| {
        let op = program.ops.get((*writers.get(*gate)?)?).filter(|op| matches!(op.task, Task::Test { .. }))?;
        op.reads.get(1).map(|read| read.value)
    };
    // At most one step per value, in case the gates form a cycle.
    std::iter::successors(gate, before).take(program.values.len())
}

/// The gates that are open whenever another is, by that gate.
pub(crate) fn open_with(program: &Program) -> HashMap<ValueId, BTreeSet<ValueId>> {
    let writers = program.writers();
    let gates: BTreeSet<ValueId> = program.ops.iter().filter_map(|op| op.gate).collect();
    gates.into_iter().map(|gate| (gate, open_gates(program, &writers, Some(gate)).collect())).collect()
}
