//! Grids of stages that run in blocks take memory for these blocks alone: block behind block in a pool, with a table that says where each
//! block lies. All others are at one place, with zeros. A State goes with its next value; the table of last frame's blocks is a State too.
//!
//! What the host reads keeps memory for all cells, and so does what built-in operations copy or move, what early exits carry, cells that share
//! a word, and arrays. Operations that load rows or halos of a grid as they lie in memory can't read from a pool. Plans for the debugger
//! have no pools.
//!
//! Kernels that read a grid in a pool bind the table by which it was written, and ask it for each cell (`stage_kernel::pool`). Where even the
//! blocks do not fit, a pool has as many places as the memory budget allows, and a watched number warns when more are asked for.
//!
//! A State in blocks can't continue from a checkpoint with all cells. So pools are used where memory for all cells would exceed the budget,
//! and otherwise only where `PlanOptions::pools` asks for them: on GPUs by exports and renders without checkpoints.

use std::collections::{BTreeMap, BTreeSet};

use super::allocate;
use crate::arena::Arena;
use crate::graph::{Graph, Node};
use crate::ir::in_place::colors_alternate;
use crate::ir::query::stage_of;
use crate::ir::window::{Side, Window, window};
use crate::ir::{OWN, Op, OpId, Part, Program, Read, StageInstance, StateKey, Task, ValueId, Write, bindings, blocks};
use crate::stage::types::WireType;

/// Words of a pool, at most.
const MAX_WORDS: u64 = (1 << 31) - 1;

/// Gives the grids of a frame places in pools, and their States empty tables at the start. `budget`: what the plan may take \[bytes\];
/// `wherever`: also where memory for all cells is no more than that.
pub(super) fn assign(graph: &Graph, (budget, wherever): (u64, bool), frame: &mut Program, reset: &mut Program) {
    if frame.versions || !wherever && allocate::total(graph, frame, reset) <= budget {
        return;
    }
    let mut pools = Pools::new(graph, frame, reset);
    while pools.narrow(graph, frame) {}
    frame.notes.extend(std::mem::take(&mut pools.notes));
    let Some(all) = pools.all(graph, frame) else { return };
    pools.apply(frame, reset);
    pools.place(graph, frame, &all);
    // Where memory for all blocks is more than there is, there is memory for fewer.
    let whole = allocate::total(graph, frame, reset);
    if whole > budget {
        pools.place(graph, frame, &all.keys().map(|table| (*table, 1)).collect());
        let least = allocate::total(graph, frame, reset);
        let share = budget.saturating_sub(least) as f64 / (whole - least).max(1) as f64;
        let fewer = |(table, places): (&ValueId, &u32)| (*table, 1 + (f64::from(places - 1) * share) as u32);
        pools.place(graph, frame, &all.iter().map(fewer).collect());
    }
}

/// Values that can be in pools, each with the table of its blocks.
struct Pools {
    values: BTreeMap<ValueId, ValueId>,
    /// States among them: the next value of each.
    states: BTreeMap<StateKey, ValueId>,
    /// Last frame's table of each table.
    before: BTreeMap<ValueId, ValueId>,
    /// Why others keep memory for all cells.
    notes: BTreeSet<String>,
}

impl Pools {
    fn new(graph: &Graph, frame: &mut Program, reset: &Program) -> Pools {
        let mut pools =
            Pools { values: BTreeMap::new(), states: BTreeMap::new(), before: BTreeMap::new(), notes: BTreeSet::new() };
        let writers = frame.writers();
        let invariant = |table: ValueId| writers[table].is_none_or(|op| frame.ops[op].invariant);
        for op in &frame.ops {
            let Some(table) = blocks::table(op).filter(|table| blocks::tile(op).is_none() && !invariant(*table)) else {
                continue;
            };
            for write in op.writes.iter().filter(|write| !write.transient && write.part == Part::Whole) {
                match unfit(graph, frame, op, write) {
                    None => _ = pools.values.insert(write.value, table),
                    Some(why) => pools.note(frame, write.value, why),
                }
            }
        }
        let mut becomes = BTreeMap::<ValueId, Vec<&StateKey>>::new();
        frame.next.iter().for_each(|(key, value)| becomes.entry(*value).or_default().push(key));
        for (value, keys) in becomes {
            let Some(table) = pools.values.get(&value).copied() else { continue };
            match (keys.as_slice(), keys.first().and_then(|key| frame.states.get(*key))) {
                ([key], Some(held)) if starts_empty(frame, reset, key) && !is_kept(frame, *held) => {
                    pools.values.insert(*held, table);
                    pools.states.insert((*key).clone(), value);
                }
                _ => {
                    pools.note(frame, value, "its State has memory for all cells");
                    pools.values.remove(&value);
                }
            }
        }
        // Numbered before the tables are needed.
        let tables: BTreeSet<ValueId> = pools.states.values().map(|value| pools.values[value]).collect();
        for table in tables {
            let mut held = frame.values[table].clone();
            held.label = format!("{} (last frame)", held.label);
            let held = frame.values.push(held);
            pools.before.insert(table, held);
        }
        pools
    }

    fn note(&mut self, frame: &Program, value: ValueId, why: &str) {
        let label = frame.values.get(value).map_or("", |value| value.label.as_str());
        self.notes.insert(format!("{label} has memory for all cells: {why}"));
    }

    /// The table by which a value is found.
    fn table(&self, frame: &Program, value: ValueId) -> Option<ValueId> {
        let table = self.values.get(&value)?;
        match frame.states.values().any(|held| *held == value) {
            true => self.before.get(table).copied(),
            false => Some(*table),
        }
    }

    /// Takes out what an operation can't reach in a pool, and the States that go with it. Whether there was anything.
    fn narrow(&mut self, graph: &Graph, frame: &Program) -> bool {
        let mut out = BTreeMap::<ValueId, String>::new();
        for op in &frame.ops {
            let used: BTreeSet<ValueId> =
                op.inputs().chain(op.writes.iter().map(|w| w.value)).filter(|v| self.values.contains_key(v)).collect();
            let path = graph.nodes.get(op.node).map_or("", |node| node.path.as_str());
            let reaches = |value: &ValueId| match op.task {
                Task::Stage => loads_cells(graph, frame, op, *value),
                Task::FindBlocks => true,
                _ => false,
            };
            let apart = used.iter().filter(|value| !reaches(value));
            out.extend(apart.map(|value| (*value, format!("`{path}` reads or writes it as it lies in memory"))));
            let further = self.slots(frame, op).len();
            if further > 0 && bindings::buffers(graph, frame, op, &|_| true) + further > limit(frame) {
                let others = used.iter().filter(|value| self.table(frame, **value) != blocks::table(op));
                out.extend(others.map(|value| (*value, format!("`{path}` has no storage buffer left for its table"))));
            }
        }
        for (key, next) in &self.states {
            let held = frame.states[key];
            if let Some(why) = out.get(next).or(out.get(&held)).cloned() {
                out.extend([(*next, why.clone()), (held, why)]);
            }
        }
        self.states.retain(|_, next| !out.contains_key(next));
        for (value, why) in &out {
            self.note(frame, *value, why);
            self.values.remove(value);
        }
        !out.is_empty()
    }

    /// The tables that an operation needs besides the one that it runs by.
    fn slots(&self, frame: &Program, op: &Op) -> BTreeSet<ValueId> {
        let values = op.inputs().chain(op.writes.iter().map(|write| write.value));
        let tables = values.filter_map(|value| self.table(frame, value));
        tables.filter(|table| blocks::tile(op).is_some() || blocks::table(op) != Some(*table)).collect()
    }

    /// The places that are enough for each table, one of them for zeros, or that one buffer has: an index into it is an `i32`. `None` without
    /// pools.
    fn all(&self, graph: &Graph, frame: &Program) -> Option<BTreeMap<ValueId, u32>> {
        let mut all = BTreeMap::new();
        for (value, table) in &self.values {
            let value = &frame.values[*value];
            let domain = value.domain.and_then(|domain| graph.domains.get(domain))?;
            let block = u64::from(blocks::cells(domain.dim)) * u64::from(value.layout().numbers());
            let places = (1 + blocks::count(domain)).min(MAX_WORDS / block) as u32;
            let least = all.entry(*table).or_insert(places);
            *least = places.min(*least);
        }
        (!all.is_empty()).then_some(all)
    }

    /// Gives the pools so many places.
    fn place(&self, graph: &Graph, frame: &mut Program, places: &BTreeMap<ValueId, u32>) {
        for (value, table) in &self.values {
            let value = &mut frame.values[*value];
            let cells = u64::from(places[table]) * u64::from(blocks::cells(value.dim));
            value.bytes = (value.words(cells) * 4).next_multiple_of(16);
        }
        frame.crowded.clear();
        for op in &mut frame.ops {
            let Some(table) = op.writes.first().map(|write| write.value).filter(|table| places.contains_key(table))
            else {
                continue;
            };
            op.task = Task::PlaceBlocks(places[&table]);
            let domain = frame.values[table].domain.and_then(|domain| graph.domains.get(domain));
            if domain.is_some_and(|domain| u64::from(places[&table]) <= blocks::count(domain)) {
                frame.crowded.push((op.node, table, places[&table] - 1));
            }
        }
        frame.pinned.extend(frame.crowded.iter().map(|(_, table, _)| *table));
    }

    fn apply(&self, frame: &mut Program, reset: &mut Program) {
        for op in frame.ops.ids().collect::<Vec<OpId>>() {
            let slots = self.slots(frame, &frame.ops[op]);
            let reads = slots.into_iter().zip(0..).map(|(value, number)| Read {
                stage: OWN,
                port: usize::MAX,
                part: Part::Slots(number),
                value,
            });
            let reads: Vec<Read> = reads.collect();
            let op = &mut frame.ops[op];
            op.reads.extend(reads);
            for write in &mut op.writes {
                write.pooled = self.values.contains_key(&write.value);
            }
        }
        let tables: BTreeMap<ValueId, ValueId> =
            self.values.keys().filter_map(|value| Some((*value, self.table(frame, *value)?))).collect();
        for (value, table) in tables {
            frame.values[value].pooled = Some(table);
        }
        for (table, held) in &self.before {
            let of = |(_, next): &(&StateKey, &ValueId)| self.values.get(*next) == Some(table);
            let Some(((node, _), _)) = self.states.iter().find(of) else { continue };
            let key = (*node, Part::Slots(0));
            frame.states.insert(key.clone(), *held);
            frame.next.insert(key.clone(), *table);
            frame.pinned.push(*table);
            // At the start no block has a place.
            let empty = reset.values.push(frame.values[*table].clone());
            let write = Write::whole(empty);
            reset.ops.push(Op::new(
                Task::Fill(None),
                *node,
                Vec::new(),
                Arena::from(vec![StageInstance::own(*node)]),
                vec![write],
            ));
            reset.next.insert(key, empty);
            reset.pinned.push(empty);
        }
        for key in self.states.keys() {
            let Some(start) = reset.next.remove(key) else { continue };
            reset.pinned.retain(|value| *value != start);
            reset.ops.retain(|_, op| op.writes.iter().all(|write| write.value != start));
        }
    }
}

/// Why what a write stores can't be in a pool, as far as the write itself tells.
fn unfit(graph: &Graph, frame: &Program, op: &Op, write: &Write) -> Option<&'static str> {
    let port = stage_of(graph, op, write.stage).and_then(|stage| stage.outputs().nth(write.port));
    let (Some(port), Some(value)) = (port, frame.values.get(write.value)) else { return Some("it has no port") };
    let table = blocks::table(op).and_then(|table| frame.values.get(table));
    let faces = graph.nodes.get(op.node).is_some_and(Node::fills_faces);
    let mut versions = frame.carries.iter().chain(&frame.together).flatten();
    match value.ty {
        _ if op.gate.is_some() || versions.any(|version| *version == write.value) => Some("its group may stop early"),
        _ if port.scatter.is_some() || port.reduce.is_some() => Some("it is summed"),
        WireType::Grid(_) if faces => Some("its stage returns faces too"),
        WireType::Grid(_) | WireType::FaceGrid => {
            if table.is_none_or(|table| table.domain != value.domain) {
                Some("its cells are not those of the blocks")
            } else if value.layout().pairs() || value.ty.value().is_array() || value.fixed.is_some() {
                Some("its numbers do not lie cell by cell")
            } else if is_kept(frame, write.value) {
                Some("it is kept")
            } else if op.color.is_some() && !colors_alternate(graph, op.node, port) {
                // A sweep of one colour leaves the other as it was outside its blocks, which a pool does not: no cell of the first may see that.
                Some("around a periodic side cells of one colour meet")
            } else {
                None
            }
        }
        _ => Some("it is no grid"),
    }
}

/// Whether the host reads a value.
fn is_kept(frame: &Program, value: ValueId) -> bool {
    frame.kept.iter().any(|name| frame.wires.get(name) == Some(&value))
}

/// Whether a State begins with zeros.
fn starts_empty(frame: &Program, reset: &Program, (node, part): &StateKey) -> bool {
    let key = (*node, part.clone());
    let (Some(start), false) = (reset.next.get(&key), reset.states.contains_key(&key)) else { return false };
    let fills = |op: &&Op| op.writes.iter().any(|write| write.value == *start);
    let zero = |op: &Op| match &op.task {
        Task::Fill(None) => true,
        Task::Fill(Some(setting)) => setting.is_zero(),
        _ => false,
    };
    let uses = reset.ops.iter().flat_map(Op::inputs).chain(reset.next.values().copied()).filter(|v| v == start).count();
    *part == Part::Whole
        && uses == 1
        && frame.states.contains_key(&key)
        && reset.ops.iter().find(fills).is_some_and(zero)
}

/// Whether an operation asks for the cells of a grid one by one, by what finds them in a pool.
fn loads_cells(graph: &Graph, frame: &Program, op: &Op, value: ValueId) -> bool {
    let Some(shape) = op.shape else { return true };
    if shape.halo > 0 || op.sweeps > 1 {
        return false;
    }
    let read = op.reads.iter().filter(|read| read.value == value);
    let written = op.writes.iter().any(|write| write.value == value || write.consumes == Some(value));
    let narrow = |read: &Read| {
        read.stage != OWN
            || window(graph, frame, op, read.port, Side::Input).is_none_or(|found| found == Window::Narrow)
    };
    !written && read.into_iter().all(narrow)
}

/// Limit of the buffers of an operation.
fn limit(program: &Program) -> usize {
    program.buffer_budget.next_multiple_of(bindings::MAX_BUFFERS)
}
