//! Strokes of the pointer across wires: Ctrl and the right button cut them, Shift and the right button add reroutes.

use std::collections::BTreeMap;

use eframe::egui::{self, PointerButton, Pos2, Ui};

use super::gesture_state::{Stroke, Tool};
use super::state::Canvas;
use crate::document::Link;
use crate::edit::{self, InputEnd};
use crate::model::session::Session;
use crate::toolkit::theme;

impl Canvas {
    /// Begins, draws and ends strokes.
    pub(super) fn strokes(&mut self, ui: &Ui, session: &mut Session) -> Result<(), String> {
        let (pressed, down, at, modifiers, cut_key) = ui.input(|input| {
            let pressed = input.pointer.button_pressed(PointerButton::Secondary);
            let y = input.key_down(egui::Key::Y) && !input.modifiers.any();
            let key = y && input.pointer.button_pressed(PointerButton::Primary);
            let down = input.pointer.secondary_down() || (y && input.pointer.primary_down());
            (pressed, down, input.pointer.latest_pos(), input.modifiers, key)
        });
        let over = ui.rect_contains_pointer(self.view.rect) && session.editable();
        let tool = match (pressed, cut_key) {
            (_, true) => Some(Tool::Cut),
            (true, _) if modifiers.command => Some(Tool::Cut),
            (true, _) if modifiers.shift => Some(Tool::Dot),
            _ => None,
        };
        if let (Some(tool), true, Some(at)) = (tool, over, at) {
            self.gesture.stroke = Some(Stroke { tool, path: vec![at] });
        }
        let Some(stroke) = &mut self.gesture.stroke else { return Ok(()) };
        if let Some(at) = at.filter(|at| stroke.path.last().is_none_or(|last| last.distance(*at) > 2.0)) {
            stroke.path.push(at);
        }
        let look = theme::current(ui);
        let color = if stroke.tool == Tool::Cut { look.error } else { look.accent };
        ui.painter().add(egui::Shape::line(stroke.path.clone(), egui::Stroke::new(2.0, color)));
        if down {
            self.state.ongoing_box_selection = None;
            return Ok(());
        }
        let Some(stroke) = self.gesture.stroke.take() else { return Ok(()) };
        let crossed = self.level.wires.iter().filter_map(|wire| Some((wire.clone(), wire.crossed(&stroke.path)?)));
        let crossed: Vec<_> = crossed.collect();
        match stroke.tool {
            _ if crossed.is_empty() => Ok(()),
            Tool::Cut => {
                let scope = session.scope().clone();
                session.edit("cut", |document| {
                    crossed.iter().for_each(|(wire, _)| edit::disconnect(document, &scope, &wire.to));
                });
                Ok(())
            }
            Tool::Dot => {
                // Wires of one output share a reroute.
                let mut bundles = BTreeMap::<Link, (Pos2, Vec<InputEnd>)>::new();
                for (wire, at) in crossed {
                    bundles.entry(wire.from).or_insert((at, Vec::new())).1.push(wire.to);
                }
                bundles.into_iter().try_for_each(|(from, (at, ends))| self.add_dot(session, at, from, &ends))
            }
        }
    }

    /// Adds a reroute to wires.
    pub(super) fn add_dot(&self, session: &mut Session, at: Pos2, from: Link, ends: &[InputEnd]) -> Result<(), String> {
        let at = self.to_document(at) - 0.5 * super::view::DOT;
        let scope = session.scope().clone();
        let mut result = Ok(String::new());
        session.edit("reroute", |document| {
            result = edit::add_reroute_shared(document, &scope, from, ends, (at.x.round(), at.y.round()));
        });
        result.map(drop).map_err(String::from)
    }
}
