//! Stages that add to the cells around particles add up in workgroup memory. The particles are listed bin by bin ([`crate::ir::bins`]), a
//! workgroup takes those of one bin, and what it has added up goes to the grid at once. What a particle adds beyond its bin's tile it adds to
//! the grid itself, so the result is the same whatever a stage's text does, and however far particles have moved since they were listed.
//! Source: Gao et al., GPU Optimization of Material Point Methods, ACM Trans. Graph. 37(6), 2018 (blocks of particles, sums in shared memory).

use std::collections::{BTreeSet, HashMap};

use crate::arena::Arena;
use crate::graph::{DomainId, Graph, Kind};
use crate::ir::stored::Stored;
use crate::ir::workgroups::LANES;
use crate::ir::{OWN, Op, Part, Program, Read, StageInstance, Task, ValueId, WireValue, Write, bindings, bins, query};
use crate::stage::IterationSource;
use crate::stage::header::Change;
use crate::stage::types::{ValueType, WireType};
use crate::tuning::MAX_TILE_WORDS;

/// Numbers that a stage has to add to a cell: sums of fewer are as fast in memory as the list is.
const MANY: u32 = 3;
/// How often a list is used: particles leave their bins slowly.
const USES: u32 = 8;
/// Limit of bins, so that their counts are summed in two dispatches.
const MOST_BINS: u64 = 1 << 22;
/// The attribute that says in which cell a particle is.
const POSITION: &str = "position";

/// A list of particles that further stages can use.
struct List {
    count: ValueId,
    domain: DomainId,
    gate: Option<ValueId>,
    table: ValueId,
    uses: u32,
}

/// Lists the particles of sets from a capacity on, and has stages that add to the cells around them go by the list.
pub(super) fn assign(graph: &Graph, program: &mut Program, smallest: u32) {
    let mut lists: Vec<List> = Vec::new();
    let adds = |op: &Op| op.writes.iter().any(|write| query::adds_fixed(graph, program, op, write));
    let open = if program.ops.iter().any(adds) { query::open_with(program) } else { HashMap::new() };
    let mut ops = Vec::with_capacity(program.ops.len());
    for mut op in std::mem::take(&mut program.ops) {
        match candidate(graph, program, &op, smallest) {
            None => {}
            Some(Err(cause)) => {
                let path = graph.nodes.get(op.node).map_or("", |node| &node.path);
                let note = format!("{path}: {cause}");
                if !program.notes.contains(&note) {
                    program.notes.push(note);
                }
            }
            Some(Ok(bins)) => {
                let table = table_for(graph, program, (&op, &open), &bins, &mut lists, &mut ops);
                op.reads.push(Read { stage: OWN, port: bins.input, part: Part::Bins, value: table });
            }
        }
        ops.push(op);
    }
    program.ops = Arena::from(ops);
}

/// What a list is made from.
struct Bins {
    /// The set's port, by inputs.
    input: usize,
    count: ValueId,
    position: ValueId,
    domain: DomainId,
    capacity: u32,
}

/// Whether an operation adds enough to the cells around particles. `Err`: it does, and why it can't go by a list.
fn candidate(graph: &Graph, program: &Program, op: &Op, smallest: u32) -> Option<Result<Bins, String>> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let set = stage.set().filter(|_| stage.source() == IterationSource::Particles)?;
    let room = node.set.as_ref()?;
    let added: Vec<&Write> = op.writes.iter().filter(|w| query::adds_fixed(graph, program, op, w)).collect();
    let numbers = |w: &&Write| program.values.get(w.value).map_or(0, |value| value.ty.value().components(value.dim));
    let loops = |w: &&&Write| {
        let name = stage.outputs().nth(w.port).map_or("", |port| &port.name);
        stage.calls_in_loop(&format!("add_{name}")) || stage.calls(&format!("add_{name}_at"))
    };
    let many: u32 = added.iter().filter(loops).map(numbers).sum();
    if !matches!(op.task, Task::Stage) || op.edited || many < MANY || room.capacity < smallest || op.invariant {
        return None;
    }
    let input = stage.inputs().position(|port| port.name == set.name)?;
    let count = query::count(graph, op)?;
    let domain = room.domain;
    let capacity = room.capacity;
    let space = graph.domains.get(domain)?;
    if program.versions {
        return Some(Err("every version of its sums is kept".into()));
    }
    if matches!(set.change, Change::Emit(_) | Change::Filter) {
        return Some(Err("it changes how many particles there are".into()));
    }
    if stage.outputs().any(|port| port.reduce.is_some()) {
        return Some(Err("it reduces its particles to a number".into()));
    }
    if stage.outputs().any(|port| port.is_summed_set()) {
        return Some(Err("it adds to other particles too".into()));
    }
    // An invocation goes through more than one particle.
    let stages = || op.stages.ids().filter_map(|stage| query::stage_of(graph, op, stage));
    if !stages().all(|stage| stage.repeatable()) {
        return Some(Err("a stage of its dispatch has a `var<private>`, which each particle begins with".into()));
    }
    if op.reads.iter().any(|read| read.part == Part::Start) {
        return Some(Err("it searches for neighbours".into()));
    }
    if added.iter().any(|w| program.values.get(w.value).is_none_or(|value| value.domain != Some(domain))) {
        return Some(Err("it adds to a grid on another domain than that of its particles".into()));
    }
    let sums: u32 = added.iter().map(numbers).sum();
    let words = sums * bins::tile(space.dim, sums).iter().product::<u32>();
    if words > MAX_TILE_WORDS {
        return Some(Err(format!("its tile takes {words} words of workgroup memory, more than {MAX_TILE_WORDS}")));
    }
    if bins::count(space) > MOST_BINS {
        return Some(Err(format!("its domain has more than {MOST_BINS} bins")));
    }
    let reads_position = |read: &&Read| op.runs_itself(read.stage) && read.part == Part::Attribute(POSITION.into());
    let of_set = |read: &&Read| {
        let value = program.values.get(read.value);
        let vector = |value: &WireValue| value.ty.value().components(value.dim) == space.dim;
        value.is_some_and(|value| value.capacity == capacity && vector(value))
    };
    let Some(position) = op.reads.iter().filter(reads_position).find(of_set).map(|read| read.value) else {
        return Some(Err("it does not read the `position` of its particles from memory".into()));
    };
    let mut listed = op.clone();
    listed.reads.push(Read { stage: OWN, port: input, part: Part::Bins, value: count });
    // What stages of the dispatch store for others is bound too, and the alarms.
    let (buffers, limit) = (bindings::own_buffers(graph, program, &listed) + 1, limit(program));
    if buffers > limit {
        return Some(Err(format!("with a list it would bind {buffers} buffers, more than {limit}")));
    }
    Some(Ok(Bins { input, count, position, domain, capacity }))
}

/// Limit of buffers: what every adapter offers, or, where some stage needs more anyway, what those offer that can run it.
fn limit(program: &Program) -> usize {
    program.buffer_budget.next_multiple_of(bindings::MAX_BUFFERS)
}

/// The table for an operation: one that is there, or a new one, which `ops` gets the dispatches of.
fn table_for(
    graph: &Graph,
    program: &mut Program,
    (op, open): (&Op, &HashMap<ValueId, BTreeSet<ValueId>>),
    of: &Bins,
    lists: &mut Vec<List>,
    ops: &mut Vec<Op>,
) -> ValueId {
    // A list that was made behind a gate is there only where that gate is certainly open.
    let is_open = |gate: ValueId| op.gate.and_then(|of_op| open.get(&of_op)).is_some_and(|open| open.contains(&gate));
    let serves = |list: &&mut List| {
        let there = list.gate.is_none_or(is_open);
        list.count == of.count && list.domain == of.domain && there && list.uses < USES
    };
    if let Some(list) = lists.iter_mut().find(serves) {
        list.uses += 1;
        return list.table;
    }
    let table = make(graph, program, op, of, ops);
    lists.push(List { count: of.count, domain: of.domain, gate: op.gate, table, uses: 1 });
    table
}

/// The operations that list the particles of a stage.
fn make(graph: &Graph, program: &mut Program, op: &Op, of: &Bins, ops: &mut Vec<Op>) -> ValueId {
    let Some(domain) = graph.domains.get(of.domain) else { return of.count };
    let path = graph.nodes.get(op.node).map_or("", |node| &node.path);
    let number = WireType::Attribute(ValueType::U32);
    let bins = bins::count(domain);
    let mut value = |what: &str, elements: u64, words: u64| {
        let stored = Stored { capacity: elements as u32, ..Stored::number(number) };
        let value = WireValue::new(number, format!("{path} ({what})"), (words * 4).next_multiple_of(16));
        program.values.push(WireValue { stored, ..value })
    };
    let zeros = value("bins", bins, bins + 1);
    let counts = value("bins", bins, bins + 1);
    let blocks = value("bins, in blocks", bins, bins + 1);
    let starts = value("bins", bins, bins + 1);
    let scanned = bins.div_ceil(4 * u64::from(LANES)).max(1);
    let sums = value("bins, block sums", scanned, scanned + 1);
    let ranks = value("ranks in bins", u64::from(of.capacity), u64::from(of.capacity));
    let words = bins::table_words(domain, of.capacity);
    let empty = value("list of bins", u64::from(of.capacity), words);
    let table = value("list of bins", u64::from(of.capacity), words);
    let read = |port: usize, value: ValueId| Read { stage: OWN, port, part: Part::Whole, value };
    let write =
        |port: usize, value: ValueId, consumes: Option<ValueId>| Write { port, consumes, ..Write::whole(value) };
    let mut push = |task: Task, reads: Vec<Read>, writes: Vec<Write>| {
        let stages = Arena::from(vec![StageInstance::own(op.node)]);
        let Op { iteration, substep, gate, .. } = *op;
        ops.push(Op { iteration, substep, gate, ..Op::new(task, op.node, reads, stages, writes) });
    };
    let mut cleared = vec![write(0, zeros, None), write(0, empty, None)];
    if words > bins + 1 {
        // The largest determines the number of invocations.
        cleared.reverse();
    }
    push(Task::Clear(vec![0, 0]), vec![], cleared);
    push(
        Task::BinCount(of.domain),
        vec![read(0, of.position), read(1, of.count)],
        vec![write(0, counts, Some(zeros)), write(0, ranks, None)],
    );
    push(Task::ScanBlocks, vec![], vec![write(0, blocks, Some(counts)), write(0, sums, None)]);
    push(Task::ScanEnd, vec![read(0, sums)], vec![write(0, starts, Some(blocks))]);
    push(
        Task::BinList(of.domain),
        vec![read(0, of.position), read(1, of.count), read(2, starts), read(3, ranks)],
        vec![write(0, table, Some(empty))],
    );
    table
}
