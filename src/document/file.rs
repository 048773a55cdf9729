//! The file of a file node, and how it is read.

use super::Extra;

/// A file that a node reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSource {
    /// Relative to the graph's own file.
    pub path: String,
    /// How an image without a size fills the domain, one of [`FileSource::FITS`]; the first one when `None`.
    pub fit: Option<String>,
    /// What an image's numbers are, one of [`FileSource::SPACES`]; the first one of [`FileSource::spaces`] when `None`.
    pub space: Option<String>,
    /// The layer of an EXR file that is the image, its colours when `None`; a grid of a VDB file; one of several sets of particles of
    /// an NPZ file.
    pub layer: Option<String>,
    /// What a mesh or an array is taken as, one of [`FileSource::readings`]; the first one when `None`.
    pub reading: Option<String>,
    /// How many points a mesh has, evenly over its surface; one at each vertex when `None`.
    pub count: Option<i64>,
    /// Chooses among all such sets of points.
    pub seed: Option<i64>,
    /// The column of a table; the first one besides the times when `None`.
    pub column: Option<String>,
    /// What a frame of a sound gets, one of [`FileSource::MEASURES`]; the first one when `None`.
    pub measure: Option<String>,
    /// The number of the file in the first frame, where the path is that of a sequence; the lowest one that
    /// there is when `None`.
    pub first: Option<i64>,
    /// What a sequence shows before its first file and after its last, one of [`FileSource::BEYONDS`]; the first one when `None`.
    pub beyond: Option<String>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl FileSource {
    /// `cover` fills the domain and cuts off what is beyond it, `contain` shows the whole image, `stretch` changes its
    /// proportions.
    pub const FITS: [&str; 3] = ["cover", "contain", "stretch"];
    /// `srgb` is converted to linear light, as for everything that is seen; `linear` is taken as it is.
    pub const SPACES: [&str; 2] = ["srgb", "linear"];

    /// `rms` is the root of the mean square of a frame's samples, `peak` the largest one.
    pub const MEASURES: [&str; 2] = ["rms", "peak"];

    /// `hold` shows the first or the last file, `loop` starts again, `error` ends the run.
    pub const BEYONDS: [&str; 3] = ["hold", "loop", "error"];

    /// The same as [`FileSource::SPACES`], and first what holds where nothing is given: EXR files hold linear light.
    pub fn spaces(&self) -> [&'static str; 2] {
        let [srgb, linear] = FileSource::SPACES;
        if self.is_exr() { [linear, srgb] } else { [srgb, linear] }
    }

    /// What the file can be taken as, besides what every file of its kind is.
    pub fn readings(&self) -> &'static [&'static str] {
        let path = self.path.to_ascii_lowercase();
        let is = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
        if is(&[".obj", ".gltf", ".glb"]) {
            &["distance", POINTS]
        } else if is(&[".npy"]) {
            &["grid", POINTS]
        } else {
            &[]
        }
    }

    /// What its node gives.
    pub fn content(&self) -> FileContent {
        let path = self.path.to_ascii_lowercase();
        let points = self.reading.as_deref() == Some(POINTS) && self.readings().contains(&POINTS);
        if points || path.ends_with(".ply") || path.ends_with(".npz") {
            FileContent::Points
        } else if path.ends_with(".npy") || path.ends_with(".vdb") {
            FileContent::Grid
        } else if path.ends_with(".wav") || path.ends_with(".csv") {
            FileContent::Track
        } else {
            FileContent::Shape
        }
    }

    /// Whether its points are those of a mesh.
    pub fn is_mesh_of_points(&self) -> bool {
        self.content() == FileContent::Points && self.readings().first() == Some(&"distance")
    }

    /// Whether the file is a table of numbers by its name.
    pub fn is_table(&self) -> bool {
        self.path.to_ascii_lowercase().ends_with(".csv")
    }

    /// Whether the file is an EXR file by its name.
    pub fn is_exr(&self) -> bool {
        self.path.to_ascii_lowercase().ends_with(".exr")
    }

    /// A file without options.
    pub fn new(path: impl Into<String>) -> FileSource {
        FileSource { path: path.into(), ..FileSource::default() }
    }
}

/// What a file node gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FileContent {
    /// Distances to a shape, and colours.
    #[default]
    Shape,
    /// A grid of numbers.
    Grid,
    /// Particles.
    Points,
    /// A number for each frame.
    Track,
}

/// The reading of a mesh or an array as points.
const POINTS: &str = "points";
