//! The sweeps of a tile whose stage may look anywhere within its radius: every cell is read from workgroup memory.
//!
//! ```wgsl
//! for (var _s = 0; _s < 4; _s++) {
//!     var _v0: f32;
//!     if (_first.x >= 1 && _first.x < 63) { { let _l = _first + vec2i(0, 0); if (..) { _in_rhs = _i0_0; _v0 = _sweep(_l); } } }
//!     workgroupBarrier();
//!     if (_first.x >= 1 && _first.x < 63) { { let _l = _first + vec2i(0, 0); if (..) { _tile_p[_l.y * 64 + _l.x] = _v0; } } }
//!     workgroupBarrier();
//! }
//! ```

use std::fmt::Write as _;

use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::entry::blocks;
use crate::codegen::stage_kernel::tiles::Tiles;
use crate::codegen::stage_kernel::{names, results};
use crate::codegen::wgsl::{COMPONENTS, cell_type, coordinate_sum};

/// What computes a tile in the domain: functions, and the body of one that makes all sweeps.
pub(super) struct Sweeps {
    pub functions: String,
    pub body: String,
}

/// `_sweep(place)`, which computes a cell of the tile.
pub(super) fn cell(cx: &Context<'_>, tiles: &Tiles) -> String {
    let (cells, returned) = (cell_type(cx.dim), results::type_name(cx));
    let at = match (tiles.wrap(), tiles.ghosts) {
        (true, _) => format!("_spot = _l; _at = {};", tiles.named("(_base + _l)")),
        // What a cell outside shows is a cell inside, sweep by sweep.
        (_, true) => format!("{} _at = _c;", tiles.near()),
        _ => "_at = _base + _l;".into(),
    };
    let spot = if tiles.wrap() { format!("var<private> _spot: {cells};\n") } else { String::new() };
    format!(
        "{spot}fn _sweep(_l: {cells}) -> {returned} {{\n    \
             if (_inside) {{ _at = _base + _l; }} else {{ {at} }}\n    \
             {}return stage(_at);\n\
         }}\n",
        outside(cx, &returned)
    )
}

/// The statement that leaves a cell in which the stage does not run.
pub(super) fn outside(cx: &Context<'_>, returned: &str) -> String {
    if blocks::asks(cx) { format!("if (!_runs(_at)) {{ return {returned}(); }} ") } else { String::new() }
}

/// The loop over sweeps. Its body is written out cell by cell, so that values stay in registers.
pub(super) fn sweeps(cx: &Context<'_>, tiles: &Tiles) -> Sweeps {
    let head = format!("    for (var _s = 0; _s < {}; _s++) {{\n{}", cx.op.sweeps, counters(cx));
    let sweep = if cx.op.color.is_some() { colored(cx, tiles) } else { uncolored(cx, tiles) };
    Sweeps { functions: String::new(), body: format!("{head}{sweep}        workgroupBarrier();\n    }}\n") }
}

/// One colour of a checkerboard. What a cell reads, cells of the other colour, stays as it is; so it is overwritten at once.
fn colored(cx: &Context<'_>, tiles: &Tiles) -> String {
    let (sum, inside) = (coordinate_sum("_f", cx.dim), columns_inside(tiles));
    let mut out = format!("        let _f = _base + _first; let _odd = ({sum} + _s) & 1;\n        if ({inside}) {{\n");
    for k in (0..tiles.cells).step_by(2) {
        let text = format!("{}let _v{k} = _sweep(_l); {}", either_inputs(cx, k), set(cx, tiles, k));
        let (place, text) = (tiles.along(&format!("{k} + _odd")), guarded(tiles, k, k + 1, text));
        let _ = writeln!(out, "            {{ let _l = _first + {place}; {text} }}");
    }
    out + "        }\n"
}

/// A whole sweep: all cells are computed before one is overwritten.
fn uncolored(cx: &Context<'_>, tiles: &Tiles) -> String {
    let (returned, inside) = (results::type_name(cx), columns_inside(tiles));
    let mut declare = String::new();
    let mut compute = String::new();
    let mut keep = String::new();
    for k in 0..tiles.cells {
        let place = format!("let _l = _first + {};", tiles.along(&k.to_string()));
        let call = guarded(tiles, k, k, format!("{}_v{k} = _sweep(_l);", inputs(cx, k)));
        let _ = writeln!(declare, "        var _v{k}: {returned};");
        let _ = writeln!(compute, "            {{ {place} {call} }}");
        let _ = writeln!(keep, "            {{ {place} {} }}", guarded(tiles, k, k, set(cx, tiles, k)));
    }
    format!(
        "{declare}        if ({inside}) {{\n{compute}        }}\n        workgroupBarrier();\n        \
         if ({inside}) {{\n{keep}        }}\n"
    )
}

/// Whether an invocation's column is far enough from the border of the tile.
fn columns_inside(tiles: &Tiles) -> String {
    let ring = tiles.ring;
    let inside = |axis: usize| {
        let (letter, end) = (COMPONENTS[axis], tiles.size[axis] - ring);
        format!("_first.{letter} >= {ring} && _first.{letter} < {end}")
    };
    (0..tiles.column()).map(inside).collect::<Vec<_>>().join(" && ")
}

/// Statements for a cell of a column, the one of number `low` or `high`, unless it is near the border of the tile. Only the first and the
/// last cells of an invocation can be.
fn guarded(tiles: &Tiles, low: u32, high: u32, text: String) -> String {
    let (ring, last) = (tiles.ring, COMPONENTS[tiles.column()]);
    match (low < ring, high + ring >= tiles.cells) {
        (false, false) => text,
        _ => format!("if (_l.{last} >= {ring} && _l.{last} < {}) {{ {text} }}", tiles.size[tiles.column()] - ring),
    }
}

/// Statements that store to the tile what the cell of number `k` has become.
fn set(cx: &Context<'_>, tiles: &Tiles, k: u32) -> String {
    let element = tiles.element("_l");
    let one = |name: &str| results::member(cx, cx.dispatched(), &format!("_v{k}"), name);
    let all = cx.writes().map(|w| format!("{}[{element}] = {};", names::tile(w.port), one(&w.port.name)));
    all.collect::<Vec<_>>().join(" ")
}

/// Statements that bring the inputs of an invocation's cell where the accessors read them.
fn inputs(cx: &Context<'_>, k: u32) -> String {
    let held = cx.held_inputs();
    held.iter().enumerate().map(|(i, (port, _))| format!("{} = _i{i}_{k}; ", names::held(port))).collect()
}

/// Statements that bring an invocation's inputs where the accessors read them, where the colour decides between a cell and the next.
fn either_inputs(cx: &Context<'_>, k: u32) -> String {
    let held = cx.held_inputs();
    let one = |(i, (port, _)): (usize, &(&_, &_))| {
        format!("{} = select(_i{i}_{k}, _i{i}_{}, _odd == 1); ", names::held(port), k + 1)
    };
    held.iter().enumerate().map(one).collect()
}

/// Statements that set the counters that a stage may name, in the sweep `_s`.
pub(super) fn counters(cx: &Context<'_>) -> String {
    let mut out = String::new();
    if cx.names("iteration") {
        let done = if cx.op.color.is_some() { "(_s >> 1u)" } else { "_s" };
        let _ = writeln!(out, "        iteration = params._iteration + {done};");
    }
    if cx.names("substep") {
        out.push_str("        substep = params._substep;\n");
    }
    out
}
