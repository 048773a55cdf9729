//! Counts that kernels keep about the sums of scatter ports. They lie behind the alarms, in the same buffer: for each port first the counts,
//! which are read back, then for all ports two bits a cell that mark where something went wrong.

use serde::{Deserialize, Serialize};

use super::Plan;
use crate::stage::Stage;
use crate::stage::header::{Direction, Port, Scatter};
use crate::stage::types::{Element, PortType, Scalar, ValueType};

/// Words before those of the components: cells whose sum left its range, cells to which no number was added, the largest sum that left its
/// range \[steps, an `f32`\], the largest sum that did not \[steps\].
pub const HEAD_WORDS: u32 = 4;

/// WGSL that notes a cell where something is wrong. Two bits a cell say what, so that a cell counts once. `_kind`: 1 the sum left its range,
/// 2 no number was added.
pub const WRONG: &str = "fn _wrong(_counts: i32, _marks: i32, _at: i32, _kind: u32, _size: f32) {
    let _bit = _kind << (2u * (u32(_at) & 15u));
    if ((atomicOr(&_alarms[_marks + (_at >> 4u)], _bit) & _bit) == 0u) { atomicAdd(&_alarms[_counts + i32(_kind) - 1], 1u); }
    let _bits = bitcast<u32>(abs(_size));
    if (_bits > atomicLoad(&_alarms[_counts + 2])) { atomicMax(&_alarms[_counts + 2], _bits); }
}
";

/// A port that adds to a grid, and what is counted about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScatterCheck {
    pub node: String,
    pub port: String,
    /// Fraction bits; absent where whole numbers are added.
    pub bits: Option<u32>,
    pub scalar: Scalar,
    pub components: u32,
    pub cells: u64,
}

impl ScatterCheck {
    /// Words of its counts: behind the head, for each component what was added and what of it became zero, in 256ths of a step of
    /// 64 bits, of the sampled invocations.
    pub fn count_words(&self) -> u32 {
        HEAD_WORDS + self.bits.map_or(0, |_| 4 * self.components)
    }

    fn mark_words(&self) -> u64 {
        self.cells.div_ceil(16)
    }
}

/// Where the counts of each port begin, where its marks do, and how many words there are, counts and marks of all.
pub struct Places {
    pub counts: Vec<u32>,
    pub marks: Vec<u64>,
    /// Alarms and counts: what is read back.
    pub head: u64,
    pub all: u64,
}

impl Places {
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

impl Plan {
    /// Where the counts about scatter ports lie.
    pub fn scatter_places(&self) -> Places {
        Places::new(self.alarms.len(), &self.scatters)
    }
}

/// Whether the sums of a port are checked. Those of a stage that adds ones to a grid of zeros can't leave 32 bits.
pub fn checked(stage: &Stage, port: &Port) -> bool {
    let whole = match port.ty {
        PortType::Grid(element) => matches!(element, Element::Fixed(ValueType::I32 | ValueType::U32)),
        _ => false,
    };
    let counts = whole && port.direction == Direction::Out && stage.counts(&port.name);
    matches!(port.scatter, Some(Scatter::Sum(_))) && !counts
}
