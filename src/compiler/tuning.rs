//! How the dispatches of a stage are executed: shape of workgroups, cells an invocation, sweeps a dispatch. None of it
//! changes the results, except in half precision, where tiles round less often. Which is fastest depends on the
//! adapter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Node};
use crate::stage::Stage;
use crate::stage::types::Precision;

/// Shape of a stage's dispatch over cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Invocations of a workgroup along each axis.
    pub group: [u32; 3],
    /// Cells that an invocation computes: along x, or in tiles along the last axis.
    pub cells: u32,
    /// Maximum number of iterations in a dispatch; if more than one, on tiles with a halo in workgroup memory.
    pub sweeps: u32,
    /// Halo of input tiles in workgroup memory \[cells\]. Zero: inputs are read from their buffers.
    #[serde(default, skip_serializing_if = "is_none")]
    pub halo: u32,
}

fn is_none(halo: &u32) -> bool {
    *halo == 0
}

impl Shape {
    /// One cell an invocation. Wide along x, where memory is contiguous: 8x8 costs 1.8 times as much
    /// (docs/performance.md).
    pub fn plain(dim: u32) -> Shape {
        let group = if dim == 3 { [32, 4, 2] } else { [32, 8, 1] };
        Shape { group, cells: 1, sweeps: 1, halo: 0 }
    }

    /// The shape with two cells of a row an invocation, which share a word in half precision.
    pub fn in_pairs(self) -> Shape {
        Shape { cells: CELLS_OF_A_WORD, ..self }
    }

    /// Four cells of a row an invocation.
    pub fn rows(dim: u32) -> Shape {
        Shape { cells: CELLS_OF_A_ROW, ..Shape::plain(dim) }
    }

    /// Several iterations on a tile. `words`: of all values of a cell; they share 16 KiB, which every adapter has.
    pub fn tile(dim: u32, words: u32, sweeps: u32) -> Shape {
        let cells = (MAX_TILE_WORDS / LANES / words.max(1)).max(1);
        let cells = 1 << cells.ilog2();
        let group = match (dim, cells) {
            (3, 8..) => [16, 16, 1],
            (3, 4) => [16, 8, 2],
            (3, _) => [8, 8, 4],
            (_, 8..) => [64, 4, 1],
            _ => [32, 8, 1],
        };
        Shape { group, cells, sweeps, halo: 0 }
    }

    /// Shapes for inputs in workgroup memory, the best first. `lockstep`: the cells of an invocation are along the row
    /// and computed side by side; otherwise they are along the second axis.
    pub fn with_halo(dim: u32, halo: u32, lockstep: bool) -> Vec<Shape> {
        let flat_rows =
            [([16, 16, 1], 2), ([8, 32, 1], 4), ([16, 16, 1], 1), ([32, 8, 1], 1), ([16, 8, 1], 2), ([8, 32, 1], 2)];
        let deep_rows =
            [([8, 16, 2], 4), ([8, 8, 4], 2), ([8, 8, 4], 1), ([16, 4, 4], 1), ([16, 16, 1], 1), ([8, 8, 4], 4)];
        let flat =
            [([32, 8, 1], 4), ([32, 8, 1], 2), ([16, 16, 1], 1), ([32, 8, 1], 1), ([16, 16, 1], 4), ([32, 4, 1], 8)];
        let deep =
            [([32, 8, 1], 4), ([8, 8, 4], 2), ([16, 4, 4], 2), ([8, 8, 4], 1), ([16, 16, 1], 1), ([16, 16, 1], 2)];
        let shape = |(group, cells)| Shape { group, cells, sweeps: 1, halo };
        let best = match (dim, lockstep) {
            (3, true) => deep_rows,
            (3, false) => deep,
            (_, true) => flat_rows,
            (_, false) => flat,
        };
        best.map(shape).to_vec()
    }

    /// Whether the shape has neither tiles nor several cells an invocation.
    pub(crate) fn has_one_cell(&self) -> bool {
        self.cells == 1 && self.is_flat()
    }

    /// Whether the shape has no tiles.
    fn is_flat(&self) -> bool {
        self.sweeps == 1 && self.halo == 0
    }

    /// Shapes to try on any adapter for a stage that writes this many words a cell, the plain shape first. A stage
    /// applies only what it supports.
    pub fn candidates(dim: u32, words: u32) -> Vec<Shape> {
        let shape = |group: [u32; 3], cells, sweeps| Shape { group, cells, sweeps, halo: 0 };
        let flat = [[64, 4, 1], [16, 16, 1], [128, 2, 1]];
        let deep = [[64, 4, 1], [16, 4, 4], [32, 8, 1]];
        let mut shapes = vec![Shape::plain(dim), Shape::rows(dim)];
        for group in if dim == 3 { deep } else { flat } {
            shapes.extend([shape(group, 1, 1), shape(group, CELLS_OF_A_ROW, 1)]);
        }
        // Few sweeps for large grids, where the halo costs most; many for small ones, where each dispatch costs most.
        let groups = if dim == 3 { [[16, 16, 1], [16, 8, 2], [8, 8, 4]] } else { [[64, 4, 1], [64, 8, 1], [32, 8, 1]] };
        for sweeps in if dim == 3 { &[2, 3, 4][..] } else { &[4, 5, 8, 10] }.iter().copied() {
            shapes.push(Shape::tile(dim, words, sweeps));
            for group in groups {
                let lanes: u32 = group.iter().product();
                let most = MAX_TILE_WORDS / lanes / words.max(1);
                let cells = [16, 8, 4, 2].into_iter().filter(|cells| *cells <= most).take(2);
                shapes.extend(cells.map(|cells| shape(group, cells, sweeps)));
            }
        }
        shapes
    }

    /// Cells along each axis of a tile.
    pub fn tile_size(&self, dim: u32) -> [u32; 3] {
        let mut size = self.group;
        let last = if dim == 3 { 2 } else { 1 };
        size[last] *= self.cells;
        size
    }
}

/// Cells of a row that an invocation computes at a time, if several: the size of a vector.
pub const CELLS_OF_A_ROW: u32 = 4;

/// Cells of a scalar grid that share a word in half precision.
pub const CELLS_OF_A_WORD: u32 = 2;

/// Limit of storage buffers of a fused kernel, whatever the adapter offers: what joins a substep of SPH after its forces takes 22.
pub const MAX_BUFFERS: u32 = 24;

/// Limit of storage buffers of a kernel that does the work of several small dispatches, which have few in common.
pub const MAX_JOINED_BUFFERS: u32 = 32;

/// Invocations of a workgroup that every adapter supports.
pub const LANES: u32 = 256;
/// Limit of invocations of a workgroup, whatever the adapter offers.
pub const MAX_LANES: u32 = 1024;
/// Limit of invocations of a workgroup along each axis, which every adapter has.
pub const MAX_WORKGROUP: [u32; 3] = [256, 256, 64];
/// Words of workgroup memory that every adapter has.
pub const MAX_TILE_WORDS: u32 = 4096;

/// How stages run that were not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultTuning {
    /// One cell an invocation, one sweep a dispatch, each stage in a separate dispatch.
    #[default]
    Plain,
    /// What was fastest on the GPU of docs/performance.md.
    Gpu,
    /// What is fastest on a software (CPU) adapter: memory is close and barriers are expensive, so rows of four cells
    /// and no tiles.
    Cpu,
}

/// The shapes that a plan is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Shapes by [`key`], where they were measured.
    pub shapes: BTreeMap<String, Shape>,
    /// The shapes of stages that were not measured.
    pub defaults: DefaultTuning,
    /// Whether stages that pass values cell by cell share a dispatch.
    pub fuse: bool,
    /// Storage buffers of a kernel of several stages, where the adapter offers more than the guaranteed eight.
    #[serde(default)]
    pub buffers: u32,
    /// Storage buffers of a kernel that does the work of several small dispatches.
    #[serde(default)]
    pub joined_buffers: u32,
    /// Invocations of a workgroup whose tile holds a whole domain, such as a coarse level of multigrid: nothing else runs beside it.
    #[serde(default = "lanes")]
    pub lanes: u32,
    /// Smallest capacity of a particle set that is listed by bins of cells, so that what it adds to a grid is summed in workgroup memory. Smaller
    /// sets take less time to add than to list.
    #[serde(default = "binned_capacity")]
    pub binned_capacity: u32,
    /// Passes that are left out for comparison, of [`crate::Plan::optional_passes`]. Other names are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

fn binned_capacity() -> u32 {
    1 << 14
}

fn lanes() -> u32 {
    LANES
}

impl Tuning {
    /// Defaults for a GPU on which nothing was measured.
    pub fn gpu() -> Tuning {
        Tuning {
            shapes: BTreeMap::new(),
            defaults: DefaultTuning::Gpu,
            fuse: true,
            buffers: 0,
            joined_buffers: 0,
            lanes: lanes(),
            binned_capacity: binned_capacity(),
            without: Vec::new(),
        }
    }

    /// The tuning for a software (CPU) adapter.
    pub fn cpu() -> Tuning {
        Tuning { defaults: DefaultTuning::Cpu, ..Tuning::gpu() }
    }

    /// Whether attributes that stages read from other particles are packed: loading four words costs a GPU no more than
    /// one.
    pub fn packs(&self) -> bool {
        self.defaults == DefaultTuning::Gpu
    }

    /// The shape of a node that computes one cell an invocation, unless it is the plain one.
    pub fn group(&self, graph: &Graph, node: &Node, stage: &Stage) -> Option<Shape> {
        let plain = Shape::plain(graph.dim(node));
        self.measured(graph, node, stage).filter(|shape| shape.has_one_cell() && *shape != plain)
    }

    fn measured(&self, graph: &Graph, node: &Node, stage: &Stage) -> Option<Shape> {
        // Most tables are empty, and a key hashes the whole text.
        if self.shapes.is_empty() { None } else { self.shapes.get(&key(graph, node, stage)).copied() }
    }

    /// The shape of a node that can compute four cells of a row at a time, if it should.
    pub fn rows(&self, graph: &Graph, node: &Node, stage: &Stage) -> Option<Shape> {
        match (self.measured(graph, node, stage), self.defaults) {
            (Some(shape), _) => (shape.cells == CELLS_OF_A_ROW && shape.is_flat()).then_some(shape),
            // In 2D, rows already run at the speed of a copy without it.
            (None, DefaultTuning::Gpu) => (graph.dim(node) == 3).then(|| Shape::rows(3)),
            (None, DefaultTuning::Cpu) => Some(Shape::rows(graph.dim(node))),
            (None, DefaultTuning::Plain) => None,
        }
    }

    /// The shape of a node whose inputs can be loaded into workgroup memory, if they should be. `usual`: the default on
    /// a GPU.
    pub fn around(
        &self,
        graph: &Graph,
        node: &Node,
        stage: &Stage,
        usual: impl FnOnce() -> Option<Shape>,
    ) -> Option<Shape> {
        match (self.measured(graph, node, stage), self.defaults) {
            (Some(shape), _) => (shape.halo > 0).then_some(shape),
            (None, DefaultTuning::Gpu) => usual(),
            (None, _) => None,
        }
    }

    /// The shape of a node that can be swept on tiles.
    pub fn sweeping(&self, graph: &Graph, node: &Node, stage: &Stage, words: u32) -> Shape {
        let dim = graph.dim(node);
        match (self.measured(graph, node, stage), self.defaults) {
            (Some(shape), _) => shape,
            (None, DefaultTuning::Gpu) if dim == 2 => {
                let cells = node.domain.and_then(|d| graph.domains.get(d)).map_or(0, |d| d.cells());
                match stage.header.checkerboard {
                    // A face reads more than a cell, so the halo costs more: with twice the cells an invocation the oil clock takes 0.015 ms longer.
                    true if node.fills_faces() && cells <= 1 << 16 => {
                        Shape { group: [32, 8, 1], cells: 2, sweeps: 2, halo: 0 }
                    }
                    _ if node.fills_faces() => Shape::plain(dim),
                    // Large tiles of a small grid would keep few of a GPU's cores busy, as on the levels of a multigrid cycle. Where many sweeps
                    // are joined, the halo of small tiles costs more.
                    true if cells <= 1 << 16 || cells <= 1 << 18 && node.iterations < 4 => {
                        Shape { group: [32, 8, 1], cells: 4, sweeps: 4, halo: 0 }
                    }
                    true => Shape::tile(dim, words, 4),
                    // For large grids the halo costs most, for small ones each dispatch.
                    false => Shape::tile(dim, words, if cells > 1 << 20 { 5 } else { 8 }),
                }
            }
            (None, _) => Shape::plain(dim),
        }
    }
}

/// A key for what a node's best shape depends on: its stage's text, the size of its domain and its iterations.
pub fn key(graph: &Graph, node: &Node, stage: &Stage) -> String {
    let resolution = node.domain.and_then(|d| graph.domains.get(d)).map_or([1; 3], |d| d.resolution);
    let stored = if node.precision == Precision::F32 { "" } else { node.precision.name() };
    let text = hash(&format!("{}{:?}{:?}{stored}", stage.source, node.outputs, node.generics));
    let [x, y, z] = resolution;
    format!("{} {x}x{y}x{z} x{} {text:016x}", stage.name, node.iterations)
}

/// 64-bit FNV-1a: the same in every build, which the standard library's hash does not guarantee.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
