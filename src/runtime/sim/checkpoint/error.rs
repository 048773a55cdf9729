//! Why a checkpoint can't be written, read or used.

use std::path::PathBuf;

use crate::printable::name;

/// Why a checkpoint can't be written, read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The operating system's error.
    #[error("the checkpoint {} can't be {doing}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `written` or `read`.
        doing: &'static str,
        /// The error.
        cause: String,
    },
    /// The file is of another kind.
    #[error("{} is not a checkpoint of Stagewright: {}; give a file that `render --checkpoint-every` or the editor has saved", .path.display(), name(.cause))]
    Other {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// A part does not match its hash.
    #[error("the checkpoint {} is damaged: {} does not match its hash; use an earlier one", .path.display(), name(.part))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part.
        part: String,
    },
    /// Another version of the format.
    #[error("the checkpoint {} was written by {} in another format; {remedy}", .path.display(), name(.program))]
    Version {
        /// The file.
        path: PathBuf,
        /// Name and version of the program.
        program: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The checkpoint has other contents than the graph can take.
    #[error("the checkpoint {} does not fit the graph: {}; use one that this graph has written", .path.display(), name(.cause))]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        cause: String,
    },
    /// NaN or infinity in a State.
    #[error("the checkpoint {} holds NaN or infinity in {states}; {remedy}", .path.display())]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The States.
        states: String,
        /// What to do, with the last sound checkpoint of the folder.
        remedy: String,
    },
}
