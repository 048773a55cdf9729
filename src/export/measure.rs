//! How large the files of a running export become.

use std::path::PathBuf;

/// Frames that may still be encoded while the ones before are there.
const BEHIND: usize = 40;

/// Size of the files of the newest of so many frames that is complete \[bytes\]; `None` where none is. `paths` gives the files of a frame
/// by its place.
pub(super) fn frame_bytes(count: u64, paths: impl Fn(u64) -> Vec<PathBuf>) -> Option<f64> {
    let length = |frame: u64| {
        let lengths = paths(frame).into_iter().map(|path| std::fs::metadata(path).ok().map(|file| file.len()));
        lengths.sum::<Option<u64>>().map(|bytes| bytes as f64)
    };
    (0..count).rev().take(BEHIND).find_map(length)
}
