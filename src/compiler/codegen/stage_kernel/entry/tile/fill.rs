//! What a tile begins with, loaded or made by the stages that run before. An invocation asks for all its cells before it stores the first
//! of them, for a load that stands behind a store waits for it.
//!
//! ```wgsl
//! fn _ask(_l: vec2i) { let _c = clamp(_base + _l, vec2i(0), vec2i(127, 95)); _t0 = _read_p[..]; _i0 = _read_rhs[..]; }
//! fn _fill(_first: vec2i) { _ask(_first + vec2i(0, 0)); _t0_0 = _t0; _i0_0 = _i0; .. _put(_first + vec2i(0, 0), _t0_0); }
//! fn _put(_l: vec2i, _s_t0: f32) { _tile_p[_l.y * 64 + _l.x] = _s_t0; }
//! ```

use std::fmt::Write as _;

use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::entry::call::before;
use crate::codegen::stage_kernel::entry::store::element_of;
use crate::codegen::stage_kernel::names;
use crate::codegen::stage_kernel::tiles::Tiles;
use crate::codegen::wgsl::cell_type;
use crate::ir::{OWN, Part, WireValue};

/// What is asked for at each cell.
struct CellRequest<'a> {
    /// Variable of the value; with the number of a cell appended, it is that of the cell.
    name: String,
    value: &'a WireValue,
    from: String,
    /// Inputs stay in registers; all else is stored.
    is_input: bool,
}

/// What stages that run before make and others read later.
struct Made<'a> {
    name: String,
    value: &'a WireValue,
    variable: String,
    target: String,
}

/// `_fill(first)`, which fills the tiles and the registers of inputs, and what it calls. `right`: whether the cell of a place is one that
/// the workgroup gets right.
pub(super) fn functions(cx: &Context<'_>, tiles: &Tiles, right: &str) -> String {
    let made = made(cx);
    let requests = cell_requests(cx, &made);
    let variables: String = requests.iter().map(|request| variables(tiles, request)).collect();
    format!(
        "{variables}{}{}{}",
        ask(cx, tiles, &requests),
        fill(cx, tiles, &requests),
        put(cx, tiles, (&requests, &made), right)
    )
}

/// What stages that run before make and others read later, numbered among what they store.
fn made<'a>(cx: &Context<'a>) -> Vec<Made<'a>> {
    let before = cx.inlined().flat_map(|of| cx.writes_of(of.index)).filter(|written| !written.write.transient);
    let made = before.enumerate().filter_map(|(index, Written { write, value, target, .. })| {
        Some(Made { name: format!("_m{index}"), value, variable: cx.passed(write.value)?, target })
    });
    made.collect()
}

fn cell_requests<'a>(cx: &Context<'a>, made: &[Made<'a>]) -> Vec<CellRequest<'a>> {
    let begun = cx.writes().enumerate().filter(|(_, written)| written.write.start.is_none());
    let begun = begun.map(|(index, written)| CellRequest {
        name: format!("_t{index}"),
        value: written.value,
        from: updated(cx, &written),
        is_input: false,
    });
    let inputs = cx.held_inputs().into_iter().enumerate().map(|(index, (port, value))| {
        let of = cx.stage.inputs().position(|p| p.name == port.name);
        let passed = of.and_then(|of| cx.forwarded(OWN, of, &Part::Whole)).map(|(variable, _)| variable);
        let loaded = || value.layout().load(&names::read(port, &Part::Whole), &element_of(cx, "_c", value));
        CellRequest { name: format!("_i{index}"), value, from: passed.unwrap_or_else(loaded), is_input: true }
    });
    let kept = made.iter().map(|made| CellRequest {
        name: made.name.clone(),
        value: made.value,
        from: made.variable.clone(),
        is_input: false,
    });
    begun.chain(inputs).chain(kept).collect()
}

/// What one of the stage's own writes goes on from, at the cell `_c`.
fn updated(cx: &Context<'_>, written: &Written<'_>) -> String {
    let loaded = || {
        let read = names::read(written.port, &written.write.part);
        cx.updated(written).layout().load(&read, &element_of(cx, "_c", written.value))
    };
    written.write.consumes.and_then(|before| cx.passed(before)).unwrap_or_else(loaded)
}

fn variables(tiles: &Tiles, CellRequest { name, value, .. }: &CellRequest<'_>) -> String {
    let ty = value.layout().wgsl();
    let cells: String = (0..tiles.cells).map(|k| format!("var<private> {name}_{k}: {ty}; ")).collect();
    format!("var<private> {name}: {ty};\n{cells}\n")
}

/// `_ask(place)`, which loads or makes everything of a cell.
fn ask(cx: &Context<'_>, tiles: &Tiles, requests: &[CellRequest<'_>]) -> String {
    let run = if runs(cx) { format!(" _at = _c; {}", before(cx, "_c", None)) } else { String::new() };
    let loads: String = requests.iter().map(|request| format!(" {} = {};", request.name, request.from)).collect();
    format!("fn _ask(_l: {}) {{ {}{run}{loads} }}\n", cell_type(cx.dim), tiles.shown())
}

/// Whether stages run before.
fn runs(cx: &Context<'_>) -> bool {
    cx.op.inlined().iter().any(|stage| stage.before)
}

/// `_fill(first)`
fn fill(cx: &Context<'_>, tiles: &Tiles, requests: &[CellRequest<'_>]) -> String {
    let mut out = format!("fn _fill(_first: {}) {{\n", cell_type(cx.dim));
    if runs(cx) && cx.names("substep") {
        out.push_str("    substep = params._substep;\n");
    }
    for k in 0..tiles.cells {
        let keep: String = requests.iter().map(|request| format!(" {0}_{k} = {0};", request.name)).collect();
        let _ = writeln!(out, "    _ask(_first + {});{keep}", tiles.along(&k.to_string()));
    }
    for k in 0..tiles.cells {
        let values: String = stored(requests).map(|request| format!(", {}_{k}", request.name)).collect();
        let _ = writeln!(out, "    _put(_first + {}{values});", tiles.along(&k.to_string()));
    }
    out + "}\n"
}

fn stored<'s, 'a>(requests: &'s [CellRequest<'a>]) -> impl Iterator<Item = &'s CellRequest<'a>> {
    requests.iter().filter(|request| !request.is_input)
}

/// `_put(place, ..)`, which stores what a cell begins with.
fn put(cx: &Context<'_>, tiles: &Tiles, (requests, made): (&[CellRequest<'_>], &[Made<'_>]), right: &str) -> String {
    let place = tiles.element("_l");
    let begun = cx.writes().enumerate().map(|(index, Written { port, write, value, .. })| {
        let from = match write.start {
            Some(_) => value.layout().rounded(&names::start(port)),
            None => format!("_s_t{index}"),
        };
        format!(" {}[{place}] = {from};", names::tile(port))
    });
    let mut stores: String = begun.collect();
    let kept = made.iter().map(|Made { name, value, target, .. }| {
        format!(" {}", value.layout().store(target, &element_of(cx, "_c", value), &format!("_s{name}")))
    });
    let kept: String = kept.collect();
    if !kept.is_empty() {
        let _ = write!(stores, " let _c = _base + _l; if ({right}) {{{kept} }}");
    }
    let takes =
        stored(requests).map(|CellRequest { name, value, .. }| format!(", _s{name}: {}", value.layout().wgsl()));
    format!("fn _put(_l: {}{}) {{{stores} }}\n", cell_type(cx.dim), takes.collect::<String>())
}
