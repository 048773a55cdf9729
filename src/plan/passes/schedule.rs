//! The order of operations: by data, and readers of a value before the stage that goes on from it, so that the latter
//! may work in place. What is invariant comes before everything else.

use crate::arena::{Arena, IdVec};
use crate::plan::ir::links::topological;
use crate::plan::ir::{Op, OpId, Program};

/// Sorts a program's operations. Ties keep the order in which they were expanded, so the result is stable. Takes time in proportion to the
/// operations and what they read, and to how far apart in the order those are that have to change places.
pub fn schedule(program: &mut Program) {
    let producer = program.writers();
    let mut readers = program.values.table(Vec::new());
    for (index, op) in program.ops.entries() {
        op.needs().for_each(|v| readers[v].push(index));
    }
    let mut edges = Edges { after: program.ops.table(Vec::new()), before: program.ops.table(Vec::new()) };
    for (index, op) in program.ops.entries() {
        for from in op.needs().filter_map(|value| producer[value]) {
            edges.add(from, index);
        }
    }
    let mut order = Order::new(&edges);
    for writer in program.ops.ids() {
        for value in program.ops[writer].writes.iter().filter_map(|w| w.consumes) {
            for reader in readers[value].iter().copied().filter(|r: &OpId| *r != writer) {
                order.put_before(&mut edges, reader, writer);
            }
        }
    }
    let order = topological(&edges.after);
    let mut left: IdVec<Op, Option<Op>> = std::mem::take(&mut program.ops).into_iter().map(Some).collect();
    let mut ops: Vec<Op> = order.into_iter().filter_map(|op| left.get_mut(op).and_then(Option::take)).collect();
    // Nothing invariant depends on what is not, so the order by data holds.
    ops.sort_by_key(|op| !op.invariant);
    program.ops = Arena::from(ops);
}

/// For each operation those that have to come after it, and before it.
struct Edges {
    after: IdVec<Op, Vec<OpId>>,
    before: IdVec<Op, Vec<OpId>>,
}

impl Edges {
    fn add(&mut self, first: OpId, then: OpId) {
        self.after[first].push(then);
        self.before[then].push(first);
    }
}

/// An order that all edges keep to, changed as edges come: Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic
/// graphs", 2006.
struct Order {
    place: IdVec<Op, usize>,
    /// Operations that a walk has come to: those that bear its number.
    seen: IdVec<Op, usize>,
    walk: usize,
}

impl Order {
    fn new(edges: &Edges) -> Order {
        // By how many operations come before at least: a reader is then close to whoever goes on from what it reads, though it may
        // have been expanded long after it, and little has to change places.
        let mut depth = edges.after.table(0);
        for op in topological(&edges.after) {
            edges.after[op].iter().for_each(|next| depth[*next] = depth[*next].max(depth[op] + 1));
        }
        let mut order: Vec<OpId> = edges.after.ids().collect();
        order.sort_by_key(|op| depth[*op]);
        let mut place = edges.after.table(0);
        order.into_iter().enumerate().for_each(|(at, op)| place[op] = at);
        Order { seen: edges.after.table(0), place, walk: 0 }
    }

    /// Makes one operation come before another, unless it has to come after it.
    fn put_before(&mut self, edges: &mut Edges, first: OpId, then: OpId) {
        let (low, high) = (self.place[then], self.place[first]);
        if high > low {
            let behind = self.reached(&edges.after, then, |at| at <= high);
            if self.seen[first] == self.walk {
                return;
            }
            let ahead = self.reached(&edges.before, first, |at| at >= low);
            self.move_up(ahead, behind);
        }
        edges.add(first, then);
    }

    /// What a walk along edges comes to without leaving a range of places.
    fn reached(&mut self, edges: &IdVec<Op, Vec<OpId>>, from: OpId, inside: impl Fn(usize) -> bool) -> Vec<OpId> {
        self.walk += 1;
        self.seen[from] = self.walk;
        let mut found = vec![from];
        let mut next = 0;
        while let Some(index) = found.get(next).copied() {
            next += 1;
            for other in edges[index].iter().copied().filter(|other| inside(self.place[*other])) {
                if std::mem::replace(&mut self.seen[other], self.walk) != self.walk {
                    found.push(other);
                }
            }
        }
        found
    }

    /// Gives the places of two lists to the first, and then to the second; each keeps its order.
    fn move_up(&mut self, mut ahead: Vec<OpId>, mut behind: Vec<OpId>) {
        ahead.sort_by_key(|op| self.place[*op]);
        behind.sort_by_key(|op| self.place[*op]);
        ahead.append(&mut behind);
        let mut places: Vec<usize> = ahead.iter().map(|op| self.place[*op]).collect();
        places.sort_unstable();
        ahead.into_iter().zip(places).for_each(|(op, place)| self.place[op] = place);
    }
}
