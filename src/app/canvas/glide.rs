//! Where nodes are shown: at their places, lower where thumbnails above them need room, and on their way there after an edit.

use std::collections::BTreeMap;

use eframe::egui::{Vec2, vec2};

use super::{Canvas, layout, place_of};
use crate::app::session::Session;

/// Nodes that glide from where they were to where they are, so that the eye can follow.
#[derive(Debug, Default)]
pub(super) struct Glide {
    /// How far from its place each began \[points of the document\].
    from: BTreeMap<String, Vec2>,
    /// When they began \[s\]; `None` until the next frame.
    since: Option<f64>,
    /// What is left, from 1 to 0.
    rest: f32,
}

impl Glide {
    /// How long it takes \[s\].
    const TAKES: f64 = 0.3;

    pub(super) fn new(from: BTreeMap<String, Vec2>) -> Glide {
        Glide { from, since: None, rest: 1.0 }
    }

    /// Goes on to a time \[s\]. Returns whether there is more to come.
    pub(super) fn update(&mut self, now: f64) -> bool {
        if self.from.is_empty() {
            return false;
        }
        let since = *self.since.get_or_insert(now);
        let share = ((now - since) / Glide::TAKES).clamp(0.0, 1.0) as f32;
        self.rest = (1.0 - share).powi(3);
        if share == 1.0 {
            *self = Glide::default();
        }
        !self.from.is_empty()
    }

    pub(super) fn offset(&self, name: &str) -> Vec2 {
        self.from.get(name).map_or(Vec2::ZERO, |from| *from * self.rest)
    }

    /// Whether nodes are on their way.
    pub(super) fn runs(&self) -> bool {
        !self.from.is_empty()
    }
}

impl Canvas {
    /// Where a node is shown \[points of the document\].
    pub(super) fn shown_at(&self, session: &Session, name: &str) -> Vec2 {
        let lowered = self.lowered.get(name).copied().unwrap_or(0.0);
        place_of(session, name) + vec2(0.0, lowered) + self.glide.offset(name)
    }

    /// Where all nodes of the level are shown, to let them glide from there.
    pub(super) fn shown(&self, session: &Session) -> BTreeMap<String, Vec2> {
        self.level.signatures.keys().map(|name| (name.clone(), self.shown_at(session, name))).collect()
    }

    /// Lets nodes glide from where they were shown before an edit.
    pub(super) fn glide_from(&mut self, session: &Session, before: BTreeMap<String, Vec2>) {
        let by = |(name, at): (String, Vec2)| {
            let by = at - place_of(session, &name);
            (name, by)
        };
        self.glide = Glide::new(before.into_iter().map(by).filter(|(_, by)| *by != Vec2::ZERO).collect());
    }

    /// Moves nodes down that thumbnails above them would cover.
    pub(super) fn lower(&mut self, session: &Session) {
        self.lowered.clear();
        if !self.thumbnails.is_empty() {
            let flow = self.flow(session.level());
            let sizes =
                flow.names.iter().map(|name| self.level.signatures.get(name).map_or(Vec2::ZERO, layout::node_size));
            let lowered = layout::lowered(&flow.at, &sizes.collect::<Vec<_>>(), &flow.sizes);
            self.lowered = flow.names.into_iter().zip(lowered).filter(|(_, by)| *by > 0.0).collect();
        }
    }
}
