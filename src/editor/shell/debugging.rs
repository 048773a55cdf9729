//! Carries out the commands of the Debug menu, and shows where a run has stopped.

use eframe::egui;

use super::Editor;
use crate::editor::commands::action::Action;
use crate::editor::commands::command::Command;
use crate::editor::model::pane::Pane;
use crate::editor::model::session::FrameStep;

impl Editor {
    /// Carries out a command of the Debug menu.
    pub(crate) fn debug(&mut self, command: Command) {
        let session = &mut self.session;
        let selected = session.selection.single().map(|name| session.scope().path(name));
        let step = match command {
            Command::StepDispatch => Some(FrameStep::Dispatch),
            Command::StepNode => Some(FrameStep::Node),
            Command::StepIteration => Some(FrameStep::Iteration),
            Command::DispatchBack => Some(FrameStep::Back),
            _ => None,
        };
        match (command, step) {
            // The first step leads into the frame.
            (_, Some(step)) if session.debugger().is_some() => session.step_in_frame(step),
            (_, Some(_)) => session.enter_frame(None),
            (Command::RunToNode, _) => match selected {
                Some(node) if session.debugger().is_some() => session.run_to_node(&node),
                node => session.enter_frame(node),
            },
            (Command::ToggleBreakpoint, _) => {
                if let Some(node) = selected {
                    session.toggle_breakpoint(&node);
                }
            }
            (Command::FindFirstNan, _) => session.find_first_nan(),
            _ => session.leave_frame(),
        }
        if session.is_entering_frame() {
            self.player.playing = false;
        }
        if command != Command::ToggleBreakpoint && command != Command::LeaveFrame {
            self.bring_up(Pane::Debugger);
        }
        self.stale = true;
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
