//! The past of a run, to be computed again elsewhere: where frames can be computed from, and what drives each.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checkpoints::{Checkpoint, Handle};
use super::journal::{Journal, Written};
use crate::document::ParamValue;
use crate::input::FrameInput;
use crate::sim::state_layout::{HeldState, are_same, names};
use crate::sim::{Simulation, settings};

/// Frames of a run, up to one that is past or present. States stay where they are.
pub struct Past {
    bases: Vec<Base>,
    /// Inputs of frames from 0.
    inputs: Vec<FrameInput>,
    /// Hashes of what leads to the States after so many frames.
    hashes: Vec<u64>,
    /// Parameters that changes have set, with their values, by the frame before which something changed.
    changes: BTreeMap<u64, Vec<(String, Written)>>,
    /// All parameters and numbers as they are at present, by the first path of each.
    params: BTreeMap<String, ParamValue>,
}

/// States from which frames can be computed.
pub(in crate::sim) struct Base {
    pub frame: u64,
    /// Seconds of simulated time.
    pub time: f64,
    /// Each State.
    pub states: Arc<[HeldState]>,
    /// Values that expressions without a value keep, by path.
    pub held: Vec<(String, Vec<f64>)>,
    /// Contents of the States; `None` at the start, where they have their initial values.
    pub contents: Option<Handle>,
}

impl Base {
    fn from_checkpoint(checkpoint: &Checkpoint) -> Base {
        Base {
            frame: checkpoint.frame,
            time: checkpoint.time,
            states: checkpoint.states.clone(),
            held: checkpoint.held.clone(),
            contents: Some(checkpoint.handle()),
        }
    }
}

impl Past {
    /// The frame that it ends with: so many frames were computed until then.
    pub fn end(&self) -> u64 {
        self.inputs.len() as u64
    }

    /// Frames that it can be computed from, in order.
    pub fn bases(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.bases.iter().map(|base| base.frame)
    }

    pub(in crate::sim) fn base(&self, frame: u64) -> Option<&Base> {
        self.bases.iter().find(|base| base.frame == frame)
    }

    /// What leads to the States after so many frames: equal hashes, equal States.
    pub(in crate::sim) fn hash(&self, frame: u64) -> Option<u64> {
        self.hashes.get(usize::try_from(frame).ok()?).copied()
    }

    /// The input that leads from the States after so many frames to the next ones.
    pub fn input(&self, frame: u64) -> Option<&FrameInput> {
        self.inputs.get(usize::try_from(frame).ok()?)
    }

    /// Parameters that were changed right before a frame was computed, and all others that changes have set.
    pub(in crate::sim) fn changed(&self, frame: u64) -> &[(String, Written)] {
        self.changes.get(&frame).map_or(&[], Vec::as_slice)
    }

    /// All parameters as they are when a frame is computed.
    pub(in crate::sim) fn params(&self, frame: u64) -> BTreeMap<String, ParamValue> {
        let mut params = self.params.clone();
        if let Some((_, changed)) = self.changes.range(..=frame).next_back() {
            params.extend(changed.iter().map(|(path, written)| (path.clone(), written.value.clone())));
        }
        params
    }
}

impl Simulation {
    /// The past up to a frame, which is not after the present one. `None` without a timeline, and where it does not know
    /// States from which the frame can be computed.
    pub fn past(&mut self, to: u64) -> Option<Past> {
        self.past_of(to, |_| {})
    }

    /// The past of a run of the present graph from the start, with the input and the parameters of this run, whatever States came into it
    /// since. `None` where its input is not known from the start.
    pub fn past_from_start(&mut self, to: u64) -> Option<Past> {
        let has_start = self.timeline.as_ref().is_some_and(|timeline| timeline.journal.knows_start());
        if has_start { self.past_of(to, |journal| journal.back_to(0)) } else { None }
    }

    /// The past by a changed copy of the journal.
    fn past_of(&mut self, to: u64, change: impl FnOnce(&mut Journal)) -> Option<Past> {
        let params = settings::values(&self.plan);
        let states = names(&self.plan);
        let timeline = self.timeline.as_deref()?;
        let mut journal = timeline.journal.clone();
        change(&mut journal);
        let carried = journal.carried().filter(|carried| *carried <= to);
        let start = Base { frame: 0, time: 0.0, states: Arc::new([]), held: Vec::new(), contents: None };
        let mut bases: Vec<Base> = carried.is_none().then_some(start).into_iter().collect();
        for checkpoint in timeline.checkpoints.iter() {
            let is_valid =
                journal.hash(checkpoint.frame) == Some(checkpoint.hash) && are_same(&checkpoint.states, &states);
            if is_valid
                && checkpoint.frame > 0
                && checkpoint.frame <= to
                && carried.is_none_or(|carried| checkpoint.frame >= carried)
            {
                bases.push(Base::from_checkpoint(checkpoint));
            }
        }
        let inputs = (0..to).map(|frame| journal.input(frame).cloned()).collect::<Option<Vec<_>>>()?;
        let hashes = (0..=to).map(|frame| journal.hash(frame)).collect::<Option<Vec<_>>>()?;
        let frames: Vec<u64> = std::iter::once(0).chain(journal.changes().map(|(frame, _)| frame)).collect();
        let changes = frames.into_iter().map(|frame| (frame, journal.changed(frame))).collect();
        (!bases.is_empty()).then_some(Past { bases, inputs, hashes, changes, params })
    }
}
