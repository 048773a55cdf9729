//! The bakes of the graph: what their caches hold, and whether the graph runs from them.

use std::path::PathBuf;

use super::super::leaving_caches::{CachedRun, Live};
use super::Session;
use crate::bake::{Condition, Status};
use crate::cache::STATES;
use crate::document::Bake;
use crate::sim::checkpoint::Checkpoint;

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
    /// The graph runs from its cache, and leads to other values now.
    Stale,
    /// The bake has a cache, and the graph runs live.
    Baked,
    /// The bake has no cache.
    Missing,
    /// The bake's cache can't be played.
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

    /// Plays one bake from its cache, or runs it live.
    pub(crate) fn play_bake(&mut self, name: &str, play: bool) {
        let gesture = if play { "play from cache" } else { "run live" };
        self.edit(gesture, |document| document.bakes.get_mut(name).into_iter().for_each(|bake| bake.play = play));
        self.end_gesture();
    }

    /// The run, where it is played from caches.
    pub(super) fn cached_run(&self) -> Option<CachedRun> {
        let simulation = self.simulation.as_ref()?;
        let folders: Vec<PathBuf> = simulation.played().into_iter().map(|cache| cache.folder).collect();
        let states = simulation.plan().states.iter().map(|state| (state.node.clone(), state.description.clone()));
        let some = !folders.is_empty() && simulation.frame() > 0;
        some.then(|| CachedRun { frame: simulation.frame(), folders, states: states.collect() })
    }

    /// Continues a run live that was played from caches: from a checkpoint that a bake has written, or from the start.
    pub(super) fn go_live(&mut self, cached: &CachedRun, checkpoint: Option<Checkpoint>) {
        let Some(simulation) = &mut self.simulation else { return };
        let (some, whole) = (checkpoint.is_some(), |candidate: &Checkpoint| {
            cached.missing(simulation.plan()).all(|(node, description)| candidate.holds(node, description))
        });
        let checkpoint = checkpoint.filter(whole);
        // Input and changes that were noted while frames came from disk have changed no State.
        simulation.reset();
        if let Some(checkpoint) = checkpoint {
            let at = checkpoint.snapshot.frame;
            let problems = simulation.resume(&checkpoint);
            self.note(problems);
            self.live = Some(Live::From { checkpoint: at, frame: cached.frame.max(at) });
            return;
        }
        let left: Vec<&Status> = self.bakes.iter().filter(|status| cached.folders.contains(&status.folder)).collect();
        let near = |status: &&Status| !STATES.present(&status.folder).is_empty();
        self.live = Some(if left.iter().any(|status| status.condition != Condition::Fresh) {
            Live::Start("Running live from the start: the graph is not the one that was baked.".into())
        } else if some {
            Live::Start("Running live from the start: no bake holds all States. Bake all wires in one.".into())
        } else if left.iter().any(near) {
            // The first checkpoint is later: it is not far from the start.
            Live::From { checkpoint: 0, frame: cached.frame }
        } else {
            Live::Start("Running live from the start: the cache has no checkpoint. Bake it again to get some.".into())
        });
    }

    /// How the run has left a cache, once.
    pub(crate) fn take_live(&mut self) -> Option<Live> {
        self.live.take()
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
