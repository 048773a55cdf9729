//! Inputs that come through workgroup memory: the tile of each, and the accessor that reads it there, by place relative to the
//! workgroup's first cell.
//!
//! ```wgsl
//! var<workgroup> _tile_image: array<vec4f, 1296>;
//! fn _far_image(_cell: vec2i) -> vec4f { .. }
//! fn image(_cell: vec2i) -> vec4f { let _p = _cell - _first + vec2i(2, 2); return _tile_image[_p.y * 36 + _p.x]; }
//! ```

use super::grid::Grid;
use super::radius::nearest;
use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::mapping::Mapping;
use crate::codegen::stage_kernel::names;
use crate::codegen::wgsl::{cell_type, cells_literal, element};
use crate::ir::tiles::{self, Haloed};
use crate::stage::header::Port;
use crate::tuning::Shape;

/// The accessor that reads an input where it lies.
pub(crate) fn far(port: &Port) -> String {
    format!("_far_{}", port.name)
}

/// The inputs that come through workgroup memory.
pub(crate) fn inputs(cx: &Context<'_>) -> Vec<Haloed> {
    match cx.mapping {
        Mapping::Halo(shape) => tiles::inputs(cx.graph, cx.program, cx.op, shape.halo),
        _ => Vec::new(),
    }
}

/// Cells along each axis that a workgroup loads of one of them.
pub(crate) fn size(cx: &Context<'_>, shape: &Shape, input: &Haloed) -> [u32; 3] {
    tiles::tile(tiles::inner(cx.graph, cx.program, cx.op, shape), input.cells)
}

/// Whether some of it is as wide as a parameter says, so that the kernel stands there twice.
fn depends(cx: &Context<'_>) -> bool {
    inputs(cx).iter().any(|tile| tile.param.is_some())
}

/// The first cell that a workgroup computes, and whether it reads tiles.
pub(crate) fn variables(cx: &Context<'_>) -> String {
    let Mapping::Halo(_) = cx.mapping else { return String::new() };
    let tiled = if depends(cx) { "var<private> _tiled: bool;\n" } else { "" };
    format!("var<private> _first: {};\n{tiled}", cell_type(cx.dim))
}

/// `x(cell)` of an input that comes through workgroup memory, and its tile.
pub(crate) fn accessor(cx: &Context<'_>, grid: &Grid<'_>, port: &Port) -> Option<String> {
    let Mapping::Halo(shape) = cx.mapping else { return None };
    let of = |tile: &Haloed| cx.stage.inputs().nth(tile.input).is_some_and(|p| p.name == port.name);
    let input = inputs(cx).into_iter().find(of)?;
    let dim = grid.dim();
    let name = &port.name;
    let cells = cell_type(dim);
    let ty = grid.wgsl();
    let size = size(cx, &shape, &input);
    let count: u32 = size.iter().product();
    let (tile, far) = (names::tile(port), far(port));
    let elsewhere = Grid { name: &far, held: None, pooled: grid.pooled.clone(), ..*grid }.cell();
    let (cell, held) = match &grid.held {
        Some(radius) => ("_asked", format!("let _cell = {}; ", nearest(radius))),
        None => ("_cell", String::new()),
    };
    let edge = cells_literal(input.cells, dim);
    let here = format!("let _p = _cell - _first + {edge}; return {tile}[{}];", element("_p", size, dim));
    let body = match depends(cx) {
        true => format!("if (_tiled) {{ {here} }} return {far}(_cell);"),
        false => here,
    };
    Some(format!(
        "var<workgroup> {tile}: array<{ty}, {count}>;\n{elsewhere}\nfn {name}({cell}: {cells}) -> {ty} {{ {held}{body} }}"
    ))
}
