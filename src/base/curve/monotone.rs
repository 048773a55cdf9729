//! Curves over 0..1: the monotone cubic through points, and its table of samples.

use super::points::{SAMPLES, Unfit, check_places, check_value, place, segment};

/// A function of 0..1, given by points.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Curve {
    /// (t, value), in the order of t.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The value at t. Zero without points. A curve that [`Curve::check`] rejects gives some number or NaN.
    pub fn at(&self, t: f64) -> f64 {
        monotone(&self.points, t)
    }

    /// Checks that there are points, sorted by t, inside 0..1, with finite values of at most 1e38 inside `low..high`.
    ///
    /// # Errors
    /// The first error and its remedy.
    pub fn check(&self, (low, high): (Option<f64>, Option<f64>)) -> Result<(), Unfit> {
        check_places(self.points.iter().map(|(t, _)| *t), "curve", "point (t, value)")?;
        for (index, (_, value)) in self.points.iter().enumerate() {
            let point = format!("point {} of the curve has the value {value}", index + 1);
            check_value(*value, &point)?;
            if low.is_some_and(|low| *value < low) || high.is_some_and(|high| *value > high) {
                let bound = |b: Option<f64>| b.map_or_else(String::new, |b| b.to_string());
                let cause = format!("{point}, outside {}..{}", bound(low), bound(high));
                return Err((cause, "give values inside the range".into()));
            }
        }
        Ok(())
    }

    /// The table that the GPU reads: values at equal distances, exact at both ends.
    pub fn samples(&self) -> Vec<f64> {
        (0..SAMPLES).map(|i| self.at(place(i))).collect()
    }

    /// Upper bound of how far the GPU's table is from [`Curve::at`], apart from rounding. Let h be the distance of
    /// samples. Where points are more than h apart, the second derivative is at most 12 rise / width^2, and linear
    /// interpolation is off by at most h^2 / 8 times that. Where the curve begins or ends inside 0..1, its slope jumps
    /// by rise / width, and the error is at most h / 4 times that. Where points are closer together, the error is at
    /// most the total rise there.
    pub fn table_error(&self) -> f64 {
        let h = place(1);
        let pairs: Vec<_> = self.points.iter().zip(self.points.iter().skip(1)).collect();
        let rise = |(a, b): &(&(f64, f64), &(f64, f64))| (b.1 - a.1).abs();
        let width = |(a, b): &(&(f64, f64), &(f64, f64))| b.0 - a.0;
        let bend = pairs.iter().filter(|p| width(p) >= h).map(|p| 12.0 / 8.0 * rise(p) * (h / width(p)).powi(2));
        let kink = [pairs.first().filter(|p| p.0.0 > 0.0), pairs.last().filter(|p| p.1.0 < 1.0)];
        let kink = kink.into_iter().flatten().filter(|p| width(p) >= h).map(|p| 0.25 * rise(p) * h / width(p));
        // There may be several points between two samples, and parts of the segments on both sides.
        let near = |(a, b): &(&(f64, f64), &(f64, f64))| {
            let close = pairs.iter().filter(|(c, d)| d.0 >= a.0 - h && c.0 <= b.0 + h);
            close.map(rise).sum::<f64>()
        };
        let rough = pairs.iter().filter(|p| width(p) < h).map(near).fold(0.0, f64::max);
        rough.max(bend.fold(0.0, f64::max) + kink.fold(0.0, f64::max))
    }
}

/// The monotone cubic through points sorted by x (Fritsch and Carlson 1980, slopes of Fritsch and Butland 1984). Before
/// and after the points it keeps the end's value. It is smooth except for steps, and stays between the values of the
/// two points around it. Zero without points.
pub fn monotone(points: &[(f64, f64)], x: f64) -> f64 {
    let Some((i, j)) = segment(points, x, |(x, _)| *x) else { return 0.0 };
    let (Some((x0, y0)), Some((x1, y1))) = (points.get(i), points.get(j)) else { return 0.0 };
    let (width, rise) = (x1 - x0, y1 - y0);
    if !(i < j && width > 0.0) {
        return *y0;
    }
    let t = (x - x0) / width;
    let (a, b) = (slope(points, i) * width, slope(points, j) * width);
    // Cubic Hermite in powers of t. The result is limited to the segment's values, since rounding, or the very large
    // slopes of points that nearly touch, could exceed them; `clamp` would panic where a point is NaN.
    let y = y0 + t * (a + t * (3.0 * rise - 2.0 * a - b + t * (a + b - 2.0 * rise)));
    y.max(y0.min(*y1)).min(y0.max(*y1))
}

/// Slope at a point: the weighted harmonic mean of both secants; 0 at an extremum; the only secant at an end or beside
/// a step.
pub(super) fn slope(points: &[(f64, f64)], at: usize) -> f64 {
    let secant = |from: Option<usize>| -> Option<(f64, f64)> {
        let (a, b) = (points.get(from?)?, points.get(from?.checked_add(1)?)?);
        let width = b.0 - a.0;
        (width > 0.0).then(|| (width, (b.1 - a.1) / width))
    };
    match (secant(at.checked_sub(1)), secant(Some(at))) {
        (Some((h0, d0)), Some((h1, d1))) if d0 * d1 > 0.0 => {
            let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
            (w0 + w1) / (w0 / d0 + w1 / d1)
        }
        (Some(_), Some(_)) | (None, None) => 0.0,
        (Some((_, only)), None) | (None, Some((_, only))) => only,
    }
}
