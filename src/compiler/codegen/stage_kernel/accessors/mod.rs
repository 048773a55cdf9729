//! The functions through which a stage sees its ports: for each input what reads it, for each output what writes it, and curves.
//!
//! ```wgsl
//! fn divergence(_cell: vec2i) -> f32 { return _o1_divergence; }
//! fn gravity(cell: vec2i) -> vec2f { return params._in_gravity; }
//! ```

pub(super) mod constant;
mod field;
mod grid;
pub(super) mod halo;
mod neighbors;
mod particles;
pub(super) mod radius;
mod sampling;
mod scatter;
mod scatter_faces;
pub(super) mod window;
mod wired;

use crate::codegen::stage_kernel::context::{Context, Instance, Written};
use crate::codegen::stage_kernel::text::Text;
use crate::codegen::wgsl::cells_literal;
use crate::graph::Source;
use crate::ir::Part;
use crate::stage::header::{Change, Direction, Port};
use crate::stage::types::PortType;

/// All accessors of a stage. `text`: its own text as it runs here.
pub(super) fn accessors(cx: &Context<'_>, of: Instance<'_>, text: &Text<'_>) -> String {
    let mut parts = Vec::new();
    for (index, (port, input)) in of.stage.inputs().zip(&of.node.inputs).enumerate() {
        if of.stage.names(&format!("{}_wired", port.name)) {
            let wired = !matches!(input.source, Source::Setting(_));
            parts.push(format!("const {}_wired = {wired};", port.name));
        }
        if port.table && of.stage.names(&format!("{}_resolution", port.name)) {
            parts.push(table_resolution(cx, of, (index, port)));
        }
        parts.extend(match (port.ty, &input.source) {
            (PortType::Particles, _) => Some(particles::accessor(cx, of, (index, port), text)),
            (PortType::NeighborGrid, _) => neighbors::accessor(cx, of, (index, port)),
            (_, Source::Setting(setting)) if port.direction == Direction::In => {
                constant::read(of, port).then(|| constant::accessor(cx, of, port, setting))
            }
            (PortType::Field(_), _) => field::accessor(cx, of, (index, port)),
            _ => wired::input(cx, of, (index, port)),
        });
    }
    parts.extend(of.stage.header.params.iter().filter_map(constant::drawn));
    parts.extend(cx.writes_of(of.index).filter_map(|written| output(cx, of, &written)));
    parts.into_iter().map(|part| part + "\n").collect()
}

/// Cells of a table along each axis; one where nothing is wired.
fn table_resolution(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> String {
    let read = cx.all_reads(of.index).find(|read| read.port == index).and_then(|read| cx.value(read.value));
    let domain = read.and_then(|value| cx.domain_of(value));
    let (cells, dim) = domain.map_or(([1; 3], cx.graph.dim(of.node)), |domain| (domain.resolution, domain.dim));
    format!("const {}_resolution = {};", port.name, cells_literal(cells, dim))
}

/// What a stage sees of a port that it writes: the version before, the sum so far, or attributes that it sets.
fn output(cx: &Context<'_>, of: Instance<'_>, written: &Written<'_>) -> Option<String> {
    let Written { port, write, value, .. } = written;
    if write.part == Part::Whole && port.ty.is_grid() && (port.direction == Direction::InOut || port.scatter.is_some())
    {
        return Some(wired::output(cx, of, written));
    }
    match &write.part {
        Part::Attribute(name) if port.change == Change::Put => Some(particles::setter(port, name, value)),
        Part::Attribute(name) => Some(particles::adder(port, name, value, port.sum_bits()?)),
        _ => None,
    }
}
