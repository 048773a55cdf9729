//! Measurements of the last frames.

/// Number of frames that are kept.
const WINDOW: usize = 30;

/// Times of the last frames \[ms\]: one row of equal length a frame.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// Ring buffer of rows; the oldest is overwritten.
    rows: Vec<f32>,
    width: usize,
    frames: u64,
}

/// Mean and range of a time over the last frames \[ms\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// \[ms\]
    pub mean: f64,
    /// \[ms\]
    pub min: f64,
    /// \[ms\]
    pub max: f64,
}

impl Recent {
    /// No frames yet, of this many times each.
    pub fn new(width: usize) -> Recent {
        Recent { rows: Vec::new(), width, frames: 0 }
    }

    /// Adds a frame. Missing values are zero.
    pub fn push(&mut self, row: impl Iterator<Item = f32>) {
        let at = (self.frames % WINDOW as u64) as usize * self.width;
        if self.rows.len() < at + self.width {
            self.rows.resize(at + self.width, 0.0);
        }
        let places = self.rows.iter_mut().skip(at).take(self.width);
        places.zip(row.chain(std::iter::repeat(0.0))).for_each(|(place, ms)| *place = ms);
        self.frames += 1;
    }

    /// Number of frames added since the start; only the last 30 are kept.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The times of a frame, counted from 0; empty where it has not arrived yet or is no longer kept.
    pub fn row(&self, frame: u64) -> &[f32] {
        if frame >= self.frames || frame + (WINDOW as u64) < self.frames {
            return &[];
        }
        let at = (frame % WINDOW as u64) as usize * self.width;
        self.rows.get(at..at + self.width).unwrap_or_default()
    }

    /// The last frame; empty before there is one.
    pub fn last(&self) -> &[f32] {
        self.frames.checked_sub(1).map_or(&[], |frame| self.row(frame))
    }

    /// Number of times in a frame.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The mean of each time.
    pub fn means(&self) -> Vec<f64> {
        let count = self.frames.min(WINDOW as u64) as f64;
        let mut means = vec![0.0; self.width];
        for frame in self.rows.chunks_exact(self.width.max(1)) {
            means.iter_mut().zip(frame).for_each(|(mean, ms)| *mean += f64::from(*ms) / count);
        }
        means
    }

    /// Mean and range of one of the times.
    pub fn spread(&self, column: usize) -> Spread {
        self.sum(std::iter::once(column))
    }

    /// Mean and range of the sum of several times.
    pub fn sum(&self, columns: impl Iterator<Item = usize> + Clone) -> Spread {
        let frames = self.rows.chunks_exact(self.width.max(1));
        let count = frames.len();
        let sum = |row: &[f32]| columns.clone().filter_map(|c| row.get(c)).map(|ms| f64::from(*ms)).sum::<f64>();
        let mut spread = Spread { mean: 0.0, min: f64::INFINITY, max: 0.0 };
        for ms in frames.map(sum) {
            spread.mean += ms / count as f64;
            spread.min = spread.min.min(ms);
            spread.max = spread.max.max(ms);
        }
        if count == 0 { Spread::default() } else { spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frames_count_and_older_ones_are_forgotten() {
        let mut recent = Recent::new(2);
        assert_eq!((recent.spread(0), recent.last()), (Spread::default(), &[][..]));
        recent.push([1000.0, 1000.0].into_iter());
        (0..WINDOW).for_each(|i| recent.push([i as f32, 1.0].into_iter()));
        assert_eq!(recent.frames(), WINDOW as u64 + 1);
        assert_eq!(recent.last(), [WINDOW as f32 - 1.0, 1.0]);
        assert_eq!((recent.row(1), recent.row(0), recent.row(31)), (&[0.0, 1.0][..], &[][..], &[][..]));
        let Spread { mean, min, max } = recent.spread(0);
        assert!((mean - 14.5).abs() < 1e-9 && min == 0.0 && max == 29.0, "{mean} {min} {max}");
        assert_eq!(recent.means().len(), 2);
        assert!((recent.means()[0] - 14.5).abs() < 1e-9 && (recent.means()[1] - 1.0).abs() < 1e-9);
        assert!((recent.sum(0..2).mean - 15.5).abs() < 1e-9);
        assert_eq!(recent.sum(0..2).max, 30.0);
    }
}
