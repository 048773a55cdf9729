//! The index of a cache: the wires that its frames hold and what they depend on; names and limits of its files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::numbered::Numbered;

/// Version of the format.
pub(super) const VERSION: u32 = 2;
/// The file with the index.
pub(super) const INDEX: &str = "index.json";
/// The frames.
pub(super) const FRAMES: Numbered = Numbered { prefix: "frame", extension: "bake" };
/// Checkpoints beside the frames, from which a bake continues. They are of another format, and belong to the cache: they are
/// removed with it.
pub const STATES: Numbered = Numbered { prefix: "state", extension: "safetensors" };
/// Limit of the index \[bytes\].
pub(super) const MAX_INDEX: u64 = 64 << 20;
/// Limit of parts in a frame.
pub(super) const MAX_PARTS: usize = 10_000;

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
    pub(super) fn continues(&self, other: &Index) -> bool {
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
    pub(super) fn begin(&self) -> u64 {
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
    /// Maximum of particles; 0 for other wires.
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
