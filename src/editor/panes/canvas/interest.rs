//! The wires whose direction is shown by arrows that run along them.

use std::collections::BTreeSet;

use crate::edit::InputEnd;

/// The wires whose direction is shown: those of selected nodes, and the one under the pointer.
#[derive(Default)]
pub(super) struct Interest {
    nodes: BTreeSet<String>,
    pub wire: Option<InputEnd>,
    /// Since when it is these \[s\].
    since: f64,
}

impl Interest {
    /// How long arrows run along wires \[s\]; then they stand still, so that an idle window costs nothing.
    const RUNS: f64 = 5.0;

    /// Notes what is of interest at a time \[s\]. Returns how long it has been, and whether arrows still run.
    pub(super) fn update(&mut self, nodes: &BTreeSet<String>, wire: Option<InputEnd>, now: f64) -> (f64, bool) {
        if self.nodes != *nodes || self.wire != wire {
            *self = Interest { nodes: nodes.clone(), wire, since: now };
        }
        let lasts = (now - self.since).max(0.0);
        (lasts.min(Interest::RUNS), lasts < Interest::RUNS)
    }
}
