//! What the window shows of the document: the open level, what is selected on it, and wires in views.

use std::collections::BTreeSet;

use super::parsed_stages::Readable;
use crate::document::{Document, Scope};
use crate::model::pane::Pane;

/// The level that is open.
#[derive(Default)]
pub(super) struct OpenLevel {
    pub(super) scope: Scope,
    /// The document with the open library groups inlined, while one is open.
    pub(super) opened: Option<Document>,
    /// The document as the chosen variant shows it, while that replaces stages.
    pub(super) fitted: Option<Document>,
    /// What Custom nodes show while their texts do not parse.
    pub(super) readable: Readable,
}

/// What the running plan has to keep because it is shown.
#[derive(Default)]
pub(super) struct Viewed {
    /// Wires that views show.
    pub(super) wires: BTreeSet<String>,
    /// Wires that views show, and those of numbers that are recorded.
    pub(super) kept: BTreeSet<String>,
    /// The level whose nodes show thumbnails.
    pub(super) thumbnail_scope: Option<Scope>,
    /// Wires of the thumbnails.
    pub(super) thumbnails: Vec<String>,
}

impl Viewed {
    /// Forgets the wires, which were of another document.
    pub(super) fn clear(&mut self) {
        self.wires.clear();
        self.kept.clear();
    }
}

/// What is selected on the open level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub nodes: BTreeSet<String>,
    /// Position of the comment frame.
    pub frame: Option<usize>,
}

impl Selection {
    /// One node.
    pub(crate) fn of_node(node: String) -> Selection {
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
    pub(super) by: Pane,
    pub(super) path: String,
}
