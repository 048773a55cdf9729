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
            let name = match ["x", "y", "z", "w"].get(part) {
                _ if parts == 1 => curve.title.clone(),
                Some(axis) => format!("{}.{axis}", curve.title),
                None => format!("{}.{part}", curve.title),
            };
            all.push(Series {
                title: curve.title.clone(),
                name,
                unit: unit.clone().unwrap_or_default(),
                color: look.curve(all.len()),
                values: now.next().unwrap_or_default(),
                before: before.next().unwrap_or_default(),
            });
        }
    }
    all
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
