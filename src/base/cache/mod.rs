//! Frames of wires on disk: a folder with an index and a file for each frame, compressed, from which any frame is read
//! at once.
//!
//! - `index.json` says which wires a frame holds, how each is stored, and what they depend on ([`Index`]).
//! - `frame.NNNN.bake` is a frame. It begins with `SWBAKE`, a zero and the version; then follow the SHA-256 of all bytes after it, the
//!   hash of the cache that the frame belongs to ([`Index::identity`]), the number of the frame, the simulated time at its end (bits of a
//!   64-bit float), the number of parts (32 bits), and for each part its words, its compressed bytes and how many of its numbers are NaN
//!   or infinite. All are little-endian, of 64 bits where nothing else is said. Then the parts follow.
//! - A part is the memory of a wire, in words of 32 bits. The first bytes of all words come first, then the second ones and
//!   so on, which makes floats compressible; the result is one zstd frame with a checksum.
//!
//! - `state.NNNN.safetensors` is a checkpoint ([`STATES`]): all States after a frame, from which a bake continues.
//!
//! A file is written under another name first, so that a frame is there as a whole or not at all.

mod ahead;
mod codec;
mod frame;
mod read;
mod verify;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::numbered::Numbered;
pub use ahead::ReadAhead;
pub use frame::Frame;
pub use read::Cache;
pub use write::{Kept, Writer, remove};

/// Version of the format.
const VERSION: u32 = 2;
/// The file with the index.
const INDEX: &str = "index.json";
/// The frames.
const FRAMES: Numbered = Numbered { prefix: "frame", extension: "bake" };
/// Checkpoints beside the frames, from which a bake continues. They are of another format, and belong to the cache: they are
/// removed with it.
pub const STATES: Numbered = Numbered { prefix: "state", extension: "safetensors" };
/// Limit of the index \[bytes\].
const MAX_INDEX: u64 = 64 << 20;
/// Limit of parts in a frame.
const MAX_PARTS: usize = 10_000;

/// What a cache holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// Version of the format.
    pub version: u32,
    /// Name and version of the program that wrote it.
    pub program: String,
    /// The adapter that computed it; others may round differently.
    pub adapter: String,
    /// The first frame.
    pub first: u64,
    /// The last frame that was asked for.
    pub last: u64,
    /// What each frame holds.
    pub wires: Vec<BakedWire>,
    /// All that the wires depend on: name and value, as text.
    pub depends: BTreeMap<String, String>,
}

impl Index {
    /// An index of this version of the program.
    pub fn new(
        adapter: &str,
        (first, last): (u64, u64),
        wires: Vec<BakedWire>,
        depends: BTreeMap<String, String>,
    ) -> Index {
        let program = format!("stagewright {}", env!("CARGO_PKG_VERSION"));
        Index { version: VERSION, program, adapter: adapter.into(), first, last, wires, depends }
    }

    /// Whether both are of the same bake, as far as the last frame of the shorter one.
    fn continues(&self, other: &Index) -> bool {
        *self == Index { last: self.last, ..other.clone() }
    }

    /// The parts of all wires, in the order of a frame's file.
    pub fn parts(&self) -> impl Iterator<Item = &BakedPart> {
        self.wires.iter().flat_map(|wire| &wire.parts)
    }

    /// A hash of all that the frames hold and depend on: all but the last frame, since a longer bake continues a shorter one.
    pub fn identity(&self) -> [u8; 32] {
        let parts = (self.version, &self.program, &self.adapter, self.first, &self.wires, &self.depends);
        // Plain data, which always has a text.
        Sha256::digest(serde_json::to_vec(&parts).unwrap_or_default()).into()
    }

    /// The parts with their wires, in the order of a frame's file.
    pub fn placed(&self) -> impl Iterator<Item = (&BakedWire, &BakedPart)> {
        self.wires.iter().flat_map(|wire| wire.parts.iter().map(move |part| (wire, part)))
    }

    /// Memory of a frame at most \[bytes\].
    pub fn frame_bytes(&self) -> u64 {
        self.parts().fold(0, |sum: u64, part| sum.saturating_add(part.words.saturating_mul(4)))
    }

    /// Whether the cache has a State: then it also holds what the first frame starts from.
    pub fn has_state(&self) -> bool {
        self.wires.iter().any(|wire| wire.state)
    }

    /// The first frame with a file.
    fn begin(&self) -> u64 {
        self.first.saturating_sub(u64::from(self.has_state()))
    }
}

/// A wire in a cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BakedWire {
    /// `node.port`; of a State its node.
    pub name: String,
    /// Whether the wire is a State, whose readers find the value of the frame before.
    pub state: bool,
    /// Most particles; 0 for other wires.
    pub capacity: u32,
    /// A grid and a number have one; particles have one for the count and one for each attribute.
    pub parts: Vec<BakedPart>,
}

/// A part of a wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BakedPart {
    /// Empty for a whole wire, `count`, or the name of an attribute.
    pub name: String,
    /// Type, size and precision, as text. Caches are played where they are the same.
    pub stored: String,
    /// Words of 32 bits: as many, or for an attribute of particles as many for the live ones.
    pub words: u64,
    /// Kind of the part's numbers.
    #[serde(default)]
    pub numbers: Numbers,
}

/// What the words of a part are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// Whole numbers.
    #[default]
    Whole,
    /// Floats of 32 bits.
    Single,
    /// Two floats of 16 bits a word.
    Half,
}

impl Numbers {
    /// How many of them are NaN or infinite.
    pub fn not_finite(self, words: &[u32]) -> u64 {
        let bad = |bits: u32, exponent: u32| u64::from(bits & exponent == exponent);
        match self {
            Numbers::Whole => 0,
            Numbers::Single => words.iter().map(|word| bad(*word, 0x7f80_0000)).sum(),
            Numbers::Half => words.iter().map(|word| bad(*word, 0x7c00) + bad(*word, 0x7c00_0000)).sum(),
        }
    }
}

/// Why a cache can't be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// There is no cache.
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

#[cfg(test)]
mod tests;
