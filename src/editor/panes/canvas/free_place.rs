//! Where new nodes go: to the pointer, or to a free place.

use std::collections::BTreeSet;

use eframe::egui::{self, Pos2, Rect, Vec2, vec2};

use super::palette::PaletteChoice;
use super::state::Canvas;
use super::view::End;
use crate::commands::action::{Action, Actions};
use crate::document::{Node, NodeKind, ParamValue};
use crate::edit::{self, PasteInputs};
use crate::model::layout;
use crate::model::session::Session;

/// Space that is left free around a new node \[points\].
const GAP: Vec2 = vec2(36.0, 26.0);
/// Distance between the places that are tried \[points\], and how many on each side.
const STEP: Vec2 = vec2(40.0, 30.0);
const STEPS: i32 = 40;
/// Nodes whose corners are nearer than this cover each other \[points\].
const UPON: f32 = 12.0;
/// How far from the edge of the canvas a node has to be to count as in view \[points\].
pub(super) const EDGE: f32 = 24.0;

impl Canvas {
    /// Adds a node at the pointer if that is over the canvas, else in a free place.
    ///
    /// # Errors
    /// If the open level is read-only.
    pub(crate) fn put_in(
        &mut self,
        session: &mut Session,
        wish: &str,
        node: Node,
        pointer: Option<Pos2>,
        actions: &mut Actions,
    ) -> Result<(), String> {
        let wanted = PaletteChoice { wish: wish.to_string(), node, drag: None };
        self.add(session, wanted, pointer, actions)
    }

    /// Adds a node, with the wire that is to end at it.
    pub(super) fn add(
        &mut self,
        session: &mut Session,
        wanted: PaletteChoice,
        pointer: Option<Pos2>,
        actions: &mut Actions,
    ) -> Result<(), String> {
        if !session.editable() {
            return Err("this group belongs to the library; make a local copy, or go up one level, to add nodes".into());
        }
        let (mut node, pointer) = (wanted.node, self.pointed(pointer));
        if let NodeKind::Stage(stage) = &node.kind {
            let usual = session.library().usual_iterations(stage);
            node.iterations = node.iterations.or(usual.map(|usual| ParamValue::Number(f64::from(usual))));
        }
        let signature = edit::signature::node(&node, session.library());
        let size = layout::node_size(&signature);
        // A wire that was dragged off an input ends at an output, on the right of the node.
        let leads = wanted.drag.as_ref().is_some_and(|drag| drag.end == End::Input);
        node.at = self.place_for(session, size, if leads { size.x } else { 0.0 }, pointer);
        let scope = session.scope().clone();
        let mut after = session.document().clone();
        let name = edit::add(&mut after, &scope, &wanted.wish, node)?;
        if let Some(drag) = &wanted.drag
            && let Some(port) = drag.first_fit(&signature)
        {
            let (link, end) = drag.joined(&name, &port.name);
            edit::connect(&mut after, &scope, link, &end);
        }
        session.edit("add", |document| *document = after);
        session.selection.nodes = BTreeSet::from([name]);
        // Its free place may be out of view.
        actions.extend(pointer.is_none().then_some(Action::Reveal));
        Ok(())
    }

    /// Pastes the nodes of a text, at the pointer or in a free place.
    pub(crate) fn paste(
        &mut self,
        session: &mut Session,
        text: &str,
        pointer: Option<Pos2>,
        inputs: PasteInputs,
        actions: &mut Actions,
    ) -> Result<(), String> {
        let (scope, library) = (session.scope().clone(), session.library().clone());
        let pointer = self.pointed(pointer);
        let put = |at| {
            let mut after = session.document().clone();
            edit::paste(&mut after, &scope, text, at, inputs, &library).map(|names| (after, names))
        };
        let (tried, names) = put((0.0, 0.0))?;
        let nodes = tried.level(&scope).map(|level| level.nodes().clone()).unwrap_or_default();
        let pasted = nodes.iter().filter(|(name, _)| names.contains(*name));
        let size = pasted.fold(Vec2::ZERO, |size, (_, node)| {
            let node_size = layout::node_size(&edit::signature::node(node, &library));
            size.max(layout::finite(vec2(node.at.0, node.at.1)) + node_size)
        });
        let (after, names) = put(self.place_for(session, size, 0.0, pointer))?;
        session.edit("paste", |document| *document = after);
        session.selection.nodes = names;
        actions.extend(pointer.is_none().then_some(Action::Reveal));
        Ok(())
    }

    /// The pointer, if it is over the canvas.
    pub(super) fn pointed(&self, pointer: Option<Pos2>) -> Option<Pos2> {
        pointer.filter(|at| self.view.rect.contains(*at))
    }

    /// The corner of something new of this size, which the pointer holds at this distance from its left side \[points of the
    /// document\].
    fn place_for(&self, session: &Session, size: Vec2, held: f32, pointer: Option<Pos2>) -> (f32, f32) {
        let at = match pointer {
            Some(pointer) => {
                let wanted = self.to_document(pointer) - vec2(held, 0.0);
                self.beside_others(session, self.in_sight(wanted, size))
            }
            None => self.free_room(session, size),
        };
        (at.x.round(), at.y.round())
    }

    /// What the canvas shows, without its edges \[points of the document\].
    fn in_view(&self) -> Rect {
        let corner = (Vec2::splat(EDGE) - self.view.pan) / self.view.zoom;
        Rect::from_min_size(corner.to_pos2(), (self.view.rect.size() - Vec2::splat(2.0 * EDGE)) / self.view.zoom)
    }

    /// A corner near the wanted one, from which all of this size is in view if it fits.
    fn in_sight(&self, wanted: Vec2, size: Vec2) -> Vec2 {
        let view = self.in_view();
        let most = view.max.to_vec2() - size;
        let kept = |wanted: f32, least: f32, most: f32| if most < least { wanted } else { wanted.clamp(least, most) };
        vec2(kept(wanted.x, view.min.x, most.x), kept(wanted.y, view.min.y, most.y))
    }

    /// The place itself, or a little further if a node has its corner there already.
    fn beside_others(&self, session: &Session, mut at: Vec2) -> Vec2 {
        let begins = |at: Vec2| {
            session.nodes().keys().any(|name| (layout::node_position(session.level(), name) - at).length() < UPON)
        };
        while begins(at) {
            at += GAP;
        }
        at
    }

    /// The nearest free place to the right of the selection, or to the middle of the view; one in view, if there is any.
    fn free_room(&self, session: &Session, size: Vec2) -> Vec2 {
        let is_in_level = |name: &String| self.level.signatures.contains_key(name);
        let unseen = session.nodes().iter().filter(|(name, _)| !is_in_level(name)).map(|(name, node)| {
            let size = layout::node_size(&edit::signature::node(node, session.library()));
            Rect::from_min_size(layout::node_position(session.level(), name).to_pos2(), size)
        });
        let areas = self.level.signatures.keys().filter_map(|name| self.area(session, name)).chain(unseen);
        let occupied: Vec<Rect> = areas.map(|area| area.expand2(GAP)).collect();
        let view = self.in_view();
        let selected = self.bounds(session, |name| session.selection.contains(name));
        let wanted = match selected.is_positive() {
            true => selected.right_top() + vec2(1.5 * GAP.x, 0.0),
            false => view.center() - 0.5 * size,
        };
        let steps = || -STEPS..=STEPS;
        let places = steps().flat_map(|y| steps().map(move |x| wanted + vec2(x as f32, y as f32) * STEP));
        let room = |at: Pos2| Rect::from_min_size(at, size);
        let free = places.filter(|at| !occupied.iter().any(|area| area.intersects(room(*at))));
        let cost = |at: &Pos2| (!view.contains_rect(room(*at)), at.distance(wanted));
        let nearest = free.min_by(|a, b| {
            let (a, b) = (cost(a), cost(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let below = || egui::pos2(wanted.x, occupied.iter().map(|area| area.bottom()).fold(wanted.y, f32::max));
        nearest.unwrap_or_else(below).to_vec2()
    }
}
