//! The file of a file node, and how it is read.

use std::path::Path;

use super::Extra;
use crate::formats::{ContentKind, Reader, extension, is_unread_sound, reader_of, unread_cause, unread_remedy};

/// A file that a node reads.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSource {
    path: String,
    reading: Option<String>,
    /// The number of the file in the first frame, where the path is that of a sequence; the lowest one that
    /// there is when `None`. For a track the frame of the file in the first frame.
    pub first: Option<i64>,
    /// What is shown before the first file and after the last, one of [`FileSource::BEYONDS`]; the first one when `None`.
    pub beyond: Option<String>,
    /// What the file becomes, and options for that.
    pub options: FileOptions,
    /// Fields without effect on what the file becomes. The graph's file keeps them.
    unused: Box<FileFields>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

/// What a file becomes, and the options that the graph may give for that.
#[derive(Clone, Debug, PartialEq)]
pub enum FileOptions {
    /// Distances to the surface of a mesh.
    Shape,
    /// Colours of an image, or distances to the shape in it. Files that are not read count as images.
    Image {
        /// How an image without a size fills the domain, one of [`FileSource::FITS`]; the first one when `None`.
        fit: Option<String>,
        /// What its numbers are, one of [`FileSource::SPACES`]; the first one of [`FileSource::spaces`] when `None`.
        space: Option<String>,
        /// The layer of the file that is the image; its colours when `None`.
        layer: Option<String>,
    },
    /// Numbers in cells.
    Grid {
        /// How a grid without a size fills the domain, one of [`FileSource::FITS`]; the first one when `None`.
        fit: Option<String>,
        /// Name of the grid in the file; the first one when `None`.
        layer: Option<String>,
    },
    /// Particles.
    Points {
        /// How many points a mesh has, evenly over its surface; one at each vertex when `None`.
        count: Option<i64>,
        /// Chooses among all such sets of points.
        seed: Option<i64>,
        /// Name of one of several sets of particles in the file.
        layer: Option<String>,
    },
    /// A number for each frame.
    Track {
        /// The column of a table; the first one besides the times when `None`.
        column: Option<String>,
        /// What a frame of a sound gets, one of [`FileSource::MEASURES`]; the first one when `None`.
        measure: Option<String>,
    },
}

/// Fields of a file node, as the graph's file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FileFields {
    pub reading: Option<String>,
    pub fit: Option<String>,
    pub space: Option<String>,
    pub layer: Option<String>,
    pub count: Option<i64>,
    pub seed: Option<i64>,
    pub column: Option<String>,
    pub measure: Option<String>,
    pub first: Option<i64>,
    pub beyond: Option<String>,
}

impl Default for FileSource {
    fn default() -> FileSource {
        FileSource::new("")
    }
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

    /// [`FileSource::SPACES`], first the space that holds where none is given: EXR files hold linear light.
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

    /// Content that the file's node provides.
    pub fn content(&self) -> FileContent {
        match self.options {
            FileOptions::Shape | FileOptions::Image { .. } => FileContent::Shape,
            FileOptions::Grid { .. } => FileContent::Grid,
            FileOptions::Points { .. } => FileContent::Points,
            FileOptions::Track { .. } => FileContent::Track,
        }
    }

    /// The cause and the remedy where files of its kind are not read.
    pub fn unread(&self) -> Option<(String, &'static str)> {
        let extension = extension(Path::new(&self.path));
        self.reader().is_none().then(|| (unread_cause(&extension), unread_remedy(&extension)))
    }

    /// Whether the node's points are those of a mesh.
    pub fn is_mesh_of_points(&self) -> bool {
        self.content() == FileContent::Points && self.readings().first() == Some(&"distance")
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
        FileSource::from_fields(path.into(), FileFields::default(), Extra::default())
    }

    /// Path of the file, relative to the graph's own file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Names another file. Options that it has no use for are kept.
    pub fn set_path(&mut self, path: String) {
        *self = FileSource::from_fields(path, self.fields(), std::mem::take(&mut self.extra));
    }

    /// What a mesh or an array is taken as, one of [`FileSource::readings`]; the first one when `None`.
    pub fn reading(&self) -> Option<&str> {
        self.reading.as_deref()
    }

    /// Takes the file as something else.
    pub fn set_reading(&mut self, reading: Option<String>) {
        let (path, fields) = (std::mem::take(&mut self.path), FileFields { reading, ..self.fields() });
        *self = FileSource::from_fields(path, fields, std::mem::take(&mut self.extra));
    }

    /// The field `fit`, where it has no effect too.
    pub fn fit(&self) -> Option<&str> {
        match &self.options {
            FileOptions::Image { fit, .. } | FileOptions::Grid { fit, .. } => fit.as_deref(),
            _ => self.unused.fit.as_deref(),
        }
    }

    /// The field `space`, where it has no effect too.
    pub fn space(&self) -> Option<&str> {
        match &self.options {
            FileOptions::Image { space, .. } => space.as_deref(),
            _ => self.unused.space.as_deref(),
        }
    }

    /// The field `layer`, where it has no effect too.
    pub fn layer(&self) -> Option<&str> {
        match &self.options {
            FileOptions::Image { layer, .. } | FileOptions::Grid { layer, .. } | FileOptions::Points { layer, .. } => {
                layer.as_deref()
            }
            FileOptions::Shape | FileOptions::Track { .. } => self.unused.layer.as_deref(),
        }
    }

    /// The fields `count` and `seed`, where they have no effect too.
    pub fn count_and_seed(&self) -> [Option<i64>; 2] {
        match &self.options {
            FileOptions::Points { count, seed, .. } => [*count, *seed],
            _ => [self.unused.count, self.unused.seed],
        }
    }

    /// The file of a node with these fields.
    pub(super) fn from_fields(path: String, mut unused: FileFields, extra: Extra) -> FileSource {
        let FileFields { reading, first, beyond, .. } = &mut unused;
        let reading = reading.take();
        let first = first.take();
        let beyond = beyond.take();
        let reader = reader_of(Path::new(&path));
        let points = reading.as_deref() == Some(POINTS)
            && reader.is_some_and(|reader| reader.becomes.contains(&ContentKind::Points) && reader.becomes.len() > 1);
        let kind = match reader {
            _ if points => ContentKind::Points,
            Some(reader) => reader.usual_kind().unwrap_or(ContentKind::Image),
            None if is_unread_sound(&extension(Path::new(&path))) => ContentKind::Track,
            None => ContentKind::Image,
        };
        let FileFields { fit, space, layer, count, seed, column, measure, .. } = &mut unused;
        let options = match kind {
            ContentKind::Shape => FileOptions::Shape,
            ContentKind::Image => FileOptions::Image { fit: fit.take(), space: space.take(), layer: layer.take() },
            ContentKind::Grid => FileOptions::Grid { fit: fit.take(), layer: layer.take() },
            ContentKind::Points => FileOptions::Points { count: count.take(), seed: seed.take(), layer: layer.take() },
            ContentKind::Track => FileOptions::Track { column: column.take(), measure: measure.take() },
        };
        FileSource { path, reading, first, beyond, options, unused: Box::new(unused), extra }
    }

    /// All fields of the node, as the graph's file has them.
    pub(super) fn fields(&self) -> FileFields {
        let FileSource { reading, first, beyond, unused, .. } = self.clone();
        let fields = FileFields { reading, first, beyond, ..*unused };
        match self.options.clone() {
            FileOptions::Shape => fields,
            FileOptions::Image { fit, space, layer } => FileFields { fit, space, layer, ..fields },
            FileOptions::Grid { fit, layer } => FileFields { fit, layer, ..fields },
            FileOptions::Points { count, seed, layer } => FileFields { count, seed, layer, ..fields },
            FileOptions::Track { column, measure } => FileFields { column, measure, ..fields },
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn every_field() -> FileFields {
        let text = |text: &str| Some(text.to_string());
        FileFields {
            reading: text("points"),
            fit: text("fit"),
            space: text("space"),
            layer: text("layer"),
            count: Some(1),
            seed: Some(2),
            column: text("column"),
            measure: text("measure"),
            first: Some(3),
            beyond: text("beyond"),
        }
    }

    #[test]
    fn no_field_is_lost_whatever_a_file_becomes() {
        for path in ["", "a.obj", "a.png", "a.npy", "a.vdb", "a.ply", "a.npz", "a.wav", "a.csv", "a.mp3", "a.tif"] {
            for reading in [None, Some("points".to_string()), Some("none".to_string())] {
                let fields = FileFields { reading, ..every_field() };
                let mut file = FileSource::from_fields(path.into(), fields.clone(), Extra::default());
                assert_eq!(file.fields(), fields, "{path}");
                file.set_path("b.obj".into());
                file.set_reading(None);
                file.set_path(path.into());
                assert_eq!((file.path(), file.fields()), (path, FileFields { reading: None, ..fields }));
            }
        }
    }

    #[test]
    fn a_file_becomes_what_its_reader_lists() {
        let of = |path: &str, reading: Option<&str>| {
            let fields = FileFields { reading: reading.map(str::to_string), ..FileFields::default() };
            FileSource::from_fields(path.into(), fields, Extra::default()).content()
        };
        assert_eq!(of("a.GLB", None), FileContent::Shape);
        assert_eq!(of("a.glb", Some("points")), FileContent::Points);
        assert_eq!(of("a.exr", Some("points")), FileContent::Shape);
        assert_eq!(of("a.npy", Some("grid")), FileContent::Grid);
        assert_eq!(of("a.npy", Some("points")), FileContent::Points);
        assert_eq!([of("a.npz", None), of("a.ply", Some("grid"))], [FileContent::Points; 2]);
        assert_eq!([of("a.csv", None), of("a.flac", None)], [FileContent::Track; 2]);
        assert_eq!([of("a.txt", None), of("", None)], [FileContent::Shape; 2]);
    }
}
