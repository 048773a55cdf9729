//! Points over 0..1, as curves, gradients and keyframes share them: checks, the segment around a t, and the samples of
//! the GPU's table.

/// Number of values of a curve or a gradient in the GPU's table, at t = i / (SAMPLES - 1). Halves, quarters and eighths
/// are samples, so they are exact.
pub const SAMPLES: usize = 65;
/// Largest absolute value. Differences of two values still fit into 32-bit floats.
pub(super) const LARGEST: f64 = 1e38;

/// Why a curve or a gradient is invalid: cause and remedy.
pub(super) type Unfit = (String, String);

/// The t of a sample.
pub(super) fn place(index: usize) -> f64 {
    index as f64 / (SAMPLES - 1) as f64
}

/// Checks that there are points, sorted by t, inside 0..1.
pub(super) fn check_places(places: impl Iterator<Item = f64>, what: &str, point: &str) -> Result<(), Unfit> {
    let name = point.split_once(' ').map_or(point, |(name, _)| name);
    let mut before = None;
    for (index, t) in places.enumerate() {
        if !(0.0..=1.0).contains(&t) {
            return Err((format!("{name} {} of the {what} is at t = {t}", index + 1), "give a t in 0..1".into()));
        }
        if let Some(before) = before.filter(|before| *before > t) {
            let cause =
                format!("{name} {} of the {what} is at t = {t}, but the one before it is at {before}", index + 1);
            return Err((cause, format!("sort the {name}s by t")));
        }
        before = Some(t);
    }
    match before {
        Some(_) => Ok(()),
        None => Err((format!("the {what} has no {name}s"), format!("give at least one {point}"))),
    }
}

pub(super) fn check_value(value: f64, whose: &str) -> Result<(), Unfit> {
    match value {
        v if !v.is_finite() => Err((whose.to_string(), "give a finite number".into())),
        v if v.abs() > LARGEST => Err((format!("{whose}, more than 1e38"), "give a smaller number".into())),
        _ => Ok(()),
    }
}

/// The segment that contains t, of points sorted by t: the indices of its ends. Both are the same where t is before,
/// after or on a point. Of several points at the same t the last one counts.
pub(super) fn segment<P>(points: &[P], t: f64, place: impl Fn(&P) -> f64) -> Option<(usize, usize)> {
    let last = points.len().checked_sub(1)?;
    let after = points.partition_point(|point| place(point) <= t);
    Some(match after.checked_sub(1) {
        None => (0, 0),
        Some(before) if before == last => (last, last),
        Some(before) => (before, after),
    })
}
