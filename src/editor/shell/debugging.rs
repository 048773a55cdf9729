//! Carries out the commands of the Debug menu, and shows where a run has stopped.

use eframe::egui;

use super::Editor;
use crate::commands::action::Action;
use crate::model::pane::Pane;
use crate::model::session::FrameStep;

impl Editor {
    /// Steps within the frame. The first step leads into it.
    pub(crate) fn step_in_frame(&mut self, step: FrameStep) {
        match self.session.debugger() {
            Some(_) => self.session.step_in_frame(step),
            None => self.session.enter_frame(None),
        }
        self.show_debugger();
    }

    /// Runs within the frame until the selected node.
    pub(crate) fn run_to_node(&mut self) {
        match (self.selected_path(), self.session.debugger()) {
            (Some(node), Some(_)) => self.session.run_to_node(&node),
            (node, _) => self.session.enter_frame(node),
        }
        self.show_debugger();
    }

    pub(crate) fn find_first_nan(&mut self) {
        self.session.find_first_nan();
        self.show_debugger();
    }

    pub(crate) fn leave_frame(&mut self) {
        self.session.leave_frame();
        self.show_again();
    }

    /// Sets or removes the breakpoint at the selected node.
    pub(crate) fn toggle_breakpoint(&mut self) {
        if let Some(node) = self.selected_path() {
            self.session.toggle_breakpoint(&node);
        }
        self.show_again();
    }

    /// Path of the only selected node.
    fn selected_path(&self) -> Option<String> {
        self.session.selection.single().map(|name| self.session.scope().path(name))
    }

    fn show_debugger(&mut self) {
        self.bring_up(Pane::Debugger);
        self.show_again();
    }

    /// Updates the views, and pauses where a frame is being entered.
    fn show_again(&mut self) {
        self.player.playing &= !self.session.is_entering_frame();
        self.shown.stale = true;
        self.player.refresh();
    }

    /// Shows where a run has stopped: the node, and the wire of the cell or particle.
    pub(crate) fn show_stop(&mut self, ctx: &egui::Context) {
        let Some(report) = self.session.report() else { return };
        let (node, place) = (report.node.clone(), report.place());
        let wire = report.wire.clone().filter(|wire| place.is_some() && !self.session.is_viewed(wire));
        self.carry_out(node.map(Action::GoToNode).into_iter().collect(), ctx);
        if let Some(wire) = wire {
            self.view_path(&wire);
        }
    }
}
