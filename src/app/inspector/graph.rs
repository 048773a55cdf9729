//! The graph's own fields, shown when no node is selected.

use eframe::egui::{self, RichText, Ui};

use super::kinds::held;
use super::value::{self, row};
use crate::app::session::Session;
use crate::app::theme;
use crate::plan::mebibytes;

/// The graph's own fields.
pub(super) fn fields(ui: &mut Ui, session: &mut Session) {
    let document = session.document().clone();
    let id = |field: &str| egui::Id::new(("graph", field));
    let typed = row(ui, "name", "", |ui| {
        value::text(ui, id("name"), &document.name, |text| {
            egui::TextEdit::singleline(text).desired_width(f32::INFINITY)
        })
    });
    if let Some(name) = typed {
        session.arrange("name", |document| document.name = name);
    }
    let typed = row(ui, "about", "What it shows, and from where it is", |ui| {
        value::text(ui, id("about"), &document.about, |text| {
            egui::TextEdit::multiline(text).desired_rows(2).desired_width(f32::INFINITY)
        })
    });
    if let Some(about) = typed {
        session.arrange("about", |document| document.about = about);
    }
    let (mut fps, mut seed) = (document.fps, document.seed);
    row(ui, "frames a second", "Of simulated time; a frame's time step is its inverse", |ui| {
        held(ui, id("fps"), &mut fps, |value| egui::DragValue::new(value).range(1.0..=10_000.0).speed(0.5));
    });
    row(ui, "seed", "Of `random` and `frame.seed`", |ui| {
        held(ui, id("seed"), &mut seed, |value| egui::DragValue::new(value));
    });
    if (fps, seed) != (document.fps, document.seed) {
        session.edit("graph", |document| (document.fps, document.seed) = (fps, seed));
    }
}

/// What the graph comes to.
pub(super) fn statistics(ui: &mut Ui, session: &mut Session) {
    let nodes = session.document().nodes.len();
    row(ui, "nodes", "", |ui| ui.label(nodes.to_string()));
    if let Some(simulation) = session.running_simulation() {
        let plan = simulation.plan();
        row(ui, "dispatches", "Compute dispatches a frame", |ui| ui.label(plan.frame.len().to_string()));
        if !plan.still.is_empty() {
            let about = "Compute dispatches before the first frame, and when a parameter of theirs changes";
            row(ui, "once", about, |ui| ui.label(plan.still.len().to_string()));
        }
        row(ui, "GPU memory", "", |ui| ui.label(mebibytes(plan.memory)));
        for watched in simulation.watched() {
            let (low, high) = watched.range;
            let inside = low.is_none_or(|low| watched.value >= low) && high.is_none_or(|high| watched.value <= high);
            let text = RichText::new(format!("{:.4}", watched.value)).monospace();
            let bound = |b: Option<f64>| b.map_or_else(String::new, |b| b.to_string());
            row(ui, &watched.name, &format!("Should keep to {}..{}", bound(low), bound(high)), |ui| {
                ui.label(if inside { text } else { text.color(theme::of(ui).warning) })
            });
        }
    }
    let name = session.gpu().name().to_string();
    row(ui, "GPU", &name, |ui| ui.add(egui::Label::new(&name).truncate()));
}
