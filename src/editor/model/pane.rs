//! The panes by their names.

use serde::{Deserialize, Serialize};

/// A part of the window that can be moved, stacked and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Pane {
    Graph,
    Inspector,
    Code,
    Problems,
    Plan,
    Help,
    Variations,
    Sweep,
    Curves,
    Debugger,
    Plots,
    Compare,
    /// A view by its number; the first one always exists.
    View(u64),
}

impl Pane {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Pane::Graph => "Graph",
            Pane::Inspector => "Inspector",
            Pane::Code => "Code",
            Pane::Problems => "Problems",
            Pane::Plan => "Plan",
            Pane::Help => "Help",
            Pane::Variations => "Variations",
            Pane::Sweep => "Sweep",
            Pane::Curves => "Curves",
            Pane::Debugger => "Debugger",
            Pane::Plots => "Plots",
            Pane::Compare => "Compare",
            Pane::View(_) => "View",
        }
    }

    /// Whether the pane can be closed.
    pub(crate) fn closable(self) -> bool {
        !matches!(self, Pane::Graph | Pane::View(0))
    }
}
