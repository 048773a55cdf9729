//! What is exported, and where to.

use std::io;
use std::path::{Path, PathBuf};

use super::checkpoints::Checkpoints;
use super::error::JobError;
use super::frames::Frames;
use super::item::Item;
use super::record::RECORD;
use super::sink::{About, FrameSink, Target};
use super::subject::plan_options;
use crate::files::Access;
use crate::files::written::{Log, Written};
use crate::plan::PlanOptions;

/// Most threads that encode frames.
const MAX_THREADS: usize = 32;

/// What to export, and where to.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// Frames that are written. Earlier ones are computed too, since each frame depends on the one before.
    pub frames: Frames,
    /// Size of the images \[pixels\]; that of the Output when `None`.
    pub size: Option<(u32, u32)>,
    /// What is written, all in one pass.
    pub items: Vec<Item>,
    /// Folder for the files; created if it does not exist.
    pub folder: PathBuf,
    /// Keep the frames that exports with the same inputs have written, and write those that are missing.
    pub resume: bool,
    /// Replace files that are there and that no export has written; with `resume`, those that are not of this export. Otherwise such files are
    /// an error.
    pub overwrite: bool,
    /// Which checkpoints are written into the folder.
    pub checkpoints: Option<Checkpoints>,
    /// Compute no more of frames that are not written than others depend on. Not for callers that read images or wires after each frame.
    pub unseen: bool,
}

impl Export {
    /// Every frame from 1 to `last`, to new files in a folder.
    pub fn new(folder: impl Into<PathBuf>, last: u64, items: Vec<Item>) -> Export {
        Export {
            frames: Frames::new(1..=last, 1),
            size: None,
            items,
            folder: folder.into(),
            resume: false,
            overwrite: false,
            checkpoints: None,
            unseen: true,
        }
    }

    /// The options to compile the plan with, for a graph that may read these files.
    pub fn plan_options(&self, access: &Access) -> PlanOptions {
        let options = plan_options(self.items.iter().map(|item| &item.subject), self.size);
        // Checkpoints hold all cells, so that every plan can go on from them.
        let pools = self.checkpoints.is_none() && self.frames.first() <= 1 && !self.resume;
        PlanOptions { folder: access.folder.clone(), allow_files: access.anywhere, pools, ..options }
    }

    /// Whether the frames fill the sheets of all flipbooks.
    ///
    /// # Errors
    /// The numbers that do not fit, and those that do.
    pub fn check(&self) -> Result<(), JobError> {
        let flipbooks = self.items.iter().filter(|item| !item.format.beside.is_empty());
        flipbooks
            .map(|item| item.settings.sheet.layout(&self.frames))
            .try_for_each(|layout| layout.map(drop))
            .map_err(JobError::Sheet)
    }

    /// The first file that a frame goes to.
    pub fn path(&self, frame: u64) -> PathBuf {
        self.sinks(&About::default(), &Logs::default())
            .first()
            .map_or_else(|| self.folder.clone(), |sink| sink.path(frame))
    }

    /// The names of the files in one line: `frame.0001.png to frame.0240.png`.
    pub fn names(&self) -> String {
        let names: Vec<String> =
            self.sinks(&About::default(), &Logs::default()).iter().map(|sink| sink.names()).collect();
        names.join(", ")
    }

    /// The folders that it writes to, its own first.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.folder.clone()];
        for folder in self.items.iter().map(|item| self.folder.join(&item.folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// The sinks of all items.
    pub(super) fn sinks(&self, about: &About, logs: &Logs) -> Vec<Box<dyn FrameSink>> {
        // The simulation needs a core. Two threads keep up with small images.
        let cores = std::thread::available_parallelism().map_or(2, usize::from).saturating_sub(1);
        let threads = (cores.min(MAX_THREADS) / self.items.len().max(1)).max(2);
        let sink = |item: &Item| {
            let folder = self.folder.join(&item.folder);
            (item.format.open)(Target {
                log: logs.log(&folder),
                folder,
                frames: self.frames,
                names: item.names.clone(),
                kind: item.kind,
                layers: item.layers(),
                settings: item.settings,
                threads,
                about: about.clone(),
            })
        };
        self.items.iter().map(sink).collect()
    }

    pub(super) fn fault(&self, error: &io::Error) -> JobError {
        JobError::Record { path: self.record_path(), cause: error.to_string() }
    }

    /// The record of the export.
    fn record_path(&self) -> PathBuf {
        self.folder.join(RECORD)
    }
}

/// Lists of the files in the folders of an export, which its sinks add to.
#[derive(Clone, Debug, Default)]
pub(super) struct Logs(Vec<(PathBuf, Log)>);

impl Logs {
    /// Goes on with the lists of the export's folders. Call this while holding their locks.
    ///
    /// # Errors
    /// A folder that can't be written.
    pub(super) fn begin(export: &Export) -> io::Result<Logs> {
        let begin = |folder: PathBuf| Ok((folder.clone(), Log::begin(&folder, &Written::read(&folder))?));
        export.folders().into_iter().map(begin).collect::<io::Result<_>>().map(Logs)
    }

    /// The list of a folder.
    pub(super) fn log(&self, folder: &Path) -> Log {
        self.0.iter().find(|(path, _)| path == folder).map(|(_, log)| log.clone()).unwrap_or_default()
    }

    /// Sorts the lists.
    pub(super) fn finish(&self) {
        self.0.iter().for_each(|(folder, _)| Log::finish(folder));
    }
}
