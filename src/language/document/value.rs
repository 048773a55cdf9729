//! The value of a parameter.

use crate::curve::{Curve, Gradient, Keyframes};

/// A parameter's value as in the file.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A number.
    Number(f64),
    /// The components of a vector.
    Vector(Vec<f64>),
    /// `true` or `false`.
    Bool(bool),
    /// An expression (see [`crate::expr`]).
    Expression(String),
    /// `[(0, 1), (0.5, 0.8), (1, 0)]`: points (t, value).
    Curve(Curve),
    /// `[(0, "#000000"), (1, "#ff8800")]`: stops (t, colour), a colour in sRGB or as linear (r, g, b) or (r, g, b, a).
    Gradient(Gradient),
    /// `(keys: [(0, 10), (30, 60, Linear)], expr: "keys * 2")`: keys (frame, value), and an expression of their value.
    Keys(Keyframes),
}

impl ParamValue {
    /// The keys of the value, if it has some.
    pub fn keys(&self) -> Option<&Keyframes> {
        if let ParamValue::Keys(keys) = self { Some(keys) } else { None }
    }

    /// The text of an expression, also that of keys.
    pub fn expression(&self) -> Option<&str> {
        match self {
            ParamValue::Expression(text) => Some(text),
            ParamValue::Keys(keys) => keys.expr.as_deref(),
            _ => None,
        }
    }

    /// The text of an expression, also that of keys, with mutable access.
    pub fn expression_mut(&mut self) -> Option<&mut String> {
        match self {
            ParamValue::Expression(text) => Some(text),
            ParamValue::Keys(keys) => keys.expr.as_mut(),
            _ => None,
        }
    }

    /// One number, or a vector of several.
    pub fn from_numbers(values: &[f64]) -> ParamValue {
        match values {
            [one] => ParamValue::Number(*one),
            many => ParamValue::Vector(many.to_vec()),
        }
    }

    /// The kind of value, with an article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            ParamValue::Number(_) => "a number",
            ParamValue::Vector(values) if values.is_empty() => "an empty list",
            ParamValue::Vector(_) => "a vector",
            ParamValue::Bool(_) => "a bool",
            ParamValue::Expression(_) => "an expression",
            ParamValue::Curve(_) => "a curve",
            ParamValue::Gradient(_) => "a gradient",
            ParamValue::Keys(_) => "keys",
        }
    }
}
