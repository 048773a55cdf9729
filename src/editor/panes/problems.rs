//! The list of problems: where, why, what to do, and buttons that do it.

use eframe::egui::{self, RichText, Ui, WidgetInfo, WidgetType};

use crate::commands::action::{self, Action, Actions};
use crate::edit::{self, Remedy};
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::printable;
use crate::problem::{Problem, Severity};
use crate::sim::files::is_outside;
use crate::toolkit::{markup, theme};

/// Text from a file as the window shows it: cut to a limit, with hidden characters escaped.
fn shown(text: &str) -> String {
    printable::lines(&printable::cut(text)).into_owned()
}

/// The list, with the remedies found so far.
#[derive(Default)]
pub(crate) struct ProblemList {
    /// Remedies of problems in the order in which they were found, valid for one state of the document.
    remedies: Vec<(Problem, Vec<Remedy>)>,
    /// The revision of the session that they are valid for.
    revision: u64,
    /// Position of the problem that was selected with the keys.
    at: Option<usize>,
    /// Whether the selected problem is to be scrolled into view.
    reveal: bool,
}

impl PaneContent for ProblemList {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.actions)
    }

    fn framed(&self) -> bool {
        true
    }
}

impl ProblemList {
    /// Draws the list.
    ///
    /// # Errors
    /// Why a remedy could not be applied, in one sentence.
    pub(crate) fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let problems: Vec<Problem> = session.problems().cloned().collect();
        self.learn(ui, session, &problems);
        if problems.is_empty() {
            self.at = None;
            ui.label(RichText::new("No problems.").color(theme::current(ui).faint));
            return Ok(());
        }
        ui.label(RichText::new(count(&problems)).color(theme::current(ui).dim));
        let mut result = Ok(());
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (index, problem) in problems.iter().enumerate() {
                if let Err(sentence) = self.row(ui, index, problem, (session, actions)) {
                    result = Err(sentence);
                }
            }
        });
        self.reveal = false;
        result
    }

    /// Finds remedies for one more problem; each is tried on the graph, which takes some time.
    fn learn(&mut self, ui: &Ui, session: &Session, problems: &[Problem]) {
        if self.revision != session.revision() {
            self.revision = session.revision();
            self.remedies.clear();
        }
        // Until the graph is compiled, the list is still that of the previous document.
        let next = problems.iter().find(|problem| !self.remedies.iter().any(|(listed, _)| listed == *problem));
        if let Some(problem) = next.filter(|_| !session.compiling()) {
            let remedies = edit::remedies(session.document(), problem, session.library());
            self.remedies.push((problem.clone(), remedies));
            ui.ctx().request_repaint();
        }
    }

    fn row(
        &mut self,
        ui: &mut Ui,
        index: usize,
        problem: &Problem,
        (session, actions): (&mut Session, &mut Actions),
    ) -> Result<(), String> {
        let (icon, word, color) = match problem.severity {
            Severity::Error => ("⊗", "Error", theme::current(ui).error),
            Severity::Warning => ("⚠", "Warning", theme::current(ui).warning),
        };
        let (mut chosen, mut allow) = (None, false);
        let here = self.at == Some(index);
        let row = ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(6.0, 2.0);
            let mark = ui.label(RichText::new(icon).color(color));
            mark.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, word));
            if !problem.node.is_empty() {
                let text = RichText::new(printable::name(&printable::cut(&place(problem)))).monospace();
                let link = egui::Link::new(if here { text.strong().underline() } else { text });
                if ui.add(link).on_hover_text("Go to node").clicked() {
                    self.at = Some(index);
                    actions.extend(action::go_to_problem(session, problem));
                }
            }
            let look = theme::current(ui);
            ui.label(markup::label(ui, "", &shown(&problem.cause), ui.visuals().text_color()));
            if !problem.remedy.is_empty() {
                ui.label(markup::label(ui, "→ ", &shown(&problem.remedy), look.dim));
            }
            if is_outside(problem) {
                let text = "Allows every graph in this folder to read any of your files, now and in future.";
                allow = ui.small_button("Allow files outside the folder").on_hover_text(text).clicked();
            }
            let entry = self.remedies.iter().find(|(listed, _)| listed == problem);
            for remedy in entry.map(|(_, remedies)| remedies.as_slice()).unwrap_or_default() {
                if ui.small_button(&remedy.label).clicked() {
                    chosen = Some(remedy);
                }
            }
        });
        if here && self.reveal {
            row.response.scroll_to_me(None);
        }
        if allow {
            actions.push(Action::AllowFiles);
        }
        let Some(remedy) = chosen else { return Ok(()) };
        let mut after = session.document().clone();
        remedy.apply(&mut after, session.library())?;
        session.end_gesture();
        session.edit("remedy", |document| *document = after);
        session.end_gesture();
        Ok(())
    }

    /// Goes to the next or the previous problem, and wraps around at the ends.
    #[must_use]
    pub(crate) fn step(&mut self, session: &mut Session, forward: bool) -> Actions {
        let problems: Vec<Problem> = session.problems().cloned().collect();
        let last = problems.len().saturating_sub(1);
        let at = match (self.at.filter(|at| *at <= last), forward) {
            (None, true) => 0,
            (None, false) | (Some(0), false) => last,
            (Some(at), false) => at - 1,
            (Some(at), true) => {
                if at == last {
                    0
                } else {
                    at + 1
                }
            }
        };
        self.at = Some(at).filter(|_| !problems.is_empty());
        self.reveal = true;
        problems.get(at).map(|problem| action::go_to_problem(session, problem)).unwrap_or_default()
    }
}

/// The node, its port, and where in its text.
fn place(problem: &Problem) -> String {
    let mut place = problem.node.clone();
    if !problem.port.is_empty() {
        place = format!("{place}.{}", problem.port);
    }
    if let Some(at) = problem.place {
        let file = if problem.file.is_empty() { String::new() } else { format!(" {}", problem.file) };
        place = format!("{place}{file} {}:{}", at.line, at.column);
    }
    place
}

fn count(problems: &[Problem]) -> String {
    let of = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
    let said = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        count => Some(format!("{count} {what}s")),
    };
    let parts = [said(of(Severity::Error), "error"), said(of(Severity::Warning), "warning")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;
    use crate::gpu::{Gpu, GpuOptions};
    use stagewright_test_support::fixture::fluid;

    struct Bench {
        session: Session,
        list: ProblemList,
        errors: Vec<String>,
    }

    fn bench() -> Harness<'static, Bench> {
        let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        session.open(fluid(), None);
        let state = Bench { session, list: ProblemList::default(), errors: Vec::new() };
        let draw = |ui: &mut Ui, bench: &mut Bench| {
            bench.session.poll();
            theme::install(ui.ctx());
            bench.errors.extend(bench.list.draw(ui, &mut bench.session, &mut Actions::new()).err());
        };
        let mut harness = Harness::builder().with_size([900.0, 400.0]).build_ui_state(draw, state);
        wait_for_remedies(&mut harness);
        harness
    }

    /// Runs until the graph is compiled and the remedies of all its problems are found.
    fn wait_for_remedies(harness: &mut Harness<'static, Bench>) {
        loop {
            harness.step();
            let bench = harness.state();
            if !bench.session.compiling() && bench.list.remedies.len() == bench.session.problems().count() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        harness.step();
    }

    fn set(harness: &mut Harness<'static, Bench>, node: &str, port: &str, link: &str) {
        let link = crate::document::Link::parse(link);
        let end = edit::InputEnd { node: node.into(), port: port.into() };
        let root = crate::document::Scope::default();
        harness.state_mut().session.edit("wire", |document| edit::connect(document, &root, link, &end));
        wait_for_remedies(harness);
    }

    #[test]
    fn a_broken_graph_runs_again_at_the_press_of_a_button() {
        let mut harness = bench();
        harness.get_by_label("No problems.");
        let plans = harness.state().session.plans();
        set(&mut harness, "screen", "image", "density.value");
        set(&mut harness, "divergence", "velocity", "viscosty.field");
        harness.get_by_label("2 errors");
        assert_eq!(harness.query_all_by_label("Error").count(), 2, "the icons have words");
        harness.get_by_label("Insert view/color_map").click();
        wait_for_remedies(&mut harness);
        harness.get_by_label("1 error");
        assert_eq!(harness.state().session.document().nodes["screen"].inputs["image"].to_string(), "color_map.image");
        harness.get_by_label("Connect viscosity.field").click();
        wait_for_remedies(&mut harness);
        harness.get_by_label("No problems.");
        let bench = harness.state_mut();
        assert!(bench.errors.is_empty() && bench.session.plans() == plans + 1);
        bench.session.undo();
        assert_eq!(bench.session.document().nodes["divergence"].inputs["velocity"].to_string(), "viscosty.field");
        bench.session.undo();
        assert!(!bench.session.document().nodes.contains_key("color_map"), "each is one step");
    }

    #[test]
    fn the_keys_go_from_problem_to_problem() {
        let mut harness = bench();
        set(&mut harness, "screen", "image", "gone");
        set(&mut harness, "divergence", "velocity", "gone");
        let mut seen = Vec::new();
        for forward in [true, true, true, false, false] {
            let bench = harness.state_mut();
            let actions = bench.list.step(&mut bench.session, forward);
            assert_eq!(actions, [Action::Reveal]);
            seen.extend(bench.session.selection.first().cloned());
            harness.step();
        }
        assert_eq!(seen, ["divergence", "screen", "divergence", "screen", "divergence"]);
        harness.get_by_label("screen.image").click();
        harness.step();
        assert_eq!(harness.state().session.selection.first().map(String::as_str), Some("screen"));
    }
}
