//! The uniform block of a view, member for member as in `source.wgsl`.

use bytemuck::{Pod, Zeroable};

/// How values are stored.
pub mod kind {
    /// One value per cell.
    pub const GRID: u32 = 0;
    /// One number per face.
    pub const FACES: u32 = 1;
    /// First entries of a neighbour grid; what is shown is the number of particles in a cell.
    pub const STARTS: u32 = 2;
}

/// What is shown of an element's components.
pub mod show {
    /// One component.
    pub const COMPONENT: u32 = 0;
    /// The length of a vector.
    pub const MAGNITUDE: u32 = 1;
    /// The direction of a vector, as a colour.
    pub const DIRECTION: u32 = 2;
    /// The components as a colour.
    pub const COLOR: u32 = 3;
}

/// How elements are mapped to pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// One layer of cells.
    Slice = 0,
    /// The maximum along an axis.
    Maximum = 1,
    /// The maximum along the rays of the camera.
    Orbit = 2,
    /// Particles as points.
    Points = 3,
}

/// The uniform block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Params {
    /// Elements along x, y and z.
    pub resolution: [u32; 3],
    /// Kind of the values, a constant of [`kind`].
    pub kind: u32,
    /// Size of the image \[pixels\].
    pub size: [u32; 2],
    /// A [`View`].
    pub view: u32,
    /// The axis across a slice, or of a maximum.
    pub axis: u32,
    /// Number of elements.
    pub elements: u32,
    /// 1: the count buffer holds how many elements are live.
    pub live: u32,
    /// Numbers of an element that lie side by side: words, or halves of words.
    pub stride: u32,
    /// Numbers of an element that count.
    pub components: u32,
    /// 0 f32, 1 i32, 2 u32, 3 f32 stored as f16, two to a word.
    pub scalar: u32,
    /// Number of dimensions, 2 or 3.
    pub dim: u32,
    /// The layer of a slice.
    pub layer: u32,
    /// Words of a position; 0 without positions.
    pub place_stride: u32,
    /// What is shown, a constant of [`show`].
    pub show: u32,
    /// The component that is shown.
    pub component: u32,
    /// Number of the colour map.
    pub map: i32,
    /// 1: `low` and `high` are the range.
    pub given: u32,
    /// Value of the first colour.
    pub low: f32,
    /// Value of the last colour.
    pub high: f32,
    /// Always 0, which the shader compiler cannot know.
    pub zero: u32,
    /// 1: the element under the pointer is wanted.
    pub asked: u32,
    /// Position of the pointer, 0 to 1 from the lower left.
    pub pointer: [f32; 2],
    /// \[m\]
    pub cell_size: f32,
    /// 1: the colour map is symmetric about zero.
    pub signed_map: u32,
    /// Numbers from those of an element that lie side by side to its next ones.
    pub plane: u32,
    /// Fills the block.
    pub unused: [u32; 3],
    /// The camera's axis to the right; fourth: tangent of half the vertical angle of view.
    pub right: [f32; 4],
    /// The camera's upward axis; fourth: slices of a cell along x.
    pub up: [f32; 4],
    /// The camera's viewing direction.
    pub forward: [f32; 4],
    /// Position of the camera \[m\].
    pub eye: [f32; 4],
    /// Edges of the domain's box, each from the first two to the last two coordinates \[pixels from the lower left\];
    /// not drawn where both ends are the same.
    pub edges: [[f32; 4]; 12],
}
