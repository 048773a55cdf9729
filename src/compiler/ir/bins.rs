//! Particles in bins of cells: the sizes of a bin, of the tile of workgroup memory in which its particles add up, and of the table that
//! says which particles a workgroup takes.
//!
//! The table begins with the number of its chunks. A chunk is a workgroup's share of one bin: the place of its first particle in the list,
//! the place behind its last one, and the bin. Behind the chunks is the list: the particles, bin after bin.

use super::workgroups::LANES;
use super::{OWN, Op, Part, ValueId};
use crate::graph::Domain;

/// Words in front of the chunks.
pub(crate) const HEAD_WORDS: u32 = 4;
/// Words of a chunk, one of them unused: a chunk is loaded at once.
pub(crate) const CHUNK_WORDS: u32 = 4;
/// Words of a tile up to which one more cell around its bin costs nothing.
const WIDE_TILE_WORDS: u32 = 2048;
/// Limit of workgroups. Each goes on to another chunk until none is left, so that those for empty bins cost next to nothing.
const MOST_GROUPS: u32 = 4096;

/// Cells of a bin along each axis.
pub(crate) fn bin(dim: u32) -> [u32; 3] {
    if dim == 3 { [4, 4, 4] } else { [8, 8, 1] }
}

/// Bins along each axis of a domain.
pub(crate) fn bins(domain: &Domain) -> [u32; 3] {
    let bin = bin(domain.dim);
    [0, 1, 2].map(|axis| domain.resolution[axis].div_ceil(bin[axis]))
}

/// The number of bins of a domain.
pub(crate) fn count(domain: &Domain) -> u64 {
    bins(domain).map(u64::from).iter().product()
}

/// Cells of a tile along each axis, for so many sums a cell.
pub(crate) fn tile(dim: u32, sums: u32) -> [u32; 3] {
    widened(dim, margin(dim, sums))
}

fn widened(dim: u32, margin: u32) -> [u32; 3] {
    let bin = bin(dim);
    [0, 1, 2].map(|axis| if axis < dim as usize { bin[axis] + 2 * margin } else { 1 })
}

/// Cells around a bin that belong to its tile: as far as the weights of linear and quadratic splines reach, and one more for particles that
/// have left the bin since they were listed.
pub(crate) fn margin(dim: u32, sums: u32) -> u32 {
    if widened(dim, 2).iter().product::<u32>() * sums <= WIDE_TILE_WORDS { 2 } else { 1 }
}

/// Limit of chunks: those that are full, and one more for each bin.
pub(crate) fn chunks(domain: &Domain, capacity: u32) -> u64 {
    u64::from(capacity.div_ceil(LANES)) + count(domain).min(u64::from(capacity))
}

/// Where the list begins \[words\].
pub(crate) fn list(domain: &Domain, capacity: u32) -> u64 {
    u64::from(HEAD_WORDS) + chunks(domain, capacity) * u64::from(CHUNK_WORDS)
}

/// Words of a table.
pub(crate) fn table_words(domain: &Domain, capacity: u32) -> u64 {
    list(domain, capacity) + u64::from(capacity)
}

/// Workgroups of a dispatch that goes through the chunks.
pub(crate) fn groups(domain: &Domain, capacity: u32) -> [u32; 3] {
    [chunks(domain, capacity).clamp(1, u64::from(MOST_GROUPS)) as u32, 1, 1]
}

/// The table by which an operation goes through its particles.
pub(crate) fn table(op: &Op) -> Option<ValueId> {
    op.reads.iter().find(|read| read.stage == OWN && read.part == Part::Bins).map(|read| read.value)
}
