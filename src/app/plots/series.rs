//! Curves with their values from the record.

use eframe::egui::Color32;

use crate::app::session::Session;
use crate::app::theme::Look;
use crate::app::view::course::components;
use crate::app::view::plot::{self, Curve};
use crate::edit;

/// Frame, time \[s\] and value.
type Value = (u64, f64, f64);

/// A number, or a component of a vector.
pub(super) struct Series {
    /// What is measured, by its title in the record.
    pub title: String,
    pub name: String,
    pub unit: String,
    pub color: Color32,
    pub values: Vec<Value>,
    /// The run before the last reset.
    pub before: Vec<Value>,
}

/// The curves of the pane in their order. A vector has one for each component.
pub(super) fn of(session: &Session, look: &Look) -> Vec<Series> {
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
        let mut parts: Vec<Vec<Value>> = Vec::new();
        for point in following.iter().flat_map(|following| following.points()) {
            let value = point.values.iter().find(|(known, _)| known == attribute).map(|(_, value)| value.as_slice());
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

/// The name of a component.
fn name(title: &str, part: usize, parts: usize) -> String {
    match ["x", "y", "z", "w"].get(part) {
        _ if parts == 1 => title.to_string(),
        Some(axis) => format!("{title}.{axis}"),
        None => format!("{title}.{part}"),
    }
}

impl Series {
    /// Its values as a curve over frames; faint for those of the run before.
    pub(super) fn curve(&self, values: &[Value], faint: bool) -> Curve {
        let color = if faint { self.color.gamma_multiply(0.5) } else { self.color };
        Curve { color, faint, points: values.iter().map(|(frame, _, value)| (*frame as f64, *value)).collect() }
    }

    /// The value at the frame that is nearest to a place on the x axis; none before the curve begins.
    pub(super) fn near(&self, at: f64) -> Option<Value> {
        self.values.first().filter(|(first, ..)| at.round() >= *first as f64)?;
        let places: Vec<(f64, f64)> =
            self.values.iter().enumerate().map(|(index, (frame, ..))| (*frame as f64, index as f64)).collect();
        plot::nearest(&places, at).and_then(|(_, index)| self.values.get(index as usize).copied())
    }
}
