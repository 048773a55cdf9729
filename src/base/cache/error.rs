//! Why a cache can't be written or read.

use std::path::PathBuf;

/// Why a cache can't be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The folder holds no cache.
    #[error("there is no cache in {}; bake it first", .0.display())]
    Missing(PathBuf),
    /// The operating system's error.
    #[error("{} can't be {doing}: {cause}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// `written` or `read`.
        doing: &'static str,
        /// The error, and what to do.
        cause: String,
    },
    /// The file is of another kind, or damaged.
    #[error("{} is damaged: {cause}; bake it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// Another version of the format.
    #[error("{} was written by {program} in another format; {remedy}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Name and version of the program.
        program: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Frames that were baked, but not this one.
    #[error("frame {frame} is not in the cache {}; bake it again", .path.display())]
    Frame {
        /// The folder.
        path: PathBuf,
        /// The frame.
        frame: u64,
    },
    /// A file that no bake has written has the name of one of a cache.
    #[error("{} is there and was not written by a bake; choose another folder, or remove the file", .0.display())]
    Foreign(PathBuf),
    /// Another process writes into the folder.
    #[error("another bake is writing into {}; wait until it is done, or choose another folder", .0.display())]
    Locked(PathBuf),
}
