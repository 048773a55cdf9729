//! A particle that is followed, and its way so far.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use crate::problem::Problems;
use crate::sim::debug::{Follower, TrailPoint};

/// What a thread has found: the particle where it stands now, and its way; `None` where it was stopped.
pub(super) type Answer = Result<Option<(Follower, Vec<TrailPoint>)>, Problems>;

/// A particle that is followed.
pub(crate) struct Following {
    /// The set that it was pointed at in, its index there and the frame.
    pub(super) set: String,
    pub(super) index: u32,
    pub(super) frame: u64,
    /// Where it stands, unless a thread has it.
    pub(super) follower: Option<Follower>,
    pub(super) job: Option<Receiver<Answer>>,
    pub(super) stopped: Arc<AtomicBool>,
    pub(super) points: Vec<TrailPoint>,
    /// Path of the State that it is in.
    pub(super) state: String,
    pub(super) gone: bool,
    /// Attributes that are plotted.
    pub(super) plotted: BTreeSet<String>,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl Following {
    /// In words: `particle 17 of set`, by its index in the frame where it was pointed at.
    pub(crate) fn name(&self) -> String {
        format!("particle {} of {}", self.index, self.set)
    }

    /// The frame where it was pointed at.
    pub(crate) fn picked_at(&self) -> u64 {
        self.frame
    }

    /// Path of the State that it is in.
    pub(crate) fn state(&self) -> &str {
        &self.state
    }

    /// Trail of the particle: its place after each frame.
    pub(crate) fn points(&self) -> &[TrailPoint] {
        &self.points
    }

    /// Whether frames are being computed for it.
    pub(crate) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Whether the particle was removed.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether an attribute of it is plotted.
    pub(crate) fn is_plotted(&self, attribute: &str) -> bool {
        self.plotted.contains(attribute)
    }

    /// Plots an attribute, or does so no more.
    pub(crate) fn plot(&mut self, attribute: &str) {
        if !self.plotted.remove(attribute) {
            self.plotted.insert(attribute.into());
        }
    }

    /// The attributes that are plotted, each with the title of its curve.
    pub(crate) fn curves(&self) -> impl Iterator<Item = (String, &str)> {
        self.plotted.iter().map(|attribute| (format!("{}: {attribute}", self.name()), attribute.as_str()))
    }
}
