//! What a kernel declares before its functions: types, uniform blocks, workgroup memory and private variables.
//!
//! ```wgsl
//! alias T = vec4f;
//! @group(0) @binding(1) var<uniform> params: Params;
//! var<workgroup> _shared_most: array<f32, 256>;
//! var<private> _o1_divergence: f32;
//! ```

use std::fmt::Write as _;

use super::accessors::{grid, halo};
use super::context::{Context, Instance, Written};
use super::entry::tile;
use super::{names, results};
use crate::plan::codegen::prelude::Wanted;
use crate::plan::codegen::uniforms::{Block, FRAME_STRUCT};
use crate::plan::codegen::wgsl::cell_type;
use crate::plan::ir::{OWN, Part, workgroups};

/// Types of a stage: what its generic letters stand for, and what it returns.
pub fn types(cx: &Context<'_>, of: Instance<'_>) -> String {
    let mut out = String::new();
    for (letter, value) in &of.node.generics {
        let _ = writeln!(out, "alias {letter} = {};", value.wgsl(cx.graph.dim(of.node)));
    }
    out.push_str(&results::structure(cx, of));
    out
}

/// The uniform blocks of the frame and of the kernel, and the counters.
pub fn uniforms(block: &Block, wanted: &Wanted) -> String {
    let mut out = String::new();
    if wanted.has("frame") {
        let _ = writeln!(out, "{FRAME_STRUCT}\n@group(0) @binding(0) var<uniform> frame: Frame;");
    }
    out.push_str(&block.wgsl());
    for counter in ["iteration", "substep"].into_iter().filter(|counter| wanted.has(counter)) {
        let _ = writeln!(out, "var<private> {counter}: i32;");
    }
    out
}

/// Workgroup memory and variables that functions share.
pub fn variables(cx: &Context<'_>) -> String {
    let computed = match tile::variables(cx) {
        Some(variables) => variables,
        None if grid::holds_radius(cx) || cx.mapping.is_row() => {
            format!("var<private> _at: {};\n", cell_type(cx.dim))
        }
        None => String::new(),
    };
    format!("{}{}{computed}{}", reductions(cx), passed(cx), halo::variables(cx))
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
