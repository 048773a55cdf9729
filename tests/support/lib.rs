//! What several test programs share: seeds of random tests, small graphs, random edits of them, a renderer for windows,
//! changed checkpoints and cache frames, and JPEG files.

pub mod fixture;
pub mod forge;
pub mod jpeg;
pub mod random_edits;
pub mod renderer;
pub mod seed;

/// Creates a named pipe that nobody writes to.
#[cfg(unix)]
pub fn make_pipe(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, mknodat};
    mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap();
}
