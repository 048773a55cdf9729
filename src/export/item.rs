//! A series of files of an export.

use std::path::PathBuf;

use super::names::Names;
use super::settings::Settings;
use super::sink::{Format, Kind, Target};
use super::subject::{ExportSubject, Part, Source};

/// One series of files.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What the files show.
    pub subject: ExportSubject,
    /// Which files are written.
    pub format: &'static Format,
    /// What the format is asked to hold; one of [`Format::takes`].
    pub kind: Kind,
    /// Folder of the files, below that of the export.
    pub folder: PathBuf,
    /// Names of the files.
    pub names: Names,
    /// Settings of the format.
    pub settings: Settings,
}

impl Item {
    /// Images with the default names.
    pub fn images(subject: ExportSubject, format: &'static Format) -> Item {
        let folder = PathBuf::new();
        let names = Names::default();
        let settings = Settings::default();
        Item { subject, format, kind: Kind::Image, folder, names, settings }
    }

    /// Values of a grid, named `node.port`, with the default names. `kind` is one of those that the format takes.
    pub fn grid(wire: &str, kind: Kind, format: &'static Format) -> Item {
        let part = Part { name: wire.into(), unit: String::new(), source: Source::Grid(wire.into()) };
        Item { kind, ..Item::images(ExportSubject::Values(vec![part]), format) }
    }

    /// Names of the values in a file.
    pub(super) fn layers(&self) -> Vec<String> {
        match &self.subject {
            ExportSubject::Values(parts) => parts.iter().map(|part| part.name.clone()).collect(),
            ExportSubject::Output(_) | ExportSubject::Wire(_) => Vec::new(),
        }
    }

    /// The file that a frame goes to, below the folder of the export.
    pub(super) fn path(&self, frame: u64) -> PathBuf {
        let images = Target::images(self.folder.clone(), 1..=1);
        (self.format.open)(Target { names: self.names.clone(), kind: self.kind, ..images }).path(frame)
    }
}
