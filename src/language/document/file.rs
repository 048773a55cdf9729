//! The file of a file node, and how it is read.

use std::path::Path;

use super::Extra;
use crate::formats::{ContentKind, Reader, extension, is_unread_sound, reader_of, unread_cause, unread_remedy};

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
        if self.is_linear() { [linear, srgb] } else { [srgb, linear] }
    }

    /// The reader of the file, by its extension.
    pub fn reader(&self) -> Option<&'static Reader> {
        reader_of(Path::new(&self.path))
    }

    /// What the file can be taken as, where there is a choice.
    pub fn readings(&self) -> &'static [&'static str] {
        match self.reader().map(|reader| reader.becomes) {
            Some([ContentKind::Shape, ContentKind::Points]) => &["distance", POINTS],
            Some([ContentKind::Grid, ContentKind::Points]) => &["grid", POINTS],
            _ => &[],
        }
    }

    /// What the file becomes; `None` where it is not read.
    pub fn kind(&self) -> Option<ContentKind> {
        let points = self.reading.as_deref() == Some(POINTS) && self.readings().contains(&POINTS);
        if points { Some(ContentKind::Points) } else { self.reader()?.usual_kind() }
    }

    /// Content that the file's node provides.
    pub fn content(&self) -> FileContent {
        match self.kind() {
            Some(ContentKind::Points) => FileContent::Points,
            Some(ContentKind::Grid) => FileContent::Grid,
            Some(ContentKind::Track) => FileContent::Track,
            None if is_unread_sound(&extension(Path::new(&self.path))) => FileContent::Track,
            Some(ContentKind::Shape | ContentKind::Image) | None => FileContent::Shape,
        }
    }

    /// The cause and the remedy where files of its kind are not read.
    pub fn unread(&self) -> Option<(String, &'static str)> {
        let extension = extension(Path::new(&self.path));
        self.reader().is_none().then(|| (unread_cause(&extension), unread_remedy(&extension)))
    }

    /// Whether the node's points are those of a mesh.
    pub fn is_mesh_of_points(&self) -> bool {
        self.kind() == Some(ContentKind::Points) && self.readings().first() == Some(&"distance")
    }

    /// Whether the file is a table of numbers by its name.
    pub fn is_table(&self) -> bool {
        self.reader().is_some_and(|reader| reader.has_columns)
    }

    /// Whether the file's colours are linear light where the graph does not say what they are.
    pub fn is_linear(&self) -> bool {
        self.reader().is_some_and(|reader| reader.is_linear)
    }

    /// Whether the file may have several layers, grids or sets.
    pub fn has_layers(&self) -> bool {
        self.reader().is_some_and(|reader| reader.has_layers)
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
