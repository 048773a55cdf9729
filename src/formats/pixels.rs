//! Pixels, as a file has them.

use std::ops::Range;

use half::f16;

use super::error::Cause;
use super::limits::MAX_PIXELS;

/// An image.
pub struct Pixels {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples of a pixel: grey, grey and alpha, RGB, or RGB and alpha.
    pub channels: usize,
    /// The pixels that there are samples of; the others are 0.
    pub window: Window,
    /// The samples of the window.
    pub samples: Samples,
}

/// A rectangle of pixels: the left and top edge, and the size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// First column.
    pub left: i64,
    /// First row.
    pub top: i64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Window {
    /// The pixels of both; none where they lie apart.
    pub(crate) fn overlap(self, other: Window) -> Window {
        let along = |[a, b]: [i64; 2], [m, n]: [usize; 2]| {
            let (low, high) = (a.max(b), (a + m as i64).min(b + n as i64));
            (low, usize::try_from(high - low).unwrap_or(0))
        };
        let (left, width) = along([self.left, other.left], [self.width, other.width]);
        let (top, height) = along([self.top, other.top], [self.height, other.height]);
        Window { left, top, width, height }
    }
}

/// The samples of an image, top row first.
pub enum Samples {
    /// A byte a sample.
    Bytes(Vec<u8>),
    /// Two bytes a sample, big-endian.
    Words(Vec<u8>),
    /// Linear light, multiplied by the alpha where there is one.
    Floats(Vec<f32>),
    /// Linear light in 16 bits, multiplied by the alpha where there is one.
    Halves(Vec<f16>),
}

/// A sample as stored.
#[derive(Clone, Copy)]
pub enum Stored {
    /// A whole number from 0 to [`Pixels::most`].
    Whole(u16),
    /// Linear light.
    Float(f32),
}

impl Pixels {
    /// An image whose samples are those of all its pixels.
    pub(crate) fn new(width: usize, height: usize, channels: usize, samples: Samples) -> Pixels {
        Pixels { width, height, channels, window: Window { left: 0, top: 0, width, height }, samples }
    }

    /// Sample of a channel as the file stores it; `y` counts rows from the bottom. Floats are finite and not multiplied by alpha: 0 in place of others.
    pub fn stored(&self, x: usize, y: usize, channel: usize) -> Stored {
        let Window { left, top, width, .. } = self.window;
        let row = (self.height - 1 - y) as i64 - top;
        let column = usize::try_from(x as i64 - left).ok().filter(|column| *column < width);
        let pixel = column.and_then(|column| Some(usize::try_from(row).ok()?.checked_mul(width)? + column));
        // No sample is there.
        let index = pixel.map_or(usize::MAX, |pixel| pixel * self.channels + channel);
        match &self.samples {
            Samples::Bytes(data) => Stored::Whole(data.get(index).map_or(0, |b| u16::from(*b))),
            Samples::Words(data) => {
                let word = index.checked_mul(2).and_then(|index| data.get(index..)?.first_chunk());
                Stored::Whole(word.map_or(0, |b| u16::from_be_bytes(*b)))
            }
            Samples::Floats(_) | Samples::Halves(_) => {
                let alpha = self.alpha().filter(|alpha| *alpha != channel);
                let alpha = alpha.map_or(1.0, |alpha| self.float(index.saturating_add(alpha - channel)));
                let straight = if alpha > 0.0 { self.float(index) / alpha } else { self.float(index) };
                Stored::Float(if straight.is_finite() { straight } else { 0.0 })
            }
        }
    }

    /// A float as it is in the file, 0 where it is not finite.
    fn float(&self, index: usize) -> f32 {
        let number = match &self.samples {
            Samples::Floats(data) => data.get(index).copied(),
            Samples::Halves(data) => data.get(index).map(|half| half.to_f32()),
            Samples::Bytes(_) | Samples::Words(_) => None,
        };
        number.filter(|number| number.is_finite()).unwrap_or(0.0)
    }

    /// The columns that there are samples of, and the rows from the bottom.
    pub fn sampled(&self) -> [Range<usize>; 2] {
        let Window { left, top, width, height } = self.window;
        let (left, top) = (usize::try_from(left).unwrap_or(0), usize::try_from(top).unwrap_or(0));
        let bottom = self.height.saturating_sub(top + height);
        [left..left + width, bottom..bottom + height]
    }

    /// The largest whole value that can be stored.
    pub fn most(&self) -> u16 {
        if let Samples::Words(_) = self.samples { u16::MAX } else { u16::from(u8::MAX) }
    }

    /// The channel of the alpha.
    pub fn alpha(&self) -> Option<usize> {
        matches!(self.channels, 2 | 4).then_some(self.channels - 1)
    }

    /// Sample of a channel, from 0 to 1.
    pub fn sample(&self, x: usize, y: usize, channel: usize) -> f32 {
        match self.stored(x, y, channel) {
            Stored::Whole(whole) => f32::from(whole) / f32::from(self.most()),
            Stored::Float(float) => float.clamp(0.0, 1.0),
        }
    }

    /// Weights of ITU-R BT.709.
    pub fn luma(&self, x: usize, y: usize) -> f32 {
        let sample = |channel| self.sample(x, y, channel);
        match self.channels {
            1 | 2 => sample(0),
            _ => 0.2126 * sample(0) + 0.7152 * sample(1) + 0.0722 * sample(2),
        }
    }
}

/// Rejects too many pixels before memory is allocated for them.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), Cause> {
    if u64::from(width) * u64::from(height) > MAX_PIXELS { Err(Cause::Pixels(width, height)) } else { Ok(()) }
}
