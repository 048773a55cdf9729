//! Numeric expressions of parameters, such as `0.5 + 0.1 * sin(tau * time)` or `[mouse.x, 1 - mouse.y]`.
//!
//! They consist of numbers, names, operators and `if a { x } else { y }`. Every number is a float: `1/2` is 0.5. A text
//! is compiled once to steps; an evaluation runs them on a small stack, and only a deeply nested expression or a
//! `curve` allocates memory.
//!
//! Besides the language's own variables an expression may name [`Numbers`] that the caller supplies. Names of the
//! language have priority: [`usable`] tells which other names are possible.

mod context;
mod error;
mod expression;
mod functions;
mod help;
mod language;
mod names;
mod number;
mod program;
mod scan;
#[cfg(test)]
mod tests;
pub mod typed;
mod value;
mod wgsl;

pub use context::ExprContext;
pub use error::{ExprError, ExprPlace, MAX_TEXT};
pub use expression::Expression;
pub use language::{FUNCTIONS, KEYFRAMES, VARIABLES, gpu_functions};
pub use names::{mentions, names, rename, replace, reserved, usable};
pub use number::{Number, Numbers};
pub use scan::LISTED;
pub use wgsl::Shader;
