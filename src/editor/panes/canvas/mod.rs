//! The canvas: nodes and wires of the open level. It is rebuilt from the document; whatever the node-graph crate
//! changes in its own copy is turned into an edit of the document and then discarded.

mod align;
mod badges;
mod bookmarks;
mod breadcrumbs;
mod commands;
mod culling;
mod dragged_wire;
mod drawn;
mod figures;
mod frames;
mod free_place;
mod gesture_state;
mod gestures;
mod glide;
mod hover;
mod interest;
mod marks;
mod menu;
mod minimap;
mod navigate;
mod palette;
mod placement;
mod popups;
mod rename;
mod snap;
mod state;
mod templates;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod viewport;
mod wire_drag;
mod wire_routes;
mod wire_strokes;
mod wires;

use std::collections::BTreeSet;

use eframe::egui::{self, Layout, Rect, RichText, Ui, Vec2, vec2};
use egui_node_graph::{InputId, OutputId};

use crate::commands::action::Actions;
use crate::commands::command::Command;
use crate::document::{Node, Outline, ParamValue};
use crate::model::layout;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::toolkit::theme::{self, Look};
use dragged_wire::WireDrag;
use figures::Figures;
pub(crate) use gestures::pointer;
use popups::Popups;
pub(crate) use state::{Canvas, Options, Thumbnails};
use templates::NoTemplates;
use view::{PortView, Repeats};
use viewport::{Framing, Spot};

impl PaneContent for Canvas {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.actions)
    }

    fn opened(&mut self) {
        *self = Canvas { options: self.options, ..Canvas::default() };
    }

    fn device_lost(&mut self, _: &mut Session) {
        self.thumbnails.clear();
    }

    /// Closes what is open on a hidden canvas, which would keep the keyboard.
    fn after_frame(&mut self, _: &mut Session, _: bool) {
        if std::mem::take(&mut self.shown) {
            return;
        }
        self.popups = Popups::default();
        (self.gesture.stroke, self.gesture.picked, self.state.connection_in_progress) = (None, None, None);
    }

    fn busy(&self) -> bool {
        self.holds_keys()
    }
}

impl Canvas {
    /// Draws the canvas and turns what was done on it into edits and actions. An `Err` is a sentence for the person.
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) -> Result<(), String> {
        self.breadcrumbs(ui, session, actions);
        self.view.rect = ui.available_rect_before_wrap();
        // A pane without room is hidden.
        self.shown = self.view.rect.is_positive();
        if !self.shown {
            return Ok(());
        }
        self.rebuild(theme::current(ui), session);
        self.list_wires(theme::current(ui), session);
        self.make_way(session);
        self.frame_revealed(session);
        self.navigate(ui, session);
        if self.glide.update(ui.input(|input| input.time)) {
            ui.ctx().request_repaint();
        }
        self.populate(theme::current(ui), session);
        self.place(session);
        let drag = self.wire_drag();
        self.sync(theme::current(ui), session, drag.as_ref(), ui.input(|input| input.time));
        let mut canvas =
            ui.new_child(egui::UiBuilder::new().max_rect(self.view.rect).layout(Layout::top_down(egui::Align::Min)));
        canvas.set_clip_rect(self.view.rect.intersect(ui.clip_rect()));
        wires::grid(&canvas, self.view.rect, self.view.pan, self.view.zoom);
        let behind = canvas.painter().add(egui::Shape::Noop);
        let painter = canvas.painter().clone();
        (self.paint.zoom, self.paint.pointer) = (self.view.zoom, ui.input(|input| input.pointer.hover_pos()));
        let boxed = self.state.ongoing_box_selection;
        canvas.set_opacity(0.0);
        let response = self.state.draw_graph_editor(&mut canvas, NoTemplates, &mut self.paint, Vec::new());
        canvas.set_opacity(1.0);
        // The crate opens its finder at any right click in the window; our palette is opened below.
        self.state.node_finder = None;
        self.note_drawn();
        self.lay_wires(session);
        let frames = self.frame_shapes(&canvas, session);
        let time = self.show_direction(&canvas, session);
        let wires = wires::shape(&self.level.wires, self.view.rect, self.view.zoom, theme::current(ui).canvas, time);
        let nodes: Vec<Rect> =
            self.level.signatures.keys().filter_map(|name| self.window_area(session, name)).collect();
        let captions = wires::captions(ui, &self.level.wires, &nodes, self.view.rect, self.view.zoom);
        let mentions = self.mention_shapes(theme::current(ui));
        let titles = self.frame_titles(&canvas, session);
        painter.set(behind, egui::Shape::Vec(vec![frames, mentions, wires, captions, titles]));
        if let Some(drag) = &drag {
            self.in_hand(ui, &painter, drag);
        }
        if let Some(wire) = self.level.wires.iter().find(|wire| self.gesture.target.as_ref() == Some(&wire.to)) {
            // Over the node that would be inserted.
            painter.add(wire.target(self.view.zoom, theme::current(ui).accent));
        }
        painter.add(self.guide_shapes(theme::current(ui)));
        if let (Some(start), Some(pointer)) = (boxed, self.paint.pointer) {
            let area = Rect::from_two_pos(start, pointer);
            let fill = egui::Color32::from_rgba_unmultiplied(200, 200, 200, 20);
            let edge = egui::Color32::from_rgba_unmultiplied(200, 200, 200, 180);
            painter.rect(area, 2.0, fill, egui::Stroke::new(3.0, edge), egui::StrokeKind::Outside);
        }
        let drawn = (drag.as_ref(), boxed.is_some(), response.node_responses.as_slice());
        let result = self.gestures(&canvas, session, drawn, actions);
        if self.options.minimap {
            self.minimap(&canvas, session);
        }
        self.hover(&canvas, session, drag.as_ref());
        self.name_parts(&canvas);
        self.empty(ui, session);
        result
    }

    /// Handles the pointer, in order of precedence.
    fn gestures(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        (drag, boxed, responses): (Option<&WireDrag>, bool, &[view::Response]),
        actions: &mut Actions,
    ) -> Result<(), String> {
        self.frames(ui, session);
        self.select(ui, session, boxed, responses);
        let mut result = self.drag(ui, session, responses);
        result = result.and(self.ask(session, responses));
        result = result.and(self.wire(session, responses));
        if let Some(drag) = drag {
            result = result.and(self.let_go(ui, session, drag, responses));
        }
        result = result.and(self.choose(ui, session));
        result = result.and(self.strokes(ui, session));
        result = result.and(self.clicks(ui, session, actions));
        result = result.and(self.show_menu(ui, session, actions));
        result = result.and(self.show_renaming(ui, session));
        result.and(self.show_palette(ui, session, actions))
    }

    /// Rebuilds the crate's graph when nodes or ports have changed, or another level was opened.
    fn rebuild(&mut self, look: &Look, session: &Session) {
        let now = (session.revision(), session.plans(), session.scope().clone(), look.dark);
        if self.level.built.as_ref() == Some(&now) {
            return;
        }
        let before = self.level.built.replace(now);
        let same = before.as_ref().is_some_and(|(.., scope, dark)| scope == session.scope() && *dark == look.dark);
        if let Some((_, _, scope, _)) = before.filter(|(.., scope, _)| scope != session.scope()) {
            self.view.spots.insert(scope, Spot { pan: self.view.pan, zoom: self.view.zoom });
            match self.view.spots.get(session.scope()) {
                Some(spot) => (self.view.pan, self.view.zoom) = (spot.pan, spot.zoom),
                // A bookmark says itself what to show of the level.
                None => drop(self.view.framing.get_or_insert(Framing::Start)),
            }
        }
        self.level.listed = None;
        let signatures = session.signatures();
        self.level.mentions = wire_routes::mentions(session.nodes());
        if same && signatures == self.level.signatures {
            return;
        }
        // A node whose ports have changed is a new one to the crate.
        let changed = |name: &String| !same || self.level.signatures.get(name) != signatures.get(name);
        let gone: Vec<String> = self.drawn.ids.keys().filter(|name| changed(name)).cloned().collect();
        gone.iter().for_each(|name| self.take_out(name));
        if !gone.is_empty() {
            self.gesture.picked = None;
            self.state.connection_in_progress = None;
        }
        self.drawn.keep(&signatures, &self.level.signatures);
        self.level.signatures = signatures;
    }

    /// Places every node by the document and the viewport.
    fn place(&mut self, session: &Session) {
        for (name, id) in &self.drawn.ids {
            let dot = session.nodes().get(name).is_some_and(|node| node.kind.info().outline == Outline::Dot);
            let above = if dot { vec2(0.0, view::DOT_BELOW) } else { Vec2::ZERO };
            let at = (self.shown_at(session, name) - above) * self.view.zoom + self.view.pan;
            self.state.node_positions.insert(*id, at.to_pos2());
        }
    }

    /// Updates what changes in every frame: wires, the selection, problems, times.
    fn sync(&mut self, look: &Look, session: &mut Session, drag: Option<&WireDrag>, now: f64) {
        self.state.graph.connections.clear();
        let drawn = self.level.wires.iter().filter(|_| !self.drawn.bare);
        let joined: Vec<(OutputId, InputId)> =
            drawn.filter_map(|wire| Some((self.output(&wire.from)?, self.input(&wire.to)?))).collect();
        joined.into_iter().for_each(|(output, input)| self.state.graph.add_connection(output, input));
        self.dim(look, drag);
        let severities = figures::severities(session);
        self.figures.update(session, self.options.heat, now);
        let Figures { invariant, joined, spent, heat: hot, on, .. } = &self.figures;
        let hovered = session.hovered().and_then(|path| session.here(path)).map(String::from);
        // A domain that is selected or under the pointer shows what runs over it.
        let lit = |name: &String| session.selection.contains(name) || hovered.as_ref() == Some(name);
        let over: BTreeSet<&String> =
            on.iter().filter(|(domain, _)| lit(domain)).flat_map(|(_, nodes)| nodes).collect();
        let next = session.next_node().and_then(|path| session.here(path)).map(String::from);
        let breakpoints: BTreeSet<&str> = session.breakpoints().iter().filter_map(|path| session.here(path)).collect();
        for (name, id) in &self.drawn.ids {
            let Some(node) = self.state.graph.nodes.get_mut(*id) else { continue };
            let view = &mut node.user_data;
            view.next = next.as_ref() == Some(name);
            view.breakpoint = breakpoints.contains(name.as_str());
            view.selected = session.selection.contains(name);
            view.severity = severities.get(name).copied();
            view.hovered = hovered.as_ref() == Some(name) || over.contains(name);
            view.runs = on.get(name).map(BTreeSet::len);
            let Some(source) = session.nodes().get(name) else { continue };
            view.ms = spent.get(name).copied();
            view.heat = hot.get(name).copied();
            view.invariant = invariant.contains(name);
            view.joined = joined.get(name).cloned();
            view.muted = source.muted;
            view.bake = session.baked_node(name).map(|bake| bake.state);
            view.repeats = repeats(source);
            view.outline = source.kind.info().outline;
            view.color = source.color.map_or_else(|| look.kind(&source.kind), theme::color);
            let estimate = || self.level.signatures.get(name).map(layout::node_size);
            view.height = self.drawn.sizes.get(name).copied().or_else(estimate).map(|size| size.y);
            let shown = !self.thumbnails.is_empty();
            view.thumbnail = shown.then(|| self.thumbnails.get(&session.scope().path(name)).copied()).flatten();
        }
        self.state.selected_nodes =
            session.selection.nodes.iter().filter_map(|name| self.drawn.ids.get(name).copied()).collect();
    }

    /// While a wire is dragged, ports that it does not fit are dimmed.
    fn dim(&mut self, look: &Look, drag: Option<&WireDrag>) {
        for (name, id) in &self.drawn.ids {
            let Some(signature) = self.level.signatures.get(name) else { continue };
            let Some(node) = self.state.graph.nodes.get(*id) else { continue };
            let fits = |end, port: &crate::edit::PortSignature| {
                drag.is_none_or(|drag| match drag.node == *name {
                    true => drag.end == end && drag.port.name == port.name,
                    false => drag.end != end && drag.fits(port).is_ok(),
                })
            };
            let shown = |fits: bool, ty| {
                let port = PortView::new(look, ty);
                let color = if fits { port.color } else { look.node.lerp_to_gamma(port.color, 0.2) };
                PortView { color, ..port }
            };
            for (port, (_, id)) in signature.inputs.iter().zip(&node.inputs) {
                if let Some(input) = self.state.graph.inputs.get_mut(*id) {
                    input.typ = shown(fits(view::End::Input, port), port.ty);
                }
            }
            for (port, (_, id)) in signature.outputs.iter().zip(&node.outputs) {
                if let Some(output) = self.state.graph.outputs.get_mut(*id) {
                    output.typ = shown(fits(view::End::Output, port), port.ty);
                }
            }
        }
    }

    /// A hint on an empty level.
    fn empty(&self, ui: &mut Ui, session: &Session) {
        if session.nodes().is_empty() && self.popups.palette.is_none() {
            let keys = Command::AddNode.shortcut_text(ui.ctx());
            let press =
                if keys.is_empty() { "Right-click".to_string() } else { format!("Press {keys} or right-click") };
            let text = RichText::new(format!("{press} to add a node")).color(theme::current(ui).faint);
            ui.put(self.view.rect, egui::Label::new(text));
        }
    }
}

/// How often a node runs a frame.
fn repeats(node: &Node) -> Repeats {
    match &node.iterations {
        None => Repeats::Once,
        Some(ParamValue::Number(count)) => Repeats::Count(count.clamp(1.0, 1e6) as u32),
        Some(ParamValue::Expression(text)) => Repeats::Computed(text.clone()),
        Some(other) => Repeats::Computed(other.to_string()),
    }
}
