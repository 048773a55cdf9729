//! Watches States for NaN and infinity, and finds the node where they began: a plan that keeps every wire recomputes
//! the frames since the last good States.
//!
//! In a group that repeats within a frame only the last repeat of a wire is checked, so the node that is named may be the second in the
//! loop.

use std::collections::BTreeMap;

use super::FrameInput;
use crate::document::ParamValue;
use crate::gpu::values::{Snapshot, ValueCheck, Watched};
use crate::gpu::{Engine, Gpu};
use crate::plan::{BufferId, Plan, Wire};
use crate::problem::Problem;
use crate::stage::types::Scalar;

/// Copies of the States are kept for recomputing up to this total size \[bytes\]. There are two copies.
const MAX_KEPT: u64 = 256 << 20;
/// Limit of frames that are recomputed.
pub(super) const MAX_FRAMES: usize = 1024;

/// Checks the States of a simulation every few frames.
pub struct NanWatch {
    pub(super) check: ValueCheck,
    /// Names of the States that are checked, in the order of the check.
    pub(super) names: Vec<String>,
    pub(super) every: u64,
    /// Every State's buffer, where copies are kept.
    pub(super) kept: Option<Vec<BufferId>>,
    pub(super) good: Option<Good>,
    /// Becomes `good` if the pending check finds no bad value.
    pub(super) next: Option<Good>,
    /// Memory that is free for the next copy.
    pub(super) spare: Snapshot,
    /// Inputs of the frames since the good States.
    pub(super) inputs: Vec<FrameInput>,
    /// The frame that was checked last.
    pub(super) looked: u64,
    pub(super) found: bool,
}

/// States without NaN and infinity, and when they were copied.
pub(super) struct Good {
    pub snapshot: Snapshot,
    pub frame: u64,
    pub time: f64,
    /// Values that expressions have kept, and the number of steps.
    pub held: Vec<(String, Vec<f64>)>,
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

impl NanWatch {
    pub(super) fn new(gpu: &Gpu, plan: &Plan, every: u64) -> Result<NanWatch, Problem> {
        let states = plan.states.iter().filter_map(|state| {
            let name = [state.node.clone(), format!("{}.value", state.node)];
            let (name, wire) = name.iter().find_map(|name| Some((name, plan.wires.get(name)?)))?;
            Some((state.node.clone(), watched(plan, name, wire)?))
        });
        let (names, watched): (Vec<String>, Vec<Watched>) = states.unzip();
        let buffers: Vec<BufferId> = plan.states.iter().map(|state| state.buffer).collect();
        let bytes: u64 = buffers.iter().filter_map(|b| plan.buffers.get(*b)).map(|b| b.bytes).sum();
        Ok(NanWatch {
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

    /// Blocks for a check of the present States: the first State with a bad value, and how many it has.
    pub(super) fn check_now(&mut self, engine: &Engine) -> Option<(String, u32)> {
        self.check.start(engine);
        let counts = self.check.take(true)?;
        let mut found = self.names.iter().cloned().zip(counts);
        found.find(|(_, count)| *count > 0)
    }

    pub(super) fn take(&mut self, wait: bool) -> Option<BadValues> {
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

impl BadValues {
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

/// How a wire of floats is checked; `None` for other wires.
pub(super) fn watched(plan: &Plan, name: &str, wire: &Wire) -> Option<Watched> {
    let layout = wire.layout();
    if wire.ty.value().scalar() != Scalar::F32 {
        return None;
    }
    let bytes = plan.buffers.get(wire.buffer)?.bytes;
    let count = match wire.capacity {
        0 => None,
        _ => {
            let count = plan.wires.get(&format!("{}.count", name.rsplit_once('.')?.0)).filter(|count| count.kept)?;
            Some((count.buffer, count.state, layout.words(2).saturating_sub(layout.words(0)) as u32 / 2))
        }
    };
    let words = layout.words(wire.elements(&plan.domains)).min(bytes / 4);
    Some(Watched { buffer: wire.buffer, state: wire.state, words: words as u32, half: layout.is_half(), count })
}
