//! How long values live, and which versions of a wire can share one buffer because each is updated in place.

use crate::arena::{Arena, IdVec};
use crate::graph::Graph;
use crate::plan::ir::in_place::works_in_place;
use crate::plan::ir::{Program, StateKey, Value, ValueId};
use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// Versions that share a buffer, one after the other.
#[derive(Clone, Debug)]
pub struct Chain {
    pub values: Vec<ValueId>,
    /// Operation that writes it first, and the last that touches it; -1 is before the frame, `count` after it.
    pub first: isize,
    pub last: isize,
    pub bytes: u64,
}

/// Joins versions where one can update the other in place.
pub fn chains(graph: &Graph, program: &Program) -> Vec<Chain> {
    let (first, last) = lives(program);
    let mut chain_of = BTreeMap::<ValueId, usize>::new();
    let mut chains = Vec::<Chain>::new();
    let start = |chain_of: &mut BTreeMap<ValueId, usize>, chains: &mut Vec<Chain>, v: ValueId| {
        chain_of.insert(v, chains.len());
        chains.push(Chain { values: vec![v], first: first[v], last: last[v], bytes: program.values[v].bytes });
    };
    program.states.values().for_each(|v| start(&mut chain_of, &mut chains, *v));
    let (held, becomes) = (keys(&program.states), keys(&program.next));
    let first_key = |of: &BTreeMap<ValueId, Vec<&StateKey>>, value: ValueId| {
        of.get(&value).and_then(|keys| keys.first().copied()).cloned()
    };
    // A chain must not carry one State's memory into another State's next value: the two could not be told apart after it.
    let joins = |chain: &Chain, value: ValueId| {
        let old = chain.values.first().and_then(|v| first_key(&held, *v));
        let next = first_key(&becomes, value);
        old.is_none() || next.is_none() || old == next
    };
    for (index, op) in program.ops.iter().enumerate() {
        for write in &op.writes {
            let before =
                write.consumes.filter(|v| last[*v] == index as isize && works_in_place(graph, program, op, write));
            match before.and_then(|v| chain_of.get(&v).copied()) {
                Some(chain) if joins(&chains[chain], write.value) => {
                    chains[chain].values.push(write.value);
                    chains[chain].last = last[write.value];
                    chain_of.insert(write.value, chain);
                }
                _ => start(&mut chain_of, &mut chains, write.value),
            }
        }
    }
    for versions in &program.together {
        join(&mut chains, versions);
    }
    chains
}

/// For every value the operation that writes it, and the last that needs it; -1 is before the frame, `count` after it. What nothing
/// writes begins at the largest number.
pub fn lives(program: &Program) -> (IdVec<Value, isize>, IdVec<Value, isize>) {
    let count = program.ops.len() as isize;
    let mut first = program.values.table(isize::MAX);
    let mut last = program.values.table(isize::MIN);
    program.states.values().for_each(|v| (first[*v], last[*v]) = (-1, -1));
    for (index, op) in program.ops.iter().enumerate() {
        for value in op.writes.iter().map(|w| w.value) {
            (first[value], last[value]) = (index as isize, index as isize);
        }
        op.needs().for_each(|v| last[v] = last[v].max(index as isize));
    }
    program.pinned.iter().for_each(|v| last[*v] = count);
    // What a frame reads of invariant operations is there for the next frame too.
    let invariant = program.invariant_count();
    for value in program.ops.iter().take(invariant).flat_map(|op| &op.writes).map(|w| w.value) {
        if last[value] >= invariant as isize {
            last[value] = count;
        }
    }
    (first, last)
}

/// The chain of each value.
pub fn owners(chains: &[Chain], values: &Arena<Value>) -> IdVec<Value, Option<usize>> {
    let mut owner = values.table(None);
    for (index, chain) in chains.iter().enumerate() {
        for value in &chain.values {
            if let Some(owner) = owner.get_mut(*value) {
                *owner = Some(index);
            }
        }
    }
    owner
}

/// Makes one chain of those that hold the versions of a wire which share a buffer.
pub fn join(chains: &mut Vec<Chain>, versions: &[ValueId]) {
    let versions: BTreeSet<ValueId> = versions.iter().copied().collect();
    let (apart, mut rest): (Vec<Chain>, Vec<Chain>) =
        chains.drain(..).partition(|c| c.values.iter().any(|v| versions.contains(v)));
    let joined = apart.into_iter().reduce(|mut all, next| {
        all.values.extend(next.values);
        (all.first, all.last) = (all.first.min(next.first), all.last.max(next.last));
        all
    });
    rest.extend(joined);
    // In the order in which they begin, as memory is given to them.
    rest.sort_by_key(|c| c.first);
    *chains = rest;
}

/// The States that hold, or become, each value.
pub fn keys(states: &BTreeMap<StateKey, ValueId>) -> BTreeMap<ValueId, Vec<&StateKey>> {
    let mut keys = BTreeMap::<ValueId, Vec<&StateKey>>::new();
    states.iter().for_each(|(key, value)| keys.entry(*value).or_default().push(key));
    keys
}
