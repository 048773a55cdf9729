//! The Debugger pane: where the frame stands, what stopped the run, conditions and breakpoints, and the history of a cell.

use eframe::egui::{self, RichText, Ui, WidgetInfo, WidgetType};

use super::followed;
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::graph::expect::list;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::sim::debug::{Condition, WriteEvent};
use crate::toolkit::command_button::icon_button;
use crate::toolkit::theme::{self, Look};

/// Conditions that are added with a click: the text, and what the button says.
const USUAL: [(&str, &str, &str); 2] = [
    ("nan", "NaN", "Stop when a State holds NaN or infinity"),
    (
        "alarm",
        "Alarm",
        "Stop when the run warns: a loop over its budget, particles that do not fit, a number outside of what its port expects",
    ),
];

/// Width of the pane from which on the history is beside the rest \[points\].
const WIDE: f32 = 640.0;

/// What is typed into the pane.
#[derive(Default)]
pub(crate) struct DebuggerPane {
    condition: String,
    /// The frame and the position that the history was scrolled to.
    scrolled: Option<(u64, usize)>,
}

impl PaneContent for DebuggerPane {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.actions)
    }

    fn framed(&self) -> bool {
        true
    }

    fn opened(&mut self) {
        *self = DebuggerPane::default();
    }
}

impl DebuggerPane {
    /// Draws the pane.
    ///
    /// # Errors
    /// Why a condition is not valid, in one sentence.
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let look = theme::current(ui);
        let mut result = Ok(());
        if session.debugger().is_some() && ui.available_width() >= WIDE {
            // The history has a column of its own, so that the report stays in sight.
            ui.columns_const(|[left, right]| {
                let area = egui::ScrollArea::both().auto_shrink(false);
                area.id_salt("stop").show(left, |ui| result = self.stop(ui, session, look, actions));
                let area = egui::ScrollArea::both().auto_shrink(false);
                area.id_salt("writes").show(right, |ui| self.history(ui, session, look, actions));
            });
            return result;
        }
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            result = self.stop(ui, session, look, actions);
            self.history(ui, session, look, actions);
        });
        result
    }

    /// Where the frame stands, what stopped the run, and what may stop it.
    fn stop(&mut self, ui: &mut Ui, session: &mut Session, look: &Look, actions: &mut Actions) -> Result<(), String> {
        position(ui, session, look, actions);
        if let Some(report) = session.report() {
            ui.add_space(4.0);
            let text = report.to_text();
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            ui.label(RichText::new(capitalized(first)).color(look.error));
            ui.add(egui::Label::new(RichText::new(rest.trim_end()).monospace()).wrap());
        }
        ui.add_space(4.0);
        heading(ui, look, "Stop when");
        let result = self.conditions(ui, session, look);
        breakpoints(ui, session, look, actions);
        followed::show(ui, session, look, actions);
        result
    }

    fn conditions(&mut self, ui: &mut Ui, session: &mut Session, look: &Look) -> Result<(), String> {
        let conditions: Vec<Condition> = session.conditions().cloned().collect();
        let mut result = Ok(());
        for condition in &conditions {
            ui.horizontal(|ui| {
                if remove(ui, &format!("Remove condition {condition}")) {
                    session.remove_condition(condition);
                }
                ui.label(condition.to_string());
            });
        }
        ui.horizontal_wrapped(|ui| {
            for (text, label, hint) in USUAL {
                if ui.small_button(label).on_hover_text(hint).clicked() {
                    result = session.add_condition(text);
                }
            }
            let hint = "velocity.value:max > 10";
            let field = egui::TextEdit::singleline(&mut self.condition).hint_text(hint).desired_width(210.0);
            let field = ui.add(field);
            field.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, "condition"));
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let hint = "Add the condition: an expression, `nan NODE.PORT`, `NODE.PORT outside LOW..HIGH`, or `frame N`";
            if (ui.small_button("Add").on_hover_text(hint).clicked() || entered) && !self.condition.trim().is_empty() {
                result = session.add_condition(self.condition.trim());
                if result.is_ok() {
                    self.condition.clear();
                }
            }
        });
        if conditions.is_empty() {
            ui.label(RichText::new("Without a condition, the run is not watched and costs nothing.").color(look.faint));
        }
        result
    }

    /// Every write to the picked cell; a click goes there.
    fn history(&mut self, ui: &mut Ui, session: &Session, look: &Look, actions: &mut Actions) {
        let Some(debugger) = session.debugger() else { return };
        ui.add_space(4.0);
        let Some((name, events)) = session.picked_history() else {
            heading(ui, look, "History");
            ui.label(RichText::new("Click in the view of a wire to see every write to a cell.").color(look.faint));
            return;
        };
        heading(ui, look, &format!("Writes to {name}"));
        let now = Some((debugger.frame(), debugger.position()));
        let moved = std::mem::replace(&mut self.scrolled, now) != now;
        egui::Grid::new("history").num_columns(5).striped(true).spacing([8.0, 2.0]).min_col_width(20.0).show(
            ui,
            |ui| {
                for event in events {
                    let here = debugger.position() == event.dispatch + 1;
                    let color = if here { look.accent } else { look.text };
                    let number =
                        egui::Link::new(RichText::new((event.dispatch + 1).to_string()).monospace().color(color));
                    let response = ui.add(number);
                    response.widget_info(|| {
                        WidgetInfo::labeled(
                            WidgetType::Link,
                            true,
                            format!("write {} of {}", event.dispatch + 1, event.wire),
                        )
                    });
                    if here && moved {
                        response.scroll_to_me(Some(egui::Align::Center));
                    }
                    if response.on_hover_text("Go behind this dispatch").clicked() {
                        actions.push(Action::SeekInFrame(event.dispatch + 1));
                    }
                    let part = if event.part.is_empty() { String::new() } else { format!("  {}", event.part) };
                    ui.label(RichText::new(format!("{}{part}", event.wire)).color(color));
                    let before = event.before.as_ref().map_or("–".into(), |before| list(before));
                    ui.label(RichText::new(before).monospace().small().color(look.dim));
                    let wild = event.after.iter().any(|value| !value.is_finite());
                    let after = RichText::new(list(&event.after)).monospace().small().color(if wild {
                        look.error
                    } else {
                        look.text
                    });
                    ui.label(after);
                    ui.label(RichText::new(inputs(event)).small().color(look.faint));
                    ui.end_row();
                }
            },
        );
    }
}

/// Where the frame stands, with the buttons that move it.
fn position(ui: &mut Ui, session: &Session, look: &Look, actions: &mut Actions) {
    let text = match session.debugger() {
        None if session.is_entering_frame() => match session.searched_frame() {
            Some(frame) => format!("Searching for the first NaN: frame {frame}"),
            None => "Preparing the plain plan".to_string(),
        },
        None => "Not inside a frame".to_string(),
        Some(debugger) => {
            let step = match debugger.step() {
                (_, 1) => String::new(),
                (step, of) => format!(", step {step} of {of}"),
            };
            format!("Frame {}{step}: {} of {} dispatches", debugger.frame(), debugger.position(), debugger.len())
        }
    };
    ui.horizontal_wrapped(|ui| {
        for (command, icon) in [
            (Command::DispatchBack, "⏴"),
            (Command::StepDispatch, "⏵"),
            (Command::StepIteration, "⟳"),
            (Command::StepNode, "⏩"),
            (Command::RunToNode, "⏭"),
            (Command::LeaveFrame, "⏹"),
        ] {
            if icon_button(ui, command, icon, command.label()) {
                actions.push(Action::Run(command));
            }
        }
        ui.label(RichText::new(text).strong());
        if session.is_entering_frame() {
            ui.spinner();
        }
        if session.has_bad_values() && ui.button(Command::FindFirstNan.label()).clicked() {
            actions.push(Action::Run(Command::FindFirstNan));
        }
    });
    let Some(debugger) = session.debugger() else { return };
    ui.horizontal_wrapped(|ui| {
        for (name, dispatch) in [("ran last", debugger.last()), ("runs next", debugger.next())] {
            ui.label(RichText::new(name).color(look.faint));
            match dispatch {
                None => drop(ui.label(RichText::new("–").color(look.faint))),
                Some((at, dispatch)) => {
                    let part = if dispatch.part.is_empty() { String::new() } else { format!(", {}", dispatch.part) };
                    ui.label(RichText::new((at + 1).to_string()).monospace().color(look.dim));
                    if ui.link(format!("{}{part}", dispatch.node)).clicked() {
                        actions.push(Action::GoToNode(dispatch.node.clone()));
                    }
                }
            }
            ui.add_space(12.0);
        }
    });
}

fn breakpoints(ui: &mut Ui, session: &mut Session, look: &Look, actions: &mut Actions) {
    let nodes: Vec<String> = session.breakpoints().iter().cloned().collect();
    if nodes.is_empty() {
        return;
    }
    heading(ui, look, "Breakpoints");
    for node in nodes {
        ui.horizontal(|ui| {
            if remove(ui, &format!("Remove breakpoint on {node}")) {
                session.toggle_breakpoint(&node);
            }
            ui.label(RichText::new("⏺").color(look.error));
            if ui.link(&node).clicked() {
                actions.push(Action::GoToNode(node.clone()));
            }
        });
    }
}

fn inputs(event: &WriteEvent) -> String {
    event.inputs.iter().map(|input| format!("{} = {}", input.wire, list(&input.value))).collect::<Vec<_>>().join("   ")
}

fn heading(ui: &mut Ui, look: &Look, text: &str) {
    ui.label(RichText::new(text).color(look.dim));
}

fn remove(ui: &mut Ui, name: &str) -> bool {
    let button = ui.small_button("✖");
    button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, name));
    button.on_hover_text(name).clicked()
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
