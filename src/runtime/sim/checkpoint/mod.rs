//! The States of a simulation in a file, from which it continues with the same bits: in another process, on another day.
//!
//! The format is [safetensors](https://github.com/huggingface/safetensors): a tensor for each State, named after it, with the axes
//! z, y, x and component for grids, and particle and component for particles. Everything else is text in its header. The header has a
//! hash of itself, and of each tensor (`header`).
//!
//! A file may come from anybody. [`CheckpointFile`] is one of which only the header was read. [`CheckpointFile::load`] compares it with
//! a plan, and reads no more than the States of the plan take.

mod error;
mod file;
mod header;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::debug::Report;
use super::state_layout::StateLayout;
use super::{FrameInput, Simulation, Snapshot, timeline};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};

pub use error::CheckpointError;
pub use file::CheckpointFile;

/// Version of the format.
const VERSION: u32 = 2;

/// States after a frame, with what made them.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What made them.
    pub about: About,
    /// The States.
    pub snapshot: Snapshot,
    /// How each State is stored, in the order of the snapshot.
    layouts: Vec<StateLayout>,
    /// The frames after which NaN or infinity was seen in a State first, by the State.
    seen: BTreeMap<String, u64>,
}

/// What made the States of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    version: u32,
    /// Name and version of the program.
    pub program: String,
    /// Adapter, backend and driver; another one may round differently.
    pub adapter: String,
    /// The graph as text.
    pub graph: String,
    /// A hash of everything that the frames depend on, where it was computed.
    #[serde(default)]
    pub inputs: Option<String>,
    /// The input of the frames until now, as the text of a recording, where it was given live.
    #[serde(default)]
    pub recording: Option<String>,
    /// Where the next frame stopped, in a checkpoint of what that frame starts from.
    #[serde(default)]
    pub stop: Option<Box<Stop>>,
    frame: u64,
    /// Bits of a 64-bit float \[s\].
    time: u64,
    /// The States by name.
    states: BTreeMap<String, StateAbout>,
    /// Values that expressions have kept: bits of 64-bit floats.
    #[serde(default)]
    held: Vec<(String, Vec<u64>)>,
}

/// A State of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct StateAbout {
    /// Type, domain and start value.
    description: String,
    /// SHA-256 of its numbers, in hexadecimal.
    sha256: String,
    /// How many of its numbers are NaN or infinite.
    #[serde(default, skip_serializing_if = "is_zero")]
    not_finite: u64,
    /// The frame after which such a number was seen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Where a run stopped inside the frame after a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// What the stop said.
    pub report: Report,
    /// The input of the frame.
    pub input: FrameInput,
}

/// A State with NaN or infinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadState {
    /// Name of the State.
    pub node: String,
    /// How many of its numbers are NaN or infinite.
    pub numbers: u64,
    /// The frame of the first checkpoint of the run that has such a number in it.
    pub since: u64,
}

impl fmt::Display for BadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = if self.numbers == 1 { "number" } else { "numbers" };
        write!(f, "{} ({} {numbers}, seen first after frame {})", self.node, self.numbers, self.since)
    }
}

/// Some States in one line.
pub fn named(states: &[BadState]) -> String {
    let shown: Vec<String> = states.iter().take(4).map(BadState::to_string).collect();
    let more = if states.len() > 4 { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl Checkpoint {
    /// Whether the checkpoint holds a State, by its node and its description.
    pub fn holds(&self, node: &str, description: &str) -> bool {
        self.about.states.get(node).is_some_and(|known| known.description == description)
    }

    /// The file's extension.
    pub const EXTENSION: &'static str = "safetensors";

    /// A checkpoint of a simulation. `graph` is the document's text that it runs; `inputs` is a hash of everything that the frames depend on.
    pub fn new(simulation: &Simulation, snapshot: Snapshot, graph: String, inputs: Option<String>) -> Checkpoint {
        Checkpoint::of_plan(simulation.plan(), simulation.gpu().name(), snapshot, graph, inputs)
    }

    /// The same of States that a plan has computed on an adapter.
    pub fn of_plan(
        plan: &Plan,
        adapter: &str,
        snapshot: Snapshot,
        graph: String,
        inputs: Option<String>,
    ) -> Checkpoint {
        let layout = |((node, description), words): (&(String, String), &Vec<u32>)| {
            let state = plan.states.iter().find(|state| state.node == *node && state.description == *description);
            state.map_or_else(|| StateLayout::plain(words.len()), |state| StateLayout::of(plan, state))
        };
        let layouts = snapshot.states.iter().map(layout).collect();
        let state = |(node, description): &(String, String)| {
            (node.clone(), StateAbout { description: description.clone(), ..StateAbout::default() })
        };
        let bits = |values: &Vec<f64>| values.iter().map(|value| value.to_bits()).collect();
        let about = About {
            version: VERSION,
            program: format!("stagewright {}", env!("CARGO_PKG_VERSION")),
            adapter: adapter.into(),
            graph,
            inputs,
            recording: None,
            stop: None,
            frame: snapshot.frame,
            time: snapshot.time.to_bits(),
            states: snapshot.states.keys().map(state).collect(),
            held: snapshot.held.iter().map(|(path, values)| (path.clone(), bits(values))).collect(),
        };
        Checkpoint { about, snapshot, layouts, seen: BTreeMap::new() }
    }

    /// The same in a run in which NaN or infinity was seen before: the frame for each State.
    #[must_use]
    pub fn after(self, seen: BTreeMap<String, u64>) -> Checkpoint {
        Checkpoint { seen, ..self }
    }

    /// The States with NaN or infinity. Of particles those alive count.
    pub fn not_finite(&self) -> Vec<BadState> {
        let states = &self.snapshot.states;
        let mut found = Vec::new();
        for (((node, description), words), layout) in states.iter().zip(&self.layouts) {
            let live = layout.count.as_ref().and_then(|(count, each)| {
                let live = *states.get(&(count.clone(), description.clone()))?.first()?;
                words.get(..(live as usize).saturating_mul(*each))
            });
            let numbers = layout.not_finite(live.unwrap_or(words));
            if numbers > 0 {
                let since = self.seen.get(node).copied().unwrap_or(self.snapshot.frame);
                found.push(BadState { node: node.clone(), numbers, since });
            }
        }
        found
    }
}

impl Simulation {
    /// Continues from a checkpoint. Returns a warning for each State that starts from its initial value, because the checkpoint does
    /// not hold it as the graph describes it now.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Problems {
        let held = &checkpoint.snapshot.states;
        let mut problems = Problems::default();
        if checkpoint.snapshot.frame == 0 && held.is_empty() {
            // That of the start.
            self.reset();
            return problems;
        }
        for state in timeline::held(self.plan()) {
            if held.contains_key(&(state.node.clone(), state.description.clone())) {
                continue;
            }
            let there = checkpoint.about.states.get(&state.node);
            let cause = match there {
                Some(there) => format!(
                    "the checkpoint holds it as {}, and the graph as {}, so it starts from its initial value",
                    there.description, state.description
                ),
                None => "the checkpoint does not hold it, so it starts from its initial value".into(),
            };
            problems.push(
                Problem::new(&state.node, "", cause, "use the graph that the checkpoint was made with").warning(),
            );
        }
        self.restore(&checkpoint.snapshot);
        problems
    }
}

/// How the States of a plan are stored that are described as in a checkpoint, and the States themselves.
fn common<'p>(plan: &'p Plan, about: &'p About) -> impl Iterator<Item = (&'p crate::plan::State, StateLayout)> {
    let same = |state: &&crate::plan::State| {
        about.states.get(&state.node).is_some_and(|known| known.description == state.description)
    };
    timeline::held(plan).filter(same).map(|state| (state, StateLayout::of(plan, state)))
}
