//! Watches States for NaN and infinity, and finds the node where they began: a plan that keeps every wire recomputes
//! the frames since the last good States.
//!
//! In a group that repeats within a frame only the last repeat of a wire is checked, so the node that is named may be the second in the
//! loop.

use std::collections::BTreeMap;

use super::{FrameInput, Simulation, settings};
use crate::document::ParamValue;
use crate::gpu::values::{Snapshot, ValueCheck, Watched};
use crate::gpu::{Engine, Gpu};
use crate::plan::{BufferId, Plan, Wire};
use crate::problem::{Problem, Problems};
use crate::stage::types::Scalar;

/// Copies of the States are kept for recomputing up to this total size \[bytes\]. There are two copies.
const MAX_KEPT: u64 = 256 << 20;
/// Limit of frames that are recomputed.
const MAX_FRAMES: usize = 1024;

/// Checks the States of a simulation every few frames.
pub struct Values {
    check: ValueCheck,
    /// Names of the States that are checked, in the order of the check.
    names: Vec<String>,
    every: u64,
    /// Every State's buffer, where copies are kept.
    kept: Option<Vec<BufferId>>,
    good: Option<Good>,
    /// Becomes `good` if the pending check finds no bad value.
    next: Option<Good>,
    /// Memory that is free for the next copy.
    spare: Snapshot,
    /// Inputs of the frames since the good States.
    inputs: Vec<FrameInput>,
    /// The frame that was checked last.
    looked: u64,
    found: bool,
}

/// States without NaN and infinity, and when they were copied.
pub(super) struct Good {
    pub snapshot: Snapshot,
    pub frame: u64,
    pub time: f64,
}

/// NaN or infinity in States.
pub struct BadValues {
    /// The States, and how many of their values are bad.
    states: Vec<(String, u32)>,
    /// Frames computed when the bad values were found, and when all values were good for the last time.
    pub frame: u64,
    /// The last frame after which all values were good.
    pub good: u64,
    pub(super) replay: Option<Replay>,
}

/// What leads from the last good States to the bad ones.
pub(super) struct Replay {
    /// Each State by its node and description.
    pub states: Vec<(String, String)>,
    /// Parameters and numbers when the bad values were found.
    pub params: BTreeMap<String, ParamValue>,
    pub good: Good,
    pub inputs: Vec<FrameInput>,
}

/// The first wire with NaN or infinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `node.port`
    pub wire: String,
    /// The frame that computed it, counted from 1.
    pub frame: u64,
    /// Number of bad values.
    pub count: u32,
    /// The wire is a State that held them when the watch began, so they come from this frame or one before.
    pub older: bool,
}

impl Values {
    fn new(gpu: &Gpu, plan: &Plan, every: u64) -> Result<Values, Problem> {
        let states = plan.states.iter().filter_map(|state| {
            let name = [state.node.clone(), format!("{}.value", state.node)];
            let (name, wire) = name.iter().find_map(|name| Some((name, plan.wires.get(name)?)))?;
            Some((state.node.clone(), watched(plan, name, wire)?))
        });
        let (names, watched): (Vec<String>, Vec<Watched>) = states.unzip();
        let buffers: Vec<BufferId> = plan.states.iter().map(|state| state.buffer).collect();
        let bytes: u64 = buffers.iter().filter_map(|b| plan.buffers.get(*b)).map(|b| b.bytes).sum();
        Ok(Values {
            check: ValueCheck::new(gpu, watched)?,
            names,
            every: every.max(1),
            kept: (bytes <= MAX_KEPT).then_some(buffers),
            good: None,
            next: None,
            spare: Snapshot::default(),
            inputs: Vec::new(),
            looked: 0,
            found: false,
        })
    }

    /// The States were set from outside, so recomputing from earlier copies would be wrong.
    pub(super) fn forget(&mut self) {
        self.check.forget();
        self.inputs.clear();
        (self.good, self.next, self.found) = (None, None, false);
    }

    fn keep(&mut self, simulation: &Simulation) -> Option<Good> {
        let buffers = self.kept.as_ref()?;
        let mut snapshot = std::mem::take(&mut self.spare);
        simulation.engine.snapshot(&simulation.gpu, buffers, &mut snapshot);
        Some(Good { snapshot, frame: simulation.frame, time: simulation.time })
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
            self.look(simulation);
        }
    }

    /// Blocks for a check of the present States: the first State with a bad value, and how many it has.
    fn check_now(&mut self, engine: &Engine) -> Option<(String, u32)> {
        self.check.look(engine);
        let counts = self.check.take(true)?;
        let mut found = self.names.iter().cloned().zip(counts);
        found.find(|(_, count)| *count > 0)
    }

    fn look(&mut self, simulation: &Simulation) {
        self.check.look(&simulation.engine);
        self.looked = simulation.frame;
        self.next = self.keep(simulation);
    }

    fn take(&mut self, wait: bool) -> Option<BadValues> {
        let counts = self.check.take(wait)?;
        let bad = self.names.iter().zip(counts).filter(|(_, count)| *count > 0);
        let states: Vec<(String, u32)> = bad.map(|(name, count)| (name.clone(), count)).collect();
        if states.is_empty() {
            if let Some(next) = self.next.take() {
                let since = self.good.as_ref().map_or(0, |good| next.frame.saturating_sub(good.frame)) as usize;
                self.inputs.drain(..since.min(self.inputs.len()));
                if let Some(before) = self.good.replace(next) {
                    self.spare = before.snapshot;
                }
            }
            return None;
        }
        self.found = true;
        self.next = None;
        let good = self.good.take();
        let since = good.as_ref().map_or(0, |good| good.frame);
        let inputs = std::mem::take(&mut self.inputs);
        Some(BadValues {
            states,
            frame: self.looked,
            good: since,
            replay: good.map(|good| Replay { states: Vec::new(), params: BTreeMap::new(), good, inputs }),
        })
    }
}

impl Simulation {
    /// Checks the States for NaN and infinity every so many frames. Each check also copies them, unless they take more
    /// than 256 MiB, so that the node where the bad values began can be found.
    ///
    /// # Errors
    /// A driver that rejects the shader.
    pub fn watch_values(&mut self, every: u64) -> Result<(), Problem> {
        self.values = Some(Box::new(Values::new(&self.gpu, &self.plan, every)?));
        Ok(())
    }

    /// NaN or infinity in a State, reported once after each start. With `wait`, also for the last frame.
    pub fn bad_values(&mut self, wait: bool) -> Option<BadValues> {
        let mut values = self.values.take()?;
        let mut bad = values.take(wait);
        if wait && bad.is_none() && !values.found && values.looked < self.frame {
            values.look(self);
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
        let mut values = Values::new(&self.gpu, &self.plan, 1)?;
        if self.fresh || values.names.is_empty() {
            return Ok(None);
        }
        values.check.look(&self.engine);
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
            self.values = Values::new(&self.gpu, &self.plan, every).ok().map(Box::new);
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
        // Bad values in States that have not been checked yet may come from this frame.
        simulation.watch_values(1)?;
        if let Some(bad) = simulation.values.as_mut().and_then(|values| values.check_now(&simulation.engine)) {
            let (wire, count) = bad;
            return Ok(Some(Origin { wire, frame: simulation.frame, count, older: simulation.frame > 0 }));
        }
        simulation.values = None;
        for input in &replay.inputs {
            simulation.step(input)?;
            check.look(&simulation.engine);
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

    /// The problem to show to the user.
    pub fn problem(&self, origin: Option<&Origin>) -> Problem {
        let named = |(name, count): &(String, u32)| format!("`{name}` ({count} values)");
        let states = self.states.iter().take(4).map(named).collect::<Vec<_>>().join(", ");
        let more = if self.states.len() > 4 { " and more" } else { "" };
        let remedy = "check for division by zero, roots of negative numbers and a time step that is too large";
        match origin {
            Some(Origin { wire, frame, count, older }) => {
                let (node, port) = wire.split_once('.').unwrap_or((wire, ""));
                let began = if *older { "is here since frame" } else { "began here in frame" };
                let or = if *older { " or before" } else { "" };
                let cause = format!(
                    "NaN or infinity {began} {frame}{or} ({count} values); States that hold it by frame {}: {states}{more}",
                    self.frame
                );
                Problem::new(node, port, cause, remedy).warning()
            }
            None => {
                let node = self.states.first().map_or("", |(name, _)| name.as_str());
                let cause = format!(
                    "NaN or infinity in frame {}, not yet in frame {}, in {states}{more}",
                    self.frame, self.good
                );
                Problem::new(node, "", cause, remedy).warning()
            }
        }
    }
}

/// The dispatch that writes a wire first; `None` where the wire exists before the frame.
fn written(plan: &Plan, wire: &str) -> Option<usize> {
    let holds = plan.buffers.iter().flat_map(|buffer| &buffer.holds);
    holds.filter(|holding| holding.wire == wire).filter_map(|holding| holding.first).min()
}

/// How a wire of floats is checked; `None` for other wires.
fn watched(plan: &Plan, name: &str, wire: &Wire) -> Option<Watched> {
    let layout = wire.layout();
    if wire.ty.value().scalar() != Scalar::F32 {
        return None;
    }
    let bytes = plan.buffers.get(wire.buffer)?.bytes;
    let domain = wire.domain.and_then(|d| plan.domains.get(d));
    let count = match wire.capacity {
        0 => None,
        _ => {
            let count = plan.wires.get(&format!("{}.count", name.rsplit_once('.')?.0)).filter(|count| count.kept)?;
            Some((count.buffer, count.state, layout.words(2).saturating_sub(layout.words(0)) as u32 / 2))
        }
    };
    let elements = domain.map_or(u64::from(wire.capacity.max(1)), |d| d.elements(wire.ty));
    let words = layout.words(elements).min(bytes / 4);
    Some(Watched { buffer: wire.buffer, state: wire.state, words: words as u32, half: layout.is_half(), count })
}
