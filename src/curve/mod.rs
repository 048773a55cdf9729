//! Curves and colour ramps over 0..1: what a person draws, and the samples of it that the GPU reads.
//!
//! A [`Curve`] is a monotone cubic between its points (Fritsch and Carlson 1980): smooth, and never above or below the two
//! points that it runs between. A [`Gradient`] is linear between its stops, in linear RGB. Two points at one t are a step.
//! Before the first point and after the last both keep the end's value.
//!
//! The GPU reads [`SAMPLES`] values at equal distances and interpolates linearly. So a step becomes a ramp from one sample to the
//! next, and a curve is off by at most [`Curve::table_error`].

mod gradient;

pub use gradient::{Color, Gradient, color_from_hex, hex_from_color};

/// Values that the GPU reads of a curve or a gradient, at t = i / (SAMPLES - 1).
pub const SAMPLES: usize = 64;

/// Points nearer to each other than this stand at one t. Far below what 32 bits tell apart near 1, so slopes stay finite.
const STEP: f64 = 1e-9;

/// Why a curve or a gradient can't be used: cause and remedy.
type Unfit = (String, String);

/// A function of 0..1, drawn by points.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Curve {
    /// (t, value), in the order of t.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The value at t. Zero without points; of a curve that [`Curve::check`] refuses it is some number or NaN.
    pub fn at(&self, t: f64) -> f64 {
        Spline::new(&self.points).at(t)
    }

    /// Whether it has points, in order, inside 0..1, with values that 32 bits hold inside `low..high`.
    ///
    /// # Errors
    /// The first thing that is wrong, and what to do.
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

    /// What the GPU reads: values at equal distances, the ends exactly.
    pub fn samples(&self) -> Vec<f64> {
        let spline = Spline::new(&self.points);
        (0..SAMPLES).map(|i| spline.at(place(i))).collect()
    }

    /// How far what the GPU reads can be from [`Curve::at`], apart from its rounding. For samples h apart: where points are further
    /// apart, the second derivative is at most 7.42 rise / width^2, of which linear interpolation misses h^2 / 8; where the curve
    /// begins or ends inside 0..1, its slope jumps by rise / width, of which it misses h / 4; and where points are nearer to
    /// each other, it misses no more than the curve rises there altogether.
    pub fn table_error(&self) -> f64 {
        let h = place(1);
        let pairs: Vec<_> = self.points.iter().zip(self.points.iter().skip(1)).collect();
        let rise = |(a, b): &(&(f64, f64), &(f64, f64))| (b.1 - a.1).abs();
        let width = |(a, b): &(&(f64, f64), &(f64, f64))| b.0 - a.0;
        let bend = pairs.iter().filter(|p| width(p) >= h).map(|p| 7.42 / 8.0 * rise(p) * (h / width(p)).powi(2));
        let kink = [pairs.first().filter(|p| p.0.0 > 0.0), pairs.last().filter(|p| p.1.0 < 1.0)];
        let kink = kink.into_iter().flatten().filter(|p| width(p) >= h).map(|p| 0.25 * rise(p) * h / width(p));
        // Two samples may have several points between them, and parts of what lies on both sides.
        let near = |(a, b): &(&(f64, f64), &(f64, f64))| {
            let close = pairs.iter().filter(|(c, d)| d.0 >= a.0 - h && c.0 <= b.0 + h);
            close.map(rise).sum::<f64>()
        };
        let rough = pairs.iter().filter(|p| width(p) < h).map(near).fold(0.0, f64::max);
        rough.max(bend.fold(0.0, f64::max) + kink.fold(0.0, f64::max))
    }
}

/// The t of a sample.
fn place(index: usize) -> f64 {
    index as f64 / (SAMPLES - 1) as f64
}

/// There are points, and they follow each other inside 0..1.
fn check_places(places: impl Iterator<Item = f64>, what: &str, point: &str) -> Result<(), Unfit> {
    let name = point.split_once(' ').map_or(point, |(name, _)| name);
    let mut before = None;
    for (index, t) in places.enumerate() {
        if !(0.0..=1.0).contains(&t) {
            return Err((format!("{name} {} of the {what} is at t = {t}", index + 1), "give a t in 0..1".into()));
        }
        if let Some(before) = before.filter(|before| *before > t) {
            let cause = format!("{name} {} of the {what} is at t = {t}, behind one at {before}", index + 1);
            return Err((cause, format!("put the {name}s in the order of t")));
        }
        before = Some(t);
    }
    match before {
        Some(_) => Ok(()),
        None => Err((format!("the {what} has no {name}s"), format!("give at least one {point}"))),
    }
}

fn check_value(value: f64, whose: &str) -> Result<(), Unfit> {
    match value {
        v if !v.is_finite() => Err((whose.to_string(), "give a finite number".into())),
        v if v.abs() > f64::from(f32::MAX) => {
            Err((format!("{whose}, too large for 32 bits"), "give a smaller number".into()))
        }
        _ => Ok(()),
    }
}

/// The segment that holds t among places in order: the indices of its ends, the same where t is before, behind or on a point. Of
/// several points at one t the last counts.
fn segment<P>(points: &[P], t: f64, place: impl Fn(&P) -> f64) -> Option<(usize, usize)> {
    let last = points.len().checked_sub(1)?;
    let after = points.partition_point(|point| place(point) <= t);
    Some(match after.checked_sub(1) {
        None => (0, 0),
        Some(before) if before == last => (last, last),
        Some(before) => (before, after),
    })
}

/// Points with the slopes through them.
struct Spline<'a> {
    points: &'a [(f64, f64)],
    slopes: Vec<f64>,
}

impl Spline<'_> {
    fn new(points: &[(f64, f64)]) -> Spline<'_> {
        let secant = |i: usize| {
            let ((t0, v0), (t1, v1)) = (points.get(i)?, points.get(i + 1)?);
            let width = t1 - t0;
            (width > STEP).then(|| (v1 - v0) / width)
        };
        let secants: Vec<Option<f64>> = (0..points.len()).map(secant).collect();
        let sides = |i: usize| {
            let side = |i: Option<usize>| i.and_then(|i| secants.get(i)).copied().flatten();
            (side(i.checked_sub(1)), side(Some(i)))
        };
        let slope = |i: usize| match sides(i) {
            (Some(left), Some(right)) if left * right > 0.0 => 0.5 * left + 0.5 * right,
            (Some(_), Some(_)) | (None, None) => 0.0,
            (Some(one), None) | (None, Some(one)) => one,
        };
        let free: Vec<f64> = (0..points.len()).map(slope).collect();
        // A segment is monotone if its slopes, as multiples of the secant, lie in a circle of radius 3. The smaller share of both
        // neighbours keeps both inside, whatever the order.
        let share = |i: usize| {
            let (Some(secant), Some(a), Some(b)) = (secants.get(i).copied().flatten(), free.get(i), free.get(i + 1))
            else {
                return 1.0;
            };
            let most = 3.0 * secant.abs();
            let length = a.hypot(*b);
            if length > most { most / length } else { 1.0 }
        };
        let shares: Vec<f64> = (0..points.len()).map(share).collect();
        let limited = |(i, slope): (usize, &f64)| {
            let side = |i: Option<usize>| i.and_then(|i| shares.get(i)).copied().unwrap_or(1.0);
            slope * side(i.checked_sub(1)).min(side(Some(i)))
        };
        let slopes = free.iter().enumerate().map(limited).collect();
        Spline { points, slopes }
    }

    fn at(&self, t: f64) -> f64 {
        let Some((i, j)) = segment(self.points, t, |(t, _)| *t) else { return 0.0 };
        let (Some((t0, v0)), Some((t1, v1))) = (self.points.get(i), self.points.get(j)) else { return 0.0 };
        let width = t1 - t0;
        if i == j || width <= STEP {
            return *v0;
        }
        let (Some(m0), Some(m1)) = (self.slopes.get(i), self.slopes.get(j)) else { return *v0 };
        let (x, rise) = ((t - t0) / width, v1 - v0);
        let (a, b) = (width * m0, width * m1);
        // Cubic Hermite in powers of x. Rounding must not lead out of the segment either; `clamp` would panic on NaN.
        let value = v0 + x * (a + x * (3.0 * rise - 2.0 * a - b + x * (a + b - 2.0 * rise)));
        value.max(v0.min(*v1)).min(v0.max(*v1))
    }
}

#[cfg(test)]
mod tests;
