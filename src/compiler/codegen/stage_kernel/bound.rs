//! The buffers that a stage's kernel is bound to, and the variables that stand for them.
//!
//! ```wgsl
//! @group(0) @binding(2) var<storage, read> _read_pressure: array<f32>;
//! @group(0) @binding(3) var<storage, read_write> _write_velocity: array<vec2f>;
//! ```

use std::fmt::Write as _;

use super::mapping::Mapping;
use super::names::{self, prefix};
use crate::data::Binding;
use crate::document::WHERE;
use crate::graph::Graph;
use crate::ir::query::stage_of;
use crate::ir::window::{Side, Window, window};
use crate::ir::{OWN, Op, Part, Program, Read, ValueId, WireValue, Write, demand};
use crate::stage::header::{Change, Direction, Port, Scatter};
use crate::stage::types::{PortType, Scalar};

/// The first binding of a kernel's buffers, behind the uniform blocks of the frame and of the kernel.
const FIRST_BINDING: usize = 2;

/// A buffer of a kernel.
pub(crate) struct Bound {
    /// Who reads it, by which ports.
    pub reads: Vec<Read>,
    pub variable: String,
    pub ty: String,
    pub writes: bool,
    /// What a person reads in the plan.
    pub name: String,
    pub value: ValueId,
}

/// Every buffer of a stage's kernel, in the order of their bindings. `in_place`: by write, whether it overwrites the version before.
pub(super) fn bound(graph: &Graph, program: &Program, op: &Op, in_place: &[bool]) -> Vec<Bound> {
    let binder = Binder { graph, program, op, in_place };
    let mut reads: Vec<Bound> = op.reads.iter().filter_map(|read| binder.read(read)).collect();
    // Stages that share a dispatch share what they read; where several cells are loaded at a time, each port has its own variables.
    if op.shape.is_none_or(|shape| shape.has_one_cell()) && op.inlined().iter().any(|built| built.before) {
        reads = reads.into_iter().fold(Vec::new(), share);
    }
    reads.extend(op.writes.iter().zip(in_place).filter_map(|(write, in_place)| binder.before(write, *in_place)));
    let mut writes: Vec<Bound> = (0..op.writes.len().min(in_place.len())).filter_map(|k| binder.write(k)).collect();
    // A version that is overwritten in place is there once, to read and to write.
    reads.retain_mut(|read| match writes.iter_mut().find(|write| write.variable == read.variable) {
        Some(write) => {
            write.reads.append(&mut read.reads);
            false
        }
        None => true,
    });
    reads.into_iter().chain(writes).collect()
}

/// Adds a buffer that is read, unless the same is there already.
fn share(mut all: Vec<Bound>, mut next: Bound) -> Vec<Bound> {
    match all.iter_mut().find(|buffer| buffer.value == next.value && buffer.ty == next.ty) {
        Some(buffer) => buffer.reads.append(&mut next.reads),
        None => all.push(next),
    }
    all
}

/// The declarations of buffers.
pub(super) fn declarations(bound: &[Bound]) -> String {
    let mut out = String::new();
    for (binding, buffer) in (FIRST_BINDING..).zip(bound) {
        let access = if buffer.writes { "read_write" } else { "read" };
        let (name, ty) = (&buffer.variable, &buffer.ty);
        let _ = writeln!(out, "@group(0) @binding({binding}) var<storage, {access}> {name}: {ty};");
    }
    out
}

/// The binding behind all buffers.
pub(super) fn next_binding(bound: &[Bound]) -> usize {
    FIRST_BINDING + bound.len()
}

/// Bindings of these buffers, for the engine.
pub(super) fn bindings(bound: &[Bound]) -> Vec<Binding> {
    bound.iter().map(|buffer| Binding { name: buffer.name.clone(), writes: buffer.writes }).collect()
}

/// The variable that a write goes to: its own, or that of what goes on from it in the same memory and the same dispatch.
pub(super) fn target(graph: &Graph, op: &Op, in_place: &[bool], write: usize) -> Option<String> {
    let mut last = write;
    while let Some(after) = (last + 1..op.writes.len())
        .find(|w| in_place.get(*w) == Some(&true) && op.writes[*w].consumes == Some(op.writes[last].value))
    {
        last = after;
    }
    let write = op.writes.get(last)?;
    let port = stage_of(graph, op, write.stage)?.outputs().nth(write.port)?;
    Some(format!("{}{}", prefix(write.stage), names::written(port, &write.part)))
}

struct Binder<'a> {
    graph: &'a Graph,
    program: &'a Program,
    op: &'a Op,
    in_place: &'a [bool],
}

impl Binder<'_> {
    /// The buffer of what is read from memory.
    fn read(&self, read: &Read) -> Option<Bound> {
        if read.part.is_blocks() {
            let variable = names::table(read);
            let ty = "array<u32>".into();
            let name = WHERE.into();
            return Some(Bound { reads: vec![read.clone()], variable, ty, writes: false, name, value: read.value });
        }
        let port = stage_of(self.graph, self.op, read.stage)?.inputs().nth(read.port)?;
        let overwritten = |(write, in_place): (&Write, &bool)| *in_place && write.consumes == Some(read.value);
        let written = self.op.writes.iter().zip(self.in_place).position(overwritten);
        let variable = written.and_then(|w| target(self.graph, self.op, self.in_place, w));
        let layout = self.program.values[read.value].layout();
        Some(Bound {
            variable: variable.unwrap_or_else(|| format!("{}{}", prefix(read.stage), names::read(port, &read.part))),
            ty: match read.part {
                Part::Whole if self.wide(read.port, Side::Input) => layout.buffer_of_fours().into(),
                Part::Whole | Part::Attribute(_) | Part::Packed(_) => layout.buffer(),
                _ => "array<u32>".into(),
            },
            writes: false,
            name: format!("{}{}", port.name, ending(&read.part)),
            value: read.value,
            reads: vec![read.clone()],
        })
    }

    /// The buffer of the version that a write goes on from in memory of its own.
    fn before(&self, write: &Write, in_place: bool) -> Option<Bound> {
        let port = self.port(write)?;
        let copies = port.ty.is_grid() && port.direction == Direction::InOut && port.scatter.is_none()
            || matches!(port.change, Change::Emit(_));
        let passed = write.consumes.is_some_and(|before| self.op.writes.iter().any(|w| w.value == before));
        let before =
            write.consumes.filter(|_| !in_place && copies && !passed && !matches!(write.part, Part::Zeros(_)))?;
        let value = self.program.values.get(before).unwrap_or(&self.program.values[write.value]);
        Some(Bound {
            reads: Vec::new(),
            variable: format!("{}{}", prefix(write.stage), names::read(port, &write.part)),
            ty: self.plain(write, value),
            writes: false,
            name: format!("{}{}", port.name, ending(&write.part)),
            value: before,
        })
    }

    /// The buffer that a write goes to. What is passed on has no memory, or that of what goes on from it.
    fn write(&self, index: usize) -> Option<Bound> {
        let write = self.op.writes.get(index).filter(|write| !write.transient)?;
        let port = self.port(write)?;
        let value = &self.program.values[write.value];
        Some(Bound {
            reads: Vec::new(),
            variable: target(self.graph, self.op, self.in_place, index).unwrap_or_default(),
            ty: match write.consumes {
                Some(sums) if matches!(write.part, Part::Zeros(_)) && self.in_place.get(index) == Some(&true) => {
                    self.program.values[sums].layout().buffer()
                }
                _ => self.written(write, port, value),
            },
            writes: true,
            name: format!("{}{}", port.name, ending(&write.part)),
            value: write.value,
        })
    }

    fn port(&self, write: &Write) -> Option<&Port> {
        stage_of(self.graph, self.op, write.stage)?.outputs().nth(write.port)
    }

    /// WGSL type of the buffer that a write goes to.
    fn written(&self, write: &Write, port: &Port, value: &WireValue) -> String {
        let (ty, wgsl) = (value.ty.value(), value.layout().wgsl());
        if matches!(write.part, Part::Zeros(_)) {
            return match value.layout().numbers() {
                n @ (2 | 4) => format!("array<vec{n}u>"),
                _ => "array<u32>".into(),
            };
        }
        match (port.scatter, &write.part) {
            (Some(Scatter::Min | Scatter::Max), _) if ty.scalar() == Scalar::U32 => "array<atomic<u32>>".into(),
            (Some(_), _) => "array<atomic<i32>>".into(),
            (_, Part::Attribute(_)) if port.is_summed_set() && ty.scalar() == Scalar::U32 => {
                "array<atomic<u32>>".into()
            }
            (_, Part::Attribute(_)) if port.is_summed_set() => "array<atomic<i32>>".into(),
            (_, Part::Whole) if port.reduce.is_some() && demand::at_once(write, ty) => format!("array<atomic<{wgsl}>>"),
            (_, Part::Whole) if port.reduce.is_some() => format!("array<{wgsl}>"),
            (_, Part::Whole) if port.ty == PortType::Particles => "array<u32>".into(),
            (_, Part::Count | Part::Order | Part::Start | Part::Found | Part::Blocks) => "array<u32>".into(),
            _ => self.plain(write, value),
        }
    }

    /// WGSL type of a buffer of values of one of the writes.
    fn plain(&self, write: &Write, value: &WireValue) -> String {
        match write.stage == OWN && self.wide(write.port, Side::Output) {
            true => value.layout().buffer_of_fours().into(),
            false => value.layout().buffer(),
        }
    }

    /// Whether a port's cells are read and written four words at a time.
    fn wide(&self, port: usize, side: Side) -> bool {
        Mapping::of(self.op).is_row()
            && window(self.graph, self.program, self.op, port, side).is_some_and(|window| window != Window::Narrow)
    }
}

/// What a part of a port is called in the plan, behind the port's name.
fn ending(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Attribute(name) => format!(".{name}"),
        Part::Count => ".count".into(),
        Part::Start => ".start".into(),
        Part::Order => ".items".into(),
        Part::Packed(names) => format!(".{names}"),
        Part::Found => ".found".into(),
        Part::Bins => ".bins".into(),
        Part::Blocks | Part::Covered(_) | Part::Slots(_) => ".blocks".into(),
        Part::Zeros(number) => format!(".zeros{number}"),
        Part::Outside(_, part) => ending(part),
    }
}
