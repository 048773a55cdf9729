//! Why no distances can be computed from a file.

use std::path::PathBuf;

use super::{MAX_FILE, MAX_TRIANGLES, MAX_VERTICES};
use crate::files::ReadError;

/// One sentence: the file, the cause, the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {cause}; {}", .file.display(), .cause.remedy())]
pub struct AssetError {
    pub file: PathBuf,
    pub cause: Cause,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    #[error("there is no such file")]
    Missing,
    #[error("it can't be read ({0})")]
    Unreadable(String),
    #[error("it is larger than {} MiB", MAX_FILE >> 20)]
    TooLarge,
    #[error("{}", ReadError::Outside)]
    Outside,
    /// Empty without an extension.
    #[error("{}", ending(.0))]
    Ending(String),
    #[error("a mesh cannot be used in a 2D domain")]
    MeshIn2d,
    #[error("an image cannot be used in a 3D domain")]
    ImageIn3d,
    /// The format that it should have, and the error.
    #[error("it is not a valid {kind} file: {message}")]
    Broken { kind: &'static str, message: String },
    /// A buffer file that a glTF file refers to.
    #[error("cannot load its buffer `{uri}`: {message}")]
    Buffer { uri: String, message: String },
    #[error("it uses {0}, which is not supported")]
    Unsupported(String),
    #[error("it has no triangles")]
    NoTriangles,
    #[error("a vertex lies at ({}, {}, {})", .0[0], .0[1], .0[2])]
    Vertex([f64; 3]),
    #[error("it has more than {MAX_TRIANGLES} {0}")]
    TooMany(&'static str),
    #[error("it has more than {MAX_VERTICES} vertices")]
    Vertices,
    #[error("it has more than {1} {0}")]
    Parts(&'static str, usize),
    #[error("its polygons take too long to triangulate")]
    Faces,
    #[error("an image of {0} x {1} pixels is too large")]
    Pixels(u32, u32),
    #[error("its shape has no extent")]
    NoExtent,
    #[error("the image has no inside: no pixel is brighter, or more opaque, than one half")]
    NothingInside,
    #[error("size must be positive, got {0} m")]
    Size(f64),
    #[error("the center is out of range")]
    Center,
    #[error("the domain's cells do not fit into memory")]
    Cells,
    #[error("loading it was cancelled")]
    Stopped,
}

impl From<ReadError> for Cause {
    fn from(error: ReadError) -> Cause {
        match error {
            ReadError::Missing => Cause::Missing,
            ReadError::TooLarge(_) => Cause::TooLarge,
            ReadError::Outside => Cause::Outside,
            ReadError::Kind(_) | ReadError::Io(_) => Cause::Unreadable(error.to_string()),
        }
    }
}

fn ending(ending: &str) -> String {
    if ending.is_empty() { "its name has no extension".into() } else { format!(".{ending} files are not supported") }
}

/// The remedy for a file outside the graph's folder.
const OUTSIDE: &str = "move it into that folder, or allow files outside it (on the command line: --allow-files)";

impl Cause {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Cause::Missing => "choose an existing file, or correct the path",
            Cause::Unreadable(_) => "check its permissions, or choose another file",
            Cause::TooLarge => "reduce the mesh or the image and export it again",
            Cause::Outside => OUTSIDE,
            Cause::Buffer { message, .. } if *message == ReadError::Outside.to_string() => OUTSIDE,
            Cause::Ending(_) => "choose .obj, .gltf or .glb for a 3D domain, .png for a 2D one",
            Cause::MeshIn2d => "choose a .png image, or make the domain 3D",
            Cause::ImageIn3d => "choose an .obj, .gltf or .glb mesh, or make the domain 2D",
            Cause::Broken { .. } => "export it again",
            Cause::Buffer { .. } => "keep the buffer beside the .gltf file, or export a .glb, which holds everything",
            Cause::Unsupported(_) => "export it again without",
            Cause::NoTriangles => "export a mesh with faces; points, curves and empty objects have no inside",
            Cause::Vertex(_) => "clean the mesh: coordinates are finite numbers below 1e15",
            Cause::TooMany("outline segments") => "smooth or shrink the image",
            Cause::TooMany(_) => "reduce (decimate) the mesh",
            Cause::Vertices => "reduce (decimate) the mesh",
            Cause::Parts(..) => "join its parts and export it again",
            Cause::Faces => "triangulate the mesh and export it again",
            Cause::Pixels(..) => "shrink it to at most 8192 x 8192",
            Cause::NoExtent => "choose a mesh that is more than a point",
            Cause::NothingInside => "paint the shape white on black, or opaque on transparent",
            Cause::Size(_) => "give the longest side in metres, or 0 to keep the file's units",
            Cause::Center => "give finite coordinates below 1e15 m",
            Cause::Cells => "lower the resolution",
            Cause::Stopped => "load it again, or choose another file",
        }
    }
}
