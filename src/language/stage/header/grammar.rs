//! Parses parts of a header: declarations, constants and ranges.

use super::model::Range;
use crate::stage::language;

/// `NAME: TYPE [= DEFAULT] [, OPTION]...  documentation [unit]`, split.
pub(super) struct Declaration<'a> {
    pub name: String,
    pub ty: &'a str,
    pub default: Option<&'a str>,
    pub options: Vec<&'a str>,
    pub doc: String,
    pub unit: String,
}

pub(super) fn declaration(rest: &str) -> Result<Declaration<'_>, String> {
    let (spec, doc) = rest.split_once("  ").unwrap_or((rest, ""));
    let (name, spec) = spec
        .split_once(':')
        .ok_or_else(|| format!("`{spec}` needs the form NAME: TYPE, then two spaces before the documentation"))?;
    let name = name.trim();
    if !language::is_snake_case(name) {
        return Err(format!("`{name}` is not a lower_snake_case name"));
    }
    if language::is_reserved_for_ports(name) {
        return Err(format!("`{name}` belongs to the stage language; choose another name"));
    }
    if language::is_reserved(name) || language::is_used_by_generated_text(name) {
        return Err(format!("`{name}` belongs to WGSL; choose another name"));
    }
    let mut parts = split_commas(spec).into_iter();
    let first = parts.next().unwrap_or("").trim();
    let (ty, default) = match first.split_once('=') {
        Some((ty, value)) => (ty.trim(), Some(value.trim())),
        None => (first, None),
    };
    let doc = doc.trim();
    let unit = match (doc.rfind('['), doc.ends_with(']')) {
        (Some(open), true) => doc.get(open + 1..doc.len() - 1).unwrap_or(""),
        _ => "",
    };
    Ok(Declaration {
        name: name.to_string(),
        ty,
        default,
        options: parts.map(str::trim).collect(),
        doc: doc.to_string(),
        unit: unit.to_string(),
    })
}

pub(super) fn unknown_type(text: &str, what: &str) -> String {
    format!(
        "`{text}` is not a type of {what}; use f32, i32, u32, vec2f, vec3f, vec4f, Vec, for parameters also bool, color, curve, gradient, for ports also Grid<..>, Grid<Mat>, Grid<f32[2]> to Grid<f32[64]>, FaceGrid, Image, Particles{{..}}, NeighborGrid, Field<..>, Camera"
    )
}

pub(super) fn range(text: &str) -> Result<Range, String> {
    let message = || format!("`{text}` is not a range; write LO..HI, LO.. or ..HI");
    let (low, high) = text.split_once("..").ok_or_else(message)?;
    let bound = |side: &str| match side.trim() {
        "" => Ok(None),
        number => number.parse::<f64>().ok().filter(|v| v.is_finite()).map(Some).ok_or_else(message),
    };
    match (bound(low)?, bound(high)?) {
        (Some(low), Some(high)) if low > high => Err(format!("the range `{text}` is reversed")),
        range => Ok(range),
    }
}

/// Parses `1`, `true` or `(0, 0.5)`.
pub(super) fn constant(text: &str) -> Result<Vec<f64>, String> {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let parts: Option<Vec<f64>> = inner
        .split(',')
        .map(|part| match part.trim() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            number => number.parse::<f64>().ok().filter(|v| v.is_finite()),
        })
        .collect();
    match parts {
        Some(values) if (1..=4).contains(&values.len()) => Ok(values),
        _ => Err(format!("`{text}` is not a constant; write a number or (x, y)")),
    }
}

/// The parts of a text between commas that are in no brackets.
pub fn split_commas(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut before = ' ';
    text.split(move |c| {
        match c {
            '(' | '<' | '{' | '[' => depth += 1,
            // The arrow of `Particles{..} -> {..}` is not a closing bracket.
            '>' if before == '-' => {}
            ')' | '>' | '}' | ']' => depth -= 1,
            _ => {}
        }
        before = c;
        c == ',' && depth == 0
    })
    .collect()
}
