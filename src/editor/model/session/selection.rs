//! What is selected on the open level, and what the pointer is over.

use std::collections::BTreeSet;

use super::Session;
use crate::model::pane::Pane;

/// What is selected on the open level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub nodes: BTreeSet<String>,
    /// Position of the comment frame.
    pub frame: Option<usize>,
}

impl Selection {
    /// One node.
    pub(crate) fn of(node: String) -> Selection {
        Selection { nodes: BTreeSet::from([node]), frame: None }
    }

    /// One comment frame.
    pub(crate) fn of_frame(index: usize) -> Selection {
        Selection { nodes: BTreeSet::new(), frame: Some(index) }
    }

    pub(crate) fn clear(&mut self) {
        *self = Selection::default();
    }

    pub(crate) fn contains(&self, node: &str) -> bool {
        self.nodes.contains(node)
    }

    /// The first node by name.
    pub(crate) fn first(&self) -> Option<&String> {
        self.nodes.first()
    }

    /// The node, where exactly one is selected.
    pub(crate) fn single(&self) -> Option<&String> {
        self.nodes.first().filter(|_| self.nodes.len() == 1)
    }
}

/// A node that the pointer is over.
pub(super) struct Hovered {
    /// The pane that says so.
    by: Pane,
    path: String,
}

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
