//! The colours of an image on the cells of a domain.
//!
//! A cell gets the weighted mean of the pixels around its centre, in linear light. Weights are a tent: linear interpolation
//! where pixels are larger than cells, and a mean over two cells where they are smaller, so that nothing flickers.

use std::ops::Range;

use super::grid::AssetGrid;
use super::placement::Placement;
use super::{Cause, Phase, Work};
use crate::formats::numbers::finite;
use crate::formats::pixels::{Pixels, Stored};
use crate::formats::warnings::not_finite;
use crate::graph::{Domain, ImageFit};

/// # Errors
/// No memory for the cells; cancelling.
pub(super) fn colors(
    pixels: &Pixels,
    fit: ImageFit,
    linear: bool,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<AssetGrid, Cause> {
    let [width, height, _] = domain.resolution.map(|n| n as usize);
    let [across, up] = axes(pixels, fit, placement, domain);
    let mut values = Vec::new();
    values.try_reserve_exact(4 * width * height).map_err(|_| Cause::Cells)?;
    work.begin(Phase::Measuring, height as u64)?;
    let light = Light::new(pixels, linear);
    let mut strange = 0usize;
    for rows in &up {
        for columns in &across {
            // Light of large numbers that are taken as sRGB may be beyond what 32 bits hold.
            values.extend(light.mean(columns, rows).map(|number| finite(number as f32, &mut strange)));
        }
        work.go_on(1)?;
    }
    let seen = across.iter().any(|cell| cell.covered > 0.0) && up.iter().any(|cell| cell.covered > 0.0);
    let mut warnings = Vec::new();
    if !seen {
        warnings.push("the image lies outside the domain; move its center".into());
    }
    warnings.extend(not_finite(strange, "the cells' numbers"));
    Ok(AssetGrid { values, warnings, frames: None })
}

/// The pixels along an axis that a cell is made of.
struct Cell {
    /// The first of them.
    first: usize,
    /// Weights of the pixels, which add up to 1.
    weights: Vec<f64>,
    /// How much of the cell the image covers.
    covered: f64,
}

impl Cell {
    /// Pixels inside a range, with their weights.
    fn within(&self, range: &Range<usize>) -> impl Iterator<Item = (usize, f64)> {
        let first = self.first.max(range.start);
        let weights = self.weights.iter().skip(first - self.first);
        (first..range.end).zip(weights.copied())
    }
}

/// The cells along x and y.
fn axes(pixels: &Pixels, fit: ImageFit, placement: &Placement, domain: &Domain) -> [Vec<Cell>; 2] {
    let cell = domain.cell_size;
    let count = [pixels.width, pixels.height];
    let extent = [0, 1].map(|axis: usize| domain.resolution.get(axis).map_or(0.0, |n| f64::from(*n) * cell));
    // The pixel that fills the domain along each axis \[m\].
    let filling = [0, 1].map(|axis: usize| extent[axis] / count[axis] as f64);
    let (pixel, center) = match *placement {
        Placement::Fit { center: [x, y, _], size } => {
            let edge = if size > 0.0 { size / count[0] as f64 } else { cell };
            ([edge; 2], [x, y])
        }
        Placement::InPlace => {
            let pixel = match fit {
                ImageFit::Cover => [filling[0].max(filling[1]); 2],
                ImageFit::Contain => [filling[0].min(filling[1]); 2],
                ImageFit::Stretch => filling,
            };
            (pixel, extent.map(|e| e / 2.0))
        }
    };
    [0, 1].map(|axis: usize| {
        let start = center[axis] - count[axis] as f64 * pixel[axis] / 2.0;
        let cells = domain.resolution.get(axis).copied().unwrap_or(0);
        (0..cells).map(|i| covering(f64::from(i) * cell - start, cell, pixel[axis], count[axis])).collect()
    })
}

/// A number without what rounding has added to a whole number.
fn whole(number: f64) -> f64 {
    if (number - number.round()).abs() < 1e-9 { number.round() } else { number }
}

/// The pixels below a cell that begins at this place in the image \[m\].
fn covering(begin: f64, cell: f64, pixel: f64, count: usize) -> Cell {
    // In pixels.
    let begin = begin / pixel;
    let wide = cell / pixel;
    let last = count as f64;
    let covered = ((begin + wide).min(last) - begin.max(0.0)).max(0.0) / wide;
    // What rounding leaves of a cell is none of the image.
    if covered < 1e-9 {
        return Cell { first: 0, weights: vec![], covered: 0.0 };
    }
    // A cell at the border shows the pixels next to it. One that is a pixel but for rounding has its numbers, to the bit.
    let middle = whole(begin + wide / 2.0 - 0.5).clamp(0.0, last - 1.0) + 0.5;
    let reach = whole(wide).max(1.0);
    let first = (middle - reach - 0.5).ceil().max(0.0) as usize;
    let end = ((middle + reach - 0.5).floor() as usize).min(count - 1);
    let weight = |i: usize| (1.0 - (i as f64 + 0.5 - middle).abs() / reach).max(0.0);
    let mut weights: Vec<f64> = (first..=end).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    Cell { first, weights, covered: if covered > 1.0 - 1e-9 { 1.0 } else { covered } }
}

/// Pixels as linear light.
struct Light<'a> {
    pixels: &'a Pixels,
    linear: bool,
    /// Values by the stored whole number.
    values: Vec<f64>,
}

/// Light of a value that is stored as sRGB (IEC 61966-2-1).
fn light(v: f64) -> f64 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

impl Light<'_> {
    fn new(pixels: &Pixels, linear: bool) -> Light<'_> {
        let most = f64::from(pixels.most());
        let value = |stored: u16| {
            let v = f64::from(stored) / most;
            if linear { v } else { light(v) }
        };
        Light { pixels, linear, values: (0..=pixels.most()).map(value).collect() }
    }

    fn value(&self, stored: Stored) -> f64 {
        match stored {
            Stored::Whole(whole) => self.values.get(usize::from(whole)).copied().unwrap_or(0.0),
            Stored::Float(float) if self.linear => float.into(),
            Stored::Float(float) => light(float.into()),
        }
    }

    /// Weighted mean of pixels: red, green, blue, and alpha. Colours count as much as they are opaque.
    fn mean(&self, columns: &Cell, rows: &Cell) -> [f64; 4] {
        let covered = columns.covered * rows.covered;
        if covered <= 0.0 {
            return [0.0; 4];
        }
        let (pixels, alpha) = (self.pixels, self.pixels.alpha());
        let most = f64::from(pixels.most());
        let opacity = |stored: Stored| match stored {
            Stored::Whole(whole) => f64::from(whole) / most,
            Stored::Float(float) => f64::from(float).clamp(0.0, 1.0),
        };
        // Where all are transparent, their colours count equally.
        let mut sum = [0.0; 3];
        let mut plain = [0.0; 3];
        let mut opaque = 0.0;
        let mut sampled = 0.0;
        let [across, up] = pixels.sampled();
        for (y, row) in rows.within(&up) {
            for (x, column) in columns.within(&across) {
                let weight = row * column;
                sampled += weight;
                let seen = alpha.map_or(1.0, |a| opacity(pixels.stored(x, y, a)));
                opaque += weight * seen;
                for c in 0..3 {
                    let channel = if pixels.channels < 3 { 0 } else { c };
                    let light = self.value(pixels.stored(x, y, channel));
                    sum[c] += weight * seen * light;
                    plain[c] += weight * light;
                }
            }
        }
        // Pixels without samples are black, and transparent where others may be.
        if alpha.is_none() && across.len() * up.len() < pixels.width * pixels.height {
            opaque += f64::max(1.0 - sampled, 0.0);
        }
        let [r, g, b] = if opaque > 0.0 { sum.map(|s| s / opaque) } else { plain };
        [r, g, b, opaque * covered]
    }
}
