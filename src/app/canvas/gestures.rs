//! What the pointer does on the canvas, as edits of the document. Works around what the crate gets wrong: it forgets the
//! selection at every press anywhere, zooms into the stored positions, and says nothing of a wire that another replaces.

use std::collections::BTreeSet;

use eframe::egui::{self, PointerButton, Rect, Ui, Vec2, vec2};
use egui_node_graph::NodeResponse;

use super::palette::Answer;
use super::view::Response;
use super::{Canvas, Framing, ZOOM, layout, place_of};
use crate::app::edits::{self, InputEnd};
use crate::app::session::Session;
use crate::document::Link;

/// Below this zoom, names can hardly be read.
const READABLE: f32 = 0.42;

impl Canvas {
    /// Pan, zoom at the pointer, and framing. The crate zooms too, about the middle and into its own positions, so it never
    /// gets to see the wheel.
    pub(super) fn navigate(&mut self, ui: &mut Ui, session: &Session) {
        let over = ui.rect_contains_pointer(self.rect);
        let (wheel, pinch, delta, pointer) = ui.input_mut(|input| {
            let wheel = if over { std::mem::take(&mut input.smooth_scroll_delta) } else { Vec2::ZERO };
            (wheel, input.zoom_delta(), input.pointer.delta(), input.pointer.latest_pos())
        });
        if let (true, Some(pointer)) = (over, pointer) {
            let before = self.zoom;
            self.zoom = (self.zoom * (wheel.y * 0.002).exp() * pinch).clamp(*ZOOM.start(), *ZOOM.end());
            let local = pointer - self.rect.min;
            self.pan = local - (local - self.pan) * (self.zoom / before);
            self.pan.x += wheel.x;
        }
        let held = ui.input(|input| {
            let origin = input.pointer.press_origin().is_some_and(|at| self.rect.contains(at));
            let down = input.pointer.middle_down() || input.pointer.secondary_down();
            origin && down && input.pointer.is_decidedly_dragging()
        });
        if held && self.palette.is_none() {
            self.pan += delta;
        }
        if let Some(framing) = self.framing.take() {
            self.frame(framing, session);
        }
        let pan_zoom = &mut self.state.pan_zoom;
        pan_zoom.zoom(self.rect, ui.style(), self.zoom / pan_zoom.zoom);
        pan_zoom.pan = Vec2::ZERO;
        pan_zoom.started = true;
    }

    fn frame(&mut self, framing: Framing, session: &Session) {
        let mut bounds = Rect::NOTHING;
        let wanted = |name: &String| framing != Framing::Selection || session.selection.contains(name);
        for (name, node) in session.document().nodes.iter().filter(|(name, _)| wanted(name)) {
            let drawn = self.ids.get(name).and_then(|id| self.paint.rects.get(id)).map(|r| r.size() / self.paint.zoom);
            let size = drawn.or(self.faces.get(name).map(layout::node_size)).unwrap_or_default();
            bounds = bounds.union(Rect::from_min_size(place_of(node).to_pos2(), size));
        }
        if !bounds.is_finite() || !bounds.is_positive() {
            return;
        }
        let room = (self.rect.size() - vec2(60.0, 60.0)).max(vec2(1.0, 1.0));
        let fit = (room.x / bounds.width()).min(room.y / bounds.height());
        let least = if framing == Framing::Start { READABLE } else { *ZOOM.start() };
        self.zoom = fit.clamp(least, 1.0);
        self.pan = 0.5 * self.rect.size() - bounds.center().to_vec2() * self.zoom;
        // What does not fit goes out of view on the right and below.
        self.pan = self.pan.max(vec2(30.0, 30.0) - bounds.min.to_vec2() * self.zoom);
    }

    /// Keeps the selection. `boxed`: a box was being drawn.
    pub(super) fn select(&mut self, ui: &Ui, session: &mut Session, boxed: bool, responses: &[Response]) {
        if let (false, Some(start)) = (boxed, &mut self.state.ongoing_box_selection) {
            // The crate notices a drag when it has gone some way already.
            *start = ui.input(|input| input.pointer.press_origin()).unwrap_or(*start);
        }
        if boxed {
            session.selection = self.state.selected_nodes.iter().filter_map(|id| self.name(*id)).collect();
        }
        let (pressed, more) =
            ui.input(|input| (input.pointer.primary_pressed(), input.modifiers.shift || input.modifiers.command));
        let pointer = ui.input(|input| input.pointer.latest_pos());
        let on_node = pointer.is_some_and(|at| self.paint.rects.values().any(|r| r.expand(8.0).contains(at)));
        if pressed && !more && !on_node && ui.rect_contains_pointer(self.rect) {
            session.selection.clear();
        }
        for response in responses {
            match response {
                NodeResponse::SelectNode(id) => {
                    let Some(name) = self.name(*id) else { continue };
                    if !more {
                        session.selection = BTreeSet::from([name]);
                    } else if !session.selection.remove(&name) {
                        session.selection.insert(name);
                    }
                }
                NodeResponse::MoveNode { node, .. } => {
                    if let Some(name) = self.name(*node).filter(|name| !session.selection.contains(name)) {
                        session.selection = BTreeSet::from([name]);
                    }
                }
                _ => {}
            }
        }
    }

    /// Moves what is selected.
    pub(super) fn drag(&mut self, ui: &Ui, session: &mut Session, responses: &[Response]) {
        let down = ui.input(|input| input.pointer.primary_down());
        for response in responses {
            if let (NodeResponse::MoveNode { drag_delta, .. }, true) = (response, down) {
                let by = *drag_delta / self.zoom;
                let names = session.selection.clone();
                session.arrange("move", |document| edits::shift(document, &names, (by.x, by.y)));
                self.moved = true;
            }
        }
        if self.moved && !down {
            session.arrange("move", edits::round_positions);
            self.moved = false;
        }
    }

    /// Wires that were let go: taken off an input, put on one, or moved from one to another.
    pub(super) fn wire(&mut self, session: &mut Session, responses: &[Response]) -> Result<(), String> {
        let mut target = None;
        for response in responses {
            match response {
                NodeResponse::DisconnectEvent { input, .. } => self.picked = self.input_end(*input),
                NodeResponse::ConnectEventEnded { output, input } => {
                    target = self.link(*output).zip(self.input_end(*input));
                }
                _ => {}
            }
        }
        if self.state.connection_in_progress.is_some() {
            return Ok(());
        }
        match (self.picked.take(), target) {
            (None, None) => Ok(()),
            (Some(picked), Some((_, end))) if picked == end => Ok(()),
            (picked, target) => rewire(session, picked.as_ref(), target),
        }
    }

    /// The palette: opened by a right click or a double click on the background.
    pub(super) fn palette(&mut self, ui: &Ui, session: &mut Session) {
        let pointer = ui.input(|input| input.pointer.latest_pos());
        let clicked = ui.input(|input| {
            let double = input.pointer.button_double_clicked(PointerButton::Primary);
            input.pointer.button_clicked(PointerButton::Secondary) || double
        });
        let on_node = pointer.is_some_and(|at| self.paint.rects.values().any(|r| r.contains(at)));
        if clicked && !on_node && ui.rect_contains_pointer(self.rect) {
            self.open_palette(session, pointer);
            return;
        }
        let Some(palette) = &mut self.palette else { return };
        match palette.show(ui.ctx()) {
            Answer::Open => {}
            Answer::Closed => self.palette = None,
            Answer::Chosen(wish, mut node) => {
                let at = (palette.at() - self.rect.min - self.pan) / self.zoom;
                node.at = (at.x.round(), at.y.round());
                self.palette = None;
                let mut name = String::new();
                session.edit("add", |document| name = edits::add(document, &wish, *node));
                session.selection = BTreeSet::from([name]);
            }
        }
    }

    /// Removes the selected nodes.
    pub fn delete(&mut self, session: &mut Session) {
        if !session.selection.is_empty() {
            let names = std::mem::take(&mut session.selection);
            session.edit("delete", |document| edits::remove(document, &names));
        }
    }

    /// Gives every node a place anew.
    pub fn arrange(&mut self, session: &mut Session) {
        session.arrange("arrange", |document| layout::arrange(document, &self.faces));
        self.framing = Some(Framing::All);
    }
}

pub(super) fn rewire(
    session: &mut Session,
    off: Option<&InputEnd>,
    on: Option<(Link, InputEnd)>,
) -> Result<(), String> {
    let mut after = session.document().clone();
    if let Some(off) = off {
        edits::disconnect(&mut after, off);
    }
    if let Some((from, to)) = on {
        edits::connect(&mut after, from, &to);
        if let Some(problem) = edits::refusal(session.document(), &after, &to, session.library()) {
            return Err(format!("Not connected. {problem}"));
        }
    }
    session.edit("wire", |document| *document = after);
    Ok(())
}

/// Where the pointer would open something, for a command that came by the keyboard.
pub fn pointer(ctx: &egui::Context) -> Option<egui::Pos2> {
    ctx.input(|input| input.pointer.latest_pos())
}
