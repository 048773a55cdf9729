//! Counts that kernels keep about the sums of scatter ports. They follow the alarms in the same buffer: for each port
//! first the counts, which are read back, then for all ports two bits a cell that mark where something went wrong.

use serde::{Deserialize, Serialize};

use crate::stage::types::Scalar;

/// Words in front of those of the components: cells whose sum left its range, cells to which NaN or infinity was added,
/// the largest sum that left its range \[steps, an `f32`\], the largest sum that did not \[steps\].
pub const HEAD_WORDS: u32 = 4;

/// A port that adds to a grid, and what is counted about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScatterCheck {
    /// Path of the node.
    pub node: String,
    /// Name of the port.
    pub port: String,
    /// Whether it adds to particles instead of cells.
    #[serde(default)]
    pub of_particles: bool,
    /// Fraction bits; `None` where integers are added.
    pub bits: Option<u32>,
    /// How sums are stored.
    pub scalar: Scalar,
    /// Components of a cell.
    pub components: u32,
    /// Number of cells.
    pub cells: u64,
}

impl ScatterCheck {
    /// Words of its counts: after the head, for each component what was added and what of it became zero, in 256ths of
    /// a step of 64 bits, from the sampled invocations.
    pub fn count_words(&self) -> u32 {
        HEAD_WORDS + self.bits.map_or(0, |_| 4 * self.components)
    }

    fn mark_words(&self) -> u64 {
        self.cells.div_ceil(16)
    }
}

/// Where the counts of each port begin, where its marks begin, and the total number of words.
pub struct Places {
    /// First word of each port's counts.
    pub counts: Vec<u32>,
    /// First word of each port's marks.
    pub marks: Vec<u64>,
    /// Alarms and counts, which are read back.
    pub head: u64,
    /// Number of words.
    pub all: u64,
}

impl Places {
    /// The layout for this number of alarms and these ports.
    pub fn new(alarms: usize, checks: &[ScatterCheck]) -> Places {
        let mut at = alarms as u64;
        let mut next = |words: u64| {
            let before = at;
            at += words;
            before
        };
        let counts: Vec<u32> = checks.iter().map(|check| next(u64::from(check.count_words())) as u32).collect();
        let head = next(0);
        let marks = checks.iter().map(|check| next(check.mark_words())).collect();
        Places { counts, marks, head, all: next(0) }
    }
}
