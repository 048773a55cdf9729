//! Files of a folder that are numbered by frame: `frame.0042.bake`.

use std::path::{Path, PathBuf};

/// Limit of frame numbers: over 38 days at 30 frames a second.
pub const MAX_FRAME: u64 = 99_999_999;

/// How files that belong together are named: a prefix, the frame with at least four digits, and an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// What names begin with.
    pub prefix: &'static str,
    /// Extension of the files, without a dot.
    pub extension: &'static str,
}

impl Numbered {
    /// The file of a frame.
    pub fn path(&self, folder: &Path, frame: u64) -> PathBuf {
        folder.join(format!("{}.{frame:04}.{}", self.prefix, self.extension))
    }

    /// Frames with a file in a folder, in order, and the size of each \[bytes\].
    pub fn present(&self, folder: &Path) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let middle = || name.to_str()?.strip_prefix(self.prefix)?.strip_suffix(self.extension);
            let number = || middle()?.strip_prefix('.')?.strip_suffix('.')?.parse::<u64>().ok();
            // Only the name that a frame is given.
            let Some(frame) = number().filter(|frame| entry.path() == self.path(folder, *frame)) else { continue };
            found.push((frame, entry.metadata().map_or(0, |about| about.len())));
        }
        found.sort_unstable();
        found
    }
}
