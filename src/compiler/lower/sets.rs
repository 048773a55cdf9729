//! Particle sets: their values, and operations that change which particles they contain.
//!
//! Each attribute is a value of its own, so a stage makes new versions of what it writes and of nothing else. `emit` appends in the stage's own
//! kernel. `filter` sums flags and moves what stays, in its order; `gather` and `scatter` move by an index from the stage. Moving gives a set
//! a new *order*, and a neighbour grid remembers the order that it was filled from: a stage that takes particles and neighbours of different
//! orders is refused. A sort moves no attribute that is about to be overwritten (`dead`). Counts live on the GPU and size indirect dispatches.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::EnvId;
use super::Expander;
use super::Feed;
use super::Neighbors;
use super::Problems;
use super::Room;
use super::Set;
use super::TOP;
use super::broken;
use super::go_on;
use super::read;
use super::write;
use crate::arena::Arena;
use crate::graph::{COUNT_WORDS, Graph, Kind, NodeId, ParticleSet};
use crate::ir::layout::Layout;
use crate::ir::stored::Stored;
use crate::ir::{Op, Part, Read, Task, ValueId, WireValue, Write};
use crate::problem::Problem;
use crate::stage::Stage;
use crate::stage::header::{Change, Port};
use crate::stage::types::{PortType, Precision, Scalar, ValueType, WireType};

/// Elements that one workgroup sums.
pub(super) const SCAN_BLOCK: u64 = 1024;

/// A set and where it goes: output port, input port, and what does not change.
pub(super) struct Changed<'s> {
    pub port: usize,
    pub declared: &'s Port,
    pub before: Set,
}

/// The port by which a stage changes a set.
fn set_port(graph: &Graph, node: NodeId) -> Option<&Port> {
    let Kind::Stage(stage) = &graph.nodes.get(node)?.kind else { return None };
    stage.outputs().find(|p| p.ty == PortType::Particles)
}

impl Expander<'_> {
    pub(super) fn room(set: &ParticleSet) -> Room {
        Room { capacity: set.capacity, domain: set.domain }
    }

    /// A new version of an attribute.
    pub(super) fn attribute(&mut self, room: Room, ty: ValueType, label: String) -> ValueId {
        let dim = self.graph.domains.get(room.domain).map_or(2, |d| d.dim);
        let ty = WireType::Attribute(ty);
        let words = Layout::new(ty, dim, Precision::F32).words(u64::from(room.capacity));
        let stored = Stored { dim, capacity: room.capacity, space: Some(room.domain), ..Stored::number(ty) };
        self.add(WireValue { stored, ..WireValue::new(ty, label, (words * 4).next_multiple_of(16)) })
    }

    pub(super) fn count(&mut self, label: String) -> ValueId {
        self.add(WireValue::new(WireType::Number(ValueType::U32), label, 4 * COUNT_WORDS))
    }

    /// One `u32` for each particle of the capacity, and one more.
    fn indices(&mut self, room: Room, label: String) -> ValueId {
        let bytes = ((u64::from(room.capacity) + 1) * 4).next_multiple_of(16);
        let ty = WireType::Attribute(ValueType::U32);
        let stored = Stored { capacity: room.capacity, ..Stored::number(ty) };
        self.add(WireValue { stored, ..WireValue::new(ty, label, bytes) })
    }

    pub(super) fn new_order(&mut self) -> usize {
        self.orders += 1;
        self.orders
    }

    /// The value of a State of particles at the end of the last frame.
    pub(super) fn state_set(&mut self, node: NodeId, set: &ParticleSet) -> Set {
        if let Some(cached) = self.sets.get(&node) {
            return cached.clone();
        }
        let path = self.graph.nodes[node].path.clone();
        let room = Self::room(set);
        let count = match self.program.states.get(&(node, Part::Count)) {
            Some(value) => *value,
            None => self.count(format!("{path}.count")),
        };
        self.hold((node, Part::Count), count);
        let mut attributes = BTreeMap::new();
        for (name, ty) in &set.attributes {
            let name: Arc<str> = name.as_str().into();
            let key = (node, Part::Attribute(name.clone()));
            let value = match self.program.states.get(&key) {
                Some(value) => *value,
                None => self.attribute(room, *ty, format!("{path}.{name}")),
            };
            self.hold(key, value);
            attributes.insert(name, value);
        }
        // The same for each call, and different from every other set's.
        let set = Set { count, attributes: Rc::new(attributes), room, order: usize::MAX - node.index() };
        self.sets.insert(node, set.clone());
        self.name(&path, &Feed::Set(set.clone()));
        self.name(&format!("{path}.value"), &Feed::Set(set.clone()));
        set
    }

    /// The particles of a file. They stay what they are.
    pub(super) fn file_set(&mut self, node: NodeId, set: &ParticleSet) -> Set {
        let held = self.state_set(node, set);
        let attributes = held.attributes.iter().map(|(name, value)| (Part::Attribute(name.clone()), *value));
        for (part, value) in attributes.chain([(Part::Count, held.count)]) {
            self.program.next.insert((node, part.clone()), value);
            self.waiting.remove(&(node, part));
        }
        let name = format!("{}.particles", self.graph.nodes[node].path);
        self.name(&name, &Feed::Set(held.clone()));
        held
    }

    /// Copies unchanged parts of a kept set from its State when other parts are new: at the end of the frame the State
    /// is one frame ahead, and its particles may be in another order.
    pub(super) fn hold_parts(&mut self, kept: impl Fn(&str) -> bool) -> Result<(), Problems> {
        let states: BTreeMap<ValueId, NodeId> = self.program.states.iter().map(|((node, _), v)| (*v, *node)).collect();
        let sets = self.program.wires.keys().filter_map(|name| name.strip_suffix(".count")).filter(|name| kept(name));
        for set in sets.map(|set| format!("{set}.")).collect::<Vec<_>>() {
            let parts = self.program.wires.range(set.clone()..).take_while(|(name, _)| name.starts_with(&set));
            let parts: Vec<(String, ValueId)> = parts.map(|(name, value)| (name.clone(), *value)).collect();
            let is_set = parts.iter().any(|(_, v)| matches!(self.program.values[*v].ty, WireType::Attribute(_)));
            if !is_set || parts.iter().all(|(_, value)| states.contains_key(value)) {
                continue;
            }
            for (name, value) in parts {
                if let Some(node) = states.get(&value) {
                    let held = self.add(WireValue { label: name.clone(), ..self.program.values[value].clone() });
                    self.push(*node, TOP, Task::Copy, vec![read(value)], vec![write(held)])?;
                    self.program.wires.insert(name, held);
                }
            }
        }
        Ok(())
    }

    /// The set that an emitter starts.
    pub(super) fn empty_set(&mut self, node: NodeId, env: EnvId) -> Result<Set, Problems> {
        let entry = &self.graph.nodes[node];
        let (path, set) = (entry.path.clone(), entry.set.clone().ok_or_else(|| super::broken(self.graph, node))?);
        let room = Self::room(&set);
        let count = self.count(format!("{path} (empty)"));
        self.push(node, env, Task::Fill(None), vec![], vec![write(count)])?;
        // What the emitter writes itself is added by it.
        let graph = self.graph;
        let Some(port) = set_port(graph, node) else { return Err(super::broken(graph, node).into()) };
        let mut attributes = BTreeMap::new();
        for (name, ty) in set.attributes.iter().filter(|(n, _)| port.written.iter().all(|(w, _)| w != *n)) {
            let value = self.attribute(room, *ty, format!("{path}.{name}"));
            self.push(node, env, Task::Fill(None), vec![], vec![write(value)])?;
            attributes.insert(name.as_str().into(), value);
        }
        let order = self.new_order();
        Ok(Set { count, attributes: Rc::new(attributes), room, order })
    }

    pub(super) fn become_set(&mut self, state: NodeId, set: &ParticleSet, feed: Option<Feed>) -> Result<(), Problems> {
        let path = self.graph.nodes[state].path.clone();
        let next_set = match feed {
            Some(Feed::Set(next_set)) => Some(next_set),
            _ => None,
        };
        let count = self.count(format!("{path}.count"));
        self.become_part((state, Part::Count), next_set.as_ref().map(|g| g.count).ok_or(None), count)?;
        for (name, ty) in &set.attributes {
            let empty = self.attribute(Self::room(set), *ty, format!("{path}.{name}"));
            let value = next_set.as_ref().and_then(|g| g.attributes.get(name.as_str())).copied();
            self.become_part((state, Part::Attribute(name.as_str().into())), value.ok_or(None), empty)?;
        }
        Ok(())
    }

    /// What a particle stage writes into its set, and the resulting set where that is known before the dispatch.
    pub(super) fn change(
        &mut self,
        node: NodeId,
        env: EnvId,
        changed: &Changed<'_>,
        writes: &mut Vec<Write>,
    ) -> Result<Set, Problems> {
        let path = self.graph.nodes[node].path.clone();
        let (declared, mut set) = (changed.declared, changed.before.clone());
        let room = set.room;
        let attributes = Rc::make_mut(&mut set.attributes);
        let label = |part: &str| format!("{path}.{}.{part}", declared.name);
        let write = |part, value, consumes| Write { port: changed.port, part, ..super::write(value) }.from(consumes);
        match &declared.change {
            Change::Own => {
                for (name, ty) in &declared.written {
                    let value = self.attribute(room, *ty, label(name));
                    let name = shared(attributes, name);
                    let before = attributes.insert(name.clone(), value);
                    writes.push(Write { overwrites: true, ..write(Part::Attribute(name), value, before) });
                }
            }
            Change::Emit(_) => {
                // All attributes: those that the stage does not write are zero for a new particle.
                for (name, ty) in &declared.written {
                    if !attributes.contains_key(name.as_str()) {
                        let value = self.attribute(room, *ty, label(name));
                        self.push(node, env, Task::Fill(None), vec![], vec![super::write(value)])?;
                        attributes.insert(name.as_str().into(), value);
                    }
                }
                for (name, before) in attributes.clone() {
                    let ty = self.program.values[before].ty.value();
                    let value = self.attribute(room, ty, label(&name));
                    attributes.insert(name.clone(), value);
                    writes.push(write(Part::Attribute(name), value, Some(before)));
                }
                set.count = self.count(label("count"));
                writes.push(write(Part::Count, set.count, None));
            }
            Change::Put => {
                for (name, ty) in &declared.written {
                    let zero = self.attribute(room, *ty, label(name));
                    self.push(node, env, Task::Fill(None), vec![], vec![super::write(zero)])?;
                    let value = self.attribute(room, *ty, label(name));
                    let name = shared(attributes, name);
                    attributes.insert(name.clone(), value);
                    writes.push(write(Part::Attribute(name), value, Some(zero)));
                }
            }
            Change::Sum(_) => {
                for (name, ty) in &declared.written {
                    let label = format!("{} (sum)", label(name));
                    let zero = self.attribute(room, *ty, label.clone());
                    self.push(node, env, Task::Fill(None), vec![], vec![super::write(zero)])?;
                    let value = self.attribute(room, *ty, label);
                    let name = shared(attributes, name);
                    attributes.insert(name.clone(), value);
                    writes.push(write(Part::Attribute(name), value, Some(zero)));
                }
            }
            Change::Filter | Change::Gather | Change::Scatter => {
                let value = self.indices(room, label("index"));
                writes.push(write(Part::Whole, value, None));
            }
        }
        Ok(set)
    }

    /// What a stage has added to particles in fixed point, as numbers.
    pub(super) fn summed(
        &mut self,
        node: NodeId,
        env: EnvId,
        (port, declared, bits): (usize, &Port, u32),
        mut set: Set,
    ) -> Result<Set, Problems> {
        let path = self.graph.nodes[node].path.clone();
        let attributes = Rc::make_mut(&mut set.attributes);
        for (name, ty) in declared.written.iter().filter(|(_, ty)| ty.scalar() == Scalar::F32) {
            let Some(sum) = attributes.get(name.as_str()).copied() else { continue };
            let value = self.attribute(set.room, *ty, format!("{path}.{}.{name}", declared.name));
            let write = Write { port, consumes: Some(sum), ..super::write(value) };
            self.push(node, env, Task::FromFixed(bits), vec![], vec![write])?;
            attributes.insert(name.as_str().into(), value);
        }
        Ok(set)
    }

    /// Moves a set's attributes after a stage has determined which particles stay, or where each goes.
    pub(super) fn move_set(
        &mut self,
        node: NodeId,
        env: EnvId,
        declared: &Port,
        before: &Set,
        index: ValueId,
    ) -> Result<Set, Problems> {
        let path = self.graph.nodes[node].path.clone();
        let filters = declared.change == Change::Filter;
        let label = |part: &str| format!("{path}.{}.{part}", declared.name);
        let mut set = Set { order: self.new_order(), ..before.clone() };
        let index =
            if filters { self.scan(node, env, index, u64::from(set.room.capacity), label("places"))? } else { index };
        let task = match declared.change {
            Change::Filter => Task::Compact,
            Change::Scatter => Task::Scatter,
            _ => Task::Gather,
        };
        for (name, value) in Rc::make_mut(&mut set.attributes) {
            let ty = self.program.values[*value].ty.value();
            let moved = self.attribute(set.room, ty, label(name));
            let mut reads = vec![read(*value), Read { port: 1, ..read(index) }];
            reads.extend((!filters).then(|| Read { port: 2, ..read(before.count) }));
            self.push(node, env, task.clone(), reads, vec![write(moved)])?;
            *value = moved;
        }
        if filters {
            let count = self.count(label("count"));
            let reads = vec![read(before.count), Read { port: 1, ..read(index) }];
            self.push(node, env, Task::CompactCount, reads, vec![write(count)])?;
            set.count = count;
        }
        Ok(set)
    }

    /// The exclusive prefix sum of the first `n` words of a value. It has room for one more word, which becomes the
    /// total.
    pub(super) fn scan(
        &mut self,
        node: NodeId,
        env: EnvId,
        value: ValueId,
        n: u64,
        label: String,
    ) -> Result<ValueId, Problems> {
        let like = self.program.values[value].clone();
        let blocks = n.div_ceil(SCAN_BLOCK).max(1);
        let bytes = ((blocks + 1) * 4).next_multiple_of(16);
        let ty = WireType::Attribute(ValueType::U32);
        let stored = Stored { capacity: blocks as u32, ..Stored::number(ty) };
        let sums = WireValue { stored, ..WireValue::new(ty, format!("{label} (block sums)"), bytes) };
        let (sums, total) = (self.add(sums.clone()), self.add(sums));
        let part = self.add(WireValue { label: format!("{label} (in blocks)"), ..like.clone() });
        let result = self.add(WireValue { label, ..like });
        self.push(node, env, Task::ScanBlocks, vec![], vec![go_on(part, value), Write { port: 1, ..write(sums) }])?;
        self.push(node, env, Task::ScanSums, vec![], vec![go_on(total, sums)])?;
        self.push(node, env, Task::ScanAdd, vec![read(total)], vec![go_on(result, part)])?;
        self.totals.insert(result);
        Ok(result)
    }

    /// Labels of the connected parts, from the faces that join each cell to others.
    pub(super) fn connect(
        &mut self,
        node: NodeId,
        env: EnvId,
        faces: ValueId,
        label: String,
    ) -> Result<ValueId, Problems> {
        let like = self.program.values[faces].clone();
        let tiles = self.add(WireValue { label: format!("{label} (in tiles)"), ..like.clone() });
        // Atomics join them in place. So both are versions of one value, as those of a scatter are: one is kept until the next is written.
        let joined = self.add(WireValue { label: format!("{label} (in tiles)"), ..like.clone() });
        let result = self.add(WireValue { label, ..like });
        self.push(node, env, Task::ConnectTiles, vec![read(faces)], vec![write(tiles)])?;
        self.push(node, env, Task::ConnectBorders, vec![read(faces)], vec![go_on(joined, tiles)])?;
        self.push(node, env, Task::ConnectEnd, vec![read(joined)], vec![write(result)])?;
        Ok(result)
    }

    /// The neighbour grid that a stage makes from each cell's first entry and its set.
    ///
    /// # Errors
    /// When the first entries are no prefix sum, as the last cell then has no end.
    pub(super) fn neighbors(
        &self,
        (node, stage): (NodeId, &Stage),
        declared: &Port,
        feeds: &[Feed],
        set: &Set,
    ) -> Result<Neighbors, Problems> {
        let like = stage.inputs().zip(feeds).find(|(port, _)| Some(&port.name) == declared.like.as_ref());
        let Some((port, Feed::Value(start))) = like else {
            return Err(broken(self.graph, node).into());
        };
        if self.totals.contains(start) {
            return Ok(Neighbors { start: *start, items: None, order: set.order });
        }
        let cause = "the entries of the last cell have no end: the wire is not the output of a `scan`";
        let remedy = "wire it to the stage that sums the counts, not to a State or to a stage that changes the sums";
        Err(Problem::new(&self.graph.nodes[node].path, &port.name, cause, remedy).into())
    }

    /// A stage must take neighbours and particles from the same fill.
    pub(super) fn check_order(&self, node: NodeId, stage: &Stage, feeds: &[Feed]) -> Result<(), Problems> {
        let orders: Vec<usize> =
            feeds.iter().filter_map(|f| if let Feed::Set(s) = f { Some(s.order) } else { None }).collect();
        for (port, feed) in stage.inputs().zip(feeds) {
            if let Feed::Neighbors(neighbors) = feed
                && !orders.is_empty()
                && !orders.contains(&neighbors.order)
            {
                let cause = "the neighbour grid was filled from other particles, or from these in another order";
                let remedy = "connect particles and neighbours from the same neighbors/fill";
                return Err(Problem::new(&self.graph.nodes[node].path, &port.name, cause, remedy).into());
            }
        }
        Ok(())
    }
}

/// Attributes that one dispatch moves: with index and count it stays within the eight buffers that WebGPU guarantees.
const MOVED_AT_ONCE: usize = 3;

/// Joins consecutive moves of attributes of the same set.
pub(super) fn join_moves(ops: Vec<Op>) -> Arena<Op> {
    let mut out: Vec<Op> = Vec::with_capacity(ops.len());
    for op in ops {
        let moves = matches!(op.task, Task::Gather | Task::Scatter | Task::Compact);
        let common = |op: &Op| op.reads.iter().filter(|r| r.port > 0).map(|r| (r.port, r.value)).collect::<Vec<_>>();
        let before = out.last_mut().filter(|last| {
            let same = std::mem::discriminant(&last.task) == std::mem::discriminant(&op.task);
            moves && same && common(last) == common(&op) && last.writes.len() < MOVED_AT_ONCE
        });
        match before {
            Some(last) => {
                let at = last.writes.len();
                last.reads.splice(at..at, op.reads.into_iter().filter(|r| r.port == 0));
                last.writes.extend(op.writes);
            }
            None => out.push(op),
        }
    }
    Arena::from(out)
}

/// An attribute's name: the one that a set already holds, or a new one.
fn shared(attributes: &BTreeMap<Arc<str>, ValueId>, name: &str) -> Arc<str> {
    attributes.get_key_value(name).map_or_else(|| name.into(), |(held, _)| held.clone())
}
