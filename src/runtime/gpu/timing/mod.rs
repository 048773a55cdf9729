//! GPU time of nodes and of single dispatches, from timestamps between them.

mod recent;
mod track;

use std::sync::Arc;

use super::device::Gpu;
use crate::plan::{Dispatch, Plan};
pub use recent::{Recent, Spread};
pub(super) use track::{Marks, Track};

/// What is timed on the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// Nothing; there are no queries.
    #[default]
    Off,
    /// The frame as a whole, by one timestamp before its first dispatch and one after its last; and invariant work,
    /// dispatch by dispatch.
    Frame,
    /// Nodes, by a timestamp wherever the node changes; and invariant work, dispatch by dispatch.
    Nodes,
    /// Every dispatch.
    Dispatches,
}

/// GPU time of a node in one frame. With [`Profile::Frame`] there is one entry without a name, for the whole frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct NodeTime {
    /// Path of the node.
    pub node: String,
    /// Milliseconds.
    pub ms: f64,
}

/// The dispatch lists of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum List {
    /// Run when the simulation is reset.
    Reset,
    /// Run once, since their results are the same in every frame.
    Invariant,
    /// Run in every frame.
    Frame,
}

/// Times of a running plan. Timestamps arrive some frames later.
#[derive(Default)]
pub(super) struct Timing {
    profile: Profile,
    reset: Option<Track>,
    invariant: Option<Track>,
    frame: Option<Track>,
    /// Index in `nodes` of each stretch between two timestamps of the frame, and whether every step of a frame computes it.
    node_of: Vec<(usize, bool)>,
    /// Steps that a frame is divided into, and the coming one of them. As a whole all are timed, by nodes and dispatches only the last.
    pub steps: u32,
    pub step: u32,
    /// The latest frame that has arrived.
    nodes: Vec<NodeTime>,
    /// The last frames.
    history: Recent,
}

impl Timing {
    /// Nothing is timed yet. `None` where the adapter has no timestamps inside passes.
    pub(super) fn new(gpu: &Gpu) -> Option<Timing> {
        let needs = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES;
        gpu.device.features().contains(needs).then(Timing::default)
    }

    /// Sets what is timed. Times of dispatches that ran once are kept, unless timing is switched off.
    pub(super) fn set_profile(&mut self, gpu: &Gpu, plan: &Plan, profile: Profile) {
        if profile == self.profile {
            return;
        }
        let before = std::mem::replace(self, Timing { profile, steps: self.steps, ..Timing::default() });
        if profile == Profile::Off {
            return;
        }
        let every = |list: &[Dispatch]| Track::new(gpu, (0..list.len()).collect());
        self.reset = before.reset.or_else(|| every(&plan.reset));
        self.invariant = before.invariant.or_else(|| every(&plan.invariant));
        let borders = match profile {
            Profile::Dispatches => (0..plan.frame.len()).collect(),
            Profile::Frame => (0..plan.frame.len().min(1)).collect(),
            _ => stretches(&plan.frame),
        };
        let mut by_name = std::collections::HashMap::new();
        let simulating = plan.simulating();
        for (border, dispatch) in borders.iter().filter_map(|border| Some((*border, plan.frame.get(*border)?))) {
            let node = if profile == Profile::Frame { "" } else { dispatch.node.as_str() };
            let position = *by_name.entry(node).or_insert_with(|| {
                self.nodes.push(NodeTime { node: node.to_string(), ms: 0.0 });
                self.nodes.len() - 1
            });
            let repeats = profile != Profile::Frame && simulating.get(border).copied().unwrap_or(true);
            self.node_of.push((position, repeats));
        }
        self.history = Recent::new(self.nodes.len());
        self.frame = Track::new(gpu, borders);
    }

    /// The track of a list, if it has room for the times of another run.
    pub(super) fn ready(&self, list: List) -> Option<&Track> {
        let track = match list {
            List::Reset => &self.reset,
            List::Invariant => &self.invariant,
            List::Frame => &self.frame,
        };
        track.as_ref().filter(|track| track.ready())
    }

    /// Where timestamps are taken in the step that comes after so many others, with images or without.
    pub(super) fn marks_of(&self, later: u32, images: bool) -> Option<Arc<Marks>> {
        let steps = self.steps.max(1);
        let step = (self.step + later) % steps;
        match self.profile {
            Profile::Frame => self.frame.as_ref()?.part(step == 0, step + 1 == steps).cloned(),
            _ => self.marks().filter(|_| images),
        }
    }

    /// Where timestamps are taken in a frame of one step.
    pub(super) fn marks(&self) -> Option<Arc<Marks>> {
        self.frame.as_ref().map(|track| track.marks().clone())
    }

    /// Call this after a submit that contains the timestamps of a list.
    pub(super) fn submitted(&mut self, list: List) {
        let track = match list {
            List::Reset => &mut self.reset,
            List::Invariant => &mut self.invariant,
            List::Frame => &mut self.frame,
        };
        track.iter_mut().for_each(Track::submitted);
    }

    /// Processes the times that have arrived. With `wait`, blocks until all have arrived that were requested.
    pub(super) fn collect(&mut self, gpu: &Gpu, wait: bool) {
        if wait {
            gpu.wait();
        }
        for track in [&mut self.reset, &mut self.invariant, &mut self.frame].into_iter().flatten() {
            track.collect(gpu);
        }
        let Some(track) = &self.frame else { return };
        for frame in self.history.frames()..track.recent().frames() {
            self.nodes.iter_mut().for_each(|node| node.ms = 0.0);
            for ((position, repeats), ms) in self.node_of.iter().zip(track.recent().row(frame)) {
                if let Some(node) = self.nodes.get_mut(*position) {
                    let times = if *repeats { self.steps.max(1) } else { 1 };
                    node.ms += f64::from(*ms) * f64::from(times);
                }
            }
            self.history.push(self.nodes.iter().map(|node| node.ms as f32));
        }
    }

    /// GPU time by node of the latest frame that has arrived; empty before.
    pub(super) fn nodes(&self) -> &[NodeTime] {
        if self.history.frames() > 0 { &self.nodes } else { &[] }
    }

    /// GPU time by node of the last frames, in the order of [`Timing::nodes`].
    pub(super) fn history(&self) -> &Recent {
        &self.history
    }

    /// Times of a list, one for each dispatch, where dispatches are timed one by one.
    pub(super) fn dispatches(&self, list: List) -> Option<&Recent> {
        let track = match list {
            List::Reset => self.reset.as_ref(),
            List::Invariant => self.invariant.as_ref(),
            List::Frame => self.frame.as_ref().filter(|_| self.profile == Profile::Dispatches),
        };
        track.map(Track::recent).filter(|recent| recent.frames() > 0)
    }

    /// Number of timestamp queries.
    pub(super) fn queries(&self) -> usize {
        [&self.reset, &self.invariant, &self.frame].into_iter().flatten().map(Track::queries).sum()
    }
}

/// The positions in a list where the node changes.
fn stretches(list: &[Dispatch]) -> Vec<usize> {
    let begins =
        |index: &usize| *index == 0 || list.get(index - 1).map(|d| &d.node) != list.get(*index).map(|d| &d.node);
    (0..list.len()).filter(begins).collect()
}
