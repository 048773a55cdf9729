//! The dragged wire on the canvas: how it looks, and what happens when it is dropped.

use eframe::egui::{self, Key, Painter, Pos2, RichText, Ui};
use egui_node_graph::{AnyParameterId, NodeResponse};

use super::dragged_wire::WireDrag;
use super::palette::Palette;
use super::popups::Chooser;
use super::state::Canvas;
use super::view::{End, Response};
use super::{gestures, wires};
use crate::document::Link;
use crate::edit::{self, IN, InputEnd, OUT, PortSignature};
use crate::model::session::Session;
use crate::toolkit::theme;

impl Canvas {
    /// The wire that is being dragged.
    pub(super) fn wire_drag(&self) -> Option<WireDrag> {
        let (_, port) = self.state.connection_in_progress?;
        let (node, end, port) = match port {
            AnyParameterId::Input(id) => self.input_end(id).map(|end| (end.node, End::Input, end.port)),
            AnyParameterId::Output(id) => self.link(id).map(|link| (link.node, End::Output, link.port)),
        }?;
        let signature = self.level.signatures.get(&node)?;
        let ports = if end == End::Input { &signature.inputs } else { &signature.outputs };
        let port = ports.iter().find(|signature| signature.name == port)?.clone();
        Some(WireDrag { node, end, port })
    }

    /// Paints the dragged wire, over the nodes.
    pub(super) fn in_hand(&self, ui: &Ui, painter: &Painter, drag: &WireDrag) {
        let start = self.drawn.ids.get(&drag.node).and_then(|id| self.paint.port(*id, drag.end, &drag.port.name));
        let pointer = ui.input(|input| input.pointer.latest_pos());
        if let (Some(start), Some(pointer)) = (start, pointer) {
            let color = theme::current(ui).port(drag.port.ty);
            painter.add(wires::in_hand(start, drag.end, pointer, self.view.zoom, color));
        }
    }

    /// Handles a wire that was dropped, but not on a port: on a node, a port or a parameter is searched for; on
    /// the background, the palette opens.
    pub(super) fn let_go(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        drag: &WireDrag,
        responses: &[Response],
    ) -> Result<(), String> {
        let ended = responses.iter().any(|response| matches!(response, NodeResponse::ConnectEventEnded { .. }));
        let escaped = std::mem::take(&mut self.gesture.escaped);
        if self.state.connection_in_progress.is_some() || ended || escaped || !session.editable() {
            return Ok(());
        }
        let Some(at) = ui.input(|input| input.pointer.latest_pos()) else { return Ok(()) };
        match self.node_at(at) {
            Some(name) if name == drag.node => Ok(()),
            Some(name) => self.drop_on_node(session, drag, name, (at, ui.input(|input| input.modifiers.shift))),
            // A wire that was disconnected and dropped is removed; the palette is for new wires.
            None if self.view.rect.contains(at) && self.gesture.taken_off.take().is_none() => {
                self.popups.palette = Some(Palette::new(at, session.library(), theme::current(ui), Some(drag.clone())));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// A wire that is dropped on the block of an open group's inputs or outputs adds a port.
    fn drop_on_block(&self, session: &mut Session, drag: &WireDrag, block: &str) -> Result<(), String> {
        let scope = session.scope().clone();
        let mut after = session.document().clone();
        let (link, end) = match (block, drag.end) {
            (OUT, End::Output) => {
                let port = edit::free_output(session.document(), &scope, &drag.port.name);
                (drag.link(), InputEnd { node: OUT.into(), port })
            }
            (IN, End::Input) => {
                let ty = drag.port.ty.map_or_else(|| drag.port.carries.clone(), |ty| ty.to_string());
                let port = edit::add_input(&mut after, &scope, &drag.port.name, &ty)?;
                (Link { node: IN.into(), port }, InputEnd { node: drag.node.clone(), port: drag.port.name.clone() })
            }
            _ => return Ok(()),
        };
        edit::connect(&mut after, &scope, link, &end);
        session.edit("wire", |document| *document = after);
        Ok(())
    }

    /// `all`: lists all inputs that the wire fits, instead of choosing one.
    fn drop_on_node(
        &mut self,
        session: &mut Session,
        drag: &WireDrag,
        name: String,
        (at, all): (Pos2, bool),
    ) -> Result<(), String> {
        if name == IN || name == OUT {
            return self.drop_on_block(session, drag, &name);
        }
        let number = session.nodes().get(&drag.node).is_some_and(|node| node.kind.is_number());
        let Some(node) = session.nodes().get(&name) else { return Ok(()) };
        let stage = edit::stage_of(node, session.library());
        let params: Vec<String> =
            stage.map(|stage| stage.header.params.iter().map(|param| param.name.clone()).collect()).unwrap_or_default();
        if number && !params.is_empty() {
            self.popups.chooser = Some(Chooser { at, from: drag.link(), node: name, inputs: params });
            return Ok(());
        }
        let confining = edit::signature::confining();
        let confines =
            drag.end == End::Output && edit::takes_where(node, session.library()) && drag.fits(&confining).is_ok();
        let free = |port: &&PortSignature| drag.end == End::Input || !node.inputs.contains_key(&port.name);
        let Some(signature) = self.level.signatures.get(&name) else { return Ok(()) };
        if all && drag.end == End::Output {
            let fitting = signature.inputs.iter().filter(|port| drag.fits(port).is_ok()).map(|port| port.name.clone());
            let mut inputs: Vec<String> = fitting.collect();
            if confines && !inputs.contains(&confining.name) {
                inputs.push(confining.name);
            }
            self.popups.chooser = (!inputs.is_empty()).then(|| Chooser { at, from: drag.link(), node: name, inputs });
            return Ok(());
        }
        let ports = if drag.end == End::Output { &signature.inputs } else { &signature.outputs };
        let port = ports.iter().filter(free).find(|port| drag.fits(port).is_ok()).or_else(|| drag.first_fit(signature));
        let port = port.or_else(|| confines.then_some(&confining));
        match port {
            Some(port) => {
                let joined = drag.joined(&name, &port.name);
                gestures::rewire(session, None, Some(joined))
            }
            None => Err(format!("Not connected: `{name}` has no free port that fits the wire of `{}`", drag.link())),
        }
    }

    /// Shows the list of inputs or parameters and connects the chosen one.
    pub(super) fn choose(&mut self, ui: &Ui, session: &mut Session) -> Result<(), String> {
        let Some(chooser) = &self.popups.chooser else { return Ok(()) };
        let mut chosen = None;
        let area = egui::Area::new(egui::Id::new("parameters")).order(egui::Order::Foreground).fixed_pos(chooser.at);
        let area = area.constrain(true).show(ui.ctx(), |ui| {
            egui::Frame::menu(ui.style()).show(ui, |ui| {
                let color = theme::current(ui).faint;
                ui.label(RichText::new(format!("Connect {} to", chooser.from.node)).small().color(color));
                for param in &chooser.inputs {
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
                self.popups.chooser = None;
            }
            return Ok(());
        };
        let Some(chooser) = self.popups.chooser.take() else { return Ok(()) };
        gestures::rewire(session, None, Some((chooser.from, InputEnd { node: chooser.node, port })))
    }
}
