//! Data types for what the compiler proves about a stage's text.

use super::header::Radius;

/// A stage's text with an iteration budget in each loop that is not proven finite, and whether there is no such loop.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// The text with budgets.
    pub source: String,
    /// Whether no loop needs a budget.
    pub finite: bool,
}

/// The cells around the computed one at which an input is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Radius that no read exceeds along any axis.
    pub radius: Radius,
    /// Cells on either side along each axis. Where a parameter is the radius: 1 for axes that it applies to, otherwise
    /// 0.
    pub along: [u32; 3],
    /// Whether the text proves it; otherwise accessors enforce it.
    pub proven: bool,
    /// Whether at least half of these cells are read; assumed where the text does not prove it.
    pub dense: bool,
}

impl Footprint {
    /// Whether a cell is read so many times that loading it once for all readers is faster.
    pub fn is_wide(&self) -> bool {
        let wide = match self.radius {
            Radius::Cells(_) => self.along.iter().any(|cells| *cells > 1),
            Radius::Param(_) => self.along.iter().any(|axis| *axis > 0),
        };
        wide && self.dense
    }

    /// Cells on either side along each axis, where the parameter has the value `limit`.
    pub fn cells(&self, limit: u32) -> [u32; 3] {
        match self.radius {
            Radius::Cells(_) => self.along,
            Radius::Param(_) => self.along.map(|axis| axis * limit),
        }
    }
}
