//! Entry points of a block of cells whose inputs come through workgroup memory: loaded once, with a halo and by the edge rule, and read
//! from there as often as a stage likes.
//!
//! ```wgsl
//! _first = vec2i(_group.xy) * vec2i(32, 32);
//! let _own = _first + vec2i(_lane.xy) * vec2i(1, 4);
//! for (var _k = _index; _k < 1296u; _k += 256u) { _tile_image[_k] = _far_image(_first + vec2i(i32(_k % 36u), i32(_k / 36u)) - vec2i(2, 2)); }
//! workgroupBarrier();
//! ```

use super::cell::cell;
use super::pairs;
use super::parts::Entry;
use super::store::{StoreTarget, stores};
use crate::codegen::stage_kernel::accessors::halo::{far, inputs, size};
use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::names;
use crate::codegen::stage_kernel::text::Text;
use crate::codegen::wgsl::{axes, cell_literal, cell_type, cells_literal};
use crate::ir::tiles::{self, Haloed};
use crate::stage::header::Port;
use crate::stage::interleave::interleave;
use crate::tuning::Shape;

const ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(local_invocation_id) _lane: vec3u, @builtin(local_invocation_index) _index: u32";

/// The entry point that loads tiles and computes the cells of an invocation.
pub(super) fn entry(cx: &Context<'_>, shape: &Shape, text: &Text<'_>) -> Entry {
    let (cells, axes) = (cell_type(cx.dim), axes(cx.dim));
    let inner = cells_literal(tiles::inner(cx.graph, cx.program, cx.op, shape), cx.dim);
    let block = tiles::block(cx.graph, cx.program, cx.op, shape);
    let stride = cells_literal(block, cx.dim);
    let first = format!(
        "    _first = {cells}(_group.{axes}) * {inner};\n    let _own = _first + {cells}(_lane.{axes}) * {stride};\n"
    );
    let (inputs, lockstep) = (inputs(cx), in_lockstep(cx, block));
    let load = loads(cx, shape, &inputs);
    let each = match lockstep {
        Some(cells) => side_by_side(cx, cells),
        None => in_turn(cx, block[1]),
    };
    let within = inputs.iter().filter_map(|t| Some(format!("params.{} <= {}", t.param.as_ref()?, t.limit)));
    let within: Vec<String> = within.collect();
    // Twice the same text, so that the shader compiler knows in each where inputs are read.
    let computed = match within.is_empty() {
        true => format!("{load}{each}"),
        false => format!(
            "    if ({}) {{\n    _tiled = true;\n{load}{each}    }} else {{\n    _tiled = false;\n{each}    }}\n",
            within.join(" && ")
        ),
    };
    let functions = lockstep.and_then(|cells| stages(cx, cells, text)).unwrap_or_default();
    Entry { functions, arguments: ARGUMENTS.into(), body: first + &computed }
}

/// Cells of a row that an invocation computes in lockstep, where it takes several.
fn in_lockstep(cx: &Context<'_>, [cells, ..]: [u32; 3]) -> Option<u32> {
    (cells > 1 && !tiles::pairs(cx.program, cx.op)).then_some(cells)
}

/// A cell farther along the row.
fn cell_along_row(cx: &Context<'_>, cell: &str, k: u32) -> String {
    format!("{cell} + {}", cell_literal([i64::from(k), 0, 0], cx.dim))
}

/// The function that computes several cells in lockstep.
fn stages(cx: &Context<'_>, cells: u32, text: &Text<'_>) -> Option<String> {
    let [x, y, z] = cx.extent();
    // Cells beyond the last one are it once more, for what is read at a cell of the domain is not looked after again.
    let place = |k: u32| match x.is_multiple_of(cells) {
        true => cell_along_row(cx, "_cell", k),
        false => {
            let last = cell_literal([x, y, z].map(|n| i64::from(n) - 1), cx.dim);
            format!("min({}, {last})", cell_along_row(cx, "_cell", k))
        }
    };
    interleave(&text.source, cells, &place)
}

/// The statements that fill the tiles.
fn loads(cx: &Context<'_>, shape: &Shape, inputs: &[Haloed]) -> String {
    let ports = inputs.iter().filter_map(|input| Some((input, cx.stage.inputs().nth(input.input)?)));
    let loads: String = ports.map(|(input, port)| load(cx, shape, input, port)).collect();
    loads + "    workgroupBarrier();\n"
}

fn load(cx: &Context<'_>, shape: &Shape, input: &Haloed, port: &Port) -> String {
    let size = size(cx, shape, input);
    let (lanes, count): (u32, u32) = (shape.group.iter().product(), size.iter().product());
    let [x, y, _] = size;
    let place = match cx.dim {
        3 => format!("vec3i(i32(_k % {x}u), i32(_k / {x}u % {y}u), i32(_k / {}u))", x * y),
        _ => format!("vec2i(i32(_k % {x}u), i32(_k / {x}u))"),
    };
    let tile = names::tile(port);
    let far = far(port);
    let edge = cells_literal(input.cells, cx.dim);
    format!(
        "    for (var _k = _index; _k < {count}u; _k += {lanes}u) {{ {tile}[_k] = {far}(_first + {place} - {edge}); }}\n"
    )
}

/// The statements that compute the cells of an invocation in lockstep.
fn side_by_side(cx: &Context<'_>, cells: u32) -> String {
    let extent = cells_literal(cx.extent(), cx.dim);
    let stores = stores(cx, "", StoreTarget::Element);
    let store = |k: u32| {
        let moved = cell_along_row(cx, "_own", k);
        format!(
            "    {{ let _cell = {moved}; if (all(_cell < {extent})) {{ let _result = _results[{k}];{stores} }} }}\n"
        )
    };
    let each: String = (0..cells).map(store).collect();
    format!("    if (all(_own < {extent})) {{ let _results = _stages(_own);\n{each}    }}\n")
}

/// The statements that compute the rows of an invocation one after the other.
fn in_turn(cx: &Context<'_>, rows: u32) -> String {
    let extent = cells_literal(cx.extent(), cx.dim);
    let text = match tiles::pairs(cx.program, cx.op) {
        true => pairs::pairs(cx),
        false => format!("    {}\n", cell(cx, StoreTarget::Element)),
    };
    let step = if cx.dim == 3 { "vec3i(0, _m, 0)" } else { "vec2i(0, _m)" };
    format!(
        "    for (var _m = 0; _m < {rows}; _m++) {{ let _cell = _own + {step}; if (all(_cell < {extent})) {{\n{text}    }} }}\n"
    )
}
