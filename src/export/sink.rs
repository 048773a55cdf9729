//! The interface between exports and file formats.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::frames::Frames;
use super::names::Names;
use super::remarks::Remarks;
use super::settings::Settings;
use super::value::Layer;
use crate::files::{portable, write, written};
use crate::sim::Image;

/// What a file format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// An image of 8 bits a channel, as an Output or the view of a wire shows it.
    Image,
    /// Linear colours of an image, in floating point.
    Picture,
    /// A grid in two dimensions.
    Grid2,
    /// A grid in three dimensions.
    Grid3,
    /// One number a cell of a grid in three dimensions: a signed distance.
    Distance,
    /// A particle set.
    Particles,
    /// A number, or a statistic of a wire.
    Number,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Image | Kind::Picture => "images",
            Kind::Grid2 => "grids in 2D",
            Kind::Grid3 => "grids in 3D",
            Kind::Distance => "numbers on grids in 3D",
            Kind::Particles => "particles",
            Kind::Number => "numbers",
        })
    }
}

/// A file format. [`FORMATS`](super::FORMATS) lists them all.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name on the command line and in settings and records. Unique, and never changed once released.
    pub name: &'static str,
    /// The name in lists.
    pub title: &'static str,
    /// A one-line description of the files.
    pub about: &'static str,
    /// What the format's files hold. Of what a wire can be written as, the first one here is taken.
    pub takes: &'static [Kind],
    /// Whether a file holds several values.
    pub joins: bool,
    /// Values that may follow the first one, by their names; where there are none, all are what it [takes](Format::takes).
    pub beside: &'static [(&'static str, Kind)],
    /// Whether all frames are in one file, but for tables of particles.
    pub single: bool,
    /// Approximate size of the files \[bytes a pixel\], where they hold images.
    pub bytes_per_pixel: f64,
    /// Opens a sink for these files. It does not access the disk before [`FrameSink::begin`].
    pub open: fn(Target) -> Box<dyn FrameSink>,
}

/// Names are unique.
impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

/// Which frames are written, and where to.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The folder of the files.
    pub folder: PathBuf,
    /// Frames, counted from 1.
    pub frames: Frames,
    /// Names of the files.
    pub names: Names,
    /// What the files hold; one of what the format takes.
    pub kind: Kind,
    /// Names of the values in a file.
    pub layers: Vec<String>,
    /// Settings of the format.
    pub settings: Settings,
    /// Threads that encode frames.
    pub threads: usize,
    /// What files say about where they come from.
    pub about: About,
    /// The list of the folder's files.
    pub log: written::Log,
}

/// What files say about where they come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Title of the graph.
    pub graph: String,
    /// The [`Fingerprint`](super::record::Fingerprint) of what the frames depend on, in hexadecimal.
    pub hash: String,
    /// Frames per second.
    pub fps: f64,
}

impl About {
    /// The name and the version of the program.
    pub const PROGRAM: &'static str = concat!("stagewright ", env!("CARGO_PKG_VERSION"));
}

impl Target {
    /// Images with the default names, written by two threads.
    pub fn images(folder: PathBuf, frames: RangeInclusive<u64>) -> Target {
        let (names, about) = (Names::default(), About::default());
        Target {
            folder,
            frames: frames.into(),
            names,
            kind: Kind::Image,
            layers: Vec::new(),
            settings: Settings::default(),
            threads: 2,
            about,
            log: written::Log::default(),
        }
    }

    /// Gives a complete file its name, after it has been added to the list of the folder. Anything of the name is replaced, even a
    /// symbolic link.
    ///
    /// # Errors
    /// Why it cannot be renamed; the temporary file is removed then.
    pub(super) fn publish(&self, temporary: write::Temporary, path: &Path) -> Result<(), ExportError> {
        let size = temporary.as_file().metadata().map(|about| about.len());
        let listed = size.and_then(|size| self.log.add(path, size));
        listed.map_err(|error| ExportError::file(Action::Write, path, &error))?;
        write::rename(temporary, path).map_err(|error| ExportError::file(Action::Rename, path, &error))
    }

    /// Frames per second of a movie of these frames.
    pub fn fps(&self) -> f64 {
        self.about.fps / self.frames.step() as f64
    }

    /// Creates a folder and its parents. A symbolic link in its place is an error.
    ///
    /// # Errors
    /// Why it cannot be created.
    pub fn create_folder(folder: &Path) -> Result<(), ExportError> {
        write::create_folder(folder).map_err(|error| ExportError::file(Action::CreateFolder, folder, &error))
    }
}

/// A computed frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Counted from 1.
    pub index: u64,
    /// Simulated time at its end \[s\].
    pub time: f64,
    /// What is written.
    pub content: Content,
}

impl Frame {
    /// # Errors
    /// An image whose pixels do not fit its size.
    pub(super) fn check(&self) -> Result<(), ExportError> {
        let Content::Image(Image { width, height, rgba }) = &self.content else { return Ok(()) };
        let index = self.index;
        let width = *width;
        let height = *height;
        let bytes = rgba.len();
        let cells = usize::try_from(u64::from(width) * u64::from(height)).ok();
        if cells.and_then(|cells| cells.checked_mul(4)) != Some(bytes) || bytes == 0 {
            return Err(ExportError::Size { index, width, height, bytes });
        }
        Ok(())
    }

    /// Host memory that it takes \[bytes\].
    pub(super) fn bytes(&self) -> usize {
        match &self.content {
            Content::Image(image) => image.rgba.len(),
            Content::Layers(layers) => layers.iter().map(Layer::bytes).sum(),
        }
    }

    /// The pixels of an image.
    ///
    /// # Errors
    /// A frame of something else.
    pub(super) fn image(&self) -> Result<&Image, String> {
        match &self.content {
            Content::Image(image) => Ok(image),
            Content::Layers(_) => Err("the format takes images alone".into()),
        }
    }

    /// The values of wires.
    ///
    /// # Errors
    /// A frame of something else.
    pub(super) fn layers(&self) -> Result<&[Layer], String> {
        match &self.content {
            Content::Layers(layers) => Ok(layers),
            Content::Image(_) => Err("the format takes values of wires, and no images of 8 bits".into()),
        }
    }
}

/// The contents of a frame.
#[derive(Clone, Debug)]
pub enum Content {
    /// Pixels of 8 bits a channel.
    Image(Image),
    /// Values of wires, for one file.
    Layers(Vec<Layer>),
}

/// Files in a folder with the names of files that an export writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Files of exactly these names.
    pub files: Vec<PathBuf>,
    /// Files whose names differ from them by case only, which some systems take for the same.
    pub alike: Vec<PathBuf>,
}

impl Present {
    /// Looks through a folder. `name` is the name that the export gives to the file which an entry of this name, in whatever case, would
    /// be; `None` for all other entries. Folders are left out.
    ///
    /// # Errors
    /// A folder that is there and cannot be read.
    pub fn find(folder: &Path, name: impl Fn(&str) -> Option<String>) -> io::Result<Present> {
        let mut present = Present::default();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(present),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let found = entry.file_name();
            let Some((found, name)) = found.to_str().and_then(|found| Some((found, name(found)?))) else { continue };
            if !entry.file_type()?.is_dir() {
                let list = if found == name { &mut present.files } else { &mut present.alike };
                list.push(entry.path());
            }
        }
        Ok(present)
    }

    /// Finds files of these names in a folder.
    ///
    /// # Errors
    /// As [`Present::find`].
    pub fn find_names(folder: &Path, names: &[String]) -> io::Result<Present> {
        Present::find(folder, |found| {
            let folded = portable::folded(found);
            names.iter().find(|name| portable::folded(name) == folded).cloned()
        })
    }
}

/// Checksums of the files of a series by frame. A table that is written again and again has several.
pub(super) type Sums = BTreeMap<u64, Vec<String>>;

/// The record of a running export.
#[derive(Clone, Debug)]
pub(super) struct Journal(Arc<Mutex<File>>);

impl Journal {
    /// Goes on at the end of a file.
    pub(super) fn new(file: File) -> Journal {
        Journal(Arc::new(Mutex::new(file)))
    }
}

/// Where a sink notes which files it writes, and what is odd in them.
#[derive(Clone, Debug, Default)]
pub struct Log {
    journal: Option<(Journal, usize)>,
    remarks: Arc<Remarks>,
}

impl Log {
    /// The log of one of the series of a record.
    pub(super) fn new(journal: Journal, series: usize, remarks: Arc<Remarks>) -> Log {
        Log { journal: Some((journal, series)), remarks }
    }

    /// Notes a file that is about to get its name.
    ///
    /// # Errors
    /// The record can't be written.
    pub(super) fn file(&self, frame: u64, sum: &str, path: &Path) -> Result<(), ExportError> {
        let Some((Journal(file), series)) = &self.journal else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{series} {frame} {sum}\n");
        file.write_all(line.as_bytes()).map_err(|error| ExportError::file(Action::Write, path, &error))
    }

    /// Notes values that are no numbers, or that the file can't hold.
    pub(super) fn count_odd(&self, frame: &Frame, half: bool) {
        if let Content::Layers(layers) = &frame.content {
            self.remarks.count(frame.index, layers, half);
        }
    }
}

/// Writes the frames of one export. [`sequence::Sequence`](super::sequence::Sequence) implements it for formats with
/// one file a frame.
///
/// The export holds the lock of the folder while it calls `begin`, `write` and `finish`. A sink writes to
/// temporary names ([`files::write::temporary`](crate::files::write::temporary)) and renames files that are complete
/// with `Target::publish`, so that a killed process leaves no partial file under a final name. When dropped before `finish`, it completes what
/// was started and leaves no temporary file.
pub trait FrameSink {
    /// The names of its files in one line for display: `frame.0001.png to frame.0240.png`.
    fn names(&self) -> String;

    /// The file that a frame is written to.
    fn path(&self, frame: u64) -> PathBuf;

    /// The frames that a record lists and whose files are as it says, those outside of the range too. `frames` are those of the export that
    /// wrote them. Reads each file and changes nothing.
    fn kept(&self, frames: &Frames, sums: &Sums) -> BTreeSet<u64>;

    /// The number of frames of the range that have a file which a record does not list.
    ///
    /// # Errors
    /// A folder that cannot be read.
    fn unlisted(&self, sums: &Sums) -> io::Result<u64> {
        if sums.is_empty() { self.present() } else { Ok(0) }
    }

    /// The number of frames of the range that have a file, whatever it contains: those that `remove` would delete.
    ///
    /// # Errors
    /// A folder that cannot be read.
    fn present(&self) -> io::Result<u64>;

    /// Which of the files that it would write are there, whatever they contain.
    ///
    /// # Errors
    /// A folder that cannot be read.
    fn files(&self) -> io::Result<Present>;

    /// Deletes files of the range's frames, which are not of this export. Returns how many.
    ///
    /// # Errors
    /// A file that cannot be deleted.
    fn remove(&mut self) -> io::Result<u64>;

    /// Whether a file of all frames can be extended by others.
    fn is_table(&self) -> bool {
        false
    }

    /// Prepares for writing frames besides those that are kept, which are not changed. Each file is noted in `log` before it gets its name.
    ///
    /// # Errors
    /// Threads that cannot be started, files that cannot be created.
    fn begin(&mut self, kept: &BTreeSet<u64>, log: Log) -> Result<(), ExportError>;

    /// Writes the next of the frames that are not kept. Frames come in order. Blocks while too many are unfinished.
    ///
    /// # Errors
    /// Content that does not fit the format, or the error of an earlier frame; from then on every call fails.
    fn write(&mut self, frame: Frame) -> Result<(), ExportError>;

    /// Waits until every frame is written. Returns how many were written since `begin`.
    ///
    /// # Errors
    /// The first error of a frame; frames after it are missing.
    fn finish(&mut self) -> Result<u64, ExportError>;

    /// Makes sure that the files are on disk, so that a crash of the system loses none of them.
    fn sync(&self);
}

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Creating the folder.
    CreateFolder,
    /// Writing a file.
    Write,
    /// Renaming the temporary file.
    Rename,
    /// Starting a thread that writes.
    StartThread,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::CreateFolder => "create the folder",
            Action::Write => "write",
            Action::Rename => "rename the temporary file to",
            Action::StartThread => "start a thread that writes",
        })
    }
}

/// Why frames cannot be written, in one sentence with the path and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// An operation on a file failed.
    #[error("cannot {action} {}: {message}; {}", .path.display(), remedy(*.kind))]
    File {
        /// The operation.
        action: Action,
        /// The file or folder.
        path: PathBuf,
        /// The kind of the operating system's error.
        kind: io::ErrorKind,
        /// The operating system's error.
        message: String,
    },
    /// A frame whose pixels do not match its size.
    #[error(
        "frame {index} is {width} x {height} but has {bytes} bytes of pixels; it needs width x height x 4, and no side of 0"
    )]
    Size {
        /// Number of the frame.
        index: u64,
        /// \[pixels\]
        width: u32,
        /// \[pixels\]
        height: u32,
        /// Bytes of its pixels.
        bytes: usize,
    },
    /// The image format rejects the frame.
    #[error("frame {index} cannot be encoded for {}: {message}; choose another format or size", .path.display())]
    Encode {
        /// Number of the frame.
        index: u64,
        /// The file.
        path: PathBuf,
        /// The encoder's error.
        message: String,
    },
    /// A file of all frames that can't be begun or completed.
    #[error("cannot write {}: {message}", .path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// Why, with what to do.
        message: String,
    },
    /// The threads that write frames have ended.
    #[error("the threads that write {} have stopped; start the export again", .folder.display())]
    Stopped {
        /// The folder of the frames.
        folder: PathBuf,
    },
}

impl ExportError {
    /// An error that the system reported for a file or folder.
    pub fn file(action: Action, path: &Path, error: &io::Error) -> ExportError {
        let message = error.to_string();
        // The name of a temporary file says nothing.
        let message = message.split(" at path ").next().unwrap_or_default().to_string();
        ExportError::File { action, path: path.into(), kind: error.kind(), message }
    }
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "there is no space left: free some or choose another folder"
        }
        io::ErrorKind::PermissionDenied => "there is no permission to write: change it or choose another folder",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only: choose another folder",
        io::ErrorKind::NotFound => "the folder is not there: create it and export again",
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "a file has the folder's name: choose another folder"
        }
        io::ErrorKind::InvalidInput => "name the folder itself, or choose another one",
        io::ErrorKind::IsADirectory => "a folder has the frame's name: remove it or choose another folder",
        _ => "check the disk or choose another folder",
    }
}
