//! Leaving caches: where a run that was played from disk continues live.

use std::path::PathBuf;

use crate::bake::Status;
use crate::plan::Plan;
use crate::sim::Simulation;
use crate::sim::checkpoint::Checkpoint;

/// A run that is played from caches, of which another plan may leave some and run live.
#[derive(Clone, Debug)]
pub(crate) struct CachedRun {
    /// The present frame.
    pub frame: u64,
    /// The caches.
    pub folders: Vec<PathBuf>,
    /// The States that are in memory, by node and description.
    pub states: Vec<(String, String)>,
}

/// How a run has left its caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// The run continues from a checkpoint, and goes to the frame that was shown.
    From { checkpoint: u64, frame: u64 },
    /// The run starts again; why, in a sentence.
    Start(String),
}

impl Live {
    /// The frame to go to, and what to tell the user.
    pub(crate) fn report(self) -> (Option<u64>, String) {
        match self {
            Live::From { checkpoint, frame } if checkpoint == frame => {
                (None, format!("Running live from frame {frame}"))
            }
            Live::From { checkpoint, frame } => {
                (Some(frame), format!("Running live: computing frames {} to {frame}", checkpoint + 1))
            }
            Live::Start(why) => (None, why),
        }
    }
}

impl CachedRun {
    /// The newest checkpoint up to the frame of a cache that is not played any more.
    pub(crate) fn checkpoint(&self, bakes: &[Status], plan: &Plan, adapter: &str) -> Option<Checkpoint> {
        let left = bakes.iter().filter(|status| !status.plays && self.folders.contains(&status.folder));
        let found = left.filter_map(|status| status.checkpoint(plan, adapter, self.frame));
        found.max_by_key(|checkpoint| checkpoint.snapshot.frame)
    }

    /// Whether a simulation that continues the run leaves a cache, and has a State to compute that is not in memory.
    pub(crate) fn is_left(&self, simulation: Option<&Simulation>) -> bool {
        let Some(simulation) = simulation else { return false };
        let played = simulation.played();
        let plays = |folder: &PathBuf| played.iter().any(|cache| cache.folder == *folder);
        !self.folders.iter().all(plays) && self.missing(simulation.plan()).next().is_some()
    }

    /// States of a plan that are not in memory.
    pub(crate) fn missing<'p>(&'p self, plan: &'p Plan) -> impl Iterator<Item = (&'p str, &'p str)> {
        let held = plan.states.iter().filter(|state| !plan.files.iter().any(|file| file.buffer == state.buffer));
        let all = held.map(|state| (state.node.as_str(), state.description.as_str()));
        all.filter(|(node, about)| {
            !self.states.iter().any(|(state, description)| state == node && description == about)
        })
    }
}
