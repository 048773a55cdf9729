//! Names that the expression language defines: its variables and functions.

use super::context::ExprContext;
use super::functions::{TABLE, function, on_cpu_only};
use super::number::Number;
use super::value::ExprValue;

/// A variable's name, and its value in a frame.
pub(super) type Variable = (&'static str, fn(&ExprContext) -> ExprValue);

pub(super) const VALUES: &[Variable] = &[
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
pub const FUNCTIONS: &[&str] = &listed::<_, { TABLE.len() }>(TABLE);

/// Functions that formulas may call, which the GPU evaluates.
pub fn gpu_functions() -> impl Iterator<Item = &'static str> {
    TABLE.iter().filter(|function| !on_cpu_only(function)).map(|(usage, _)| *usage)
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

/// The notation of a function, such as `sin(x)`; `None` where no function has this name.
pub(super) fn usage_of(name: &str) -> Option<&'static str> {
    function(name).map(|(usage, _)| *usage)
}
