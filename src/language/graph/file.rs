//! The file that a node reads, and what it becomes.

use serde::{Deserialize, Serialize};

use super::sequence::Sequence;
use crate::document::FileContent;
use crate::stage::types::{ValueType, WireType};

/// A file, and its placement in the domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// Path as the document has it: relative to the graph's own file.
    pub path: String,
    /// Centre \[m\] and longest side \[m\]; those of the file when `None`.
    pub place: Option<([f64; 3], f64)>,
    /// How an image's colours fill the domain where they have no place.
    #[serde(default)]
    pub fit: ImageFit,
    /// Whether an image's colours are taken as linear, and not as sRGB.
    #[serde(default)]
    pub linear: bool,
    /// The layer of an EXR file; its colours when `None`. One of several sets of particles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Content that the file provides.
    #[serde(default)]
    pub content: FileContent,
    /// Points of a mesh that are its particles.
    #[serde(default)]
    pub points: MeshPoints,
    /// File of a sequence that a frame shows, where the path is that of a sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Sequence>,
}

/// The outputs of a file node, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileOutput {
    /// Signed distances to its shape.
    #[default]
    Distance,
    /// The colours of an image.
    Image,
    /// The velocity of a mesh that moves.
    Velocity,
    /// The numbers of a grid.
    Value,
    /// The vectors of a grid.
    Vector,
    /// Particles.
    Particles,
}

impl File {
    /// The outputs of its node, from top to bottom.
    pub fn outputs(&self) -> &'static [FileOutput] {
        FileOutput::outputs_of(self.content)
    }
}

impl FileOutput {
    /// All of them.
    pub const ALL: [FileOutput; 6] = [
        FileOutput::Distance,
        FileOutput::Image,
        FileOutput::Velocity,
        FileOutput::Value,
        FileOutput::Vector,
        FileOutput::Particles,
    ];

    /// Outputs of a file with this content.
    pub fn outputs_of(content: FileContent) -> &'static [FileOutput] {
        match content {
            FileContent::Shape => &[FileOutput::Distance, FileOutput::Image, FileOutput::Velocity],
            FileContent::Grid => &[FileOutput::Value, FileOutput::Vector],
            FileContent::Points => &[FileOutput::Particles],
            // It is a number, and no part of a plan's memory.
            FileContent::Track => &[],
        }
    }

    /// Name of the output.
    pub fn name(self) -> &'static str {
        match self {
            FileOutput::Distance => "distance",
            FileOutput::Image => "image",
            FileOutput::Velocity => "velocity",
            FileOutput::Value => "value",
            FileOutput::Vector => "vector",
            FileOutput::Particles => "particles",
        }
    }

    /// Type of the output's wire.
    pub fn ty(self) -> WireType {
        WireType::Grid(match self {
            FileOutput::Distance | FileOutput::Value => ValueType::F32,
            FileOutput::Image => ValueType::Vec4,
            FileOutput::Vector | FileOutput::Velocity => ValueType::Vec,
            FileOutput::Particles => return WireType::Particles,
        })
    }
}

/// Limit of points of a mesh.
pub const MAX_POINTS: u32 = 15_000_000;

/// Choice of points of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeshPoints {
    /// Vertices of the mesh, each position once.
    #[default]
    Vertices,
    /// Points spread evenly over the mesh's surface; the same in every run with the same seed.
    Surface {
        /// How many.
        count: u32,
        /// Chooses among all such sets of points.
        seed: u64,
    },
}

/// How an image fills a domain of other proportions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageFit {
    /// The image covers the domain; what is beyond it is cut off.
    #[default]
    Cover,
    /// The domain contains the whole image.
    Contain,
    /// The image takes the proportions of the domain.
    Stretch,
}
