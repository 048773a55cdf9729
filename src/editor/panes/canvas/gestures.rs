//! Turns gestures of the pointer into edits of the document. Works around faults of the crate: it forgets the
//! selection at every press anywhere, zooms into the stored positions, and does not report a wire that another one replaces.

use std::collections::BTreeSet;

use eframe::egui::{self, Key, PointerButton, Rect, Ui, Vec2};
use egui_node_graph::NodeResponse;

use super::frames;
use super::gesture_state::Grip;
use super::palette::Palette;
use super::state::Canvas;
use super::view::{Response, WidgetAction};
use crate::commands::action::{Action, Actions};
use crate::document::{Document, Link, ParamValue};
use crate::edit::{self, InputEnd};
use crate::model::layout;
use crate::model::session::{Selection, Session};
use crate::toolkit::theme;

impl Canvas {
    /// Updates the selection. `boxed`: a selection box is being drawn.
    pub(super) fn select(&mut self, ui: &Ui, session: &mut Session, boxed: bool, responses: &[Response]) {
        if let (false, Some(start)) = (boxed, &mut self.state.ongoing_box_selection) {
            // The crate notices a drag only after some distance.
            *start = ui.input(|input| input.pointer.press_origin()).unwrap_or(*start);
        }
        if boxed {
            session.selection.nodes = self.state.selected_nodes.iter().filter_map(|id| self.name(*id)).collect();
        }
        let (pressed, more) =
            ui.input(|input| (input.pointer.primary_pressed(), input.modifiers.shift || input.modifiers.command));
        let pointer = ui.input(|input| input.pointer.latest_pos());
        let on_node = pointer.is_some_and(|at| self.paint.rects.values().any(|r| r.expand(8.0).contains(at)));
        if pressed && !more && !on_node && self.gesture.held_frame.is_none() && ui.rect_contains_pointer(self.view.rect)
        {
            session.selection.clear();
        }
        for response in responses {
            match response {
                NodeResponse::SelectNode(id) => {
                    let Some(name) = self.name(*id) else { continue };
                    session.selection.frame = None;
                    if !more {
                        session.selection.nodes = BTreeSet::from([name]);
                    } else if !session.selection.nodes.remove(&name) {
                        session.selection.nodes.insert(name);
                    }
                }
                NodeResponse::MoveNode { node, .. } => {
                    if let Some(name) = self.name(*node).filter(|name| !session.selection.contains(name)) {
                        session.selection = Selection::of_node(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// Moves the selection; a single node that is dropped on a wire is inserted into it.
    pub(super) fn drag(&mut self, ui: &Ui, session: &mut Session, responses: &[Response]) -> Result<(), String> {
        let (down, press, pointer) =
            ui.input(|input| (input.pointer.primary_down(), input.pointer.press_origin(), input.pointer.latest_pos()));
        let scope = session.scope().clone();
        let dragged = responses.iter().any(|response| matches!(response, NodeResponse::MoveNode { .. }));
        if let (true, true, true, None, Some(press)) = (dragged, down, session.editable(), &self.gesture.grip, press) {
            let places =
                session.selection.nodes.iter().map(|name| (name.clone(), layout::node_position(session.level(), name)));
            let places: Vec<(String, Vec2)> = places.collect();
            let area = self.bounds(session, |name| session.selection.contains(name));
            self.gesture.grip = Some(Grip { press: self.to_document(press), places, area });
        }
        if let (Some(grip), true, Some(pointer)) = (self.gesture.grip.clone(), down, pointer) {
            // Measured from the press, so that the distance before a drag is recognised counts as well.
            let by = self.to_document(pointer) - grip.press;
            let by = by + self.snap(ui, session, grip.area.translate(by));
            session.arrange("move", |document| {
                for (name, start) in &grip.places {
                    let at = *start + by;
                    edit::place(document, &scope, name, (at.x, at.y));
                }
            });
            self.gesture.moved = true;
        }
        if !down {
            self.gesture.grip = None;
        }
        let target = if self.gesture.moved { self.insertion(ui, session) } else { None };
        if !self.gesture.moved || down {
            self.gesture.target = target;
            return Ok(());
        }
        self.gesture.target = None;
        self.gesture.moved = false;
        self.gesture.guides.clear();
        session.arrange("move", |document| edit::round_positions(document, &scope));
        let Some((end, name)) = target.zip(session.selection.first().cloned()) else {
            self.put_down(session, !ui.input(|input| input.modifiers.alt));
            return Ok(());
        };
        let mut after = session.document().clone();
        edit::insert_on_wire(&mut after, &scope, &name, &end, session.library())?;
        self.make_room(&mut after, session, &name);
        let before = self.shown(session);
        session.edit("move", |document| *document = after);
        self.glide_from(before);
        Ok(())
    }

    /// Leaves the selected nodes where they are shown after a drag. Nodes that they cover move out of their way, and their frames grow.
    fn put_down(&mut self, session: &mut Session, room: bool) {
        let scope = session.scope().clone();
        let before = self.shown(session);
        let selected = session.selection.nodes.iter().filter(|name| self.level.signatures.contains_key(*name));
        let wanted = selected.map(|name| (name.clone(), self.shown_at(session, name))).collect();
        let mut after = session.document().clone();
        for (name, at) in self.places_shown_at(session.document(), &scope, &wanted) {
            edit::place(&mut after, &scope, &name, (at.x, at.y));
        }
        edit::round_positions(&mut after, &scope);
        let level = after.level(&scope).filter(|_| room);
        if let Some((flow, framed)) =
            level.map(|level| (self.flow(level), level.frames().iter().map(layout::frame_area)))
        {
            let (areas, framed) = (self.plain_areas(&flow), framed.collect::<Vec<Rect>>());
            let put: Vec<usize> =
                (0..flow.names.len()).filter(|node| wanted.contains_key(&flow.names[*node])).collect();
            let free = layout::clear_of(&areas, &put);
            for ((name, was), area) in flow.names.iter().zip(&areas).zip(&free) {
                if was != area {
                    edit::place(&mut after, &scope, name, (area.left().round(), area.top().round()));
                }
            }
            frames::resize(&mut after, &scope, &layout::enclosing(&framed, &areas, &free));
        }
        if after != *session.document() {
            session.arrange("move", |document| *document = after);
            self.glide_from(before);
        }
    }

    /// A single node without wires that is being dragged; a node that is connected already is just moved.
    pub(super) fn loose<'a>(&self, session: &'a Session) -> Option<&'a String> {
        let name = session.selection.single().filter(|_| self.gesture.grip.is_some() || self.gesture.moved)?;
        let node = session.nodes().get(name)?;
        let read = session.wires().any(|(_, link)| link.node == *name);
        (node.inputs.is_empty() && !read).then_some(name)
    }

    /// Moves a node that was inserted into a wire between its neighbours, and others out of its way.
    fn make_room(&self, document: &mut Document, session: &Session, name: &str) {
        let Some(level) = document.level(session.scope()) else { return };
        let flow = self.flow(level);
        let places = layout::with_room(&flow, name);
        for (name, at) in flow.names.iter().zip(places) {
            edit::place(document, session.scope(), name, (at.x, at.y));
        }
        edit::round_positions(document, session.scope());
    }

    /// The end of the wire that a single dragged node would be inserted into.
    fn insertion(&self, ui: &Ui, session: &Session) -> Option<InputEnd> {
        self.loose(session)?;
        let at = ui.input(|input| input.pointer.latest_pos())?;
        self.wire_at(at).map(|wire| wire.to.clone())
    }

    /// Numbers that were changed on the nodes themselves.
    pub(super) fn ask(&mut self, session: &mut Session, responses: &[Response]) -> Result<(), String> {
        for response in responses {
            let NodeResponse::User(WidgetAction::Repeat(id, count)) = response else { continue };
            let Some(name) = self.name(*id).filter(|_| session.editable()) else { continue };
            let scope = session.scope().clone();
            let mut result = Ok(());
            session.edit(&format!("{name}.iterations"), |document| {
                let count = Some(ParamValue::Number(f64::from(*count)));
                result = edit::set_iterations(document, &scope, &name, count);
            });
            result?;
        }
        Ok(())
    }

    /// Wires that were dropped: disconnected, connected, or moved to another input.
    pub(super) fn wire(&mut self, session: &mut Session, responses: &[Response]) -> Result<(), String> {
        let mut target = None;
        for response in responses {
            match response {
                NodeResponse::DisconnectEvent { input, .. } if session.editable() => {
                    self.gesture.picked = self.input_end(*input);
                }
                NodeResponse::ConnectEventEnded { output, input } => {
                    target = self.link(*output).zip(self.input_end(*input));
                }
                _ => {}
            }
        }
        if self.state.connection_in_progress.is_some() {
            return Ok(());
        }
        self.gesture.taken_off = self.gesture.picked.take();
        if !session.editable() {
            return Ok(());
        }
        match (self.gesture.taken_off.clone(), target) {
            (None, None) => Ok(()),
            (Some(picked), Some((_, end))) if picked == end => Ok(()),
            (Some(_), None) if self.gesture.escaped => Ok(()),
            (picked, target) => rewire(session, picked.as_ref(), target),
        }
    }

    /// Escape cancels a drag.
    pub(super) fn escape(&mut self, ui: &Ui) {
        let busy = self.state.connection_in_progress.is_some() || self.gesture.stroke.is_some();
        if busy && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape)) {
            self.state.connection_in_progress = None;
            self.gesture.picked = None;
            self.gesture.stroke = None;
            self.gesture.escaped = true;
        }
    }

    /// Clicks on wires, ports, nodes and the background that the crate does not report.
    pub(super) fn clicks(&mut self, ui: &Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        self.escape(ui);
        // In a slow frame, the pointer may have moved on since the release.
        let released = |input: &egui::InputState| {
            input.events.iter().rev().find_map(|event| match event {
                egui::Event::PointerButton { pos, pressed: false, .. } => Some(*pos),
                _ => None,
            })
        };
        let Some(at) = ui.input(|input| released(input).or(input.pointer.interact_pos())) else { return Ok(()) };
        if !ui.rect_contains_pointer(self.view.rect) || self.gesture.stroke.is_some() {
            return Ok(());
        }
        let (single, double, other) = ui.input(|input| {
            let double = input.pointer.button_double_clicked(PointerButton::Primary);
            let primary = input.pointer.button_clicked(PointerButton::Primary) && !double;
            (primary, double, input.pointer.button_clicked(PointerButton::Secondary))
        });
        if single || double {
            self.click(ui, session, at, double, actions)?;
        }
        if other {
            self.open_menu(ui, session, at);
        }
        Ok(())
    }

    fn click(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        at: egui::Pos2,
        double: bool,
        actions: &mut Actions,
    ) -> Result<(), String> {
        if let Some((node, end, port)) = self.port_at(at) {
            let link = match end {
                super::view::End::Output => Some(Link { node, port }),
                super::view::End::Input => session.source(&InputEnd { node, port }),
            };
            actions.extend(link.map(Action::ViewWire));
            return Ok(());
        }
        if let Some(name) = self.node_at(at) {
            if double && !session.enter(&name) && session.editable() {
                self.rename(session, &name);
            }
            return Ok(());
        }
        if let Some(wire) = self.wire_at(at).cloned() {
            if double && session.editable() {
                self.add_dot(session, at, wire.from.clone(), std::slice::from_ref(&wire.to))?;
            } else if !double {
                actions.push(Action::ViewWire(wire.from));
            }
            return Ok(());
        }
        let frame = self.frame_at(session, at);
        if double && frame.is_none() && session.editable() {
            self.open_palette(ui.ctx(), session, Some(at));
        }
        Ok(())
    }

    /// Opens the palette of nodes to add, at the pointer if that is over the canvas.
    pub(crate) fn open_palette(&mut self, ctx: &egui::Context, session: &Session, pointer: Option<egui::Pos2>) {
        let place = self.pointed(pointer);
        let at = place.unwrap_or(self.view.rect.center());
        let palette = self.popups.palette.insert(Palette::new(at, session.library(), theme::current_in(ctx), None));
        palette.place = place;
    }

    /// Shows the palette and adds what is chosen, with the wire that was dropped.
    pub(super) fn show_palette(&mut self, ui: &Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        let Some(palette) = &mut self.popups.palette else { return Ok(()) };
        let place = palette.place;
        let wanted = match palette.show(ui.ctx()) {
            Ok(None) => return Ok(()),
            Ok(Some(wanted)) => wanted,
            Err(()) => {
                self.popups.palette = None;
                return Ok(());
            }
        };
        self.popups.palette = None;
        self.add(session, wanted, place, actions)
    }
}

pub(super) fn rewire(
    session: &mut Session,
    off: Option<&InputEnd>,
    on: Option<(Link, InputEnd)>,
) -> Result<(), String> {
    let scope = session.scope().clone();
    let mut after = session.document().clone();
    if let Some(off) = off {
        edit::disconnect(&mut after, &scope, off);
    }
    if let Some((from, to)) = on {
        edit::connect(&mut after, &scope, from, &to);
        if let Some(problem) = edit::refusal(session.document(), &after, &scope, &to, session.library()) {
            return Err(format!("Not connected: {problem}"));
        }
    }
    session.edit("wire", |document| *document = after);
    Ok(())
}

/// Where a command from the keyboard opens something.
pub(crate) fn pointer(ctx: &egui::Context) -> Option<egui::Pos2> {
    ctx.input(|input| input.pointer.latest_pos())
}
