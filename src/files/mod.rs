//! File access: the only module that opens files named by others, and the only one that writes files.
//!
//! [`mod@read`] opens only regular files, up to a size limit, and decides which files a graph may name. [`mod@write`]
//! never writes through a link or to a name that somebody else could have created first.

pub mod read;
pub mod scratch;
pub mod write;

pub use read::{Access, ReadError};

/// Size limit of graph files, group files and input recordings \[bytes\].
pub const MAX_GRAPH: u64 = 64 << 20;
/// Size limit of stage files \[bytes\].
pub const MAX_STAGE: u64 = 1 << 20;

/// Creates a named pipe that nobody writes to.
#[cfg(all(test, unix))]
pub fn make_pipe(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, mknodat};
    mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap();
}
