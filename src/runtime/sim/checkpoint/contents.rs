//! A checkpoint in memory: taken of a simulation, and continued from.

use std::collections::BTreeMap;
use std::fmt;

use super::about::{About, StateAbout, VERSION};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::state_layout::{StateLayout, held};
use crate::sim::{Simulation, Snapshot};

/// States after a frame, with what made them.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What made them.
    pub about: About,
    /// The States.
    pub snapshot: Snapshot,
    /// How each State is stored, in the order of the snapshot.
    pub(super) layouts: Vec<StateLayout>,
    /// The frames after which NaN or infinity was seen in a State first, by the State.
    pub(super) seen: BTreeMap<String, u64>,
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
        self.about.states.get(node).is_some_and(|saved| saved.description == description)
    }

    /// The file's extension.
    pub const EXTENSION: &'static str = "safetensors";

    /// A checkpoint of a simulation. `graph` is the document's text that it runs; `inputs` is a hash of everything that the frames depend on.
    pub fn new(simulation: &Simulation, snapshot: Snapshot, graph: String, inputs: Option<String>) -> Checkpoint {
        Checkpoint::of_plan(simulation.plan(), simulation.gpu().name(), snapshot, graph, inputs)
    }

    /// A checkpoint of States that a plan has computed on an adapter.
    pub fn of_plan(
        plan: &Plan,
        adapter: &str,
        snapshot: Snapshot,
        graph: String,
        inputs: Option<String>,
    ) -> Checkpoint {
        let layout = |((node, description), words): (&(String, String), &Vec<u32>)| {
            let state = plan.states.iter().find(|state| state.node == *node && state.description == *description);
            state.map_or_else(|| StateLayout::plain(words.len()), |state| StateLayout::of_state(plan, state))
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

    /// The checkpoint of a run in which NaN or infinity was seen before: the frame for each State.
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

/// The end of the description of a State that has memory for blocks of cells alone.
const IN_BLOCKS: &str = ", in blocks";

impl Simulation {
    /// Continues from a checkpoint. Returns a warning for each State that starts from its initial value, because the checkpoint does
    /// not hold it as the graph describes it now.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Problems {
        let states = &checkpoint.snapshot.states;
        let mut problems = Problems::default();
        if checkpoint.snapshot.frame == 0 && states.is_empty() {
            // That of the start.
            self.reset();
            return problems;
        }
        for state in held(self.plan()) {
            if states.contains_key(&(state.node.clone(), state.description.clone())) {
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
            let in_blocks = |description: &str| description.strip_suffix(IN_BLOCKS).map(String::from);
            let [theirs, ours] = [there.map_or("", |there| &there.description), &state.description];
            let remedy = match in_blocks(theirs).as_deref() == Some(ours) || in_blocks(ours).as_deref() == Some(theirs)
            {
                true => "allow as much memory as the run that wrote it (--memory)",
                false => "use the graph that the checkpoint was made with",
            };
            problems.push(Problem::new(&state.node, "", cause, remedy).warning());
        }
        self.restore(&checkpoint.snapshot);
        problems
    }
}

/// How the States of a plan are stored that are described as in a checkpoint, and the States themselves.
pub(super) fn common<'p>(
    plan: &'p Plan,
    about: &'p About,
) -> impl Iterator<Item = (&'p crate::plan::State, StateLayout)> {
    let same = |state: &&crate::plan::State| {
        about.states.get(&state.node).is_some_and(|saved| saved.description == state.description)
    };
    held(plan).filter(same).map(|state| (state, StateLayout::of_state(plan, state)))
}
