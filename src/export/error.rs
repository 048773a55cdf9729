//! Errors of exports.

use std::path::PathBuf;

use super::sink::ExportError;
use crate::problem::{Problem, Problems};
use crate::sim::saver::SaveError;

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// Errors of the graph, of its files, or of the GPU.
    #[error("{0}")]
    Graph(#[from] Problems),
    /// The files cannot be written.
    #[error(transparent)]
    Files(#[from] ExportError),
    /// The GPU did not finish a frame in time.
    #[error("the GPU did not respond; lower the size or the resolution, or update the driver")]
    Gpu,
    /// A frame range that is empty or starts at 0.
    #[error("invalid frame range {first}-{last}: first must be at least 1 and must not exceed last")]
    Frames {
        /// First frame.
        first: u64,
        /// Last frame.
        last: u64,
    },
    /// Frames that do not fill the sheet of a flipbook.
    #[error("{0}")]
    Sheet(String),
    /// Files in the folder that are not of the export to be resumed.
    #[error("{there}; give --overwrite to replace them, or another --out to keep them")]
    Others {
        /// How many there are, where, and what differs.
        there: String,
    },
    /// The record of the export cannot be written.
    #[error("{} can't be written: {cause}; choose another folder", .path.display())]
    Record {
        /// The record's file.
        path: PathBuf,
        /// The operating system's error.
        cause: String,
    },
    /// A checkpoint can't be written.
    #[error(transparent)]
    Checkpoint(#[from] SaveError),
    /// A simulation that stands after the first frame.
    #[error("frame {first} is not after frame {present}, which the checkpoint holds; give --frames from {} on", .present + 1)]
    Past {
        /// First frame of the export.
        first: u64,
        /// The present frame.
        present: u64,
    },
    /// Files with the names of the export's files that no export has written.
    #[error(
        "{}{} there and {} written by an export; choose another folder, or give --overwrite to replace {}",
        .path.display(),
        match .others { 0 => " is".to_string(), 1 => " and another file are".to_string(), count => format!(" and {count} other files are") },
        if *.others == 0 { "was not" } else { "were not" },
        if *.others == 0 { "it" } else { "them" }
    )]
    Taken {
        /// The first file.
        path: PathBuf,
        /// How many others there are.
        others: usize,
    },
    /// Another export writes into the same folder.
    #[error("another export is writing into {}; wait until it is done, or choose another folder", .folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The export was cancelled before its first frame.
    #[error("the export was cancelled before its first frame")]
    Cancelled,
    /// The operating system's error when a thread was started.
    #[error("no thread can be started for the export: {0}")]
    Thread(String),
}

impl From<Problem> for JobError {
    fn from(problem: Problem) -> JobError {
        JobError::Graph(problem.into())
    }
}
