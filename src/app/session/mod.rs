//! What is open: the document, its undo steps, its problems, and the simulation that runs it.

mod device;
mod drafts;
mod expectations;
mod files;
mod level;
mod readable;
pub mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compiler::{Compiler, Job};
use super::history::History;
use super::stages::{self, Stages};
use crate::document::{Document, Link, ParamValue, Scope};
use crate::edit::{self, IN};
use crate::gpu::{Gpu, Profile};
use crate::library::{self, Library};
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;
use crate::sim::camera::Orbit;
use crate::sim::expect::Checker;
use crate::stage::types::{Attributes, WireType, particles_name};
use device::Snapshots;
pub use drafts::{Draft, Drafts};
use readable::Readable;

/// The document is the only truth; all else here follows from it.
pub struct Session {
    document: Document,
    /// The document as its file has it, or as it came with the program; `None` where it is nowhere but here.
    saved: Option<Document>,
    path: Option<PathBuf>,
    drafts: Drafts,
    history: History,
    compiler: Compiler,
    gpu: Gpu,
    simulation: Option<Simulation>,
    snapshots: Snapshots,
    library: Arc<Library>,
    /// A folder of stages that was asked for, and the one that is open.
    asked: Option<PathBuf>,
    stages: Option<Stages>,
    unreadable: Option<Problem>,
    wake: Arc<dyn Fn() + Send + Sync>,
    problems: Problems,
    /// What is wrong with the user's stages, whether or not the document runs.
    of_stages: Problems,
    /// What came up while running, since the plan or the start changed.
    running: Problems,
    /// What the States of the simulation began with.
    begun: values::Starts,
    traced: values::Traced,
    /// What has come of the graph's expectations, since the plan, a parameter or the start changed.
    checks: Checker,
    /// The document, or its stages, are others than those of the running plan.
    changed: bool,
    /// Parameters set while a plan was being compiled that does not know them.
    unsent: Vec<(String, ParamValue)>,
    /// That a file is being read which the graph waits for.
    waiting: Option<Problem>,
    revision: u64,
    plans: u64,
    /// The level that is open.
    scope: Scope,
    /// The document with the open groups of the library put in, while one is open.
    opened: Option<Document>,
    /// What Custom nodes show while their texts do not read.
    readable: Readable,
    /// Wires that views show.
    viewed: BTreeSet<String>,
    /// Whether the nodes of the open level show small pictures, and the level and wires that those are of.
    pictured: Option<Scope>,
    thumbnails: Vec<String>,
    /// The node that the picture of each Output gets its camera from.
    cameras: BTreeMap<String, String>,
    /// Parameters that the running simulation has, and the document has not: a camera that was moved.
    moved: BTreeMap<String, ParamValue>,
    /// Names of the selected nodes of that level.
    pub selection: BTreeSet<String>,
    /// Position of the selected comment frame.
    pub frame: Option<usize>,
    /// Path of the node that the pointer is over, wherever in the window.
    pub hovered: Option<String>,
    /// Whether the graph may read files outside its folder.
    files_allowed: bool,
}

impl Session {
    /// `wake` is called, on another thread, when there is something for [`Session::poll`].
    pub fn new(gpu: Gpu, wake: impl Fn() + Send + Sync + 'static) -> Session {
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(wake);
        let compiled = wake.clone();
        Session {
            document: Document::default(),
            saved: Some(Document::default()),
            path: None,
            drafts: Drafts::new(),
            history: History::default(),
            compiler: Compiler::new(gpu.clone(), move || compiled()),
            gpu,
            simulation: None,
            snapshots: Snapshots::default(),
            library: Arc::new(Library::builtin().clone()),
            asked: None,
            stages: None,
            unreadable: None,
            wake,
            problems: Problems::default(),
            of_stages: Problems::default(),
            running: Problems::default(),
            begun: values::Starts::new(),
            traced: None,
            checks: Checker::default(),
            changed: false,
            unsent: Vec::new(),
            waiting: None,
            revision: 0,
            plans: 0,
            scope: Scope::default(),
            opened: None,
            readable: Readable::default(),
            viewed: BTreeSet::new(),
            pictured: None,
            thumbnails: Vec::new(),
            cameras: BTreeMap::new(),
            moved: BTreeMap::new(),
            selection: BTreeSet::new(),
            frame: None,
            hovered: None,
            files_allowed: false,
        }
    }

    /// Uses the stages of a folder, whatever graph is open.
    pub fn use_stages(&mut self, folder: PathBuf) {
        self.asked = Some(folder);
        self.find_stages(None);
    }

    /// Brings the stages up that a graph in this file uses: those of the folder that was asked for, else of the one beside it.
    pub fn find_stages(&mut self, graph: Option<&Path>) {
        let folder = self.asked.clone().or_else(|| graph.and_then(library::folder_beside));
        if folder.as_deref() == self.stages.as_ref().map(Stages::folder) {
            return;
        }
        self.library = Arc::new(Library::builtin().clone());
        self.unreadable = None;
        self.stages = folder.map(|folder| {
            let wake = self.wake.clone();
            Stages::open(folder, move || wake())
        });
    }

    /// Whether the user's stages are still being read, without which the graph can't be compiled.
    fn waits_for_stages(&self) -> bool {
        self.stages.as_ref().is_some_and(Stages::waiting)
    }

    fn take_stages(&mut self, answer: Result<Arc<Library>, Problem>) {
        match answer {
            Ok(library) => {
                self.library = library;
                self.unreadable = None;
            }
            Err(problem) => self.unreadable = Some(problem),
        }
    }

    /// What stages there are: those that ship and the user's own.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Puts another document in place of this one. The simulation of the old one ends.
    pub fn open(&mut self, document: Document, path: Option<PathBuf>) {
        self.saved = Some(document.clone());
        self.document = document;
        self.find_stages(path.as_deref());
        self.path = path;
        self.drafts.clear();
        self.history = History::default();
        self.simulation = None;
        self.snapshots = Snapshots::default();
        self.problems = Problems::default();
        self.running = Problems::default();
        self.checks = Checker::default();
        self.scope = Scope::default();
        self.opened = None;
        self.readable = Readable::default();
        self.selection.clear();
        self.frame = None;
        self.viewed.clear();
        self.moved.clear();
        self.compile();
    }

    /// The same with a document that no file holds, though it may belong to one.
    pub fn open_unsaved(&mut self, document: Document, path: Option<PathBuf>) {
        self.open(document, path);
        self.saved = None;
    }

    /// Takes in what the document's file holds by now, as one undo step. The simulation goes on with the States that stayed.
    pub fn reload(&mut self, document: Document) {
        self.end_gesture();
        self.edit("reload", |now| *now = document.clone());
        self.end_gesture();
        self.saved = Some(document);
    }

    /// Notes what the document's file holds by now; the document itself stays.
    pub fn mark_on_disk(&mut self, document: Document) {
        self.saved = Some(document);
    }

    /// What the document's file holds, as far as is known.
    pub fn on_disk(&self) -> Option<&Document> {
        self.saved.as_ref()
    }

    /// Compiles anew what has not changed, since a file that it names has.
    pub fn refresh(&mut self) {
        self.changed = true;
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
        let Some(saved) = &self.saved else { return true };
        if *saved == self.document {
            return false;
        }
        // NaN, which a file may hold, equals nothing, not even itself.
        #[expect(clippy::eq_op, reason = "unequal where it holds NaN")]
        let has_nan = self.document != self.document;
        !(has_nan && saved.to_text() == self.document.to_text())
    }

    /// Notes that the document is now what the file at `path` holds.
    pub fn mark_saved(&mut self, path: PathBuf) {
        self.saved = Some(self.document.clone());
        let before = self.library.clone();
        self.find_stages(Some(&path));
        let moved = self.path.as_deref().and_then(Path::parent) != path.parent();
        self.path = Some(path);
        if moved || !Arc::ptr_eq(&before, &self.library) {
            // Files and stages that the document names are others now.
            self.compile();
        }
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

    /// What is wrong with the document, with the user's stages, what it waits for, then what came up while running.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.0.iter().chain(&self.of_stages.0).chain(&self.waiting).chain(&self.running.0)
    }

    /// Whether the document, as it is, does not run.
    pub fn broken(&self) -> bool {
        self.problems.has_errors()
    }

    /// Says what is looked at: the wires of views, and whether nodes show small pictures. The running plan holds them from the
    /// next compile on, which this asks for when something new is among them.
    pub fn look_at(&mut self, wires: BTreeSet<String>, pictures: bool) {
        let pictured = pictures.then(|| self.scope.clone());
        let new =
            !wires.is_subset(&self.viewed) || pictured.as_ref().is_some_and(|p| self.pictured.as_ref() != Some(p));
        self.viewed = wires;
        self.pictured = pictured;
        if new {
            self.compile();
        }
    }

    /// A wire of each node that shows a small picture.
    pub fn thumbnails(&self) -> &[String] {
        if self.pictured.is_some() { &self.thumbnails } else { &[] }
    }

    /// The wire that a link of the open level means, as the plan names it: behind dots and what is muted, and outside of the
    /// open group for an input of it.
    pub fn wire_path(&self, link: &Link) -> Option<String> {
        let mut scope = self.scope.clone();
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

    /// The node that an Output's picture gets its camera from, if that can be moved.
    pub fn camera(&self, output: &str) -> Option<&str> {
        self.cameras.get(output).map(String::as_str)
    }

    /// Moves a camera while the graph runs; the document keeps what its author wrote.
    pub fn move_camera(&mut self, node: &str, orbit: Orbit) {
        for (param, value) in orbit.params() {
            let path = format!("{node}.{param}");
            // The plan has said that the node has these.
            let _ = self.simulation.as_mut().map(|s| s.set_param(&path, value.clone()));
            self.moved.insert(path, value);
        }
    }

    /// Whether a camera was moved.
    pub fn camera_moved(&self, node: &str) -> bool {
        self.moved.keys().any(|path| path.strip_prefix(node).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Puts a camera back to where the document has it.
    pub fn restore_camera(&mut self, node: &str) {
        self.moved.retain(|path, _| path.strip_prefix(node).is_none_or(|rest| !rest.starts_with('.')));
        self.compile();
    }

    /// Writes a moved camera into the document.
    ///
    /// # Errors
    /// When the node is inside of a group of the library, in one sentence.
    pub fn keep_camera(&mut self, node: &str) -> Result<(), String> {
        let (mut after, moved) = (self.document.clone(), std::mem::take(&mut self.moved));
        for (path, value) in &moved {
            if let Some(param) = path.strip_prefix(node).and_then(|rest| rest.strip_prefix('.')) {
                after.set(node, param, value.clone())?;
            }
        }
        self.edit("camera", |document| *document = after);
        Ok(())
    }

    pub fn compiling(&self) -> bool {
        self.compiler.busy() || self.waits_for_stages()
    }

    /// An edit that changes what runs. Edits of one gesture make one undo step.
    pub fn edit(&mut self, gesture: &str, change: impl FnOnce(&mut Document)) {
        self.changed = true;
        self.arrange(gesture, change);
        self.compile();
    }

    /// An edit that changes nothing of what runs, such as a node's position.
    pub fn arrange(&mut self, gesture: &str, change: impl FnOnce(&mut Document)) {
        self.history.record(&self.document, gesture);
        change(&mut self.document);
    }

    /// Ends a gesture: what follows is another undo step.
    pub fn end_gesture(&mut self) {
        self.history.close(&self.document);
    }

    pub fn undo(&mut self) {
        if self.history.undo(&mut self.document) {
            self.changed = true;
            self.compile();
        }
    }

    pub fn redo(&mut self) {
        if self.history.redo(&mut self.document) {
            self.changed = true;
            self.compile();
        }
    }

    /// Compiles the document in the background; the last good plan runs on.
    fn compile(&mut self) {
        self.revision += 1;
        self.unsent.clear();
        self.settle();
        self.readable.note(&self.document);
        self.of_stages = stages::problems(&self.library, &self.document);
        self.unreadable.iter().for_each(|problem| self.of_stages.push(problem.clone()));
        if self.waits_for_stages() {
            // Compiled once they are there.
            return;
        }
        let job = Job {
            document: self.document.clone(),
            library: self.library.clone(),
            access: self.access(),
            watched: self.viewed.clone(),
            pictured: self.pictured.clone(),
            cancel: Default::default(),
        };
        if let Err(problems) = self.compiler.request(job) {
            self.problems = problems;
        }
    }

    /// Takes in what other threads have made: stages that were read again, and a plan that has been compiled.
    pub fn poll(&mut self) {
        if let Some(answer) = self.stages.as_mut().and_then(Stages::poll) {
            self.take_stages(answer);
            self.changed = true;
            self.compile();
        }
        self.wait_for_files();
        if self.waits_for_stages() {
            return;
        }
        self.take_trace();
        let Some(outcome) = self.compiler.poll() else { return };
        let started = outcome.and_then(|compiled| {
            match &mut self.simulation {
                Some(simulation) => simulation.replace_with_files(compiled.plan, &compiled.grids)?,
                None => {
                    let mut simulation = Simulation::with_files(&self.gpu, compiled.plan, &compiled.grids)?;
                    simulation.set_profiling(Profile::Nodes);
                    if let Some(snapshot) = self.snapshots.wanted() {
                        simulation.restore(snapshot);
                    }
                    simulation.watch_values(values::EVERY)?;
                    self.begun.clear();
                    self.simulation = Some(simulation);
                }
            }
            (self.thumbnails, self.cameras) = (compiled.thumbnails, compiled.cameras);
            self.renew_checks(compiled.expectations);
            Ok(compiled.warnings)
        });
        match started {
            Ok(warnings) => {
                self.problems = warnings;
                self.running = self.not_started();
                self.plans += 1;
                self.replay();
            }
            Err(problems) => self.problems = problems,
        }
    }

    /// Parameters set in the meantime.
    fn replay(&mut self) {
        for (path, value) in &self.moved {
            // A camera that is no more has nothing to be moved.
            let _ = self.simulation.as_mut().map(|s| s.set_param(path, value.clone()));
        }
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
        self.snapshots = Snapshots::default();
        self.begun = values::starts(&self.document);
        self.traced = None;
        self.checks.restart();
        if let Some(simulation) = &mut self.simulation {
            simulation.reset();
        }
    }
}

mod params;
#[cfg(test)]
mod tests;
