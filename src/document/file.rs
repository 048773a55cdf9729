//! The file of a file node, and how it is read.

use super::Extra;
use crate::printable;

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

    /// Content that the file's node provides.
    pub fn content(&self) -> FileContent {
        let path = self.path.to_ascii_lowercase();
        let points = self.reading.as_deref() == Some(POINTS) && self.readings().contains(&POINTS);
        if points || path.ends_with(".ply") || path.ends_with(".npz") {
            FileContent::Points
        } else if path.ends_with(".npy") || path.ends_with(".vdb") {
            FileContent::Grid
        } else if path.ends_with(".wav") || path.ends_with(".csv") || self.kind().is_some_and(|kind| kind.is_sound) {
            FileContent::Track
        } else {
            FileContent::Shape
        }
    }

    /// The cause and the remedy where files of its kind are not read.
    pub fn unread(&self) -> Option<(String, &'static str)> {
        let ending = ending(&self.path);
        (!ENDINGS.contains(&ending.as_str())).then(|| (unread_cause(&ending), unread_remedy(&ending)))
    }

    /// The kind of its file, where it is one of another program.
    fn kind(&self) -> Option<&'static Kind> {
        let ending = ending(&self.path);
        KINDS.iter().find(|kind| kind.endings.contains(&ending.as_str()))
    }

    /// Whether the node's points are those of a mesh.
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

/// Extensions of files that are read.
const ENDINGS: [&str; 13] =
    ["obj", "gltf", "glb", "png", "jpg", "jpeg", "exr", "npy", "vdb", "ply", "npz", "wav", "csv"];

/// Files of other programs, which can be converted to some that are read.
struct Kind {
    endings: &'static [&'static str],
    is_sound: bool,
    remedy: &'static str,
}

const KINDS: [Kind; 5] = [
    Kind {
        endings: &["flac", "mp3", "ogg", "oga", "opus", "aif", "aiff", "aifc", "m4a", "aac", "wma", "au", "w64", "caf"],
        is_sound: true,
        remedy: "convert the sound to .wav",
    },
    Kind {
        endings: &[
            "stl", "fbx", "dae", "3ds", "abc", "usd", "usda", "usdc", "usdz", "blend", "step", "stp", "off", "x3d",
        ],
        is_sound: false,
        remedy: "export the mesh as .obj or .glb",
    },
    Kind {
        endings: &[
            "tif", "tiff", "webp", "bmp", "tga", "hdr", "gif", "psd", "svg", "dds", "ktx", "ktx2", "jp2", "jxl",
            "avif", "heic",
        ],
        is_sound: false,
        remedy: "save the image as .png, .jpg or .exr",
    },
    Kind {
        endings: &["tsv", "txt", "xls", "xlsx", "ods", "json", "parquet"],
        is_sound: false,
        remedy: "save the table as .csv",
    },
    Kind {
        endings: &["h5", "hdf5", "mat", "vtk", "vti", "nc", "raw", "bgeo", "pcd", "las", "xyz", "vtp"],
        is_sound: false,
        remedy: "save a grid as .npy or .vdb, and particles as .ply or .npz",
    },
];

/// The extension of a path in small letters, without the point; empty without one.
fn ending(path: &str) -> String {
    let extension = std::path::Path::new(path).extension();
    extension.map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Why files with an extension are not read.
pub fn unread_cause(ending: &str) -> String {
    match ending {
        "" => "its name has no extension".into(),
        ending => format!(".{} files are not supported", printable::name(ending)),
    }
}

/// What to do about it.
pub fn unread_remedy(ending: &str) -> &'static str {
    let kind = KINDS.iter().find(|kind| kind.endings.contains(&ending));
    kind.map_or(
        "choose .obj, .gltf or .glb for a 3D domain, .png, .jpg or .exr for a 2D one, .npy or .vdb for either, .ply or .npz for particles, .wav or .csv for a number",
        |kind| kind.remedy,
    )
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
