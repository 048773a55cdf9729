//! Levels of the document: the open one, and how to open others.

use std::collections::{BTreeMap, BTreeSet};

use super::{Selection, Session};
use crate::document::{Document, Frame, Group, Level, Link, NodeKind, Nodes, Scope};
use crate::edit::{self, IN, InputEnd, NodeSignature, OUT};
use crate::graph::variants;
use crate::model::layout;

impl Session {
    pub(crate) fn scope(&self) -> &Scope {
        &self.level.scope
    }

    /// The document, with the open library groups inlined, and without what the stages of the chosen variant do not have.
    pub(super) fn shown(&self) -> &Document {
        self.level.opened.as_ref().or(self.level.fitted.as_ref()).unwrap_or(&self.document)
    }

    /// Follows the document as the chosen variant shows it.
    pub(super) fn fit(&mut self) {
        self.level.fitted = variants::fitted(&self.document, self.library());
    }

    pub(crate) fn level(&self) -> Level<'_> {
        // `drop_missing` ensures that the level exists.
        self.shown().level(&self.level.scope).unwrap_or(Level::Document(&self.document))
    }

    /// Nodes of the open level.
    pub(crate) fn nodes(&self) -> &Nodes {
        self.level().nodes()
    }

    /// Comment frames of the open level.
    pub(crate) fn frames(&self) -> &[Frame] {
        self.level().frames()
    }

    /// The open group; none if the document itself is open.
    pub(crate) fn group(&self) -> Option<&Group> {
        self.level().group()
    }

    /// Whether the open level can be edited; library groups are read-only.
    pub(crate) fn editable(&self) -> bool {
        self.level.opened.is_none()
    }

    /// The outermost open library group: its level in the document, and the node's name there.
    pub(crate) fn library_group(&self) -> Option<(Scope, String)> {
        let mut scope = Scope::default();
        for name in &self.level.scope.0 {
            let node = self.document.level(&scope)?.nodes().get(name)?;
            if !matches!(node.kind, NodeKind::Group(_)) {
                return Some((scope, name.clone()));
            }
            scope = scope.inside(name);
        }
        None
    }

    /// The signature of each node of the open level, with the blocks of an open group. A stage whose text does not parse keeps
    /// its previous signature.
    pub(crate) fn signatures(&self) -> BTreeMap<String, NodeSignature> {
        let repaired = self.level.readable.repaired(self.shown(), &self.level.scope);
        let shown = repaired.as_ref().unwrap_or(self.shown());
        let mut signatures = edit::signature::level(shown, &self.level.scope, self.library());
        let path = |wire: &str| self.level.scope.path(wire);
        let carried = |wire: &str| self.carried(&path(wire));
        let particles = |wire: &str| self.particles(&path(wire));
        edit::signature::bind(&mut signatures, shown, &self.level.scope, carried, particles);
        signatures
    }

    /// Every wire of the open level: the input where it ends, and its source.
    pub(crate) fn wires(&self) -> impl Iterator<Item = (InputEnd, Link)> + '_ {
        let end = |node: &str, port: &str| InputEnd { node: node.to_string(), port: port.to_string() };
        let outputs = self.group().into_iter().flat_map(|group| &group.outputs);
        let inside = self
            .nodes()
            .iter()
            .flat_map(move |(name, node)| node.inputs.iter().map(move |(port, link)| (end(name, port), link.clone())));
        inside.chain(outputs.map(move |(port, link)| (end(OUT, port), link.clone())))
    }

    /// The source of an input of the open level.
    pub(crate) fn source(&self, end: &InputEnd) -> Option<Link> {
        edit::source(self.level(), end).cloned()
    }

    /// Leaves groups and deselects nodes that no longer exist.
    pub(super) fn drop_missing(&mut self) {
        self.fit();
        let mut opened: Option<Document> = None;
        let mut depth = 0;
        for count in 1..=self.level.scope.0.len() {
            let path = self.level.scope.0.get(..count).unwrap_or_default().join("/");
            let node = opened.as_ref().unwrap_or(&self.document).node(&path);
            let Some(group) = node.and_then(|node| edit::group_of(node, self.library())).cloned() else { break };
            if !matches!(node.map(|node| &node.kind), Some(NodeKind::Group(_))) {
                let document = opened.get_or_insert_with(|| self.document.clone());
                if let Some(node) = document.node_mut(&path) {
                    node.kind = NodeKind::Group(Box::new(group));
                }
                layout::place_all(document, self.library());
            }
            depth = count;
        }
        self.level.opened = opened;
        if depth < self.level.scope.0.len() {
            self.level.scope.0.truncate(depth);
            self.selection.nodes.clear();
            self.drop_missing();
            return;
        }
        let group = self.group().is_some();
        let node_names: BTreeSet<String> = self.nodes().keys().cloned().collect();
        self.selection.nodes.retain(|name| node_names.contains(name) || (group && (name == IN || name == OUT)));
        self.selection.frame = self.selection.frame.filter(|index| *index < self.frames().len());
    }

    /// Opens a group of the open level. Returns whether it exists.
    pub(crate) fn enter(&mut self, name: &str) -> bool {
        let group = self.nodes().get(name).is_some_and(|node| edit::group_of(node, self.library()).is_some());
        if group {
            self.level.scope = self.level.scope.inside(name);
            self.selection.clear();
            self.drop_missing();
        }
        group
    }

    /// Opens the selected group.
    pub(crate) fn enter_selected(&mut self) {
        if let Some(name) = self.selection.first().cloned() {
            self.enter(&name);
        }
    }

    /// Goes up one level.
    pub(crate) fn leave_level(&mut self) {
        self.open_level(self.level.scope.0.len().saturating_sub(1));
    }

    /// Goes up until this many groups are open; the group that was left is selected.
    pub(crate) fn open_level(&mut self, depth: usize) {
        if let Some(left) = self.level.scope.0.get(depth).cloned() {
            self.level.scope.0.truncate(depth);
            self.drop_missing();
            self.selection = Selection::of_node(left);
        }
    }

    /// Opens a level; false, and nothing changes, if one of its groups does not exist.
    pub(crate) fn show_level(&mut self, scope: &Scope) -> bool {
        if *scope == self.level.scope {
            return true;
        }
        let before = (std::mem::take(&mut self.level.scope), std::mem::take(&mut self.selection));
        self.drop_missing();
        let there = scope.0.iter().all(|group| self.enter(group));
        if !there {
            (self.level.scope, self.selection) = before;
            self.drop_missing();
        }
        there
    }

    /// Opens the level of a node, given by a path such as `substep/density`, and selects it. Returns whether it is there.
    pub(crate) fn select_path(&mut self, path: &str) -> bool {
        let before = (std::mem::take(&mut self.level.scope), std::mem::take(&mut self.selection));
        self.drop_missing();
        let parts: Vec<&str> = path.split('/').collect();
        let Some((name, groups)) = parts.split_last() else { return false };
        // If a group on the path can't be opened, the group itself is selected.
        let inner = groups.iter().find(|group| !self.enter(group)).unwrap_or(name);
        if self.nodes().contains_key(*inner) {
            self.selection = Selection::of_node(inner.to_string());
            return true;
        }
        (self.level.scope, self.selection) = before;
        self.drop_missing();
        false
    }

    /// The node of the open level that a path belongs to: the node itself, or the group that contains it.
    pub(crate) fn here<'a>(&self, path: &'a str) -> Option<&'a str> {
        let mut rest = path;
        for group in &self.level.scope.0 {
            rest = rest.strip_prefix(group.as_str())?.strip_prefix('/')?;
        }
        rest.split('/').next().filter(|name| !name.is_empty())
    }
}
