//! The compiled form of an expression: steps that work on a stack of values.

use super::context::ExprContext;
use super::functions::{Apply, Function, call};
use super::language::Variable;
use super::number::Number;
use super::value::{ExprValue, Fault, vector};

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) does: Does,
    /// Position in the text for error messages \[bytes\].
    pub(super) at: u16,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    Scalar(f64),
    Condition(bool),
    Variable(&'static Variable),
    /// A named number, by its index in [`super::Expression::numbers`].
    Number(u16),
    /// A component of a vector; 0 is `.x`.
    Part(u16),
    /// Makes a vector or a list of this many values.
    List(u16),
    Call(&'static Function, u16),
    /// Pops a condition. If it has this value, it is the result, and execution continues at this step.
    Decide(bool, u16),
    /// The value must be a condition.
    Check,
    /// Pops a condition; if it is false, execution continues at this step.
    Unless(u16),
    /// Jumps from the end of one branch to the end of the other.
    Jump(u16),
}

impl Does {
    /// Number of values that it pops, and that it pushes for the following step.
    pub(super) fn takes_and_leaves(self) -> (usize, usize) {
        match self {
            Does::Scalar(_) | Does::Condition(_) | Does::Variable(_) | Does::Number(_) => (0, 1),
            Does::Part(_) | Does::Check => (1, 1),
            Does::List(count) | Does::Call(_, count) => (count.into(), 1),
            Does::Decide(..) | Does::Unless(_) | Does::Jump(_) => (1, 0),
        }
    }
}

/// A vector where the values form one, otherwise a list of numbers.
fn list(values: &[ExprValue], lists: &mut Vec<Number>) -> Result<ExprValue, Fault> {
    if let Some(vector) = vector(values) {
        return Ok(ExprValue::Vector(vector));
    }
    let start = lists.len();
    for value in values {
        lists.push(value.number(|| "a list in a list".into())?);
    }
    Ok(ExprValue::List(start, lists.len()))
}

/// Runs the steps. `number` returns the named numbers by their index.
///
/// # Errors
/// An error with its position in the text, unless the result itself is not finite.
pub(super) fn run(
    steps: &[Step],
    stack: &mut [ExprValue],
    ctx: &ExprContext,
    number: &dyn Fn(usize) -> Option<Number>,
) -> Result<Number, (Option<u16>, Fault)> {
    let mut lists = Vec::new();
    let (mut next, mut top) = (0, 0);
    while let Some(&Step { does, at }) = steps.get(next) {
        let fault = |fault| (Some(at), fault);
        next += 1;
        top -= does.takes_and_leaves().0;
        let values = &stack[top..];
        match does {
            Does::Scalar(x) => stack[top] = ExprValue::Scalar(x),
            Does::Condition(condition) => stack[top] = ExprValue::Condition(condition),
            Does::Variable((_, of)) => stack[top] = of(ctx),
            Does::Number(index) => {
                let unknown = || fault(Fault::Text("this number has no value".into()));
                stack[top] = number(index.into()).ok_or_else(unknown)?.into();
            }
            Does::Part(index) => stack[top] = ExprValue::Scalar(values[0].part(index).map_err(fault)?),
            Does::List(count) => stack[top] = list(&values[..count.into()], &mut lists).map_err(fault)?,
            Does::Call(function, count) => match (function.1, &values[..count.into()]) {
                // Most steps run here, without copying whole values.
                (Apply::One(f), &[ExprValue::Scalar(x)]) => stack[top] = ExprValue::Scalar(f(x)),
                (Apply::Two(f), &[ExprValue::Scalar(a), ExprValue::Scalar(b)]) => {
                    stack[top] = ExprValue::Scalar(f(a, b))
                }
                (_, values) => stack[top] = call(function, values, ctx, &lists).map_err(fault)?,
            },
            Does::Check => _ = values[0].condition().map_err(fault)?,
            Does::Decide(wanted, end) => match values[0].condition().map_err(fault)? {
                condition if condition == wanted => next = end.into(),
                _ => continue,
            },
            Does::Unless(end) => {
                if !values[0].condition().map_err(fault)? {
                    next = end.into();
                }
                continue;
            }
            Does::Jump(end) => next = end.into(),
        }
        top += 1;
    }
    stack[0].number(|| "the result".into()).map_err(|fault| (None, fault))
}
