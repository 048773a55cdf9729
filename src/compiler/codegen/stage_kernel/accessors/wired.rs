//! Grids and numbers that come on a wire: from memory, from another stage of the dispatch, from a register, or recomputed.
//!
//! ```wgsl
//! fn divergence(_cell: vec2i) -> f32 { return _o1_divergence; }
//! fn rhs(_cell: vec2i) -> f32 { return _in_rhs; }
//! fn count() -> f32 { return _read_count[0]; }
//! ```

use super::grid::{Grid, Source};
use super::{halo, radius, scatter, window};
use crate::codegen::stage_kernel::context::{Context, Instance, Written};
use crate::codegen::stage_kernel::names::{self, prefix};
use crate::codegen::stage_kernel::pool;
use crate::codegen::stage_kernel::tiles::Tiles;
use crate::codegen::wgsl::cell_type;
use crate::ir::layout::Layout;
use crate::ir::{OWN, Part, WireValue};
use crate::stage::header::{Direction, Port};

/// What reads a grid or a number that comes on a wire.
pub(super) fn input(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<String> {
    let dim = cx.graph.dim(of.node);
    if let Some((instance, value)) = cx.recomputed(of.index, index) {
        let function = format!("{}stage", prefix(instance));
        return Some(accessor(cx, of, port, value, Source::Function(&function)));
    }
    // What is gone on from is seen through the port that writes it, unless nothing is written.
    if port.direction == Direction::InOut && !cx.reads(of.index).any(|r| r.port == index) {
        return None;
    }
    if of.index == OWN
        && cx.mapping.is_tile()
        && let Some((_, value)) = cx.held_inputs().into_iter().find(|(held, _)| held.name == port.name)
    {
        return Some(of_variable(port, &names::held(port), value.layout(), dim));
    }
    if let Some((variable, value)) = cx.forwarded(of.index, index, &Part::Whole) {
        return Some(of_variable(port, &variable, value.layout(), dim));
    }
    let value = cx.reads(of.index).find(|r| r.port == index).and_then(|r| cx.value(r.value))?;
    Some(accessor(cx, of, port, value, Source::Buffer(cx.variable(of.index, index, &Part::Whole)?)))
}

/// What a stage sees of a grid that it goes on from or adds to.
pub(super) fn output(cx: &Context<'_>, of: Instance<'_>, written: &Written<'_>) -> String {
    let Written { port, write, value, in_place, target } = written;
    let layout = value.layout();
    // A tile goes on from it where it lies.
    if of.index != OWN || !cx.mapping.is_tile() {
        if write.start.is_some() {
            return of_variable(port, &layout.rounded(&names::start(port)), layout, value.dim);
        }
        if let Some(variable) = write.consumes.and_then(|before| cx.passed(before)) {
            return of_variable(port, &variable, layout, value.dim);
        }
    }
    if *in_place || port.scatter.is_some() {
        return accessor(cx, of, port, value, Source::Buffer(target));
    }
    let variable = format!("{}{}", prefix(of.index), names::read(port, &write.part));
    accessor(cx, of, port, cx.updated(written), Source::Buffer(&variable))
}

/// `x(cell)` of what a variable holds for the same cell.
fn of_variable(port: &Port, variable: &str, layout: Layout, dim: u32) -> String {
    let (name, cells) = (&port.name, cell_type(dim));
    if layout.value.is_array() {
        let last = layout.components() - 1;
        return format!("fn {name}(_cell: {cells}, _i: i32) -> f32 {{ return {variable}[clamp(_i, 0, {last})]; }}");
    }
    format!("fn {name}(_cell: {cells}) -> {} {{ return {variable}; }}", layout.wgsl())
}

/// The functions of a port whose cells are in memory or are recomputed: those that read it, or the one that adds to it.
fn accessor(cx: &Context<'_>, of: Instance<'_>, port: &Port, value: &WireValue, source: Source<'_>) -> String {
    if of.index == OWN && window::port_window(cx, port).is_some() {
        return window::accessor(cx, port, value);
    }
    let (name, layout) = (&port.name, value.layout());
    let Some(domain) = cx.domain_of(value) else {
        return format!("fn {name}() -> {} {{ return {}; }}", layout.wgsl(), source.load(layout, "0"));
    };
    let (edges, held) = (port.edges(domain.edge), radius::held(cx, of.stage, port, value));
    let nearest = port.nearest;
    let pooled = pool::function(cx, value);
    let grid = Grid { name, source, ty: value.ty, domain, layout, edges, nearest, pooled, held };
    if let (Some(kind), Source::Buffer(variable)) = (port.scatter, source) {
        return scatter::writer(cx, of, port, &grid, (variable, kind));
    }
    if of.index == OWN
        && let Some(accessor) = halo::accessor(cx, &grid, port)
    {
        return accessor;
    }
    let tile = names::tile(port);
    let swept = Tiles::of(cx).filter(|_| of.index == OWN && port.direction == Direction::InOut);
    let source = swept.map_or(source, |t| Source::Tile { variable: &tile, size: t.size, ghosts: t.ghosts });
    readers(&Grid { source, ..grid }, |suffix| of.stage.calls(&format!("{name}{suffix}")))
}

/// The functions that read a grid: `x`, which the others call, `x_face` and `x_at`.
fn readers(grid: &Grid<'_>, calls: impl Fn(&str) -> bool) -> String {
    let mut parts = Vec::new();
    if calls("") || calls("_at") || calls("_face") {
        parts.push(grid.cell());
    }
    if calls("_face") {
        parts.push(grid.face());
    }
    if calls("_at") {
        parts.push(grid.sample_at());
    }
    parts.join("\n")
}
