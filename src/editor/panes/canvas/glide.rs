//! Where nodes and frames are shown: at their places, lower where thumbnails above them need room, and on their way there after an edit.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Vec2, vec2};

use super::{Canvas, place_of};
use crate::document::{Level, Scope};
use crate::model::layout;
use crate::model::session::Session;

/// What nodes that are lower make room for may change without being seen \[points\].
const SLIGHT: f32 = 1.0;

/// Nodes and frames that glide from where they were to where they are, so that the eye can follow.
#[derive(Debug, Default)]
pub(super) struct Glide {
    /// Where all were shown, until it is known where they go.
    begun: Option<Shown>,
    /// How far from its place each node began \[points of the document\].
    from: BTreeMap<String, Vec2>,
    /// How far from its own each frame's upper left and lower right corner began.
    frames: Vec<[Vec2; 2]>,
    /// When they began \[s\]; `None` until the next frame.
    since: Option<f64>,
    /// What is left, from 1 to 0.
    rest: f32,
}

/// Where the nodes and frames of a level are shown \[points of the document\].
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    nodes: BTreeMap<String, Vec2>,
    frames: Vec<Rect>,
}

/// Room for thumbnails.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// How far nodes and frames are moved down, and how much higher frames are \[points of the document\].
    nodes: BTreeMap<String, f32>,
    frames: Vec<[f32; 2]>,
    /// The level that it is for.
    scope: Scope,
}

impl Room {
    fn differs(&self, other: &Room) -> bool {
        let names = self.nodes.keys().chain(other.nodes.keys());
        let by = |room: &Room, name: &String| room.nodes.get(name).copied().unwrap_or(0.0);
        names.into_iter().any(|name| (by(self, name) - by(other, name)).abs() > SLIGHT)
            || self.frames.iter().zip(&other.frames).any(|(a, b)| (a[1] - b[1]).abs() > SLIGHT)
    }
}

impl Glide {
    /// How long it takes \[s\].
    const TAKES: f64 = 0.3;

    fn new(from: BTreeMap<String, Vec2>, frames: Vec<[Vec2; 2]>) -> Glide {
        Glide { begun: None, from, frames, since: None, rest: 1.0 }
    }

    /// Goes on to a time \[s\]. Returns whether there is more to come.
    pub(super) fn update(&mut self, now: f64) -> bool {
        if !self.runs() {
            return false;
        }
        let since = *self.since.get_or_insert(now);
        let share = ((now - since) / Glide::TAKES).clamp(0.0, 1.0) as f32;
        self.rest = (1.0 - share).powi(3);
        if share == 1.0 {
            *self = Glide::default();
        }
        self.runs()
    }

    fn offset(&self, name: &str) -> Vec2 {
        self.from.get(name).map_or(Vec2::ZERO, |from| *from * self.rest)
    }

    /// Whether nodes or frames are on their way.
    pub(super) fn runs(&self) -> bool {
        !self.from.is_empty() || !self.frames.is_empty()
    }
}

impl Canvas {
    /// Where a node is shown \[points of the document\].
    pub(super) fn shown_at(&self, session: &Session, name: &str) -> Vec2 {
        self.place_in_room(session, name) + self.glide.offset(name)
    }

    /// Position of a node once it has glided there \[points of the document\].
    pub(super) fn place_in_room(&self, session: &Session, name: &str) -> Vec2 {
        place_of(session, name) + vec2(0.0, self.room.nodes.get(name).copied().unwrap_or(0.0))
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
}
