//! How a stage makes attributes lie together for those who read other particles'.
//!
//! ```wgsl
//! _write_particles__position__mass_[_i] = vec4f(_result.position, _read_particles__mass[_i], 0.0);
//! ```

use crate::codegen::builtin;
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::{names, results};
use crate::ir::{OWN, Part, WireValue};

/// Statements that store the packs of the particle `_i`, once its stages have run. `input`: the port of the set.
pub(super) fn stores(cx: &Context<'_>, input: usize) -> String {
    cx.writes().filter_map(|written| store(cx, input, &written)).collect()
}

fn store(cx: &Context<'_>, input: usize, Written { port, write, value, .. }: &Written<'_>) -> Option<String> {
    let Part::Packed(names) = &write.part else { return None };
    let parts: Option<Vec<(String, u32)>> = names.split('+').map(|name| attribute(cx, input, name)).collect();
    let element = builtin::packed(&parts?, value.layout());
    Some(format!(" {}[_i] = {element};", names::written(port, &write.part)))
}

/// What one of the operation's stages gives for an attribute, or else what memory holds of it; and how many words it has.
fn attribute(cx: &Context<'_>, input: usize, name: &str) -> Option<(String, u32)> {
    let part = Part::Attribute(name.into());
    let words = |value: &WireValue| value.layout().components();
    if let Some(write) = cx.op.writes.iter().rfind(|w| w.part == part) {
        let expression = match write.stage == OWN {
            true => results::result(cx, name),
            false => cx.passed(write.value)?,
        };
        return Some((expression, words(cx.value(write.value)?)));
    }
    let value = cx.read_value(OWN, input, &part)?;
    Some((value.layout().load(cx.variable(OWN, input, &part)?, "_i"), words(value)))
}
