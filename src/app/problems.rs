//! The list of what is wrong: where, why, and what to do.

use eframe::egui::{self, RichText, Ui};

use super::canvas::Canvas;
use super::session::Session;
use super::theme;
use crate::problem::{Problem, Severity};

/// Height of a row \[points\].
const ROW: f32 = 22.0;

/// Draws the list below the canvas, as high as it needs to be up to a few rows; nothing when all is well.
pub fn show(ui: &mut Ui, session: &Session, canvas: &mut Canvas) {
    let problems: Vec<Problem> = session.problems().cloned().collect();
    if problems.is_empty() {
        return;
    }
    let height = (problems.len() as f32 * (ROW + 6.0)).clamp(ROW + 6.0, 130.0) + 12.0;
    let frame = egui::Frame::new().fill(theme::of(ui).bar).inner_margin(egui::Margin::symmetric(10, 6));
    egui::Panel::bottom("problems").exact_size(height).frame(frame).show(ui, |ui| {
        // A list may be lower than a scroll area wants to be, and would push the panel out of the window.
        egui::ScrollArea::vertical().auto_shrink(false).min_scrolled_height(0.0).show(ui, |ui| {
            for problem in &problems {
                row(ui, problem, canvas);
            }
        });
    });
}

fn row(ui: &mut Ui, problem: &Problem, canvas: &mut Canvas) {
    let (icon, color) = match problem.severity {
        Severity::Error => ("⊗", theme::of(ui).error),
        Severity::Warning => ("⚠", theme::of(ui).warning),
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(6.0, 2.0);
        ui.label(RichText::new(icon).color(color));
        if !problem.node.is_empty() {
            let mut place = problem.node.clone();
            if !problem.port.is_empty() {
                place = format!("{place}.{}", problem.port);
            }
            if let Some(at) = problem.place {
                place = format!("{place} {}:{}", at.line, at.column);
            }
            let link = egui::Link::new(RichText::new(place).monospace());
            if ui.add(link).on_hover_text("Show the node").clicked() {
                canvas.go_to(problem.node.split('/').next().unwrap_or_default());
            }
        }
        ui.label(&problem.cause);
        if !problem.remedy.is_empty() {
            ui.label(RichText::new(format!("→ {}", problem.remedy)).color(theme::of(ui).dim));
        }
    });
}
