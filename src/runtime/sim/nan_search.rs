//! Watching the States of a simulation for NaN and infinity, and computing its frames again to find where they began.

use super::nan_watch::{BadValues, Good, MAX_FRAMES, NanWatch, Origin, watched};
use super::{FrameInput, Simulation, settings};
use crate::gpu::Gpu;
use crate::gpu::values::{ValueCheck, Watched};
use crate::plan::{BufferId, Plan};
use crate::problem::{Problem, Problems};

impl NanWatch {
    pub(super) fn keep(&mut self, simulation: &Simulation) -> Option<Good> {
        let buffers = self.kept.as_ref()?;
        let mut snapshot = std::mem::take(&mut self.spare);
        simulation.engine.snapshot(&simulation.gpu, buffers, &mut snapshot);
        let held = simulation.held_values();
        Some(Good { snapshot, frame: simulation.frame, time: simulation.time, held })
    }

    /// Called before a frame. Copies the States that it starts from, if there is no copy yet.
    pub(super) fn before(&mut self, simulation: &Simulation) {
        if self.good.is_none() && self.next.is_none() && !self.found {
            self.good = self.keep(simulation);
        }
    }

    /// Called after a frame.
    pub(super) fn after(&mut self, simulation: &Simulation, input: &FrameInput) {
        if self.found || self.names.is_empty() {
            return;
        }
        if self.inputs.len() < MAX_FRAMES {
            self.inputs.push(input.clone());
        } else {
            // Too many frames to recompute.
            self.inputs.clear();
            (self.good, self.next) = (None, None);
        }
        if simulation.frame.is_multiple_of(self.every) && !self.check.busy() {
            self.start_check(simulation);
        }
    }

    pub(super) fn start_check(&mut self, simulation: &Simulation) {
        self.check.start(&simulation.engine);
        self.looked = simulation.frame;
        self.next = self.keep(simulation);
    }
}

impl Simulation {
    /// Checks the States for NaN and infinity every so many frames. Each check also copies them, unless they take more
    /// than 256 MiB, so that the node where the bad values began can be found.
    ///
    /// # Errors
    /// A driver that rejects the shader.
    pub fn watch_values(&mut self, every: u64) -> Result<(), Problem> {
        self.values = Some(Box::new(NanWatch::new(&self.gpu, &self.plan, every)?));
        Ok(())
    }

    /// NaN or infinity in a State, reported once after each start. With `wait`, also for the last frame.
    pub fn bad_values(&mut self, wait: bool) -> Option<BadValues> {
        let mut values = self.values.take()?;
        let mut bad = values.take(wait);
        if wait && bad.is_none() && !values.found && values.looked < self.frame {
            values.start_check(self);
            bad = values.take(true);
        }
        if let Some(replay) = bad.as_mut().and_then(|bad| bad.replay.as_mut()) {
            replay.states = self.plan.states.iter().map(|s| (s.node.clone(), s.description.clone())).collect();
            replay.params = settings::values(&self.plan);
        }
        self.values = Some(values);
        bad
    }

    /// A warning where States hold NaN or infinity after the last frame. Blocks until the GPU has finished.
    ///
    /// # Errors
    /// A driver that rejects the shader.
    pub fn ends_with_nan(&self) -> Result<Option<Problem>, Problem> {
        let mut values = NanWatch::new(&self.gpu, &self.plan, 1)?;
        if self.fresh || values.names.is_empty() {
            return Ok(None);
        }
        values.check.start(&self.engine);
        let counts = values.check.take(true).unwrap_or_default();
        let bad = values.names.iter().zip(counts).filter(|(_, count)| *count > 0);
        let numbers = |count: u32| if count == 1 { "1 number".to_string() } else { format!("{count} numbers") };
        let named: Vec<String> = bad.map(|(name, count)| format!("{name} ({})", numbers(count))).collect();
        if named.is_empty() {
            return Ok(None);
        }
        let more = if named.len() > 4 { " and more" } else { "" };
        let shown = named.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(", ");
        let cause = format!("NaN or infinity in States after frame {}: {shown}{more}", self.frame);
        Ok(Some(Problem::new("", "", cause, "`render --stop-on nan` reports where it began").warning()))
    }

    pub(super) fn watch_again(&mut self) {
        if let Some(every) = self.values.as_ref().map(|values| values.every) {
            // The same shader was accepted before, so this does not fail.
            self.values = NanWatch::new(&self.gpu, &self.plan, every).ok().map(Box::new);
        }
    }
}

impl BadValues {
    /// Finds where the bad values began, with a plan of the same graph that keeps every wire. Recomputes up to some
    /// hundred frames and blocks until they are done. `None` where they do not occur again, or the earlier States were
    /// not copied.
    ///
    /// # Errors
    /// What the adapter lacks for such a plan.
    pub fn origin(&self, gpu: &Gpu, plan: Plan) -> Result<Option<Origin>, Problems> {
        let Some(replay) = &self.replay else { return Ok(None) };
        let mut wires: Vec<(usize, String, Watched)> = Vec::new();
        for (name, wire) in plan.wires.iter().filter(|(_, wire)| wire.kept && !wire.state) {
            if let (Some(first), Some(watched)) = (written(&plan, name), watched(&plan, name, wire)) {
                wires.push((first, name.clone(), watched));
            }
        }
        wires.sort_by_key(|(first, ..)| *first);
        let mut check = ValueCheck::new(gpu, wires.iter().map(|(_, _, watched)| *watched).collect())?;
        let buffers: Vec<Option<BufferId>> = replay
            .states
            .iter()
            .map(|(name, _)| plan.states.iter().find(|state| state.node == *name).map(|state| state.buffer))
            .collect();
        let mut simulation = Simulation::new(gpu, plan)?;
        simulation.reset();
        simulation.engine.begin_from(gpu, &replay.good.snapshot, &buffers);
        (simulation.frame, simulation.time) = (replay.good.frame, replay.good.time);
        simulation.hold_values(&replay.good.held);
        // Bad values in States that have not been checked yet may come from this frame.
        simulation.watch_values(1)?;
        if let Some(bad) = simulation.values.as_mut().and_then(|values| values.check_now(&simulation.engine)) {
            let (wire, count) = bad;
            return Ok(Some(Origin { wire, frame: simulation.frame, count, older: simulation.frame > 0 }));
        }
        simulation.values = None;
        for input in &replay.inputs {
            simulation.step(input)?;
            check.start(&simulation.engine);
            let counts = check.take(true).unwrap_or_default();
            if let Some(((_, wire, _), count)) = wires.iter().zip(counts).find(|(_, count)| *count > 0) {
                let (wire, frame) = (wire.clone(), simulation.frame);
                return Ok(Some(Origin { wire, frame, count, older: false }));
            }
            if simulation.frame >= self.frame {
                break;
            }
        }
        Ok(None)
    }
}

/// The dispatch that writes a wire first; `None` where the wire exists before the frame.
pub(super) fn written(plan: &Plan, wire: &str) -> Option<usize> {
    let holds = plan.buffers.iter().flat_map(|buffer| &buffer.holds);
    holds.filter(|holding| holding.wire == wire).filter_map(|holding| holding.first).min()
}
