//! How far the reading of a file is, for whoever waits for it, and a way to stop it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::error::Cause;

/// What is being done with a file, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Its bytes come from the disk.
    #[default]
    Reading,
    /// Its text or its buffers become triangles, or a picture.
    Decoding,
    /// Triangles are made to agree and put into a tree.
    Preparing,
    /// Distances are measured, row of cells by row.
    Measuring,
}

impl Phase {
    /// The same in a word.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Decoding => "decoding",
            Phase::Preparing => "preparing",
            Phase::Measuring => "measuring",
        }
    }
}

/// Shared between the thread that reads a file and those that look on.
#[derive(Debug, Default)]
pub struct Work {
    phase: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
    stopped: AtomicBool,
}

impl Work {
    /// What is being done, and how much of it is done (0 to 1) where that can be told.
    pub fn progress(&self) -> (Phase, Option<f32>) {
        let phases = [Phase::Reading, Phase::Decoding, Phase::Preparing, Phase::Measuring];
        let phase = phases.get(usize::from(self.phase.load(Ordering::Relaxed))).copied().unwrap_or_default();
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (phase, (total > 0).then(|| (done as f32 / total as f32).min(1.0)))
    }

    /// Ends the reading at the next step that it takes; inside of a file's decoder that may be a moment.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Begins a phase of so many steps, 0 where they can't be counted.
    pub(super) fn begin(&self, phase: Phase, total: u64) -> Result<(), Cause> {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
        self.go_on(0)
    }

    /// Notes steps that were taken.
    ///
    /// # Errors
    /// Where it is to stop.
    pub(super) fn go_on(&self, steps: u64) -> Result<(), Cause> {
        self.done.fetch_add(steps, Ordering::Relaxed);
        if self.stopped() { Err(Cause::Stopped) } else { Ok(()) }
    }
}
