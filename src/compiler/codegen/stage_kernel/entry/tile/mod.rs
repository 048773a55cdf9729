//! Several sweeps in one dispatch. A workgroup loads a tile with a halo, sweeps it in its own memory, and stores the inner part,
//! which is right: what the tile's border lacks moves inwards by a radius with each sweep.
//!
//! ```wgsl
//! _base = vec2i(_group.xy) * vec2i(56, 24) - vec2i(4, 4);
//! let _first = vec2i(_lane.xy) * vec2i(1, 4);
//! _fill(_first);
//! workgroupBarrier();
//! if (all(_base >= vec2i(0)) && all(_base + vec2i(64, 32) <= vec2i(128, 96))) { _within(_first); } else { _beyond(_first); }
//! _keep(_first + vec2i(0, 0));
//! ```

mod columns;
mod fill;
mod sweeps;

use std::fmt::Write as _;

use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::entry::blocks;
use crate::codegen::stage_kernel::entry::parts::Entry;
use crate::codegen::stage_kernel::entry::store::{element_of, existing_faces};
use crate::codegen::stage_kernel::names;
use crate::codegen::stage_kernel::tiles::Tiles;
use crate::codegen::wgsl::{axes, cell_literal, cell_type};
use crate::stage::types::WireType;
use sweeps::Sweeps;

const ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(local_invocation_id) _lane: vec3u";

/// The tiles, and the function that computes a cell of them.
pub(crate) fn variables(cx: &Context<'_>) -> Option<String> {
    let tiles = Tiles::of(cx)?;
    let mut out = String::new();
    let count: u32 = tiles.size.iter().product();
    for Written { port, value, .. } in cx.writes() {
        let _ = writeln!(out, "var<workgroup> {}: array<{}, {count}>;", names::tile(port), value.layout().wgsl());
    }
    let cells = cell_type(cx.dim);
    let _ = writeln!(out, "var<private> _base: {cells};\nvar<private> _at: {cells};\nvar<private> _inside: bool;");
    for (port, value) in cx.held_inputs() {
        let _ = writeln!(out, "var<private> {}: {};", names::held(port), value.layout().wgsl());
    }
    if !cx.in_columns() {
        out.push_str(&sweeps::cell(cx, &tiles));
    }
    Some(out)
}

/// The entry point of an operation that makes several sweeps. Its parts are functions, for naga takes time that grows with the square of
/// a function's length.
pub(super) fn entry(cx: &Context<'_>) -> Option<Entry> {
    let tiles = Tiles::of(cx)?;
    let sweeps = |whole: bool| match cx.in_columns() {
        true => columns::sweeps(cx, &tiles, whole),
        false => sweeps::sweeps(cx, &tiles),
    };
    let right = is_right(&tiles);
    let mut functions = blocks::functions(cx) + &fill::functions(cx, &tiles, &right);
    functions += &swept("_beyond", false, &sweeps(false), cx.dim);
    functions += &keep(cx, &tiles, &right);
    // A tile that holds the domain ends where that does, so every read has to know its edge. Else there is the same text twice: where the
    // whole tile lies inside the domain, the shader compiler drops all that edges need.
    if tiles.ring > 0 {
        functions += &swept("_within", true, &sweeps(true), cx.dim);
    }
    Some(Entry { functions, arguments: ARGUMENTS.into(), body: body(&tiles) })
}

/// A function that makes all sweeps of a tile that lies inside the domain, or reaches beyond it.
fn swept(name: &str, inside: bool, Sweeps { functions, body }: &Sweeps, dim: u32) -> String {
    format!("{functions}fn {name}(_first: {}) {{\n    _inside = {inside};\n{body}}}\n", cell_type(dim))
}

fn body(tiles: &Tiles) -> String {
    let cells = cell_type(tiles.dim);
    let axes = axes(tiles.dim);
    let vector = |v| tiles.cells_literal(v);
    let lane_cells = if tiles.dim == 3 { [1, 1, tiles.cells] } else { [1, tiles.cells, 1] };
    let mut out = format!(
        "    _base = {cells}(_group.{axes}) * {} - {};\n    let _first = {cells}(_lane.{axes}) * {};\n    \
         _fill(_first);\n    workgroupBarrier();\n",
        vector(tiles.inner),
        vector([tiles.halo; 3]),
        vector(lane_cells)
    );
    let _ = match tiles.ring {
        0 => writeln!(out, "    _beyond(_first);"),
        _ => {
            let (size, resolution) = (vector(tiles.size), cell_literal(tiles.resolution, tiles.dim));
            let whole = format!("all(_base >= {cells}(0)) && all(_base + {size} <= {resolution})");
            writeln!(out, "    if ({whole}) {{ _within(_first); }} else {{ _beyond(_first); }}")
        }
    };
    for k in 0..tiles.cells {
        let _ = writeln!(out, "    _keep(_first + {});", tiles.along(&k.to_string()));
    }
    out
}

/// Whether the cell `_c` of a place `_l` is one that the workgroup gets right.
fn is_right(tiles: &Tiles) -> String {
    format!(
        "all(_l >= {}) && all(_l < {}) && all(_c < {})",
        tiles.cells_literal([tiles.halo; 3]),
        tiles.cells_literal(tiles.size.map(|n| n.saturating_sub(tiles.halo))),
        cell_literal(tiles.extent, tiles.dim)
    )
}

/// `_keep(place)`, which stores a cell of the tile.
fn keep(cx: &Context<'_>, tiles: &Tiles, right: &str) -> String {
    let stores: String = cx.writes().map(|written| store(cx, tiles, &written)).collect();
    format!("fn _keep(_l: {}) {{ let _c = _base + _l; if ({right}) {{{stores} }} }}\n", cell_type(cx.dim))
}

fn store(cx: &Context<'_>, tiles: &Tiles, Written { port, write, value, .. }: &Written<'_>) -> String {
    let (layout, element) = (value.layout(), element_of(cx, "_c", value));
    let tile = |place: &str, element: &str| {
        let number = format!("{}[{}]", names::tile(port), tiles.element(place));
        if value.dithered { layout.dithered(&number, element) } else { number }
    };
    let to = names::written(port, &write.part);
    match layout.pairs() {
        // A tile's inner part begins and ends between pairs, since halos lie on both sides of an even number of cells.
        true => {
            let next = format!("(_l + {})", tiles.cells_literal([1, 0, 0]));
            let both = layout.store_pair(&to, &element, &tile("_l", &element), &tile(&next, &format!("{element} + 1")));
            format!(" if ((_c.x & 1) == 0) {{ {both} }}")
        }
        false if value.ty == WireType::FaceGrid => format!(
            " {{ let _cell = _c; {} {} }}",
            existing_faces(cx.dim, &tile("_l", &element)),
            layout.store(&to, &element, "_faces")
        ),
        false => format!(" {}", layout.store(&to, &element, &tile("_l", &element))),
    }
}
