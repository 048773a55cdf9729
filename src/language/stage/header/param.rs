//! `@param`: the declaration of a parameter.

use super::grammar::{self, constant, declaration, unknown_type};
use super::handle;
use super::model::{Param, ParamType, Range};
use crate::document::ParamValue;
use crate::stage::types::ValueType;

/// `NAME: TYPE = DEFAULT [, RANGE] [, soft RANGE] [, fixed] [, steady [PORT]] [, handle ROLE [of NAME]]`
pub(super) fn parse(rest: &str, line: usize) -> Result<Param, String> {
    let d = declaration(rest)?;
    let ty = match d.ty {
        "bool" => ParamType::Bool,
        "color" => ParamType::Color,
        "curve" => ParamType::Curve,
        "gradient" => ParamType::Gradient,
        "formula" => ParamType::Formula(ValueType::F32),
        "formula<Vec>" => ParamType::Formula(ValueType::Vec),
        other => ParamType::Value(ValueType::parse(other).ok_or_else(|| unknown_type(other, "a parameter"))?),
    };
    let form = match ty {
        ParamType::Curve => "[(0, 0), (1, 1)]",
        ParamType::Gradient => "[(0, \"#000000\"), (1, \"#ffffff\")]",
        ParamType::Formula(_) => "\"0\"",
        _ => "0",
    };
    let default = d.default.ok_or_else(|| format!("@param `{}` needs a default: `{0}: {} = {form}`", d.name, d.ty))?;
    let default = match ty.returns() {
        Some(_) => drawn(ty, default).map_err(|cause| {
            format!("the default of @param `{}` is not a {}{cause}; write {form}", d.name, ty.name())
        })?,
        None => ParamValue::from_numbers(&constant(default)?),
    };
    let mut range = (None, None);
    let mut soft = (None, None);
    let mut fixed = false;
    let mut steady = None;
    let mut role = None;
    for option in d.options {
        match option.split_once(char::is_whitespace).unwrap_or((option, "")) {
            ("soft", text) => soft = grammar::range(text)?,
            ("fixed", "") => fixed = true,
            ("steady", port) => steady = Some(port.trim().to_string()),
            ("handle", _) if role.is_some() => return Err("`handle` is given twice; remove one".into()),
            ("handle", text) => role = Some(handle::parse(text)?),
            _ => range = grammar::range(option)?,
        }
    }
    if ty == ParamType::Bool {
        range = (Some(0.0), Some(1.0));
    }
    let unbounded = matches!(ty, ParamType::Gradient | ParamType::Formula(_));
    if unbounded && (range, soft) != ((None, None), (None, None)) {
        return Err(format!("@param `{}` is a {}, which has no range; remove it", d.name, ty.name()));
    }
    let scalar = matches!(ty, ParamType::Bool | ParamType::Value(ValueType::F32 | ValueType::I32 | ValueType::U32));
    if fixed && !scalar {
        return Err(format!("@param `{}` is not a single number, so it can't be `fixed`; remove the word", d.name));
    }
    check(&d.name, &default, range)?;
    let param =
        Param { name: d.name, ty, default, range, soft, fixed, steady, handle: role, doc: d.doc, unit: d.unit, line };
    param.handle.as_ref().map_or(Ok(()), |handle| handle::check(handle.role, &param))?;
    Ok(param)
}

/// Parses the default of a curve, a gradient or a formula. The error is the end of a sentence that begins with "the
/// default is not a curve".
fn drawn(ty: ParamType, text: &str) -> Result<ParamValue, String> {
    let value = ParamValue::from_ron(text).map_err(|cause| format!(": {cause}"))?;
    match (ty, &value) {
        (ParamType::Curve, ParamValue::Curve(_))
        | (ParamType::Gradient, ParamValue::Gradient(_))
        | (ParamType::Formula(_), ParamValue::Expression(_)) => Ok(value),
        _ => Err(String::new()),
    }
}

/// Whether a default lies in its declared range.
fn check(name: &str, default: &ParamValue, range: Range) -> Result<(), String> {
    let outside = |v: &f64| range.0.is_some_and(|lo| *v < lo) || range.1.is_some_and(|hi| *v > hi);
    let checked = match default {
        ParamValue::Number(value) if outside(value) => Err(None),
        ParamValue::Vector(values) if values.iter().any(outside) => Err(None),
        ParamValue::Curve(curve) => curve.check(range).map_err(Some),
        ParamValue::Gradient(gradient) => gradient.check().map_err(Some),
        _ => Ok(()),
    };
    checked.map_err(|unfit| match unfit {
        Some((cause, remedy)) => format!("the default of @param `{name}`: {cause}; {remedy}"),
        None => format!("the default of @param `{name}` lies outside its own range"),
    })
}
