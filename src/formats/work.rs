//! Progress of loading a file, and a way to cancel it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::error::Cause;

/// The phases of loading a file, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Reading from disk.
    #[default]
    Reading,
    /// Decoding text or buffers to triangles, or to an image.
    Decoding,
    /// Orienting triangles and building the tree.
    Preparing,
    /// Computing distances, one row of cells after another.
    Measuring,
}

impl Phase {
    /// The name of the phase.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Decoding => "decoding",
            Phase::Preparing => "preparing",
            Phase::Measuring => "measuring",
        }
    }
}

/// Shared between the thread that loads a file and those that watch it.
#[derive(Debug, Default)]
pub struct Work {
    phase: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
    stopped: AtomicBool,
}

impl Work {
    /// The phase and its progress from 0 to 1, where that is known.
    pub fn progress(&self) -> (Phase, Option<f32>) {
        let phases = [Phase::Reading, Phase::Decoding, Phase::Preparing, Phase::Measuring];
        let phase = phases.get(usize::from(self.phase.load(Ordering::Relaxed))).copied().unwrap_or_default();
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (phase, (total > 0).then(|| (done as f32 / total as f32).min(1.0)))
    }

    /// Cancels the load at its next step. Inside a decoder this may take a moment.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the load was cancelled.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Starts a phase with this many steps; 0 where the number is unknown.
    pub fn begin(&self, phase: Phase, total: u64) -> Result<(), Cause> {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
        self.go_on(0)
    }

    /// Counts completed steps.
    ///
    /// # Errors
    /// When the load was cancelled.
    pub fn go_on(&self, steps: u64) -> Result<(), Cause> {
        self.done.fetch_add(steps, Ordering::Relaxed);
        if self.stopped() { Err(Cause::Stopped) } else { Ok(()) }
    }
}
