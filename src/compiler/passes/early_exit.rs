//! Completes groups that may stop early. After scheduling, carried values that are already in place lose their copies. After all passes, each
//! gate gets a table of the workgroups that it controls: how many a copy has depends on how its value is stored.

use crate::data::{COUNT_GROUPS, GATE_ENTRY};
use crate::ir::bindings::{MAX_BUFFERS, buffers};
use crate::ir::demand::demanded;
use crate::ir::workgroups::{self};
use crate::ir::{Op, Program, Task, ValueId, lifetimes};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::graph::Graph;

/// Gives each gate the workgroups that it controls, in a program that no pass changes any more.
pub(crate) fn tabulate(graph: &Graph, program: &mut Program) {
    let (mut tables, mut testers) = (BTreeMap::<ValueId, Vec<[u32; 3]>>::new(), BTreeMap::new());
    for op in &program.ops {
        if let Task::Test { .. } = op.task {
            tables.extend(op.writes.iter().map(|w| (w.value, Vec::new())));
            testers.extend(op.writes.iter().map(|w| (w.value, op.node)));
        }
    }
    for op in &program.ops {
        let Some(table) = op.gate.and_then(|gate| tables.get_mut(&gate)) else { continue };
        let groups = workgroups::op_groups(graph, program, op);
        if !table.contains(&groups) {
            table.push(groups);
        }
    }
    for (gate, table) in &tables {
        program.values[*gate].bytes = (COUNT_GROUPS + GATE_ENTRY * table.len() as u64).next_multiple_of(16);
    }
    program.tables = tables;
    program.testers = testers;
}

/// Checks that the gate of each operation controls its workgroups; otherwise the operation would run although its group has stopped.
///
/// # Errors
/// The operation that no gate controls.
pub(crate) fn verify(graph: &Graph, program: &Program) -> Result<(), String> {
    let controlled = |op: &Op| {
        let Some(gate) = op.gate else { return true };
        program.tables.get(&gate).is_some_and(|table| table.contains(&workgroups::op_groups(graph, program, op)))
    };
    match program.ops.iter().find(|op| !controlled(op)) {
        Some(op) => {
            let path = graph.nodes.get(op.node).map_or("?", |node| node.path.as_str());
            Err(format!("an operation of {path} runs although its group has stopped"))
        }
        None => Ok(()),
    }
}

/// Removes copies of values that are at the same place at the end of every iteration anyway.
pub(super) fn coalesce(graph: &Graph, program: &mut Program) {
    for versions in std::mem::take(&mut program.carries) {
        let Some(sources) = sources(program, &versions) else {
            program.carries.push(versions);
            continue;
        };
        if !in_one_place(graph, program, &versions, &sources) {
            match apart(graph, program, &sources).filter(|apart| in_one_place(graph, apart, &versions, &sources)) {
                Some(apart) => *program = apart,
                None => {
                    program.carries.push(versions);
                    continue;
                }
            }
        }
        let instead: BTreeMap<ValueId, ValueId> = versions.iter().copied().zip(sources.iter().copied()).collect();
        program.ops.retain(|_, op| op.writes.iter().all(|w| !instead.contains_key(&w.value)));
        replace(program, &instead);
        program.together.push(sources);
    }
}

/// The source of each version, where all of it is copied from values that an iteration has just computed.
fn sources(program: &Program, versions: &[ValueId]) -> Option<Vec<ValueId>> {
    let writers = program.writers();
    let writer = |value: ValueId| writers[value].and_then(|op| program.ops.get(op));
    let source = |version: &ValueId| {
        let copy = writer(*version).filter(|op| matches!(op.task, Task::Copy))?;
        let from = copy.reads.first()?.value;
        let maker = writer(from)?;
        (!maker.invariant && maker.gate == copy.gate).then_some(from)
    };
    let sources: Vec<ValueId> = versions.iter().map(source).collect::<Option<_>>()?;
    let apart: BTreeSet<ValueId> = sources.iter().copied().collect();
    let already_together = program.together.iter().flatten().any(|v| apart.contains(v));
    (apart.len() == sources.len() && !already_together).then_some(sources)
}

/// The program with attributes of particles that are not updated in place where a repeat computes them last: sorted into
/// one buffer and moved in another, they are in the same place after every repeat.
fn apart(graph: &Graph, program: &Program, sources: &[ValueId]) -> Option<Program> {
    let (mut apart, demanded) = (program.clone(), demanded(program));
    let makers = program.writers();
    for source in sources {
        let op = apart.ops.get_mut(makers[*source]?)?;
        let write = op.writes.iter_mut().find(|write| write.value == *source && write.overwrites)?;
        write.consumes = None;
    }
    let fits = |source: &ValueId| {
        let op = makers[*source].and_then(|op| apart.ops.get(op));
        op.is_some_and(|op| {
            buffers(graph, &apart, op, &|value| demanded.contains(&value)) <= program.buffer_budget.max(MAX_BUFFERS)
        })
    };
    sources.iter().all(fits).then_some(apart)
}

/// Whether the sources can share one buffer, in which each stays until the next is written.
fn in_one_place(graph: &Graph, program: &Program, versions: &[ValueId], sources: &[ValueId]) -> bool {
    let without: BTreeSet<ValueId> = versions.iter().copied().collect();
    let mut tried = program.clone();
    tried.ops.iter_mut().filter(|op| op.writes.iter().any(|w| without.contains(&w.value))).for_each(|op| {
        // As if it were removed already.
        op.reads.clear();
        op.writes.clear();
        op.gate = None;
    });
    replace(&mut tried, &versions.iter().copied().zip(sources.iter().copied()).collect());
    let chains = lifetimes::chains(graph, &tried);
    let owner = lifetimes::owners(&chains, &tried.values);
    let chain_of = |v: &ValueId| owner.get(*v).copied().flatten();
    let Some(places) = sources.iter().map(chain_of).collect::<Option<Vec<usize>>>() else { return false };
    let writers = tried.writers();
    let gate_of = |v: ValueId| writers[v].and_then(|op| tried.ops.get(op)).map(|op| op.gate);
    let after: HashMap<ValueId, ValueId> = chains
        .iter()
        .flat_map(|c| c.values.windows(2))
        .filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)))
        .collect();
    // An operation that updates it in place belongs to a later iteration.
    let lasts = |source: &ValueId| {
        let same = |next: &ValueId| gate_of(*next) == gate_of(*source);
        Some(source) == sources.last() || !after.get(source).is_some_and(same)
    };
    if !sources.iter().all(lasts) {
        return false;
    }
    let mut order: Vec<usize> = places.clone();
    order.dedup();
    if order.len() == 1 {
        return true;
    }
    let held: BTreeSet<ValueId> = tried.states.values().chain(tried.together.iter().flatten()).copied().collect();
    let free = |c: &usize| chains.get(*c).is_some_and(|c| c.values.iter().all(|v| !held.contains(v)));
    let apart = |pair: &[usize]| match pair {
        [a, b] => chains.get(*a).zip(chains.get(*b)).is_some_and(|(a, b)| a.life.last < b.life.first),
        _ => false,
    };
    order.iter().all(free) && order.windows(2).all(apart)
}

/// Replaces some values by others.
fn replace(program: &mut Program, instead: &BTreeMap<ValueId, ValueId>) {
    let put = |value: &mut ValueId| {
        if let Some(other) = instead.get(value) {
            *value = *other;
        }
    };
    for op in &mut program.ops {
        op.reads.iter_mut().chain(&mut op.forwarded).for_each(|r| put(&mut r.value));
        op.writes.iter_mut().filter_map(|w| w.consumes.as_mut()).for_each(put);
    }
    program.next.values_mut().for_each(put);
    program.wires.values_mut().for_each(put);
    program.pinned.iter_mut().for_each(put);
    program.pictures.iter_mut().for_each(|picture| put(&mut picture.value));
    program.watches.iter_mut().for_each(|w| put(&mut w.2));
}
