//! Parameter values: what a node's `params` say, checked against what its stage declares.

use crate::document::ParamValue;
use crate::expr::{ExprContext, Expression, Number};
use crate::problem::{Problem, Problems};
use crate::stage::header::Range;
use crate::stage::types::ValueType;

/// A number for the GPU, constant or computed every frame.
#[derive(Clone, Debug)]
pub struct Setting {
    pub name: String,
    pub ty: ValueType,
    pub value: ParamValue,
    pub range: Range,
    /// Other names that set it: parameters of groups around, or a number node (`wind.value`).
    pub aliases: Vec<String>,
}

/// Why a value does not suit a parameter: cause and remedy.
pub type Unfit = (String, String);

/// The value at a moment, with as many components as the type has in `dim` dimensions.
///
/// # Errors
/// When the expression fails, the component count is off, or the value is outside the range or not finite.
pub fn evaluate(setting: &Setting, value: &ParamValue, dim: u32, context: &ExprContext) -> Result<[f64; 4], Unfit> {
    let number = match value {
        ParamValue::Number(v) => Number::scalar(*v),
        ParamValue::Bool(v) => Number::scalar(f64::from(u8::from(*v))),
        ParamValue::Vector(values) => Number::vector(values)
            .ok_or_else(|| (format!("{} components are no vector", values.len()), "give 2, 3 or 4".to_string()))?,
        ParamValue::Expression(text) => Expression::parse(text)
            .and_then(|expression| expression.eval(context))
            .map_err(|e| (e.to_string(), "correct the expression".to_string()))?,
    };
    fit(setting, number, dim)
}

/// Checks a number against a setting's type and range.
pub fn fit(setting: &Setting, number: Number, dim: u32) -> Result<[f64; 4], Unfit> {
    let wanted = setting.ty.components(dim) as usize;
    let given = number.as_slice();
    let mut values = [0.0; 4];
    match given.len() {
        1 => values = [given.first().copied().unwrap_or(0.0); 4],
        // A colour without alpha is opaque.
        3 if setting.ty == ValueType::Vec4 => values = [given[0], given[1], given[2], 1.0],
        // A default for both dimensions.
        3 if setting.ty == ValueType::Vec && wanted == 2 => values[..2].copy_from_slice(&given[..2]),
        n if n == wanted => values[..n].copy_from_slice(given),
        n => {
            let cause = format!("a vector of {n} was given for {}", setting.ty.name());
            let remedy =
                if wanted == 1 { "give one number".into() } else { format!("give {wanted} numbers, or one for all") };
            return Err((cause, remedy));
        }
    }
    let (low, high) = setting.range;
    for value in &values[..wanted] {
        if !value.is_finite() {
            return Err((format!("the value is {value}"), "give a finite number".into()));
        }
        if low.is_some_and(|low| *value < low) || high.is_some_and(|high| *value > high) {
            let bound = |b: Option<f64>| b.map_or_else(String::new, |b| b.to_string());
            return Err((
                format!("{value} is outside {}..{}", bound(low), bound(high)),
                "give a value inside the range".into(),
            ));
        }
        let whole = matches!(setting.ty, ValueType::I32 | ValueType::U32);
        let (min, max) =
            if setting.ty == ValueType::U32 { (0.0, u32::MAX.into()) } else { (i32::MIN.into(), i32::MAX.into()) };
        if whole && (value.fract() != 0.0 || *value < min || *value > max) {
            return Err((format!("{value} is no {}", setting.ty.name()), "give a whole number that fits".into()));
        }
        if !whole && value.abs() > f64::from(f32::MAX) {
            return Err((format!("{value} is too large for 32 bits"), "give a smaller number".into()));
        }
    }
    Ok(values)
}

/// Whether the value can change from frame to frame.
pub fn is_live(value: &ParamValue) -> bool {
    match value {
        ParamValue::Expression(text) => Expression::parse(text).is_ok_and(|e| !e.is_constant()),
        _ => false,
    }
}

/// Reports a setting whose value is wrong at time zero.
pub fn check(path: &str, setting: &Setting, dim: u32, problems: &mut Problems) {
    if let Err((cause, remedy)) = evaluate(setting, &setting.value, dim, &ExprContext::default()) {
        problems.push(Problem::new(path, &setting.name, cause, remedy));
    }
}

/// A count such as `iterations`: a whole number in 1..=10,000, or an expression of constants.
pub fn count(value: &ParamValue) -> Result<u32, Unfit> {
    let live = is_live(value);
    let setting = Setting {
        name: "iterations".into(),
        ty: ValueType::I32,
        value: value.clone(),
        range: (Some(1.0), Some(10_000.0)),
        aliases: Vec::new(),
    };
    if live {
        let cause = "the count changes from frame to frame, but the plan is fixed".to_string();
        return Err((cause, "use constants only; set it anew to recompile".into()));
    }
    evaluate(&setting, value, 2, &ExprContext::default()).map(|values| values[0] as u32)
}
