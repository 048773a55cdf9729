//! Where nodes and frames are shown: at their places, lower where thumbnails above them need room, and on their way there after an edit.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Vec2, vec2};

use super::glide::{Glide, Room, Shown};
use super::state::Canvas;
use crate::document::{Level, Scope};
use crate::model::layout;
use crate::model::session::Session;

impl Canvas {
    /// Where a node is shown \[points of the document\].
    pub(super) fn shown_at(&self, session: &Session, name: &str) -> Vec2 {
        self.place_in_room(session, name) + self.glide.offset(name)
    }

    /// Position of a node once it has glided there \[points of the document\].
    pub(super) fn place_in_room(&self, session: &Session, name: &str) -> Vec2 {
        layout::node_position(session.level(), name) + vec2(0.0, self.room.nodes.get(name).copied().unwrap_or(0.0))
    }

    /// Where a frame is shown \[points of the document\].
    pub(super) fn shown_frame(&self, session: &Session, index: usize) -> Option<Rect> {
        let mut area = self.frame_in_room(session, index)?;
        if let Some([start, end]) = self.glide.frames.get(index) {
            area.min += *start * self.glide.rest;
            area.max += *end * self.glide.rest;
        }
        Some(area)
    }

    pub(super) fn frame_in_room(&self, session: &Session, index: usize) -> Option<Rect> {
        let mut area = layout::frame_area(session.frames().get(index)?);
        if let Some([lowered, higher]) = self.room.frames.get(index) {
            area = area.translate(vec2(0.0, *lowered));
            area.max.y += higher;
        }
        Some(area)
    }

    /// Where all nodes and frames of the level are shown, to let them glide from there.
    pub(super) fn shown(&self, session: &Session) -> Shown {
        let nodes = self.level.signatures.keys().map(|name| (name.clone(), self.shown_at(session, name))).collect();
        let frames = (0..session.frames().len()).filter_map(|index| self.shown_frame(session, index)).collect();
        Shown { nodes, frames }
    }

    /// Lets nodes and frames glide from where they were shown before an edit.
    pub(super) fn glide_from(&mut self, before: Shown) {
        self.glide.begun = Some(before);
    }

    /// Moves nodes down that thumbnails above them would cover, and begins to glide. While nodes are dragged, the others stay.
    pub(super) fn make_way(&mut self, session: &Session) {
        if self.gesture.grip.is_some() || self.gesture.moved || self.gesture.held_frame.is_some() {
            return;
        }
        let room = self.room(session.scope(), session.level());
        if self.glide.begun.is_none() && !self.glide.runs() && room.scope == self.room.scope && room.differs(&self.room)
        {
            self.glide.begun = Some(self.shown(session));
        }
        self.room = room;
        let Some(begun) = self.glide.begun.take() else { return };
        self.glide = Glide::default();
        let by = |(name, at): (String, Vec2)| {
            let by = at - self.shown_at(session, &name);
            (name, by)
        };
        let nodes = begun.nodes.into_iter().map(by).filter(|(_, by)| *by != Vec2::ZERO).collect();
        let apart = |(index, was): (usize, &Rect)| {
            let is = self.frame_in_room(session, index).unwrap_or(*was);
            [was.min - is.min, was.max - is.max]
        };
        let mut frames: Vec<[Vec2; 2]> = begun.frames.iter().enumerate().map(apart).collect();
        if frames.iter().flatten().all(|by| *by == Vec2::ZERO) {
            frames.clear();
        }
        self.glide = Glide::new(nodes, frames);
    }

    /// The room that thumbnails need on a level.
    fn room(&self, scope: &Scope, level: Level<'_>) -> Room {
        let mut room = Room { scope: scope.clone(), ..Room::default() };
        if self.thumbnails.is_empty() {
            return room;
        }
        let flow = self.flow(level);
        let areas: Vec<Rect> = level.frames().iter().map(layout::frame_area).collect();
        let found = layout::lowered(&flow.at, &self.plain_sizes(&flow), &flow.sizes, &areas);
        room.nodes = flow.names.into_iter().zip(found.nodes).filter(|(_, by)| *by > 0.0).collect();
        room.frames = found.frames.into_iter().zip(found.higher).map(|(lowered, higher)| [lowered, higher]).collect();
        room
    }

    /// The sizes of nodes without thumbnails.
    fn plain_sizes(&self, flow: &layout::Flow) -> Vec<Vec2> {
        let estimate = |name: &String| self.level.signatures.get(name).map_or(Vec2::ZERO, layout::node_size);
        flow.names.iter().map(estimate).collect()
    }

    /// The areas of nodes without thumbnails, which find their room by themselves \[points of the document\].
    pub(super) fn plain_areas(&self, flow: &layout::Flow) -> Vec<Rect> {
        let sizes = if self.thumbnails.is_empty() { flow.sizes.clone() } else { self.plain_sizes(flow) };
        flow.at.iter().zip(sizes).map(|(at, size)| Rect::from_min_size(at.to_pos2(), size)).collect()
    }

    /// The places in the document at which nodes are shown at these points \[points of the document\].
    pub(super) fn places_shown_at(
        &self,
        document: &crate::document::Document,
        scope: &Scope,
        wanted: &BTreeMap<String, Vec2>,
    ) -> BTreeMap<String, Vec2> {
        // What is above a node decides how far it is lowered, so its place is found step by step.
        const STEPS: usize = 4;
        let mut places = wanted.clone();
        if self.thumbnails.is_empty() {
            return places;
        }
        let mut tried = document.clone();
        for _ in 0..STEPS {
            for (name, at) in &places {
                crate::edit::place(&mut tried, scope, name, (at.x, at.y));
            }
            let Some(level) = tried.level(scope) else { break };
            let room = self.room(scope, level);
            for (name, at) in &mut places {
                let target = wanted.get(name).copied().unwrap_or(*at);
                *at = target - vec2(0.0, room.nodes.get(name).copied().unwrap_or(0.0));
            }
        }
        places
    }

    /// Where a node is shown, and its size \[points of the document\].
    pub(super) fn area(&self, session: &Session, name: &str) -> Option<Rect> {
        Some(Rect::from_min_size(self.shown_at(session, name).to_pos2(), self.size(name)?))
    }

    /// Around all nodes of these names where they come to rest \[points of the document\].
    pub(super) fn bounds(&self, session: &Session, wanted: impl Fn(&str) -> bool) -> Rect {
        let names = self.level.signatures.keys().filter(|name| wanted(name));
        let area =
            |name: &String| Some(Rect::from_min_size(self.place_in_room(session, name).to_pos2(), self.size(name)?));
        names.filter_map(area).fold(Rect::NOTHING, Rect::union)
    }
}
