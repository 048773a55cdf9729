//! What a stage calls and no wire feeds: unwired inputs, which read a member of the uniform block, and curves, which are drawn there.
//!
//! ```wgsl
//! fn gravity(cell: vec2i) -> vec2f { return params._in_gravity; }
//! fn fade(_t: f32) -> f32 { let _x = clamp(_t, 0.0, 1.0) * 64.0; .. }
//! ```

use std::fmt::Write as _;

use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::codegen::wgsl::{cell_type, component, position_type};
use crate::curve::SAMPLES;
use crate::graph::{Setting, Source};
use crate::stage::accessors::readers;
use crate::stage::header::{Direction, Param, ParamType, Port};
use crate::stage::types::{Element, PortType, ValueType};

/// Inputs that read a setting instead of a wire, as far as the text reads them.
pub(crate) fn constants(of: Instance<'_>) -> impl Iterator<Item = (&Port, &Setting)> {
    of.stage.inputs().zip(&of.node.inputs).filter_map(move |(port, input)| match &input.source {
        Source::Setting(setting) if port.direction == Direction::In && read(of, port) => Some((port, setting)),
        _ => None,
    })
}

/// Whether the text reads a port. A grid may be read only where it is wired.
pub(super) fn read(of: Instance<'_>, port: &Port) -> bool {
    !port.ty.is_grid() || readers(port).any(|name| of.stage.calls(&name))
}

/// Dimensions of an unwired port's own vectors.
pub(crate) fn width(cx: &Context<'_>, of: Instance<'_>, port: &Port) -> u32 {
    if matches!(port.ty, PortType::Field(_)) { space(cx, of, port) } else { cx.graph.dim(of.node) }
}

/// Dimensions of the space that an unwired port's positions live in. Of a field and of a grid that is asked by position
/// this is the space that a camera looks into, or that of the particles; else it is that of the stage.
fn space(cx: &Context<'_>, of: Instance<'_>, port: &Port) -> u32 {
    let stage_dim = cx.graph.dim(of.node);
    if port.ty.is_number() {
        return stage_dim;
    }
    if port.flat {
        return 2;
    }
    let camera = PortType::Number(Element::Fixed(ValueType::Camera));
    if of.stage.inputs().any(|p| p.ty == camera) {
        return 3;
    }
    let set = of.node.set.as_ref().filter(|_| matches!(port.ty, PortType::Field(_)));
    set.and_then(|s| cx.graph.domains.get(s.domain)).map_or(stage_dim, |d| d.dim)
}

/// The functions that read an unwired input.
pub(crate) fn accessor(cx: &Context<'_>, of: Instance<'_>, port: &Port, setting: &Setting) -> String {
    let stage_dim = cx.graph.dim(of.node);
    let (name, ty) = (&port.name, setting.ty.wgsl(width(cx, of, port)));
    let value = match setting.ty {
        ValueType::Mat => {
            let parts = (0..stage_dim * stage_dim)
                .map(|i| if i % (stage_dim + 1) == 0 { format!("params._in_{name}") } else { "0.0".into() });
            format!("{ty}({})", parts.collect::<Vec<_>>().join(", "))
        }
        _ => format!("params._in_{name}"),
    };
    let (cell, position) = (cell_type(stage_dim), position_type(space(cx, of, port)));
    match port.ty {
        PortType::Number(_) => format!("fn {name}() -> {ty} {{ return {value}; }}"),
        PortType::Field(_) => {
            let mut out = format!("fn {name}(_position: {position}) -> {ty} {{ return {value}; }}");
            if setting.ty == ValueType::F32 {
                let _ = write!(
                    out,
                    "\nfn {name}_gradient(_position: {position}, _step: f32) -> {position} {{ return {position}(); }}"
                );
            }
            out
        }
        _ if port.ty.is_array() => format!(
            "fn {name}(cell: {cell}, i: i32) -> f32 {{ return {value}; }}\nfn {name}_at(position: {position}, i: i32) -> f32 {{ return {value}; }}"
        ),
        _ => {
            let mut out = format!(
                "fn {name}(cell: {cell}) -> {ty} {{ return {value}; }}\nfn {name}_at(position: {position}) -> {ty} {{ return {value}; }}"
            );
            if port.ty == PortType::FaceGrid {
                let picked = component("v", "axis", stage_dim);
                let _ = write!(
                    out,
                    "\nfn {name}_face(cell: {cell}, face: i32) -> f32 {{ let axis = face >> 1u; let v = {value}; return {picked}; }}"
                );
            }
            out
        }
    }
}

/// `x(t)` of a curve or a gradient: linear between the samples in the uniform block.
pub(crate) fn drawn(param: &Param) -> Option<String> {
    let (name, last) = (&param.name, SAMPLES - 1);
    let returned = match param.ty {
        ParamType::Curve | ParamType::Gradient => param.ty.returns()?,
        _ => return None,
    };
    let sample = |index: &str| match returned {
        ValueType::F32 => format!("params.{name}[{index} >> 2u][{index} & 3u]"),
        _ => format!("params.{name}[{index}]"),
    };
    // Equal samples give themselves, which `mix` does not promise.
    let (from, to) = (sample("_i"), sample("_j"));
    Some(format!(
        "fn {name}(_t: f32) -> {} {{ let _x = clamp(_t, 0.0, 1.0) * {last}.0; let _i = min(u32(_x), {last}u); let _j = min(_i + 1u, {last}u); \
         let _from = {from}; return _from + ({to} - _from) * (_x - f32(_i)); }}",
        returned.wgsl(2)
    ))
}
