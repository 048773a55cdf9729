//! Grids that have to be zero before something is added to them are zeroed by a dispatch that runs over the same cells anyway, mostly the one
//! that has read the sums before: a pass over all cells less. If it reads them cell by cell, and nothing needs them later, it zeroes them where
//! they are, and only where something was added.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::arena::IdVec;
use crate::graph::{Graph, Kind};
use crate::ir::links::topological;
use crate::ir::{OWN, Op, OpId, Part, Program, Read, Task, ValueId, WireValue, Write, bindings, blocks, demand, query};
use crate::stage::types::{Precision, WireType};
use crate::stage::{IterationSource, Reach};

/// Limit of grids that one dispatch zeroes, and of its distance from the fill in operations: what is zeroed early occupies memory for longer.
const ZEROED_AT_ONCE: u32 = 2;
const APART: usize = 24;

/// Moves fills with zero into dispatches before them.
pub(super) fn join(graph: &Graph, program: &mut Program) {
    let fills: Vec<OpId> = program.ops.entries().filter(|(_, op)| zeroes(op)).map(|(index, _)| index).collect();
    if fills.is_empty() || program.versions {
        return;
    }
    let demanded = demand::demanded(program);
    let mut order = Order::of(program);
    for fill in fills {
        let (left, moved): (Vec<Write>, Vec<Write>) = std::mem::take(&mut program.ops[fill].writes)
            .into_iter()
            .partition(|write| demanded.contains(&write.value));
        program.ops[fill].writes = left;
        for write in moved {
            match order.host(graph, program, fill, write.value) {
                Some((host, number)) => {
                    let consumes = sums_before(graph, program, host, write.value);
                    let zeros = Write { part: Part::Zeros(number), consumes, ..Write::whole(write.value) };
                    program.ops[host].writes.push(zeros);
                }
                None => program.ops[fill].writes.push(write),
            }
        }
        let Program { ops, values, .. } = program;
        let op = &mut ops[fill];
        if let Task::Clear(words) = &mut op.task {
            words.truncate(op.writes.len());
            // The largest determines the number of invocations.
            op.writes.sort_by_key(|write| Reverse(values.get(write.value).map_or(0, |value| value.bytes)));
        }
    }
    program.ops.retain(|_, op| !op.writes.is_empty());
}

/// The sums that an operation reads at its own cells alone, laid out as those that begin with these zeros.
fn sums_before(graph: &Graph, program: &Program, host: OpId, zeros: ValueId) -> Option<ValueId> {
    let op = &program.ops[host];
    let stage = query::stage_of(graph, op, OWN).filter(|_| op.stages.len() == 1 && blocks::table(op).is_none())?;
    let alike = |value: ValueId| {
        let (value, zeros) = (&program.values[value], &program.values[zeros]);
        (value.ty, value.domain, value.bytes) == (zeros.ty, zeros.domain, zeros.bytes) && value.fixed.is_some()
    };
    let used_again = |value: ValueId| {
        op.reads.iter().filter(|read| read.value == value).count() > 1
            || op.writes.iter().any(|write| write.consumes == Some(value))
    };
    let at_its_cell = |read: &Read| stage.inputs().nth(read.port).is_some_and(|p| stage.reach(&p.name) == Reach::Own);
    let fits =
        |read: &&Read| read.part == Part::Whole && alike(read.value) && !used_again(read.value) && at_its_cell(read);
    op.reads.iter().find(fits).map(|read| read.value)
}

/// Whether an operation sets values to zero, and nothing else.
fn zeroes(op: &Op) -> bool {
    let zero = match &op.task {
        Task::Fill(None) | Task::FillWord(0) => true,
        Task::Clear(words) => words.iter().all(|word| *word == 0),
        _ => false,
    };
    zero && !op.invariant && op.writes.iter().all(|write| write.consumes.is_none())
}

/// The operations so that each comes after those whose values it needs.
struct Order {
    writers: IdVec<WireValue, Option<OpId>>,
    ops: Vec<OpId>,
    /// The place of the first operation that needs each value.
    needed: IdVec<WireValue, usize>,
    /// How many grids each operation zeroes.
    zeroed: BTreeMap<OpId, u32>,
}

impl Order {
    fn of(program: &Program) -> Order {
        let writers = program.writers();
        let mut after = program.ops.table(Vec::new());
        for (index, op) in program.ops.entries() {
            op.needs().filter_map(|value| writers[value]).for_each(|from| after[from].push(index));
        }
        let ops = topological(&after);
        let mut needed = program.values.table(usize::MAX);
        for (place, op) in ops.iter().enumerate() {
            program.ops[*op].needs().for_each(|value| needed[value] = needed[value].min(place));
        }
        Order { writers, ops, needed, zeroed: BTreeMap::new() }
    }

    /// The last operation before those that need a value which can set it to zero, and how many it sets already.
    fn host(&mut self, graph: &Graph, program: &Program, fill: OpId, value: ValueId) -> Option<(OpId, u32)> {
        let zero = program
            .values
            .get(value)
            .filter(|zero| matches!(zero.ty, WireType::Grid(_)) && zero.precision == Precision::F32)?;
        let (domain, gate) = (graph.domains.get(zero.domain?)?, program.ops[fill].gate);
        let takes = |index: &&OpId| {
            let op = &program.ops[**index];
            let Some(node) = graph.nodes.get(op.node) else { return false };
            let Kind::Stage(stage) = &node.kind else { return false };
            let open = |gate| {
                op.gate.is_none() || query::open_gates(program, &self.writers, gate).any(|open| op.gate == Some(open))
            };
            let covers = node.domain == zero.domain
                && stage.source() == IterationSource::Cells
                && domain.resolution == graph.extent(node);
            matches!(op.task, Task::Stage)
                && !op.edited
                && (op.sweeps, op.color, op.shape, op.invariant) == (1, None, None, false)
                && covers
                && stage.outputs().all(|port| port.reduce.is_none())
                && open(gate)
                && self.zeroed.get(*index).is_none_or(|zeroed| *zeroed < ZEROED_AT_ONCE)
                && bindings::buffers(graph, program, op, &|_| true) < program.buffer_budget
        };
        let first = self.needed[value].min(self.ops.len());
        let host = self.ops.get(first.saturating_sub(APART)..first)?.iter().rev().find(takes).copied()?;
        let zeroed = self.zeroed.entry(host).or_default();
        *zeroed += 1;
        Some((host, *zeroed - 1))
    }
}
