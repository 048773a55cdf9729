//! Where each version of a wire is in the course of a frame.

use std::collections::BTreeMap;

use super::allocation::{self, Allocation};
use crate::data::{Accesses, BufferId, Reorder, Reorders, Version, Versions, Wire, WireUpdate};
use crate::graph::Graph;
use crate::ir::{Op, Program, Task, ValueId};
use crate::stage::types::Scalar;

/// The versions of a frame that keeps them for a debugger; nothing otherwise.
pub(crate) fn versions(graph: &Graph, frame: &Program, memory: &Allocation) -> Versions {
    if !frame.versions {
        return Versions::default();
    }
    let lookup = Lookup { frame, memory, first: frame.invariant_count() };
    let dispatches = frame.ops.iter().skip(lookup.first).map(|op| lookup.accesses(op)).collect();
    let mut by_label = BTreeMap::<&str, Vec<ValueId>>::new();
    let written = frame.ops.iter().flat_map(|op| op.writes.iter().map(|write| write.value));
    for value in frame.states.values().copied().chain(written) {
        by_label.entry(frame.values[value].label.as_str()).or_default().push(value);
    }
    let overwritten = lookup.overwritten();
    let end = frame.ops.len() - lookup.first;
    let mut wires = BTreeMap::new();
    for (name, value) in &frame.wires {
        let values = by_label.get(frame.values[*value].label.as_str()).map_or(&[][..], Vec::as_slice);
        let mut list: Vec<Version> = values.iter().filter_map(|value| lookup.version(*value, &overwritten)).collect();
        // When the frame ends, a State holds its next value.
        let state = frame.states.iter().find(|((node, _), held)| {
            let suffix = graph.nodes.get(*node).and_then(|node| name.strip_prefix(&node.path));
            *held == value && suffix.is_some_and(|rest| rest.starts_with('.'))
        });
        let next = state.and_then(|(key, _)| frame.next.get(key)).filter(|next| !values.contains(next));
        let next = next.and_then(|next| lookup.version(*next, &overwritten));
        list.extend(next.map(|next| Version { from: end, ..next }));
        wires.insert(name.clone(), list);
    }
    Versions { wires, dispatches }
}

struct Lookup<'a> {
    frame: &'a Program,
    memory: &'a Allocation,
    /// The frame's first operation.
    first: usize,
}

impl Lookup<'_> {
    fn wire(&self, value: ValueId) -> Option<Wire> {
        let buffer = self.memory.frame.get(value).copied().flatten()?;
        // Read while the frame runs, so it is what a State's buffer holds now.
        Some(Wire { kept: true, state: true, ..Wire::new(self.frame.values.get(value)?, buffer) })
    }

    /// A value that has the numbers of a wire; `None` for intermediate results, such as sums in fixed point.
    fn named(&self, value: ValueId) -> Option<(String, Wire)> {
        let version = self.frame.values.get(value)?;
        // Integers are added as they are.
        let whole = version.ty.value().scalar() != Scalar::F32;
        let name = if whole { allocation::wire(&version.label) } else { &version.label };
        Some((name.to_string(), self.wire(value)?)).filter(|_| !name.ends_with(')'))
    }

    fn accesses(&self, op: &Op) -> Accesses {
        let mut reads: Vec<(String, Wire)> = Vec::new();
        for read in op.reads.iter().filter_map(|read| self.named(read.value)) {
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
        let write = |write: &crate::ir::Write| {
            let (wire, after) = self.named(write.value)?;
            let before = write.consumes.and_then(|before| self.named(before)).map(|(_, before)| before);
            Some(WireUpdate { wire, after, before })
        };
        let writes = op.writes.iter().filter(|write| !write.transient).filter_map(write).collect();
        Accesses { iteration: op.iteration, substep: op.substep, reads, writes, reorders: self.reorders(op) }
    }

    fn reorders(&self, op: &Op) -> Option<Reorders> {
        let kind = match op.task {
            Task::Gather => Reorder::Gather,
            Task::Scatter => Reorder::Scatter,
            Task::Compact => Reorder::Compact,
            _ => return None,
        };
        let buffer = |port: usize| {
            let read = op.reads.iter().find(|read| read.port == port)?;
            self.memory.frame.get(read.value).copied().flatten()
        };
        Some(Reorders { kind, index: buffer(1)?, count: buffer(2) })
    }

    /// The dispatches that write each buffer, and the version that each of them writes.
    fn overwritten(&self) -> BTreeMap<BufferId, Vec<(usize, ValueId)>> {
        let mut writers = BTreeMap::<BufferId, Vec<(usize, ValueId)>>::new();
        for (index, op) in self.frame.ops.entries() {
            for value in op.writes.iter().map(|write| write.value) {
                if let Some(buffer) = self.memory.frame.get(value).copied().flatten() {
                    writers.entry(buffer).or_default().push((index.index().saturating_sub(self.first), value));
                }
            }
        }
        writers
    }

    fn version(&self, value: ValueId, overwritten: &BTreeMap<BufferId, Vec<(usize, ValueId)>>) -> Option<Version> {
        let wire = self.wire(value)?;
        let writers = overwritten.get(&wire.buffer).map_or(&[][..], Vec::as_slice);
        let place = writers.iter().position(|(_, written)| *written == value);
        let written = place.and_then(|place| writers.get(place)).map(|(dispatch, _)| *dispatch);
        let until = writers.get(place.map_or(0, |place| place + 1)).map(|(dispatch, _)| *dispatch);
        Some(Version { from: written.map_or(0, |dispatch| dispatch + 1), until, written, wire })
    }
}
