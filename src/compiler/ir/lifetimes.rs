//! Lifetimes of values, and chains of versions that share one buffer because each is updated in place.

use crate::arena::{Arena, IdVec};
use crate::graph::Graph;
use crate::ir::in_place::works_in_place;
use crate::ir::{OpId, Program, StateKey, ValueId, WireValue};
use std::collections::BTreeMap;

/// Versions that share a buffer, one after another.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub values: Vec<ValueId>,
    pub life: Life,
    pub bytes: u64,
    /// Numbers of an element, where it lies in a pool: only such pools have zeros at the same place.
    pub pooled: Option<u32>,
}

/// When something is written, or needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moment {
    BeforeFrame,
    At(OpId),
    AfterFrame,
}

/// The time from when a value is written to when it is needed last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    pub first: Moment,
    pub last: Moment,
}

/// Joins versions where one can update the other in place.
pub(crate) fn chains(graph: &Graph, program: &Program) -> Vec<Chain> {
    let lives = lives(program);
    let mut chain_of = program.values.table(None);
    let mut chains = Vec::<Chain>::new();
    let start = |chain_of: &mut IdVec<WireValue, Option<usize>>, chains: &mut Vec<Chain>, v: ValueId| {
        if let Some(life) = lives[v] {
            chain_of[v] = Some(chains.len());
            let value = &program.values[v];
            let pooled = value.pooled.map(|_| value.layout().numbers());
            chains.push(Chain { values: vec![v], life, bytes: value.bytes, pooled });
        }
    };
    program.states.values().for_each(|v| start(&mut chain_of, &mut chains, *v));
    let (held, becomes) = (keys(&program.states), keys(&program.next));
    let first_key = |of: &BTreeMap<ValueId, Vec<&StateKey>>, value: ValueId| {
        of.get(&value).and_then(|keys| keys.first().copied()).cloned()
    };
    // A chain must not turn one State's buffer into another State's next value: the two could not be told apart
    // afterwards.
    let joins = |chain: &Chain, value: ValueId| {
        let old = chain.values.first().and_then(|v| first_key(&held, *v));
        let next = first_key(&becomes, value);
        old.is_none() || next.is_none() || old == next
    };
    for (index, op) in program.ops.entries() {
        let ends = |value: &ValueId| lives[*value].is_some_and(|life| life.last == Moment::At(index));
        for write in &op.writes {
            let before = write.consumes.filter(|v| ends(v) && works_in_place(graph, program, op, write));
            match before.and_then(|v| chain_of[v]) {
                Some(chain) if joins(&chains[chain], write.value) => {
                    chains[chain].values.push(write.value);
                    chains[chain].life.last = lives[write.value].map_or(Moment::At(index), |life| life.last);
                    chain_of[write.value] = Some(chain);
                }
                _ => start(&mut chain_of, &mut chains, write.value),
            }
        }
    }
    join(chains, program)
}

/// The life of each value; none where nothing writes it.
pub(crate) fn lives(program: &Program) -> IdVec<WireValue, Option<Life>> {
    let mut lives = program.values.table(None);
    let begin = |moment: Moment| Some(Life { first: moment, last: moment });
    program.states.values().for_each(|v| lives[*v] = begin(Moment::BeforeFrame));
    let last = |lives: &mut IdVec<WireValue, Option<Life>>, value: ValueId, moment: Moment| {
        if let Some(life) = &mut lives[value] {
            life.last = life.last.max(moment);
        }
    };
    for (index, op) in program.ops.entries() {
        op.writes.iter().for_each(|w| lives[w.value] = begin(Moment::At(index)));
        op.needs().for_each(|v| last(&mut lives, v, Moment::At(index)));
    }
    program.pinned.iter().for_each(|v| last(&mut lives, *v, Moment::AfterFrame));
    // Results of invariant operations that a frame reads must stay for the next frame.
    let frame = program.frame_begins();
    for value in program.ops.iter().filter(|op| op.invariant).flat_map(|op| &op.writes).map(|w| w.value) {
        if lives[value].is_some_and(|life| life.last >= Moment::At(frame)) {
            last(&mut lives, value, Moment::AfterFrame);
        }
    }
    if program.versions {
        keep_versions(program, &mut lives);
    }
    lives
}

/// Extends each version of a wire to the operation that writes the next one.
fn keep_versions(program: &Program, lives: &mut IdVec<WireValue, Option<Life>>) {
    let mut latest = BTreeMap::new();
    let label = |value: ValueId| program.values.get(value).map(|value| value.label.as_str());
    latest.extend(program.states.values().map(|value| (label(*value), *value)));
    for (index, op) in program.ops.entries() {
        for write in &op.writes {
            let before = latest.insert(label(write.value), write.value);
            if let Some(life) = before.and_then(|before| lives.get_mut(before)?.as_mut()) {
                life.last = life.last.max(Moment::At(index));
            }
        }
    }
    for value in latest.into_values() {
        if let Some(Some(life)) = lives.get_mut(value) {
            life.last = Moment::AfterFrame;
        }
    }
}

/// The chain of each value.
pub(crate) fn owners(chains: &[Chain], values: &Arena<WireValue>) -> IdVec<WireValue, Option<usize>> {
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

/// Joins the chains that contain the versions of a wire which share a buffer. The result is in the order of their first
/// operation, as memory is allocated to them; of those that begin together, joined ones come last.
fn join(chains: Vec<Chain>, program: &Program) -> Vec<Chain> {
    let mut owner = owners(&chains, &program.values);
    let mut places: Vec<Option<Chain>> = chains.into_iter().map(Some).collect();
    for versions in &program.together {
        let first = |at: &usize| places.get(*at)?.as_ref().map(|chain| chain.life.first);
        let mut apart: Vec<usize> = versions.iter().filter_map(|v| owner.get(*v).copied().flatten()).collect();
        apart.sort_by_key(|at| (first(at), *at));
        apart.dedup();
        let apart: Vec<Chain> = apart.into_iter().filter_map(|at| places.get_mut(at)?.take()).collect();
        let joined = apart.into_iter().reduce(|mut all, next| {
            all.values.extend(next.values);
            all.life.first = all.life.first.min(next.life.first);
            all.life.last = all.life.last.max(next.life.last);
            all
        });
        for value in joined.iter().flat_map(|chain| &chain.values) {
            if let Some(owner) = owner.get_mut(*value) {
                *owner = Some(places.len());
            }
        }
        places.push(joined);
    }
    let mut chains: Vec<Chain> = places.into_iter().flatten().collect();
    chains.sort_by_key(|chain| chain.life.first);
    chains
}

/// The States that hold, or become, each value.
pub(crate) fn keys(states: &BTreeMap<StateKey, ValueId>) -> BTreeMap<ValueId, Vec<&StateKey>> {
    let mut keys = BTreeMap::<ValueId, Vec<&StateKey>>::new();
    states.iter().for_each(|(key, value)| keys.entry(*value).or_default().push(key));
    keys
}
