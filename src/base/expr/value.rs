//! Values that the steps of an expression work on, and errors.

use super::number::Number;

#[derive(Clone, Copy, Debug)]
pub(super) enum ExprValue {
    Scalar(f64),
    /// Includes a list of one number, which has an `.x`.
    Vector(Number),
    Condition(bool),
    /// Any other list, as `curve` takes it: the range of its entries among those of all lists.
    List(usize, usize),
}

impl From<Number> for ExprValue {
    fn from(number: Number) -> ExprValue {
        if number.len == 1 { ExprValue::Scalar(number.v[0]) } else { ExprValue::Vector(number) }
    }
}

/// Why a step has no value: the text is invalid, or an argument is outside a function's domain.
#[derive(Debug)]
pub(super) enum Fault {
    Text(String),
    Domain(String),
}

pub(super) const NO_CONDITION: &str = "a condition such as time > 1 is needed here";

impl ExprValue {
    /// The kind of value, as named in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            ExprValue::Scalar(_) => "number",
            ExprValue::Vector(_) => "vector",
            ExprValue::Condition(_) => "condition",
            ExprValue::List(..) => "list",
        }
    }

    pub(super) fn condition(&self) -> Result<bool, Fault> {
        match self {
            ExprValue::Condition(condition) => Ok(*condition),
            _ => Err(Fault::Text(NO_CONDITION.into())),
        }
    }

    /// Conditions count as 1 or 0. `of` describes what needs the number, for the message.
    pub(super) fn number(&self, of: impl Fn() -> String) -> Result<Number, Fault> {
        match *self {
            ExprValue::Scalar(x) => Ok(Number::scalar(x)),
            ExprValue::Vector(vector) => Ok(vector),
            ExprValue::Condition(condition) => Ok(Number::scalar(f64::from(u8::from(condition)))),
            ExprValue::List(..) => {
                Err(Fault::Text(format!("{} needs a vector of 1 to 4 numbers, not this list", of())))
            }
        }
    }

    pub(super) fn part(&self, index: u16) -> Result<f64, Fault> {
        let name = || ["x", "y", "z", "w"].get(usize::from(index)).copied().unwrap_or_default();
        if !matches!(self, ExprValue::Vector(_) | ExprValue::List(..)) {
            return Err(Fault::Text(".x .y .z .w are parts of a vector, and this is not a vector".into()));
        }
        let vector = self.number(|| format!("`{}`", name()))?;
        let part = vector.as_slice().get(usize::from(index)).copied();
        part.ok_or_else(|| Fault::Text(format!("a vector of {} has no .{}", vector.len, name())))
    }
}

/// The vector of one to four scalars.
pub(super) fn vector(parts: &[ExprValue]) -> Option<Number> {
    let mut v = [0.0; 4];
    for (x, part) in v.get_mut(..parts.len())?.iter_mut().zip(parts) {
        let ExprValue::Scalar(part) = part else { return None };
        *x = *part;
    }
    (!parts.is_empty()).then_some(Number { len: parts.len(), v })
}
