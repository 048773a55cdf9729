//! Numeric expressions of parameters, such as `0.5 + 0.1 * sin(tau * time)` or `[mouse.x, 1 - mouse.y]`.
//!
//! They consist of numbers, names, operators and `if a { x } else { y }`. Every number is a float: `1/2` is 0.5. A text
//! is compiled once to steps; an evaluation runs them on a small stack, and only a deeply nested expression or a
//! `curve` allocates memory.
//!
//! Besides the language's own variables an expression may name [`Numbers`] that the caller supplies. Names of the
//! language have priority: [`usable`] tells which other names are possible.

mod functions;
mod help;
mod names;
mod program;
mod scan;
#[cfg(test)]
mod tests;
pub mod typed;
mod value;
mod wgsl;

use std::collections::BTreeMap;
use std::fmt;

pub use names::{mentions, names, rename, replace, reserved, usable};
use scan::{Scan, Scanner};
use value::{ExprValue, Fault};
pub use wgsl::Shader;

/// Length limit of an expression \[bytes\].
pub const MAX_TEXT: usize = 4096;
/// Limit of nested brackets.
const MAX_BRACKETS: usize = 16;
/// Number of values on the stack of an evaluation that need no allocation.
const SMALL: usize = 8;

type Variable = (&'static str, fn(&ExprContext) -> ExprValue);

const VALUES: &[Variable] = &[
    ("time", |ctx| ExprValue::Scalar(ctx.time)),
    ("dt", |ctx| ExprValue::Scalar(ctx.dt)),
    ("frame", |ctx| ExprValue::Scalar(ctx.frame)),
    ("seed", |ctx| ExprValue::Scalar(ctx.seed.into())),
    ("mouse", |ctx| ExprValue::Vector(Number::pair(ctx.mouse))),
    ("mouse_velocity", |ctx| ExprValue::Vector(Number::pair(ctx.mouse_velocity))),
    ("buttons", |ctx| ExprValue::Scalar(ctx.buttons.into())),
    ("keys", |ctx| ExprValue::Scalar(ctx.keys.into())),
];

/// The variables of the language; `pi` and `tau` are constants.
pub const VARIABLES: &[&str] = &listed::<_, { VALUES.len() }>(VALUES);

/// The functions of the language in their notation, for messages and completion.
pub const FUNCTIONS: &[&str] = &listed::<_, { functions::TABLE.len() }>(functions::TABLE);

/// Functions that formulas may call, which the GPU evaluates.
pub fn gpu_functions() -> impl Iterator<Item = &'static str> {
    functions::TABLE.iter().filter(|function| !functions::on_cpu_only(function)).map(|(usage, _)| *usage)
}

/// The first column of a table.
const fn listed<T, const N: usize>(table: &[(&'static str, T)]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut i = 0;
    while i < N {
        names[i] = table[i].0;
        i += 1;
    }
    names
}

/// The value of the curve through a value's keys, in the expression of these keys. There it hides the variable of that
/// name, the pressed keys.
pub const KEYFRAMES: &str = "keys";

/// Limit of numbers that a message lists.
pub const LISTED: usize = 16;

/// Keywords of other languages, which get an error message of their own.
const STATEMENTS: &[&str] =
    &["let", "const", "while", "loop", "for", "do", "fn", "switch", "return", "import", "throw"];

/// Numbers that an expression may name, with their values.
pub type Numbers = BTreeMap<String, Number>;

fn usage_of(name: &str) -> Option<&'static str> {
    functions::function(name).map(|(usage, _)| *usage)
}

/// A position in an expression's text, counted from 1 in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprPlace {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 \[characters\].
    pub column: usize,
}

impl ExprPlace {
    fn of(text: &str, byte: usize) -> ExprPlace {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ExprPlace { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for ExprPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            1 => write!(f, "column {}", self.column),
            line => write!(f, "line {line}, column {}", self.column),
        }
    }
}

/// Why an expression has no value, in one sentence; the caller adds the node and the parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprError {
    /// The text is empty.
    #[error("the expression is empty; write a number such as 0.5")]
    Empty,
    /// The text has this many bytes, which is too many.
    #[error("the expression has {0} bytes and may have {MAX_TEXT}")]
    TooLong(usize),
    /// The text is invalid, independent of the frame.
    #[error("{message}{}", .place.map(|place| format!(" ({place})")).unwrap_or_default())]
    Text {
        /// Where in the text, if known.
        place: Option<ExprPlace>,
        /// What is wrong.
        message: String,
    },
    /// An argument outside a function's domain in this frame.
    #[error("{message} at time {time} s{}", .place.map(|place| format!(" ({place})")).unwrap_or_default())]
    Domain {
        /// Where in the text, if known.
        place: Option<ExprPlace>,
        /// What is wrong.
        message: String,
        /// Time of the frame \[s\].
        time: f64,
    },
    /// The result is NaN or infinite.
    #[error("the expression gives {value} at time {time} s")]
    NotFinite {
        /// The result.
        value: f64,
        /// Time of the frame \[s\].
        time: f64,
    },
}

impl ExprError {
    /// Where in the text, if known.
    pub fn place(&self) -> Option<ExprPlace> {
        match self {
            ExprError::Text { place, .. } | ExprError::Domain { place, .. } => *place,
            ExprError::Empty | ExprError::TooLong(_) | ExprError::NotFinite { .. } => None,
        }
    }
}

/// The values of the variables in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExprContext {
    /// Time since the start \[s\].
    pub time: f64,
    /// Length of the step \[s\].
    pub dt: f64,
    /// Frame number from 0; between two frames in the steps that a frame is divided into.
    pub frame: f64,
    /// Seed of the graph, for `random`.
    pub seed: u32,
    /// Pointer, 0..1 from the lower left.
    pub mouse: [f64; 2],
    /// \[1/s\]
    pub mouse_velocity: [f64; 2],
    /// Bits: 1 left, 2 right, 4 middle.
    pub buttons: u32,
    /// Bits: 1 space.
    pub keys: u32,
}

impl Default for ExprContext {
    fn default() -> Self {
        ExprContext {
            time: 0.0,
            dt: 1.0 / 60.0,
            frame: 0.0,
            seed: 0,
            mouse: [0.5; 2],
            mouse_velocity: [0.0; 2],
            buttons: 0,
            keys: 0,
        }
    }
}

/// A scalar or a vector of up to four components; those from `len` on are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// 1..=4
    pub len: usize,
    /// The components.
    pub v: [f64; 4],
}

impl Number {
    /// A number with one component.
    pub fn scalar(x: f64) -> Number {
        Number { len: 1, v: [x, 0.0, 0.0, 0.0] }
    }

    /// Number with these components; `None` unless there are one to four.
    pub fn vector(components: &[f64]) -> Option<Number> {
        let mut v = [0.0; 4];
        v.get_mut(..components.len()).filter(|part| !part.is_empty())?.copy_from_slice(components);
        Some(Number { len: components.len(), v })
    }

    /// The components, 1 to 4.
    pub fn as_slice(&self) -> &[f64] {
        self.v.get(..self.len).unwrap_or(&self.v)
    }

    fn map(self, f: impl Fn(f64) -> f64) -> Number {
        let mut v = self.v;
        v.iter_mut().take(self.len).for_each(|x| *x = f(*x));
        Number { len: self.len, v }
    }

    /// Componentwise; a scalar counts as a vector of equal components. `None` when two vectors differ in length.
    fn zip(self, other: Number, f: impl Fn(f64, f64) -> f64) -> Option<Number> {
        let len = self.len.max(other.len);
        if (self.len != len && self.len != 1) || (other.len != len && other.len != 1) {
            return None;
        }
        let (a, b) = (self.spread(), other.spread());
        let mut v = [0.0; 4];
        (0..len).for_each(|i| v[i] = f(a[i], b[i]));
        Some(Number { len, v })
    }

    fn spread(self) -> [f64; 4] {
        if self.len == 1 { [self.v[0]; 4] } else { self.v }
    }

    fn pair([x, y]: [f64; 2]) -> Number {
        Number { len: 2, v: [x, y, 0.0, 0.0] }
    }
}

/// A parsed expression; cheap to clone, and to evaluate in each frame.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    scan: Scan,
    /// The value, if it depends on no variable and no number.
    constant: Option<Number>,
}

impl Expression {
    /// Checks names and brackets, and, by an evaluation at time 0, the types and counts of arguments.
    ///
    /// # Errors
    /// One sentence with the column. A constant expression that is not finite is an error here too.
    pub fn parse(text: &str) -> Result<Expression, ExprError> {
        Expression::parse_with(text, &Numbers::new())
    }

    /// Parses a text that may name these numbers. Their values are used for the check; later values may differ,
    /// but should have the same number of components.
    ///
    /// # Errors
    /// As [`Expression::parse`].
    pub fn parse_with(text: &str, numbers: &Numbers) -> Result<Expression, ExprError> {
        let scan = Scanner::scan(text, numbers)?;
        let mut expression = Expression { text: text.into(), scan, constant: None };
        match expression.eval_with(&ExprContext::default(), numbers) {
            Ok(value) if expression.is_constant() => expression.constant = Some(value),
            Ok(_) => (),
            // An expression that fails at time 0 may have a value later.
            Err(ExprError::Domain { .. } | ExprError::NotFinite { .. }) if !expression.is_constant() => (),
            Err(error) => return Err(error),
        }
        Ok(expression)
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the value is the same in every frame and for every seed, and no number is named.
    pub fn is_constant(&self) -> bool {
        self.scan.variables.is_empty() && self.scan.numbers.is_empty()
    }

    /// The variables that the text uses, each once; `random` uses `seed`.
    pub fn variables(&self) -> &[&'static str] {
        &self.scan.variables
    }

    /// The numbers that the text names, each once.
    pub fn numbers(&self) -> &[String] {
        &self.scan.numbers
    }

    /// The value in a frame; a condition such as `time > 1` gives 1 or 0.
    ///
    /// # Errors
    /// A value that is not finite, or an invalid argument in a branch that the check in `parse` did not evaluate.
    pub fn eval(&self, ctx: &ExprContext) -> Result<Number, ExprError> {
        self.eval_with(ctx, &Numbers::new())
    }

    /// The value in a frame, with these values of the numbers that the text names.
    ///
    /// # Errors
    /// As [`Expression::eval`].
    pub fn eval_with(&self, ctx: &ExprContext, numbers: &Numbers) -> Result<Number, ExprError> {
        self.eval_by(ctx, &|place| numbers.get(self.scan.numbers.get(place)?).copied())
    }

    /// The value in a frame, with numbers given by their index in [`Expression::numbers`].
    ///
    /// # Errors
    /// As [`Expression::eval`].
    pub fn eval_by(&self, ctx: &ExprContext, number: &dyn Fn(usize) -> Option<Number>) -> Result<Number, ExprError> {
        if let Some(value) = self.constant {
            return Ok(value);
        }
        let empty = ExprValue::Condition(false);
        let value = match self.scan.height {
            ..=SMALL => program::run(&self.scan.steps, &mut [empty; SMALL], ctx, number),
            deep => program::run(&self.scan.steps, &mut vec![empty; deep], ctx, number),
        };
        let value = value.map_err(|(at, fault)| self.explain(at, fault, ctx.time))?;
        match value.as_slice().iter().find(|x| !x.is_finite()) {
            Some(&bad) => Err(ExprError::NotFinite { value: bad, time: ctx.time }),
            None => Ok(value),
        }
    }

    fn explain(&self, at: Option<u16>, fault: Fault, time: f64) -> ExprError {
        let place = at.map(|at| ExprPlace::of(&self.text, at.into()));
        match fault {
            Fault::Text(message) => ExprError::Text { place, message },
            Fault::Domain(message) => ExprError::Domain { place, message, time },
        }
    }
}

/// Equal texts parse to equal expressions.
impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.text == other.text
    }
}
