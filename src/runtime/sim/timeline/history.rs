//! The past of a simulation, and the frames after the present one that are known.

use std::time::Duration;

use super::checkpoints::{Budget, Checkpoints, Storage};
use super::journal::Journal;
use crate::input::InputTrack;

/// A frame is to be reached from a checkpoint within this time.
const REACH: Duration = Duration::from_millis(25);
/// Fewest and most frames between two checkpoints.
const INTERVAL: std::ops::RangeInclusive<u64> = 4..=256;
/// Frames between checkpoints while the time of a frame is not known.
const UNKNOWN: u64 = 16;
/// How fast States are copied on the GPU, and to the host, at least \[bytes/s\].
const COPIED: f64 = 10e9;
const FETCHED: f64 = 4e9;
/// The part of a frame's time that copies may take.
const COST: f64 = 0.02;

/// The time from which a changed parameter applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applies {
    /// The present frame and those after it.
    #[default]
    Here,
    /// All frames from the start, which become others.
    Start,
}

/// The past of a simulation, and what of it is known of the future.
#[derive(Default)]
pub struct Timeline {
    pub(super) journal: Journal,
    pub(super) checkpoints: Checkpoints,
    /// The time from which changed parameters apply.
    pub applies: Applies,
    /// Time of a frame.
    pace: Option<Duration>,
    /// The coming frame's input is given live.
    pub(super) live: bool,
    /// What led to the present States, by [`Journal::hash`], where a change in the past leads to others now.
    pub(super) computed: Option<u64>,
    /// What led to each frame when it was last computed; `None` for one that never was.
    pub(super) seen: Vec<Option<u64>>,
}

impl Timeline {
    /// What drives the run.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Frames that are known: those computed in this run, and those after the present one that were computed before the run went back.
    pub fn end(&self) -> u64 {
        self.journal.end()
    }

    /// Memory that checkpoints may take.
    pub fn budget(&self) -> Budget {
        self.checkpoints.budget
    }

    /// Sets the memory that checkpoints may take. What does not fit any more goes with the next frame.
    pub fn set_budget(&mut self, budget: Budget) {
        self.checkpoints.budget = budget;
    }

    /// Memory in use \[bytes\].
    pub fn used(&self, place: Storage) -> u64 {
        self.checkpoints.used(place)
    }

    /// Tells how long a frame takes, which determines how often States are copied.
    pub fn set_pace(&mut self, pace: Duration) {
        self.pace = Some(pace);
    }

    /// Frames with a checkpoint of the present run, in order, and where it is.
    pub fn cached(&mut self) -> Vec<(u64, Storage)> {
        let journal = &mut self.journal;
        let valid =
            self.checkpoints.iter().filter(|checkpoint| journal.hash(checkpoint.frame) == Some(checkpoint.hash));
        valid.map(|checkpoint| (checkpoint.frame, checkpoint.place())).collect()
    }

    /// Frames between two checkpoints for States of this size \[bytes\].
    pub fn interval(&self, bytes: u64) -> u64 {
        let Some(pace) = self.pace.map(|pace| pace.as_secs_f64()).filter(|pace| *pace > 0.0) else { return UNKNOWN };
        let reach = REACH.as_secs_f64() / pace;
        let stays = self.checkpoints.used(Storage::Gpu) + bytes <= self.checkpoints.budget.gpu;
        let cheap = bytes as f64 / if stays { COPIED } else { FETCHED } / (COST * pace);
        (reach.max(cheap) as u64).clamp(*INTERVAL.start(), *INTERVAL.end())
    }

    /// The first frame whose States are others now than when it was last computed, since the graph, a parameter or the input
    /// was changed.
    pub fn stale(&mut self) -> Option<u64> {
        let Timeline { journal, seen, .. } = self;
        let end = (journal.end() as usize).saturating_add(1);
        let mut frames = seen.iter().take(end).enumerate();
        let differs =
            |(frame, computed): &(usize, &Option<u64>)| computed.is_some() && journal.hash(*frame as u64) != **computed;
        frames.find(differs).map(|(frame, _)| frame as u64)
    }

    /// Gives up all checkpoints. Frames are computed from the start again.
    pub fn clear(&mut self) {
        self.checkpoints.clear();
    }

    /// Whether the States of a frame, which is the present one, are not those that the changed past leads to.
    pub(super) fn is_outdated(&mut self, frame: u64) -> bool {
        let now = self.journal.hash(frame);
        self.computed.is_some_and(|computed| Some(computed) != now)
    }

    /// Carries out a change of the journal while the States of a frame are present.
    pub(super) fn change(&mut self, frame: u64, change: impl FnOnce(&mut Journal)) {
        let before = self.journal.hash(frame);
        change(&mut self.journal);
        if self.journal.hash(frame) != before {
            self.computed = self.computed.or(before);
        }
    }

    /// Forgets input and changes of parameters from a frame on.
    pub fn cut(&mut self, frame: u64) {
        self.journal.cut(frame);
    }

    /// The input so far as a track, which follows the pointer to a fifth of a pixel in an image 1,000 pixels wide. `fps` is the
    /// graph's frames per second.
    pub fn track(&self, fps: f64) -> InputTrack {
        let dt = 1.0 / fps;
        let mut time = 0.0;
        let inputs = (0..self.journal.end()).filter_map(|frame| {
            let input = self.journal.input(frame)?.clone();
            let at = time;
            time += input.dt.map_or(dt, f64::from);
            Some((at, input))
        });
        InputTrack::recorded(inputs)
    }
}
