//! What a compilation is asked for.

use std::path::PathBuf;

use crate::cancel::Cancel;
use crate::plan::budget::MemoryBudget;
use crate::plan::tuning::Tuning;
use crate::problem::{Problem, Problems};

/// Which wires must still hold their value when the frame ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Keep {
    /// States and pictures.
    #[default]
    Needed,
    /// Also these, by `node.port`, or `node` for all of its wires. Names of nothing keep nothing.
    Wires(Vec<String>),
    /// All, apart from those that only the start of a State reads.
    All,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlanOptions {
    pub keep: Keep,
    /// Plans that need more GPU memory are refused.
    pub memory_budget: MemoryBudget,
    /// Size of every picture \[pixels\], instead of what the Outputs say.
    pub size: Option<(u32, u32)>,
    pub outputs: Outputs,
    /// Where files that the graph names are: beside its own.
    pub folder: PathBuf,
    /// Read files outside that folder too, which a graph from somebody else may not.
    pub allow_files: bool,
    /// Compute what does not change from frame to frame once. Off is there to compare with.
    pub hoist: bool,
    /// How dispatches are carried out. What is computed does not depend on it, but for how often half precision rounds on tiles.
    pub tuning: Tuning,
    /// Ends the compilation early once it is set.
    pub cancel: Cancel,
}

/// Which pictures a plan makes, and with them what is computed at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outputs {
    #[default]
    All,
    /// The first in the author's order ([`crate::graph::Graph::outputs`]).
    First,
    /// The one of this name.
    One(String),
    /// None of them: only what is kept.
    None,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            keep: Keep::Needed,
            memory_budget: MemoryBudget::default(),
            size: None,
            outputs: Outputs::All,
            folder: PathBuf::new(),
            allow_files: false,
            hoist: true,
            tuning: Tuning::default(),
            cancel: Cancel::default(),
        }
    }
}

/// What a compilation ends with that nobody waits for.
pub fn cancelled() -> Problems {
    Problem::new("", "", "compilation was cancelled", "").into()
}
