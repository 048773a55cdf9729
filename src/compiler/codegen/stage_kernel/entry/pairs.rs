//! Two cells in one invocation: in half precision two numbers share a word, and what is stored at once can't be half written.
//!
//! ```wgsl
//! let _even = _cell;
//! var _two_write_p: vec2f;
//! { let _cell = _even + vec2i(0, 0); let _result = stage(_cell); _two_write_p.x = _result; }
//! { let _cell = _even + vec2i(1, 0); let _result = stage(_cell); _two_write_p.y = _result; }
//! _write_p[(_even.y * 64 + _even.x) >> 1u] = pack2x16float(vec2f(_two_write_p.x, _two_write_p.y));
//! ```

use std::fmt::Write as _;

use super::blocks;
use super::cell::{cell, other_color};
use super::store::{StoreTarget, element_of};
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::names::pair;
use crate::codegen::wgsl::cell_literal;
use crate::tuning::CELLS_OF_A_WORD;

/// The components of a pair.
const LANES: [&str; CELLS_OF_A_WORD as usize] = ["x", "y"];

/// The statements that compute two cells from `_cell` on, an even one.
pub(super) fn pairs(cx: &Context<'_>) -> String {
    let stored = |written: &Written<'_>| !written.write.transient && written.value.layout().pairs();
    let stored: Vec<Written<'_>> = cx.all_writes().filter(stored).collect();
    let mut out = String::from("    let _even = _cell;\n");
    for Written { target, .. } in &stored {
        let _ = writeln!(out, "    var {}: vec2f;", pair(target));
    }
    for (lane, k) in LANES.into_iter().zip(0..) {
        let place = format!("let _cell = _even + {};", cell_literal([k, 0, 0], cx.dim));
        let (slot, cell) = (StoreTarget::Lane(lane), cell(cx, StoreTarget::Lane(lane)));
        let cell = match blocks::asks(cx) {
            true => format!("if ({}) {{ {}}} else {{ {cell} }}", blocks::OUTSIDE, blocks::zeros(cx, slot)),
            false => cell,
        };
        let _ = match other_color(cx, slot) {
            Some((other, keep)) => writeln!(out, "    {{ {place} if ({other}) {{ {keep}}} else {{ {cell} }} }}"),
            None => writeln!(out, "    {{ {place} {cell} }}"),
        };
    }
    for Written { value, target, .. } in &stored {
        let (two, element) = (pair(target), element_of(cx, "_even", value));
        let store = value.layout().store_pair(target, &element, &format!("{two}.x"), &format!("{two}.y"));
        let _ = writeln!(out, "    {store}");
    }
    out
}
