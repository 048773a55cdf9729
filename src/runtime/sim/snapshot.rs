//! The States of a simulation in host memory, so that they survive the loss of the device.

use std::collections::BTreeMap;

use super::Simulation;
use super::state_layout::{StateLayout, held};
use crate::gpu::Reading;
use crate::graph::count_words;
use crate::plan::{Plan, State, regrouped};
use crate::problem::Problem;

/// Everything that the next frame starts from: simulated time and every State.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Seconds of simulated time.
    pub time: f64,
    /// Frames computed since the start.
    pub frame: u64,
    /// Words of each State, by its node and its description (type, domain and start value). What files fill is not among them. Of the
    /// count of a particle set two words: live, ever emitted.
    pub(super) states: BTreeMap<(String, String), Vec<u32>>,
    /// What expressions without a value have kept, by path.
    pub(super) held: Vec<(String, Vec<f64>)>,
}

impl Snapshot {
    /// The States of a plan at a frame, all zero. What has no device can write a checkpoint of it.
    pub fn of_zeros(plan: &Plan, frame: u64) -> Snapshot {
        let zeros = |state: &State| {
            let words = StateLayout::of_state(plan, state).words;
            ((state.node.clone(), state.description.clone()), vec![0; words])
        };
        let states = held(plan).map(zeros).collect();
        Snapshot { time: frame as f64 / plan.fps, frame, states, held: Vec::new() }
    }

    /// Host memory that the snapshot takes \[bytes\].
    pub fn bytes(&self) -> usize {
        self.states.values().map(|words| words.len() * 4).sum()
    }

    fn keep(&mut self, state: (String, String), mut all: Vec<u32>, words: usize) {
        match all.len() < words {
            true => all = regrouped(&all, words),
            false => all.truncate(words),
        }
        self.states.insert(state, all);
    }
}

/// A snapshot that is being copied from the GPU.
pub struct SnapshotReading {
    snapshot: Snapshot,
    readings: Vec<StateReading>,
}

/// A State on its way: its node and description, and its words without padding.
struct StateReading {
    state: (String, String),
    words: usize,
    reading: Reading,
}

impl SnapshotReading {
    /// The snapshot once all of it has arrived; the reading itself until then. Does not block. `Ok(None)` when the
    /// device failed.
    #[allow(clippy::result_large_err, reason = "the error is the reading itself, to be asked again")]
    pub fn try_take(mut self) -> Result<Option<Snapshot>, SnapshotReading> {
        while let Some(StateReading { state, words, reading }) = self.readings.pop() {
            match reading.try_take() {
                Ok(Some(all)) => self.snapshot.keep(state, all, words),
                Ok(None) => return Ok(None),
                Err(reading) => {
                    self.readings.push(StateReading { state, words, reading });
                    return Err(self);
                }
            }
        }
        Ok(Some(self.snapshot))
    }

    /// Blocks until everything has arrived. `None` when the device failed.
    pub fn wait(mut self) -> Option<Snapshot> {
        for StateReading { state, words, reading } in self.readings {
            self.snapshot.keep(state, reading.wait()?, words);
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
        for state in held(&self.plan).filter(|_| !self.fresh) {
            if let Some(reading) = self.engine.read(state.buffer, true) {
                let words = StateLayout::of_state(&self.plan, state).words;
                let state = (state.node.clone(), state.description.clone());
                readings.push(StateReading { state, words, reading: reading? });
            }
        }
        let snapshot =
            Snapshot { time: self.time, frame: self.frame, states: BTreeMap::new(), held: self.held_values() };
        Ok(SnapshotReading { snapshot, readings })
    }

    /// Continues from a snapshot of this simulation, or of another one of the same graph on any device. A State that
    /// the snapshot lacks, because its type, domain or start value has changed since, gets its initial value. So does one of another
    /// size. How many particles there are is never more than fit, and the plan says how many workgroups run over them.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        (self.time, self.frame) = (snapshot.time, snapshot.frame);
        self.start();
        self.hold_values(&snapshot.held);
        for state in held(&self.plan) {
            let Some(words) = snapshot.states.get(&(state.node.clone(), state.description.clone())) else { continue };
            let layout = StateLayout::of_state(&self.plan, state);
            match (layout.capacity, words.as_slice()) {
                (Some(capacity), [live, emitted]) => {
                    self.engine.write(state.buffer, &count_words((*live).min(capacity), *emitted));
                }
                (None, words) if words.len() == layout.words => {
                    let room = self.plan.buffers.get(state.buffer).map_or(0, |buffer| buffer.bytes / 4) as usize;
                    match room < words.len() {
                        true => self.engine.write(state.buffer, &regrouped(words, room)),
                        false => self.engine.write(state.buffer, words),
                    }
                }
                _ => {}
            }
        }
        self.after_writing();
    }
}
