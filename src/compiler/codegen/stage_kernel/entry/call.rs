//! Calls of stages: of the dispatched one, and of those that run before it in the same invocation.
//!
//! ```wgsl
//! let _r1 = _f1_stage(_cell); _o1_divergence = _r1;
//! let _result = stage(_cell);
//! ```

use std::fmt::Write as _;

use super::store::{self, StoreTarget};
use crate::codegen::stage_kernel::checks;
use crate::codegen::stage_kernel::context::{Context, Instance, Written};
use crate::codegen::stage_kernel::names::{self, prefix};
use crate::codegen::stage_kernel::results;
use crate::ir::Part;
use crate::stage::IterationSource;

/// The call of the dispatched stage, with the statements that begin and end its sample.
pub(super) fn call(cx: &Context<'_>, argument: &str) -> String {
    let keep = match results::returned(cx, cx.dispatched()).as_slice() {
        [] => String::new(),
        // A longer array has all numbers too.
        [(_, ty)] if ty.starts_with("array") => format!("let _result: {ty} = "),
        _ => "let _result = ".into(),
    };
    let (begin, end) = checks::sampled(cx, argument).unwrap_or_default();
    format!("{begin}{keep}stage({argument});{end}")
}

/// The calls of the stages that run before; `place` is the cell or the particle. What they make is stored too if there is a slot to store
/// it to.
pub(super) fn before(cx: &Context<'_>, place: &str, slot: Option<StoreTarget>) -> String {
    cx.before().map(|of| one_before(cx, of, place, slot) + "\n    ").collect()
}

fn one_before(cx: &Context<'_>, of: Instance<'_>, place: &str, slot: Option<StoreTarget>) -> String {
    let (k, prefix) = (of.index, prefix(of.index));
    let argument = match of.stage.set() {
        Some(set) if of.stage.source() == IterationSource::Particles => format!("{prefix}{}({place})", set.name),
        _ => place.to_string(),
    };
    let mut out = format!("let _r{k} = {prefix}stage({argument});");
    for written in cx.writes_of(k).filter(|written| written.write.part != Part::Found) {
        let Written { port, write, value, .. } = &written;
        let Some(variable) = cx.passed(write.value) else { continue };
        let source = results::member(cx, of, &format!("_r{k}"), names::returned(port, &write.part));
        // As if it had been stored and read.
        let (layout, element) = (value.layout(), || store::element_of(cx, place, value));
        let left = match (value.dithered, layout.value.is_array()) {
            (true, true) => layout.dithered_array(&variable, &source, &element()),
            (true, false) => format!("{variable} = {};", layout.dithered(&source, &element())),
            (false, _) => format!("{variable} = {};", layout.rounded(&source)),
        };
        let _ = write!(out, " {left}");
        if let Some(slot) = slot.filter(|_| !write.transient) {
            let _ = write!(out, " {}", kept(cx, &written, place, slot, &variable));
        }
    }
    out
}

/// The statement that stores what another stage reads later.
fn kept(cx: &Context<'_>, written: &Written<'_>, place: &str, slot: StoreTarget, source: &str) -> String {
    match written.write.part {
        Part::Whole => store::exact(cx, written.value, &written.target, slot, source),
        _ => written.value.layout().store(&written.target, place, source),
    }
}
