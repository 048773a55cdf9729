//! Invariants of every program, whichever passes have run.

mod def_use;
mod gates;
mod operation;
mod order;
#[cfg(test)]
mod tests;
mod updates;

use def_use::Known;

use super::Program;
use crate::graph::Graph;

/// Checks a program.
///
/// # Errors
/// The violated invariant and the operation.
pub(crate) fn verify(graph: &Graph, program: &Program) -> Result<(), String> {
    let known = Known::of(graph, program)?;
    known.each(|index, op| {
        known.needs(op)?;
        gates::verify(&known, op)?;
        updates::verify(&known, index, op)
    })?;
    known.outside()?;
    gates::outside(&known)?;
    order::verify(&known)
}

/// Checks a program whose operations run in list order.
///
/// # Errors
/// As [`verify`]; also an operation that runs too early or too late.
pub(crate) fn verify_scheduled(graph: &Graph, program: &Program) -> Result<(), String> {
    verify(graph, program)?;
    let known = Known::of(graph, program)?;
    known.each(|index, op| order::verify_scheduled(&known, index, op))
}
