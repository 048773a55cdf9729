//! What a kernel declares before its functions: types, uniform blocks, buffers, workgroup memory and private variables.
//!
//! ```wgsl
//! alias T = vec4f;
//! @group(0) @binding(1) var<uniform> params: Params;
//! @group(0) @binding(2) var<storage, read> _read_flow: array<vec2f>;
//! var<workgroup> _shared_most: array<f32, 256>;
//! var<private> _o1_divergence: f32;
//! ```

use std::fmt::Write as _;

use super::accessors::{halo, radius};
use super::alarms::{self, Guards};
use super::context::{Context, Instance, Written};
use super::entry::tile;
use super::{bins, bound, checks, names, pool, results};
use crate::codegen::prelude::UsedNames;
use crate::codegen::uniforms::{Block, FRAME_STRUCT};
use crate::codegen::wgsl::cell_type;
use crate::ir::{Lanes, OWN, Part, workgroups};

/// Types of a stage: what its generic letters stand for, and what it returns.
pub(super) fn types(cx: &Context<'_>, of: Instance<'_>) -> String {
    let mut out = String::new();
    for (letter, value) in &of.node.generics {
        let _ = writeln!(out, "alias {letter} = {};", value.wgsl(cx.graph.dim(of.node)));
    }
    out.push_str(&results::structure(cx, of));
    out
}

/// The uniform blocks of the frame and of the kernel, and the counters.
pub(super) fn uniforms(block: &Block, used: &UsedNames) -> String {
    let mut out = String::new();
    if used.has("frame") {
        let _ = writeln!(out, "{FRAME_STRUCT}\n@group(0) @binding(0) var<uniform> frame: Frame;");
    }
    out.push_str(&block.wgsl());
    for counter in ["iteration", "substep"].into_iter().filter(|counter| used.has(counter)) {
        let _ = writeln!(out, "var<private> {counter}: i32;");
    }
    out
}

/// Buffers, what watches over them, and variables. `guards`: what can go wrong in the stages, where anything can.
pub(super) fn declarations(cx: &Context<'_>, guards: Option<&[Guards<'_>]>) -> String {
    let buffers = bound::declarations(&cx.bound);
    let alarms = guards.map(|guards| alarms::functions(bound::next_binding(&cx.bound), guards));
    // Frames are not that many, which no driver can know.
    let rolled = "fn _rolled() -> i32 { return select(0i, 1i, frame.index == 4294967295u); }\n";
    let rolled = if cx.is_rolled() { rolled } else { "" };
    format!(
        "{buffers}{rolled}{}{}{}{}",
        pool::functions(cx),
        alarms.unwrap_or_default(),
        checks::functions(cx),
        variables(cx)
    )
}

/// Workgroup memory and variables that functions share.
fn variables(cx: &Context<'_>) -> String {
    let computed = match tile::variables(cx) {
        Some(variables) => variables,
        None if radius::is_held(cx) || cx.mapping.is_row() => {
            format!("var<private> _at: {};\n", cell_type(cx.dim))
        }
        None => String::new(),
    };
    let share = if cx.op.lanes == Lanes::One { "" } else { "var<private> _share: i32;\n" };
    format!("{share}{}{}{computed}{}{}", reductions(cx), passed(cx), halo::variables(cx), bins::variables(cx))
}

/// Workgroup memory of reductions.
fn reductions(cx: &Context<'_>) -> String {
    let reducing = cx.writes().filter(|written| written.port.reduce.is_some());
    let line = |Written { port, value, .. }: Written<'_>| {
        let (name, ty) = (names::shared(port), value.layout().wgsl());
        format!("var<workgroup> {name}: array<{ty}, {}>;\n", workgroups::LANES)
    };
    reducing.map(line).collect()
}

/// What the stages of the dispatch pass to one another.
fn passed(cx: &Context<'_>) -> String {
    let mut out = String::new();
    for write in cx.op.writes.iter().filter(|w| w.stage != OWN && w.part != Part::Found) {
        if let (Some(name), Some(value)) = (cx.passed(write.value), cx.value(write.value)) {
            let _ = writeln!(out, "var<private> {name}: {};", value.layout().wgsl());
        }
    }
    out
}
