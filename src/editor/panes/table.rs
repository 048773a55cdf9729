//! All panes in one struct, made from the rows in `model::pane`.

use super::content::PaneContent;
use crate::model::pane::{Pane, for_panes};

macro_rules! panes {
    ($($pane:ident $title:literal => $field:ident: $module:ident::$content:ident,)*) => {
        /// All panes but the views, of which there may be several.
        #[derive(Default)]
        pub(crate) struct Panes {
            $(pub(crate) $field: super::$module::$content,)*
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

for_panes!(panes);
