//! Snapshots of the States, from which the simulation continues on another graphics device.

use std::time::{Duration, Instant};

use super::Session;
use crate::gpu::Gpu;
use crate::model::compiler::Compiler;
use crate::sim::Simulation;

/// How often a snapshot is taken while the simulation runs.
const EVERY: Duration = Duration::from_secs(3);
/// Larger States are not copied, since the copies would slow the window down \[bytes\].
const LARGEST: u64 = 64 << 20;

impl Session {
    /// To be called after each frame: takes a snapshot every few seconds, if the States are small enough. Does not wait.
    pub(crate) fn keep_snapshot(&mut self) {
        let Some(simulation) = &self.simulation else { return };
        let snapshots = &mut self.snapshots;
        if let Some(reading) = snapshots.reading.take() {
            match reading.try_take() {
                Ok(snapshot) => snapshots.last = snapshot.or(snapshots.last.take()),
                Err(reading) => snapshots.reading = Some(reading),
            }
        } else if snapshots.last_request.is_none_or(|instant| instant.elapsed() > EVERY)
            && simulation.state_bytes() <= LARGEST
        {
            snapshots.last_request = Some(Instant::now());
            // If there is no memory for it, the next one is tried.
            snapshots.reading = simulation.snapshot().ok();
        }
    }

    /// Sets the user's memory budget \[bytes\], or none, and compiles the document with it.
    pub(crate) fn limit_memory(&mut self, bytes: Option<u64>) {
        if self.gpu.memory_limit() != bytes {
            self.gpu.limit_memory(bytes);
            self.compile();
        }
    }

    /// Whether the shapes of dispatches are measured while the graph is not edited.
    pub(crate) fn tunes(&self) -> bool {
        self.tunes
    }

    /// Turns that on or off. Measuring follows a compilation, so turning it on compiles the document, and that stops what is being measured.
    pub(crate) fn tune(&mut self, on: bool) {
        if std::mem::replace(&mut self.tunes, on) != on {
            self.compile();
        }
    }

    /// Replaces a device that was lost. The document is compiled for the new one, and the simulation then continues from the frame
    /// that is returned, or from the start.
    pub(crate) fn rebuild(&mut self, gpu: Gpu) -> Option<u64> {
        gpu.limit_memory(self.gpu.memory_limit());
        let wake = self.wake.clone();
        self.compiler = Compiler::new(gpu.clone(), move || wake());
        self.gpu = gpu;
        self.past = self.simulation.as_mut().and_then(Simulation::take_timeline);
        self.restart_debugging();
        self.stop_following();
        self.simulation = None;
        self.problems.running = Default::default();
        self.snapshots.reading = None;
        self.snapshots.last_request = None;
        self.snapshots.wanted = true;
        self.compile();
        self.snapshots.last.as_ref().map(|snapshot| snapshot.frame)
    }
}
