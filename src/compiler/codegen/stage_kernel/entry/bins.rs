//! Entry points over particles that are listed by bins of cells ([`crate::ir::bins`]): a workgroup goes through chunks of the list. What its
//! particles add to cells of the bin's tile adds up in workgroup memory, and then goes to the grid.
//!
//! ```wgsl
//! for (var _chunk = _group.x; _chunk < _chunks; _chunk += _groups.x) {
//!     workgroupBarrier();
//!     if (_spot < _read_particles__bins_[_at + 1u]) { let _i = _read_particles__bins_[640u + _spot]; let _result = stage(particles(_i)); .. }
//!     workgroupBarrier();
//!     for (var _k = _lane; _k < 2048u; _k += 2048u) { let _q0 = atomicExchange(&_tile_momentum[..], 0); .. _flush_momentum(..); }
//! }
//! ```

use super::parts::Entry;
use crate::codegen::stage_kernel::alarms::LOOP_BUDGET;
use crate::codegen::stage_kernel::bins::{Bins, sums};
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::{checks, names};
use crate::codegen::wgsl::cells_literal;
use crate::ir::bins;
use crate::ir::workgroups::LANES;

/// Words that a lane adds to the grid before it looks at what they were.
const FLUSHED_AT_ONCE: u32 = 8;
const ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_index) _lane: u32";

/// The entry point around the text of one particle, `_i`.
pub(super) fn entry(cx: &Context<'_>, bins: Bins<'_>, particle: &str) -> Entry {
    let Bins { variable, domain, capacity, .. } = bins;
    let dim = domain.dim;
    let head = bins::HEAD_WORDS;
    let words = bins::CHUNK_WORDS;
    let list = bins::list(domain, capacity);
    let [x, y, _] = bins::bins(domain);
    let place = match dim {
        3 => format!("vec3i(i32(_bin % {x}u), i32(_bin / {x}u % {y}u), i32(_bin / {}u))", x * y),
        _ => format!("vec2i(i32(_bin % {x}u), i32(_bin / {x}u))"),
    };
    let (bin, margin) = (cells_literal(bins::bin(dim), dim), cells_literal(bins.margin(), dim));
    let clear: String = sums(cx).map(|sum| cleared(&bins, &sum)).collect();
    let begin: String = sums(cx).map(|(Written { port, .. }, _)| format!("_added_{} = 0.0; ", port.name)).collect();
    let loops = cx.instances().any(|of| !of.stage.bounded(cx.graph.dim(of.node)).finite);
    let begin = if loops { format!("{begin}_rounds = {LOOP_BUDGET}; ") } else { begin };
    let flush: String = sums(cx).map(|sum| flushed(&bins, &sum)).collect();
    let [sampled, sums, sampled_end] = checks::sampled_chunks(cx).unwrap_or_default();
    let body = format!(
        "{clear}{sums}    \
         let _chunks = {variable}[0];\n    \
         for (var _chunk = _group.x; _chunk < _chunks; _chunk += _groups.x) {{\n    \
             let _at = {head}u + {words}u * _chunk; let _bin = {variable}[_at + 2u];\n    \
             let _spot = {variable}[_at] + _lane;\n    \
             {sampled}_corner = {place} * {bin} - {margin};\n    \
             workgroupBarrier();\n    \
             if (_spot < {variable}[_at + 1u]) {{\n    \
                 let _i = {variable}[{list}u + _spot]; {begin}\n    \
                 {particle}\n    \
             }}\n    \
             workgroupBarrier();\n{flush}{sampled_end}    \
         }}\n"
    );
    Entry::new(ARGUMENTS, body)
}

fn cleared(bins: &Bins<'_>, (Written { port, .. }, numbers): &(Written<'_>, u32)) -> String {
    let (tile, words) = (names::tile(port), bins.tile().iter().product::<u32>() * numbers);
    format!("    for (var _k = _lane; _k < {words}u; _k += {LANES}u) {{ atomicStore(&{tile}[_k], 0); }}\n")
}

/// What a tile holds goes to the grid, neighbouring lanes to neighbouring words. A lane asks for several sums before it looks at what memory
/// answers to the first.
fn flushed(bins: &Bins<'_>, (Written { port, .. }, numbers): &(Written<'_>, u32)) -> String {
    let [x, y, z] = bins.tile();
    let (tile, name, cells) = (names::tile(port), &port.name, x * y * z);
    let place = |e: &str| match bins.domain.dim {
        3 => format!("vec3i(i32({e} % {x}u), i32({e} / {x}u % {y}u), i32({e} / {}u))", x * y),
        _ => format!("vec2i(i32({e} % {x}u), i32({e} / {x}u))"),
    };
    let words = cells * numbers;
    let each = |text: &dyn Fn(u32) -> String| (0..FLUSHED_AT_ONCE).map(text).collect::<String>();
    let take = |k: u32| {
        let word = format!("_k + {}u", k * LANES);
        let element = format!("_part{k} * {cells}u + _e{k}");
        format!(
            "        let _e{k} = ({word}) / {numbers}u; let _part{k} = ({word}) % {numbers}u; var _q{k} = 0; \
             if ({word} < {words}u) {{ _q{k} = atomicExchange(&{tile}[{element}], 0); }}\n"
        )
    };
    let ask = |k: u32| {
        let cell = format!("_corner + {}", place(&format!("_e{k}")));
        format!("        let _p{k} = _flush_{name}({cell}, i32(_part{k}), _q{k});\n")
    };
    let look = |k: u32| format!("        _flushed_{name}(_p{k}.x, _q{k}, _p{k}.y);\n");
    format!(
        "    for (var _k = _lane; _k < {words}u; _k += {}u) {{\n{}{}{}    }}\n",
        FLUSHED_AT_ONCE * LANES,
        each(&take),
        each(&ask),
        each(&look)
    )
}
