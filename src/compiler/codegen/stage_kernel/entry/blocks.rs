//! Cells in which a stage does not run: their results are zero.
//!
//! ```wgsl
//! fn _runs(_c: vec2i) -> bool { let _b = min(_c, vec2i(63, 47)) / vec2i(8, 8); return _where[_b.y * 8 + _b.x] != 0u; }
//! if (!_runs(_cell)) { { let _none = f32(); _write_p[..] = _none; } return; }
//! ```

use std::fmt::Write as _;

use super::store::{self, StoreTarget};
use crate::codegen::blocks::block_of;
use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::names::BLOCKS;
use crate::codegen::wgsl::{cell_literal, cell_type, cells_literal, element};
use crate::ir::{Part, blocks, workgroups};
use crate::stage::types::WireType;

/// The condition under which a cell is not computed.
pub(super) const OUTSIDE: &str = "!_runs(_cell)";

/// What a dispatch by the list knows of an invocation.
pub(super) const ARGUMENTS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_id) _id: vec3u";

/// `let _cell = ..`: the cell of an invocation in the list's blocks; `None` where all cells are dispatched.
pub(super) fn place(cx: &Context<'_>) -> Option<String> {
    let (domain, dim) = (cx.domain(cx.node), cx.dim);
    let ([x, y, _], (groups, [.., deep])) = (blocks::blocks(&domain), blocks::groups(dim));
    let (block, list) = (cells_literal(blocks::block(dim), dim), blocks::list(&domain));
    let within = match dim {
        3 => format!("vec3i(_id + vec3u(0u, 0u, {deep}u * (_task % {groups}u)))"),
        _ => "vec2i(_id.xy)".to_string(),
    };
    let at = block_of("_b", [x, y], dim);
    cx.listed.then(|| {
        format!(
            "    let _task = _group.y * _groups.x + _group.x;\n    \
                 if (_task >= {groups}u * {BLOCKS}[3]) {{ return; }}\n    \
                 let _b = i32({BLOCKS}[{list}u + _task / {groups}u]);\n    \
                 let _cell = {at} * {block} + {within};\n"
        )
    })
}

/// The function that says whether the stage runs in a cell; `None` where it runs in all that are dispatched.
pub(super) fn function(cx: &Context<'_>) -> Option<String> {
    blocks::table(cx.op).filter(|_| !cx.listed)?;
    let (domain, dim) = (cx.domain(cx.node), cx.dim);
    // Faces beyond the last cells belong to the last blocks.
    let last = cell_literal(domain.resolution.map(|n| i64::from(n) - 1), dim);
    let (block, element) = (cells_literal(blocks::block(dim), dim), element("_b", blocks::blocks(&domain), dim));
    Some(format!(
        "fn _runs(_c: {}) -> bool {{ let _b = min(_c, {last}) / {block}; return {BLOCKS}[{head} + {element}] != 0u; }}\n",
        cell_type(dim),
        head = blocks::HEAD_WORDS,
    ))
}

/// The statements that store zero to all that the dispatch writes in a cell.
pub(super) fn zeros(cx: &Context<'_>, slot: StoreTarget) -> String {
    let mut out = String::new();
    for written in cx.all_writes() {
        let (port, value) = (written.port, written.value);
        let stays = written.in_place && written.write.settled;
        if stays
            || written.write.transient
            || written.write.part != Part::Whole
            || port.scatter.is_some()
            || port.reduce.is_some()
        {
            continue;
        }
        let store = store::exact(cx, value, &written.target, slot, "_none");
        let store = format!("{{ let _none = {}(); {store} }}", value.layout().wgsl());
        // Faces have a layer beyond the cells.
        let beyond = value.ty != WireType::FaceGrid && workgroups::fills_faces(cx.node);
        let _ = if beyond { write!(out, "if (inside(_cell)) {store} ") } else { write!(out, "{store} ") };
    }
    let _ = write!(out, "{}", store::cleared(cx));
    out
}
