//! Particles: the struct that a stage sees, with the attributes that it reads, and the functions that load and set them.
//!
//! ```wgsl
//! struct Particle { index: u32, position: vec2f, mass: f32 }
//! fn particles(_asked: u32) -> Particle { let _index = min(_asked, 4095u); return Particle(_index, _read_particles__position[_index], ..); }
//! fn put_age(_index: u32, _value: f32) { if (_index < 4096u) { _write_particles__age[_index] = _value; } }
//! ```

use std::fmt::Write as _;

use super::scatter::checked_sums;
use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::codegen::stage_kernel::names;
use crate::codegen::stage_kernel::text::Text;
use crate::codegen::wgsl::{COMPONENTS, float};
use crate::ir::{Part, WireValue, packs};
use crate::stage::header::{Change, Port};
use crate::stage::types::{PortType, Scalar};

/// A member of the struct: its name, its WGSL type, and the expression that loads it at `_index`.
struct Member<'a> {
    name: &'a str,
    ty: &'static str,
    load: String,
}

/// `struct Particle`, `x(index)` and `x_count()`.
pub(super) fn accessor(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port), text: &Text<'_>) -> String {
    let (name, ty) = (&port.name, type_name(of, port));
    let members = members(cx, of, (index, port));
    let declared: Vec<String> = members.iter().map(|member| format!("{}: {}", member.name, member.ty)).collect();
    let loads: Vec<&str> = members.iter().map(|member| member.load.as_str()).collect();
    let loads = format!("{ty}({})", loads.join(", "));
    let mut out = format!("struct {ty} {{ {} }}\n", declared.join(", "));
    let iterated = cx.op.runs_itself(of.index) && of.stage.set().is_some_and(|set| set.name == *name);
    if iterated || of.stage.calls(name) {
        let last = capacity(cx, of, index).saturating_sub(1);
        let _ = write!(out, "fn {name}(_asked: u32) -> {ty} {{ let _index = min(_asked, {last}u); return {loads}; }}");
    }
    let near = format!("_near_{name}");
    if text.source.contains(&near) {
        let place = place_of_neighbor(cx, of, index);
        let _ = write!(out, "\nfn {near}(_asked: u32) -> {ty} {{ let _index = {place}; return {loads}; }}");
    }
    if of.stage.calls(&format!("{name}_count"))
        && let Some(count) = cx.variable(of.index, index, &Part::Count)
    {
        let _ = write!(out, "\nfn {name}_count() -> u32 {{ return {count}[0]; }}");
    }
    out
}

/// WGSL type of the particles of a port.
fn type_name(of: Instance<'_>, port: &Port) -> String {
    match of.stage.set().is_some_and(|set| set.name == port.name) {
        true => "Particle".into(),
        false => format!("Particle_{}", port.name),
    }
}

fn members<'p>(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &'p Port)) -> Vec<Member<'p>> {
    let number = |name| Member { name, ty: "u32", load: "_index".into() };
    let mut out = vec![number("index")];
    if matches!(port.change, Change::Emit(_)) {
        out.push(number("serial"));
    }
    out.extend(port.attributes.iter().filter_map(|(name, _)| attribute(cx, of, (index, port), name)));
    out
}

/// An attribute from a stage of the same dispatch, from a pack, or from memory of its own.
fn attribute<'p>(
    cx: &Context<'_>,
    of: Instance<'_>,
    (index, port): (usize, &'p Port),
    name: &'p str,
) -> Option<Member<'p>> {
    let part = Part::Attribute(name.into());
    if let Some((variable, value)) = cx.forwarded(of.index, index, &part) {
        return Some(Member { name, ty: value.layout().wgsl(), load: variable });
    }
    if let Some((ty, load)) = packed(cx, of, (index, port), name) {
        return Some(Member { name, ty, load });
    }
    let layout = cx.read_value(of.index, index, &part)?.layout();
    let load = layout.load(cx.variable(of.index, index, &part)?, "_index");
    Some(Member { name, ty: layout.wgsl(), load })
}

/// WGSL type of an attribute that a port reads from a pack, and the expression that loads it at `_index`.
fn packed(
    cx: &Context<'_>,
    of: Instance<'_>,
    (index, port): (usize, &Port),
    name: &str,
) -> Option<(&'static str, String)> {
    cx.reads(of.index).filter(|r| r.port == index).find_map(|read| {
        let Part::Packed(names) = &read.part else { return None };
        let value = cx.value(read.value)?;
        let ty = |name: &str| port.attributes.iter().find(|(a, _)| a == name).map(|(_, ty)| *ty);
        let words = |name: &str| ty(name).map_or(1, |ty| ty.components(value.dim));
        let first = packs::place(names, name, words)?;
        let variable = cx.variable(of.index, index, &read.part)?;
        let load = format!("{variable}[_index].{}", packs::components(first, words(name)));
        Some((ty(name)?.wgsl(value.dim), load))
    })
}

/// The place of a neighbour. The rows that a loop over neighbours goes through end within the set; an entry of a list may be anything.
fn place_of_neighbor(cx: &Context<'_>, of: Instance<'_>, index: usize) -> String {
    let room = capacity(cx, of, index);
    let listed = cx.reads(of.index).any(|r| r.part == Part::Order);
    let within = !listed && largest(cx, of).is_some_and(|largest| largest <= room);
    if within { "_asked".into() } else { format!("min(_asked, {}u)", room.saturating_sub(1)) }
}

/// Room of the largest set of a stage: the one that a neighbour grid finds is among them. None where a set is only counted.
pub(super) fn largest(cx: &Context<'_>, of: Instance<'_>) -> Option<u32> {
    let is_stage_set = |port: &Port| of.stage.set().is_some_and(|set| set.name == port.name);
    let sets = of.stage.inputs().enumerate().filter(|(_, port)| port.ty == PortType::Particles);
    let rooms: Option<Vec<u32>> = sets.map(|(index, port)| known_capacity(cx, of, index, is_stage_set(port))).collect();
    rooms?.into_iter().max()
}

/// Room of the set at a port, if what is read of it says so.
fn known_capacity(cx: &Context<'_>, of: Instance<'_>, port: usize, is_stage_set: bool) -> Option<u32> {
    let mut reads = cx.all_reads(of.index).filter(|r| r.port == port);
    let attribute = reads.find(|r| matches!(r.part, Part::Attribute(_) | Part::Packed(_)));
    let value = attribute.and_then(|r| cx.value(r.value));
    value.map(|v| v.capacity).or_else(|| of.node.set.as_ref().filter(|_| is_stage_set).map(|s| s.capacity))
}

/// Particles that the set of a port has room for.
fn capacity(cx: &Context<'_>, of: Instance<'_>, port: usize) -> u32 {
    known_capacity(cx, of, port, true).unwrap_or(1)
}

/// `add_x(index, value)`, where every sum is checked.
pub(super) fn adder(port: &Port, name: &str, value: &WireValue, bits: u32) -> String {
    let (layout, target) = (value.layout(), names::written(port, &Part::Attribute(name.into())));
    let (n, stride) = (layout.components(), layout.numbers());
    let part = |i: u32| if n == 1 { "_value".to_string() } else { format!("_value.{}", COMPONENTS[i as usize]) };
    let sum = |i: u32| format!("&{target}[{stride}u * _index + {i}u]");
    let adds = match layout.value.scalar() {
        Scalar::F32 => {
            let sums: Vec<String> = (0..n).map(sum).collect();
            checked_sums(name, "i32(_index)", &sums, &float(f64::from(1u32 << bits)))
        }
        _ => {
            let add = |i| {
                format!(
                    "let _o = atomicAdd({}, {part}); _check_{name}(i32(_index), {part}, _o);",
                    sum(i),
                    part = part(i)
                )
            };
            (0..n).map(add).collect()
        }
    };
    format!(
        "fn add_{name}(_index: u32, _value: {}) {{ if (_index >= {}u) {{ return; }} {} }}",
        layout.wgsl(),
        value.capacity,
        adds
    )
}

/// `put_x(index, value)`
pub(super) fn setter(port: &Port, name: &str, value: &WireValue) -> String {
    let layout = value.layout();
    let store = layout.store(&names::written(port, &Part::Attribute(name.into())), "_index", "_value");
    format!(
        "fn put_{name}(_index: u32, _value: {}) {{ if (_index < {}u) {{ {store} }} }}",
        layout.wgsl(),
        value.capacity
    )
}
