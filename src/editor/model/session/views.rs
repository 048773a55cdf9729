//! What is shown: wires in views, and the thumbnails of nodes.

use std::collections::BTreeSet;

use super::Session;
use crate::document::Link;
use crate::edit::{self, IN};
use crate::graph::field_samples::split;

impl Session {
    /// Wires that views show, by `node.port` with the whole path of the node.
    pub(crate) fn viewed(&self) -> &BTreeSet<String> {
        &self.views.wires
    }

    /// Whether a view shows a wire, by `node.port` with the whole path of the node.
    pub(crate) fn is_viewed(&self, wire: &str) -> bool {
        self.views.wires.iter().any(|viewed| split(viewed).0 == wire)
    }

    /// Sets what is shown: the wires of views, and whether nodes have thumbnails. Numbers are recorded from then on. The
    /// running plan keeps them from the next compile on, which is requested if something new is among them.
    pub(crate) fn look_at(&mut self, wires: BTreeSet<String>, thumbnails: bool) {
        let thumbnail_scope = thumbnails.then(|| self.scope().clone());
        self.record(&wires);
        let kept: BTreeSet<String> =
            wires.iter().cloned().chain(self.numbers.wires()).chain(self.condition_wires()).collect();
        // Sampling a field takes time, so it ends with its view.
        let new = !kept.is_subset(&self.views.kept)
            || self.views.kept.difference(&kept).any(|wire| self.field(wire).is_some())
            || thumbnail_scope.as_ref().is_some_and(|p| self.views.thumbnail_scope.as_ref() != Some(p));
        (self.views.wires, self.views.kept) = (wires, kept);
        self.views.thumbnail_scope = thumbnail_scope;
        if new && self.is_debugging() {
            // Inside a frame every wire is kept.
            self.debugging.waits = true;
        } else if new {
            self.compile();
        }
    }

    /// A wire of each node that has a thumbnail.
    pub(crate) fn thumbnails(&self) -> &[String] {
        if self.views.thumbnail_scope.is_some() { &self.views.thumbnails } else { &[] }
    }

    /// The wire that a link of the open level refers to, as the plan names it: past reroutes and muted nodes, and outside of the
    /// open group for an input of it.
    pub(crate) fn wire_path(&self, link: &Link) -> Option<String> {
        let mut scope = self.scope().clone();
        let mut link = link.clone();
        loop {
            link = edit::origin(self.shown(), &scope, &link, self.library())?;
            if link.node != IN {
                return Some(scope.path(&link.to_string()));
            }
            let (around, group) = scope.outside().map(|(around, group)| (around, group.to_string()))?;
            link = self.shown().level(&around)?.nodes().get(&group)?.inputs.get(&link.port)?.clone();
            scope = around;
        }
    }
}
