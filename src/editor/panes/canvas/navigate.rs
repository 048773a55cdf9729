//! Moves the view of the open level: pan, zoom and framing.

use eframe::egui::{self, Rect, Ui, Vec2, vec2};

use super::free_place;
use super::state::Canvas;
use super::viewport::{Framing, READABLE, Spot};
use crate::model::layout;
use crate::model::session::Session;

const ZOOM: std::ops::RangeInclusive<f32> = 0.2..=2.0;

/// Margin around nodes that are framed \[points\].
const MARGIN: Vec2 = vec2(30.0, 30.0);

/// What nodes grow before they are framed again \[points of the document\]: text takes a little more or less room at each zoom.
const GROWN: f32 = 10.0;

impl Canvas {
    pub(crate) fn frame_all(&mut self) {
        self.view.framing = Some(Framing::All);
    }

    /// Brings the selection into view when the canvas is drawn next, if it is out of view then.
    pub(crate) fn reveal(&mut self) {
        self.view.reveal = true;
    }

    pub(crate) fn frame_selection(&mut self) {
        self.view.framing = Some(Framing::Selection);
    }

    /// Brings the selection into view if that was requested and it is out of view.
    pub(super) fn frame_revealed(&mut self, session: &Session) {
        if !std::mem::take(&mut self.view.reveal) {
            return;
        }
        let view = self.view.rect.shrink(free_place::EDGE);
        let seen = |name: &String| self.window_area(session, name).is_some_and(|area| view.contains_rect(area));
        if !session.selection.nodes.iter().all(seen) {
            self.view.framing = Some(Framing::Selection);
        }
    }

    /// Pan, zoom at the pointer, and framing. The crate zooms too, about the middle and into its own positions, so it never
    /// gets to see the wheel.
    pub(super) fn navigate(&mut self, ui: &mut Ui, session: &Session) {
        let over = ui.rect_contains_pointer(self.view.rect);
        let (wheel, pinch, delta, pointer, modifiers) = ui.input_mut(|input| {
            let wheel = if over { std::mem::take(&mut input.smooth_scroll_delta) } else { Vec2::ZERO };
            (wheel, input.zoom_delta(), input.pointer.delta(), input.pointer.latest_pos(), input.modifiers)
        });
        if let (true, Some(pointer)) = (over, pointer) {
            let before = self.view.zoom;
            self.view.zoom = (self.view.zoom * (wheel.y * 0.002).exp() * pinch).clamp(*ZOOM.start(), *ZOOM.end());
            let local = pointer - self.view.rect.min;
            self.view.pan = local - (local - self.view.pan) * (self.view.zoom / before);
            self.view.pan.x += wheel.x;
        }
        let held = ui.input(|input| {
            let origin = input.pointer.press_origin().is_some_and(|at| self.view.rect.contains(at));
            let plain = modifiers.is_none() && input.pointer.secondary_down();
            origin && (input.pointer.middle_down() || plain) && input.pointer.is_decidedly_dragging()
        });
        if held && self.popups.palette.is_none() {
            self.view.pan += delta;
            ui.ctx().set_cursor_icon(egui::CursorIcon::Grabbing);
        }
        self.follow_edge(ui);
        self.frame_grown(session);
        if let Some(framing) = self.view.framing.take() {
            self.frame(framing, session);
            let spot = Spot { pan: self.view.pan, zoom: self.view.zoom };
            self.view.opened = (framing == Framing::Start).then(|| (spot, self.bounds(session, |_| true)));
        }
        let pan_zoom = &mut self.state.pan_zoom;
        pan_zoom.zoom(self.view.rect, ui.style(), self.view.zoom / pan_zoom.zoom);
        pan_zoom.pan = Vec2::ZERO;
        pan_zoom.started = true;
    }

    /// Frames a level again whose nodes have got thumbnails since it was opened, if the view is still where it was then.
    fn frame_grown(&mut self, session: &Session) {
        let Some((spot, bounds)) = self.view.opened else { return };
        let still = (spot.pan, spot.zoom) == (self.view.pan, self.view.zoom) && !session.history().can_undo();
        let now = self.bounds(session, |_| true);
        let grown = (now.size() - bounds.size()).abs().max_elem() > GROWN;
        if !still {
            self.view.opened = None;
        } else if !self.thumbnails.is_empty() && grown {
            self.view.framing = Some(Framing::Start);
        }
    }

    /// Scrolls while a wire is dragged to the edge of the canvas.
    fn follow_edge(&mut self, ui: &Ui) {
        const EDGE: f32 = 24.0;
        if self.state.connection_in_progress.is_none() {
            return;
        }
        let Some(at) = ui.input(|input| input.pointer.latest_pos()) else { return };
        let inner = self.view.rect.shrink(EDGE);
        if !inner.is_positive() {
            return;
        }
        let beyond = at - inner.clamp(at);
        if beyond != Vec2::ZERO {
            let dt = ui.input(|input| input.stable_dt.min(0.1));
            self.view.pan -= beyond.clamp(Vec2::splat(-EDGE), Vec2::splat(EDGE)) * (20.0 * dt);
            ui.ctx().request_repaint();
        }
    }

    fn frame(&mut self, framing: Framing, session: &Session) {
        if let Framing::Place { center, zoom } = framing {
            self.view.zoom = zoom.clamp(*ZOOM.start(), *ZOOM.end());
            self.view.pan = 0.5 * self.view.rect.size() - layout::finite(center) * self.view.zoom;
            return;
        }
        let chosen = |name: &str| framing != Framing::Selection || session.selection.contains(name);
        let mut bounds = self.bounds(session, chosen);
        if framing != Framing::Selection {
            let frames = (0..session.frames().len()).filter_map(|index| self.frame_in_room(session, index));
            bounds = frames.fold(bounds, Rect::union);
        }
        if !bounds.is_finite() || !bounds.is_positive() {
            return;
        }
        let room = (self.view.rect.size() - 2.0 * MARGIN).max(vec2(1.0, 1.0));
        let fit = (room.x / bounds.width()).min(room.y / bounds.height());
        let least = if framing == Framing::Start { READABLE } else { *ZOOM.start() };
        self.view.zoom = fit.clamp(least, 1.0);
        self.view.pan = 0.5 * self.view.rect.size() - bounds.center().to_vec2() * self.view.zoom;
        if framing == Framing::Start {
            // Nodes that do not fit are out of view on the right and below.
            self.view.pan = self.view.pan.max(MARGIN - bounds.min.to_vec2() * self.view.zoom);
        }
    }

    /// A point of the window in the document's points.
    pub(super) fn to_document(&self, at: egui::Pos2) -> Vec2 {
        (at - self.view.rect.min - self.view.pan) / self.view.zoom
    }
}
