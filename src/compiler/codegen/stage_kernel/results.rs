//! What a stage's function returns: one value, or a struct with a member for each.
//!
//! ```wgsl
//! struct Result { pressure: f32, velocity: vec2f }
//! ```

use super::context::{Context, Instance};
use crate::stage::IterationSource;
use crate::stage::header::Change;
use crate::stage::types::{Element, PortType};

/// Names and WGSL types of what a stage's function returns.
pub(super) fn returned(cx: &Context<'_>, of: Instance<'_>) -> Vec<(String, &'static str)> {
    let dim = cx.graph.dim(of.node);
    let set = of.node.set.as_ref().and_then(|s| cx.graph.domains.get(s.domain)).map_or(dim, |d| d.dim);
    let reorders = cx.stage.outputs().any(|p| p.change.reorders());
    let mut out = Vec::new();
    for (port, ty) in of.stage.outputs().zip(&of.node.outputs) {
        let silent = port.ty == PortType::NeighborGrid && reorders;
        for (name, element) in port.returned().into_iter().filter(|_| !silent) {
            let wgsl = match (port.ty, element) {
                (PortType::Particles, _) if port.change == Change::Filter => "bool",
                (PortType::Particles, Element::Fixed(value)) => value.wgsl(set),
                (PortType::NeighborGrid, _) => "u32",
                _ => ty.value().wgsl(dim),
            };
            out.push((name.to_string(), wgsl));
        }
    }
    out
}

/// The struct, where the function returns several values.
pub(super) fn structure(cx: &Context<'_>, of: Instance<'_>) -> String {
    if of.stage.source() == IterationSource::Positions {
        return String::new();
    }
    let members: Vec<String> = returned(cx, of).iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    if members.len() < 2 { String::new() } else { format!("struct Result {{ {} }}\n", members.join(", ")) }
}

/// WGSL type of what the dispatched stage returns.
pub(super) fn type_name(cx: &Context<'_>) -> String {
    match returned(cx, cx.dispatched()).as_slice() {
        [(_, ty)] => ty.to_string(),
        _ => "Result".into(),
    }
}

/// The value of a name, of the variable that holds what a stage has returned.
pub(super) fn member(cx: &Context<'_>, of: Instance<'_>, variable: &str, name: &str) -> String {
    if returned(cx, of).len() > 1 { format!("{variable}.{name}") } else { variable.to_string() }
}

/// The value of a name in the result of the dispatched stage, which is in `_result`.
pub(super) fn result(cx: &Context<'_>, name: &str) -> String {
    member(cx, cx.dispatched(), "_result", name)
}
