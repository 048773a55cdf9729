//! Finds what a confined operation need not store outside its blocks: where it updates a version in place that is zero there already. An
//! operation that has nothing else to store there is dispatched for its blocks alone, by their list.

use std::collections::BTreeMap;

use crate::graph::Graph;
use crate::ir::query::stage_of;
use crate::ir::{Op, Part, Program, Task, ValueId, Write, blocks};

/// Where a value is certainly zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zero {
    Everywhere,
    /// Outside the blocks of a table.
    Outside(ValueId),
    /// The same, in the cells of one colour.
    Colored(ValueId, u32),
}

/// Notes which updates find zeros outside the blocks.
pub(super) fn settle(graph: &Graph, program: &mut Program) {
    let mut known = BTreeMap::<ValueId, Zero>::new();
    for index in program.ops.ids() {
        let op = &program.ops[index];
        let found: Vec<(bool, Option<Zero>)> = op.writes.iter().map(|write| zero(graph, op, write, &known)).collect();
        let Some(op) = program.ops.get_mut(index) else { continue };
        for (write, (settled, zero)) in op.writes.iter_mut().zip(found) {
            write.settled = settled;
            known.extend(zero.map(|zero| (write.value, zero)));
        }
    }
}

/// Whether a write goes on from a version that is zero where the operation does not run, and where the new one is.
fn zero(graph: &Graph, op: &Op, write: &Write, known: &BTreeMap<ValueId, Zero>) -> (bool, Option<Zero>) {
    if matches!(op.task, Task::Fill(None)) {
        return (false, Some(Zero::Everywhere));
    }
    let port = stage_of(graph, op, write.stage).and_then(|stage| stage.outputs().nth(write.port));
    let plain = port.is_some_and(|port| port.scatter.is_none() && port.reduce.is_none());
    let Some(table) = blocks::table(op).filter(|_| plain && write.part == Part::Whole) else { return (false, None) };
    let before = write.consumes.filter(|_| write.start.is_none()).and_then(|before| known.get(&before));
    let settled = before.is_some_and(|zero| matches!(zero, Zero::Everywhere) || *zero == Zero::Outside(table));
    let after = match (op.color, before) {
        (Some(color), Some(Zero::Colored(of, other))) if *of == table && *other != color => Zero::Outside(table),
        (Some(color), _) if !settled => Zero::Colored(table, color),
        _ => Zero::Outside(table),
    };
    (settled, Some(after))
}
