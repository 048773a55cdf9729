//! Frames and values as places on the screen.

use eframe::egui::{Pos2, Rect, Vec2, pos2, vec2};

use crate::panes::view::ticks;

/// Length of a handle \[points\].
pub(super) const REACH: f32 = 44.0;
/// Height of the strip at the top in which the playhead is dragged \[points\].
pub(super) const RULER: f32 = 16.0;

/// Frames and values that are in sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sight {
    pub frames: (f64, f64),
    pub values: (f64, f64),
}

/// Least number of frames, and of the range of values in relation to their size, that fill the plot.
const LEAST: (f64, f64) = (4.0, 1e-9);
/// Part of the range that is added on each side.
const MARGIN: (f64, f64) = (0.06, 0.12);

impl Sight {
    /// A view of points with some room around them.
    pub(super) fn around(points: impl Iterator<Item = (f64, f64)>) -> Sight {
        let (mut low, mut high) = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        for (frame, value) in points.filter(|(frame, value)| frame.is_finite() && value.is_finite()) {
            low = (low.0.min(frame), low.1.min(value));
            high = (high.0.max(frame), high.1.max(value));
        }
        if low.0 > high.0 {
            return Sight { frames: (0.0, 60.0), values: (0.0, 1.0) };
        }
        let wide = |low: f64, high: f64, least: f64, margin: f64| {
            let range = (high - low).max(least);
            let middle = 0.5 * (low + high);
            (middle - (0.5 + margin) * range, middle + (0.5 + margin) * range)
        };
        let size = low.1.abs().max(high.1.abs());
        let least = if high.1 > low.1 { LEAST.1 * size } else { (0.5 * size).max(1e-3) };
        Sight {
            frames: wide(low.0, high.0, 2.0 * LEAST.0, MARGIN.0),
            values: wide(low.1, high.1, least.max(1e-30), MARGIN.1),
        }
    }

    /// Zoomed around a point; a factor below 1 shows less.
    pub(super) fn zoomed(self, (frame, value): (f64, f64), by: (f64, f64)) -> Sight {
        let around = |(low, high): (f64, f64), at: f64, by: f64, least: f64, most: f64| {
            let by = by.clamp(least / (high - low), most / (high - low));
            (at + (low - at) * by, at + (high - at) * by)
        };
        let size = self.values.0.abs().max(self.values.1.abs());
        Sight {
            frames: around(self.frames, frame, by.0, LEAST.0, 1e9),
            values: around(self.values, value, by.1, (LEAST.1 * size).max(1e-30), 1e38),
        }
    }
}

/// Maps keys to positions of the pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub rect: Rect,
    pub sight: Sight,
}

impl Plot {
    /// Points of a frame and of a value of 1; y points down.
    fn scale(&self) -> (f64, f64) {
        let ((left, right), (low, high)) = (self.sight.frames, self.sight.values);
        (f64::from(self.rect.width()) / (right - left), f64::from(self.rect.height()) / (high - low))
    }

    pub(super) fn position_of(&self, (frame, value): (f64, f64)) -> Pos2 {
        let (sx, sy) = self.scale();
        let (x, y) = ((frame - self.sight.frames.0) * sx, (self.sight.values.1 - value) * sy);
        // Far outside, so that lines that leave the plot keep their direction.
        let bound = |x: f64| if x.is_finite() { x.clamp(-1e5, 1e5) as f32 } else { 0.0 };
        pos2(self.rect.left() + bound(x), self.rect.top() + bound(y))
    }

    pub(super) fn frame(&self, x: f32) -> f64 {
        self.sight.frames.0 + f64::from(x - self.rect.left()) / self.scale().0
    }

    pub(super) fn value(&self, y: f32) -> f64 {
        self.sight.values.1 - f64::from(y - self.rect.top()) / self.scale().1
    }

    /// The direction of a slope on the screen, to the right.
    pub(super) fn direction(&self, slope: f64) -> Vec2 {
        let (sx, sy) = self.scale();
        let steep = (slope * sy / sx).clamp(-1e6, 1e6) as f32;
        vec2(1.0, -steep).normalized()
    }

    /// A value without digits that the screen does not show, where a height of 1 is this range of values.
    pub(super) fn rounded(&self, value: f64, range: f64) -> f64 {
        let grain = 10_f64.powf((0.5 * range / self.scale().1).log10().floor());
        let rounded = (value / grain).round() * grain;
        format!("{rounded:.9e}").parse().unwrap_or(rounded)
    }

    /// A number of frames without such digits.
    pub(super) fn rounded_frame(&self, frame: f64, between: bool) -> f64 {
        if between { (frame * 100.0).round() / 100.0 } else { frame.round() }
    }

    /// Multiples of round numbers along both axes, each with their step.
    pub(super) fn ticks(&self) -> [(Vec<f64>, f64); 2] {
        let (frames, values) = (self.sight.frames, self.sight.values);
        let count = |length: f32, each: f32| f64::from((length / each).max(1.0));
        [
            ticks::linear(frames.0, frames.1, count(self.rect.width(), 70.0), 1.0),
            ticks::linear(values.0, values.1, count(self.rect.height(), 36.0), 0.0),
        ]
    }
}
