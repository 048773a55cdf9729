//! Invariants of every program, whichever passes have run.

mod def_use;
mod gates;
mod operation;
mod order;
#[cfg(test)]
mod tests;
mod updates;

use def_use::DefUse;

use super::Program;
use crate::graph::Graph;

/// Checks a program.
///
/// # Errors
/// The violated invariant and the operation.
pub(crate) fn verify(graph: &Graph, program: &Program) -> Result<(), String> {
    let def_use = DefUse::new(graph, program)?;
    def_use.each(|index, op| {
        def_use.needs(op)?;
        gates::verify(&def_use, op)?;
        updates::verify(&def_use, index, op)
    })?;
    def_use.outside()?;
    gates::outside(&def_use)?;
    order::verify(&def_use)
}

/// Checks a program whose operations run in list order.
///
/// # Errors
/// As [`verify`]; also an operation that runs too early or too late.
pub(crate) fn verify_scheduled(graph: &Graph, program: &Program) -> Result<(), String> {
    verify(graph, program)?;
    let def_use = DefUse::new(graph, program)?;
    def_use.each(|index, op| order::verify_scheduled(&def_use, index, op))
}
