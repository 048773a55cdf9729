//! State of the plan pane: settings of its table, the rows with their facts and times, and the selection seen last.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::rows::{Fold, Rows};

/// Plan pane: rows of the running plan with their times, and settings of the table that shows them.
#[derive(Default)]
pub(crate) struct PlanPane {
    pub(super) filter: String,
    pub(super) by_time: bool,
    pub(super) memory: bool,
    /// Rows that are folded or unfolded differently from their initial state.
    pub(super) turned: BTreeSet<Fold>,
    pub(super) rows: Rows,
    pub(super) facts: Vec<Facts>,
    /// GPU time of each row \[ms\].
    pub(super) row_ms: Vec<f64>,
    /// GPU time of each dispatch of each list \[ms\]; empty if nothing is measured.
    pub(super) means: [Vec<f64>; 3],
    /// GPU time of a frame \[ms\].
    pub(super) total: f64,
    /// The session's plan and the theme that the rows were built for.
    pub(super) built: Option<(u64, bool)>,
    /// Whether the rows are to be rebuilt.
    pub(super) stale: bool,
    pub(super) renewed: f64,
    pub(super) sorted: f64,
    /// The selection as it was last seen here, and the row to scroll to after it has changed.
    pub(super) selection: BTreeSet<String>,
    pub(super) found: Option<usize>,
    pub(super) shown: bool,
}
