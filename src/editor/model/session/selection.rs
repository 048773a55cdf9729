//! What is selected on the open level, and what the pointer is over.

use super::Session;
use super::view_state::Hovered;
use crate::model::pane::Pane;

impl Session {
    /// Path of the node that the pointer is over, wherever in the window.
    pub(crate) fn hovered(&self) -> Option<&str> {
        self.hovered.as_ref().map(|hovered| hovered.path.as_str())
    }

    /// Notes which node the pointer is over in a pane. A pane takes back only what it has said itself.
    pub(crate) fn hover(&mut self, by: Pane, path: Option<String>) {
        match path {
            Some(path) => self.hovered = Some(Hovered { by, path }),
            None => self.hovered = self.hovered.take().filter(|hovered| hovered.by != by),
        }
    }
}
