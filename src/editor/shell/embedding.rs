//! What a program that draws the editor in its own window can read from it.

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

    /// Whether the graph has unsaved changes.
    pub fn modified(&self) -> bool {
        self.session.modified()
    }

    /// Whether the graph is being written to its file.
    pub fn saving(&self) -> bool {
        self.files.saving()
    }

    /// Whether a graph's file is being read.
    pub fn opening(&self) -> bool {
        self.files.opening()
    }

    /// Problems of the graph, of the user's stages, and of the running simulation.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.session.problems()
    }

    /// The simulation of the last graph that compiled; `None` before there is one.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.session.running_simulation()
    }

    /// Whether a plan of the current graph is still being made.
    pub fn compiling(&self) -> bool {
        self.session.compiling()
    }

    /// The frame that the simulation is on its way to.
    pub fn seeking(&self) -> Option<u64> {
        self.player.target()
    }

    /// Whether a frame is stood in, dispatch by dispatch.
    pub fn debugs(&self) -> bool {
        self.session.debugger().is_some()
    }

    /// Frames that the timeline knows.
    pub fn timeline_end(&self) -> u64 {
        let timeline = self.session.timed_simulation().and_then(Simulation::timeline);
        timeline.map_or(0, |timeline| timeline.end())
    }

    /// The phase of loading a file that the graph waits for, and its progress from 0 to 1 where that is known.
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
