//! Entry points over particles: of the living, of a filter, of a reduction, and of an emitter.
//!
//! ```wgsl
//! let _i = (_group.y * _groups.x + _group.x) * 256u + _lane;
//! if (_i >= min(_read_particles__count_[0], 4096u)) { return; }
//! let _result = stage(particles(_i)); _write_particles__age[_i] = _result;
//! ```

use std::fmt::Write as _;

use super::call::{before, call};
use super::parts::{Entry, PLACE_ARGUMENTS};
use super::store::{StoreTarget, stores};
use super::{packs, reduce};
use crate::codegen::stage_kernel::alarms::raise;
use crate::codegen::stage_kernel::bins::Bins;
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::{names, results};
use crate::data::Cause;
use crate::ir::{Lanes, OWN, Part};
use crate::stage::header::{Change, Port};

/// The place of an invocation.
const PLACE: &str = "    let _i = (_group.y * _groups.x + _group.x) * 256u + _lane;\n";

/// The set that a stage runs over.
struct Set<'a> {
    port: &'a Port,
    /// Index of the port among the inputs.
    input: usize,
    /// The buffer of its count.
    count: &'a str,
    capacity: u32,
}

pub(super) fn entry(cx: &Context<'_>) -> Entry {
    let Some(port) = cx.stage.set() else { return Entry::new("", PLACE.into()) };
    let input = cx.stage.inputs().position(|p| p.name == port.name).unwrap_or(0);
    let count = cx.variable(OWN, input, &Part::Count).unwrap_or_default();
    let set = Set { port, input, count, capacity: cx.node.set.as_ref().map_or(0, |s| s.capacity) };
    let call = call(cx, &format!("{}(_i)", port.name));
    let stores = format!("{}{}", stores(cx, "_i", StoreTarget::Element), moved(cx, &set));
    if let Some(bins) = Bins::of(cx) {
        let (before, packs) = (before(cx, "_i", Some(StoreTarget::Element)), packs::stores(cx, set.input));
        return super::bins::entry(cx, bins, &format!("{before}{call}{stores}{packs}"));
    }
    let dead = format!("_i >= min({count}[0], {}u)", set.capacity);
    let body = match (&port.change, cx.reduces()) {
        (Change::Emit(amount), _) => emission(cx, &set, amount),
        (_, true) => reduce::reduced(cx, &dead, &call, &stores),
        (Change::Filter, _) => {
            let flags = names::written(port, &Part::Whole);
            let (capacity, none) = (set.capacity, format!("{flags}[_i] = 0u; return;"));
            format!("    if (_i >= {capacity}u) {{ return; }}\n    if ({dead}) {{ {none} }}\n    {call}{stores}\n")
        }
        _ => {
            let (before, packs) = (before(cx, "_i", Some(StoreTarget::Element)), packs::stores(cx, set.input));
            format!("    if ({dead}) {{ return; }}\n    {before}{call}{stores}{packs}\n")
        }
    };
    let shared = format!(
        "    let _n = (_group.y * _groups.x + _group.x) * 256u + _lane; let _i = _n / {lanes}u; _share = i32(_n % {lanes}u);\n",
        lanes = cx.op.lanes.count()
    );
    let place = if cx.op.lanes == Lanes::One { PLACE } else { &shared };
    Entry::new(PLACE_ARGUMENTS, format!("{place}{body}"))
}

/// Statements that store the attributes of the particle `_i` at the place that its stage has returned.
fn moved(cx: &Context<'_>, set: &Set<'_>) -> String {
    let mut moves = String::new();
    let mut place = String::new();
    for Written { port, write, value, .. } in cx.writes().filter(|written| written.port.change == Change::Scatter) {
        let from = cx.variable(OWN, set.input, &write.part);
        let source = cx.read_value(OWN, set.input, &write.part);
        if let (Part::Attribute(_), Some(from), Some(source)) = (&write.part, from, source) {
            let store = value.layout().store(&names::written(port, &write.part), "_to", "_old");
            let _ = write!(moves, " {{ let _old = {}; {store} }}", source.layout().load(from, "_i"));
            place = results::result(cx, &port.name);
        }
    }
    if moves.is_empty() { moves } else { format!(" let _to = {place}; if (_to < {}u) {{{moves} }}", set.capacity) }
}

/// New particles behind the living.
fn emission(cx: &Context<'_>, set: &Set<'_>, amount: &str) -> String {
    let Set { count, capacity, .. } = *set;
    let mut out = format!(
        "    let _before = min({count}[0], {capacity}u); let _born = {count}[1];\n    \
         let _wanted = {amount}(); let _added = min(_wanted, {capacity}u - _before);\n"
    );
    let copies = copies(cx);
    if !copies.is_empty() {
        let _ = writeln!(out, "    if (_i < _before) {{ {copies}}}");
    }
    let number = names::written(set.port, &Part::Count);
    let alarm = raise(&format!("params.{}", Cause::Capacity.member()));
    let _ = writeln!(
        out,
        "    if (_i == 0u) {{\n        \
             let _n = _before + _added; let _g = (_n + 255u) / 256u;\n        \
             {number}[0] = _n; {number}[1] = _born + _added; {number}[4] = min(_g, 65535u); {number}[5] = (_g + 65534u) / 65535u; {number}[6] = 1u;\n        \
             if (_added < _wanted) {{ {alarm} }}\n    \
         }}\n    \
         if (_i >= _added) {{ return; }}\n    \
         let _place = _before + _i;\n    \
         let _new = Particle(_place, _born + _i);"
    );
    let _ = writeln!(out, "    {}{}", call(cx, "_new"), stores(cx, "_place", StoreTarget::Element));
    out
}

/// Statements that take the old particles along to buffers of their own.
fn copies(cx: &Context<'_>) -> String {
    let mut copies = String::new();
    for Written { port, write, value, in_place, .. } in cx.writes() {
        if matches!(write.part, Part::Attribute(_)) && !in_place {
            let old = value.layout().load(&names::read(port, &write.part), "_i");
            let new = names::written(port, &write.part);
            let _ = write!(copies, "{{ let _old = {old}; {} }} ", value.layout().store(&new, "_i", "_old"));
        }
    }
    copies
}
