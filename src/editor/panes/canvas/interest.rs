//! The wires whose direction is shown by arrows that run along them.

use std::collections::BTreeSet;
use std::time::Duration;

use eframe::egui::Ui;

use super::Canvas;
use super::wires::WireShape;
use crate::edit::InputEnd;
use crate::model::session::Session;

/// How often running arrows are drawn.
const FRAME: Duration = Duration::from_millis(33);

/// The wires whose direction is shown: those of selected nodes, and the one under the pointer.
#[derive(Default)]
pub(super) struct Interest {
    nodes: BTreeSet<String>,
    pub wire: Option<InputEnd>,
    /// Since when it is these \[s\].
    since: f64,
}

impl Interest {
    /// How long arrows run along wires \[s\]; then they stand still, so that an idle window costs nothing.
    const RUNS: f64 = 5.0;

    /// Notes what is of interest at a time \[s\]. Returns how long it has been, and whether arrows still run.
    fn update(&mut self, nodes: &BTreeSet<String>, wire: Option<InputEnd>, now: f64) -> (f64, bool) {
        if self.nodes != *nodes || self.wire != wire {
            *self = Interest { nodes: nodes.clone(), wire, since: now };
        }
        let lasts = (now - self.since).max(0.0);
        (lasts.min(Interest::RUNS), lasts < Interest::RUNS)
    }
}

impl Canvas {
    /// Finds the wires whose direction is shown, and for how long it has been \[s\].
    pub(super) fn show_direction(&mut self, ui: &Ui, session: &Session) -> f64 {
        let at =
            self.paint.pointer.filter(|at| self.view.rect.contains(*at) && ui.rect_contains_pointer(self.view.rect));
        let free = at.filter(|at| self.node_at(*at).is_none() && self.port_at(*at).is_none() && !self.popups.any());
        let wire = free.and_then(|at| self.wire_at(at)).map(|wire| wire.to.clone());
        self.level.wires.iter_mut().for_each(|other| other.hovered = wire.as_ref() == Some(&other.to));
        let moving = self.level.wires.iter().any(WireShape::moves);
        let (time, runs) = self.interest.update(&session.selection.nodes, wire, ui.input(|input| input.time));
        if moving && runs {
            ui.ctx().request_repaint_after(FRAME);
        }
        time
    }
}
