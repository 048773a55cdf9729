//! How the points of a sound or a table become a number for each frame.

use super::Cause;
pub use crate::formats::Loudness;
use crate::formats::limits::MAX_TRACK;

/// How a file becomes a number for each frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Frames per second of the graph.
    pub fps: f64,
    /// What a frame of a sound gets.
    pub loudness: Loudness,
    /// The time in which the number comes near a higher value, all but 1/e of the way \[s\]; 0 follows at once.
    pub attack: f64,
    /// The time in which the number comes near a lower value, all but 1/e of the way \[s\]; 0 follows at once.
    pub release: f64,
}

impl Timing {
    /// The values at whole frames: straight lines between points of frame and value, the first one before them, and the last
    /// one in the frame that it lies in. Then they rise and fall as slowly as is wanted.
    ///
    /// # Errors
    /// More than a million frames.
    pub(super) fn frames(&self, points: &[(f64, f64)]) -> Result<Vec<f32>, Cause> {
        let last = points.last().map_or(0.0, |(at, _)| at.max(0.0));
        if last.is_nan() || last >= MAX_TRACK as f64 {
            return Err(Cause::Parts("frames", MAX_TRACK));
        }
        let mut next = 0;
        let straight = (0..=last as u64).map(|frame| {
            let frame = frame as f64;
            while points.get(next).is_some_and(|(at, _)| *at <= frame) {
                next += 1;
            }
            match (next.checked_sub(1).and_then(|before| points.get(before)), points.get(next)) {
                (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (frame - x0) / (x1 - x0),
                (Some((_, only)), None) | (None, Some((_, only))) => *only,
                (None, None) => 0.0,
            }
        });
        let part = |time: f64| if time > 0.0 { 1.0 - (-1.0 / (time * self.fps)).exp() } else { 1.0 };
        let (rise, fall) = (part(self.attack), part(self.release));
        let mut followed = None;
        let follow = |value: f64| {
            let before = followed.unwrap_or(value);
            let now = before + (value - before) * if value > before { rise } else { fall };
            followed = Some(now);
            now as f32
        };
        Ok(straight.map(follow).collect())
    }
}

/// The fewest points that straight lines between them need to be nowhere farther than `tolerance` from the given ones
/// (Ramer 1972, Douglas and Peucker 1973, with distances along the values alone).
pub fn simplified(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    let mut kept = vec![false; points.len()];
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let (Some((x0, y0)), Some((x1, y1))) = (points.get(from), points.get(to)) else { continue };
        kept[from] = true;
        kept[to] = true;
        let apart = |(x, y): &(f64, f64)| (y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))).abs();
        let between = points.iter().enumerate().take(to).skip(from + 1);
        let farthest = between.map(|(index, point)| (index, apart(point))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((index, distance)) = farthest
            && distance > tolerance
        {
            open.extend([(from, index), (index, to)]);
        }
    }
    points.iter().zip(kept).filter_map(|(point, kept)| kept.then_some(*point)).collect()
}
