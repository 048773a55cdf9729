//! Assigns memory. Versions share a buffer if one updates the other in place or if their lifetimes do not overlap. A
//! State's next value uses the State's own buffer if that is free by then; otherwise the two swap. Invariant values
//! share memory only among themselves, and those that a frame reads keep their memory.

mod allocation;
#[cfg(test)]
mod tests;
mod verify;
mod versions;

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use allocation::wire;
pub(crate) use allocation::{Allocation, Placement};
pub(crate) use verify::verify;
pub(crate) use versions::versions;

use crate::arena::Arena;
use crate::data::{Buffer, BufferId, Holding, Wire};
use crate::graph::{Graph, Kind};
use crate::ir::lifetimes::{Chain, Life, Moment, chains, keys, lives, owners};
use crate::ir::{Part, Program, StateKey, ValueId};
use crate::problem::{Problem, Problems};

/// Memory of a plan \[bytes\].
pub(super) fn total(graph: &Graph, frame: &Program, reset: &Program) -> u64 {
    let placed = place(graph, frame, reset, &chains(graph, frame), &passed(frame));
    placed.map_or(u64::MAX, |layout| layout.buffers.iter().fold(0, |sum, buffer| buffer.bytes.saturating_add(sum)))
}

/// Values that are passed on within a kernel.
fn passed(frame: &Program) -> BTreeSet<ValueId> {
    frame.ops.iter().flat_map(|op| &op.writes).filter(|w| w.transient).map(|w| w.value).collect()
}

/// Buffers and what is in them, without what a plan says about that.
fn place(
    graph: &Graph,
    frame: &Program,
    reset: &Program,
    chains: &[Chain],
    passed: &BTreeSet<ValueId>,
) -> Result<Allocation, Problems> {
    let mut layout = Allocation::default();
    let frame_begins = Moment::At(frame.frame_begins());
    // A frame that skips the invariant operations needs their results, so these have their own memory.
    let (mut pool, mut invariant_pool) = (Pool::default(), Pool::default());
    layout.frame = frame.values.table(None);
    let owner = owners(chains, &frame.values);
    let chain_of = |value: ValueId| owner.get(value).and_then(|chain| chains.get((*chain)?));
    // States first: their memory is permanent.
    let mut state_ends = BTreeMap::new();
    for (key, value) in &frame.states {
        let buffer = pool.create(&mut layout.buffers, &frame.values[*value].label, frame.values[*value].bytes);
        layout.states.insert(key.clone(), buffer);
        if frame.values[*value].dense {
            layout.dense.insert(key.clone());
        }
        if frame.values[*value].pooled.is_some() {
            layout.pooled.insert(key.clone());
        }
        if let Some(chain) = chain_of(*value) {
            chain.values.iter().for_each(|v| layout.frame[*v] = Some(buffer));
            state_ends.insert(key.clone(), chain.life.last);
        }
    }
    let becomes = keys(&frame.next);
    let mut lent = lent(frame, &layout, &state_ends, &chain_of);
    for chain in chains {
        let inside = chain.values.iter().all(|v| passed.contains(v));
        if inside || chain.values.first().is_none_or(|v| layout.frame[*v].is_some()) {
            continue;
        }
        let keys = chain.values.iter().filter_map(|v| becomes.get(v)).flatten();
        let state = keys.filter(|key| frame.states.contains_key(key)).min().copied();
        let buffer = match state {
            Some(state) if state_ends.get(state).is_some_and(|end| *end < chain.life.first) => layout.states[state],
            Some(state) => {
                let other = pool.take(&mut layout.buffers, chain, frame);
                layout.swaps.push((layout.states[state], other));
                other
            }
            None if chain.life.first < frame_begins => invariant_pool.take(&mut layout.buffers, chain, frame),
            None => match lent.iter_mut().find(|lent| lent.suits(frame, chain)) {
                Some(lent) => lent.take(chain),
                None => pool.take(&mut layout.buffers, chain, frame),
            },
        };
        chain.values.iter().for_each(|v| layout.frame[*v] = Some(buffer));
    }
    // After a reset, the invariant operations run again.
    pool.made.append(&mut invariant_pool.made);
    pool.made.retain(|buffer| !pool.pooled.contains(buffer));
    layout.reset = reset_buffers(graph, reset, &mut layout, pool.made)?;
    Ok(layout)
}

pub(crate) fn allocate(graph: &Graph, frame: &Program, reset: &Program) -> Result<Allocation, Problems> {
    let (chains, passed) = (chains(graph, frame), passed(frame));
    let mut layout = place(graph, frame, reset, &chains, &passed)?;
    note_holdings(frame, &mut layout);
    layout.pictures =
        frame.pictures.iter().filter_map(|picture| Some((*picture, layout.frame[picture.value]?))).collect();
    layout.crowded = frame.crowded.iter().filter_map(|(n, v, most)| Some((*n, layout.frame[*v]?, *most))).collect();
    layout.watches = frame.watches.iter().filter_map(|(n, p, v)| Some((*n, *p, layout.frame[*v]?))).collect();
    let of_reset = reset.watches.iter().filter_map(|(n, p, v)| Some((*n, *p, layout.reset[*v]?)));
    layout.watches.extend(of_reset.collect::<Vec<_>>());
    let survivors = survivors(&chains, &layout.frame, &passed);
    // A wire that comes from outside is there like a State, but it is one only if its node is.
    let is_outside = |(node, part): &StateKey| {
        matches!(part, Part::Outside(..)) && !matches!(graph.nodes[*node].kind, Kind::State(_))
    };
    let outside: BTreeSet<ValueId> = frame.states.iter().filter(|(key, _)| is_outside(key)).map(|(_, v)| *v).collect();
    let state_values: BTreeSet<ValueId> = frame.states.values().copied().collect();
    let is_state = |v: &ValueId| state_values.contains(v) && !outside.contains(v);
    // Values that nothing needs have no memory.
    for (name, value) in &frame.wires {
        let Some(buffer) = layout.frame[*value].filter(|_| frame.values[*value].pooled.is_none()) else { continue };
        let kept = survivors.contains(value) || state_values.contains(value);
        let state = is_state(value);
        layout.wires.insert(name.clone(), Wire { kept, state, ..Wire::new(&frame.values[*value], buffer) });
    }
    Ok(layout)
}

/// The buffer of a State between the last time that its value is needed and the time at which its next value is written there: versions in
/// between can have it. So a State that a stage changes in an even number of iterations takes two buffers.
struct Lent {
    buffer: BufferId,
    bytes: u64,
    pooled: Option<u32>,
    from: Moment,
    until: Moment,
    /// When what it is lent to is needed last.
    lent_until: Option<Moment>,
}

impl Lent {
    fn suits(&self, frame: &Program, chain: &Chain) -> bool {
        let Life { first, last } = chain.life;
        let free =
            self.from < first && last < self.until && self.lent_until.is_none_or(|lent_until| lent_until < first);
        // What a group that may stop leaves undone must not be missing.
        let open =
            |moment: Moment| matches!(moment, Moment::At(op) if frame.ops.get(op).is_some_and(|op| op.gate.is_none()));
        free && self.bytes == chain.bytes && self.pooled == chain.pooled && open(first) && open(last)
    }

    fn take(&mut self, chain: &Chain) -> BufferId {
        self.lent_until = Some(chain.life.last);
        self.buffer
    }
}

/// The buffers of States whose next value is written to where the last one was.
fn lent<'c>(
    frame: &Program,
    layout: &Allocation,
    ends: &BTreeMap<StateKey, Moment>,
    chain_of: &dyn Fn(ValueId) -> Option<&'c Chain>,
) -> Vec<Lent> {
    let lent = |(key, next): (&StateKey, &ValueId)| {
        let (from, next) = (*ends.get(key)?, chain_of(*next)?);
        let buffer = *layout.states.get(key)?;
        let (bytes, until) = (layout.buffers.get(buffer)?.bytes, next.life.first);
        let pooled = next.pooled;
        (from < until && bytes == next.bytes).then_some(Lent { buffer, bytes, pooled, from, until, lent_until: None })
    };
    frame.next.iter().filter_map(lent).collect()
}

/// Records what each buffer holds, and when. Consecutive versions of a wire count as one.
fn note_holdings(program: &Program, layout: &mut Allocation) {
    let lives = lives(program);
    let mut order: Vec<(ValueId, Life)> = lives.entries().filter_map(|(value, life)| Some((value, (*life)?))).collect();
    order.sort_by_key(|(_, life)| life.first);
    for (value, life) in order {
        let Some(buffer) = layout.frame[value].and_then(|buffer| layout.buffers.get_mut(buffer)) else { continue };
        let at = |moment: Moment| if let Moment::At(op) = moment { Some(op.index()) } else { None };
        let new = Holding {
            wire: wire(&program.values[value].label).to_string(),
            first: at(life.first),
            last: at(life.last),
        };
        match buffer.holds.last_mut() {
            Some(before) if before.wire == new.wire && before.last.is_some() => before.last = new.last,
            _ => buffer.holds.push(new),
        }
    }
}

/// The value that each buffer holds when the frame ends: of a chain of versions the last that is stored. Those that are
/// `passed` within a kernel are not.
fn survivors(chains: &[Chain], buffers: &Placement, passed: &BTreeSet<ValueId>) -> BTreeSet<ValueId> {
    let mut last = BTreeMap::new();
    for chain in chains {
        if let Some(value) = chain.values.iter().rev().find(|v| !passed.contains(v)) {
            let entry = last.entry(buffers[*value]).or_insert((chain.life.first, *value));
            if chain.life.first >= entry.0 {
                *entry = (chain.life.first, *value);
            }
        }
    }
    last.into_values().map(|(_, v)| v).collect()
}

/// Size of a buffer \[bytes\], and the numbers of an element in a pool of blocks. Only buffers of one kind are shared.
type BufferKind = (u64, Option<u32>);

/// Buffers that wires share. Chains come in the order of their first operation.
#[derive(Debug, Default)]
struct Pool {
    /// Buffers in the order in which they were made, without States' buffers.
    made: Vec<BufferId>,
    /// Buffers that are needed no more, by size and kind: their places in `made`. The first is taken first.
    free: BTreeMap<BufferKind, BTreeSet<usize>>,
    /// The last operation that needs a buffer, its size and kind, and its place in `made`; the earliest on top.
    busy: BinaryHeap<Reverse<(Moment, BufferKind, usize)>>,
    /// Buffers of pools of blocks, whose first block stays zero.
    pooled: BTreeSet<BufferId>,
}

impl Pool {
    /// All of `made`, free.
    fn new(made: Vec<BufferId>, buffers: &Arena<Buffer>) -> Pool {
        let mut free = BTreeMap::<_, BTreeSet<usize>>::new();
        for (place, buffer) in made.iter().enumerate() {
            free.entry((buffers[*buffer].bytes, None)).or_default().insert(place);
        }
        Pool { made, free, ..Pool::default() }
    }

    fn create(&self, buffers: &mut Arena<Buffer>, label: &str, bytes: u64) -> BufferId {
        buffers.push(Buffer { label: wire(label).to_string(), bytes, holds: Vec::new() })
    }

    fn take(&mut self, buffers: &mut Arena<Buffer>, chain: &Chain, program: &Program) -> BufferId {
        while let Some(top) = self.busy.peek_mut().filter(|top| top.0.0 < chain.life.first) {
            let Reverse((_, kind, place)) = PeekMut::pop(top);
            self.free.entry(kind).or_default().insert(place);
        }
        let kind = (chain.bytes, chain.pooled);
        let free = self.free.get_mut(&kind).and_then(BTreeSet::pop_first);
        let place = free.unwrap_or_else(|| {
            let label = chain.values.first().map_or("", |v| program.values[*v].label.as_str());
            self.made.push(self.create(buffers, label, chain.bytes));
            self.made.len() - 1
        });
        self.busy.push(Reverse((chain.life.last, kind, place)));
        if chain.pooled.is_some() {
            self.pooled.insert(self.made[place]);
        }
        self.made[place]
    }
}

/// A reset runs between frames, so it can use every buffer that is not a State's. Its watched numbers are read back after later frames, and
/// have buffers that nothing else uses.
fn reset_buffers(
    graph: &Graph,
    reset: &Program,
    layout: &mut Allocation,
    made: Vec<BufferId>,
) -> Result<Placement, Problems> {
    let mut pool = Pool::new(made, &layout.buffers);
    let mut memory = reset.values.table(None);
    let (held, becomes) = (keys(&reset.states), keys(&reset.next));
    let watched: BTreeSet<ValueId> = reset.watches.iter().map(|(_, _, value)| *value).collect();
    for chain in chains(graph, reset) {
        let first = |states: &BTreeMap<ValueId, Vec<&StateKey>>| {
            chain.values.iter().filter_map(|v| states.get(v)).flatten().min().copied().cloned()
        };
        // A State that a reset reads comes from a file and has its value already.
        let buffer = match first(&becomes).or_else(|| first(&held)) {
            Some(state) => {
                let node = graph.nodes.get(state.0).map_or("", |node| node.path.as_str());
                let lost = || Problem::new(node, "", "the start of a State reads this one, which has no memory", "");
                *layout.states.get(&state).ok_or_else(lost)?
            }
            None => match chain.values.iter().find(|value| watched.contains(value)) {
                Some(value) => pool.create(&mut layout.buffers, &reset.values[*value].label, chain.bytes),
                None => pool.take(&mut layout.buffers, &chain, reset),
            },
        };
        chain.values.iter().for_each(|v| memory[*v] = Some(buffer));
    }
    Ok(memory)
}
