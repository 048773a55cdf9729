//! Parameter values: a node's `params`, checked against the declarations of its stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::numbers::{Fault, Formula, Names, Table, Unfit};
use crate::curve::{Key, Keyframes};
use crate::document::ParamValue;
use crate::expr::Number;
use crate::printable;
use crate::problem::{Problem, Problems};
use crate::stage::header::Range;
use crate::stage::types::{Element, ValueType};

/// The name by which a wired value refers to the number that it reads.
const WIRED: &str = "number";

/// A number for the GPU, constant or evaluated in every frame.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Name of the parameter or port.
    pub name: String,
    /// Type of the number.
    pub ty: ValueType,
    /// The value as written.
    pub value: ParamValue,
    /// Values outside are errors.
    pub range: Range,
    /// Further paths that set the value: parameters of enclosing groups.
    pub aliases: Vec<String>,
    /// The names that the expression may use.
    pub names: Arc<Names>,
}

impl Setting {
    /// Whether the value is the same in every frame, until it is set. Curves and gradients are.
    pub fn is_constant(&self, numbers: &Table) -> bool {
        if matches!(self.ty, ValueType::Curve | ValueType::Gradient) {
            return true;
        }
        numbers.formula(&self.value, &self.names).is_ok_and(|formula| numbers.follows(&formula).is_none())
    }

    /// Whether the value is written as zero.
    pub fn is_zero(&self) -> bool {
        match &self.value {
            ParamValue::Number(number) => *number == 0.0,
            ParamValue::Vector(numbers) => numbers.iter().all(|number| *number == 0.0),
            _ => false,
        }
    }

    /// Whether the setting is what a wire from a number node reads.
    pub(super) fn is_wired(&self) -> bool {
        self.name == WIRED && matches!(&self.value, ParamValue::Expression(text) if text == WIRED)
    }
}

/// A number by the path that sets it: what a wire from a number node reads.
pub fn wired(path: &str, ty: ValueType) -> Setting {
    Setting {
        name: WIRED.into(),
        ty,
        value: ParamValue::Expression(WIRED.into()),
        range: (None, None),
        aliases: Vec::new(),
        names: Arc::new(Names::from(&BTreeMap::from([(WIRED.to_string(), path.to_string())]))),
    }
}

/// What a parameter declares about its values.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The parameter's type.
    pub ty: ValueType,
    /// Values outside are errors.
    pub range: Range,
    /// Dimensions of the space of a `Vec`.
    pub dim: u32,
}

/// The value type of an element; that of a generic one is known later.
pub(super) fn of_element(element: Element) -> ValueType {
    match element {
        Element::Fixed(value) => value,
        Element::Generic(_) => ValueType::F32,
    }
}

/// A parameter's value: how it is computed, and what the GPU gets.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The value at time zero: as many numbers as the type has components.
    pub values: Vec<f64>,
    /// How the numbers are computed in later frames; `None` for curves and gradients, which do not change.
    pub formula: Option<Formula>,
}

/// Evaluates a parameter's value.
///
/// # Errors
/// When the expression fails, the value has the wrong kind or number of components, or it is outside the range or not
/// finite.
pub fn read(declared: Declared, value: &ParamValue, names: &Names, numbers: &Table) -> Result<Reading, Fault> {
    let Declared { ty, range, dim } = declared;
    let drawn = |values| Reading { values, formula: None };
    match (ty, value) {
        (ValueType::Curve, ParamValue::Curve(curve)) => {
            curve.check(range)?;
            Ok(drawn(curve.samples()))
        }
        (ValueType::Gradient, ParamValue::Gradient(gradient)) => {
            gradient.check()?;
            Ok(drawn(gradient.samples()))
        }
        (ValueType::Curve | ValueType::Gradient, _) => Err(Some(undrawn(ty, value))),
        _ => {
            let mut formula = numbers.formula(value, names)?;
            if matches!(ty, ValueType::I32 | ValueType::U32) {
                formula.round_keys();
            }
            if let ParamValue::Keys(Keyframes { keys, expr: None }) = value {
                check_keys(declared, keys)?;
            }
            let values = fit(ty, range, numbers.start(&formula)?, dim)?;
            let count = ty.components(dim) as usize;
            Ok(Reading { values: values.into_iter().take(count).collect(), formula: Some(formula) })
        }
    }
}

/// Checks the value of each key, so that a key that is reached later is reported at once.
fn check_keys(Declared { ty, range, dim }: Declared, keys: &[Key]) -> Result<(), Unfit> {
    for key in keys {
        let Some(value) = Number::vector(&key.value) else { continue };
        fit(ty, range, value, dim)
            .map_err(|(cause, remedy)| (format!("the key at frame {}: {cause}", key.frame), remedy))?;
    }
    Ok(())
}

/// The error when a curve or a gradient is given as something else.
fn undrawn(ty: ValueType, value: &ParamValue) -> Unfit {
    let (parts, form) = match ty {
        ValueType::Curve => ("points", "[(0, 0), (1, 1)]"),
        _ => ("stops", r##"[(0, "#000000"), (1, "#ffffff")]"##),
    };
    (format!("{} was given for a {}", value.kind(), ty.name()), format!("give its {parts} as {form}"))
}

/// Checks a number against a type and a range.
///
/// # Errors
/// When the number of components is wrong, or the value is outside the range or not finite.
pub fn fit(ty: ValueType, (low, high): Range, number: Number, dim: u32) -> Result<[f64; 4], Unfit> {
    let wanted = ty.components(dim) as usize;
    let components = number.as_slice();
    let mut values = [0.0; 4];
    if wanted > values.len() && !ty.is_compound() {
        return Err((format!("a {} cannot be a constant", ty.name()), "connect one to it".into()));
    }
    match components.len() {
        1 => values = [components.first().copied().unwrap_or(0.0); 4],
        n if ty.is_compound() => {
            let cause = format!("a vector of {n} was given for {}", ty.name());
            let remedy = match ty {
                ValueType::Mat => "give one number, and the matrix is so many times the identity",
                _ => "give one number, which all of a cell's numbers then are",
            };
            return Err((cause, remedy.into()));
        }
        // A colour without alpha is opaque.
        3 if ty == ValueType::Vec4 => values = [components[0], components[1], components[2], 1.0],
        // A default for both 2D and 3D.
        3 if ty == ValueType::Vec && wanted == 2 => values[..2].copy_from_slice(&components[..2]),
        n if n == wanted => values[..n].copy_from_slice(components),
        n => {
            let cause = format!("a vector of {n} was given for {}", ty.name());
            let remedy = match (wanted, n) {
                // `0,8` on the command line is a vector.
                (1, 2) => "give one number, with a point such as 0.8".into(),
                (1, _) => "give one number".into(),
                _ => format!("give {wanted} numbers, or one for all"),
            };
            return Err((cause, remedy));
        }
    }
    for value in values.iter().take(wanted) {
        if !value.is_finite() {
            return Err((format!("the value is {value}"), "give a finite number".into()));
        }
        if low.is_some_and(|low| *value < low) || high.is_some_and(|high| *value > high) {
            let bound = |b: Option<f64>| b.map_or_else(String::new, printable::number);
            let value = printable::number(*value);
            return Err((
                format!("{value} is outside {}..{}", bound(low), bound(high)),
                "give a value inside the range".into(),
            ));
        }
        let whole = matches!(ty, ValueType::I32 | ValueType::U32);
        let (min, max) = if ty == ValueType::U32 { (0.0, u32::MAX.into()) } else { (i32::MIN.into(), i32::MAX.into()) };
        if whole && (value.fract() != 0.0 || *value < min || *value > max) {
            return Err((
                format!("{} is not a valid {}", printable::number(*value), ty.name()),
                "give a whole number that fits".into(),
            ));
        }
        if !whole && value.abs() > f64::from(f32::MAX) {
            let cause = format!("{} is too large for 32 bits", printable::number(*value));
            return Err((cause, "give a number below 3.4e38".into()));
        }
    }
    Ok(values)
}

/// Reports a setting whose value is invalid at time zero.
pub fn check(path: &str, setting: &Setting, dim: u32, numbers: &Table, problems: &mut Problems) {
    // Errors of a number that it names are reported there.
    let declared = Declared { ty: setting.ty, range: setting.range, dim };
    if let Err(Some((cause, remedy))) = read(declared, &setting.value, &setting.names, numbers) {
        problems.push(Problem::new(path, &setting.name, cause, remedy));
    }
    // An expression may approach zero on purpose.
    let lost = |value: &f64| *value != 0.0 && *value as f32 == 0.0;
    let components = match &setting.value {
        ParamValue::Number(value) => std::slice::from_ref(value),
        ParamValue::Vector(values) => values.as_slice(),
        _ => &[],
    };
    if let Some(value) = components.iter().find(|value| lost(value)) {
        let cause = format!("{} is zero in 32 bits", printable::number(*value));
        problems.push(Problem::new(path, &setting.name, cause, "give 0, or a number above 1e-45").warning());
    }
}
