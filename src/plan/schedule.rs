//! The order of operations: by data, and readers of a value before the stage that goes on from it, so that the latter
//! may work in place. What is still comes before everything else.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::expand::Program;

/// Sorts a program's operations. Ties keep the order in which they were expanded, so the result is stable.
pub fn schedule(program: &mut Program) {
    let count = program.ops.len();
    let mut producer = vec![None; program.values.len()];
    let mut readers = vec![Vec::new(); program.values.len()];
    for (index, op) in program.ops.iter().enumerate() {
        op.writes.iter().for_each(|w| producer[w.value] = Some(index));
        op.needs().for_each(|v| readers[v].push(index));
    }
    let mut after = vec![BTreeSet::new(); count];
    for (index, op) in program.ops.iter().enumerate() {
        for value in op.needs() {
            if let Some(from) = producer[value] {
                after[from].insert(index);
            }
        }
    }
    let mut seen = Seen { at: vec![0; count], walk: 0 };
    for writer in 0..count {
        for value in program.ops[writer].writes.iter().filter_map(|w| w.consumes) {
            for reader in readers[value].iter().copied().filter(|r: &usize| *r != writer) {
                if !reaches(&after, writer, reader, &mut seen) {
                    after[reader].insert(writer);
                }
            }
        }
    }
    let order = topological(&after);
    let mut ops: Vec<_> = program.ops.drain(..).map(Some).collect();
    program.ops = order.into_iter().filter_map(|i| ops.get_mut(i).and_then(Option::take)).collect();
    // Nothing still depends on what is not, so the order by data holds.
    program.ops.sort_by_key(|op| !op.still);
}

/// Operations that a walk has come to: those that bear its number.
struct Seen {
    at: Vec<usize>,
    walk: usize,
}

fn reaches(after: &[BTreeSet<usize>], from: usize, to: usize, seen: &mut Seen) -> bool {
    seen.walk += 1;
    let mut pending = vec![from];
    while let Some(index) = pending.pop() {
        if index == to {
            return true;
        }
        if std::mem::replace(&mut seen.at[index], seen.walk) != seen.walk {
            pending.extend(&after[index]);
        }
    }
    false
}

fn topological(after: &[BTreeSet<usize>]) -> Vec<usize> {
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
