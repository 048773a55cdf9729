//! Glides of nodes and frames to their places, and the room that thumbnails need.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Vec2};

use crate::document::Scope;

/// What nodes that are lower make room for may change without being seen \[points\].
const SLIGHT: f32 = 1.0;

/// Nodes and frames that glide from where they were to where they are, so that the eye can follow.
#[derive(Debug, Default)]
pub(super) struct Glide {
    /// Where all were shown, until it is known where they go.
    pub begun: Option<Shown>,
    /// How far from its place each node began \[points of the document\].
    from: BTreeMap<String, Vec2>,
    /// How far from its own each frame's upper left and lower right corner began.
    pub frames: Vec<[Vec2; 2]>,
    /// When they began \[s\]; `None` until the next frame.
    since: Option<f64>,
    /// What is left, from 1 to 0.
    pub rest: f32,
}

/// Where the nodes and frames of a level are shown \[points of the document\].
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub nodes: BTreeMap<String, Vec2>,
    pub frames: Vec<Rect>,
}

/// Room for thumbnails.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// How far nodes and frames are moved down, and how much higher frames are \[points of the document\].
    pub nodes: BTreeMap<String, f32>,
    pub frames: Vec<[f32; 2]>,
    /// The level that it is for.
    pub scope: Scope,
}

impl Room {
    pub(super) fn differs(&self, other: &Room) -> bool {
        let names = self.nodes.keys().chain(other.nodes.keys());
        let by = |room: &Room, name: &String| room.nodes.get(name).copied().unwrap_or(0.0);
        names.into_iter().any(|name| (by(self, name) - by(other, name)).abs() > SLIGHT)
            || self.frames.iter().zip(&other.frames).any(|(a, b)| (a[1] - b[1]).abs() > SLIGHT)
    }
}

impl Glide {
    /// How long it takes \[s\].
    const TAKES: f64 = 0.3;

    pub(super) fn new(from: BTreeMap<String, Vec2>, frames: Vec<[Vec2; 2]>) -> Glide {
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

    pub(super) fn offset(&self, name: &str) -> Vec2 {
        self.from.get(name).map_or(Vec2::ZERO, |from| *from * self.rest)
    }

    /// Whether nodes or frames are on their way.
    pub(super) fn runs(&self) -> bool {
        !self.from.is_empty() || !self.frames.is_empty()
    }
}
