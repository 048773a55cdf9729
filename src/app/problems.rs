//! The list of what is wrong: where, why, and what to do.

use eframe::egui::{self, RichText, Ui};

use super::session::Session;
use super::theme;
use crate::problem::{Problem, Severity};

/// Draws the list.
pub fn show(ui: &mut Ui, session: &mut Session) {
    let problems: Vec<Problem> = session.problems().cloned().collect();
    if problems.is_empty() {
        ui.label(RichText::new("Nothing is wrong with this graph.").color(theme::of(ui).faint));
        return;
    }
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for problem in &problems {
            row(ui, problem, session);
        }
    });
}

fn row(ui: &mut Ui, problem: &Problem, session: &mut Session) {
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
                session.go_to_problem(problem);
            }
        }
        ui.label(&problem.cause);
        if !problem.remedy.is_empty() {
            ui.label(RichText::new(format!("→ {}", problem.remedy)).color(theme::of(ui).dim));
        }
    });
}
