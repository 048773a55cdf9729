//! The uniform block of a view, member for member as in `source.wgsl`.

use bytemuck::{Pod, Zeroable};

/// How values are stored.
pub mod kind {
    pub const GRID: u32 = 0;
    pub const FACES: u32 = 1;
    pub const STARTS: u32 = 2;
}

/// What is shown of an element's components.
pub mod show {
    pub const COMPONENT: u32 = 0;
    pub const MAGNITUDE: u32 = 1;
    pub const DIRECTION: u32 = 2;
    pub const COLOR: u32 = 3;
}

/// How elements are mapped to pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Slice = 0,
    Maximum = 1,
    Orbit = 2,
    Points = 3,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Params {
    pub resolution: [u32; 3],
    pub kind: u32,
    /// Size of the image \[pixels\].
    pub size: [u32; 2],
    pub view: u32,
    pub axis: u32,
    pub elements: u32,
    /// 1: the count buffer holds how many elements are live.
    pub live: u32,
    /// Numbers that an element takes up: words, or halves of words.
    pub stride: u32,
    pub components: u32,
    /// 0 f32, 1 i32, 2 u32, 3 f32 stored as f16, two to a word.
    pub scalar: u32,
    pub dim: u32,
    pub layer: u32,
    /// Words of a position; 0 without positions.
    pub place_stride: u32,
    pub show: u32,
    pub component: u32,
    pub map: i32,
    /// 1: `low` and `high` are the range.
    pub given: u32,
    pub low: f32,
    pub high: f32,
    pub zero: u32,
    /// 1: the element under the pointer is wanted.
    pub asked: u32,
    pub pointer: [f32; 2],
    pub cell_size: f32,
    pub signed_map: u32,
    pub right: [f32; 4],
    pub up: [f32; 4],
    pub forward: [f32; 4],
    pub eye: [f32; 4],
    /// Edges of the domain's box, each from the first two to the last two coordinates \[pixels from the lower left\];
    /// not drawn where both ends are the same.
    pub edges: [[f32; 4]; 12],
}
