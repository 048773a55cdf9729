//! One cell of a dispatch: the stages that run before, the call, and the store; and cells that a sweep of the other colour leaves alone.
//!
//! ```wgsl
//! if (((_cell.x + _cell.y) & 1) != params._color) { { let _old = _read_p[..]; _write_p[..] = _old; } return; }
//! _at = _cell; let _result = stage(_cell); _write_p[_cell.y * 64 + _cell.x] = _result;
//! ```

use std::fmt::Write as _;

use super::call::{before, call};
use super::store::{self, StoreTarget, stores};
use crate::codegen::stage_kernel::accessors::radius;
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::names;
use crate::codegen::wgsl::coordinate_sum;
use crate::stage::header::Direction;

/// The statements that compute `_cell` and store the result.
pub(super) fn cell(cx: &Context<'_>, slot: StoreTarget) -> String {
    format!("{}{}", computed(cx, slot), stores(cx, "", slot))
}

/// The statements that compute `_cell`, whatever becomes of the result: accessors learn where they are before any stage runs.
pub(super) fn computed(cx: &Context<'_>, slot: StoreTarget) -> String {
    let at = if radius::is_held(cx) { "_at = _cell; " } else { "" };
    let (before, call) = (before(cx, "_cell", Some(slot)), call(cx, "_cell"));
    format!("{at}{before}{call}")
}

/// Whether a cell is of the other colour, and what keeps it as it is; `None` where no invocation has such a cell.
pub(super) fn other_color(cx: &Context<'_>, slot: StoreTarget) -> Option<(String, String)> {
    cx.op.color.filter(|_| !cx.leaves_other_color())?;
    let mut keep = String::new();
    for written in cx.writes() {
        let Written { port, write, value, in_place, .. } = &written;
        // In place it is kept by leaving it alone, unless the other of its pair is stored with it.
        let stays = *in_place && !value.layout().pairs();
        if port.direction != Direction::InOut || stays || port.scatter.is_some() {
            continue;
        }
        let to = names::written(port, &write.part);
        let from = if *in_place { to.clone() } else { names::read(port, &write.part) };
        let before = cx.updated(&written);
        let (layout, element) = (before.layout(), store::element_of(cx, "_cell", before));
        let old = match cx.domain_of(value).filter(|_| layout.value.is_array()) {
            Some(domain) => layout.load_numbers(&from, &element, domain.cells()),
            None => layout.load(&from, &element),
        };
        // Outside the blocks a pool has no memory to keep it in.
        let there = if value.pooled.is_some() { "if (_runs(_cell)) " } else { "" };
        let store = store::repeated(cx, value, store::exact(cx, value, &to, slot, "_old"));
        let _ = write!(keep, "{there}{{ let _old = {old}; {store} }} ");
    }
    Some((format!("(({}) & 1) != params._color", coordinate_sum("_cell", cx.dim)), keep))
}
