//! File access: the only module that opens files named by others, and the only one that writes files.
//!
//! [`mod@read`] opens only regular files, up to a size limit, and decides which files a graph may name. [`mod@write`]
//! never writes through a link or to a name that somebody else could have created first. [`mod@written`] lists the files of exports.
//! [`numbered`] names files by frame, and [`mod@portable`] says which names every system can have.

pub mod numbered;
pub mod portable;
pub mod read;
pub mod scratch;
pub mod space;
pub mod write;
pub mod written;

pub use read::{Access, ReadError};

/// Size limit of graph files, group files and input recordings \[bytes\].
pub const MAX_GRAPH: u64 = 64 << 20;
/// Size limit of stage files \[bytes\].
pub const MAX_STAGE: u64 = 1 << 20;

/// Space on the disk of a folder, or of the nearest folder around it that exists, that this user can still write to
/// \[bytes\]; `None` where the system does not tell.
pub fn free_space(folder: &std::path::Path) -> Option<u64> {
    let there =
        folder.ancestors().map(|path| if path.as_os_str().is_empty() { std::path::Path::new(".") } else { path });
    let there = there.into_iter().find(|path| path.is_dir())?;
    #[cfg(unix)]
    return rustix::fs::statvfs(there).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    #[cfg(not(unix))]
    return {
        let _ = there;
        None
    };
}
