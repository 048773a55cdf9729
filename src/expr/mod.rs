//! Numeric expressions of parameters, such as `0.5 + 0.1 * sin(tau * time)` or `[mouse.x, 1 - mouse.y]`.
//!
//! The text is scanned first, by rules far stricter than rhai's: numbers, the names listed here, operators and
//! `if a { x } else { y }`, nothing else. The scan also spells the text for rhai: every number as a float (so that `1/2`
//! is 0.5), `pi` and `tau` as numbers, `random(n)` as `random(seed, n)`. rhai compiles that once; an evaluation hands it only the
//! variables that the text uses.
//!
//! Besides the variables of the language an expression may name [`Numbers`], which the caller has values for. Names of the
//! language come first: [`usable`] says which others can be written.

mod functions;
mod names;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use rhai::{AST, Dynamic, EvalAltResult, ParseErrorType, Scope};

use functions::{engine, operand};
pub use names::{mentions, names, rename, replace, reserved, usable};
use scan::Scanner;

/// Longest text of an expression \[bytes\].
pub const MAX_TEXT: usize = 4096;
/// How deep brackets may nest.
const MAX_BRACKETS: usize = 16;
/// rhai's own limit; it counts every operator of a chain and every bracket a few times over.
const MAX_DEPTH: usize = 64;
/// rhai's operations an evaluation; 4 KiB of text without loops stay far below.
const MAX_OPERATIONS: u64 = 20_000;
/// Entries of a list and of the lists in it; 4 KiB of text hold no more.
const MAX_ARRAY: usize = 2048;

/// Variables of an expression; `pi` and `tau` are constants besides.
pub const VARIABLES: &[&str] = &["time", "dt", "frame", "seed", "mouse", "mouse_velocity", "buttons", "keys"];

/// Functions of an expression as they are written, for messages and completion.
#[rustfmt::skip]
pub const FUNCTIONS: &[&str] = &[
    "sin(x)", "cos(x)", "tan(x)", "asin(x)", "acos(x)", "atan(x)", "atan2(y, x)", "sqrt(x)", "abs(x)", "floor(x)",
    "ceil(x)", "round(x)", "fract(x)", "exp(x)", "log(x)", "pow(x, y)", "min(a, b)", "max(a, b)",
    "clamp(x, low, high)", "mix(a, b, t)", "step(edge, x)", "smoothstep(low, high, x)", "sign(x)", "length(v)",
    "dot(a, b)", "normalize(v)", "vec(x, y[, z[, w]])", "random(n)", "noise(x)",
    "curve(x, [[x0, y0], [x1, y1], ...])", "pulse(x, period, width)",
];

/// Numbers that a message lists at most.
pub const LISTED: usize = 16;

/// Words of rhai that are refused with their own sentence.
const STATEMENTS: &[&str] =
    &["let", "const", "while", "loop", "for", "do", "fn", "switch", "return", "import", "throw"];

/// Numbers that an expression may name besides, with their values.
pub type Numbers = BTreeMap<String, Number>;

fn usage_of(name: &str) -> Option<&'static str> {
    FUNCTIONS.iter().copied().find(|usage| usage.split('(').next() == Some(name))
}

/// Where in an expression's text, counted from 1 in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    fn of(text: &str, byte: usize) -> Place {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            1 => write!(f, "column {}", self.column),
            line => write!(f, "line {line}, column {}", self.column),
        }
    }
}

/// Why an expression has no value, in one sentence; the caller adds the node and the parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExprError {
    #[error("the expression is empty; write a number such as 0.5")]
    Empty,
    #[error("the expression has {0} bytes and may have {MAX_TEXT}")]
    TooLong(usize),
    /// The text is wrong, whatever the frame.
    #[error("{message}{}", .place.map(|place| format!(" ({place})")).unwrap_or_default())]
    Text { place: Option<Place>, message: String },
    /// A function got a number outside of its domain in this frame.
    #[error("{message} at time {time} s{}", .place.map(|place| format!(" ({place})")).unwrap_or_default())]
    Domain { place: Option<Place>, message: String, time: f64 },
    #[error("the expression gives {value} at time {time} s")]
    NotFinite { value: f64, time: f64 },
}

/// What an expression may ask about the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExprContext {
    /// Time since the start \[s\].
    pub time: f64,
    /// Length of the frame \[s\].
    pub dt: f64,
    /// Frame number from 0.
    pub frame: u64,
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
            frame: 0,
            seed: 0,
            mouse: [0.5; 2],
            mouse_velocity: [0.0; 2],
            buttons: 0,
            keys: 0,
        }
    }
}

impl ExprContext {
    fn variable(&self, name: &str) -> Dynamic {
        let [mouse, velocity] = [self.mouse, self.mouse_velocity].map(|[x, y]| Number { len: 2, v: [x, y, 0.0, 0.0] });
        match name {
            "time" => self.time.into(),
            "dt" => self.dt.into(),
            "frame" => (self.frame as f64).into(),
            "seed" => f64::from(self.seed).into(),
            "mouse" => Dynamic::from(mouse),
            "mouse_velocity" => Dynamic::from(velocity),
            "buttons" => f64::from(self.buttons).into(),
            "keys" => f64::from(self.keys).into(),
            _ => Dynamic::UNIT,
        }
    }
}

/// A scalar or a vector of up to four components; those past `len` are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// 1..=4
    pub len: usize,
    pub v: [f64; 4],
}

impl Number {
    pub fn scalar(x: f64) -> Number {
        Number { len: 1, v: [x, 0.0, 0.0, 0.0] }
    }

    /// `None` unless there are one to four components.
    pub fn vector(components: &[f64]) -> Option<Number> {
        let mut v = [0.0; 4];
        v.get_mut(..components.len()).filter(|part| !part.is_empty())?.copy_from_slice(components);
        Some(Number { len: components.len(), v })
    }

    pub fn as_slice(&self) -> &[f64] {
        self.v.get(..self.len).unwrap_or(&self.v)
    }

    fn map(self, f: impl Fn(f64) -> f64) -> Number {
        let mut v = self.v;
        v.iter_mut().take(self.len).for_each(|x| *x = f(*x));
        Number { len: self.len, v }
    }

    /// Componentwise, a scalar standing for a vector of its copies; `None` when two vectors differ in length.
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

    fn dynamic(self) -> Dynamic {
        if self.len == 1 { self.v[0].into() } else { Dynamic::from(self) }
    }
}

/// A parsed expression; cheap to clone and to evaluate each frame.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    ast: AST,
    variables: Vec<&'static str>,
    /// Numbers that the text names, each once.
    numbers: Vec<String>,
    /// Places in rhai's spelling and the same places in `text` \[bytes\].
    places: Vec<(usize, usize)>,
    /// The value, when no variable and no number is used.
    constant: Option<Number>,
}

impl Expression {
    /// Checks names, brackets and, by a trial at time 0, the types and counts of arguments.
    ///
    /// # Errors
    /// One sentence with the column; an expression of constants also fails here when it is not finite.
    pub fn parse(text: &str) -> Result<Expression, ExprError> {
        Expression::parse_with(text, &Numbers::new())
    }

    /// The same for a text that may name these numbers. Their values are for the trial: a later one may differ, but should
    /// have as many components.
    ///
    /// # Errors
    /// As [`Expression::parse`].
    pub fn parse_with(text: &str, numbers: &Numbers) -> Result<Expression, ExprError> {
        let scan = Scanner::scan(text, numbers)?;
        let ast = engine().compile_expression(&scan.source).map_err(|error| ExprError::Text {
            place: place_in(text, &scan.places, error.position()),
            message: match error.err_type() {
                ParseErrorType::ExprTooDeep => "the expression nests too deep or chains too many operators".into(),
                other => other.to_string(),
            },
        })?;
        let (variables, names, places) = (scan.variables, scan.numbers, scan.places);
        let mut expression = Expression { text: text.into(), ast, variables, numbers: names, places, constant: None };
        match expression.eval_with(&ExprContext::default(), numbers) {
            Ok(value) if expression.is_constant() => expression.constant = Some(value),
            Ok(_) => (),
            // What fails at time 0 may well be defined later.
            Err(ExprError::Domain { .. } | ExprError::NotFinite { .. }) if !expression.is_constant() => (),
            Err(error) => return Err(error),
        }
        Ok(expression)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether every frame and seed gives the same value, and no number is named.
    pub fn is_constant(&self) -> bool {
        self.variables.is_empty() && self.numbers.is_empty()
    }

    /// Variables that the text uses, each once; `random` uses `seed`.
    pub fn variables(&self) -> &[&'static str] {
        &self.variables
    }

    /// Numbers that the text names, each once.
    pub fn numbers(&self) -> &[String] {
        &self.numbers
    }

    /// The value in a frame; a condition such as `time > 1` gives 1 or 0.
    ///
    /// # Errors
    /// A value that is not finite, or an argument that is wrong in a branch that the trial of `parse` did not take.
    pub fn eval(&self, ctx: &ExprContext) -> Result<Number, ExprError> {
        self.eval_with(ctx, &Numbers::new())
    }

    /// The value in a frame in which the numbers that the text names have these values.
    ///
    /// # Errors
    /// As [`Expression::eval`].
    pub fn eval_with(&self, ctx: &ExprContext, numbers: &Numbers) -> Result<Number, ExprError> {
        if let Some(value) = self.constant {
            return Ok(value);
        }
        let mut scope = Scope::with_capacity(self.variables.len() + self.numbers.len());
        for name in &self.variables {
            scope.push_dynamic(*name, ctx.variable(name));
        }
        for (index, name) in self.numbers.iter().enumerate() {
            let value = numbers.get(name).map_or(Dynamic::UNIT, |value| value.dynamic());
            scope.push_dynamic(names::spelled(index), value);
        }
        let value = engine()
            .eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast)
            .and_then(|value| operand("", &value))
            .map_err(|error| self.explain(*error, ctx.time))?;
        match value.as_slice().iter().find(|x| !x.is_finite()) {
            Some(&bad) => Err(ExprError::NotFinite { value: bad, time: ctx.time }),
            None => Ok(value),
        }
    }

    fn explain(&self, mut error: EvalAltResult, time: f64) -> ExprError {
        let place = place_in(&self.text, &self.places, error.take_position());
        let message = match &error {
            EvalAltResult::ErrorArithmetic(message, _) => {
                return ExprError::Domain { place, message: message.clone(), time };
            }
            EvalAltResult::ErrorRuntime(message, _) => message.to_string(),
            EvalAltResult::ErrorFunctionNotFound(call, _) => wrong_call(call),
            EvalAltResult::ErrorDotExpr(..) => ".x .y .z .w are parts of a vector, and this is none".into(),
            EvalAltResult::ErrorTooManyOperations(_) => "the expression takes too many steps".into(),
            EvalAltResult::ErrorMismatchDataType(..) => "a condition such as time > 1 is needed here".into(),
            _ => error.to_string(),
        };
        ExprError::Text { place, message }
    }
}

/// The text decides: equal texts parse alike.
impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.text == other.text
    }
}

/// `call` is rhai's `name (type, type)`.
fn wrong_call(call: &str) -> String {
    let (name, types) = call.split_once(' ').unwrap_or((call, "()"));
    let types = types.replace("f64", "number").replace("array", "list");
    match usage_of(name) {
        // Its first argument is the seed that the scan put there.
        Some(usage) if name == "random" => format!("write it as {usage}, with a number"),
        Some(usage) => format!("write it as {usage}; here it has {types}"),
        None => format!("`{name}` does not work on {types}"),
    }
}

fn place_in(text: &str, places: &[(usize, usize)], position: rhai::Position) -> Option<Place> {
    let byte = position.position()?.checked_sub(1)?;
    let next = places.partition_point(|&(spelled, _)| spelled <= byte);
    let &(_, original) = places.get(next.checked_sub(1)?)?;
    Some(Place::of(text, original))
}
