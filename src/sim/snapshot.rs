//! The States of a simulation in host memory, so that they survive the loss of the device.

use std::collections::BTreeMap;

use super::{Simulation, timeline};
use crate::gpu::Reading;
use crate::problem::Problem;

/// Everything that the next frame starts from: simulated time and every State.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Seconds of simulated time.
    pub time: f64,
    /// Frames computed since the start.
    pub frame: u64,
    /// Words of each State, by its node and its description (type, domain and start value). What files fill is not among them.
    pub(super) states: BTreeMap<(String, String), Vec<u32>>,
    /// What expressions without a value have kept, by path.
    pub(super) held: Vec<(String, Vec<f64>)>,
}

impl Snapshot {
    /// Host memory that the snapshot takes \[bytes\].
    pub fn bytes(&self) -> usize {
        self.states.values().map(|words| words.len() * 4).sum()
    }
}

/// A snapshot that is being copied from the GPU.
pub struct SnapshotReading {
    snapshot: Snapshot,
    readings: Vec<((String, String), Reading)>,
}

impl SnapshotReading {
    /// The snapshot once all of it has arrived; the reading itself until then. Does not block. `Ok(None)` when the
    /// device failed.
    #[allow(clippy::result_large_err, reason = "the error is the reading itself, to be asked again")]
    pub fn try_take(mut self) -> Result<Option<Snapshot>, SnapshotReading> {
        while let Some((state, reading)) = self.readings.pop() {
            match reading.try_take() {
                Ok(Some(words)) => drop(self.snapshot.states.insert(state, words)),
                Ok(None) => return Ok(None),
                Err(reading) => {
                    self.readings.push((state, reading));
                    return Err(self);
                }
            }
        }
        Ok(Some(self.snapshot))
    }

    /// Blocks until everything has arrived. `None` when the device failed.
    pub fn wait(mut self) -> Option<Snapshot> {
        for (state, reading) in self.readings {
            self.snapshot.states.insert(state, reading.wait()?);
        }
        Some(self.snapshot)
    }
}

impl Simulation {
    /// GPU memory of all States \[bytes\]. A snapshot takes as much host memory.
    pub fn state_bytes(&self) -> u64 {
        self.plan.states.iter().filter_map(|state| self.plan.buffers.get(state.buffer)).map(|buffer| buffer.bytes).sum()
    }

    /// Requests a copy of every State as the next frame finds it. Does not wait. Before the first frame there is
    /// nothing to copy, and the snapshot is that of the start.
    ///
    /// # Errors
    /// When there is no memory for the copies.
    pub fn snapshot(&self) -> Result<SnapshotReading, Problem> {
        let mut readings = Vec::new();
        for state in timeline::held(&self.plan).filter(|_| !self.fresh) {
            if let Some(reading) = self.engine.read(state.buffer, true) {
                readings.push(((state.node.clone(), state.description.clone()), reading?));
            }
        }
        let snapshot = Snapshot {
            time: self.time,
            frame: self.frame,
            states: BTreeMap::new(),
            held: self.settings.held(&self.plan),
        };
        Ok(SnapshotReading { snapshot, readings })
    }

    /// Continues from a snapshot of this simulation, or of another one of the same graph on any device. A State that
    /// the snapshot lacks, because its type, domain or start value has changed since, gets its initial value.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        (self.time, self.frame) = (snapshot.time, snapshot.frame);
        self.start();
        self.settings.hold(&self.plan, &snapshot.held);
        for state in &self.plan.states {
            if let Some(words) = snapshot.states.get(&(state.node.clone(), state.description.clone())) {
                self.engine.write(state.buffer, words);
            }
        }
        self.after_writing();
    }
}
