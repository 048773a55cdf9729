//! What is under the pointer, its tooltip, and the wires whose direction is shown for it.

use std::time::Duration;

use eframe::egui::{self, Pos2, RichText, Ui};

use super::dragged_wire::WireDrag;
use super::frames;
use super::state::Canvas;
use super::view::{End, REACH};
use super::wires::{NEAR, WireShape};
use crate::document::WHERE;
use crate::edit::{self, PortSignature};
use crate::model::pane::Pane;
use crate::model::session::Session;
use crate::toolkit::{markup, theme};

/// How long the pointer has to rest before a tooltip appears \[s\].
const REST: f32 = 0.35;
/// How often running arrows are drawn.
const FRAME: Duration = Duration::from_millis(33);

impl Canvas {
    pub(super) fn node_at(&self, at: Pos2) -> Option<String> {
        let order = self.state.node_order.iter().rev();
        order.filter(|id| self.paint.rects.get(*id).is_some_and(|r| r.contains(at))).find_map(|id| self.name(*id))
    }

    pub(super) fn wire_at(&self, at: Pos2) -> Option<&WireShape> {
        // Wires of this frame win over those to the next at the same distance.
        let behind = |wire: &WireShape| if wire.next { 0.5 * NEAR } else { 0.0 };
        let near = self.level.wires.iter().filter_map(|wire| Some((wire.near(at)? + behind(wire), wire)));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, wire)| wire)
    }

    /// The port whose dot the pointer is on.
    pub(super) fn port_at(&self, at: Pos2) -> Option<(String, End, String)> {
        let reach = REACH * self.view.zoom;
        let hit = |node: &str, end, port: &PortSignature| {
            let place = self.paint.port(*self.drawn.ids.get(node)?, end, &port.name)?;
            (place.distance(at) < reach).then(|| (node.to_string(), end, port.name.clone()))
        };
        let near = |name: &&String| {
            let rect = self.drawn.ids.get(*name).and_then(|id| self.paint.rects.get(id));
            rect.is_some_and(|rect| rect.expand(reach).contains(at))
        };
        self.level.signatures.keys().filter(near).find_map(|name| {
            let signature = self.level.signatures.get(name)?;
            let inputs = signature.inputs.iter().find_map(|port| hit(name, End::Input, port));
            inputs.or_else(|| signature.outputs.iter().find_map(|port| hit(name, End::Output, port)))
        })
    }

    /// The port whose row the pointer is on: its dot or its name.
    fn row_at(&self, at: Pos2) -> Option<(String, End, String)> {
        self.port_at(at).or_else(|| {
            let name = self.node_at(at)?;
            let (id, signature) = (self.drawn.ids.get(&name)?, self.level.signatures.get(&name)?);
            let on = |end, port: &PortSignature| {
                let place = self.paint.port(*id, end, &port.name)?;
                let rect = self.paint.rects.get(id)?;
                let side = if end == End::Input { at.x < rect.center().x } else { at.x > rect.center().x };
                let row = (at.y - place.y).abs() < 0.5 * REACH * self.view.zoom && side;
                row.then(|| (name.clone(), end, port.name.clone()))
            };
            let inputs = signature.inputs.iter().find_map(|port| on(End::Input, port));
            inputs.or_else(|| signature.outputs.iter().find_map(|port| on(End::Output, port)))
        })
    }

    pub(super) fn frame_at(&self, session: &Session, at: Pos2) -> Option<usize> {
        frames::frame_at(self, session, at)
    }

    fn face_of(&self, node: &str, end: End, port: &str) -> Option<&PortSignature> {
        let signature = self.level.signatures.get(node)?;
        let ports = if end == End::Input { &signature.inputs } else { &signature.outputs };
        ports.iter().find(|signature| signature.name == port)
    }

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

    /// Notes the node under the pointer, and shows a tooltip after a moment.
    pub(super) fn hover(&mut self, ui: &Ui, session: &mut Session, drag: Option<&WireDrag>) {
        let over =
            ui.rect_contains_pointer(self.view.rect) && self.popups.palette.is_none() && self.popups.menu.is_none();
        let at = ui.input(|input| input.pointer.latest_pos()).filter(|_| over);
        let node = at.and_then(|at| self.node_at(at));
        session.hover(Pane::Graph, node.as_ref().map(|name| session.scope().path(name)));
        let Some(at) = at else { return };
        let port = self.row_at(at);
        if let Some(drag) = drag {
            self.explain(ui, drag, port);
            return;
        }
        if node.is_none() && port.is_none() && self.wire_at(at).is_some() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        let (rest, down) = ui.input(|input| (input.pointer.time_since_last_movement(), input.pointer.any_down()));
        if down {
            return;
        }
        if rest < REST {
            ui.ctx().request_repaint_after(Duration::from_secs_f32(REST - rest));
            return;
        }
        if let Some((node, end, name)) = port {
            let Some(port) = self.face_of(&node, end, &name).cloned() else { return };
            tooltip(ui, &format!("{node}.{name}"), |ui| {
                ui.label(RichText::new(format!("{node}.{name}")).strong());
                describe(ui, &port);
                ui.label(RichText::new("Click to view").small().color(theme::current(ui).faint));
            });
        } else if let Some(name) = node {
            let comment = session.nodes().get(&name).map(|node| node.comment.clone()).unwrap_or_default();
            let over = self.figures.on.get(&name).map(|nodes| nodes.iter().cloned().collect::<Vec<_>>().join(", "));
            let baked = session.baked_node(&name).map(|bake| bake.about);
            let confined = session.nodes().get(&name).filter(|node| edit::takes_where(node, session.library()));
            let confined = confined.and_then(|node| node.inputs.get(WHERE)).map(ToString::to_string);
            if comment.is_empty() && over.is_none() && baked.is_none() && confined.is_none() {
                return;
            }
            tooltip(ui, &format!("{name} {}", over.as_deref().unwrap_or_default()), |ui| {
                if !comment.is_empty() {
                    ui.label(&comment);
                }
                if let Some(grid) = confined {
                    ui.label(RichText::new("Runs in a part of its domain").strong());
                    ui.label(format!("Where {grid} is not zero, in blocks of 8 cells a side, and around these"));
                }
                if let Some(baked) = baked {
                    ui.label(RichText::new("Baked").strong());
                    ui.label(baked);
                }
                if let Some(over) = over {
                    ui.label(RichText::new("Runs here").strong());
                    ui.label(over);
                }
            });
        } else if let Some(wire) = self.wire_at(at) {
            let text = format!("{} → {}.{}", wire.from, wire.to.node, wire.to.port);
            let port = self
                .level
                .signatures
                .get(&wire.from.node)
                .and_then(|f| f.outputs.get(f.output(&wire.from.port)?))
                .cloned();
            tooltip(ui, &text, |ui| {
                ui.label(RichText::new(&text).strong());
                if wire.next {
                    ui.label("Read in the next frame");
                }
                if let Some(port) = &port {
                    describe(ui, port);
                }
                ui.label(
                    RichText::new("Click to view, double-click to add a reroute")
                        .small()
                        .color(theme::current(ui).faint),
                );
            });
        }
    }

    /// Why the dragged wire does not fit what it is held over.
    fn explain(&self, ui: &Ui, drag: &WireDrag, port: Option<(String, End, String)>) {
        let Some((node, end, name)) = port.filter(|(node, ..)| *node != drag.node) else { return };
        let Some(port) = self.face_of(&node, end, &name) else { return };
        let reason = match (end == drag.end, drag.fits(port)) {
            (true, _) if end == End::Input => "Connect an input to an output".to_string(),
            (true, _) => "Connect an output to an input".to_string(),
            (false, Err(refusal)) => refusal.to_string(),
            (false, Ok(())) => return,
        };
        ui.ctx().set_cursor_icon(egui::CursorIcon::NotAllowed);
        tooltip(ui, &reason, |ui| drop(ui.label(markup::label(ui, "", &reason, theme::current(ui).warning))));
    }

    /// Gives nodes and ports names for screen readers, and for other programs that drive the window by names.
    pub(super) fn name_parts(&self, ui: &Ui) {
        // There may be a thousand of them, so this is done only while accessibility is active.
        if ui.ctx().accesskit_node_builder(ui.unique_id(), |_| ()).is_none() {
            return;
        }
        let named = |rect: egui::Rect, name: String| {
            if rect.intersects(self.view.rect) {
                let id = ui.id().with(("named", &name));
                let response = ui.interact(rect, id, egui::Sense::hover());
                response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
            }
        };
        named(self.view.rect, "canvas".into());
        for (name, id) in &self.drawn.ids {
            let (Some(rect), Some(signature)) = (self.paint.rects.get(id), self.level.signatures.get(name)) else {
                continue;
            };
            if !rect.intersects(self.view.rect) {
                continue;
            }
            named(
                egui::Rect::from_min_size(rect.min, egui::vec2(rect.width(), 22.0 * self.view.zoom)),
                format!("node {name}"),
            );
            for (end, word, ports) in
                [(End::Input, "input", &signature.inputs), (End::Output, "output", &signature.outputs)]
            {
                for port in ports {
                    if let Some(at) = self.paint.port(*id, end, &port.name) {
                        let rect = egui::Rect::from_center_size(at, egui::Vec2::splat(REACH * self.view.zoom));
                        named(rect, format!("{word} {name}.{}", port.name));
                    }
                }
            }
        }
    }
}

fn describe(ui: &mut Ui, port: &PortSignature) {
    let look = theme::current(ui);
    if port.ty.is_some() {
        ui.label(RichText::new(&port.carries).monospace().color(look.port(port.ty)));
    }
    if !port.doc.is_empty() {
        ui.label(&port.doc);
    }
}

/// Shows a tooltip at the pointer. Each subject has an id of its own: egui keeps the size that a tooltip had.
fn tooltip(ui: &Ui, subject: &str, contents: impl FnOnce(&mut Ui)) {
    let id = ui.id().with(("canvas tooltip", subject));
    egui::Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), id, egui::PopupAnchor::Pointer)
        .gap(14.0)
        .width(theme::TOOLTIP)
        .show(|ui| {
            ui.set_max_width(theme::TOOLTIP);
            contents(ui);
        });
}
