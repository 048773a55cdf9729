//! What a frame starts from, so that it can be repeated with another plan of the same graph.

use std::collections::BTreeMap;

use super::super::nan_watch::Replay;
use super::super::timeline::{Handle, Past};
use super::super::{FrameInput, Simulation, settings};
use crate::document::ParamValue;
use crate::gpu::Gpu;
use crate::gpu::values::Snapshot;
use crate::problem::Problem;

/// The States, the input and the parameters of a frame. The States stay on the GPU.
#[derive(Default)]
pub struct FrameStart {
    states: Snapshot,
    /// Names of the States, in their order.
    names: Vec<(String, String)>,
    params: BTreeMap<String, ParamValue>,
    /// Values that expressions without a value keep.
    held: Vec<(String, Vec<f64>)>,
    pub(super) input: FrameInput,
    time: f64,
    frame: u64,
}

impl FrameStart {
    /// The frame that a simulation would compute next with this input.
    pub fn new(simulation: &Simulation, input: &FrameInput) -> FrameStart {
        let mut start = FrameStart::default();
        start.note(simulation, input);
        start
    }

    /// Takes the start of a frame from a simulation; reuses the memory of another frame.
    pub fn note(&mut self, simulation: &Simulation, input: &FrameInput) {
        let plan = &simulation.plan;
        // Before the first frame, the States have their initial values.
        let states = if simulation.fresh { &[][..] } else { &plan.states };
        let same_count = self.names.len() == states.len();
        if !same_count
            || states.iter().zip(&self.names).any(|(s, (node, text))| s.node != *node || s.description != *text)
        {
            self.names = states.iter().map(|state| (state.node.clone(), state.description.clone())).collect();
        }
        let buffers: Vec<_> = states.iter().map(|state| state.buffer).collect();
        simulation.engine.snapshot(&simulation.gpu, &buffers, &mut self.states);
        self.params = settings::values(plan);
        self.held = simulation.held_values();
        input.clone_into(&mut self.input);
        (self.time, self.frame) = (simulation.time, simulation.frame);
    }

    /// The first frame after States that are known to be good.
    pub(super) fn of_replay(replay: &Replay) -> FrameStart {
        FrameStart {
            states: replay.good.snapshot.clone(),
            names: replay.states.clone(),
            params: replay.params.clone(),
            held: replay.good.held.clone(),
            input: replay.inputs.first().cloned().unwrap_or_default(),
            time: replay.good.time,
            frame: replay.good.frame,
        }
    }

    /// The frame after a base of a past. `None` where the past has no such base, or ends with it.
    ///
    /// # Errors
    /// No memory on the device, or a disk that fails.
    pub fn of_past(gpu: &Gpu, past: &Past, frame: u64) -> Result<Option<FrameStart>, Problem> {
        let (Some(base), Some(input)) = (past.base(frame), past.input(frame)) else { return Ok(None) };
        let states = match &base.contents {
            None => Snapshot::default(),
            Some(Handle::Gpu(copies)) => Snapshot::from_copies(copies),
            Some(other) => {
                let lost = || Problem::new("", "", "a checkpoint on disk can't be read", "clear the checkpoints");
                let sizes: Vec<u64> = base.states.iter().map(|state| state.bytes).collect();
                Snapshot::from_words(gpu, &sizes, &other.words().ok_or_else(lost)?)?
            }
        };
        Ok(Some(FrameStart {
            states,
            names: base.states.iter().map(|state| state.name.clone()).collect(),
            params: past.params(frame),
            held: base.held.clone(),
            input: input.clone(),
            time: base.time,
            frame,
        }))
    }

    /// The frame, counted from 1.
    pub fn frame(&self) -> u64 {
        self.frame + 1
    }

    /// The input of the frame.
    pub fn input(&self) -> &FrameInput {
        &self.input
    }

    /// Goes back there with a simulation of the same graph, which continues from it.
    pub fn restore(&self, simulation: &mut Simulation) {
        self.apply(simulation);
        simulation.after_writing();
    }

    /// Puts another simulation of the same graph there.
    pub(super) fn apply(&self, simulation: &mut Simulation) {
        (simulation.time, simulation.frame) = (self.time, self.frame);
        simulation.start();
        for (path, value) in &self.params {
            let Simulation { settings, plan, .. } = simulation;
            let current = plan.settings.iter().find(|slot| slot.paths.first() == Some(path)).map(|slot| &slot.value);
            let number = plan.numbers.iter().find(|number| number.path() == path).map(|number| &number.value);
            if current.or(number).is_some_and(|current| current != value) {
                // A value that the plan cannot take was compiled into it.
                let _ = settings.set(plan, path, value.clone());
            }
        }
        simulation.hold_values(&self.held);
        let ours = &simulation.plan.states;
        let buffer = |(node, description): &(String, String)| {
            ours.iter().find(|s| s.node == *node && s.description == *description).map(|state| state.buffer)
        };
        let buffers: Vec<_> = self.names.iter().map(buffer).collect();
        let gpu = simulation.gpu.clone();
        simulation.engine.begin_from(&gpu, &self.states, &buffers);
    }
}
