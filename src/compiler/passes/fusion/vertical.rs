//! Vertical fusion: a stage whose result another reads at its own cell, or for its own particle, is called before it in
//! the same dispatch.

use std::collections::BTreeSet;

use super::super::lanes;
use super::eligible::{Candidate, LITTLE, buffers, few, names, reads_own};
use super::is_overwritten;
use super::merge::{build_before, merge};
use crate::graph::Graph;
use crate::ir::links::Links;
use crate::ir::query::stage_of;
use crate::ir::tiles::held_inputs;
use crate::ir::{OWN, Op, OpId, Part, Program, Read, ValueId, Write, bindings};
use crate::stage::header::{Change, Port};
use crate::stage::types::{PortType, Precision};
use crate::stage::{IterationSource, Stage};

/// What is fused into stages over particles that add to grids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scatters {
    /// Nothing.
    Apart,
    /// Where several invocations would share the loop of a particle, only what stays in registers: what is stored each of them would.
    InRegisters,
    /// Whatever fits.
    Any,
}

/// Inlines producers into their consumers.
pub(super) fn fuse(graph: &Graph, program: &mut Program, links: &mut Links, scatters: Scatters) {
    for consumer in program.ops.ids() {
        while let Some(producer) = producer(graph, program, links, consumer, scatters) {
            links.join(program, producer, consumer);
            merge(graph, program, producer, consumer);
            links.enter(program, consumer);
        }
    }
}

/// An operation that can be built into another. The last one first: what it reads of the others then comes to that one.
fn producer(graph: &Graph, program: &Program, links: &Links, consumer: OpId, scatters: Scatters) -> Option<OpId> {
    let producers: BTreeSet<OpId> = program.ops[consumer].inputs().filter_map(|v| links.writer(v)).collect();
    producers.into_iter().rev().find(|producer| fits(graph, program, links, (*producer, consumer), scatters))
}

/// Whether an operation can be inlined into another one that reads its result.
fn fits(
    graph: &Graph,
    program: &Program,
    links: &Links,
    (producer, consumer): (OpId, OpId),
    scatters: Scatters,
) -> bool {
    let (from, to) = (&program.ops[producer], &program.ops[consumer]);
    let second = if to.sweeps > 1 { tiled(graph, to) } else { Candidate::running(graph, to) };
    let stored = || made(program, producer).any(|value| is_stored(links, value, consumer));
    let shares = || scatters == Scatters::InRegisters && stored() && lanes::lanes(graph, program, to).is_some();
    let second = second.or_else(|| adds(graph, to).filter(|_| scatters != Scatters::Apart && !shares()));
    let (Some(first), Some(second)) = (Candidate::plain(graph, from), second) else { return false };
    // The layout of partial results assumes one cell per invocation.
    let reduces = second.stage.outputs().any(|port| port.reduce.is_some());
    let paired = |w: &Write| program.values.get(w.value).is_none_or(|value| value.layout().pairs());
    if reduces && (first.stage.source() != IterationSource::Cells || from.writes.iter().any(paired)) {
        return false;
    }
    first.runs_with(graph, &second)
        && !names(graph, from, "iteration")
        && if to.sweeps > 1 {
            loads(graph, program, producer, to)
        } else {
            made(program, producer).all(|value| reads_own(graph, to, value))
        }
        && few(from, to)
        && !links.around(program, producer, consumer)
        && (buffers(from, to) <= program.buffer_budget
            || binds_joined(graph, program, links, (producer, consumer)) <= program.buffer_budget)
}

/// Buffers that the two bind once one is inlined into the other. [`buffers`] is faster and gives an upper bound.
fn binds_joined(graph: &Graph, program: &Program, links: &Links, (producer, consumer): (OpId, OpId)) -> usize {
    let mut joined = program.ops[consumer].clone();
    if joined.shape.is_some() {
        return usize::MAX;
    }
    build_before(program.ops[producer].clone(), &mut joined);
    // Who only takes a value's memory does not need it.
    let needs = |reader: &OpId, value: ValueId| {
        let op = &program.ops[*reader];
        let overwrites = |write: &Write| write.consumes == Some(value) && is_overwritten(op, write);
        op.reads.iter().any(|read| read.value == value) || !op.writes.iter().any(overwrites)
    };
    let elsewhere = |value: ValueId| {
        let mut readers = links.readers(value).iter().filter(|reader| needs(reader, value));
        let read = readers.any(|reader| !links.comes_to(program, *reader, &[producer, consumer]));
        // Values that are computed once are stored for every frame.
        let made =
            links.writer(value).and_then(|op| program.ops.get(op)).is_some_and(|op| op.invariant != joined.invariant);
        read || made || links.demanded.contains(&value)
    };
    bindings::buffers(graph, program, &joined, &elsewhere)
}

/// Whether somebody else reads a value than the operation that it is made for.
fn is_stored(links: &Links, value: ValueId, reader: OpId) -> bool {
    links.demanded.contains(&value) || links.readers(value).iter().any(|other| *other != reader)
}

fn made(program: &Program, op: OpId) -> impl Iterator<Item = ValueId> + '_ {
    program.ops[op].writes.iter().map(|w| w.value)
}

/// Candidate for an operation that makes sweeps on tiles.
fn tiled<'a>(graph: &'a Graph, op: &'a Op) -> Option<Candidate<'a>> {
    Candidate::new(graph, op).filter(|_| op.sweeps > 1 && op.shape.is_some())
}

/// Whether a tile can compute an operation's result where it would load it, once for each of its cells: inputs held in
/// registers, and the version that its sweeps update. The halo is computed several times, so it must be little work.
fn loads(graph: &Graph, program: &Program, producer: OpId, to: &Op) -> bool {
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

/// Candidate for an operation that runs over particles and scatters to grids, besides what it writes to its own
/// particle.
fn adds<'a>(graph: &'a Graph, op: &'a Op) -> Option<Candidate<'a>> {
    let is_own = |port: &Port| port.ty == PortType::Particles && port.change == Change::Own;
    let added = |port: &Port| matches!(port.ty, PortType::Grid(_)) && port.scatter.is_some();
    Candidate::new(graph, op)
        .filter(|it| it.stage.source() == IterationSource::Particles && !op.writes.is_empty())
        .filter(|it| it.stage.outputs().all(|port| is_own(port) || added(port)))
}
