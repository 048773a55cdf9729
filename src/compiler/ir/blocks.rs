//! Blocks of cells: a stage that a grid confines runs in those in which the grid is not zero, and in those beside them.
//!
//! A table of them begins with the number of these blocks, and with the workgroups of a dispatch for them alone. Then comes a word for each block
//! of the grid's domain; then the list of the blocks in which stages run, or have faces; and then, while the table is made, a word for each
//! block that says whether the grid is not zero there. In all other cells the results of a stage are zero.
//!
//! The list has the blocks in their order, so that what is summed along it is the same in every run.
//!
//! The word of a block says by its lowest bit whether stages run there. The others are the place of the block in memory, where a value has
//! memory for such blocks alone, one block behind another (pass `block_pool`); place 0 is that of all other blocks, where zeros are.
//!
//! On cells of another width, as the levels of a multigrid cycle have, stages run in those that such blocks cover whole, so their border is
//! nowhere further out: corrections of a level that is active further out than the finest one are too large, and a cycle does not converge. They
//! go by a second table, with a word for each tile of cells, which lies in one block.
//!
//! A face belongs to the cells on both sides of it: stages that return faces also run in the cells behind those of a block.

use super::{InstanceId, OWN, Op, Part, Read, ValueId};
use crate::graph::Domain;
use crate::tuning::LANES;

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

/// Blocks along each axis of a domain, for the layer of faces beyond its cells too.
pub(crate) fn blocks(domain: &Domain) -> [u32; 3] {
    domain.face_resolution().map(|n| n.div_ceil(WIDTH))
}

/// Blocks with cells along each axis of a domain.
pub(crate) fn blocks_of_cells(domain: &Domain) -> [u32; 3] {
    domain.resolution.map(|n| n.div_ceil(WIDTH))
}

/// The number of blocks of a domain.
pub(crate) fn count(domain: &Domain) -> u64 {
    blocks(domain).map(u64::from).iter().product()
}

/// Cells of a block.
pub(crate) fn cells(dim: u32) -> u32 {
    WIDTH.pow(dim)
}

/// Words of a table: the head, the word of each block, the list, what was found, and sums.
pub(crate) fn words(domain: &Domain) -> u64 {
    sums(domain) + count(domain).div_ceil(u64::from(LANES))
}

/// Words in front of the first block's: how many blocks there should be, how many are in the list, and from [`GROUPS`] on workgroups along
/// each axis.
pub(crate) const HEAD_WORDS: u64 = 8;

/// Where the workgroups are \[words\].
pub(crate) const GROUPS: u64 = 4;

/// Where the list begins \[words\].
pub(crate) fn list(domain: &Domain) -> u64 {
    HEAD_WORDS + count(domain)
}

/// Where the blocks that were found begin \[words\].
pub(crate) fn found(domain: &Domain) -> u64 {
    list(domain) + count(domain)
}

/// Where the numbers of blocks with a place are, of each workgroup that looks for them \[words\].
pub(crate) fn sums(domain: &Domain) -> u64 {
    found(domain) + count(domain)
}

/// The table of blocks by which an operation runs, unless it runs everywhere.
pub(crate) fn table(op: &Op) -> Option<ValueId> {
    read(op, OWN).map(|read| read.value)
}

/// Cells of a tile by which an operation runs, along each axis; `None` where it goes by blocks of its own cells.
pub(crate) fn tile(op: &Op) -> Option<u32> {
    match read(op, OWN)?.part {
        Part::Covered(width) => Some(width),
        _ => None,
    }
}

/// The read of the table by which one of an operation's stages runs, or may ask where it would by itself.
pub(crate) fn read(op: &Op, stage: InstanceId) -> Option<&Read> {
    op.reads.iter().find(|read| read.stage == stage && matches!(read.part, Part::Blocks | Part::Covered(_)))
}

/// Cells along each axis of the widest tiles of a domain that lie in one block of another's cells each; `None` where the two have the same
/// cells. Both divide the same box.
pub(crate) fn covered(domain: &Domain, blocks: &Domain) -> Option<u32> {
    let (wider, narrower) = (domain.cell_size / blocks.cell_size, blocks.cell_size / domain.cell_size);
    let is = |ratio: f64, number: f64| (ratio - number).abs() < 1e-9 * number;
    let divides = [2, 4].into_iter().find(|n| is(wider, f64::from(*n)));
    match divides {
        _ if is(wider, 1.0) && domain.resolution == blocks.resolution => None,
        Some(n) => Some(WIDTH / n),
        None if is(narrower, narrower.round()) => Some(WIDTH),
        None => Some(1),
    }
}

/// Tiles of this width along each axis of a domain.
pub(crate) fn tiles(domain: &Domain, width: u32) -> [u32; 3] {
    [0, 1, 2].map(|axis| domain.resolution[axis].div_ceil(if axis < domain.dim as usize { width } else { 1 }))
}

/// The number of these tiles, and of the invocations that look at the blocks of each.
pub(crate) fn tile_lanes(domain: &Domain, blocks: &Domain, width: u32) -> (u64, u32) {
    let along = (f64::from(width) * domain.cell_size / blocks.cell_size / f64::from(WIDTH)).ceil().max(1.0) as u32;
    let lanes = (along.saturating_pow(domain.dim) / WIDTH).next_power_of_two().min(LANES);
    (tiles(domain, width).map(u64::from).iter().product(), lanes)
}
