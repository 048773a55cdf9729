//! The tree of an OpenVDB grid: its topology and its leaves, as bytes of a file.

use std::collections::BTreeMap;

use flate2::{Compress, Compression, FlushCompress, Status};
use half::f16;

use super::layout::VOXELS;

/// Values of the cells that a tree is made of, x fastest, then y, then z.
pub struct Cells<'a> {
    /// Dimensions of space, 2 or 3.
    pub dim: u32,
    /// Cells along x, y, z; z is 1 in 2D.
    pub cells: [u32; 3],
    /// Elements along x, y, z: the cells, or one more along each axis where faces are stored.
    pub elements: [u32; 3],
    /// Numbers of an element.
    pub components: usize,
    /// Whether each component lies on the lower face of the cell that it is normal to, instead of the centre.
    pub faces: bool,
    /// The components of each element in sequence.
    pub words: &'a [u32],
}

impl Cells<'_> {
    fn element_words(&self, element: usize) -> &[u32] {
        let start = element * self.components;
        self.words.get(start..start + self.components).unwrap_or_default()
    }
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Float of 32 bits.
    F32,
    /// Float of 16 bits.
    F16,
    /// Whole number of 32 bits.
    I32,
}

impl Element {
    fn bytes(self) -> usize {
        if self == Element::F16 { 2 } else { 4 }
    }
}

/// Active values, and what the others are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Active {
    /// Values with a component above this size, and NaN; all others are zero.
    Above(f32),
    /// Values of a distance nearer to zero than this; all others are so far, with their own sign. Cells outside of the
    /// grid are outside.
    Within(f32),
}

impl Active {
    fn background(self) -> f32 {
        match self {
            Active::Above(_) => 0.0,
            Active::Within(distance) => distance,
        }
    }
}

/// Voxels along an edge of a leaf.
const LEAF: usize = 8;
/// Leaves that a thread takes at once.
const CHUNK: usize = 256;
/// The code of a block whose inactive values are all the background.
const BACKGROUND: u8 = 0;
/// The code of a block whose inactive values are the background, or the negative background where a mask is off.
const SIGNED: u8 = 3;

/// A tree, with the extent of its active values in voxels.
pub struct Tree {
    /// Nodes with their masks, as in a file.
    pub topology: Vec<u8>,
    /// Values of the leaves, as in a file.
    pub buffers: Vec<u8>,
    /// Number of active voxels.
    pub active: i64,
    /// Lowest active voxel along each axis.
    pub low: [i32; 3],
    /// Highest active voxel along each axis.
    pub high: [i32; 3],
}

/// What a leaf, or all of a node, holds.
enum Block {
    Leaf(Leaf),
    Tile(Tile),
}

/// All voxels of a part of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tile {
    /// Active, with these bytes, of which numbers fill as many as they have.
    Active([u8; 12]),
    /// Inactive, with the negative background.
    Inside,
}

struct Leaf {
    mask: [u8; VOXELS / 8],
    /// Inactive voxels that have the negative background.
    inside: Option<[u8; VOXELS / 8]>,
    /// Compressed values.
    values: Vec<u8>,
}

/// A block with its place, in leaves, and the extent of its active values.
struct Placed {
    at: [usize; 3],
    block: Block,
    active: i64,
    low: [i32; 3],
    high: [i32; 3],
}

/// Leaves of a node of 16^3 by their place in it, of one of 32^3 such nodes, of the root.
type Lower<'l> = BTreeMap<usize, &'l Block>;
type Upper<'l> = BTreeMap<usize, Lower<'l>>;

/// An entry of an inner node.
enum Entry {
    Child,
    Tile(Tile),
}

impl Tree {
    /// The tree of components of a grid: from `first` on, `width` of them, 1 or 3; those that the grid lacks are zero.
    pub fn new(grid: &Cells<'_>, part: (usize, usize), element: Element, active: Active) -> Tree {
        let blocks = blocks(grid, part, element, active);
        let mut root: BTreeMap<[usize; 3], Upper<'_>> = BTreeMap::new();
        for placed in &blocks {
            let upper = placed.at.map(|at| at / 16);
            let place = |at: [usize; 3], bits: u32| at.iter().fold(0, |all, at| all << bits | (at & ((1 << bits) - 1)));
            let node = root.entry(upper.map(|at| at / 32)).or_default().entry(place(upper, 5)).or_default();
            node.insert(place(placed.at, 4), &placed.block);
        }
        let mut tree = Tree {
            topology: Vec::new(),
            buffers: Vec::new(),
            active: blocks.iter().map(|block| block.active).sum(),
            low: [0, 1, 2].map(|axis| blocks.iter().map(|block| block.low[axis]).min().unwrap_or(0)),
            high: [0, 1, 2].map(|axis| blocks.iter().map(|block| block.high[axis]).max().unwrap_or(0)),
        };
        if tree.active == 0 {
            (tree.low, tree.high) = ([0; 3], [0; 3]);
        }
        let out = &mut tree.topology;
        // One buffer a leaf; then the root: its background, the number of its tiles and of its children.
        out.extend(1u32.to_le_bytes());
        (0..part.1).for_each(|_| out.extend(active.background().to_le_bytes()));
        out.extend(0u32.to_le_bytes());
        out.extend((root.len() as u32).to_le_bytes());
        let mut writer = Writer { element, width: part.1, packer: Packer::new() };
        for (at, upper) in &root {
            at.iter().for_each(|at| out.extend(((at * 16 * 32 * LEAF) as i32).to_le_bytes()));
            let entry = |lower: &Lower<'_>| whole(lower).map_or(Entry::Child, Entry::Tile);
            writer.node(out, 32, upper.iter().map(|(place, lower)| (*place, entry(lower))));
            for lower in upper.values().filter(|lower| whole(lower).is_none()) {
                let entry = |block: &Block| match block {
                    Block::Leaf(_) => Entry::Child,
                    Block::Tile(tile) => Entry::Tile(*tile),
                };
                writer.node(out, 16, lower.iter().map(|(place, block)| (*place, entry(block))));
                leaves(lower).for_each(|leaf| out.extend(leaf.mask));
            }
        }
        let leaf = |block: &Placed| if let Block::Leaf(leaf) = &block.block { leaf.bytes() } else { 0 };
        // Growing step by step would copy a large volume several times, on one thread.
        tree.buffers.reserve(blocks.iter().map(leaf).sum());
        for leaf in root.values().flat_map(|upper| upper.values()).flat_map(leaves) {
            tree.buffers.extend(leaf.mask);
            match &leaf.inside {
                None => tree.buffers.push(BACKGROUND),
                Some(inside) => {
                    tree.buffers.push(SIGNED);
                    tree.buffers.extend(inside.map(|byte| !byte));
                }
            }
            tree.buffers.extend(&leaf.values);
        }
        tree
    }
}

impl Leaf {
    /// Size in the file.
    fn bytes(&self) -> usize {
        self.mask.len() + 1 + self.inside.map_or(0, |inside| inside.len()) + self.values.len()
    }
}

/// The leaves of a node, in its order.
fn leaves<'l>(lower: &'l Lower<'_>) -> impl Iterator<Item = &'l Leaf> {
    lower.values().filter_map(|block| if let Block::Leaf(leaf) = block { Some(leaf) } else { None })
}

/// What all voxels of a node of 16^3 leaves have in common.
fn whole(lower: &Lower<'_>) -> Option<Tile> {
    let tile = |block: &Block| if let Block::Tile(tile) = block { Some(*tile) } else { None };
    let first = tile(lower.values().next()?)?;
    (lower.len() == 16 * 16 * 16 && lower.values().all(|block| tile(block) == Some(first))).then_some(first)
}

/// Writes inner nodes.
struct Writer {
    element: Element,
    width: usize,
    packer: Packer,
}

impl Writer {
    /// The mask of its children, the mask of its active tiles, and the values of these. The entries come in order.
    fn node(&mut self, out: &mut Vec<u8>, width: usize, entries: impl Iterator<Item = (usize, Entry)>) {
        let bytes = width * width * width / 8;
        let mut children = vec![0u8; bytes];
        let mut tiles = vec![0u8; bytes];
        let mut outside = vec![u8::MAX; bytes];
        let mut code = BACKGROUND;
        self.packer.raw.clear();
        for (place, entry) in entries {
            let (at, bit) = (place / 8, 1 << (place % 8));
            match entry {
                Entry::Child => children[at] |= bit,
                Entry::Tile(Tile::Active(value)) => {
                    tiles[at] |= bit;
                    self.packer.raw.extend(value.iter().take(self.width * self.element.bytes()));
                }
                Entry::Tile(Tile::Inside) => {
                    outside[at] &= !bit;
                    code = SIGNED;
                }
            }
        }
        out.extend(&children);
        out.extend(&tiles);
        out.push(code);
        if code == SIGNED {
            out.extend(&outside);
        }
        if !self.packer.raw.is_empty() {
            out.extend(self.packer.pack());
        } else if self.element != Element::F16 {
            // Readers expect the size of an empty block, but none where numbers are halves.
            out.extend(0i64.to_le_bytes());
        }
    }
}

/// The leaves and tiles with values other than the background, computed on several threads where there are many.
fn blocks(grid: &Cells<'_>, part: (usize, usize), element: Element, active: Active) -> Vec<Placed> {
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
                found.extend(block(grid, at, part, element, active, &mut packer));
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

/// The voxels of a leaf; `None` where all have the background.
fn block(
    grid: &Cells<'_>,
    at: [usize; 3],
    (first, width): (usize, usize),
    element: Element,
    active: Active,
    packer: &mut Packer,
) -> Option<Placed> {
    let [nx, ny, nz] = grid.elements.map(|n| n as usize);
    let (mut mask, mut inside) = ([0u8; VOXELS / 8], [0u8; VOXELS / 8]);
    let (mut count, mut hidden) = (0, 0);
    let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
    packer.raw.clear();
    // x is slowest in a leaf.
    for voxel in 0..VOXELS {
        let cell = [at[0] * LEAF + voxel / 64, at[1] * LEAF + voxel / 8 % 8, at[2] * LEAF + voxel % 8];
        if cell[0] >= nx || cell[1] >= ny || cell[2] >= nz {
            continue;
        }
        let words = grid.element_words(cell[0] + nx * (cell[1] + ny * cell[2]));
        let word = |component: usize| {
            // A component on faces has no value above the domain along the other axes.
            let outside = |axis: usize| axis != component && cell[axis] >= grid.cells[axis] as usize;
            let word = words.get(first + component).copied().unwrap_or_default();
            if grid.faces && (0..grid.dim as usize).any(outside) { 0 } else { word }
        };
        let is_active = match (active, element) {
            (Active::Above(_), Element::I32) => (0..width).any(|component| word(component) != 0),
            // NaN is active.
            (Active::Above(cutoff), _) => !(0..width).all(|component| f32::from_bits(word(component)).abs() <= cutoff),
            // NaN is far outside.
            (Active::Within(distance), _) => f32::from_bits(word(0)).abs() < distance,
        };
        if !is_active {
            if matches!(active, Active::Within(_)) && f32::from_bits(word(0)) < 0.0 {
                inside[voxel / 8] |= 1 << (voxel % 8);
                hidden += 1;
            }
            continue;
        }
        mask[voxel / 8] |= 1 << (voxel % 8);
        count += 1;
        let place = cell.map(|at| at as i32);
        low.iter_mut().zip(place).for_each(|(low, at)| *low = at.min(*low));
        high.iter_mut().zip(place).for_each(|(high, at)| *high = at.max(*high));
        for component in 0..width {
            match element {
                Element::F16 => packer.raw.extend(f16::from_f32(f32::from_bits(word(component))).to_le_bytes()),
                _ => packer.raw.extend(word(component).to_le_bytes()),
            }
        }
    }
    let block = match (count, hidden) {
        (0, 0) => return None,
        (0, VOXELS) => Block::Tile(Tile::Inside),
        (VOXELS, _) if packer.constant(width * element.bytes()) => {
            let (mut value, bytes) = ([0; 12], packer.raw.iter().take(width * element.bytes()));
            value.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            Block::Tile(Tile::Active(value))
        }
        (_, hidden) => Block::Leaf(Leaf { mask, inside: (hidden > 0).then_some(inside), values: packer.pack() }),
    };
    Some(Placed { at, block, active: count as i64, low, high })
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

    /// Whether all values, of so many bytes, have the same bits.
    fn constant(&self, bytes: usize) -> bool {
        let mut values = self.raw.chunks_exact(bytes);
        let first = values.next();
        values.all(|value| Some(value) == first)
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
    use super::*;

    /// The tree of 130 x 9 x 3 cells, zero but for some.
    fn tree_of(cells: &[([usize; 3], f32)], element: Element, active: Active) -> Tree {
        let mut words = vec![0; 130 * 9 * 3];
        for ([x, y, z], value) in cells {
            words[x + 130 * (y + 9 * z)] = value.to_bits();
        }
        Tree::new(&cells_of([130, 9, 3], &words), (0, 1), element, active)
    }

    fn cells_of(elements: [u32; 3], words: &[u32]) -> Cells<'_> {
        Cells { dim: 3, cells: elements, elements, components: 1, faces: false, words }
    }

    #[test]
    fn only_leaves_with_values_above_the_cutoff_are_there() {
        let cells = [([1, 2, 0], 0.5), ([1, 0, 1], -2.0), ([129, 8, 2], f32::NAN), ([64, 0, 0], 0.01)];
        let tree = tree_of(&cells, Element::F32, Active::Above(0.1));
        assert_eq!((tree.active, tree.low, tree.high), (3, [1, 0, 0], [129, 8, 2]), "NaN is active");
        let node = |width: usize| 2 * width.pow(3) / 8 + 9;
        // Two nodes of 16^3, since x = 129 is beyond 128, with a leaf each.
        assert_eq!(tree.topology.len(), 4 + 4 + 4 + 4 + 12 + node(32) + 2 * (node(16) + 64));
        let (mask, rest) = tree.buffers.split_at(64);
        // x is slowest: voxels 64 + 1 and 64 + 16.
        let set: Vec<usize> = (0..512).filter(|bit| mask[bit / 8] & 1 << (bit % 8) != 0).collect();
        assert_eq!((set, rest[0]), (vec![65, 80], BACKGROUND));
        // Eight bytes are not made smaller.
        assert_eq!(rest[1..9], (-8i64).to_le_bytes());
        assert_eq!(rest[9..17], [(-2f32).to_le_bytes(), 0.5f32.to_le_bytes()].concat());
        assert_eq!(tree_of(&[], Element::F16, Active::Above(0.0)).buffers.len(), 0);
    }

    /// The tree of floats in these cells.
    fn filled(elements: [u32; 3], values: Vec<f32>, active: Active) -> Tree {
        let words: Vec<u32> = values.into_iter().map(f32::to_bits).collect();
        Tree::new(&cells_of(elements, &words), (0, 1), Element::F32, active)
    }

    #[test]
    fn what_is_constant_is_a_tile() {
        let mut values = vec![2.0; 136 * 128 * 128];
        values[130] = 0.5;
        let tree = filled([136, 128, 128], values, Active::Above(0.0));
        assert_eq!((tree.active, tree.low, tree.high), (136 * 128 * 128, [0; 3], [135, 127, 127]));
        // One leaf is not constant. Those before x = 128 are one tile of the upper node; the others are tiles of a lower one.
        let (mask, values) = tree.buffers.split_at(64);
        assert!(mask.iter().all(|byte| *byte == u8::MAX) && values.len() < 100, "one leaf: {}", values.len());
        let masks = |width: usize| 2 * width.pow(3) / 8 + 1;
        let bytes = tree.topology.len() - (4 + 4 + 4 + 4 + 12 + masks(32) + masks(16) + 64);
        assert!(bytes < 100, "the values of tiles are compressed: {bytes}");
    }

    #[test]
    fn a_level_set_is_a_narrow_band_and_the_sign_of_all_else() {
        let cell = |at: usize| [at % 40, at / 40 % 40, at / 1600].map(|at| at as f32 + 0.5 - 20.0);
        let distance = |at: usize| cell(at).iter().map(|part| part * part).sum::<f32>().sqrt() - 14.0;
        let tree = filled([40; 3], (0..64_000).map(distance).collect(), Active::Within(3.0));
        let shell = 4.0 / 3.0 * std::f64::consts::PI * (17f64.powi(3) - 11f64.powi(3));
        let error = (tree.active as f64 / shell - 1.0).abs();
        println!("{} voxels in the band, the shell has {shell:.0}: {error:.4}", tree.active);
        assert!(error < 0.02, "{error}");
        assert_eq!((tree.low, tree.high), ([3; 3], [36; 3]));
        assert_eq!(tree.topology[4..8], 3f32.to_le_bytes(), "the background");
        let solid = filled([16; 3], vec![-9.0; 4096], Active::Within(3.0));
        assert_eq!((solid.active, solid.buffers.len(), solid.low), (0, 0, [0; 3]), "tiles alone");
    }
}
