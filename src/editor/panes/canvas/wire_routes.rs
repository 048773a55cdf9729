//! Which wires the open level has, and how they run.

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{self, vec2};

use super::state::Canvas;
use super::view;
use super::wires::WireShape;
use crate::document::{Link, Node, Nodes, ParamValue};
use crate::edit::InputEnd;
use crate::model::layout;
use crate::model::layout::route::Ends;
use crate::model::session::Session;
use crate::toolkit::theme::Look;

impl Canvas {
    /// Lists the wires of the level if they have changed.
    pub(super) fn list_wires(&mut self, look: &Look, session: &Session) {
        if self.level.listed.as_ref() == Some(&self.gesture.picked) {
            return;
        }
        let wires =
            session.wires().filter(|(end, _)| self.gesture.picked.as_ref() != Some(end)).filter_map(|(to, from)| {
                self.level.signatures.get(&to.node)?.inputs.iter().find(|port| port.name == to.port)?;
                let signature = self.level.signatures.get(&from.node)?;
                let port = signature.outputs.get(signature.output(&from.port)?)?;
                let from = Link { node: from.node, port: port.name.clone() };
                let path = session.scope().path(&from.to_string());
                let next = session.nodes().get(&to.node).is_some_and(|node| layout::is_next(&node.kind, &to.port));
                Some(WireShape::new(from, to, path, look.port(port.ty), next))
            });
        self.level.wires = wires.collect();
        let mut nets = BTreeMap::new();
        for wire in &mut self.level.wires {
            let new = nets.len();
            wire.net = *nets.entry(wire.from.clone()).or_insert(new);
        }
        let mentioned = self.level.mentions.iter().map(|(number, node)| {
            let (from, to) = (
                Link { node: number.clone(), port: "value".into() },
                InputEnd { node: node.clone(), port: String::new() },
            );
            WireShape::new(from, to, String::new(), look.faint, false)
        });
        self.level.mentioned = mentioned.collect();
        self.level.listed = Some(self.gesture.picked.clone());
    }

    /// Lays the wires between their ports as drawn, around the nodes.
    pub(super) fn lay_wires(&mut self, session: &Session) {
        let mut wires = std::mem::take(&mut self.level.wires);
        let mut mentioned = std::mem::take(&mut self.level.mentioned);
        let muted = |name: &str| session.nodes().get(name).is_some_and(|node| node.muted);
        let selected = |wire: &WireShape| {
            [&wire.from.node, &wire.to.node].into_iter().any(|name| session.selection.contains(name))
        };
        mentioned.iter_mut().for_each(|wire| wire.chosen = selected(wire));
        let ends: Vec<_> = wires.iter().map(|wire| self.ends(session, wire)).collect();
        // A node that can be inserted into a wire is no obstacle, or the wire would evade it.
        let loose = self.loose(session);
        let solid = self.level.signatures.keys().filter(|name| loose != Some(name));
        let areas = solid.filter_map(|name| self.area(session, name)).collect();
        let document = ends
            .iter()
            .map(|ends| ends.unwrap_or_default())
            .map(|(from, to)| (self.to_document(from), self.to_document(to)));
        let wired: Vec<Ends> = wires
            .iter()
            .zip(document)
            .map(|(wire, (from, to))| Ends { from: from.to_pos2(), to: to.to_pos2(), net: wire.net, next: wire.next })
            .collect();
        let moving = self.gesture.grip.is_some() || self.gesture.held_frame.is_some() || self.glide.runs();
        self.level.routing.update(areas, wired, moving);
        let map = |at: egui::Pos2| self.view.rect.min + self.view.pan + at.to_vec2() * self.view.zoom;
        let hovered = self.interest.wire.clone();
        for ((wire, ends), route) in wires.iter_mut().zip(ends).zip(self.level.routing.routes()) {
            if let Some((start, end)) = ends {
                wire.lay(start, end, self.view.zoom, route, map);
            }
            wire.chosen = selected(wire);
            wire.idle = muted(&wire.from.node) || muted(&wire.to.node);
            wire.lit = session.is_viewed(&wire.path);
            wire.hovered = hovered.as_ref() == Some(&wire.to);
        }
        for wire in mentioned.iter_mut().filter(|wire| wire.chosen) {
            let Some((start, end)) = self.ends(session, wire) else { continue };
            let (from, to) = (self.to_document(start).to_pos2(), self.to_document(end).to_pos2());
            let route = self.level.routing.alone(&Ends { from, to, net: 0, next: false });
            wire.lay(start, end, self.view.zoom, &route, map);
        }
        (self.level.wires, self.level.mentioned) = (wires, mentioned);
    }

    /// Where a wire begins and ends in the window.
    pub(super) fn ends(&self, session: &Session, wire: &WireShape) -> Option<(egui::Pos2, egui::Pos2)> {
        let start = self.port_place(session, &wire.from.node, view::End::Output, &wire.from.port)?;
        let end = match wire.to.port.as_str() {
            // A number that an expression names ends at the title.
            "" => self.window_area(session, &wire.to.node)?.left_top() + vec2(0.0, 12.0 * self.view.zoom),
            port => self.port_place(session, &wire.to.node, view::End::Input, port)?,
        };
        Some((start, end))
    }

    /// Lines from numbers to the nodes whose expressions name them, where either is selected.
    pub(super) fn mention_shapes(&self, look: &Look) -> egui::Shape {
        let chosen = self.level.mentioned.iter().filter(|wire| wire.chosen);
        egui::Shape::Vec(chosen.map(|wire| wire.mention(self.view.zoom, look.dim)).collect())
    }
}

/// Numbers of a level, and the nodes whose expressions name them.
pub(super) fn mentions(nodes: &Nodes) -> Vec<(String, String)> {
    let number = |name: &&str| nodes.get(*name).is_some_and(|node| node.kind.is_number());
    let named = |node: &Node| -> BTreeSet<String> {
        let texts = node.values().filter_map(ParamValue::expression);
        texts.flat_map(|text| crate::expr::names(text)).filter(number).map(String::from).collect()
    };
    nodes.iter().flat_map(|(name, node)| named(node).into_iter().map(move |number| (number, name.clone()))).collect()
}
