//! Requests for values from files: the file, what is computed from it, and for which domain.

use std::path::{Path, PathBuf};

use super::decoded_points::Shared;
use super::envelope::Timing;
use super::placement::Placement;
use crate::files::Access;
use crate::graph::{Domain, ImageFit, MeshPoints};

/// Which numbers of particles are wanted, and how they lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Numbers of a particle.
    pub components: u32,
    /// Numbers of a particle, with padding.
    pub stride: u32,
    /// Kind of the numbers: whole or not.
    pub kind: Number,
    /// How many particles there is room for.
    pub capacity: u32,
}

/// What the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Numbers of 32 bits.
    Float,
    /// Whole numbers with a sign.
    Signed,
    /// Whole numbers without a sign.
    Unsigned,
}

/// What is computed from a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// Signed distances to its shape.
    Distance,
    /// The colours of an image.
    Image {
        /// How the image fills the domain where it is [in place](Placement::InPlace).
        fit: ImageFit,
        /// Whether the image's numbers are taken as linear, and not as sRGB.
        linear: bool,
    },
    /// The numbers of a grid.
    Numbers {
        /// Whether each is a vector.
        vector: bool,
        /// Whether the grid is stretched over the domain where it is [in place](Placement::InPlace):
        /// [`ImageFit::Stretch`] alone.
        fit: ImageFit,
    },
    /// The velocity of a mesh's surface, at this many files a second: 0 without [`Request::neighbor`].
    Velocity {
        /// Frames per second of the graph.
        fps: f64,
    },
    /// An attribute of particles, which [`Request::layer`] names; how many there are where it does not.
    Particles(Column),
    /// A number for each frame; of a table the column that [`Request::layer`] names.
    Track(Timing),
}

impl Wanted {
    /// Numbers for each cell.
    pub fn components(self) -> u64 {
        match self {
            Wanted::Distance | Wanted::Particles(_) | Wanted::Track(_) => 1,
            Wanted::Image { .. } => 4,
            Wanted::Velocity { .. } => 3,
            Wanted::Numbers { vector, .. } => {
                if vector {
                    3
                } else {
                    1
                }
            }
        }
    }
}

/// A file next to another one in a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbor {
    /// The file.
    pub path: PathBuf,
    /// Whether the file comes later in the sequence.
    pub later: bool,
}

/// A file, and what is computed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The file. Its extension decides how it is read.
    pub path: PathBuf,
    /// Contents of the file, where it is a [shipped file](super::built_in).
    pub built_in: Option<&'static [u8]>,
    /// Decides which files the file may refer to.
    pub access: Access,
    /// The layer of an EXR file; its colours when `None`. The attribute of particles; their count when `None`.
    pub layer: Option<String>,
    /// The file before in a sequence, or the one after the first, where a velocity is wanted.
    pub neighbor: Option<Neighbor>,
    /// Name of a set of particles, in a file with several sets.
    pub set: Option<String>,
    /// Which points of a mesh are its particles.
    pub points: MeshPoints,
    /// What is computed.
    pub wanted: Wanted,
    /// Where the file's contents are placed in the domain.
    pub placement: Placement,
    /// The domain on which it is computed.
    pub domain: Domain,
    /// Particles that were decoded for another attribute.
    pub shared: Shared,
}

impl Request {
    /// A number for each frame. The domain has no meaning for it.
    pub fn track(path: &Path, column: Option<String>, timing: Timing, access: Access) -> Request {
        let request = Request::distance(path, Placement::InPlace, &no_domain());
        Request { layer: column, wanted: Wanted::Track(timing), access, ..request }
    }

    /// Signed distances to the shape in a file on the disk. Files that it refers to must be in its folder or below.
    pub fn distance(path: &Path, placement: Placement, domain: &Domain) -> Request {
        let access = Access::new(path.parent().unwrap_or(Path::new("")), false);
        let (path, domain) = (path.to_path_buf(), domain.clone());
        let set = None;
        let points = MeshPoints::Vertices;
        let shared = Shared::default();
        let built_in = None;
        let layer = None;
        let wanted = Wanted::Distance;
        Request { path, built_in, access, layer, neighbor: None, set, points, wanted, placement, domain, shared }
    }

    /// The colours of an image.
    pub fn image(path: &Path, fit: ImageFit, linear: bool, placement: Placement, domain: &Domain) -> Request {
        Request { wanted: Wanted::Image { fit, linear }, ..Request::distance(path, placement, domain) }
    }
}

/// A domain for what needs none.
pub(super) fn no_domain() -> Domain {
    let dim = 3;
    let resolution = [1; 3];
    let edge = Default::default();
    Domain { name: String::new(), dim, resolution, cell_size: 1.0, edge, finer: None, sliced: None }
}
