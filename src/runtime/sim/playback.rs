//! Playing from caches: before each frame, the values of some wires come from disk, and what only they need does not run.
//!
//! Before a frame, a wire gets the values of that frame and a State those of the frame before; after it, the State gets its own. Where all
//! States come from caches, a seek sets frame and time and computes nothing. The workgroups of a particle set follow from its count.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::Simulation;
pub(super) use super::caches::Playback;
use super::caches::Source;
use crate::cache::CacheError;
use crate::plan::BufferId;
use crate::problem::{Problem, Problems};

/// A cache that a simulation plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Folder of the cache.
    pub folder: PathBuf,
    /// The frames that it has.
    pub frames: RangeInclusive<u64>,
}

impl Simulation {
    /// The caches that it plays.
    pub fn played(&self) -> Vec<Played> {
        let played = |source: &Source| Played {
            folder: source.ahead.cache().folder().to_path_buf(),
            frames: source.frames.clone(),
        };
        self.playback.sources.iter().map(played).collect()
    }

    /// Frames that [`Simulation::seek`] reaches without computing others, because they are in the caches and no State has
    /// to be computed.
    pub fn baked_frames(&self) -> Option<RangeInclusive<u64>> {
        self.playback.frames().filter(|_| self.plan.states.iter().all(|state| self.is_file(state.buffer)))
    }

    fn is_file(&self, buffer: BufferId) -> bool {
        self.plan.files.iter().any(|file| file.buffer == buffer)
    }

    /// Called before a frame is computed from the present States.
    pub(super) fn play_before(&mut self) -> Result<(), Problems> {
        if self.playback.is_empty() {
            return Ok(());
        }
        let coming = self.frame + 1;
        let read = self.playback.upload(&mut self.engine, self.frame, true);
        read.and_then(|()| self.playback.upload(&mut self.engine, coming, false)).map_err(unreadable)?;
        self.notes.0.extend(self.playback.outside(coming));
        self.notes.0.extend(self.playback.bad());
        Ok(())
    }

    /// Called after a frame: States hold what it would have left.
    pub(super) fn play_after(&mut self) -> Result<(), Problems> {
        self.playback.upload(&mut self.engine, self.frame, true).map_err(unreadable)
    }

    /// Goes to the frame before one of a plan whose States all come from caches. Returns whether it did.
    pub(super) fn jump(&mut self, frame: u64) -> bool {
        let Some(before) = frame.checked_sub(1).filter(|_| self.baked_frames().is_some()) else { return false };
        if self.fresh {
            self.reset();
        }
        self.time = self.time_at(before);
        self.frame = before;
        true
    }

    /// Simulated time at the end of a frame: as it was when the frame was baked, else that of frames of the same length.
    pub(super) fn time_at(&self, frame: u64) -> f64 {
        let dt = f64::from((1.0 / self.plan.fps) as f32);
        let caches = || self.playback.sources.iter().filter(|source| source.frames.contains(&frame));
        if let Some(time) = caches().find_map(|source| source.ahead.cache().time(frame)) {
            return time;
        }
        // As a run adds it up.
        (0..frame).fold(0.0, |time, _| time + dt)
    }
}

fn unreadable(error: CacheError) -> Problems {
    Problem::new("", "", error.to_string(), "or run the graph live").into()
}
