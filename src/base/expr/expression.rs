//! Parsed expressions and their evaluation on the CPU.

use super::context::ExprContext;
use super::error::{ExprError, ExprPlace};
use super::number::{Number, Numbers};
use super::program::run;
use super::scan::{Scan, Scanner};
use super::value::{ExprValue, Fault};

/// Number of values on the stack of an evaluation that need no allocation.
const SMALL: usize = 8;

/// A parsed expression; cheap to clone, and to evaluate in each frame.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    pub(super) scan: Scan,
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
    /// Errors of [`Expression::parse`].
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
    /// Errors of [`Expression::eval`].
    pub fn eval_with(&self, ctx: &ExprContext, numbers: &Numbers) -> Result<Number, ExprError> {
        self.eval_by(ctx, &|place| numbers.get(self.scan.numbers.get(place)?).copied())
    }

    /// The value in a frame, with numbers given by their index in [`Expression::numbers`].
    ///
    /// # Errors
    /// Errors of [`Expression::eval`].
    pub fn eval_by(&self, ctx: &ExprContext, number: &dyn Fn(usize) -> Option<Number>) -> Result<Number, ExprError> {
        if let Some(value) = self.constant {
            return Ok(value);
        }
        let empty = ExprValue::Condition(false);
        let value = match self.scan.height {
            ..=SMALL => run(&self.scan.steps, &mut [empty; SMALL], ctx, number),
            deep => run(&self.scan.steps, &mut vec![empty; deep], ctx, number),
        };
        let value = value.map_err(|(at, fault)| self.explain(at, fault, ctx.time))?;
        match value.as_slice().iter().find(|x| !x.is_finite()) {
            Some(&bad) => Err(ExprError::NotFinite { value: bad, time: ctx.time }),
            None => Ok(value),
        }
    }

    /// The error of a step, with the position in the text that it was compiled from.
    pub(super) fn explain(&self, at: Option<u16>, fault: Fault, time: f64) -> ExprError {
        let place = at.map(|at| ExprPlace::at_byte(&self.text, at.into()));
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
