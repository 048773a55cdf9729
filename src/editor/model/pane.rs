//! The table of panes. A new pane is a file of its own, and a row here.

use serde::{Deserialize, Serialize};

/// Passes the rows to a macro: the name in settings, the title, and for the struct of all panes the field and its type, in `panes`.
macro_rules! for_panes {
    ($with:ident) => {
        $with! {
            Graph "Graph" => canvas: canvas::Canvas,
            Inspector "Inspector" => inspector: inspector::Inspector,
            Code "Code" => code: code::Code,
            Problems "Problems" => problems: problems::ProblemList,
            Plan "Plan" => plan: plan_pane::PlanPane,
            Help "Help" => help: help::Help,
            Variations "Variations" => variations: variations::Variations,
            Sweep "Sweep" => sweep: sweep::Sweep,
            Curves "Curves" => curves: curves::CurvePane,
            Debugger "Debugger" => debugger: debugger::DebuggerPane,
            Plots "Plots" => plots: plots::PlotPane,
            Compare "Compare" => compare: compare::ComparePane,
        }
    };
}
pub(crate) use for_panes;

macro_rules! names {
    ($($pane:ident $title:literal => $field:ident: $module:ident::$content:ident,)*) => {
        /// A part of the window that can be moved, stacked and closed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub(crate) enum Pane {
            $($pane,)*
            /// A view by its number; the first one always exists.
            View(u64),
        }

        impl Pane {
            pub(crate) fn title(self) -> &'static str {
                match self {
                    $(Pane::$pane => $title,)*
                    Pane::View(_) => "View",
                }
            }
        }
    };
}

for_panes!(names);

impl Pane {
    /// Whether the pane can be closed.
    pub(crate) fn closable(self) -> bool {
        !matches!(self, Pane::Graph | Pane::View(0))
    }
}
