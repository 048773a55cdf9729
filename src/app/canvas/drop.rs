//! The wire in the hand, and a number's wire let go over a node: parameters have no ports of their own until something
//! drives them, so a list asks which.

use eframe::egui::{self, Key, Painter, Pos2, RichText, Ui};
use egui_node_graph::{AnyParameterId, NodeResponse};

use super::view::{End, Response};
use super::{Canvas, gestures, wires};
use crate::app::edits::InputEnd;
use crate::app::face;
use crate::app::session::Session;
use crate::app::theme;
use crate::document::{Link, NodeKind};

/// The open list.
pub struct Chooser {
    at: Pos2,
    from: Link,
    node: String,
    params: Vec<String>,
}

impl Canvas {
    /// Paints the wire in the hand, over the nodes.
    pub(super) fn in_hand(&self, ui: &Ui, painter: &Painter) {
        let Some((node, port)) = self.state.connection_in_progress else { return };
        let graph = &self.state.graph;
        let (end, view) = match port {
            AnyParameterId::Input(id) => (End::Input, graph.try_get_input(id).map(|input| input.typ)),
            AnyParameterId::Output(id) => (End::Output, graph.try_get_output(id).map(|output| output.typ)),
        };
        let name = match port {
            AnyParameterId::Input(id) => self.input_end(id).map(|end| end.port),
            AnyParameterId::Output(id) => self.link(id).map(|link| link.port),
        };
        let start = name.and_then(|name| self.paint.port(node, end, &name));
        let pointer = ui.input(|input| input.pointer.latest_pos());
        if let (Some(start), Some(pointer), Some(view)) = (start, pointer, view) {
            painter.add(wires::in_hand(start, end, pointer, self.zoom, view.0));
        }
    }

    /// Opens the list when a number's wire was let go over a node with parameters.
    pub(super) fn drop_on_node(&mut self, ui: &Ui, session: &Session, held: AnyParameterId, responses: &[Response]) {
        let ended = responses.iter().any(|response| matches!(response, NodeResponse::ConnectEventEnded { .. }));
        let AnyParameterId::Output(output) = held else { return };
        if self.state.connection_in_progress.is_some() || ended {
            return;
        }
        let Some(at) = ui.input(|input| input.pointer.latest_pos()) else { return };
        let hit =
            self.state.node_order.iter().rev().find(|id| self.paint.rects.get(*id).is_some_and(|r| r.contains(at)));
        let (Some(name), Some(from)) = (hit.and_then(|id| self.name(*id)), self.link(output)) else { return };
        let nodes = &session.document().nodes;
        let number = nodes.get(&from.node).is_some_and(|node| matches!(node.kind, NodeKind::Number(_)));
        let Some(node) = nodes.get(&name).filter(|_| number) else { return };
        let stage = face::stage_of(node, session.library());
        let params: Vec<String> =
            stage.map(|stage| stage.header.params.iter().map(|param| param.name.clone()).collect()).unwrap_or_default();
        if !params.is_empty() {
            self.chooser = Some(Chooser { at, from, node: name, params });
        }
    }

    /// Shows the list and wires what is chosen.
    pub(super) fn choose(&mut self, ui: &Ui, session: &mut Session) -> Result<(), String> {
        let Some(chooser) = &self.chooser else { return Ok(()) };
        let mut chosen = None;
        let area = egui::Area::new(egui::Id::new("parameters")).order(egui::Order::Foreground).fixed_pos(chooser.at);
        let area = area.constrain(true).show(ui.ctx(), |ui| {
            egui::Frame::menu(ui.style()).show(ui, |ui| {
                ui.label(RichText::new(format!("{} drives", chooser.from.node)).small().color(theme::of(ui).faint));
                for param in &chooser.params {
                    if ui.add(egui::Button::selectable(false, param).min_size(egui::vec2(150.0, 0.0))).clicked() {
                        chosen = Some(param.clone());
                    }
                }
            });
        });
        let escape = ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape));
        let outside = ui.input(|input| input.pointer.any_pressed()) && !area.response.contains_pointer();
        let Some(port) = chosen else {
            if escape || outside {
                self.chooser = None;
            }
            return Ok(());
        };
        let Some(chooser) = self.chooser.take() else { return Ok(()) };
        gestures::rewire(session, None, Some((chooser.from, InputEnd { node: chooser.node, port })))
    }
}
