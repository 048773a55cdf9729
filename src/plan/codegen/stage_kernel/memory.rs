//! The buffers that a stage's kernel is bound to, and the variables that stand for them.

use crate::graph::{Graph, Kind};
use crate::plan::ir::window::{Side, Window, window};
use crate::plan::ir::{InstanceId, OWN, Op, Part, Program, Read, Value, ValueId, Write, demand};
use crate::plan::tuning::CELLS_OF_A_ROW;
use crate::stage::Stage;
use crate::stage::header::{Change, Direction, Port, Scatter};
use crate::stage::types::{PortType, Scalar};

/// A buffer of a kernel.
pub struct Bound {
    /// Who reads it, by which ports.
    pub reads: Vec<Read>,
    pub variable: String,
    pub ty: String,
    pub writes: bool,
    /// What a person reads in the plan.
    pub name: String,
    pub value: ValueId,
}

/// Every buffer of a stage's kernel, in the order of their bindings.
pub fn bound(graph: &Graph, program: &Program, op: &Op, in_place: &[bool]) -> Vec<Bound> {
    let mut out = Vec::new();
    for read in &op.reads {
        let Some(port) = stage_of(graph, op, read.stage).and_then(|s| s.inputs().nth(read.port)) else { continue };
        let overwritten = |(write, in_place): (&Write, &bool)| *in_place && write.consumes == Some(read.value);
        let written = op.writes.iter().zip(in_place).position(overwritten);
        let value = &program.values[read.value];
        let variable = written.and_then(|w| target(graph, op, in_place, w));
        out.push(Bound {
            variable: variable.unwrap_or_else(|| format!("{}{}", prefix(read.stage), self::read(port, &read.part))),
            ty: match read.part {
                Part::Whole if wide(graph, program, op, read.port, Side::Input) => {
                    value.layout().buffer_of_fours().into()
                }
                Part::Whole | Part::Attribute(_) | Part::Packed(_) => value.layout().buffer(),
                _ => "array<u32>".into(),
            },
            writes: false,
            name: format!("{}{}", port.name, ending(&read.part)),
            value: read.value,
            reads: vec![read.clone()],
        });
    }
    // Stages that share a dispatch share what they read; where several cells are loaded at a time, each port has its own variables.
    if op.shape.is_none() && op.inlined().iter().any(|built| built.before) {
        out = out.into_iter().fold(Vec::new(), share);
    }
    for (index, (write, overwrites)) in op.writes.iter().zip(in_place).enumerate() {
        let Some(port) = stage_of(graph, op, write.stage).and_then(|s| s.outputs().nth(write.port)) else { continue };
        let value = &program.values[write.value];
        let fours = write.stage == OWN && wide(graph, program, op, write.port, Side::Output);
        let plain = |value: &Value| match fours {
            true => value.layout().buffer_of_fours().into(),
            false => value.layout().buffer(),
        };
        let copies = port.ty.is_grid() && port.direction == Direction::InOut && port.scatter.is_none()
            || matches!(port.change, Change::Emit(_));
        let name = format!("{}{}", port.name, ending(&write.part));
        let forwarded = write.consumes.is_some_and(|before| op.writes.iter().any(|w| w.value == before));
        if let Some(before) = write.consumes.filter(|_| !overwrites && copies && !forwarded) {
            out.push(Bound {
                reads: Vec::new(),
                variable: format!("{}{}", prefix(write.stage), read(port, &write.part)),
                ty: plain(program.values.get(before).unwrap_or(value)),
                writes: false,
                name: name.clone(),
                value: before,
            });
        }
        // What is passed on has no memory, or that of what goes on from it.
        if write.transient {
            continue;
        }
        let unsigned = value.ty.value().scalar() == Scalar::U32;
        let ty = match (port.scatter, &write.part) {
            (Some(Scatter::Min | Scatter::Max), _) if unsigned => "array<atomic<u32>>".into(),
            (Some(_), _) => "array<atomic<i32>>".into(),
            (_, Part::Whole) if port.reduce.is_some() && demand::at_once(write, value.ty.value()) => {
                format!("array<atomic<{}>>", value.ty.value().wgsl(value.dim))
            }
            (_, Part::Whole) if port.reduce.is_some() => format!("array<{}>", value.ty.value().wgsl(value.dim)),
            (_, Part::Whole) if port.ty == PortType::Particles => "array<u32>".into(),
            (_, Part::Count | Part::Order | Part::Start | Part::Found) => "array<u32>".into(),
            _ => plain(value),
        };
        out.push(Bound {
            reads: Vec::new(),
            variable: target(graph, op, in_place, index).unwrap_or_default(),
            ty,
            writes: true,
            name,
            value: write.value,
        });
    }
    // A version that is overwritten in place is there once, to read and to write.
    let (mut reads, mut writes): (Vec<Bound>, Vec<Bound>) = out.into_iter().partition(|b| !b.writes);
    reads.retain_mut(|r| match writes.iter_mut().find(|w| w.variable == r.variable) {
        Some(write) => {
            write.reads.append(&mut r.reads);
            false
        }
        None => true,
    });
    reads.into_iter().chain(writes).collect()
}

/// Adds a buffer that is read, unless the same is there already.
fn share(mut all: Vec<Bound>, mut next: Bound) -> Vec<Bound> {
    match all.iter_mut().find(|known| known.value == next.value && known.ty == next.ty) {
        Some(known) => known.reads.append(&mut next.reads),
        None => all.push(next),
    }
    all
}

/// The variable that a part of a port is read from. Attributes that are overwritten in place are read where they are written.
pub fn variable<'b>(bound: &'b [Bound], field: InstanceId, port: usize, part: &Part) -> Option<&'b str> {
    let found = |b: &&Bound| b.reads.iter().any(|r| r.stage == field && r.port == port && r.part == *part);
    bound.iter().find(found).map(|b| b.variable.as_str())
}

/// Whether a port's cells are read and written four words at a time.
fn wide(graph: &Graph, program: &Program, op: &Op, port: usize, side: Side) -> bool {
    let rows = op.sweeps == 1 && op.shape.is_some_and(|shape| shape.cells == CELLS_OF_A_ROW && shape.halo == 0);
    rows && window(graph, program, op, port, side).is_some_and(|window| window != Window::Narrow)
}

/// The variable that a write goes to: its own, or that of what goes on from it in the same memory and the same dispatch.
pub fn target(graph: &Graph, op: &Op, in_place: &[bool], write: usize) -> Option<String> {
    let mut last = write;
    while let Some(after) = (last + 1..op.writes.len())
        .find(|w| in_place.get(*w) == Some(&true) && op.writes[*w].consumes == Some(op.writes[last].value))
    {
        last = after;
    }
    let write = op.writes.get(last)?;
    let port = stage_of(graph, op, write.stage)?.outputs().nth(write.port)?;
    Some(format!("{}{}", prefix(write.stage), written(port, &write.part)))
}

/// The variable through which one stage of a dispatch hands a value to another.
pub fn forwarded(graph: &Graph, op: &Op, value: ValueId) -> Option<String> {
    let write = op.writes.iter().find(|w| w.value == value)?;
    let port = stage_of(graph, op, write.stage)?.outputs().nth(write.port)?;
    let name = if let Part::Attribute(name) = &write.part { &**name } else { port.name.as_str() };
    Some(format!("_o{}_{name}", write.stage))
}

/// What the variables of a built-in stage begin with.
fn prefix(instance: InstanceId) -> String {
    if instance == OWN { String::new() } else { super::fields::prefix(instance) }
}

fn stage_of<'a>(graph: &'a Graph, op: &Op, instance: InstanceId) -> Option<&'a Stage> {
    match &graph.nodes.get(op.node_of(instance)?)?.kind {
        Kind::Stage(stage) => Some(stage),
        _ => None,
    }
}

fn ending(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Attribute(name) => format!(".{name}"),
        Part::Count => ".count".into(),
        Part::Start => ".start".into(),
        Part::Order => ".items".into(),
        Part::Packed(names) => format!(".{names}"),
        Part::Found => ".found".into(),
    }
}

fn mangled(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Attribute(name) => format!("__{name}"),
        Part::Count => "__count_".into(),
        Part::Start => "__start_".into(),
        Part::Order => "__items_".into(),
        Part::Packed(names) => format!("__{}_", names.replace('+', "__")),
        Part::Found => "__found_".into(),
    }
}

/// Variable of the buffer that a port is read from, and of the one that it is written to. Neither can meet a name of the
/// user's, nor one port's the other's.
pub fn read(port: &Port, part: &Part) -> String {
    format!("_read_{}{}", port.name, mangled(part))
}

pub fn written(port: &Port, part: &Part) -> String {
    format!("_write_{}{}", port.name, mangled(part))
}
