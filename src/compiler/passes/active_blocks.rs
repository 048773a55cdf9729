//! Finds what a confined operation need not store outside its blocks: where it updates a version in place that is zero there already. An
//! operation that has nothing else to store there is dispatched for its blocks alone, by their list. Partial results lie along that list in
//! every plan, dispatched by it or not.

use std::collections::BTreeMap;

use crate::graph::{Graph, Node};
use crate::ir::query::stage_of;
use crate::ir::workgroups::summed_blocks;
use crate::ir::{OWN, Op, Part, Program, Read, Task, ValueId, Write, blocks};

/// Where a value is certainly zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zero {
    Everywhere,
    /// Where an operation over cells, or over faces, does not run by a table of blocks.
    Outside(ValueId, Over),
    /// The cells of one colour in which an operation does not run by a table of blocks.
    Colored(ValueId, u32),
}

/// Stages that return faces run in more cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Cells,
    Faces,
}

/// Has partial results of a stage in blocks summed along their list, where they lie in every plan.
pub(super) fn sum(graph: &Graph, program: &mut Program) {
    let summed = program.ops.iter().filter_map(|op| Some((op, summed_blocks(graph, op)?)));
    let tables: BTreeMap<ValueId, ValueId> =
        summed.flat_map(|(op, table)| op.writes.iter().map(move |write| (write.value, table))).collect();
    for op in program.ops.iter_mut().filter(|op| matches!(op.task, Task::Reduce(..))) {
        let Some(partial) = op.reads.first().map(|read| read.value) else { continue };
        let Some(table) = tables.get(&partial).copied() else { continue };
        op.reads.push(Read { stage: OWN, port: 1, part: Part::Whole, value: table });
        let domain = program.values[table].domain.and_then(|domain| graph.domains.get(domain));
        let groups = domain.map_or(0, |domain| blocks::count(domain) * u64::from(blocks::groups(domain.dim).0));
        program.values[partial].bytes = 16 * groups;
    }
}

/// Notes which updates find zeros outside the blocks.
pub(super) fn mark_settled_updates(graph: &Graph, program: &mut Program) {
    let mut zeros = BTreeMap::<ValueId, Zero>::new();
    for index in program.ops.ids() {
        let op = &program.ops[index];
        let found: Vec<(bool, Option<Zero>)> = op.writes.iter().map(|write| zero(graph, op, write, &zeros)).collect();
        let Some(op) = program.ops.get_mut(index) else { continue };
        for (write, (settled, zero)) in op.writes.iter_mut().zip(found) {
            write.settled = settled;
            zeros.extend(zero.map(|zero| (write.value, zero)));
        }
    }
}

/// Whether a write updates a version that is zero wherever the operation does not run, and where the new version is zero.
fn zero(graph: &Graph, op: &Op, write: &Write, zeros: &BTreeMap<ValueId, Zero>) -> (bool, Option<Zero>) {
    if matches!(op.task, Task::Fill(None)) {
        return (false, Some(Zero::Everywhere));
    }
    let port = stage_of(graph, op, write.stage).and_then(|stage| stage.outputs().nth(write.port));
    let plain = port.is_some_and(|port| port.scatter.is_none() && port.reduce.is_none());
    let Some(table) = blocks::table(op).filter(|_| plain && write.part == Part::Whole) else { return (false, None) };
    let before = write.consumes.filter(|_| write.start.is_none()).and_then(|before| zeros.get(&before));
    let over = match graph.nodes.get(op.node).is_some_and(Node::fills_faces) {
        true => Over::Faces,
        false => Over::Cells,
    };
    let settled = before.is_some_and(|zero| match *zero {
        Zero::Everywhere => true,
        Zero::Outside(of, before) => of == table && (before == over || before == Over::Cells),
        Zero::Colored(..) => false,
    });
    let after = match (op.color, before) {
        (Some(color), Some(Zero::Colored(of, other))) if *of == table && *other != color => Zero::Outside(table, over),
        (Some(color), _) if !settled => Zero::Colored(table, color),
        _ => Zero::Outside(table, over),
    };
    (settled, Some(after))
}
