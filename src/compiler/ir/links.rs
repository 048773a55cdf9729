//! Which operation writes each value and which need it, and a topological order, updated while operations are fused.

use crate::arena::IdVec;
use crate::ir::demand::demanded;
use crate::ir::{Op, OpId, Program, ValueId, WireValue};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

pub(crate) struct Links {
    writer: IdVec<WireValue, Option<OpId>>,
    readers: IdVec<WireValue, Vec<OpId>>,
    /// Values that are needed outside the operations.
    pub demanded: BTreeSet<ValueId>,
    /// The operations in an order in which each comes after those whose values it needs, and the position of each in
    /// it. Only operations between two others in this order can be on a path between them, which limits the search.
    order: Vec<OpId>,
    place: IdVec<Op, usize>,
}

impl Links {
    pub(crate) fn new(program: &Program) -> Links {
        let mut links = Links {
            writer: program.values.table(None),
            readers: program.values.table(Vec::new()),
            demanded: demanded(program),
            order: Vec::new(),
            place: program.ops.table(0),
        };
        program.ops.ids().for_each(|op| links.enter(program, op));
        let after: IdVec<Op, Vec<OpId>> = program.ops.ids().map(|op| links.after(program, op).collect()).collect();
        links.order = topological(&after);
        debug_assert_eq!(links.order.len(), program.ops.len(), "operations that need each other");
        links.order.iter().enumerate().for_each(|(at, op)| links.place[*op] = at);
        links
    }

    pub(crate) fn writer(&self, value: ValueId) -> Option<OpId> {
        self.writer.get(value).copied().flatten()
    }

    /// The operations that need a value, to read it or as their gate.
    pub(crate) fn readers(&self, value: ValueId) -> &[OpId] {
        self.readers.get(value).map_or(&[], Vec::as_slice)
    }

    /// Call this after an operation has changed.
    pub(crate) fn enter(&mut self, program: &Program, op: OpId) {
        for write in &program.ops[op].writes {
            self.writer[write.value] = Some(op);
        }
        program.ops[op].needs().for_each(|v| self.readers[v].push(op));
    }

    /// Call this before an operation changes, or is left empty.
    pub(crate) fn leave(&mut self, program: &Program, op: OpId) {
        program.ops[op].needs().for_each(|v| self.readers[v].retain(|reader| *reader != op));
    }

    /// Call this before one operation is merged into another. No third one may be between them ([`Links::around`]).
    pub(crate) fn join(&mut self, program: &Program, one: OpId, into: OpId) {
        let (low, high) = (self.place[one].min(self.place[into]), self.place[one].max(self.place[into]));
        let first = self.order[low];
        // What needs the first of the two now needs both: it comes after the second, and what the second needs stays
        // before it.
        let behind = self.reached(program, vec![first], high);
        let second = self.order[high];
        let between = self.order[low + 1..high].iter().copied();
        let (moves, stays): (Vec<OpId>, Vec<OpId>) = between.partition(|op| behind.contains(op));
        let joined = if second == into { [first, second] } else { [second, first] };
        let changed = joined[..1].iter().chain(&stays).chain(&joined[1..]).chain(&moves).copied().collect::<Vec<_>>();
        for (at, op) in (low..).zip(changed) {
            (self.order[at], self.place[op]) = (op, at);
        }
        self.leave(program, one);
        self.leave(program, into);
    }

    /// Whether one operation depends on another through a third.
    pub(crate) fn around(&self, program: &Program, from: OpId, to: OpId) -> bool {
        let others = self.after(program, from).filter(|next| *next != to).collect();
        self.reached(program, others, self.place[to]).contains(&to)
    }

    /// Whether an operation is one of these, or one of these depends on it.
    pub(crate) fn comes_to(&self, program: &Program, from: OpId, to: &[OpId]) -> bool {
        let last = to.iter().map(|op| self.place[*op]).max().unwrap_or(0);
        let found = self.reached(program, vec![from], last);
        to.iter().any(|op| found.contains(op))
    }

    /// Operations and those that depend on them, up to a position in the order.
    fn reached(&self, program: &Program, mut pending: Vec<OpId>, last: usize) -> FxHashSet<OpId> {
        let mut found = FxHashSet::default();
        while let Some(op) = pending.pop() {
            if self.place[op] <= last && found.insert(op) {
                pending.extend(self.after(program, op));
            }
        }
        found
    }

    pub(crate) fn after<'a>(&'a self, program: &'a Program, op: OpId) -> impl Iterator<Item = OpId> + 'a {
        program.ops[op].writes.iter().flat_map(|w| self.readers(w.value)).copied()
    }
}

/// The order by edges in which the first operation comes first of those that can.
pub(crate) fn topological(after: &IdVec<Op, Vec<OpId>>) -> Vec<OpId> {
    let mut waiting = after.table(0usize);
    after.iter().flatten().for_each(|i| waiting[*i] += 1);
    let mut ready: BinaryHeap<_> = after.ids().filter(|i| waiting[*i] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(after.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(index);
        for next in &after[index] {
            waiting[*next] -= 1;
            if waiting[*next] == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    order
}
