//! Memory: which versions share a buffer because one goes on from the other in place, and which because their lives do
//! not overlap. A State's next value takes the State's own buffer where that is free by then; else the two swap. Still
//! values share memory among themselves only, and those that a frame reads keep theirs.

use std::collections::{BTreeMap, BTreeSet};

use super::expand::{Op, Part, Program, StateKey, Task, ValueId, Write};
use super::{Buffer, Holding};
use crate::graph::{Graph, Kind};
use crate::problem::{Problem, Problems};
use crate::stage::Reach;
use crate::stage::types::EdgeRule;

/// Buffers of a plan, and of each value.
#[derive(Debug, Default)]
pub struct Layout {
    pub buffers: Vec<Buffer>,
    pub frame: Vec<usize>,
    pub reset: Vec<usize>,
    pub swaps: Vec<(usize, usize)>,
    /// Output port, node and buffer of each watched number.
    pub watches: Vec<(usize, usize, usize)>,
    /// Buffer of each State's value.
    pub states: BTreeMap<StateKey, usize>,
    pub wires: BTreeMap<String, WireMemory>,
    pub pictures: Vec<(usize, usize, u32, u32)>,
}

#[derive(Debug)]
pub struct WireMemory {
    pub value: super::expand::Value,
    pub buffer: usize,
    pub kept: bool,
    pub state: bool,
}

/// Versions that share a buffer, one after the other.
#[derive(Clone, Debug)]
pub struct Chain {
    pub values: Vec<ValueId>,
    /// Operation that writes it first, and the last that touches it; -1 is before the frame, `count` after it.
    pub first: isize,
    pub last: isize,
    bytes: u64,
}

pub fn allocate(graph: &Graph, frame: &Program, reset: &Program) -> Result<Layout, Problems> {
    let mut layout = Layout::default();
    let chains = chains(graph, frame);
    let still = frame.still() as isize;
    // A frame that leaves the still operations out must find what they wrote, so they have memory of their own.
    let (mut pool, mut still_pool) = (Pool::default(), Pool::default());
    layout.frame = vec![usize::MAX; frame.values.len()];
    let owner = owners(&chains, frame.values.len());
    let chain_of = |value: ValueId| owner.get(value).and_then(|chain| chains.get((*chain)?));
    // States first: their memory is theirs for good.
    let mut state_ends = BTreeMap::new();
    for (key, value) in &frame.states {
        let buffer = pool.create(&mut layout.buffers, &frame.values[*value].label, frame.values[*value].bytes);
        layout.states.insert(key.clone(), buffer);
        if let Some(chain) = chain_of(*value) {
            chain.values.iter().for_each(|v| layout.frame[*v] = buffer);
            state_ends.insert(key.clone(), chain.last);
        }
    }
    let passed: BTreeSet<ValueId> =
        frame.ops.iter().flat_map(|op| &op.writes).filter(|w| w.passed).map(|w| w.value).collect();
    let becomes = keys(&frame.next);
    for chain in &chains {
        let inside = chain.values.iter().all(|v| passed.contains(v));
        if inside || chain.values.first().is_none_or(|v| layout.frame[*v] != usize::MAX) {
            continue;
        }
        let keys = chain.values.iter().filter_map(|v| becomes.get(v)).flatten();
        let state = keys.filter(|key| frame.states.contains_key(key)).min().copied();
        let buffer = match state {
            Some(state) if state_ends.get(state).is_some_and(|end| *end < chain.first) => layout.states[state],
            Some(state) => {
                let other = pool.take(&mut layout.buffers, chain, frame);
                layout.swaps.push((layout.states[state], other));
                other
            }
            None if chain.first < still => still_pool.take(&mut layout.buffers, chain, frame),
            None => pool.take(&mut layout.buffers, chain, frame),
        };
        chain.values.iter().for_each(|v| layout.frame[*v] = buffer);
    }
    note_holdings(frame, &mut layout);
    // After a reset the still operations run anew.
    pool.busy.append(&mut still_pool.busy);
    layout.reset = reset_buffers(graph, reset, &mut layout, &pool)?;
    layout.pictures = frame.pictures.iter().map(|(n, v, w, h)| (*n, layout.frame[*v], *w, *h)).collect();
    layout.watches = frame.watches.iter().map(|(n, p, v)| (*n, *p, layout.frame[*v])).collect();
    let survivors = survivors(&chains, &layout.frame);
    let state_values: BTreeSet<ValueId> = frame.states.values().copied().collect();
    let is_state = |v: &ValueId| state_values.contains(v);
    // What nothing needs has no memory.
    for (name, value) in frame.wires.iter().filter(|(_, v)| layout.frame[**v] != usize::MAX) {
        let memory = WireMemory {
            value: frame.values[*value].clone(),
            buffer: layout.frame[*value],
            kept: survivors.contains(value) || is_state(value),
            state: is_state(value),
        };
        layout.wires.insert(name.clone(), memory);
    }
    Ok(layout)
}

/// The chain of each value.
pub fn owners(chains: &[Chain], values: usize) -> Vec<Option<usize>> {
    let mut owner = vec![None; values];
    for (index, chain) in chains.iter().enumerate() {
        for value in &chain.values {
            if let Some(owner) = owner.get_mut(*value) {
                *owner = Some(index);
            }
        }
    }
    owner
}

/// The States that hold, or become, each value.
fn keys(states: &BTreeMap<StateKey, ValueId>) -> BTreeMap<ValueId, Vec<&StateKey>> {
    let mut keys = BTreeMap::<ValueId, Vec<&StateKey>>::new();
    states.iter().for_each(|(key, value)| keys.entry(*value).or_default().push(key));
    keys
}

/// Notes for every buffer what it holds when. Versions of a wire that follow each other count as one.
fn note_holdings(program: &Program, layout: &mut Layout) {
    let count = program.ops.len() as isize;
    let (first, last) = lives(program);
    let mut order: Vec<ValueId> = (0..program.values.len()).filter(|v| first[*v] < isize::MAX).collect();
    order.sort_by_key(|v| first[*v]);
    for value in order {
        let Some(buffer) = layout.buffers.get_mut(layout.frame[value]) else { continue };
        let at = |op: isize| usize::try_from(op).ok().filter(|_| op < count);
        let new = Holding {
            wire: wire(&program.values[value].label).to_string(),
            first: at(first[value]),
            last: at(last[value]),
        };
        match buffer.holds.last_mut() {
            Some(before) if before.wire == new.wire && before.last.is_some() => before.last = new.last,
            _ => buffer.holds.push(new),
        }
    }
}

/// The wire that a value is a version of: what a scatter works on is the wire that it makes.
fn wire(label: &str) -> &str {
    label.strip_suffix(" (scatter)").unwrap_or(label)
}

/// The value that each buffer holds when the frame ends.
fn survivors(chains: &[Chain], buffers: &[usize]) -> BTreeSet<ValueId> {
    let mut last = BTreeMap::new();
    for chain in chains {
        if let Some(value) = chain.values.last() {
            let entry = last.entry(buffers[*value]).or_insert((chain.first, *value));
            if chain.first >= entry.0 {
                *entry = (chain.first, *value);
            }
        }
    }
    last.into_values().map(|(_, v)| v).collect()
}

/// For every value the operation that writes it, and the last that needs it; -1 is before the frame, `count` after it. What nothing
/// writes begins at the largest number.
fn lives(program: &Program) -> (Vec<isize>, Vec<isize>) {
    let count = program.ops.len() as isize;
    let mut first = vec![isize::MAX; program.values.len()];
    let mut last = vec![isize::MIN; program.values.len()];
    program.states.values().for_each(|v| (first[*v], last[*v]) = (-1, -1));
    for (index, op) in program.ops.iter().enumerate() {
        for value in op.writes.iter().map(|w| w.value) {
            (first[value], last[value]) = (index as isize, index as isize);
        }
        op.needs().for_each(|v| last[v] = last[v].max(index as isize));
    }
    program.pinned.iter().for_each(|v| last[*v] = count);
    // What a frame reads of still operations is there for the next frame too.
    let still = program.still();
    for value in program.ops.iter().take(still).flat_map(|op| &op.writes).map(|w| w.value) {
        if last[value] >= still as isize {
            last[value] = count;
        }
    }
    (first, last)
}

/// Joins versions where one operation can go on from the other in place.
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

/// Makes one chain of those that hold the versions of a wire which share a buffer.
fn join(chains: &mut Vec<Chain>, versions: &[ValueId]) {
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

/// Whether an operation may overwrite the version that it goes on from.
pub fn works_in_place(graph: &Graph, program: &Program, op: &Op, write: &Write) -> bool {
    let precision = |v: ValueId| program.values.get(v).map(|v| v.precision);
    // The halo of a tile is the inside of others.
    if op.sweeps > 1 || write.consumes.is_some_and(|before| precision(before) != precision(write.value)) {
        return false;
    }
    // Of two that go on from one version, neither may take its place.
    let sharers = op.writes.iter().filter(|w| w.consumes == write.consumes).count();
    let mut readers = op.reads.iter().filter(|r| Some(r.value) == write.consumes);
    let node = op.node_of(write.of).and_then(|node| graph.nodes.get(node));
    if let (Some(Kind::Stage(stage)), Part::Attribute(_)) = (node.map(|n| &n.kind), &write.part) {
        // A particle may overwrite what only it has read: its own attribute, through the port that writes it.
        let Some(declared) = stage.outputs().nth(write.port) else { return false };
        let own = |r: &super::expand::Read| {
            r.field == write.of
                && r.part == write.part
                && stage.inputs().nth(r.port).is_some_and(|p| p.name == declared.name)
                && stage.set().is_some_and(|p| p.name == declared.name)
                && !stage.calls(&declared.name)
        };
        return sharers == 1 && readers.all(own);
    }
    if readers.next().is_some() || sharers > 1 {
        return false;
    }
    match (&op.task, node.map(|n| &n.kind)) {
        (Task::Stage, Some(Kind::Stage(stage))) => stage.outputs().nth(write.port).is_some_and(|declared| {
            declared.scatter.is_some()
                || declared.reduce.is_some()
                || match stage.reach(&declared.name) {
                    Reach::Own => true,
                    // A red cell reads black neighbours only, and those stay as they are, unless they share a word with another.
                    Reach::Faces => {
                        let shared = program.values.get(write.value).is_some_and(|v| v.layout().pairs());
                        stage.header.checkerboard && !shared && colors_alternate(graph, op.node, declared.edge)
                    }
                    Reach::Anywhere => false,
                }
        }),
        (Task::ToFixed(_) | Task::FromFixed(_) | Task::FromOrdered, _) => true,
        // What leaves a group that may stop goes to where the repeat before has put it.
        (Task::Copy | Task::Fill(_), _) => true,
        (Task::ScanBlocks | Task::ScanSums | Task::ScanAdd | Task::ScanEnd, _) => true,
        _ => false,
    }
}

/// Whether cells across a face always differ in colour. Around a periodic axis with an odd number of cells they do not.
fn colors_alternate(graph: &Graph, node: usize, edge: Option<EdgeRule>) -> bool {
    let domain = graph.nodes.get(node).and_then(|n| n.domain).and_then(|d| graph.domains.get(d));
    domain.is_none_or(|d| {
        let odd = d.resolution.iter().take(d.dim as usize).any(|n| n % 2 == 1);
        edge.unwrap_or(d.edge) != EdgeRule::Wrap || !odd
    })
}

/// Buffers that wires take turns in.
#[derive(Debug, Default)]
struct Pool {
    /// Buffer and the last operation that needs it; States' buffers are not here.
    busy: Vec<(usize, isize)>,
}

impl Pool {
    fn create(&self, buffers: &mut Vec<Buffer>, label: &str, bytes: u64) -> usize {
        buffers.push(Buffer { label: wire(label).to_string(), bytes, holds: Vec::new() });
        buffers.len() - 1
    }

    fn take(&mut self, buffers: &mut Vec<Buffer>, chain: &Chain, program: &Program) -> usize {
        let free = self.busy.iter_mut().find(|(b, last)| *last < chain.first && buffers[*b].bytes == chain.bytes);
        if let Some((buffer, last)) = free {
            *last = chain.last;
            return *buffer;
        }
        let label = chain.values.first().map_or("", |v| program.values[*v].label.as_str());
        let buffer = self.create(buffers, label, chain.bytes);
        self.busy.push((buffer, chain.last));
        buffer
    }
}

/// A reset runs between frames, so whatever is no State's is free for it.
fn reset_buffers(graph: &Graph, reset: &Program, layout: &mut Layout, frame: &Pool) -> Result<Vec<usize>, Problems> {
    let mut pool = Pool { busy: frame.busy.iter().map(|(b, _)| (*b, isize::MIN)).collect() };
    let mut memory = vec![usize::MAX; reset.values.len()];
    let (held, becomes) = (keys(&reset.states), keys(&reset.next));
    for chain in chains(graph, reset) {
        let first = |of: &BTreeMap<ValueId, Vec<&StateKey>>| {
            chain.values.iter().filter_map(|v| of.get(v)).flatten().min().copied().cloned()
        };
        // A State that a reset reads is a file's, which has its value already.
        let buffer = match first(&becomes).or_else(|| first(&held)) {
            Some(state) => {
                let node = graph.nodes.get(state.0).map_or("", |node| node.path.as_str());
                let lost = || Problem::new(node, "", "the start of a State reads this one, which has no memory", "");
                *layout.states.get(&state).ok_or_else(lost)?
            }
            None => pool.take(&mut layout.buffers, &chain, reset),
        };
        chain.values.iter().for_each(|v| memory[*v] = buffer);
    }
    Ok(memory)
}
