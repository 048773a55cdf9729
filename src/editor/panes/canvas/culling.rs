//! Gives the crate only the nodes in view. Sizes of other nodes are those when they were drawn last, or estimates.

use std::collections::BTreeSet;

use eframe::egui::{self, Pos2, Rect};
use egui_node_graph::{Graph, InputParamKind, NodeId, NodeOrientation};

use super::state::Canvas;
use super::view::{self, NodeView, PortValue, PortView, State};
use crate::edit::{NodeSignature, PortSignature};
use crate::model::layout;
use crate::model::session::Session;
use crate::toolkit::theme::Look;

/// How far beyond the canvas nodes are drawn, so that they are ready when they come into view \[points\].
const AROUND: f32 = 60.0;
/// egui keeps something for each id of a node for ever, and the crate gives a node that comes back another id. After so many, ids
/// are counted from the start.
const MAX_TAKEN_OUT: usize = 50;

impl Canvas {
    /// Gives the crate the nodes in view and no others, since it draws all nodes that it has.
    pub(super) fn populate(&mut self, look: &Look, session: &Session) {
        let held = self.gesture.grip.is_some() || self.state.connection_in_progress.is_some();
        let bare = self.view.zoom < super::text::PORTS;
        let mut order = Vec::new();
        let renumber = self.drawn.taken_out > MAX_TAKEN_OUT;
        if (bare != self.drawn.bare || renumber) && !held {
            self.drawn.bare = bare;
            order = self.state.node_order.iter().filter_map(|id| self.name(*id)).collect();
            order.iter().for_each(|name| self.take_out(name));
            // An empty graph counts its ids from the start.
            self.state.graph = Graph::new();
            self.drawn.taken_out = 0;
        }
        let sight = self.view.rect.expand(AROUND);
        let seen = |name: &&String| self.window_area(session, name).is_some_and(|area| area.intersects(sight));
        let mut wanted: BTreeSet<String> = self.level.signatures.keys().filter(seen).cloned().collect();
        if !self.drawn.bare {
            // The crate takes an input as connected only if it has the node at the other end.
            let read: Vec<String> =
                session.wires().filter(|(end, _)| wanted.contains(&end.node)).map(|(_, link)| link.node).collect();
            wanted.extend(read);
        }
        if held {
            wanted.extend(self.drawn.ids.keys().cloned());
        }
        let gone: Vec<String> = self.drawn.ids.keys().filter(|name| !wanted.contains(*name)).cloned().collect();
        gone.iter().for_each(|name| self.take_out(name));
        // Those that come back lie upon each other as before, and new ones on top.
        let mut wanted: Vec<String> = wanted.into_iter().collect();
        wanted.sort_by_key(|name| order.iter().position(|other| other == name).unwrap_or(usize::MAX));
        for name in wanted {
            let Some(signature) = self.level.signatures.get(&name).filter(|_| !self.drawn.ids.contains_key(&name))
            else {
                continue;
            };
            let id = add_node(&mut self.state, look, &name, signature, self.drawn.bare);
            self.drawn.ids.insert(name, id);
        }
    }

    /// Removes a node from the crate.
    pub(super) fn take_out(&mut self, name: &str) {
        let Some(id) = self.drawn.ids.remove(name) else { return };
        // Its connections are set again in every frame.
        let _ = self.state.graph.remove_node(id);
        self.drawn.taken_out += 1;
        self.state.node_order.retain(|other| *other != id);
        self.state.selected_nodes.retain(|other| *other != id);
        self.state.node_positions.remove(id);
        self.state.node_orientations.remove(id);
        self.paint.forget(id);
    }

    /// Notes sizes and ports as they were drawn.
    pub(super) fn note_drawn(&mut self) {
        for (name, id) in self.drawn.ids.iter().filter(|_| !self.drawn.bare) {
            let (Some(rect), Some(signature)) = (self.paint.rects.get(id), self.level.signatures.get(name)) else {
                continue;
            };
            if self.view.zoom >= view::NAMES {
                self.drawn.sizes.insert(name.clone(), rect.size() / self.view.zoom);
            }
            let heights = |end, ports: &[PortSignature]| -> Vec<f32> {
                let at = |port: &PortSignature| self.paint.port(*id, end, &port.name);
                ports.iter().filter_map(|port| Some((at(port)?.y - rect.top()) / self.view.zoom)).collect()
            };
            let rows = (heights(view::End::Input, &signature.inputs), heights(view::End::Output, &signature.outputs));
            self.drawn.rows.insert(name.clone(), rows);
        }
    }

    /// Where a port is in the window, drawn or not.
    pub(super) fn port_place(&self, session: &Session, node: &str, end: view::End, port: &str) -> Option<Pos2> {
        if let (false, Some(id)) = (self.drawn.bare, self.drawn.ids.get(node))
            && let Some(at) = self.paint.port(*id, end, port)
        {
            return Some(at);
        }
        let (area, signature) = (self.window_area(session, node)?, self.level.signatures.get(node)?);
        let rows = self.drawn.rows.get(node);
        let (x, row, height) = match end {
            view::End::Input => {
                let row = signature.inputs.iter().position(|signature| signature.name == port)?;
                (area.left(), row, rows.and_then(|rows| rows.0.get(row)))
            }
            view::End::Output => {
                let row = signature.output(port)?;
                (area.right(), signature.inputs.len() + row, rows.and_then(|rows| rows.1.get(row)))
            }
        };
        let height = height.copied().unwrap_or(layout::port_height(row));
        Some(egui::pos2(x, area.top() + height * self.view.zoom))
    }

    /// A node's place and size in the window.
    pub(super) fn window_area(&self, session: &Session, name: &str) -> Option<Rect> {
        let area = self.area(session, name)?;
        let corner = self.view.rect.min + self.view.pan + area.min.to_vec2() * self.view.zoom;
        Some(Rect::from_min_size(corner, area.size() * self.view.zoom))
    }
}

fn add_node(state: &mut State, look: &Look, name: &str, signature: &NodeSignature, bare: bool) -> NodeId {
    let view = NodeView::new(name, &signature.title, look.line);
    // The title is painted by the view; the crate's own would be in its way.
    let id = state.graph.add_node(String::new(), view, |_, _| {});
    for port in signature.inputs.iter().filter(|_| !bare) {
        let color = PortView::new(look, port.ty);
        let value = PortValue(Some(port.clone()));
        state.graph.add_input_param(id, port.name.clone(), color, value, InputParamKind::ConnectionOnly, true);
    }
    for port in signature.outputs.iter().filter(|_| !bare) {
        state.graph.add_output_param(id, port.name.clone(), PortView::new(look, port.ty));
    }
    state.node_order.push(id);
    state.node_positions.insert(id, Pos2::ZERO);
    state.node_orientations.insert(id, NodeOrientation::LeftToRight);
    id
}
