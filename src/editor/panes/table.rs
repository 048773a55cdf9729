//! The table of panes. A new pane is a file of its own, a name in `Pane`, and a row here.

use super::canvas::Canvas;
use super::code::Code;
use super::compare::ComparePane;
use super::content::PaneContent;
use super::curves::CurvePane;
use super::debugger::DebuggerPane;
use super::help::Help;
use super::inspector::Inspector;
use super::plan_pane::PlanPane;
use super::plots::PlotPane;
use super::problems::ProblemList;
use super::sweep::Sweep;
use super::variations::Variations;
use crate::model::pane::Pane;

macro_rules! panes {
    ($($pane:ident => $field:ident: $content:ty,)*) => {
        /// All panes but the views, of which there may be several.
        #[derive(Default)]
        pub(crate) struct Panes {
            $(pub(crate) $field: $content,)*
        }

        impl Panes {
            /// A pane by its name; `None` for a view.
            pub(crate) fn get(&mut self, pane: Pane) -> Option<&mut dyn PaneContent> {
                match pane {
                    $(Pane::$pane => Some(&mut self.$field),)*
                    Pane::View(_) => None,
                }
            }

            /// Each pane with its name.
            pub(crate) fn each(&mut self) -> [(Pane, &mut dyn PaneContent); [$(Pane::$pane),*].len()] {
                [$((Pane::$pane, &mut self.$field)),*]
            }

            /// Each pane, to ask it.
            pub(crate) fn all(&self) -> [&dyn PaneContent; [$(Pane::$pane),*].len()] {
                [$(&self.$field),*]
            }
        }
    };
}

panes! {
    Graph => canvas: Canvas,
    Inspector => inspector: Inspector,
    Code => code: Code,
    Problems => problems: ProblemList,
    Plan => plan: PlanPane,
    Help => help: Help,
    Variations => variations: Variations,
    Sweep => sweep: Sweep,
    Curves => curves: CurvePane,
    Debugger => debugger: DebuggerPane,
    Plots => plots: PlotPane,
    Compare => compare: ComparePane,
}
