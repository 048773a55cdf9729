//! What a program that draws the editor in a window of its own can find out about it.

use std::collections::BTreeSet;

use super::Editor;
use crate::asset::Phase;
use crate::document::{Document, Scope};
use crate::problem::Problem;
use crate::sim::Simulation;

impl Editor {
    /// The graph as it is edited.
    pub fn document(&self) -> &Document {
        self.session.document()
    }

    /// Whether the graph has changes that no file holds.
    pub fn modified(&self) -> bool {
        self.session.modified()
    }

    /// What is wrong with the graph, with the user's stages, and what came up while running.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.session.problems()
    }

    /// The last graph that compiled, as it runs; `None` before there was one.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.session.running_simulation()
    }

    /// Whether a plan of the graph as it is is still to come.
    pub fn compiling(&self) -> bool {
        self.session.compiling()
    }

    /// What is being done with a file that the graph waits for, and how much of it is done (0 to 1) where that can be told.
    pub fn loading(&self) -> Option<(Phase, Option<f32>)> {
        self.session.loading().map(|loading| loading.progress())
    }

    /// The level that is open.
    pub fn scope(&self) -> &Scope {
        self.session.scope()
    }

    /// Names of the selected nodes of that level.
    pub fn selection(&self) -> &BTreeSet<String> {
        &self.session.selection.nodes
    }

    /// Wires that views show, by `node.port` with the whole path of the node.
    pub fn viewed(&self) -> &BTreeSet<String> {
        self.session.viewed()
    }
}
