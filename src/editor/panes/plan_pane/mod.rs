//! The running plan, dispatch by dispatch: the purpose of each, its GPU time and memory, and what it reads and
//! writes. Everything is derived from the plan itself.

mod buffers;
mod cell;
mod facts;
mod figures;
mod heat;
mod kernel;
mod memory;
mod rows;
mod state;
mod table;
#[cfg(test)]
mod tests;

use eframe::egui::{self, RichText, Ui};

use crate::commands::action::Actions;
use crate::gpu::{List, Profile};
use crate::model::pane::Pane;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::plan::Plan;
use crate::toolkit::theme::{self, Look};
use facts::Facts;
pub(crate) use figures::bytes;
pub(crate) use heat::heat;
pub(crate) use kernel::KernelText;
pub(crate) use memory::budget;
use rows::{LISTS, Rows, Wish};
pub(crate) use state::PlanPane;

/// Interval at which times are updated \[s\]; if it were shorter, they could not be read.
pub(crate) const RENEW: f64 = 0.25;

/// Interval at which rows are sorted by their times \[s\].
const RESORT: f64 = 1.5;

impl PaneContent for PlanPane {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.actions);
        Ok(())
    }

    fn framed(&self) -> bool {
        true
    }

    fn opened(&mut self) {
        *self = PlanPane::default();
    }

    /// Single dispatches are timed only while the table is shown.
    fn after_frame(&mut self, session: &mut Session, _: bool) {
        let looked_at = std::mem::take(&mut self.shown) && !self.memory;
        if !looked_at {
            session.hover(Pane::Plan, None);
        }
        let profile = if looked_at { Profile::Dispatches } else { Profile::Nodes };
        if let Some(simulation) = session.simulation().filter(|s| s.profiling() != profile) {
            simulation.set_profiling(profile);
        }
    }
}

impl PlanPane {
    /// Draws the pane.
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        self.shown = true;
        if session.running_simulation().is_none() {
            ui.label(RichText::new("The plan appears when the graph runs.").color(theme::current(ui).faint));
            // A larger budget may be all that the plan needs.
            ui.horizontal(|ui| memory::budget(ui, session));
            return;
        }
        self.renew(ui, session);
        self.head(ui, session);
        if self.memory {
            memory::show(ui, self, session, actions);
        } else {
            table::show(ui, self, session, actions);
        }
    }

    /// Updates rows and times.
    fn renew(&mut self, ui: &Ui, session: &Session) {
        let Some(simulation) = session.running_simulation() else { return };
        let now = ui.input(|input| input.time);
        let look = theme::current(ui);
        let plan = simulation.plan();
        let built = Some((session.plans(), look.dark));
        let anew = self.built != built;
        if anew && self.built.map(|b| b.0) != Some(session.plans()) {
            self.means = Default::default();
        }
        let renew = anew || now - self.renewed >= RENEW;
        if renew {
            self.renewed = now;
            for (list, means) in LISTS.into_iter().zip(&mut self.means) {
                // Old values stay until there are newer ones.
                if let Some(times) = simulation.dispatch_times(list) {
                    *means = times.means();
                }
            }
            self.total = self.means.last().map_or(0.0, |frame| frame.iter().sum());
        }
        // Not under the pointer: what is aimed at stays where it is.
        let aimed = ui.input(|input| input.pointer.hover_pos()).is_some_and(|at| ui.max_rect().contains(at));
        let resort = self.by_time && now - self.sorted >= RESORT && !aimed;
        if anew || std::mem::take(&mut self.stale) || resort {
            (self.built, self.sorted) = (built, now);
            self.rebuild(plan, session, look);
            self.sum();
        } else if renew {
            self.sum();
        }
        if self.selection != session.selection.nodes {
            self.selection.clone_from(&session.selection.nodes);
            self.found = table::first_selected(self, session);
        }
    }

    fn rebuild(&mut self, plan: &Plan, session: &Session, look: &Look) {
        let filter = self.filter.trim().to_lowercase();
        let time = |list: List, dispatch: usize| -> f64 {
            self.means.get(list as usize).and_then(|means| means.get(dispatch)).copied().unwrap_or(0.0)
        };
        let times: Option<&dyn Fn(List, usize) -> f64> = if self.by_time { Some(&time) } else { None };
        self.rows = Rows::new(plan, &Wish { filter: &filter, times, turned: &self.turned });
        let facts = |row: &rows::Row| Facts::new(plan, session, look, row, self.rows.items(row));
        self.facts = self.rows.rows.iter().map(facts).collect();
    }

    fn sum(&mut self) {
        let sum = |row: &rows::Row| -> f64 {
            let Some(means) = self.means.get(row.list as usize) else { return 0.0 };
            self.rows.items(row).iter().filter_map(|item| means.get(*item)).sum()
        };
        self.row_ms = self.rows.rows.iter().map(sum).collect();
    }

    /// Totals of the frame, and controls of the table.
    fn head(&mut self, ui: &mut Ui, session: &Session) {
        let Some(simulation) = session.running_simulation() else { return };
        let (look, plan) = (theme::current(ui), simulation.plan());
        ui.horizontal(|ui| {
            for (memory, label, hint) in [
                (false, "Dispatches", "Dispatches in execution order"),
                (true, "Memory", "Buffers and the wires in them"),
            ] {
                if ui.selectable_label(self.memory == memory, label).on_hover_text(hint).clicked() {
                    self.memory = memory;
                }
            }
            ui.separator();
            if !self.memory {
                let field = egui::TextEdit::singleline(&mut self.filter).hint_text("Filter").desired_width(110.0);
                let response = ui.add(field).on_hover_text("Filter by node, stage, wire or domain");
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Filter"));
                self.stale |= response.changed();
            }
            if ui.button("Copy as text").on_hover_text("Copy the plan as text").clicked() {
                ui.ctx().copy_text(plan.to_text());
            }
            ui.separator();
            let mut figure = |value: String, unit: &str, hint: &str| {
                ui.label(RichText::new(value).monospace()).on_hover_text(hint);
                ui.label(RichText::new(unit).small().color(look.dim)).on_hover_text(hint);
                ui.add_space(4.0);
            };
            figure(plan.frame.len().to_string(), "dispatches", "Dispatches per frame");
            let timed = self.means.last().is_some_and(|frame| !frame.is_empty());
            let gpu = if timed { figures::ms(self.total) } else { "–".into() };
            figure(gpu, "ms GPU", "GPU time per frame, mean of the last 30");
            let cpu = simulation.cpu_times().spread(0).mean;
            figure(figures::ms(cpu), "ms CPU", "CPU time per step, mean of the last 30");
            let buffers = format!("in {}", figures::count(plan.buffers.len(), "buffer", "buffers"));
            figure(figures::bytes(plan.memory), &buffers, "GPU memory of the plan");
        });
        if !plan.edited.is_empty() {
            let apart = format!("Kept apart while its text is edited: {}", plan.edited.join(", "));
            let hint = "So that an edit compiles small kernels. When typing pauses, it shares dispatches with other nodes again.";
            ui.label(RichText::new(apart).small().color(look.dim)).on_hover_text(hint);
        }
    }
}
