//! The functions through which a stage sees its ports: for each input what reads it, for each output what writes it, and curves.
//!
//! ```wgsl
//! fn divergence(_cell: vec2i) -> f32 { return _o1_divergence; }
//! fn gravity(cell: vec2i) -> vec2f { return params._in_gravity; }
//! ```

pub mod constant;
mod field;
pub mod grid;
pub mod halo;
mod neighbors;
mod particles;
mod scatter;
pub mod window;

use super::context::{Context, Instance, Written};
use super::names::{self, prefix};
use super::text::Text;
use crate::graph;
use crate::plan::codegen::wgsl::cell_type;
use crate::plan::ir::{OWN, Part};
use crate::stage::header::{Change, Direction, Port};
use crate::stage::types::PortType;
use grid::Source;

/// All accessors of a stage. `text`: its own text as it runs here.
pub fn accessors(cx: &Context<'_>, of: Instance<'_>, text: &Text<'_>) -> String {
    let mut parts = Vec::new();
    for (index, (port, input)) in of.stage.inputs().zip(&of.node.inputs).enumerate() {
        if of.stage.names(&format!("{}_wired", port.name)) {
            let wired = !matches!(input.source, graph::Source::Setting(_));
            parts.push(format!("const {}_wired = {wired};", port.name));
        }
        parts.extend(match (port.ty, &input.source) {
            (PortType::Particles, _) => Some(particles::accessor(cx, of, (index, port), text)),
            (PortType::NeighborGrid, _) => neighbors::accessor(cx, of, (index, port)),
            (_, graph::Source::Setting(setting)) if port.direction == Direction::In => {
                Some(constant::accessor(cx, of, port, setting))
            }
            (PortType::Field(_), _) => field::accessor(cx, of, (index, port)),
            _ => whole_input(cx, of, (index, port)),
        });
    }
    parts.extend(of.stage.header.params.iter().filter_map(constant::drawn));
    parts.extend(cx.writes_of(of.index).filter_map(|written| output(cx, of, &written)));
    parts.into_iter().map(|part| part + "\n").collect()
}

/// What reads a grid or a number that comes on a wire.
fn whole_input(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<String> {
    let dim = cx.graph.dim(of.node);
    if let Some((instance, value)) = cx.recomputed(of.index, index) {
        let function = format!("{}stage", prefix(instance));
        return Some(grid::accessor(cx, of, port, value, Source::Function(&function)));
    }
    // What is gone on from is seen through the port that writes it, unless nothing is written.
    if port.direction == Direction::InOut && !cx.reads(of.index).any(|r| r.port == index) {
        return None;
    }
    if of.index == OWN
        && cx.mapping.is_tile()
        && let Some((_, value)) = cx.held_inputs().into_iter().find(|(held, _)| held.name == port.name)
    {
        return Some(of_variable(port, &names::held(port), value.layout().wgsl(), dim));
    }
    if let Some((variable, value)) = cx.forwarded(of.index, index, &Part::Whole) {
        return Some(of_variable(port, &variable, value.layout().wgsl(), dim));
    }
    let value = cx.reads(of.index).find(|r| r.port == index).and_then(|r| cx.value(r.value))?;
    Some(grid::accessor(cx, of, port, value, Source::Buffer(cx.variable(of.index, index, &Part::Whole)?)))
}

/// What a stage sees of a port that it writes: the version before, the sum so far, or attributes that it sets.
fn output(cx: &Context<'_>, of: Instance<'_>, written: &Written<'_>) -> Option<String> {
    let Written { port, write, value, .. } = written;
    if write.part == Part::Whole && port.ty.is_grid() && (port.direction == Direction::InOut || port.scatter.is_some())
    {
        return Some(whole_output(cx, of, written));
    }
    match &write.part {
        Part::Attribute(name) if port.change == Change::Put => Some(particles::setter(port, name, value)),
        _ => None,
    }
}

fn whole_output(cx: &Context<'_>, of: Instance<'_>, written: &Written<'_>) -> String {
    let Written { port, write, value, in_place, target } = written;
    let ty = value.layout().wgsl();
    // A tile goes on from it where it lies.
    if of.index != OWN || !cx.mapping.is_tile() {
        if write.start.is_some() {
            return of_variable(port, &value.layout().rounded(&names::start(port)), ty, value.dim);
        }
        if let Some(variable) = write.consumes.and_then(|before| cx.passed(before)) {
            return of_variable(port, &variable, ty, value.dim);
        }
    }
    if *in_place || port.scatter.is_some() {
        return grid::accessor(cx, of, port, value, Source::Buffer(target));
    }
    let variable = format!("{}{}", prefix(of.index), names::read(port, &write.part));
    grid::accessor(cx, of, port, cx.updated(written), Source::Buffer(&variable))
}

/// `x(cell)` of what a variable holds for the same cell.
fn of_variable(port: &Port, variable: &str, ty: &str, dim: u32) -> String {
    format!("fn {}(_cell: {}) -> {ty} {{ return {variable}; }}", port.name, cell_type(dim))
}
