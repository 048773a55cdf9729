//! What is open: the document, its undo steps, its problems, and the simulation that runs it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::compiler::Compiler;
use super::history::History;
use crate::document::{Document, ParamValue};
use crate::gpu::{Gpu, Profile};
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;
use crate::stage::types::{Attributes, WireType, particles_name};

/// The document is the only truth; all else here follows from it.
pub struct Session {
    document: Document,
    /// The document as its file has it.
    saved: Document,
    path: Option<PathBuf>,
    history: History,
    compiler: Compiler,
    gpu: Gpu,
    simulation: Option<Simulation>,
    problems: Problems,
    /// What came up while running, since the plan or the start changed.
    running: Problems,
    /// Parameters set while a plan was being compiled that does not know them.
    unsent: Vec<(String, ParamValue)>,
    revision: u64,
    plans: u64,
    /// Names of the selected nodes.
    pub selection: BTreeSet<String>,
    /// Path of the node that the pointer is over, wherever in the window.
    pub hovered: Option<String>,
    /// The canvas is to bring the selection into view.
    pub reveal: bool,
}

impl Session {
    pub fn new(gpu: Gpu, wake: impl Fn() + Send + 'static) -> Session {
        Session {
            document: Document::default(),
            saved: Document::default(),
            path: None,
            history: History::default(),
            compiler: Compiler::new(gpu.clone(), wake),
            gpu,
            simulation: None,
            problems: Problems::default(),
            running: Problems::default(),
            unsent: Vec::new(),
            revision: 0,
            plans: 0,
            selection: BTreeSet::new(),
            hovered: None,
            reveal: false,
        }
    }

    /// Puts another document in place of this one. The simulation of the old one ends.
    pub fn open(&mut self, document: Document, path: Option<PathBuf>) {
        self.saved = document.clone();
        self.document = document;
        self.path = path;
        self.history = History::default();
        self.simulation = None;
        self.problems = Problems::default();
        self.running = Problems::default();
        self.selection.clear();
        self.compile();
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the document has changes that no file holds.
    pub fn modified(&self) -> bool {
        self.document != self.saved
    }

    /// Notes that the document is now what the file at `path` holds.
    pub fn mark_saved(&mut self, path: PathBuf) {
        self.saved = self.document.clone();
        self.path = Some(path);
    }

    /// Changes with every edit of what runs.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Changes with every plan that starts to run.
    pub fn plans(&self) -> u64 {
        self.plans
    }

    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub fn simulation(&mut self) -> Option<&mut Simulation> {
        self.simulation.as_mut()
    }

    pub fn running_simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// The type of a wire of particles, by `node.port`, with the attributes that the running plan holds for it.
    pub fn particles(&self, wire: &str) -> Option<String> {
        let wires = &self.simulation.as_ref()?.plan().wires;
        let part =
            |name: &str| name.strip_prefix(wire)?.strip_prefix('.').filter(|p| !p.contains('.')).map(str::to_string);
        let attributes: Attributes = wires
            .iter()
            .filter(|(_, held)| matches!(held.ty, WireType::Attribute(_)))
            .filter_map(|(name, held)| Some((part(name)?, held.ty.value())))
            .collect();
        (!attributes.is_empty()).then(|| particles_name(&attributes))
    }

    /// The type that a wire carries in the running plan, by `node.port`.
    pub fn carried(&self, wire: &str) -> Option<WireType> {
        self.simulation.as_ref()?.plan().wires.get(wire).map(|wire| wire.ty)
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    /// What is wrong with the document, then what came up while running.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.0.iter().chain(&self.running.0)
    }

    /// Whether the document, as it is, does not run.
    pub fn broken(&self) -> bool {
        self.problems.has_errors()
    }

    /// Selects a node, by a path such as `substep/density`, and has it brought into view.
    pub fn go_to(&mut self, path: &str) {
        let name = path.split('/').next().unwrap_or_default();
        if self.document.nodes.contains_key(name) {
            self.selection = BTreeSet::from([name.to_string()]);
            self.reveal = true;
        }
    }

    /// The open level's name of what a path tells of: the node itself, or the group that it is in.
    pub fn here<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.split('/').next().filter(|name| !name.is_empty())
    }

    pub fn compiling(&self) -> bool {
        self.compiler.busy()
    }

    /// An edit that changes what runs. Edits of one gesture make one undo step.
    pub fn edit(&mut self, gesture: &str, change: impl FnOnce(&mut Document)) {
        self.arrange(gesture, change);
        self.compile();
    }

    /// An edit that changes nothing of what runs, such as a node's position.
    pub fn arrange(&mut self, gesture: &str, change: impl FnOnce(&mut Document)) {
        self.history.record(&self.document, gesture);
        change(&mut self.document);
    }

    /// Sets a parameter in the document and, without a recompile, in the simulation.
    ///
    /// # Errors
    /// When the node has no such field, in one sentence.
    pub fn set_param(&mut self, node: &str, param: &str, value: ParamValue) -> Result<(), String> {
        let mut result = Ok(());
        let now = value.clone();
        self.arrange(&format!("{node}.{param}"), |document| result = document.set(node, param, now));
        result?;
        self.send(format!("{node}.{param}"), value);
        Ok(())
    }

    /// Takes a parameter out of the document, so that `default` is in force again.
    pub fn reset_param(&mut self, node: &str, param: &str, default: ParamValue) {
        self.arrange(&format!("reset {node}.{param}"), |document| {
            if let Some(node) = document.node_mut(node) {
                node.params.remove(param);
            }
        });
        self.send(format!("{node}.{param}"), default);
    }

    fn send(&mut self, path: String, value: ParamValue) {
        let taken = self.simulation.as_mut().is_some_and(|s| s.set_param(&path, value.clone()).is_ok());
        if self.compiler.busy() {
            self.unsent.push((path, value));
        }
        // A value that the running plan does not take is wrong, or of a node that nothing reads: compiling tells which.
        if !taken || !self.problems.is_empty() {
            self.compile();
        }
    }

    /// Ends a gesture: what follows is another undo step.
    pub fn end_gesture(&mut self) {
        self.history.close(&self.document);
    }

    pub fn undo(&mut self) {
        if self.history.undo(&mut self.document) {
            self.compile();
        }
    }

    pub fn redo(&mut self) {
        if self.history.redo(&mut self.document) {
            self.compile();
        }
    }

    /// Compiles the document in the background; the last good plan runs on.
    fn compile(&mut self) {
        self.revision += 1;
        self.unsent.clear();
        self.selection.retain(|name| self.document.nodes.contains_key(name));
        let folder = self.path.as_deref().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
        if let Err(problems) = self.compiler.request(&self.document, folder) {
            self.problems = problems;
        }
    }

    /// Takes a plan in that has been compiled.
    pub fn poll(&mut self) {
        let Some(outcome) = self.compiler.poll() else { return };
        let started = outcome.and_then(|compiled| {
            match &mut self.simulation {
                Some(simulation) => simulation.replace(compiled.plan)?,
                None => {
                    let mut simulation = Simulation::new(&self.gpu, compiled.plan)?;
                    simulation.set_profiling(Profile::Nodes);
                    self.simulation = Some(simulation);
                }
            }
            Ok(compiled.warnings)
        });
        match started {
            Ok(warnings) => {
                self.problems = warnings;
                self.running = Problems::default();
                self.plans += 1;
                self.replay();
            }
            Err(problems) => self.problems = problems,
        }
    }

    /// Parameters set in the meantime.
    fn replay(&mut self) {
        for (path, value) in std::mem::take(&mut self.unsent) {
            let taken = self.simulation.as_mut().is_some_and(|s| s.set_param(&path, value).is_ok());
            if !taken {
                self.compile();
                return;
            }
        }
    }

    /// Notes what came up while running.
    pub fn note(&mut self, problems: Problems) {
        problems.0.into_iter().for_each(|problem| self.running.push(problem));
    }

    /// Starts the simulation anew.
    pub fn reset(&mut self) {
        self.running = Problems::default();
        if let Some(simulation) = &mut self.simulation {
            simulation.reset();
        }
    }
}

#[cfg(test)]
mod tests;
