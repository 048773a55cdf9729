//! Why a file cannot be used.

use std::path::{Path, PathBuf};

use super::limits::{MAX_HELD, MAX_TRIANGLES, MAX_VERTICES};
use super::malformed::{FormatName, Malformed, Text};
use super::unread::{unread_cause, unread_remedy};
use super::warnings::APPLY;
use stagewright_base::files::ReadError;
use stagewright_base::printable;

/// One sentence: the file, the cause, the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}; {}", sentence(.file, .cause), .cause.remedy())]
pub struct AssetError {
    /// The file, as the graph names it.
    pub file: PathBuf,
    /// What is wrong.
    pub cause: Cause,
}

/// The file and the cause, without the remedy, on one line.
pub fn sentence(file: &Path, cause: &Cause) -> String {
    format!("{}: {cause}", printable::name(&file.to_string_lossy()))
}

/// What is wrong with a file, worded as the end of a sentence about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The file does not exist.
    #[error("there is no such file")]
    Missing,
    /// The operating system's error.
    #[error("it can't be read ({0})")]
    Unreadable(Text),
    /// The file exceeds the size limit.
    #[error("it is larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// The file lies outside the graph's folder, and such files are not allowed.
    #[error("{}", ReadError::Outside)]
    Outside,
    /// Empty without an extension.
    #[error("{}", unread_cause(.0))]
    Ending(String),
    /// A mesh needs a domain of three dimensions.
    #[error("a mesh cannot be used in a 2D domain")]
    MeshIn2d,
    /// An image needs a domain of two dimensions.
    #[error("an image cannot be used in a 3D domain")]
    ImageIn3d,
    /// The colours of a mesh are asked for.
    #[error("a mesh has no colours")]
    NoColors,
    /// The file is not valid.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A buffer file that a glTF file refers to.
    #[error("cannot load its buffer `{uri}`: {message}")]
    Buffer {
        /// The buffer as the file names it.
        uri: Text,
        /// Why the buffer cannot be loaded.
        message: Text,
    },
    /// A feature of the format that is not supported.
    #[error("it uses {0}, which is not supported")]
    Unsupported(Text),
    /// Something else, with its remedy.
    #[error("{0}")]
    Unfit(Text, &'static str),
    /// All meshes of a file are hidden.
    #[error("all its meshes are hidden")]
    Hidden,
    /// More vertices than are allowed, for a mesh that shows some of them many times.
    #[error("its instances and shape keys take too long to read")]
    Copies,
    /// A compression of EXR files that is not read.
    #[error("it has {0} compression, which is not supported")]
    Compression(&'static str),
    /// A layer that an image does not have.
    #[error("it has no layer `{wanted}`; its layers are {available}")]
    Layer {
        /// The name.
        wanted: Text,
        /// Layers that the image has.
        available: Text,
    },
    /// Layers of a format without them.
    #[error("files of its format have no layers")]
    NoLayers,
    /// No file of a sequence.
    #[error("there is no file of this sequence")]
    NoFrames,
    /// A file of a sequence.
    #[error("{0} is missing")]
    Gap(Text),
    /// A number that a sequence does not have, and the first and the last that it has.
    #[error("the sequence has no number {0}: it goes from {1} to {2}")]
    Beyond(u64, u64, u64),
    /// Numbers of a mesh or an image.
    #[error("it holds no grid of numbers")]
    NoNumbers,
    /// The colours of a grid.
    #[error("a grid of numbers has no colours")]
    NoImage,
    /// Other numbers a cell than wanted, and the remedy.
    #[error("it holds {0} numbers a cell")]
    Numbers(usize, &'static str),
    /// A grid with so many layers in two dimensions.
    #[error("a grid with {0} layers of cells cannot be used in a 2D domain")]
    Layers(usize),
    /// The cells of a file and of the domain.
    #[error("it has {0} cells, and the domain has {1}")]
    Resolution(Text, Text),
    /// An array with so many axes.
    #[error("its array has {0} axes")]
    Axes(usize),
    /// Points in an array with so many axes.
    #[error("its array has {0} axes, and points have 2")]
    PointAxes(usize),
    /// An archive without the positions of points, and what it has.
    #[error("it has no array `{wanted}`; its arrays are {available}")]
    NoPosition {
        /// The array.
        wanted: Text,
        /// Some of those that it has.
        available: Text,
    },
    /// A grid with too many numbers.
    #[error("it holds more than {} numbers", MAX_HELD)]
    Held,
    /// Particles of a file that holds none, or something else of one that holds them.
    #[error("its format and what is wanted of it do not fit")]
    NoPoints,
    /// More particles than there is room for, and the room.
    #[error("it holds {0} particles, and the State has room for {1}")]
    Capacity(u64, u32),
    /// A sound or a table is wanted as something else.
    #[error("a sound or a table has no shape")]
    NoShape,
    /// A column that a table does not have.
    #[error("it has no column `{wanted}`; its columns are {available}")]
    Column {
        /// The name.
        wanted: Text,
        /// Columns that the table has.
        available: Text,
    },
    /// A file without numbers over time.
    #[error("it is neither a sound nor a table")]
    NoEnvelope,
    /// The mesh is empty.
    #[error("it has no triangles")]
    NoTriangles,
    /// A vertex with coordinates that are not finite or too large \[m\].
    #[error("a vertex lies at ({}, {}, {})", .0[0], .0[1], .0[2])]
    Vertex([f64; 3]),
    /// More triangles than allowed; the text says what becomes triangles.
    #[error("it has more than {MAX_TRIANGLES} {0}")]
    TooMany(&'static str),
    /// More vertices than allowed.
    #[error("it has more than {MAX_VERTICES} vertices")]
    Vertices,
    /// More parts of a kind than allowed: the kind in the plural, and the limit.
    #[error("it has more than {1} {0}")]
    Parts(&'static str, usize),
    /// Polygons whose triangulation takes too long.
    #[error("its polygons take too long to triangulate")]
    Faces,
    /// An image with too many pixels: width and height \[pixels\].
    #[error("an image of {0} x {1} pixels is too large")]
    Pixels(u32, u32),
    /// All vertices lie at one point.
    #[error("its shape has no extent")]
    NoExtent,
    /// No pixel of the image counts as inside.
    #[error("the image has no inside: no pixel is brighter, or more opaque, than one half")]
    NothingInside,
    /// A size that is not positive \[m\].
    #[error("size must be positive, got {0} m")]
    Size(f64),
    /// A centre with coordinates that are not finite or too large.
    #[error("the center is out of range")]
    Center,
    /// The domain has too many cells.
    #[error("the domain's cells do not fit into memory")]
    Cells,
    /// Loading was cancelled.
    #[error("loading it was cancelled")]
    Stopped,
}

impl From<ReadError> for Cause {
    fn from(error: ReadError) -> Cause {
        match error {
            ReadError::Missing => Cause::Missing,
            ReadError::TooLarge(limit) => Cause::TooLarge(limit),
            ReadError::Outside => Cause::Outside,
            _ => Cause::Unreadable(error.to_string().into()),
        }
    }
}

/// The remedy for a file outside the graph's folder.
const OUTSIDE: &str = "move it into that folder, or allow files outside it (on the command line: --allow-files)";

impl FormatName {
    /// The cause of a file that is not a valid one of this format.
    pub fn malformed(self, what: impl Into<Text>) -> Cause {
        Malformed { kind: self, what: what.into() }.into()
    }

    /// The cause of a file that ends before its contents do.
    pub fn cut_off(self) -> Cause {
        self.malformed("it is cut off")
    }
}

impl Cause {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Cause::Missing => "choose an existing file, or correct the path",
            Cause::Unreadable(_) => "check its permissions, or choose another file",
            Cause::TooLarge(_) => "make it smaller (fewer vertices, pixels or lines) and export it again",
            Cause::Outside => OUTSIDE,
            Cause::Buffer { message, .. } if *message == ReadError::Outside.to_string().into() => OUTSIDE,
            Cause::Ending(ending) => unread_remedy(ending),
            Cause::MeshIn2d => concat!("choose a ", images!(or), " image, or make the domain 3D"),
            Cause::NoColors => concat!("connect its distance, or choose a ", images!(or), " image"),
            Cause::ImageIn3d => concat!("choose an ", meshes!(or), " mesh, or make the domain 2D"),
            Cause::Malformed(_) => "export it again",
            Cause::Buffer { .. } => "keep the buffer beside the .gltf file, or export a .glb, which holds everything",
            Cause::Unsupported(_) => "export it again without",
            Cause::Unfit(_, remedy) => remedy,
            Cause::Hidden => "show one of them and export it again",
            Cause::Copies => APPLY,
            Cause::Compression(_) => "save it with ZIP compression",
            Cause::Layer { .. } => "name one of them as its `layer`",
            Cause::NoLayers => "remove `layer`, or choose an .exr or .vdb file",
            Cause::NoFrames => "choose existing files; each # of the path stands for a digit of their numbers",
            Cause::Gap(_) => "add the file, or number the files without gaps",
            Cause::Beyond(..) => "compute fewer frames, or let the node hold or loop its last file",
            Cause::NoNumbers => concat!("choose an ", grids!(or), " file"),
            Cause::NoImage => "connect its `value` or its `vector`",
            Cause::Numbers(_, remedy) => remedy,
            Cause::Layers(_) => "make the domain 3D, or export one layer",
            Cause::Resolution(..) => {
                "set its fit to stretch, place it with center and size, or change the domain's resolution"
            }
            Cause::Axes(_) => "save it as [y, x] in 2D or [z, y, x] in 3D, with one axis more for vectors",
            Cause::PointAxes(_) => "save positions as [point, 2 or 3], or records as [point]",
            Cause::NoPosition { .. } => "save the positions as `position`, or name one of several sets as its `layer`",
            Cause::Held => "lower its resolution and export it again",
            Cause::NoPoints => "choose a .ply, .npy or .npz file, or a mesh, for particles",
            Cause::Capacity(..) => "raise the State's capacity",
            Cause::NoShape => "choose a mesh, an image or a grid",
            Cause::Column { .. } => "name one of them as its `column`",
            Cause::NoEnvelope => "choose a .wav or a .csv file",
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
