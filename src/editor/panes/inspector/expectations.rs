//! Expectations of the graph and their results.

use eframe::egui::{Color32, RichText, Sense, Ui, WidgetInfo, WidgetType};

use super::theme;
use crate::commands::action::{self, Actions};
use crate::edit;
use crate::graph::expect::Expectation;
use crate::model::session::Session;
use crate::problem::Problem;
use crate::sim::Simulation;
use crate::sim::expect::{Outcome, Verdict};
use crate::toolkit::row::{faint, section, small};

/// The state of an expectation.
struct Standing {
    icon: &'static str,
    word: &'static str,
    color: Color32,
    /// The line below the expectation.
    note: String,
}

/// The list, if there are any.
pub(super) fn show(ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
    let count = session.document().expect.len();
    if count == 0 {
        return;
    }
    let (mut removed, mut chosen) = (None, None);
    section(ui, "Expectations", |ui| {
        for index in 0..count {
            let (remove, choose) = one(ui, session, index);
            removed = removed.or(remove.then_some(index));
            chosen = chosen.take().or(choose);
        }
        ui.label(faint(ui, "Checked when their frames are computed. Also run by the command stagewright test."));
    });
    if let Some(index) = removed {
        // It exists, since it is shown.
        session.edit_expectations(|document| drop(edit::remove_expectation(document, index)));
    } else if let Some(node) = chosen {
        actions.extend(action::go_to(session, &node));
    }
}

/// One expectation. Returns whether to remove it, and the node to go to.
fn one(ui: &mut Ui, session: &Session, index: usize) -> (bool, Option<String>) {
    // Until the graph is compiled, the checks are those of the previous document.
    let current = session.checks().expectations().len() == session.document().expect.len() && !session.compiling();
    let checked = session.checks().expectations().get(index).filter(|_| current);
    let text = || session.document().expect.get(index).map(ToString::to_string).unwrap_or_default();
    let (claim, node) = match checked {
        Some(Ok(expectation)) => (expectation.claim(), Some(expectation.node.clone())),
        _ => (text(), None),
    };
    let frame = session.running_simulation().map_or(0, Simulation::frame);
    let standing = standing(ui, checked, session.checks().outcomes(index), frame, session.checks().suspended());
    let comment = session.document().expect.get(index).map(|expect| expect.comment.clone()).unwrap_or_default();
    let (mut remove, mut choose) = (false, None);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mark = ui.label(RichText::new(standing.icon).color(standing.color));
        mark.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, standing.word));
        mark.on_hover_text(standing.word);
        let width = ui.available_width() - 24.0;
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.spacing_mut().item_spacing.y = 0.0;
            let label = eframe::egui::Label::new(RichText::new(&claim).monospace()).wrap().sense(Sense::click());
            let response = ui.add(label);
            let response = if comment.is_empty() { response } else { response.on_hover_text(&comment) };
            choose = node.filter(|_| response.clicked());
            ui.label(RichText::new(&standing.note).small().color(theme::current(ui).dim));
        });
        let name = format!("Remove expectation {}", index + 1);
        remove = small(ui, RichText::new("✖").small(), session.editable(), &name, "Remove the expectation");
    });
    (remove, choose)
}

fn standing(
    ui: &Ui,
    checked: Option<&Result<Expectation, Problem>>,
    outcomes: &[Outcome],
    frame: u64,
    suspended: bool,
) -> Standing {
    let look = theme::current(ui);
    let expectation = match checked {
        None => {
            return Standing { icon: "○", word: "Not checked", color: look.faint, note: "Not compiled yet".into() };
        }
        Some(Err(problem)) => {
            let note = format!("{}; {}", problem.cause, problem.remedy);
            return Standing { icon: "⚠", word: "Invalid", color: look.warning, note };
        }
        Some(Ok(expectation)) => expectation,
    };
    let frames = expectation.frames.to_string();
    let failed = outcomes.iter().find(|outcome| matches!(outcome.verdict, Verdict::Failed(_)));
    let passed = outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Passed);
    match (failed, outcomes.last()) {
        (Some(Outcome { frame, verdict: Verdict::Failed(why), found }), _) => {
            let found = if found.is_empty() { String::new() } else { format!("{found}; ") };
            let note = format!("Frame {frame}: {found}{why}");
            Standing { icon: "✖", word: "Failed", color: look.error, note }
        }
        (_, None) if suspended || frame >= expectation.frames.last() => {
            let why = if suspended { "The graph was changed while it ran" } else { "Added later" };
            let note = format!("{why}. Reset the simulation to check {frames}.");
            Standing { icon: "○", word: "Not checked", color: look.faint, note }
        }
        (_, None) => {
            Standing { icon: "○", word: "Not reached", color: look.faint, note: format!("Not reached: {frames}") }
        }
        (_, Some(Outcome { verdict: Verdict::Skipped(why), .. })) => {
            Standing { icon: "○", word: "Skipped", color: look.faint, note: format!("Skipped; {why}") }
        }
        (_, Some(Outcome { frame, found, .. })) => {
            let (seen, all) = (passed.count() as u64, expectation.frames.count());
            let rest = if seen < all { format!("; {seen} of {all} frames checked") } else { String::new() };
            let note = format!("Frame {frame}: {found}{rest}");
            Standing { icon: "✔", word: "Passed", color: look.accent, note }
        }
    }
}
