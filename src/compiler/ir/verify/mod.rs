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
use crate::stage::types::WireType;

/// Checks a program.
///
/// # Errors
/// The violated invariant and the operation.
pub(crate) fn verify(graph: &Graph, program: &Program) -> Result<(), String> {
    sizes(graph, program)?;
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

/// Checks that grids have room for all their cells.
fn sizes(graph: &Graph, program: &Program) -> Result<(), String> {
    let grids = program.values.entries().filter(|(_, value)| {
        matches!(value.ty, WireType::Grid(_) | WireType::FaceGrid) && value.domain.is_some() && value.pooled.is_none()
    });
    for (id, value) in grids {
        let needed = 4 * value.words(value.elements(&graph.domains));
        if value.bytes < needed {
            return Err(format!("%{id} has {} bytes, and its cells take {needed}", value.bytes));
        }
    }
    Ok(())
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
