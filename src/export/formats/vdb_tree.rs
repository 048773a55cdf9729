//! The tree of an OpenVDB grid: its topology and its leaves, as bytes of a file.

use std::collections::BTreeMap;

use flate2::{Compress, Compression, FlushCompress, Status};
use half::f16;

use crate::export::value::Grid;

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    F32,
    F16,
    I32,
}

/// Voxels along an edge of a leaf.
const LEAF: usize = 8;
const VOXELS: usize = LEAF * LEAF * LEAF;
/// Leaves that a thread takes at once.
const CHUNK: usize = 256;
/// The code of a block that holds active values alone; inactive ones are the background.
const ACTIVE_ALONE: u8 = 0;

/// A tree, with the extent of its active values in voxels.
pub(super) struct Tree {
    pub topology: Vec<u8>,
    pub buffers: Vec<u8>,
    pub active: i64,
    pub low: [i32; 3],
    pub high: [i32; 3],
}

/// Where a leaf is, in leaves, and its bytes.
struct Leaf {
    at: [usize; 3],
    mask: [u8; VOXELS / 8],
    /// Compressed values.
    values: Vec<u8>,
    active: i64,
    low: [i32; 3],
    high: [i32; 3],
}

/// Leaves of a node of 16^3 by their place in it, of one of 32^3 such nodes, of the root.
type Lower<'l> = BTreeMap<usize, &'l Leaf>;
type Upper<'l> = BTreeMap<usize, Lower<'l>>;

impl Tree {
    /// The tree of components of a grid: from `first` on, `width` of them, 1 or 3; those that the grid lacks are zero.
    pub(super) fn new(grid: &Grid<'_>, part: (usize, usize), element: Element, cutoff: f32) -> Tree {
        let leaves = leaves(grid, part, element, cutoff);
        let mut root: BTreeMap<[usize; 3], Upper<'_>> = BTreeMap::new();
        for leaf in &leaves {
            let upper = leaf.at.map(|at| at / 16);
            let place = |at: [usize; 3], bits: u32| at.iter().fold(0, |all, at| all << bits | (at & ((1 << bits) - 1)));
            let node = root.entry(upper.map(|at| at / 32)).or_default().entry(place(upper, 5)).or_default();
            node.insert(place(leaf.at, 4), leaf);
        }
        let mut tree = Tree {
            topology: Vec::new(),
            buffers: Vec::new(),
            active: leaves.iter().map(|leaf| leaf.active).sum(),
            low: [0, 1, 2].map(|axis| leaves.iter().map(|leaf| leaf.low[axis]).min().unwrap_or(0)),
            high: [0, 1, 2].map(|axis| leaves.iter().map(|leaf| leaf.high[axis]).max().unwrap_or(0)),
        };
        let out = &mut tree.topology;
        // One buffer a leaf; then the root: its background, the number of its tiles and of its children.
        out.extend(1u32.to_le_bytes());
        out.extend(vec![0; 4 * part.1]);
        out.extend(0u32.to_le_bytes());
        out.extend((root.len() as u32).to_le_bytes());
        for (at, upper) in &root {
            at.iter().for_each(|at| out.extend(((at * 16 * 32 * LEAF) as i32).to_le_bytes()));
            node(out, 32, upper.keys(), element);
            for lower in upper.values() {
                node(out, 16, lower.keys(), element);
                lower.values().for_each(|leaf| out.extend(leaf.mask));
            }
        }
        // Growing step by step would copy a large volume several times, on one thread.
        tree.buffers.reserve(leaves.iter().map(|leaf| leaf.mask.len() + 1 + leaf.values.len()).sum());
        for leaf in root.values().flat_map(|upper| upper.values()).flat_map(|lower| lower.values()) {
            tree.buffers.extend(leaf.mask);
            tree.buffers.push(ACTIVE_ALONE);
            tree.buffers.extend(&leaf.values);
        }
        tree
    }
}

/// An inner node without tiles: the mask of its children, the mask of its values, and no values.
fn node<'k>(out: &mut Vec<u8>, width: usize, children: impl Iterator<Item = &'k usize>, element: Element) {
    let mut mask = vec![0u8; width * width * width / 8];
    for child in children {
        if let Some(byte) = mask.get_mut(child / 8) {
            *byte |= 1 << (child % 8);
        }
    }
    out.extend(&mask);
    mask.fill(0);
    out.extend(&mask);
    out.push(ACTIVE_ALONE);
    // Readers expect the size of an empty block, but none where numbers are halves.
    if element != Element::F16 {
        out.extend(0i64.to_le_bytes());
    }
}

/// The leaves with active values, computed on several threads where there are many.
fn leaves(grid: &Grid<'_>, part: (usize, usize), element: Element, cutoff: f32) -> Vec<Leaf> {
    let counts = grid.elements.map(|n| (n as usize).div_ceil(LEAF));
    let all = counts.iter().product::<usize>();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(all.div_ceil(CHUNK)).max(1);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut packer = Packer::new();
        let mut found = Vec::new();
        loop {
            let start = next.fetch_add(CHUNK, std::sync::atomic::Ordering::Relaxed);
            if start >= all {
                return found;
            }
            for index in start..(start + CHUNK).min(all) {
                let at = [index % counts[0], index / counts[0] % counts[1], index / (counts[0] * counts[1])];
                found.extend(leaf(grid, at, part, element, cutoff, &mut packer));
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    })
}

/// A leaf; `None` where no value is active.
fn leaf(
    grid: &Grid<'_>,
    at: [usize; 3],
    (first, width): (usize, usize),
    element: Element,
    cutoff: f32,
    packer: &mut Packer,
) -> Option<Leaf> {
    let [nx, ny, nz] = grid.elements.map(|n| n as usize);
    let mut leaf =
        Leaf { at, mask: [0; VOXELS / 8], values: Vec::new(), active: 0, low: [i32::MAX; 3], high: [i32::MIN; 3] };
    packer.raw.clear();
    // x is slowest in a leaf.
    for voxel in 0..VOXELS {
        let cell = [at[0] * LEAF + voxel / 64, at[1] * LEAF + voxel / 8 % 8, at[2] * LEAF + voxel % 8];
        if cell[0] >= nx || cell[1] >= ny || cell[2] >= nz {
            continue;
        }
        let words = grid.at(cell[0] + nx * (cell[1] + ny * cell[2]));
        let word = |component: usize| {
            // A component on faces has no value above the domain along the other axes.
            let outside = |axis: usize| axis != component && cell[axis] >= grid.cells[axis] as usize;
            let word = words.get(first + component).copied().unwrap_or_default();
            if grid.faces && (0..grid.dim as usize).any(outside) { 0 } else { word }
        };
        let inactive = |component: usize| match element {
            Element::I32 => word(component) == 0,
            // NaN is active.
            _ => f32::from_bits(word(component)).abs() <= cutoff,
        };
        if (0..width).all(inactive) {
            continue;
        }
        leaf.mask[voxel / 8] |= 1 << (voxel % 8);
        leaf.active += 1;
        let place = cell.map(|at| at as i32);
        leaf.low.iter_mut().zip(place).for_each(|(low, at)| *low = at.min(*low));
        leaf.high.iter_mut().zip(place).for_each(|(high, at)| *high = at.max(*high));
        for component in 0..width {
            match element {
                Element::F16 => packer.raw.extend(f16::from_f32(f32::from_bits(word(component))).to_le_bytes()),
                _ => packer.raw.extend(word(component).to_le_bytes()),
            }
        }
    }
    if leaf.active == 0 {
        return None;
    }
    leaf.values = packer.pack();
    Some(leaf)
}

/// Compresses blocks; its memory is used again.
struct Packer {
    compress: Compress,
    raw: Vec<u8>,
    packed: Vec<u8>,
}

impl Packer {
    fn new() -> Packer {
        Packer { compress: Compress::new(Compression::fast(), true), raw: Vec::new(), packed: Vec::new() }
    }

    /// A block: its size, and the compressed bytes; the negative size and the bytes themselves where that is not smaller.
    fn pack(&mut self) -> Vec<u8> {
        self.compress.reset();
        self.packed.clear();
        self.packed.reserve(self.raw.len());
        let status = self.compress.compress_vec(&self.raw, &mut self.packed, FlushCompress::Finish);
        let whole = matches!(status, Ok(Status::StreamEnd)) && self.packed.len() < self.raw.len();
        let (size, bytes) = match whole {
            true => (self.packed.len() as i64, &self.packed),
            false => (-(self.raw.len() as i64), &self.raw),
        };
        let mut block = Vec::with_capacity(8 + bytes.len());
        block.extend(size.to_le_bytes());
        block.extend(bytes);
        block
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::stage::types::Scalar;

    /// A grid of 130 x 9 x 3 cells, zero but for some.
    fn grid(cells: &[([usize; 3], f32)]) -> Grid<'static> {
        let elements = [130, 9, 3];
        let mut words = vec![0; 130 * 9 * 3];
        for ([x, y, z], value) in cells {
            words[x + 130 * (y + 9 * z)] = value.to_bits();
        }
        let (edges, scalar, words) = ([1.0; 3], Scalar::F32, Cow::Owned(words));
        Grid { dim: 3, cells: elements, elements, edges, components: 1, scalar, faces: false, words }
    }

    #[test]
    fn only_leaves_with_values_above_the_cutoff_are_there() {
        let cells = [([1, 2, 0], 0.5), ([1, 0, 1], -2.0), ([129, 8, 2], f32::NAN), ([64, 0, 0], 0.01)];
        let tree = Tree::new(&grid(&cells), (0, 1), Element::F32, 0.1);
        assert_eq!((tree.active, tree.low, tree.high), (3, [1, 0, 0], [129, 8, 2]), "NaN is active");
        let node = |width: usize| 2 * width.pow(3) / 8 + 9;
        // Two nodes of 16^3, since x = 129 is beyond 128, with a leaf each.
        assert_eq!(tree.topology.len(), 4 + 4 + 4 + 4 + 12 + node(32) + 2 * (node(16) + 64));
        let (mask, rest) = tree.buffers.split_at(64);
        // x is slowest: voxels 64 + 1 and 64 + 16.
        let set: Vec<usize> = (0..512).filter(|bit| mask[bit / 8] & 1 << (bit % 8) != 0).collect();
        assert_eq!((set, rest[0]), (vec![65, 80], ACTIVE_ALONE));
        // Eight bytes are not made smaller.
        assert_eq!(rest[1..9], (-8i64).to_le_bytes());
        assert_eq!(rest[9..17], [(-2f32).to_le_bytes(), 0.5f32.to_le_bytes()].concat());
        assert_eq!(Tree::new(&grid(&[]), (0, 1), Element::F16, 0.0).buffers.len(), 0);
    }
}
