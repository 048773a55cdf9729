//! Blocks of cells: a stage that a grid confines runs in those in which the grid is not zero, and in those beside them.
//!
//! A word for each block of the stage's domain says whether it runs there. In all other cells its results are zero.

use super::{OWN, Op, Part, ValueId};
use crate::graph::Domain;

/// Cells of a block along each axis.
const WIDTH: u32 = 8;

/// Cells of a block along each axis.
pub(crate) fn block(dim: u32) -> [u32; 3] {
    if dim == 3 { [WIDTH; 3] } else { [WIDTH, WIDTH, 1] }
}

/// Blocks along each axis of a domain.
pub(crate) fn blocks(domain: &Domain) -> [u32; 3] {
    let block = block(domain.dim);
    [0, 1, 2].map(|axis| domain.resolution[axis].div_ceil(block[axis]))
}

/// The number of blocks of a domain.
pub(crate) fn count(domain: &Domain) -> u64 {
    blocks(domain).map(u64::from).iter().product()
}

/// The table of blocks by which an operation runs, unless it runs everywhere.
pub(crate) fn table(op: &Op) -> Option<ValueId> {
    op.reads.iter().find(|read| read.stage == OWN && read.part == Part::Blocks).map(|read| read.value)
}
