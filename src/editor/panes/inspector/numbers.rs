//! Values as numbers and as text.

use crate::document::ParamValue;
use crate::expr::{ExprContext, Expression, Numbers};
use crate::stage::header::ParamType;
use crate::stage::types::ValueType;

/// Names of the values of a whole number, if its documentation gives one for each: `0 viridis, 1 magma, 2 grey`.
pub(super) fn choices(doc: &str, low: i64, high: i64) -> Option<Vec<String>> {
    if !(1..=16).contains(&(high - low)) {
        return None;
    }
    let mut names = Vec::new();
    let mut rest = doc.strip_prefix(&format!("{low} ")).or_else(|| doc.split_once(&format!(" {low} ")).map(|p| p.1))?;
    for number in low + 1..=high {
        let (name, after) = rest.split_once(&format!(", {number} "))?;
        names.push(name.trim().to_string());
        rest = after;
    }
    names.push(rest.split(['.', ';']).next().unwrap_or_default().trim().to_string());
    Some(names)
}

/// All four components; one number stands for all, and a colour without alpha is opaque.
pub(super) fn components(value: &ParamValue, ty: ParamType) -> [f64; 4] {
    let mut parts = [0.0; 4];
    match value {
        ParamValue::Number(v) => parts = [*v; 4],
        ParamValue::Bool(v) => parts = [f64::from(u8::from(*v)); 4],
        ParamValue::Vector(values) => {
            if ty.value() == ValueType::Vec4 {
                parts[3] = 1.0;
            }
            parts.iter_mut().zip(values).for_each(|(part, value)| *part = *value);
        }
        ParamValue::Expression(_) | ParamValue::Curve(_) | ParamValue::Gradient(_) | ParamValue::Keys(_) => {}
    }
    parts
}

/// The value of the expression at the start, as a constant.
pub(super) fn constant_from(text: &str, numbers: &Numbers) -> Option<ParamValue> {
    let number = Expression::parse_with(text, numbers).ok()?.eval_with(&ExprContext::default(), numbers).ok()?;
    match number.as_slice() {
        [one] => Some(ParamValue::Number(tidy(*one))),
        many => Some(ParamValue::Vector(many.iter().map(|v| tidy(*v)).collect())),
    }
}

pub(super) fn text_from_value(value: &ParamValue) -> String {
    match value {
        ParamValue::Number(v) => text_from_number(*v),
        ParamValue::Bool(v) => u8::from(*v).to_string(),
        ParamValue::Vector(values) => {
            let parts: Vec<String> = values.iter().map(|v| text_from_number(*v)).collect();
            format!("[{}]", parts.join(", "))
        }
        ParamValue::Expression(text) => text.clone(),
        drawn @ (ParamValue::Curve(_) | ParamValue::Gradient(_) | ParamValue::Keys(_)) => drawn.to_string(),
    }
}

pub(super) fn text_from_number(value: f64) -> String {
    let value = tidy(value);
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e7).contains(&size) { format!("{value:e}") } else { value.to_string() }
}

/// Rounded to the precision of f32, so that files have 0.35 and not 0.35000000000000003.
pub(super) fn tidy(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_numbers_come_from_the_documentation() {
        let doc = "0 viridis, 1 magma, 2 signed (blue, white, red), 3 grey";
        let names = choices(doc, 0, 3).unwrap();
        assert_eq!(names, ["viridis", "magma", "signed (blue, white, red)", "grey"]);
        assert_eq!(choices("Buttons that act, added up: 1 left, 2 right, 4 middle", 1, 7), None);
        assert_eq!(choices("Number of octaves", 1, 8), None);
        for stage in crate::library::Library::builtin().stages() {
            for param in
                stage.header.params.iter().filter(|param| param.doc.starts_with("0 ") && param.doc.contains(", 1 "))
            {
                let (Some(low), Some(high)) = param.range else {
                    panic!("{}: {} has no range", stage.name, param.name)
                };
                let names = choices(&param.doc, low as i64, high as i64);
                assert!(
                    names.is_some_and(|names| names.iter().all(|name| !name.is_empty())),
                    "{}: {}",
                    stage.name,
                    param.doc
                );
            }
        }
    }

    #[test]
    fn an_expression_and_back() {
        let none = Numbers::new();
        let vector = ParamValue::Vector(vec![0.5, -1e-7]);
        assert_eq!(constant_from(&text_from_value(&vector), &none), Some(vector));
        assert_eq!(constant_from(&text_from_value(&ParamValue::Number(0.1)), &none), Some(ParamValue::Number(0.1)));
        assert_eq!(constant_from("1 +", &none), None);
        let numbers = Numbers::from([("spacing".to_string(), crate::expr::Number::scalar(0.25))]);
        assert_eq!(constant_from("2 / spacing", &numbers), Some(ParamValue::Number(8.0)));
    }
}
