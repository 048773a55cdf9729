//! Options of a compilation.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::budget::MemoryBudget;
use crate::cancel::Cancel;
use crate::problem::{Problem, Problems};
use crate::tuning::Tuning;

/// Which wires must still hold their value when the frame ends.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Keep {
    /// States and images.
    #[default]
    Needed,
    /// Wires besides States and images, by `node.port`, or `node` for all of its wires. A field is kept as a grid, its values at the cell centres of a
    /// domain: `node.port@domain`, or of the domain around it. Unknown names are ignored.
    Wires(Vec<String>),
    /// All, except those that only the start of a State reads.
    All,
    /// All wires, and each version of one until the next is written, for a debugger that stops inside a frame. The plan then
    /// has [`crate::Versions`].
    Versions,
}

/// How a graph is compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOptions {
    /// The wires whose values are kept, so that they can be read.
    pub keep: Keep,
    /// Plans that need more GPU memory are rejected.
    pub memory_budget: MemoryBudget,
    /// Size of every image \[pixels\]; the Outputs' own sizes when `None`.
    pub size: Option<(u32, u32)>,
    /// The images that are computed.
    pub outputs: Outputs,
    /// Folder of the files that the graph names: that of the graph file.
    pub folder: PathBuf,
    /// Allow files outside that folder, which a graph from somebody else should not read.
    pub allow_files: bool,
    /// Wires whose values come from caches on disk. What only they need is not computed.
    pub played: Vec<PlayedCache>,
    /// Compute what does not change from frame to frame only once. Off is for comparison.
    pub hoist: bool,
    /// Whether grids of stages with `where` take memory for their blocks alone wherever they can, which is faster on a GPU; otherwise, and on
    /// other adapters, only where memory for all cells is more than [`PlanOptions::memory_budget`]. A State in blocks can't go on from a checkpoint of one with all cells, nor
    /// the other way round.
    pub pools: bool,
    /// Paths of nodes whose text is being edited, and of no others. They share no dispatch and have the plain shape, so that an edit changes
    /// small kernels, and theirs alone: a driver takes the longer the more is in a kernel. Short loops are unrolled as ever, and long ones stay
    /// loops. The results do not depend on it.
    pub edited: Vec<String>,
    /// How dispatches are executed. The results do not depend on it, except for how often half precision rounds on
    /// tiles.
    pub tuning: Tuning,
    /// Stops the compilation early once it is set.
    pub cancel: Cancel,
}

/// A cache that wires are played from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedCache {
    /// Name of the bake.
    pub bake: String,
    /// The folder.
    pub folder: PathBuf,
    /// The wires, as the graph's bake names them.
    pub wires: Vec<String>,
}

/// Which images a plan computes, and with them what is computed at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outputs {
    /// The images of all Outputs.
    #[default]
    All,
    /// The first in the order of [`crate::graph::Graph::outputs`].
    First,
    /// The one with this name.
    One(String),
    /// No image: only what is kept.
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
            played: Vec::new(),
            hoist: true,
            pools: false,
            edited: Vec::new(),
            tuning: Tuning::default(),
            cancel: Cancel::default(),
        }
    }
}

/// The error of a cancelled compilation.
pub(super) fn cancelled() -> Problems {
    Problem::new("", "", "compilation was cancelled", "").into()
}
