//! How long an export takes: frames that are written take longer than those between.

use std::collections::VecDeque;
use std::time::Instant;

/// Number of last frames of each kind that times are averaged over.
const OVER: usize = 30;

/// Times of the last frames.
pub(super) struct Pace {
    last: Instant,
    /// Times of all frames, of those that are not written, and of those that are \[s\].
    times: [VecDeque<f64>; 3],
}

/// The time that remains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Left {
    /// \[s\]
    pub seconds: f64,
    /// No frame has been written yet, so it takes longer.
    pub at_least: bool,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Pace {
        Pace { last: now, times: Default::default() }
    }

    /// Notes the time since the last frame.
    pub(super) fn frame(&mut self, written: bool, now: Instant) {
        let took = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        for kind in [0, 1 + usize::from(written)] {
            let Some(times) = self.times.get_mut(kind) else { continue };
            times.push_back(took);
            if times.len() > OVER {
                times.pop_front();
            }
        }
    }

    fn mean(&self, kind: usize) -> Option<f64> {
        let times = self.times.get(kind).filter(|times| !times.is_empty())?;
        Some(times.iter().sum::<f64>() / times.len() as f64)
    }

    /// Frames per second.
    pub(super) fn rate(&self) -> Option<f64> {
        self.mean(0).filter(|seconds| *seconds > 0.0).map(f64::recip)
    }

    /// Time of a frame that is not written, and of one that is \[s\].
    pub(super) fn seconds(&self) -> [Option<f64>; 2] {
        [self.mean(1), self.mean(2)]
    }

    /// The time of so many frames that are not written, and so many that are.
    pub(super) fn left(&self, [unseen, written]: [u64; 2]) -> Option<Left> {
        let any = self.mean(0)?;
        let [short, long] = self.seconds();
        let seconds = unseen as f64 * short.unwrap_or(any) + written as f64 * long.unwrap_or(any);
        Some(Left { seconds, at_least: written > 0 && long.is_none() })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn frames_that_are_written_count_with_their_own_time() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        assert_eq!(pace.left([3, 4]), None);
        let mut now = start;
        let mut frames = |pace: &mut Pace, written: bool, seconds: f64| {
            for _ in 0..40 {
                now += Duration::from_secs_f64(seconds);
                pace.frame(written, now);
            }
        };
        frames(&mut pace, false, 0.125);
        assert_eq!(pace.left([8, 4]), Some(Left { seconds: 1.5, at_least: true }));
        frames(&mut pace, true, 0.5);
        assert_eq!(pace.left([8, 4]), Some(Left { seconds: 3.0, at_least: false }));
        assert_eq!(pace.rate(), Some(2.0), "over the last ones");
    }
}
