//! The nodes that the crate draws, and the sizes of all nodes when they were drawn last.

use std::collections::BTreeMap;

use eframe::egui::Vec2;
use egui_node_graph::NodeId;

use crate::edit::NodeSignature;

/// Nodes that are drawn, and their sizes when they were drawn last, in the document's points.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    /// Nodes that the crate draws: those in view, and the nodes that they read.
    pub ids: BTreeMap<String, NodeId>,
    /// Nodes that were removed from the crate, each of which leaves its id behind.
    pub taken_out: usize,
    /// Whether nodes are drawn without ports, which are too small to be used.
    pub bare: bool,
    pub sizes: BTreeMap<String, Vec2>,
    /// Distance of inputs and outputs from the top.
    pub rows: BTreeMap<String, (Vec<f32>, Vec<f32>)>,
}

impl Drawn {
    /// Forgets nodes that are no longer the same.
    pub(super) fn keep(&mut self, now: &BTreeMap<String, NodeSignature>, before: &BTreeMap<String, NodeSignature>) {
        let same = |name: &String| now.contains_key(name) && now.get(name) == before.get(name);
        self.sizes.retain(|name, _| same(name));
        self.rows.retain(|name, _| same(name));
    }
}
