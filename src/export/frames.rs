//! Which frames are written.

use std::ops::RangeInclusive;

/// The frames of a range, or one in so many of them from the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    first: u64,
    last: u64,
    every: u64,
}

impl From<RangeInclusive<u64>> for Frames {
    fn from(range: RangeInclusive<u64>) -> Frames {
        Frames::new(range, 1)
    }
}

impl Frames {
    /// One in `every` frames of a range, from its first on. With 0, all of them.
    pub fn new(range: RangeInclusive<u64>, every: u64) -> Frames {
        Frames { first: *range.start(), last: *range.end(), every: every.max(1) }
    }

    /// The same range with another step.
    #[must_use]
    pub fn every(self, every: u64) -> Frames {
        Frames::new(self.range(), every)
    }

    /// The range that they are in.
    pub fn range(&self) -> RangeInclusive<u64> {
        self.first..=self.last
    }

    /// The first one.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The last one that is written; the range may end after it.
    pub fn last(&self) -> u64 {
        self.at(self.count().saturating_sub(1))
    }

    /// Frames from one that is written to the next.
    pub fn step(&self) -> u64 {
        self.every
    }

    /// How many are written.
    pub fn count(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.first).div_ceil(self.every)
    }

    /// The one after so many others.
    pub fn at(&self, index: u64) -> u64 {
        self.first.saturating_add(index.saturating_mul(self.every))
    }

    /// Whether a frame is written.
    pub fn contains(&self, frame: u64) -> bool {
        self.range().contains(&frame) && (frame - self.first).is_multiple_of(self.every)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<> {
        let frames = *self;
        (0..frames.count()).map(move |index| frames.at(index))
    }

    /// Those after a frame. The step counts from the first as before.
    #[must_use]
    pub fn after(&self, frame: u64) -> Frames {
        let skipped = (frame + 1).saturating_sub(self.first).div_ceil(self.every);
        Frames { first: self.at(skipped), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_three_is_counted_from_the_first() {
        let frames = Frames::new(2..=9, 3);
        assert_eq!(frames.iter().collect::<Vec<_>>(), [2, 5, 8]);
        assert_eq!((frames.count(), frames.last(), frames.at(1)), (3, 8, 5));
        let within: Vec<u64> = (0..12).filter(|frame| frames.contains(*frame)).collect();
        assert_eq!(within, [2, 5, 8]);
        let after = |frame| frames.after(frame).iter().collect::<Vec<_>>();
        assert_eq!(
            (after(0), after(1), after(2), after(4), after(5)),
            (vec![2, 5, 8], vec![2, 5, 8], vec![5, 8], vec![5, 8], vec![8])
        );
        assert_eq!(Frames { first: 5, last: 4, every: 1 }.count(), 0, "an empty range");
    }
}
