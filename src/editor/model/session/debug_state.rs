//! What is known of the frame debugger: conditions and breakpoints, what the user has asked for, and the frame that is stood in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::Receiver;

use crate::problem::Problems;
use crate::sim::debug::{Conditions, ElementPlace, FrameDebugger, Report, WriteEvent};
use crate::sim::nan_watch::BadValues;

/// What the user asks for while a frame is being computed in slices: it has half of its States, so its end is awaited.
pub(super) enum Wish {
    Enter(Option<String>),
    FirstNan,
}

/// What a thread has prepared: a debugger, and what the stop says; whether it searched for NaN.
pub(super) type Prepared = (Result<Option<(FrameDebugger, Option<Report>)>, Problems>, bool);

/// The frame debugger.
#[derive(Default)]
pub(super) struct Debugging {
    pub(super) standing: Option<Standing>,
    pub(super) wish: Option<Wish>,
    pub(super) preparing: Option<Receiver<Prepared>>,
    pub(super) conditions: Conditions,
    /// Breakpoints, by the paths of nodes.
    pub(super) breakpoints: BTreeSet<String>,
    /// Conditions of what the graph does not have, as they are typed.
    pub(super) waiting: Vec<String>,
    /// NaN that the States hold since their last check.
    pub(super) bad: Option<Arc<BadValues>>,
    /// Ends the search of the thread that prepares.
    pub(super) left: Arc<AtomicBool>,
    /// The frame that it searches; 0 while it searches none.
    pub(super) searched: Arc<AtomicU64>,
    /// Another plan is wanted when the frame is left.
    pub(super) waits: bool,
    /// A sentence for the user.
    pub(super) message: Option<String>,
}

/// The frame that is stood in.
pub(super) struct Standing {
    pub(super) debugger: FrameDebugger,
    pub(super) report: Option<Report>,
    /// The cell or particle whose history is shown, and every write to it.
    pub(super) picked: Option<(ElementPlace, String, Vec<WriteEvent>)>,
}

/// How to go on inside a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameStep {
    Dispatch,
    Node,
    Iteration,
    Back,
}
