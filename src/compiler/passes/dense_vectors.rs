//! Vectors of three of particles take three words, as in grids, where they are read in the order in which they lie in memory: a stage reads those
//! of its own particle, a move reads or writes them in order, a pack is made of them. That is a quarter less memory and traffic. Vectors that a
//! stage reads from other particles, or by a list of particles, keep the fourth word that pads them, since one load is then enough for each.
//! Grids that particles alone read gain a fourth word for the same reason: a particle looks at cells that lie apart.
//!
//! Values that share memory, swap it, or are copied word by word have one layout. So the choice is made for each such family: versions of an
//! attribute, a State with its next and its initial value, what a move reads and writes. The programs of the frame and of the reset choose together.
//! What leaves a plan for another one, for a file or for the host is converted there (`ir::layout::regrouped`). Checkpoints and caches hold
//! padded vectors.

use std::collections::{BTreeMap, BTreeSet};

use super::allocate;
use crate::graph::Graph;
use crate::ir::stored::Stored;
use crate::ir::{OWN, Op, Part, Program, Read, StateKey, Task, ValueId, WireValue, demand, query};
use crate::stage::IterationSource;
use crate::stage::types::{PortType, ValueType, WireType};

/// Gives the vectors of three of a frame and of a reset their layout, and notes why.
pub(super) fn assign(graph: &Graph, frame: &mut Program, reset: &mut Program) {
    [&mut *frame, &mut *reset].into_iter().for_each(|program| pad_gathered_grids(graph, program));
    let mut families = Families::new(frame, reset);
    let mut padded = BTreeMap::<usize, String>::new();
    for (value, why) in gathered(graph, frame).into_iter().chain(from_outside(frame)) {
        padded.entry(families.root(value.index())).or_insert(why);
    }
    let sizes = sizes(frame, reset, &mut families, &padded);
    let mut choice = Choice { families, narrow: BTreeSet::new() };
    let narrow = sizes.values().filter(|size| !size.is_mixed).flat_map(Size::all).copied().collect();
    choice.set(frame, reset, narrow);
    // Memory is shared by what has one size, so among values of two sizes less of it may be shared.
    for size in sizes.values().filter(|size| size.is_mixed && size.all().next().is_some()) {
        let before = (choice.narrow.clone(), allocate::total(graph, frame, reset));
        for further in [size.all().collect::<Vec<_>>(), size.states.iter().collect()] {
            choice.set(frame, reset, before.0.iter().chain(further).copied().collect());
            if allocate::total(graph, frame, reset) <= before.1 {
                break;
            }
            choice.set(frame, reset, before.0.clone());
        }
    }
    for family in sizes.values().flat_map(Size::all).filter(|family| !choice.narrow.contains(family)) {
        padded.insert(*family, "memory is shared with vectors that take four".into());
    }
    frame.notes.extend(notes(graph, frame, &mut choice.families, &padded));
}

/// Pads the vectors of grids that one stage writes cell by cell, and nothing but particles read.
fn pad_gathered_grids(graph: &Graph, program: &mut Program) {
    let demanded = demand::demanded(program);
    let runs_over = |op: &Op, source| {
        matches!(op.task, Task::Stage)
            && op.shape.is_none()
            && query::stage_of(graph, op, OWN).is_some_and(|stage| stage.source() == source)
    };
    // Of each grid the dispatches that write it and read it, and whether all of them allow it.
    let mut grids = BTreeMap::<ValueId, (u32, u32, bool)>::new();
    for op in &program.ops {
        for value in op.needs() {
            let (_, readers, fits) = grids.entry(value).or_insert((0, 0, true));
            *readers += 1;
            *fits &= runs_over(op, IterationSource::Particles);
        }
        for write in &op.writes {
            let (writers, _, fits) = grids.entry(write.value).or_insert((0, 0, true));
            *writers += 1;
            let alone = write.part == Part::Whole && write.consumes.is_none() && write.start.is_none();
            *fits &= alone && !write.transient && runs_over(op, IterationSource::Cells);
        }
    }
    let mut widened = BTreeSet::new();
    for (value, (writers, readers, fits)) in grids {
        let stored = &mut program.values[value];
        let vectors = stored.ty == WireType::Grid(ValueType::Vec3) || stored.ty == WireType::Grid(ValueType::Vec);
        let plain =
            vectors && stored.layout().components() == 3 && !stored.layout().is_half() && stored.fixed.is_none();
        if (writers, readers > 0, fits && plain) == (1, true, true)
            && stored.pooled.is_none()
            && !demanded.contains(&value)
        {
            stored.stored.gathered = true;
            stored.bytes = (stored.words(stored.elements(&graph.domains)) * 4).next_multiple_of(16);
            widened.insert(format!("`{}` takes four words: particles alone read it", stored.label));
        }
    }
    program.notes.extend(widened);
}

/// Families whose values take the same memory while they are padded.
#[derive(Default)]
struct Size {
    /// Families of States that can take less.
    states: BTreeSet<usize>,
    /// Families of intermediate results alone that can take less.
    others: BTreeSet<usize>,
    /// Whether some families can't take less.
    is_mixed: bool,
}

impl Size {
    fn all(&self) -> impl Iterator<Item = &usize> {
        self.states.iter().chain(&self.others)
    }
}

/// The families that a frame stores, by the memory that each of their values takes.
fn sizes(
    frame: &Program,
    reset: &Program,
    families: &mut Families,
    padded: &BTreeMap<usize, String>,
) -> BTreeMap<u64, Size> {
    let all = frame.values.iter().chain(reset.values.iter()).enumerate();
    let others: Vec<usize> = all.filter(|(_, value)| !narrows(value)).map(|(at, _)| at).collect();
    let unsuited: BTreeSet<usize> = others.into_iter().map(|at| families.root(at)).collect();
    let states: BTreeSet<usize> = frame.states.values().map(|value| families.root(value.index())).collect();
    let mut sizes = BTreeMap::<u64, Size>::new();
    for value in stored(frame) {
        let (family, bytes) = (families.root(value.index()), frame.values[value].bytes);
        let size = sizes.entry(bytes).or_default();
        match (padded.contains_key(&family) || unsuited.contains(&family), states.contains(&family)) {
            (true, _) => size.is_mixed = true,
            (false, true) => _ = size.states.insert(family),
            (false, false) => _ = size.others.insert(family),
        }
    }
    sizes
}

/// The values that a frame has in memory.
fn stored(frame: &Program) -> impl Iterator<Item = ValueId> {
    let writes = frame.ops.iter().flat_map(|op| &op.writes).filter(|write| !write.transient);
    frame.states.values().copied().chain(writes.map(|write| write.value))
}

/// Which families take three words.
struct Choice {
    families: Families,
    narrow: BTreeSet<usize>,
}

impl Choice {
    fn set(&mut self, frame: &mut Program, reset: &mut Program, narrow: BTreeSet<usize>) {
        let values = frame.values.iter_mut().chain(reset.values.iter_mut()).enumerate();
        for (at, value) in values {
            let family = self.families.root(at);
            if narrow.contains(&family) != self.narrow.contains(&family) {
                value.stored.dense = narrow.contains(&family);
                value.bytes = bytes(value);
            }
        }
        self.narrow = narrow;
    }
}

/// Whether a value takes less memory without padding. In sets of fewer than four particles it does not, since buffers are aligned.
fn narrows(value: &WireValue) -> bool {
    let narrow = Stored { dense: true, ..value.stored };
    let particles = matches!(value.ty, WireType::Attribute(_));
    particles
        && value.layout().wide()
        && !value.layout().is_half()
        && value.fixed.is_none()
        && bytes(&narrow) < value.bytes
}

fn bytes(value: &Stored) -> u64 {
    (value.words(u64::from(value.capacity)) * 4).next_multiple_of(16)
}

/// Values that are read in any order, each with the reason.
fn gathered(graph: &Graph, program: &Program) -> Vec<(ValueId, String)> {
    let mut found = Vec::new();
    for op in program.ops.iter().filter(|op| matches!(op.task, Task::Stage)) {
        let listed = op.reads.iter().any(|read| read.part == Part::Bins);
        for read in &op.reads {
            let path = op.node_of(read.stage).and_then(|node| graph.nodes.get(node)).map_or("", |node| &node.path);
            if listed && op.runs_itself(read.stage) {
                found.push((read.value, format!("`{path}` goes by a list of particles")));
            } else if reads_others(graph, op, read) {
                found.push((read.value, format!("`{path}` reads other particles")));
            }
        }
    }
    found
}

/// Whether a stage reads an attribute from particles that it names by their index.
fn reads_others(graph: &Graph, op: &Op, read: &Read) -> bool {
    let Part::Attribute(name) = &read.part else { return false };
    let Some(stage) = query::stage_of(graph, op, read.stage) else { return true };
    let Some(port) = stage.inputs().nth(read.port) else { return true };
    port.ty == PortType::Particles && stage.calls(&port.name) && stage.reads_of_others(port).contains(&&**name)
}

/// Values that come from caches, which hold padded vectors.
fn from_outside(program: &Program) -> impl Iterator<Item = (ValueId, String)> {
    let outside = program.states.iter().filter(|((_, part), _)| matches!(part, Part::Outside(..)));
    outside.map(|(_, value)| (*value, "a cache fills it".to_string()))
}

/// Values by what must have one layout. Those of a reset are numbered behind those of a frame.
struct Families(Vec<usize>);

impl Families {
    fn new(frame: &Program, reset: &Program) -> Families {
        let first = frame.values.len();
        let mut families = Families((0..first + reset.values.len()).collect());
        for (offset, program) in [(0, frame), (first, reset)] {
            for (one, other) in links(program) {
                families.join(offset + one.index(), offset + other.index());
            }
        }
        let state = |program: &Program, key: &StateKey| program.states.get(key).or(program.next.get(key)).copied();
        for key in reset.states.keys().chain(reset.next.keys()) {
            if let (Some(of_frame), Some(of_reset)) = (state(frame, key), state(reset, key)) {
                families.join(of_frame.index(), first + of_reset.index());
            }
        }
        families
    }

    fn root(&mut self, value: usize) -> usize {
        let mut root = value;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// Pairs of values of a program that must have one layout.
fn links(program: &Program) -> Vec<(ValueId, ValueId)> {
    let mut links = Vec::new();
    for op in &program.ops {
        links.extend(op.writes.iter().filter_map(|write| Some((write.consumes?, write.value))));
        if matches!(op.task, Task::Copy | Task::Gather | Task::Scatter | Task::Compact) {
            let moved = op.reads.iter().filter(|read| read.port == 0).map(|read| read.value);
            links.extend(moved.zip(op.writes.iter().map(|write| write.value)));
        }
    }
    links.extend(program.next.iter().filter_map(|(key, next)| Some((*program.states.get(key)?, *next))));
    for versions in program.carries.iter().chain(&program.together) {
        links.extend(versions.iter().copied().zip(versions.iter().skip(1).copied()));
    }
    links
}

/// A sentence for the attributes of each set that have one layout for one reason.
fn notes(graph: &Graph, frame: &Program, families: &mut Families, padded: &BTreeMap<usize, String>) -> Vec<String> {
    let path = |key: &StateKey| graph.nodes.get(key.0).map_or("", |node| node.path.as_str());
    let mut names = BTreeMap::<usize, (String, String)>::new();
    for (key, value) in &frame.states {
        if let Part::Attribute(name) = &key.1 {
            names.entry(families.root(value.index())).or_insert_with(|| (path(key).to_string(), name.to_string()));
        }
    }
    let mut sets = BTreeMap::<(String, Option<&str>), BTreeSet<String>>::new();
    for value in stored(frame) {
        let Some(version) = frame.values.get(value).filter(|value| value.dense || narrows(value)) else { continue };
        let family = families.root(value.index());
        let (set, attribute) = names.entry(family).or_insert_with(|| of_label(&version.label)).clone();
        sets.entry((set, padded.get(&family).map(String::as_str))).or_default().insert(attribute);
    }
    let sentence = |((set, why), attributes): ((String, Option<&str>), BTreeSet<String>)| {
        let (take, they, them) = if attributes.len() == 1 {
            ("takes", "its own particle reads", "it")
        } else {
            ("take", "their own particles read", "them")
        };
        let attributes = attributes.into_iter().collect::<Vec<_>>().join(", ");
        match why {
            Some(why) => format!("{attributes} of `{set}` {take} four words: {why}"),
            None => format!("{attributes} of `{set}` {take} three words: only {they} {them}"),
        }
    };
    sets.into_iter().map(sentence).collect()
}

/// Set and attribute from the label of a value.
fn of_label(label: &str) -> (String, String) {
    let label = label.strip_suffix(" (sum)").unwrap_or(label);
    let (set, attribute) = label.rsplit_once('.').unwrap_or((label, "vectors"));
    (set.to_string(), attribute.to_string())
}
