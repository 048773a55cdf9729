//! The buttons and lists that choose A and B.

use eframe::egui::{self, RichText, Ui};

use super::list::{Choosing, List};
use super::measure::Measuring;
use super::other::Change;
use super::pane::ComparePane;
use super::sides::Against;
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::model::session::{Session, SnapshotSlot};
use crate::panes::view::widgets::choice;
use crate::sim::Simulation;
use crate::sim::host_copy::CopySubject;
use crate::toolkit::picker;

impl ComparePane {
    /// What is compared of the running graph.
    pub(super) fn live_button(&mut self, ui: &mut Ui, session: &Session) {
        let name = self.live.as_ref().map_or("Choose…", CopySubject::name).to_string();
        let button = ui.button(RichText::new(name).monospace().small());
        button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "compared wire"));
        if button.on_hover_text("Choose an image or a wire of the running graph").clicked() {
            self.open_list(ui, session.running_simulation(), Choosing::Live);
        }
    }

    /// Menu of what the running graph is compared with.
    pub(super) fn other_menu(&mut self, ui: &mut Ui, session: &Session, actions: &mut Actions) {
        let mut list = None;
        let mut hold = false;
        let mut with = None;
        let name = match &self.against {
            Against::Nothing => "Compare with…".to_string(),
            Against::Wire(subject) => subject.name().to_string(),
            Against::Held(copy) => format!("{}, frame {}", copy.subject, copy.frame),
            Against::Other(other) => match &other.subject {
                Some(subject) => format!("{subject}, {}", other.change.title()),
                None => other.change.title(),
            },
        };
        let menu = ui.menu_button(RichText::new(name).monospace().small(), |ui| {
            if let Against::Other(_) = self.against
                && ui.button("Choose the wire of B…").clicked()
            {
                list = Some(Choosing::OfOther);
            }
            if ui.button("Another wire or image…").clicked() {
                list = Some(Choosing::Wire);
            }
            let held = ui.button("This frame, held");
            hold = held
                .on_hover_text("Keep the values of this frame, and compare later or earlier ones with them")
                .clicked();
            variants(ui, session, &mut with);
            for slot in SnapshotSlot::BOTH {
                if let Some(stored) = session.stored_snapshot(slot)
                    && ui.button(format!("Snapshot {}", slot.name())).clicked()
                {
                    with = Some(Change::Snapshot(slot, Box::new(stored.clone())));
                }
            }
            if ui.button("Another graph…").on_hover_text("A graph file, run with the same input").clicked() {
                actions.push(Action::CompareFile);
            }
            let selected = session.selection.single().is_some();
            let replace = ui.add_enabled(selected, egui::Button::new("Selected node replaced…"));
            if replace.on_hover_text("This graph with another stage in place of the selected node").clicked() {
                actions.push(Action::Run(Command::CompareStage));
            }
        });
        menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "compare with"));
        match (list, &self.against) {
            (Some(Choosing::OfOther), Against::Other(other)) => {
                // The list needs the plan alone.
                let items = other.simulation().map(|there| List::new(ui, there, Choosing::OfOther));
                self.list = items;
            }
            (Some(choosing), _) => self.open_list(ui, session.running_simulation(), choosing),
            (None, _) => {}
        }
        if let Some(change) = with {
            self.compare_with(change);
        }
        self.holds |= hold;
    }

    /// A button that makes the other graph the running one.
    pub(super) fn apply_button(&mut self, ui: &mut Ui, session: &mut Session) {
        let Against::Other(other) = &self.against else { return };
        let Some(document) = other.document().filter(|_| other.change.can_apply() && session.editable()) else {
            return;
        };
        let side = if self.swapped { "Apply A" } else { "Apply B" };
        if choice(ui, false, side, "Take the change into the graph, as one undo step").clicked() {
            session.end_gesture();
            session.edit("apply comparison", |now| *now = document);
            session.end_gesture();
            self.set_against(Against::Nothing);
        }
    }

    /// Holds the values of the present frame.
    ///
    /// # Errors
    /// Why they cannot be copied, in one sentence.
    pub(super) fn hold(&mut self, simulation: &Simulation) -> Result<(), String> {
        let Some(live) = &self.live else { return Ok(()) };
        let reading = simulation.take(live).map_err(|problem| problem.to_string())?;
        let copy = reading.wait().ok_or("the values could not be copied from the GPU; reset the simulation")?;
        self.set_against(Against::Held(copy.into()));
        Ok(())
    }

    pub(super) fn set_against(&mut self, against: Against) {
        self.against = against;
        self.forget();
        self.swapped &= !matches!(self.against, Against::Nothing | Against::Wire(_));
    }

    /// What was measured is of something else.
    fn forget(&mut self) {
        (self.measured, self.fault, self.stale) = (None, None, true);
        self.measuring = Measuring::Idle;
    }

    pub(super) fn swap(&mut self) {
        match (&mut self.live, &mut self.against) {
            (Some(live), Against::Wire(other)) => std::mem::swap(live, other),
            (_, Against::Nothing) => return,
            _ => self.swapped = !self.swapped,
        }
        self.stale = true;
    }

    fn open_list(&mut self, ui: &Ui, simulation: Option<&Simulation>, choosing: Choosing) {
        self.list = simulation.map(|simulation| List::new(ui, simulation, choosing));
    }

    /// Shows the open list and takes what was chosen.
    pub(super) fn choose(&mut self, ctx: &egui::Context) {
        let Some(List { choosing, subjects, picker }) = &mut self.list else { return };
        let chosen = match picker.show(ctx) {
            picker::Answer::Open => return,
            picker::Answer::Closed => None,
            picker::Answer::Chosen(index) => subjects.get(index).cloned().map(|subject| (*choosing, subject)),
        };
        self.list = None;
        match (chosen, &mut self.against) {
            (Some((Choosing::Live, subject)), _) => {
                self.live = Some(subject);
                self.forget();
            }
            (Some((Choosing::Wire, subject)), _) => self.set_against(Against::Wire(subject)),
            (Some((Choosing::OfOther, subject)), Against::Other(other)) => {
                other.subject = Some(subject.name().to_string());
                self.forget();
            }
            _ => {}
        }
    }
}

/// The variants of the graph that are not chosen.
fn variants(ui: &mut Ui, session: &Session, with: &mut Option<Change>) {
    let document = session.document();
    let others = document.variant_names().map(Some).chain([None]).filter(|name| *name != session.variant());
    let others: Vec<Option<String>> = others.map(|name| name.map(str::to_string)).collect();
    if document.variants.is_empty() {
        return;
    }
    ui.menu_button("Variant", |ui| {
        for name in others {
            if ui.button(name.as_deref().unwrap_or("Default")).clicked() {
                *with = Some(Change::Variant(name));
            }
        }
    });
}
