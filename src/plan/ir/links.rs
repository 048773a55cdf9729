//! Which operation makes and which ones read each value, while operations are joined, and an order that follows from it.

use crate::arena::IdVec;
use crate::plan::ir::demand::demanded;
use crate::plan::ir::{Program, Value, ValueId};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::collections::BinaryHeap;

pub struct Links {
    writer: IdVec<Value, Option<usize>>,
    readers: IdVec<Value, Vec<usize>>,
    /// What something outside of the operations needs.
    pub asked: BTreeSet<ValueId>,
    /// The operations in an order in which each comes after those whose values it needs, and the place of each in it. Only what lies
    /// between two of them there can lie on a path from the one to the other, so that a search is as short as they are close.
    order: Vec<usize>,
    place: Vec<usize>,
}

impl Links {
    pub fn new(program: &Program) -> Links {
        let (values, count) = (&program.values, program.ops.len());
        let mut links = Links {
            writer: values.table(None),
            readers: values.table(Vec::new()),
            asked: demanded(program),
            order: Vec::new(),
            place: vec![0; count],
        };
        (0..count).for_each(|op| links.enter(program, op));
        let after: Vec<Vec<usize>> = (0..count).map(|op| links.after(program, op).collect()).collect();
        links.order = topological(&after);
        debug_assert_eq!(links.order.len(), count, "operations that need each other");
        links.order.iter().enumerate().for_each(|(at, op)| links.place[*op] = at);
        links
    }

    pub fn writer(&self, value: ValueId) -> Option<usize> {
        self.writer.get(value).copied().flatten()
    }

    pub fn readers(&self, value: ValueId) -> &[usize] {
        self.readers.get(value).map_or(&[], Vec::as_slice)
    }

    /// After an operation has changed.
    pub fn enter(&mut self, program: &Program, op: usize) {
        for write in &program.ops[op].writes {
            self.writer[write.value] = Some(op);
        }
        program.ops[op].inputs().for_each(|v| self.readers[v].push(op));
    }

    /// Before an operation changes, or is left with nothing to do.
    pub fn leave(&mut self, program: &Program, op: usize) {
        program.ops[op].inputs().for_each(|v| self.readers[v].retain(|reader| *reader != op));
    }

    /// Before the work of one operation becomes part of another. No third may lie between them ([`Links::around`]).
    pub fn join(&mut self, program: &Program, one: usize, into: usize) {
        let (low, high) = (self.place[one].min(self.place[into]), self.place[one].max(self.place[into]));
        let first = self.order[low];
        // What needs the first of the two now needs both: it comes after the second, and what the second needs stays before it.
        let behind = self.reached(program, vec![first], high);
        let second = self.order[high];
        let between = self.order[low + 1..high].iter().copied();
        let (moves, stays): (Vec<usize>, Vec<usize>) = between.partition(|op| behind.contains(op));
        let joined = if second == into { [first, second] } else { [second, first] };
        let changed = joined[..1].iter().chain(&stays).chain(&joined[1..]).chain(&moves).copied().collect::<Vec<_>>();
        for (at, op) in (low..).zip(changed) {
            (self.order[at], self.place[op]) = (op, at);
        }
        self.leave(program, one);
        self.leave(program, into);
    }

    /// Whether one operation needs what another makes, by way of a third.
    pub fn around(&self, program: &Program, from: usize, to: usize) -> bool {
        let others = self.after(program, from).filter(|next| *next != to).collect();
        self.reached(program, others, self.place[to]).contains(&to)
    }

    /// Whether an operation is one of these, or they need what it makes.
    pub fn comes_to(&self, program: &Program, from: usize, to: &[usize]) -> bool {
        let last = to.iter().map(|op| self.place[*op]).max().unwrap_or(0);
        let found = self.reached(program, vec![from], last);
        to.iter().any(|op| found.contains(op))
    }

    /// Operations and those that need what they make, up to a place in the order.
    fn reached(&self, program: &Program, mut pending: Vec<usize>, last: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        while let Some(op) = pending.pop() {
            if self.place[op] <= last && found.insert(op) {
                pending.extend(self.after(program, op));
            }
        }
        found
    }

    pub fn after<'a>(&'a self, program: &'a Program, op: usize) -> impl Iterator<Item = usize> + 'a {
        program.ops[op].writes.iter().flat_map(|w| self.readers(w.value)).copied()
    }
}

/// The order by edges in which the lowest index comes first of those that can.
pub fn topological(after: &[Vec<usize>]) -> Vec<usize> {
    let mut waiting = vec![0usize; after.len()];
    after.iter().flatten().for_each(|i| waiting[*i] += 1);
    let mut ready: BinaryHeap<_> = (0..after.len()).filter(|i| waiting[*i] == 0).map(Reverse).collect();
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
