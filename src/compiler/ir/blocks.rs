//! Blocks of cells: a stage that a grid confines runs in those in which the grid is not zero, and in those beside them.
//!
//! A table of them begins with the workgroups of a dispatch for these blocks alone, and with their number. Then comes a word for each block
//! of the stage's domain, which says whether it runs there; then the list of the blocks in which it does; and then, while the table is made,
//! a word for each block that says whether the grid is not zero there. In all other cells the results of the stage are zero.

use super::{OWN, Op, Part, ValueId};
use crate::graph::Domain;

/// Cells of a block along each axis.
const WIDTH: u32 = 8;

/// Cells of a block along each axis.
pub(crate) fn block(dim: u32) -> [u32; 3] {
    if dim == 3 { [WIDTH; 3] } else { [WIDTH, WIDTH, 1] }
}

/// Workgroups for a block, and invocations of each along each axis.
pub(crate) fn groups(dim: u32) -> (u32, [u32; 3]) {
    if dim == 3 { (2, [WIDTH, WIDTH, WIDTH / 2]) } else { (1, [WIDTH, WIDTH, 1]) }
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

/// Words of a table: the head, whether each block is among them, the list, and what was found.
pub(crate) fn words(domain: &Domain) -> u64 {
    found(domain) + count(domain)
}

/// Words in front of the first block's: workgroups along each axis, and the number of blocks in the list.
pub(crate) const HEAD_WORDS: u64 = 4;

/// Where the list begins \[words\].
pub(crate) fn list(domain: &Domain) -> u64 {
    HEAD_WORDS + count(domain)
}

/// Where the blocks that were found begin \[words\].
pub(crate) fn found(domain: &Domain) -> u64 {
    list(domain) + count(domain)
}

/// The table of blocks by which an operation runs, unless it runs everywhere.
pub(crate) fn table(op: &Op) -> Option<ValueId> {
    op.reads.iter().find(|read| read.stage == OWN && read.part == Part::Blocks).map(|read| read.value)
}
