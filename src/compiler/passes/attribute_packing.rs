//! Packs attributes that stages read from other particles. When 32 lanes load from different places, four words cost
//! the same as one, so attributes that are read together are stored together in vectors of four, and by themselves only if something
//! else reads them. The stage that writes the last of them writes the pack in the same dispatch; for large sets this may be a separate
//! dispatch.
//!
//! The first pack has the vector that distances are computed from for every candidate, so only what fits into its fourth word joins it: SPH
//! reads `position+density` and `velocity+pressure` in 3D, and `position` by itself in 2D. A plan's text names a pack like this.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::Arena;
use crate::graph::Graph;
use crate::ir::demand::demanded;
use crate::ir::stored::Stored;
use crate::ir::{
    InstanceId, OWN, Op, OpId, Part, Program, Read, StageInstance, Task, ValueId, WireValue, Write, bindings, query,
};
use crate::stage::header::Change;
use crate::stage::types::{PortType, Precision, Scalar, ValueType, WireType};
use crate::stage::{IterationSource, Stage};

/// Maximum number of words of a pack: one load.
const WORDS: u32 = 4;

/// Number of particles from which a separate dispatch pays off.
const LARGE: u32 = 1 << 15;

/// Attributes that are packed together, and where they are read.
struct Wanted {
    field: InstanceId,
    port: usize,
    count: ValueId,
    /// Names and values, in the order of their words.
    attributes: Vec<(String, ValueId)>,
}

impl Wanted {
    fn name(&self) -> String {
        self.attributes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("+")
    }

    fn values(&self) -> Vec<ValueId> {
        self.attributes.iter().map(|(_, value)| *value).collect()
    }
}

/// Packs what the stages of a program read from other particles. `spare`: as of the cache of neighbours.
pub(super) fn pack(graph: &Graph, program: &mut Program, spare: usize) {
    // By the gate too: a pack that was made in a repeat which may be skipped serves that repeat alone.
    let mut packs = BTreeMap::<(Option<ValueId>, Vec<ValueId>), ValueId>::new();
    let (demanded, mut readers) = (demanded(program), BTreeMap::<ValueId, usize>::new());
    for op in &program.ops {
        op.inputs().collect::<BTreeSet<_>>().into_iter().for_each(|v| *readers.entry(v).or_default() += 1);
    }
    let mut alone = Vec::<(OpId, Op)>::new();
    for reader in program.ops.ids() {
        let all = wanted(graph, program, reader);
        let gate = program.ops.get(reader).and_then(|op| op.gate);
        // What nothing else reads is no longer stored.
        let gone = |value: &ValueId| readers.get(value) == Some(&1) && !demanded.contains(value);
        let packed: BTreeSet<ValueId> = all.iter().flat_map(Wanted::values).filter(gone).collect();
        for wanted in all {
            if !has_room(graph, program, (reader, spare), &wanted) {
                continue;
            }
            let existing_pack = packs.get(&(gate, wanted.values())).copied();
            let made = existing_pack.or_else(|| with_last(graph, program, (reader, &packed), &wanted)).or_else(|| {
                let (value, pack) = by_itself(graph, program, reader, &wanted)?;
                alone.push((reader, pack));
                Some(value)
            });
            if let Some(value) = made {
                packs.insert((gate, wanted.values()), value);
                if let Some(op) = program.ops.get_mut(reader) {
                    redirect(op, &wanted, value);
                }
            }
        }
    }
    insert(program, alone);
    leave_unread_out(program);
}

/// Puts operations before others.
fn insert(program: &mut Program, before: Vec<(OpId, Op)>) {
    let mut before = before.into_iter().peekable();
    for (id, op) in std::mem::take(&mut program.ops).into_entries() {
        while let Some((_, first)) = before.next_if(|(place, _)| *place == id) {
            program.ops.push(first);
        }
        program.ops.push(op);
    }
}

/// The packs that an operation's stages could read: for every set whose attributes they read from others in a loop.
fn wanted(graph: &Graph, program: &Program, reader: OpId) -> Vec<Wanted> {
    let Some(op) = program.ops.get(reader).filter(|op| matches!(op.task, Task::Stage) && !op.edited) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for field in op.stages.ids() {
        let Some(stage) = query::stage_of(graph, op, field) else { continue };
        let looping = ["for", "while", "loop"].iter().any(|word| stage.names(word));
        let sets = stage.inputs().enumerate().filter(|(_, p)| p.ty == PortType::Particles && stage.calls(&p.name));
        for (port, declared) in sets.filter(|_| looping) {
            let part = |part: &Part| op.reads.iter().find(|r| r.stage == field && r.port == port && r.part == *part);
            let Some(count) = part(&Part::Count).map(|read| read.value) else { continue };
            let names_read = stage.reads_of_others(declared);
            let floats = names_read.iter().filter_map(|name| {
                let read = part(&Part::Attribute((*name).into()))?;
                let value = program.values.get(read.value)?;
                let whole = value.ty.value().scalar() == Scalar::F32
                    && !value.ty.value().is_compound()
                    && value.precision == Precision::F32;
                whole.then(|| (name.to_string(), read.value, value.ty.value().components(value.dim)))
            });
            let bins = bins(floats.collect());
            found.extend(bins.into_iter().map(|attributes| Wanted { field, port, count, attributes }));
        }
    }
    found
}

/// Groups attributes into packs, vectors first. The first vector is the one that distances are computed from. It is
/// read far more often than the rest, so only an attribute that fits into its unused fourth word joins it. A single
/// attribute is not packed.
fn bins(mut attributes: Vec<(String, ValueId, u32)>) -> Vec<Vec<(String, ValueId)>> {
    attributes.sort_by_key(|(_, _, words)| *words == 1);
    let mut bins: Vec<(u32, Vec<(String, ValueId)>)> = Vec::new();
    for (name, value, words) in attributes {
        match bins.iter_mut().find(|(room, _)| *room >= words) {
            Some((room, bin)) => {
                *room -= words;
                bin.push((name, value));
            }
            None => {
                let first = bins.is_empty() && words == 2;
                bins.push((if first { 0 } else { WORDS.saturating_sub(words) }, vec![(name, value)]));
            }
        }
    }
    bins.into_iter().map(|(_, bin)| bin).filter(|bin| bin.len() > 1).collect()
}

/// Makes the last operation that writes one of the attributes write the pack too. `packed`: attributes that only packs
/// read.
fn with_last(
    graph: &Graph,
    program: &mut Program,
    (reader, packed): (OpId, &BTreeSet<ValueId>),
    wanted: &Wanted,
) -> Option<ValueId> {
    let writer = |value: ValueId| {
        let mut before = program.ops.entries().take(reader.index());
        before.rfind(|(_, op)| op.writes.iter().any(|w| w.value == value)).map(|(id, _)| id)
    };
    let last = wanted.attributes.iter().filter_map(|(_, value)| writer(*value)).max()?;
    let op = program.ops.get(last)?;
    let stage = own_particles(graph, op)?;
    let set = stage.set()?;
    let input = stage.inputs().position(|p| p.name == set.name)?;
    let output = stage.outputs().position(|p| p.name == set.name)?;
    let counts = |r: &&Read| r.stage == OWN && r.port == input && r.part == Part::Count;
    let same = op.reads.iter().find(counts).is_some_and(|read| read.value == wanted.count);
    let by = program.ops.get(reader)?;
    let alike = op.invariant == by.invariant && (op.gate.is_none() || op.gate == by.gate);
    let mut reads = Vec::new();
    for (name, value) in &wanted.attributes {
        let part = Part::Attribute(name.as_str().into());
        let written = op.writes.iter().rfind(|w| w.part == part);
        if written.is_some_and(|w| w.value == *value) {
            continue;
        }
        // One of its own attributes, unchanged: in memory, and not known to the stage under that name in another
        // version.
        let read = op.reads.iter().chain(&op.forwarded).find(|r| r.stage == OWN && r.port == input && r.part == part);
        let other = read.is_some_and(|r| r.value != *value) || written.is_some();
        if other || op.forwarded.iter().any(|r| r.value == *value) {
            return None;
        }
        reads.extend(read.is_none().then_some(Read { stage: OWN, port: input, part, value: *value }));
    }
    // The order of lowering is not that of data: what it would read may be made from what it writes.
    if reads.iter().any(|read| follows(program, read.value, last)) {
        return None;
    }
    let gone = |w: &&Write| !w.transient && w.consumes.is_none() && packed.contains(&w.value);
    let more = reads.len() + 1;
    let less = op.writes.iter().filter(gone).count();
    if !same || !alike || bindings::own_buffers(graph, program, op) + more > program.buffer_budget + less {
        return None;
    }
    let (part, value) = (Part::Packed(wanted.name().into()), add(program, wanted)?);
    let op = program.ops.get_mut(last)?;
    op.reads.extend(reads);
    op.writes.push(Write { port: output, part, ..Write::whole(value) });
    Some(value)
}

/// Whether a value is made from what an operation writes.
fn follows(program: &Program, value: ValueId, op: OpId) -> bool {
    let writers = program.writers();
    let (mut open, mut seen) = (vec![value], program.ops.table(false));
    while let Some(value) = open.pop() {
        let Some(writer) = writers[value] else { continue };
        if writer == op {
            return true;
        }
        if !std::mem::replace(&mut seen[writer], true) {
            open.extend(program.ops[writer].needs());
        }
    }
    false
}

/// A stage over particles that only changes their own attributes.
fn own_particles<'g>(graph: &'g Graph, op: &Op) -> Option<&'g Stage> {
    let stage = query::stage_of(graph, op, OWN)?;
    let changes_own = stage.outputs().all(|p| p.ty == PortType::Particles && p.change == Change::Own);
    (matches!(op.task, Task::Stage) && !op.edited && changes_own && stage.source() == IterationSource::Particles)
        .then_some(stage)
}

/// A dispatch that only makes the pack, before the one that reads it, where the set is large and the search is long.
fn by_itself(graph: &Graph, program: &mut Program, reader: OpId, wanted: &Wanted) -> Option<(ValueId, Op)> {
    let op = program.ops.get(reader)?;
    let stage = query::stage_of(graph, op, wanted.field)?;
    let searches = stage.inputs().any(|p| p.ty == PortType::NeighborGrid && stage.calls(&format!("{}_next", p.name)));
    let large = wanted.values().iter().all(|v| program.values.get(*v).is_some_and(|value| value.capacity >= LARGE));
    if !searches || !large {
        return None;
    }
    let like = op.clone();
    let value = add(program, wanted)?;
    let attributes = wanted.attributes.iter().map(|(name, value)| Read {
        stage: OWN,
        port: 0,
        part: Part::Attribute(name.as_str().into()),
        value: *value,
    });
    let count = Read { stage: OWN, port: 1, part: Part::Count, value: wanted.count };
    let pack = Op {
        task: Task::Pack,
        reads: attributes.chain([count]).collect(),
        forwarded: Vec::new(),
        stages: Arena::from(vec![StageInstance::own(like.node)]),
        writes: vec![Write { part: Part::Packed(wanted.name().into()), ..Write::whole(value) }],
        shape: None,
        ..like
    };
    Some((value, pack))
}

/// The value of a pack.
fn add(program: &mut Program, wanted: &Wanted) -> Option<ValueId> {
    let values: Option<Vec<&WireValue>> = wanted.attributes.iter().map(|(_, v)| program.values.get(*v)).collect();
    let values = values?;
    let words: u32 = values.iter().map(|value| value.ty.value().components(value.dim)).sum();
    let last = values.last()?;
    let ty = if words == 2 { ValueType::Vec2 } else { ValueType::Vec4 };
    let set = last.label.rsplit_once('.').map_or(last.label.as_str(), |(set, _)| set);
    let value = WireValue {
        stored: Stored { ty: WireType::Attribute(ty), ..last.stored },
        label: format!("{set}.{}", wanted.name()),
        bytes: (u64::from(last.capacity) * u64::from(ty.components(last.dim)) * 4).next_multiple_of(16),
        ..(*last).clone()
    };
    Some(program.values.push(value))
}

/// Whether an operation still binds no more buffers than it may once it reads a pack: other stages in it may need the
/// attributes by themselves.
fn has_room(graph: &Graph, program: &Program, (reader, spare): (OpId, usize), wanted: &Wanted) -> bool {
    let Some(op) = program.ops.get(reader) else { return false };
    let mut after = op.clone();
    redirect(&mut after, wanted, ValueId::new(usize::MAX));
    let bound = |op: &Op| bindings::own_buffers(graph, program, op);
    bound(&after) <= (program.buffer_budget + spare).max(bound(op))
}

/// Makes an operation read a pack instead of the attributes in it.
fn redirect(op: &mut Op, wanted: &Wanted, value: ValueId) {
    let (field, port) = (wanted.field, wanted.port);
    let packed = |r: &Read| {
        let name = if let Part::Attribute(name) = &r.part { name } else { return false };
        r.stage == field && r.port == port && wanted.attributes.iter().any(|(packed, _)| **packed == **name)
    };
    op.reads.retain(|r| !packed(r));
    op.reads.push(Read { stage: field, port, part: Part::Packed(wanted.name().into()), value });
}

/// Attributes that only packs are made of are not stored.
fn leave_unread_out(program: &mut Program) {
    let read: BTreeSet<ValueId> = program.ops.iter().flat_map(Op::inputs).collect();
    let demanded = demanded(program);
    let packs = |op: &Op| op.writes.iter().any(|w| matches!(w.part, Part::Packed(_))) && matches!(op.task, Task::Stage);
    for op in program.ops.iter_mut().filter(|op| packs(op)) {
        for write in op.writes.iter_mut().filter(|w| matches!(w.part, Part::Attribute(_))) {
            write.transient |= !read.contains(&write.value) && !demanded.contains(&write.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(attributes: &[(&str, u32)]) -> Vec<String> {
        let attributes = attributes.iter().map(|(name, words)| (name.to_string(), ValueId::new(0), *words)).collect();
        let names = |bin: Vec<(String, ValueId)>| bin.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join("+");
        bins(attributes).into_iter().map(names).collect()
    }

    #[test]
    fn a_load_takes_what_fits_into_four_words() {
        let sph = [("density", 1), ("position", 3), ("pressure", 1), ("velocity", 3)];
        assert_eq!(packed(&sph), ["position+density", "velocity+pressure"]);
        let flat = [("position", 2), ("velocity", 2), ("density", 1), ("pressure", 1)];
        assert_eq!(packed(&flat), ["velocity+density+pressure"], "distances need the position alone");
        assert_eq!(packed(&[("position", 3), ("velocity", 3)]), [""; 0]);
        assert_eq!(packed(&[("position", 3), ("a", 1), ("b", 1), ("c", 1)]), ["position+a", "b+c"]);
    }
}
