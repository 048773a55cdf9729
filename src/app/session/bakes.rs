//! The bakes of the graph: what their caches hold, and whether the graph runs from them.

use super::Session;
use crate::bake::{Condition, Status};
use crate::document::Bake;

/// What a bake is for a node that makes one of its wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BakedNode {
    pub state: BakedState,
    /// A sentence about it.
    pub about: String,
}

/// How a node's bake stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BakedState {
    /// The graph runs from its cache.
    Playing,
    /// The same, and the graph leads to other values now.
    Stale,
    /// It has a cache, and the graph runs live.
    Baked,
    /// It has none.
    Missing,
    /// Its cache can't be played.
    Unplayable,
}

impl BakedState {
    pub(crate) fn title(self) -> &'static str {
        match self {
            BakedState::Playing => "cache",
            BakedState::Stale => "stale",
            BakedState::Baked => "baked",
            BakedState::Missing => "not baked",
            BakedState::Unplayable => "can't play",
        }
    }
}

/// How a bake stands.
pub(crate) fn state(status: &Status) -> BakedState {
    match &status.condition {
        Condition::Missing => BakedState::Missing,
        Condition::Unfit(_) | Condition::Damaged(_) => BakedState::Unplayable,
        Condition::Fresh if status.plays => BakedState::Playing,
        Condition::Stale(_) if status.plays => BakedState::Stale,
        Condition::Fresh | Condition::Stale(_) => BakedState::Baked,
    }
}

/// How a bake stands, in a sentence.
pub(crate) fn about(status: &Status) -> String {
    let frames = status.frames.as_ref().map(|frames| format!("Frames {} to {}", frames.start(), frames.end()));
    let from = if status.plays { "played from the cache" } else { "in a cache; the graph runs live" };
    let have =
        frames.map_or_else(|| "No frame is baked; the graph runs live".into(), |frames| format!("{frames}, {from}"));
    match &status.condition {
        Condition::Fresh | Condition::Missing => have,
        Condition::Stale(why) => format!("{have}. Stale: {}", listed(why)),
        Condition::Unfit(why) => format!("The cache does not fit the graph, which runs live: {}", listed(why)),
        Condition::Damaged(why) => format!("The cache can't be read, so the graph runs live: {why}"),
    }
}

/// The first reasons.
fn listed(why: &[String]) -> String {
    let shown = why.iter().take(4).map(String::as_str).collect::<Vec<_>>().join("; ");
    match why.len() {
        0..=4 => shown,
        more => format!("{shown}; and {} more", more - 4),
    }
}

impl Session {
    /// The bakes of the graph as of the running plan.
    pub(crate) fn bakes(&self) -> &[Status] {
        &self.bakes
    }

    /// The bake of a node of the open level that makes one of its wires.
    pub(crate) fn baked_node(&self, name: &str) -> Option<BakedNode> {
        let path = self.scope().path(name);
        let makes = |status: &&Status| {
            status.stored.iter().any(|wire| wire.name.rsplit_once('.').is_some_and(|(node, _)| node == path))
        };
        let status = self.bakes.iter().find(makes)?;
        Some(BakedNode { state: state(status), about: format!("{}: {}", status.name, about(status)) })
    }

    /// Whether the graph has caches that could be played and are not, or are: what a command to change that would do.
    pub(crate) fn can_play_bakes(&self, play: bool) -> bool {
        self.document.bakes.values().any(|bake| bake.play != play)
    }

    /// Lets the graph run from all its caches, or live.
    pub(crate) fn play_bakes(&mut self, play: bool) {
        let gesture = if play { "play from cache" } else { "run live" };
        self.edit(gesture, |document| document.bakes.values_mut().for_each(|bake| bake.play = play));
        self.end_gesture();
    }

    /// The same of one bake.
    pub(crate) fn play_bake(&mut self, name: &str, play: bool) {
        let gesture = if play { "play from cache" } else { "run live" };
        self.edit(gesture, |document| document.bakes.get_mut(name).into_iter().for_each(|bake| bake.play = play));
        self.end_gesture();
    }

    /// Adds or changes a bake.
    pub(crate) fn set_bake(&mut self, name: &str, bake: Bake) {
        self.edit("bake", |document| drop(document.bakes.insert(name.into(), bake)));
        self.end_gesture();
    }

    /// Removes a bake from the graph; its cache stays on disk.
    pub(crate) fn remove_bake(&mut self, name: &str) {
        self.edit("remove bake", |document| drop(document.bakes.remove(name)));
        self.end_gesture();
    }

    /// Looks at the caches again, after they were written or deleted.
    pub(crate) fn look_at_bakes(&mut self) {
        self.changes.pending = true;
        self.compile();
    }
}
