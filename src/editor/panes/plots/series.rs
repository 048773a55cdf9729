//! Curves with their values from the record.

use eframe::egui::Color32;

use crate::edit;
use crate::model::session::Session;
use crate::panes::view::course::components;
use crate::panes::view::plot::{self, Curve};
use crate::toolkit::theme::Look;

/// Frame, time \[s\] and value.
type Sample = (u64, f64, f64);

/// A number, or a component of a vector.
pub(super) struct Series {
    /// What is measured, by its title in the record.
    pub title: String,
    pub name: String,
    pub unit: String,
    pub color: Color32,
    pub values: Vec<Sample>,
    /// The run before the last reset.
    pub before: Vec<Sample>,
}

/// The curves of the pane in their order. A vector has one for each component.
pub(super) fn plotted(session: &Session, look: &Look) -> Vec<Series> {
    let mut all = Vec::new();
    for curve in session.plotted() {
        let now = components(session.recorded(), &curve.title);
        let before = components(session.recorded_before(), &curve.title);
        let wire = curve.unit_of.as_deref();
        let unit = wire.map(|wire| edit::signature::unit(session.document(), wire, session.library()));
        let parts = now.len().max(before.len()).max(1);
        let (mut now, mut before) = (now.into_iter(), before.into_iter());
        for part in 0..parts {
            all.push(Series {
                title: curve.title.clone(),
                name: name(&curve.title, part, parts),
                unit: unit.clone().unwrap_or_default(),
                color: look.curve(all.len()),
                values: now.next().unwrap_or_default(),
                before: before.next().unwrap_or_default(),
            });
        }
    }
    let following = session.following();
    for (title, attribute) in following.iter().flat_map(|following| following.curves()) {
        let mut parts: Vec<Vec<Sample>> = Vec::new();
        for point in following.iter().flat_map(|following| following.points()) {
            let value = point.values.iter().find(|(name, _)| name == attribute).map(|(_, value)| value.as_slice());
            let value = value.unwrap_or_default();
            parts.resize(parts.len().max(value.len()), Vec::new());
            parts.iter_mut().zip(value).for_each(|(part, value)| part.push((point.frame, point.time, *value)));
        }
        let count = parts.len();
        for (part, values) in parts.into_iter().enumerate() {
            all.push(Series {
                title: title.clone(),
                name: name(&title, part, count),
                unit: String::new(),
                color: look.curve(all.len()),
                values,
                before: Vec::new(),
            });
        }
    }
    all
}

/// The simulated time of a frame \[s\]: as it was recorded, or by the frame rate.
pub(super) fn time(all: &[Series], frame: u64, fps: f64) -> f64 {
    let nearest = all.iter().flat_map(|one| &one.values).min_by_key(|(recorded, ..)| recorded.abs_diff(frame));
    nearest.map_or(frame as f64 / fps, |(recorded, time, _)| time + (frame as f64 - *recorded as f64) / fps)
}

/// The frame of a simulated time.
pub(super) fn frame(all: &[Series], time: f64, fps: f64) -> u64 {
    let away = |(_, recorded, _): &&Sample| (recorded - time).abs();
    let nearest = all.iter().flat_map(|one| &one.values).min_by(|a, b| away(a).total_cmp(&away(b)));
    let frame = nearest.map_or(time * fps, |(frame, recorded, _)| *frame as f64 + (time - recorded) * fps);
    frame.round().max(0.0) as u64
}

/// The name of a component.
fn name(title: &str, part: usize, parts: usize) -> String {
    match ["x", "y", "z", "w"].get(part) {
        _ if parts == 1 => title.to_string(),
        Some(axis) => format!("{title}.{axis}"),
        None => format!("{title}.{part}"),
    }
}

impl Series {
    /// The series' values as a curve over frames or seconds; faint for those of the run before.
    pub(super) fn curve(&self, values: &[Sample], faint: bool, seconds: bool) -> Curve {
        let color = if faint { self.color.gamma_multiply(0.5) } else { self.color };
        let x = |(frame, time, _): &Sample| if seconds { *time } else { *frame as f64 };
        Curve { color, faint, points: values.iter().map(|one| (x(one), one.2)).collect() }
    }

    /// The value at the frame that is nearest to a place on the x axis; none before the curve begins.
    pub(super) fn near(&self, at: f64) -> Option<Sample> {
        self.values.first().filter(|(first, ..)| at.round() >= *first as f64)?;
        let places: Vec<(f64, f64)> =
            self.values.iter().enumerate().map(|(index, (frame, ..))| (*frame as f64, index as f64)).collect();
        plot::nearest(&places, at).and_then(|(_, index)| self.values.get(index as usize).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_seconds_are_those_of_the_record_and_go_on_by_the_frame_rate() {
        let values = vec![(10, 1.0, 0.0), (11, 1.5, 0.0), (14, 1.75, 0.0)];
        let (title, name, unit) = Default::default();
        let all = [Series { title, name, unit, color: Color32::WHITE, values, before: Vec::new() }];
        assert_eq!([8, 10, 11, 12, 16].map(|at| time(&all, at, 4.0)), [0.5, 1.0, 1.5, 1.75, 2.25]);
        assert_eq!([0.5, 1.0, 1.6, 1.74, 2.25].map(|at| frame(&all, at, 4.0)), [8, 10, 11, 14, 16]);
        assert_eq!((time(&[], 8, 4.0), frame(&[], 2.0, 4.0)), (2.0, 8));
    }
}
