//! Neighbouring stages as one dispatch: a stage whose results another needs at its own cell, or for its own particle, is built into
//! that one and called before it. What passes between the two stays in registers, and in memory only where something else reads it.

use crate::plan::ir::links::Links;
use crate::plan::ir::query::{count, stage_of};
use crate::plan::ir::tiles::held_inputs;
use crate::plan::ir::{
    InstanceId, OWN, Op, Part, Program, Read, StageInstance, Task, ValueId, Write, bindings, workgroups,
};
use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Graph, Kind, Node};
use crate::stage::header::{Change, Port};
use crate::stage::types::{EdgeRule, Element, PortType, Precision, ValueType, WireType};
use crate::stage::{IterationSource, Reach, Stage};

/// Stages that a kernel takes beside its own, fields included: a pointwise stage may repeat thousands of times, and more text than
/// this gains nothing.
const MAX_TOGETHER: usize = 8;

/// Joins the operations of a program where that changes nothing but their number.
///
/// `rematerialize`: a stage that reads another's result elsewhere than at its own cell computes it itself, where that is little work.
/// `into_scatters`: also fuse into stages over particles that add to grids; these have no packs.
pub fn fuse(graph: &Graph, program: &mut Program, rematerialize: bool, into_scatters: bool) {
    // An operation whose work another one does stays behind with nothing to write, so that places hold until the end.
    let mut links = Links::new(program);
    begin_from_constants(graph, program, &mut links);
    if rematerialize {
        make_anew(graph, program, &mut links, true);
    }
    let mut index = 0;
    while index < program.ops.len() {
        let producers: BTreeSet<usize> = program.ops[index].inputs().filter_map(|v| links.writer(v)).collect();
        // The last one first: what it reads of the others then comes to this operation.
        let found = producers.into_iter().rev().find(|p| joins(graph, program, &links, (*p, index), into_scatters));
        match found {
            Some(producer) => {
                links.join(program, producer, index);
                merge(program, producer, index);
                links.enter(program, index);
            }
            None => index += 1,
        }
    }
    if rematerialize {
        make_anew(graph, program, &mut links, false);
        side_by_side(graph, program, &mut links);
    }
    program.ops.retain(|op| !op.writes.is_empty());
    let pinned: BTreeSet<ValueId> = program.pinned.iter().copied().collect();
    let states: BTreeSet<ValueId> = program.next.values().copied().collect();
    for op in program.ops.iter_mut().filter(|op| op.inlined().iter().any(|b| b.before)) {
        for write in &mut op.writes {
            let inside = links.readers(write.value).is_empty() && write.stage != OWN;
            write.transient |= inside && !pinned.contains(&write.value) && !states.contains(&write.value);
        }
    }
}

/// What only fills a grid with a constant for one stage to go on from is left out: that stage takes the constant.
fn begin_from_constants(graph: &Graph, program: &mut Program, links: &mut Links) {
    let pinned: BTreeSet<ValueId> = program.pinned.iter().copied().collect();
    for fill in 0..program.ops.len() {
        let op = &program.ops[fill];
        let (Task::Fill(Some(setting)), [write]) = (&op.task, op.writes.as_slice()) else { continue };
        let (setting, node, value) = (setting.clone(), op.node, write.value);
        let [reader] = *links.readers(value) else { continue };
        let to = &program.ops[reader];
        let whole = to.node == node
            && to.invariant == op.invariant
            && matches!(to.task, Task::Stage)
            && !pinned.contains(&value);
        let same = |w: &&mut Write| w.consumes == Some(value);
        if !whole || !takes_constants(graph, to, value) {
            continue;
        }
        links.leave(program, fill);
        links.leave(program, reader);
        if let Some(write) = program.ops[reader].writes.iter_mut().find(same) {
            (write.consumes, write.start) = (None, Some(setting));
            let fill = &mut program.ops[fill];
            (fill.reads, fill.writes) = (Vec::new(), Vec::new());
        }
        links.enter(program, reader);
    }
}

/// Whether an operation goes on from a value by a port whose edge rule makes a constant the same everywhere.
fn takes_constants(graph: &Graph, op: &Op, value: ValueId) -> bool {
    let Some(stage) = stage_of(graph, op, OWN) else { return false };
    let edge = |port: &Port| {
        let domain = graph.nodes.get(op.node).and_then(|n| n.domain).and_then(|d| graph.domains.get(d));
        port.edge.or(domain.map(|d| d.edge))
    };
    let constant = |port: &Port| match edge(port) {
        Some(EdgeRule::Zero) | None => false,
        Some(EdgeRule::Wall) => port.ty.element() == Some(Element::Fixed(ValueType::F32)),
        _ => true,
    };
    let whole =
        |port: &Port| matches!(port.ty, PortType::Grid(_)) && port.scatter.is_none() && stage.radius(port).is_some();
    // A tile is filled with it, and its reads know the edge.
    let tiles = op.sweeps > 1;
    let takes = |w: &Write| {
        w.stage == OWN && stage.outputs().nth(w.port).is_some_and(|port| (tiles || constant(port)) && whole(port))
    };
    let alone = op.writes.iter().filter(|w| w.consumes == Some(value)).count() == 1;
    // A cell of the other colour is copied from memory.
    let copies = op.color.is_some() && op.sweeps == 1;
    !copies && alone && op.writes.iter().filter(|w| w.consumes == Some(value)).all(takes)
}

/// Builds what is little work into the one stage that reads it, though that reads it elsewhere: once for each cell that it reads, which
/// is cheaper than to store a grid and load it again.
///
/// `means`: only for means of finer cells, which ask for each of them once.
fn make_anew(graph: &Graph, program: &mut Program, links: &mut Links, means: bool) {
    let mut index = 0;
    while index < program.ops.len() {
        match anew(graph, program, links, index, means)
            .filter(|(to, _)| buffers(&program.ops[index], &program.ops[*to]) <= program.buffer_budget)
        {
            Some((consumer, read)) => {
                links.join(program, index, consumer);
                build_anew(graph, program, index, consumer, read);
                links.enter(program, consumer);
            }
            None => index += 1,
        }
    }
}

/// The operation that may make what another makes anew, and which of its reads asks for it.
fn anew(graph: &Graph, program: &Program, links: &Links, producer: usize, means: bool) -> Option<(usize, usize)> {
    let from = program.ops.get(producer)?;
    let (node, stage) = plain(graph, from)?;
    let [write] = from.writes.as_slice() else { return None };
    let [consumer] = links.readers(write.value) else { return None };
    // Stored in halves it would have been rounded.
    let halves = program.values.get(write.value).is_none_or(|value| value.precision != Precision::F32);
    let kept = halves || program.pinned.contains(&write.value) || program.next.values().any(|v| *v == write.value);
    let to = program.ops.get(*consumer)?;
    let cells = stage.source() == IterationSource::Cells && node.set.is_none();
    let whole =
        from.inlined().is_empty() && write.start.is_none() && from.invariant == to.invariant && from.gate == to.gate;
    let counters = !names(graph, from, "iteration") && !names(graph, from, "substep");
    // It is called for other cells than the kernel's own, so nothing may be counted from that one.
    let held = stage.inputs().any(|port| stage.radius(port).is_some_and(|(_, proven)| !proven));
    let fits = cells && whole && counters && !held && !kept;
    let read = fits.then(|| read_anew(graph, (from, node, stage), (to, means), write.value)).flatten()?;
    Some((*consumer, read))
}

/// Which read of an operation may have a value made anew.
fn read_anew(
    graph: &Graph,
    (from, node, stage): (&Op, &Node, &Stage),
    (to, means): (&Op, bool),
    value: ValueId,
) -> Option<usize> {
    running(graph, to).filter(|_| to.writes.iter().all(|w| w.consumes != Some(value)))?;
    let read = to.reads.iter().position(|r| r.value == value)?;
    let alone = to.reads.iter().filter(|r| r.value == value).count() == 1;
    let asks = to.reads.get(read).filter(|r| r.part == Part::Whole && alone)?;
    let runs = to.runs_itself(asks.stage);
    let target = graph.nodes.get(to.node_of(asks.stage)?).filter(|_| runs)?;
    let Kind::Stage(reader) = &target.kind else { return None };
    let port = reader.inputs().nth(asks.port)?;
    let looping = ["for", "while", "loop"];
    let cells = reader.source() == IterationSource::Cells;
    // The mean of the cells below asks for each of them once in all, so nothing is made twice.
    let finer = target.domain.and_then(|d| graph.domains.get(d)).and_then(|d| d.finer).map(|f| f.domain);
    let each = finer.is_some() && finer == node.domain && reader.asks_centre(&port.name);
    let much = stage.text_length() <= MUCH && stage.bounded(graph.dim(node)).finite;
    let little = looping.iter().all(|word| !stage.names(word))
        && stage.text_length() <= LITTLE
        && from.inputs().all(|value| reads_own(graph, from, value))
        && from.inputs().count() <= 2;
    // A value is interpolated between four or eight cells; read more often, it is better stored.
    let once = looping.iter().all(|word| !reader.names(word)) && reader.reads_once(&port.name);
    (cells && (each && much || little && once && !means)).then_some(read)
}

/// Bytes of a stage's text that count as little work.
const LITTLE: usize = 900;

/// And as little enough where it is not done more than once.
const MUCH: usize = 4000;

fn build_anew(graph: &Graph, program: &mut Program, producer: usize, consumer: usize, read: usize) {
    let Some(op) = program.ops.get_mut(producer) else { return };
    // What is left of it writes nothing.
    let (reads, writes) = (std::mem::take(&mut op.reads), std::mem::take(&mut op.writes));
    let from = Op { reads, writes, ..op.clone() };
    let Some(to) = program.ops.get_mut(consumer) else { return };
    let asks = to.reads.remove(read);
    let value = from.writes.first().map(|w| w.value);
    let callers = vec![(asks.stage, asks.port)];
    let instance = to.stages.push(StageInstance { callers, recomputes: value, ..StageInstance::own(from.node) });
    // What it went on from it reads now.
    let consumed = from.writes.iter().filter_map(|write| {
        let stage = stage_of(graph, &from, OWN)?;
        let name = &stage.outputs().nth(write.port)?.name;
        let port = stage.inputs().position(|p| p.name == *name)?;
        Some(Read { stage: instance, port, part: Part::Whole, value: write.consumes? })
    });
    to.reads.extend(consumed);
    to.reads.extend(from.reads.iter().map(|r| Read { stage: instance, ..r.clone() }));
}

/// Puts stages that read the same at their own cell into one dispatch, where neither needs the other: it is loaded once for both.
fn side_by_side(graph: &Graph, program: &mut Program, links: &mut Links) {
    let mut last = BTreeMap::<ValueId, usize>::new();
    for index in 0..program.ops.len() {
        let shared: BTreeSet<ValueId> = program.ops[index].reads.iter().map(|r| r.value).collect();
        let shared: Vec<ValueId> = shared.into_iter().filter(|v| reads_own(graph, &program.ops[index], *v)).collect();
        let before: BTreeSet<usize> = shared.iter().filter_map(|v| last.get(v)).copied().collect();
        for other in before {
            if beside(graph, program, links, (other, index)) {
                links.join(program, other, index);
                merge(program, other, index);
                links.enter(program, index);
            }
        }
        last.extend(shared.into_iter().map(|value| (value, index)));
    }
}

/// Whether two operations can share a dispatch though neither reads what the other makes.
fn beside(graph: &Graph, program: &Program, links: &Links, (one, other): (usize, usize)) -> bool {
    let (from, to) = (&program.ops[one], &program.ops[other]);
    let (Some(first), Some(second)) = (plain(graph, from), plain(graph, to)) else { return false };
    // What one goes on from must not be what the other still reads.
    let apart = |a: &Op, b: &Op| a.writes.iter().filter_map(|w| w.consumes).all(|value| b.inputs().all(|v| v != value));
    let linked = |a: usize, b: usize| links.after(program, a).any(|next| next == b) || links.around(program, a, b);
    // Stencils may be better off in rows of four.
    let stencil = |op: &Op, stage: &Stage| {
        op.inlined().is_empty() && stage.inputs().any(|port| stage.reach(&port.name) == Reach::Faces)
    };
    first.1.source() == IterationSource::Cells
        && alike(graph, (from, first), (to, second))
        && !names(graph, from, "iteration")
        && !stencil(from, first.1)
        && !stencil(to, second.1)
        && apart(from, to)
        && apart(to, from)
        && buffers(from, to) <= program.buffer_budget
        && from.inlined().len() + to.inlined().len() < MAX_TOGETHER
        && !linked(one, other)
        && !linked(other, one)
}

/// Whether two operations run over the same, when and as often as each other.
fn alike(graph: &Graph, (from, first): (&Op, (&Node, &Stage)), (to, second): (&Op, (&Node, &Stage))) -> bool {
    let same = match (first.1.source(), second.1.source()) {
        (IterationSource::Cells, IterationSource::Cells) => {
            workgroups::extent(graph, first.0) == workgroups::extent(graph, second.0)
                && first.0.domain == second.0.domain
        }
        (IterationSource::Particles, IterationSource::Particles) => {
            count(graph, from).is_some_and(|set| Some(set) == count(graph, to))
        }
        _ => false,
    };
    same && from.invariant == to.invariant
        && from.gate == to.gate
        && (from.substep == to.substep || !names(graph, from, "substep") && !names(graph, to, "substep"))
}

/// Whether an operation can be built into another that reads what it makes.
fn joins(
    graph: &Graph,
    program: &Program,
    links: &Links,
    (producer, consumer): (usize, usize),
    into_scatters: bool,
) -> bool {
    let (from, to) = (&program.ops[producer], &program.ops[consumer]);
    let second = if to.sweeps > 1 { tiled(graph, to) } else { running(graph, to) };
    let second = second.or_else(|| adds(graph, to).filter(|_| into_scatters));
    let (Some(first), Some(second)) = (plain(graph, from), second) else { return false };
    // Partial results are laid out by workgroups of single cells.
    let reduces = second.1.outputs().any(|port| port.reduce.is_some());
    let paired = |w: &Write| program.values.get(w.value).is_none_or(|value| value.layout().pairs());
    if reduces && (first.1.source() != IterationSource::Cells || from.writes.iter().any(paired)) {
        return false;
    }
    alike(graph, (from, first), (to, second))
        && !names(graph, from, "iteration")
        && if to.sweeps > 1 {
            loads(graph, program, producer, to)
        } else {
            made(program, producer).all(|value| reads_own(graph, to, value))
        }
        && from.inlined().len() + to.inlined().len() < MAX_TOGETHER
        && !links.around(program, producer, consumer)
        && (buffers(from, to) <= program.buffer_budget
            || binds_joined(graph, program, links, (producer, consumer)) <= program.buffer_budget)
}

/// Buffers that the two take once one is built into the other. What [`buffers`] counts takes less time to find out, and is more.
fn binds_joined(graph: &Graph, program: &Program, links: &Links, (producer, consumer): (usize, usize)) -> usize {
    let mut joined = program.ops[consumer].clone();
    if joined.shape.is_some() {
        return usize::MAX;
    }
    build_before(program.ops[producer].clone(), &mut joined);
    let elsewhere = |value: ValueId| {
        let read = links.readers(value).iter().any(|reader| !links.comes_to(program, *reader, &[producer, consumer]));
        // What is computed once is there for every frame.
        let made =
            links.writer(value).and_then(|op| program.ops.get(op)).is_some_and(|op| op.invariant != joined.invariant);
        read || made || links.asked.contains(&value)
    };
    bindings::buffers(graph, program, &joined, &elsewhere)
}

fn made(program: &Program, op: usize) -> impl Iterator<Item = ValueId> + '_ {
    program.ops[op].writes.iter().map(|w| w.value)
}

/// The node and stage of an operation that writes its own cells or its own particles and nothing else, once.
fn plain<'a>(graph: &'a Graph, op: &Op) -> Option<(&'a Node, &'a Stage)> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let simple = |port: &Port| {
        let own = matches!(port.ty, PortType::Grid(_)) || port.ty == PortType::Particles;
        own && port.scatter.is_none() && port.reduce.is_none() && !port.scan && port.change == Change::Own
    };
    let grids = node.outputs.iter().all(|ty| matches!(ty, WireType::Grid(_) | WireType::Particles));
    let once = op.sweeps == 1 && op.color.is_none() && op.shape.is_none() && matches!(op.task, Task::Stage);
    let packs = op.writes.iter().any(|w| matches!(w.part, Part::Packed(_)));
    (once && grids && !packs && !op.writes.is_empty() && stage.outputs().all(simple)).then_some((node, stage))
}

/// The node and stage of an operation that sweeps tiles.
fn tiled<'a>(graph: &'a Graph, op: &Op) -> Option<(&'a Node, &'a Stage)> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    op.shape.filter(|_| op.sweeps > 1).map(|_| (node, &**stage))
}

/// Whether a tile can make what an operation makes where it would load it, once for each of its cells: what waits in registers, and
/// what its sweeps go on from. The halo makes it several times, so it has to be little work.
fn loads(graph: &Graph, program: &Program, producer: usize, to: &Op) -> bool {
    let Some(from) = program.ops.get(producer) else { return false };
    let work: usize = from.stages.ids().filter_map(|i| stage_of(graph, from, i)).map(Stage::text_length).sum();
    let exact = made(program, producer).all(|v| program.values.get(v).is_some_and(|v| v.precision == Precision::F32));
    let whole = |read: &Read| read.stage == OWN && read.part == Part::Whole;
    let held = held_inputs(graph, program, to);
    let waits = |value: ValueId| {
        to.reads.iter().filter(|r| r.value == value).all(|r| whole(r) && held.contains(&r.port))
            && to.writes.iter().filter(|w| w.consumes == Some(value)).all(|w| w.stage == OWN)
    };
    let once = from.inlined().iter().all(|built| built.recomputes.is_none());
    work <= LITTLE && exact && once && made(program, producer).all(waits)
}

/// The same of one that may also reduce what it computes to a number.
fn running<'a>(graph: &'a Graph, op: &Op) -> Option<(&'a Node, &'a Stage)> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let once = op.sweeps == 1 && op.color.is_none() && op.shape.is_none() && matches!(op.task, Task::Stage);
    let reduces = once && stage.source() == IterationSource::Cells && stage.outputs().all(|port| port.reduce.is_some());
    if reduces && !op.writes.is_empty() { Some((node, stage)) } else { plain(graph, op) }
}

/// The same of one over particles that adds to grids, besides what it writes of its own particle.
fn adds<'a>(graph: &'a Graph, op: &Op) -> Option<(&'a Node, &'a Stage)> {
    let node = graph.nodes.get(op.node)?;
    let Kind::Stage(stage) = &node.kind else { return None };
    let own = |port: &Port| port.ty == PortType::Particles && port.change == Change::Own;
    let added = |port: &Port| matches!(port.ty, PortType::Grid(_)) && port.scatter.is_some();
    let plain = matches!(op.task, Task::Stage) && stage.source() == IterationSource::Particles && !op.writes.is_empty();
    (plain && stage.outputs().all(|port| own(port) || added(port))).then_some((node, stage))
}

/// Whether a stage's own text, or that of something built into it, has a word.
fn names(graph: &Graph, op: &Op, word: &str) -> bool {
    op.stages.ids().any(|i| stage_of(graph, op, i).is_some_and(|stage| stage.names(word)))
}

/// Whether an operation reads a value at its own cell, or of its own particle, and nowhere else.
fn reads_own(graph: &Graph, op: &Op, value: ValueId) -> bool {
    let read = op.reads.iter().filter(|r| r.value == value).all(|r| own(graph, op, r));
    let consumed = op.writes.iter().filter(|w| w.consumes == Some(value)).all(|w| {
        let Some(stage) = stage_of(graph, op, w.stage) else { return false };
        stage.outputs().nth(w.port).is_some_and(|port| match w.part {
            Part::Attribute(_) => true,
            _ => stage.reach(&port.name) == Reach::Own,
        })
    });
    read && consumed
}

fn own(graph: &Graph, op: &Op, read: &Read) -> bool {
    let runs = op.runs_itself(read.stage);
    let Some(stage) = stage_of(graph, op, read.stage).filter(|_| runs) else { return false };
    let Some(port) = stage.inputs().nth(read.port) else { return false };
    match read.part {
        Part::Whole => port.ty.is_grid() && port.ty != PortType::FaceGrid && stage.reach(&port.name) == Reach::Own,
        Part::Attribute(_) => stage.set().is_some_and(|set| set.name == port.name) && !stage.calls(&port.name),
        _ => false,
    }
}

/// Buffers that the two take together, and one for alarms.
fn buffers(from: &Op, to: &Op) -> usize {
    let made = |value: &ValueId| from.writes.iter().any(|w| w.value == *value);
    let all = from.inputs().chain(to.inputs()).chain(to.writes.iter().map(|w| w.value));
    let mut apart: Vec<ValueId> = all.filter(|value| !made(value)).collect();
    apart.sort_unstable();
    apart.dedup();
    apart.len() + from.writes.len().saturating_sub(1) + 1
}

/// Builds the producer into the consumer, and leaves nothing of it.
fn merge(program: &mut Program, producer: usize, consumer: usize) {
    let from = program.ops.get_mut(producer).map(|op| Op {
        stages: std::mem::take(&mut op.stages),
        writes: std::mem::take(&mut op.writes),
        reads: std::mem::take(&mut op.reads),
        forwarded: std::mem::take(&mut op.forwarded),
        task: op.task.clone(),
        ..*op
    });
    if let (Some(from), Some(to)) = (from, program.ops.get_mut(consumer)) {
        build_before(from, to);
    }
}

/// Builds an operation into another that runs it first.
fn build_before(from: Op, to: &mut Op) {
    let first = to.stages.len();
    let moved = |stage: InstanceId| InstanceId::new(first + stage.index());
    let ids = from.stages.ids();
    to.stages.extend(ids.zip(from.stages).map(|(instance, stage)| StageInstance {
        callers: stage.callers.into_iter().map(|(caller, port)| (moved(caller), port)).collect(),
        before: stage.before || instance == OWN,
        ..stage
    }));
    let made: BTreeSet<ValueId> = from.writes.iter().map(|w| w.value).collect();
    let (forwarded, mut reads): (Vec<Read>, Vec<Read>) = to.reads.drain(..).partition(|r| made.contains(&r.value));
    to.forwarded.extend(forwarded);
    let moved_read = |read: Read| Read { stage: moved(read.stage), ..read };
    reads.extend(from.reads.into_iter().map(moved_read));
    to.reads = reads;
    to.forwarded.extend(from.forwarded.into_iter().map(moved_read));
    // What is made first stands first, so that memory is followed from one to the next.
    let mut writes: Vec<Write> =
        from.writes.into_iter().map(|write| Write { stage: moved(write.stage), ..write }).collect();
    writes.append(&mut to.writes);
    to.writes = writes;
}
