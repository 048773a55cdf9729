//! Files on disk: the one place that opens what others name, and the one place that writes.
//!
//! [`read`] opens regular files only, up to a limit, and says which of them a graph may name. [`write`] never writes through a link or
//! under a name that somebody else could have put there first.

pub mod read;
pub mod write;

pub use read::{Access, ReadError};

/// The largest graph file, group file or recording of inputs \[bytes\].
pub const MAX_GRAPH: u64 = 64 << 20;
/// The largest stage file \[bytes\].
pub const MAX_STAGE: u64 = 1 << 20;

/// A named pipe, which nobody writes to.
#[cfg(all(test, unix))]
pub fn make_pipe(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, mknodat};
    mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap();
}
