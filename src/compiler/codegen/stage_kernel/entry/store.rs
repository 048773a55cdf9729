//! Statements that store what a stage has returned.
//!
//! ```wgsl
//! _write_p[_cell.y * 64 + _cell.x] = _result.p;
//! _write_particles__age[_i] = _result.age;
//! ```

use super::blocks;
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::{names, pool, results};
use crate::codegen::wgsl::{COMPONENTS, cell_type, cells_literal, element};
use crate::graph::Domain;
use crate::ir::in_place::repeated_faces;
use crate::ir::{Part, WireValue};
use crate::stage::header::Change;
use crate::stage::types::{PortType, WireType};

/// Where the value of a cell goes.
#[derive(Clone, Copy)]
pub(super) enum StoreTarget {
    /// The element in memory.
    Element,
    /// A component of the pair that it shares a word with.
    Lane(&'static str),
}

/// Stores the result: grids at the cell, or in its lane of a pair; attributes at `place`.
pub(super) fn stores(cx: &Context<'_>, place: &str, slot: StoreTarget) -> String {
    let results = cx.writes().filter_map(|written| one(cx, &written, place, slot));
    results
        .chain(cx.zeros().map(|(value, variable, read)| zero(cx, value, (&variable, read))))
        .map(|store| format!(" {store}"))
        .collect()
}

/// Sets the cell of grids to zero that the dispatch clears besides.
pub(super) fn cleared(cx: &Context<'_>) -> String {
    cx.zeros().map(|(value, variable, read)| zero(cx, value, (&variable, read))).collect()
}

/// Statements that set a cell of a grid to zero; where the stage has read it there, only if it is not.
fn zero(cx: &Context<'_>, value: &WireValue, (variable, read): (&str, bool)) -> String {
    let element = element_of(cx, "_cell", value);
    match value.layout().numbers() {
        1 if read => format!("if ({variable}[{element}] != 0) {{ {variable}[{element}] = 0; }}"),
        n @ (2 | 4) if read => {
            format!("if (any({variable}[{element}] != vec{n}i())) {{ {variable}[{element}] = vec{n}i(); }}")
        }
        n if read => (0..n).map(|i| format!("{variable}[{n} * ({element}) + {i}] = 0; ")).collect(),
        1 => format!("{variable}[{element}] = 0u;"),
        n @ (2 | 4) => format!("{variable}[{element}] = vec{n}u();"),
        n => (0..n).map(|i| format!("{variable}[{n} * ({element}) + {i}] = 0u; ")).collect(),
    }
}

fn one(cx: &Context<'_>, written: &Written<'_>, place: &str, slot: StoreTarget) -> Option<String> {
    let Written { port, write, value, .. } = written;
    let set = port.change == Change::Put || port.is_summed_set();
    if port.scatter.is_some() || port.reduce.is_some() || set || write.transient {
        return None;
    }
    let variable = names::written(port, &write.part);
    let result = || results::result(cx, &port.name);
    Some(match &write.part {
        Part::Count
        | Part::Start
        | Part::Packed(_)
        | Part::Found
        | Part::Bins
        | Part::Covered(_)
        | Part::Slots(_)
        | Part::Zeros(_)
        | Part::Outside(..) => {
            return None;
        }
        Part::Attribute(_) if port.change == Change::Scatter => return None,
        Part::Order => format!("{variable}[{place}] = {};", result()),
        Part::Blocks => blocks::mark(cx, written, (&variable, &result()))?,
        Part::Attribute(name) => attribute(cx, written, name, (&variable, place)),
        Part::Whole if port.ty == PortType::Particles && port.change == Change::Filter => {
            format!("{variable}[{place}] = select(0u, 1u, {});", result())
        }
        Part::Whole if port.ty == PortType::Particles => format!("{variable}[{place}] = {};", result()),
        Part::Whole if value.ty == WireType::FaceGrid => {
            let store = cell(cx, value, &variable, slot, "_faces");
            repeated(cx, value, format!("{{ {} {store} }}", existing_faces(cx.dim, &result())))
        }
        Part::Whole => {
            let store = cell(cx, value, &variable, slot, &result());
            // Faces have a layer beyond the cells.
            let beyond = matches!(port.ty, PortType::Grid(_)) && cx.node.fills_faces();
            if beyond { format!("if (inside(_cell)) {{ {store} }}") } else { store }
        }
    })
}

/// An emitter writes every attribute, zero where it has nothing to say.
fn attribute(cx: &Context<'_>, written: &Written<'_>, name: &str, (variable, place): (&str, &str)) -> String {
    let layout = written.value.layout();
    match written.port.written.iter().any(|(n, _)| n == name) {
        true => layout.store(variable, place, &results::result(cx, name)),
        false => format!("{{ let _zero = {}(); {} }}", layout.wgsl(), layout.store(variable, place, "_zero")),
    }
}

/// A statement that stores a cell's number, the name of a value, as its precision leaves it.
pub(super) fn cell(cx: &Context<'_>, value: &WireValue, target: &str, slot: StoreTarget, source: &str) -> String {
    match value.dithered {
        true => {
            let element = element_of(cx, "_cell", value);
            match value.ty.value().is_array() {
                true => array(cx, value, target, source, true),
                false => exact(cx, value, target, slot, &value.layout().dithered(source, &element)),
            }
        }
        false => exact(cx, value, target, slot, source),
    }
}

/// A statement that stores a cell's number; where it shares a word with another, to the lane of the pair.
pub(super) fn exact(cx: &Context<'_>, value: &WireValue, target: &str, slot: StoreTarget, source: &str) -> String {
    match slot {
        StoreTarget::Lane(lane) if value.layout().pairs() => format!("{}.{lane} = {source};", names::pair(target)),
        _ if value.ty.value().is_array() => array(cx, value, target, source, false),
        _ => value.layout().store(target, &element_of(cx, "_cell", value), source),
    }
}

/// A statement that stores several numbers of a cell.
fn array(cx: &Context<'_>, value: &WireValue, target: &str, source: &str, dithered: bool) -> String {
    let cells = cx.domain_of(value).map_or(1, Domain::cells);
    value.layout().store_numbers(target, &element_of(cx, "_cell", value), source, cells, dithered)
}

/// The element of a cell that is named so.
pub(super) fn element_of(cx: &Context<'_>, cell: &str, value: &WireValue) -> String {
    let Some(domain) = cx.domain_of(value) else { return "0".into() };
    if let Some(function) = pool::function(cx, value) {
        return format!("{function}({cell})");
    }
    let resolution = if value.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution };
    element(cell, resolution, cx.dim)
}

/// A statement that stores a face, and where it is the first one around a periodic side, the same for the last.
///
/// ```wgsl
/// for (var _k = 0; _k < 4; _k++) { let _up = vec2i(_k >> 0u & 1, _k >> 1u & 1); if (all(_up * _cell == vec2i())) { let _cell = _cell + _up * vec2i(64, 48); { .. } } }
/// ```
pub(super) fn repeated(cx: &Context<'_>, value: &WireValue, store: String) -> String {
    let domain = cx.domain_of(value).filter(|_| value.ty == WireType::FaceGrid);
    let repeated = repeated_faces(cx.graph, cx.op);
    let Some(domain) = domain.filter(|_| repeated.contains(&true)) else { return store };
    let (mut ways, cells) = (0, cell_type(cx.dim));
    let up = repeated[..cx.dim as usize].iter().map(|repeated| {
        let bit = if *repeated { format!("_k >> {ways}u & 1") } else { "0".into() };
        ways += u32::from(*repeated);
        bit
    });
    let (up, last) = (up.collect::<Vec<_>>().join(", "), cells_literal(domain.resolution, cx.dim));
    format!(
        "for (var _k = 0; _k < {}; _k++) {{ let _up = {cells}({up}); \
         if (all(_up * _cell == {cells}())) {{ let _cell = _cell + _up * {last}; {store} }} }}",
        1 << ways
    )
}

/// Zeroes the components in the layer beyond the cells that belong to no face, so that what is stored is repeatable.
pub(super) fn existing_faces(dim: u32, source: &str) -> String {
    let axes = &COMPONENTS[..dim as usize];
    let exists = |axis: &str| {
        let others = axes.iter().filter(|other| **other != axis);
        others.map(|other| format!("_cell.{other} < RESOLUTION.{other}")).collect::<Vec<_>>().join(" && ")
    };
    let mask: Vec<String> = axes.iter().map(|axis| exists(axis)).collect();
    format!("let _faces = select(Vec(), {source}, vec{dim}<bool>({}));", mask.join(", "))
}
