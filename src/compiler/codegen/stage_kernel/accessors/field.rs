//! Fields: functions of a position that are inlined into whatever reads them.
//!
//! ```wgsl
//! fn shape(_position: vec2f) -> f32 { return _f1_stage(_position); }
//! fn shape_gradient(_position: vec2f, _step: f32) -> vec2f { return vec2f(shape(_position + vec2f(_step, 0.0)) - .., ..) / (2.0 * _step); }
//! ```

use std::fmt::Write as _;

use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::codegen::stage_kernel::names::prefix;
use crate::codegen::wgsl::position_type;
use crate::stage::header::Port;
use crate::stage::types::ValueType;

/// `x(position)`, and `x_gradient(position, step)` of a scalar.
pub(super) fn accessor(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<String> {
    let called = cx.op.stages.position(|stage| stage.callers.contains(&(of.index, index)))?;
    let node = &cx.graph.nodes[cx.op.stages[called].node];
    let dim = cx.graph.dim(node);
    let value = node.outputs.first().map_or(ValueType::F32, |ty| ty.value());
    let name = &port.name;
    let ty = value.wgsl(dim);
    let position = position_type(dim);
    let mut out = format!("fn {name}(_position: {position}) -> {ty} {{ return {}stage(_position); }}", prefix(called));
    if of.stage.calls(&format!("{name}_gradient")) {
        let _ = write!(out, "\n{}", if cx.is_rolled() { rolled_gradient(name, dim) } else { gradient(name, dim) });
    }
    Some(out)
}

/// `x_gradient(position, step)` by central differences.
fn gradient(name: &str, dim: u32) -> String {
    let position = position_type(dim);
    let difference = |axis: u32| {
        let unit: Vec<&str> = (0..dim).map(|d| if d == axis { "_step" } else { "0.0" }).collect();
        let unit = format!("{position}({})", unit.join(", "));
        format!("{name}(_position + {unit}) - {name}(_position - {unit})")
    };
    let parts: Vec<String> = (0..dim).map(difference).collect();
    format!(
        "fn {name}_gradient(_position: {position}, _step: f32) -> {position} {{ return {position}({}) / (2.0 * _step); }}",
        parts.join(", ")
    )
}

/// The gradient of a field with one call of it, in a loop that is not unrolled.
fn rolled_gradient(name: &str, dim: u32) -> String {
    let position = position_type(dim);
    let component = |axis: u32| format!("select(0.0, _step, (_side >> 1u) == {axis})");
    let unit: Vec<String> = (0..dim).map(component).collect();
    let unit = format!("{position}({})", unit.join(", "));
    format!(
        "fn {name}_gradient(_position: {position}, _step: f32) -> {position} {{\n\
         var _slope = {position}();\n\
         var _ahead = 0.0;\n\
         for (var _side = 0; _side < {} + _rolled(); _side++) {{\n\
         let _unit = {unit};\n\
         let _value = {name}(select(_position + _unit, _position - _unit, (_side & 1) == 1));\n\
         if (_side & 1) == 1 {{ _slope[_side >> 1u] = _ahead - _value; }}\n\
         _ahead = _value;\n\
         }}\n\
         return _slope / (2.0 * _step);\n\
         }}",
        2 * dim
    )
}
