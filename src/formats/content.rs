//! Contents of a file, and the request of a reader: its bytes, what it becomes and what it may open.

use std::path::Path;

use super::mesh::Mesh;
use super::pixels::Pixels;
use super::points::Points;
use super::volume::Volume;
use super::work::Work;
use stagewright_base::files::Access;

/// What a file becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentKind {
    /// Distances to the surface of a mesh.
    Shape,
    /// Colours, or distances to the shape in them.
    Image,
    /// A number or a vector in each cell.
    Grid,
    /// Particles.
    Points,
    /// A number for each frame.
    Track,
}

/// What a frame of a sound gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loudness {
    /// The root of the mean square of its samples.
    #[default]
    Rms,
    /// The largest sample.
    Peak,
}

/// The contents of a file.
pub enum Content {
    /// Triangles.
    Mesh(Mesh),
    /// An image, and a warning about it.
    Image(Pixels, Option<String>),
    /// A grid of numbers.
    Volume(Volume),
    /// Particles.
    Points(Points),
    /// Points of frame and value.
    Track(Vec<(f64, f64)>),
}

/// A file, and how it is read.
pub struct Source<'a> {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Folder of the file.
    pub folder: &'a Path,
    /// Access to the files that this one refers to.
    pub access: &'a Access,
    /// What the file becomes, one of those that its reader lists.
    pub kind: ContentKind,
    /// Layer of an image, name of a grid or of a set of particles, column of a table.
    pub layer: Option<&'a str>,
    /// Dimensions of the domain.
    pub dim: usize,
    /// Frames per second of the graph.
    pub fps: f64,
    /// What a frame of a sound gets.
    pub loudness: Loudness,
    /// Reports progress, and stops the reader.
    pub work: &'a Work,
}

impl Source<'_> {
    /// Whether particles are wanted.
    pub(crate) fn is_points(&self) -> bool {
        self.kind == ContentKind::Points
    }
}
