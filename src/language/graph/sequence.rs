//! Values that files give frame by frame.

use serde::{Deserialize, Serialize};

/// Files that are numbered by frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    /// The number of the file in the first frame; the lowest one that there is when `None`.
    pub first: Option<u64>,
    /// What is shown beyond the files.
    pub beyond: Beyond,
}

/// What a sequence shows before its first file and after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Beyond {
    /// The first or the last file, held.
    Hold,
    /// The sequence again.
    Loop,
    /// Nothing: the run ends with an error.
    Error,
}
