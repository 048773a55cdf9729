//! The body of a stage that reduces: every lane takes part, elements outside with the neutral value.
//!
//! ```wgsl
//! var _v_most = f32(-3.4028234e38);
//! if (!(any(_cell >= vec2i(64, 48)))) { let _result = stage(_cell); _v_most = _result; }
//! _shared_most[_lane] = _v_most;
//! ..
//! if (_lane == 0u) { _write_most[(_group.z * _groups.y + _group.y) * _groups.x + _group.x] = _shared_most[0]; }
//! ```

use std::fmt::Write as _;

use super::blocks;
use super::store::StoreTarget;
use crate::codegen::reduction::{atomic, neutral, tree};
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::{names, results};
use crate::ir::{Part, demand};
use crate::stage::header::Reduction;

/// `outside`: whether there is no element. `run` calls the stage, and `stores` stores what it writes beside numbers.
pub(super) fn reduced(cx: &Context<'_>, outside: &str, run: &str, stores: &str) -> String {
    let reducing: Vec<(Written<'_>, Reduction)> =
        cx.writes().filter_map(|written| written.port.reduce.map(|kind| (written, kind))).collect();
    let mut out = String::new();
    let mut keep = String::new();
    for (Written { port, value, .. }, kind) in &reducing {
        let start = neutral(*kind, value.ty.value().scalar());
        let _ = writeln!(out, "    var _v_{} = {}({start});", port.name, value.ty.value().wgsl(cx.dim));
        let _ = write!(keep, " _v_{} = {};", port.name, results::result(cx, &port.name));
    }
    let inside = format!("{run}{stores}{keep}");
    let inside = match blocks::asks(cx) {
        true => {
            format!("if ({}) {{ {}}} else {{ {inside} }}", blocks::OUTSIDE, blocks::zeros(cx, StoreTarget::Element))
        }
        false => inside,
    };
    let _ = writeln!(out, "    if (!({outside})) {{ {inside} }}");
    let rank = blocks::rank(cx);
    out += rank.as_deref().unwrap_or_default();
    for (written, kind) in &reducing {
        out += &joined(written, *kind, rank.is_some());
    }
    out
}

/// Joins the values of all lanes, and has the first one store the result. `ranked`: at its workgroup's place along a list of blocks.
fn joined(Written { port, write, value, .. }: &Written<'_>, kind: Reduction, ranked: bool) -> String {
    let shared = names::shared(port);
    let target = names::written(port, &Part::Whole);
    let end = match demand::at_once(write, value.ty.value()) {
        true => format!("{}(&{target}[0], {shared}[0]);", atomic(kind)),
        false if ranked => format!("if (_rank < 0xfffffff0u) {{ {target}[_rank] = {shared}[0]; }}"),
        false => format!("{target}[(_group.z * _groups.y + _group.y) * _groups.x + _group.x] = {shared}[0];"),
    };
    format!("    {shared}[_lane] = _v_{};\n    {}\n    if (_lane == 0u) {{ {end} }}\n", port.name, tree(&shared, kind))
}
