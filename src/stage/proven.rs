//! What the compiler proves of a stage's text, as data.

use super::header::Radius;

/// A stage's text with a budget in each loop that is not proven to end, and whether there is none.
#[derive(Clone, Debug)]
pub struct Bounded {
    pub source: String,
    pub finite: bool,
}

/// The cells around the computed one that an input is read at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// No read is farther along any axis.
    pub radius: Radius,
    /// Cells on either side along each axis; where a parameter is the radius, whether it goes along the axis (1) or not (0).
    pub along: [u32; 3],
    /// Whether the text proves it; else accessors enforce it.
    pub proven: bool,
    /// Whether at least half of these cells are read; assumed where the text does not prove it.
    pub dense: bool,
}

impl Footprint {
    /// Whether a cell is read by so many others that loading it once for all of them pays.
    pub fn is_wide(&self) -> bool {
        let wide = match self.radius {
            Radius::Cells(_) => self.along.iter().any(|cells| *cells > 1),
            Radius::Param(_) => self.along.iter().any(|axis| *axis > 0),
        };
        wide && self.dense
    }

    /// Cells on either side along each axis, where a parameter says `limit`.
    pub fn cells(&self, limit: u32) -> [u32; 3] {
        match self.radius {
            Radius::Cells(_) => self.along,
            Radius::Param(_) => self.along.map(|axis| axis * limit),
        }
    }
}
