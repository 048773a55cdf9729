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

    /// The range with another step.
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
        self.nth(self.count().saturating_sub(1))
    }

    /// Frames from one that is written to the next.
    pub fn step(&self) -> u64 {
        self.every
    }

    /// The number of a written frame in the names of files. With a step, numbers are consecutive: those that the frame has at the lower rate,
    /// so that parts of a range have the numbers of the whole.
    pub fn number(&self, frame: u64) -> u64 {
        if self.every == 1 { frame } else { frame.saturating_sub(1) / self.every + 1 }
    }

    /// The frame with a number; it may be outside of the range.
    pub fn of_number(&self, number: u64) -> Option<u64> {
        if self.every == 1 {
            return Some(number);
        }
        number.checked_sub(1)?.checked_mul(self.every)?.checked_add(1 + self.phase())
    }

    /// Frames between the first one of the simulation and the first of this step.
    fn phase(&self) -> u64 {
        self.first.saturating_sub(1) % self.every
    }

    /// Whether equal frames have equal numbers in both.
    pub fn fits(&self, other: &Frames) -> bool {
        (self.every, self.phase()) == (other.every, other.phase())
    }

    /// How many are written.
    pub fn count(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.first).div_ceil(self.every)
    }

    /// The one after so many others.
    pub fn nth(&self, index: u64) -> u64 {
        self.first.saturating_add(index.saturating_mul(self.every))
    }

    /// Whether a frame is written.
    pub fn contains(&self, frame: u64) -> bool {
        self.range().contains(&frame) && (frame - self.first).is_multiple_of(self.every)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<> {
        let frames = *self;
        (0..frames.count()).map(move |index| frames.nth(index))
    }

    /// The frames after a frame. The step counts from the first as before.
    #[must_use]
    pub fn after(&self, frame: u64) -> Frames {
        let skipped = (frame + 1).saturating_sub(self.first).div_ceil(self.every);
        Frames { first: self.nth(skipped), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_three_is_counted_from_the_first() {
        let frames = Frames::new(2..=9, 3);
        assert_eq!(frames.iter().collect::<Vec<_>>(), [2, 5, 8]);
        assert_eq!((frames.count(), frames.last(), frames.nth(1)), (3, 8, 5));
        let within: Vec<u64> = (0..12).filter(|frame| frames.contains(*frame)).collect();
        assert_eq!(within, [2, 5, 8]);
        let after = |frame| frames.after(frame).iter().collect::<Vec<_>>();
        assert_eq!(
            (after(0), after(1), after(2), after(4), after(5)),
            (vec![2, 5, 8], vec![2, 5, 8], vec![5, 8], vec![5, 8], vec![8])
        );
        assert_eq!(frames.iter().map(|frame| frames.number(frame)).collect::<Vec<_>>(), [1, 2, 3]);
        for frames in [frames, Frames::new(0..=9, 1), Frames::new(100..=240, 2), Frames::new(7..=7, 10_000)] {
            assert!(frames.iter().all(|frame| frames.of_number(frames.number(frame)) == Some(frame)), "{frames:?}");
            assert!(frames.iter().zip(frames.iter().skip(1)).all(|(a, b)| frames.number(a) + 1 == frames.number(b)));
            let rest = frames.after(frames.first());
            assert!(rest.fits(&frames) && rest.iter().all(|frame| rest.number(frame) == frames.number(frame)));
        }
        assert!(!Frames::new(1..=9, 2).fits(&Frames::new(2..=9, 2)) && frames.of_number(0).is_none());
        assert!(frames.of_number(u64::MAX).is_none());
        assert_eq!(Frames { first: 5, last: 4, every: 1 }.count(), 0, "an empty range");
    }
}
