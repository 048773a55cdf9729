//! Cells in which a stage does not run: their results are zero.
//!
//! ```wgsl
//! fn _runs(_c: vec2i) -> bool { let _b = min(_c, vec2i(63, 47)) / vec2i(8, 8); return _where[_b.y * 8 + _b.x] != 0u; }
//! if (!_runs(_cell)) { { let _none = f32(); _write_p[..] = _none; } return; }
//! ```

use std::fmt::Write as _;

use super::store::{self, StoreTarget};
use crate::codegen::stage_kernel::context::Context;
use crate::codegen::wgsl::{cell_literal, cell_type, cells_literal, element};
use crate::ir::{Part, blocks, workgroups};
use crate::stage::types::WireType;

/// The buffer with a word for each block.
pub(in crate::codegen::stage_kernel) const VARIABLE: &str = "_where";

/// The condition under which a cell is not computed.
pub(super) const OUTSIDE: &str = "!_runs(_cell)";

/// The function that says whether the stage runs in a cell; `None` where it runs in all.
pub(super) fn function(cx: &Context<'_>) -> Option<String> {
    blocks::table(cx.op)?;
    let (domain, dim) = (cx.domain(cx.node), cx.dim);
    // Faces beyond the last cells belong to the last blocks.
    let last = cell_literal(domain.resolution.map(|n| i64::from(n) - 1), dim);
    let (block, element) = (cells_literal(blocks::block(dim), dim), element("_b", blocks::blocks(&domain), dim));
    Some(format!(
        "fn _runs(_c: {}) -> bool {{ let _b = min(_c, {last}) / {block}; return {VARIABLE}[{element}] != 0u; }}\n",
        cell_type(dim)
    ))
}

/// The statements that store zero to all that the dispatch writes in a cell.
pub(super) fn zeros(cx: &Context<'_>, slot: StoreTarget) -> String {
    let mut out = String::new();
    for written in cx.all_writes() {
        let (port, value) = (written.port, written.value);
        if written.write.transient
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
