//! The session: the open document, what is derived from it, and the simulation that runs it.

use std::sync::Arc;

use super::debug_state::Debugging;
use super::document_state::{Compared, OnDisk, StageLibrary, TextEdits};
use super::followed::Following;
use super::run_state::{Cameras, Numbers, Snapshots, Spaces, StateWatch};
use super::view_state::{Hovered, OpenLevel, Selection, Viewed};
use crate::document::{Document, ParamValue};
use crate::gpu::Gpu;
use crate::model::compiler::Compiler;
use crate::model::history::History;
use crate::model::leaving_caches::Live;
use crate::model::presets::Presets;
use crate::model::settings::Store;
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;
use crate::sim::checkpoint::CheckpointFile;
use crate::sim::expect::Checker;
use crate::sim::timeline::{Budget, Timeline};

/// The document is the single source of truth; everything else here is derived from it.
pub(crate) struct Session {
    pub(super) document: Document,
    pub(super) history: History,
    pub(super) disk: OnDisk,
    pub(super) stages: StageLibrary,
    pub(super) compiler: Compiler,
    pub(super) changes: Changes,
    pub(super) text_edits: TextEdits,
    pub(super) gpu: Gpu,
    /// The shapes of the graph's dispatches are measured while it is not edited.
    pub(super) tunes: bool,
    /// Called on another thread when there is something for [`Session::poll`].
    pub(super) wake: Arc<dyn Fn() + Send + Sync>,
    pub(super) simulation: Option<Simulation>,
    pub(super) snapshots: Snapshots,
    pub(super) states: StateWatch,
    /// Results of the graph's expectations, since the plan, a parameter or the start changed.
    pub(super) checks: Checker,
    pub(super) numbers: Numbers,
    pub(super) problems: ProblemsBySource,
    pub(super) level: OpenLevel,
    pub(super) views: Viewed,
    pub(super) cameras: Cameras,
    pub(super) spaces: Spaces,
    pub(super) bakes: Vec<crate::bake::Status>,
    /// How the run has left a cache, until that is taken.
    pub(super) live: Option<Live>,
    pub selection: Selection,
    pub(super) hovered: Option<Hovered>,
    pub(super) presets: Store<Presets>,
    pub(super) compared: Compared,
    /// A change of a value with keys sets a key.
    pub(super) auto_key: bool,
    /// Memory for past frames.
    pub(super) timeline_budget: Budget,
    /// What a device that was lost has left of the past.
    pub(super) past: Option<Box<Timeline>>,
    /// What the first simulation starts from.
    pub(super) at: Option<CheckpointFile>,
    pub(super) debugging: Debugging,
    pub(super) following: Option<Following>,
    /// What was renamed in the open document, until the window has said it.
    pub(super) renamed: Vec<String>,
}

/// What the running plan does not follow yet, and counts of edits and of plans.
#[derive(Default)]
pub(super) struct Changes {
    /// The document, or its stages, differ from those of the running plan.
    pub(super) pending: bool,
    /// Parameters set since the document was compiled last, which its plans do not know.
    pub(super) unsent: Vec<(String, ParamValue)>,
    pub(super) revision: u64,
    pub(super) plans: u64,
}

/// Problems by what they were found in.
#[derive(Default)]
pub(super) struct ProblemsBySource {
    pub(super) document: Problems,
    /// Errors keep the document from running; the last valid plan runs, if there is one.
    pub(super) stopped: bool,
    /// The user's stages, whether or not the document runs.
    pub(super) stages: Problems,
    /// A file that is being read and that the graph waits for.
    pub(super) waiting: Option<Problem>,
    /// The simulation, since the plan or the start changed.
    pub(super) running: Problems,
}
