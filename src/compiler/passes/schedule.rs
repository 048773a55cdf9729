//! Orders operations by data dependencies, and readers of a value before the stage that updates it, so that the latter
//! may work in place. Invariant operations come first.

use crate::arena::{Arena, IdVec};
use crate::ir::links::topological;
use crate::ir::{Op, OpId, Program};

/// Sorts a program's operations. Ties keep the order of lowering, so the result is stable. Takes time proportional to
/// the operations and what they read, and to the distance over which operations have to be reordered.
pub(super) fn schedule(program: &mut Program) {
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
    // Invariant operations depend only on invariant ones, so this keeps the order of dependencies.
    ops.sort_by_key(|op| !op.invariant);
    program.ops = Arena::from(ops);
}

/// The operations that must come after each operation, and before it.
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

/// An order that satisfies all edges, updated as edges are added: Pearce and Kelly, "A dynamic topological sort
/// algorithm for directed acyclic graphs", 2006.
struct Order {
    place: IdVec<Op, usize>,
    /// Operations that the present search has visited: those marked with its number.
    seen: IdVec<Op, usize>,
    walk: usize,
}

impl Order {
    fn new(edges: &Edges) -> Order {
        // Initially by the minimum number of operations before each: a reader is then close to the operation that
        // updates what it reads, even if it was lowered much later, and little has to be reordered.
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

    /// Puts one operation before another, unless it must come after it.
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

    /// What a search along edges visits without leaving a range of positions.
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

    /// Assigns the positions of two lists to the first, and then to the second; each keeps its order.
    fn move_up(&mut self, mut ahead: Vec<OpId>, mut behind: Vec<OpId>) {
        ahead.sort_by_key(|op| self.place[*op]);
        behind.sort_by_key(|op| self.place[*op]);
        ahead.append(&mut behind);
        let mut places: Vec<usize> = ahead.iter().map(|op| self.place[*op]).collect();
        places.sort_unstable();
        ahead.into_iter().zip(places).for_each(|(op, place)| self.place[op] = place);
    }
}
