//! The open document with its undo steps and problems, and the simulation that runs it.

mod bakes;
mod cameras;
mod debug_state;
mod debugging;
mod device;
mod document_state;
mod drafts;
mod expectations;
mod files;
mod followed;
mod following;
mod keys;
mod level;
mod node_domains;
mod numbers;
mod params;
mod parsed_stages;
mod plots;
mod presets;
mod run_state;
mod selection;
mod session_state;
mod snapshots;
mod stages;
#[cfg(test)]
mod tests;
mod text_edits;
mod values;
mod variants;
mod view_state;
mod views;

use std::path::PathBuf;
use std::sync::Arc;

use super::compiler::{Compiler, Job};
use super::edited_text::EditedText;
use super::history::History;
use super::settings::Store;
use crate::document::Document;
use crate::gpu::{Gpu, Profile};
use crate::library::earlier;
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;
use crate::sim::checkpoint::{CheckpointFile, named};
use crate::sim::expect::Checker;
use crate::sim::timeline::Budget;
use crate::stage::types::{Attributes, WireType, particles_name};
pub(crate) use bakes::{BakedState, about, state};
use debug_state::Debugging;
pub(crate) use debug_state::FrameStep;
use document_state::{Compared, OnDisk, StageLibrary, TextEdits};
pub(crate) use document_state::{Draft, Drafts, SnapshotSlot};
pub(crate) use followed::Following;
pub(crate) use presets::Assignment;
use run_state::{Cameras, Numbers, Snapshots, Spaces, StateWatch};
pub(crate) use session_state::Session;
use session_state::{Changes, ProblemsBySource};
pub(crate) use view_state::Selection;
use view_state::{OpenLevel, Viewed};

impl Session {
    /// `wake` is called, on another thread, when there is something for [`Session::poll`].
    pub(crate) fn new(gpu: Gpu, wake: impl Fn() + Send + Sync + 'static) -> Session {
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(wake);
        let compiled = wake.clone();
        Session {
            document: Document::default(),
            history: History::default(),
            disk: OnDisk::default(),
            stages: StageLibrary::default(),
            compiler: Compiler::new(gpu.clone(), move || compiled()),
            changes: Changes::default(),
            // A software adapter compiles a kernel when it runs first.
            text_edits: TextEdits::new(gpu.is_worth_tuning()),
            gpu,
            tunes: true,
            wake,
            simulation: None,
            snapshots: Snapshots::default(),
            states: StateWatch::default(),
            checks: Checker::default(),
            numbers: Numbers::default(),
            problems: ProblemsBySource::default(),
            level: OpenLevel::default(),
            views: Viewed::default(),
            cameras: Cameras::default(),
            spaces: Spaces::default(),
            bakes: Vec::new(),
            live: None,
            selection: Selection::default(),
            hovered: None,
            presets: Store::default(),
            compared: Compared::default(),
            auto_key: true,
            timeline_budget: Budget::default(),
            past: None,
            at: None,
            debugging: Debugging::default(),
            following: None,
            renamed: Vec::new(),
        }
    }

    /// Replaces the document. The simulation of the old one ends.
    pub(crate) fn open(&mut self, mut document: Document, path: Option<PathBuf>) {
        self.find_stages(path.as_deref());
        self.disk.open(document.clone(), path);
        self.renamed = earlier::update(&mut document, self.library());
        self.document = document;
        self.history = History::default();
        self.simulation = None;
        self.states = StateWatch::default();
        self.past = None;
        self.snapshots = Snapshots::default();
        self.problems.document = Problems::default();
        self.problems.stopped = false;
        self.problems.running = Problems::default();
        self.checks = Checker::default();
        self.numbers = Numbers::default();
        self.level = OpenLevel::default();
        self.selection = Selection::default();
        self.compared = Compared::default();
        self.clear_debugging();
        self.following = None;
        self.text_edits.forget();
        self.views.clear();
        self.cameras.clear();
        self.compile();
    }

    /// What was renamed in the document that was opened last, because it is of an earlier version; once.
    pub(crate) fn take_renamed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.renamed)
    }

    /// Opens an unsaved document, which may have a path.
    pub(crate) fn open_unsaved(&mut self, document: Document, path: Option<PathBuf>) {
        self.open(document, path);
        self.disk.saved = None;
    }

    /// Replaces the document by the new content of its file, as one undo step. States that still exist keep their values.
    pub(crate) fn reload(&mut self, mut document: Document) {
        self.end_gesture();
        self.history.record(&self.document, "reload");
        self.disk.saved = Some(document.clone());
        self.renamed = earlier::update(&mut document, self.library());
        self.document = document;
        self.changes.pending = true;
        self.compile();
        self.end_gesture();
    }

    /// Compiles the document again, because a file that it names has changed.
    pub(crate) fn refresh(&mut self) {
        self.changes.pending = true;
        self.compile();
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// Changes with every edit of what runs.
    pub(crate) fn revision(&self) -> u64 {
        self.changes.revision
    }

    /// Changes with every plan that starts to run.
    pub(crate) fn plans(&self) -> u64 {
        self.changes.plans
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(crate) fn simulation(&mut self) -> Option<&mut Simulation> {
        self.simulation.as_mut()
    }

    /// The type of a wire of particles, by `node.port`, with the attributes that the running plan holds for it.
    pub(crate) fn particles(&self, wire: &str) -> Option<String> {
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
    pub(crate) fn carried(&self, wire: &str) -> Option<WireType> {
        self.simulation.as_ref()?.plan().wires.get(wire).map(|wire| wire.ty)
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// Problems of the document, of the user's stages, files that it waits for, and then problems of the running simulation.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        let found = &self.problems;
        found.document.0.iter().chain(&found.stages.0).chain(&found.waiting).chain(&found.running.0)
    }

    /// Whether errors keep the document from running. Errors in nodes that no image needs do not.
    pub(crate) fn broken(&self) -> bool {
        self.problems.stopped
    }

    pub(crate) fn compiling(&self) -> bool {
        // Inside a frame, another plan waits.
        self.debugger().is_none() && self.is_compiling()
    }

    fn is_compiling(&self) -> bool {
        self.compiler.busy() || self.waits_for_stages()
    }

    /// An edit that changes what runs. Edits of one gesture make one undo step.
    pub(crate) fn edit(&mut self, gesture: &str, change: impl FnOnce(&mut Document)) {
        self.changes.pending = true;
        self.arrange(gesture, change);
        self.compile();
    }

    /// An edit that does not affect the simulation, such as moving a node.
    pub(crate) fn arrange(&mut self, gesture: &str, change: impl FnOnce(&mut Document)) {
        self.history.record(&self.document, gesture);
        let before = self.document.variant.is_some().then(|| self.document.clone());
        change(&mut self.document);
        if let Some(before) = before {
            self.document.claim_for_variant(&before);
            self.fit();
        }
    }

    /// Ends a gesture: what follows is another undo step.
    pub(crate) fn end_gesture(&mut self) {
        self.history.close(&self.document);
    }

    pub(crate) fn undo(&mut self) {
        if self.history.undo(&mut self.document) {
            self.changes.pending = true;
            self.compile();
        }
    }

    pub(crate) fn redo(&mut self) {
        if self.history.redo(&mut self.document) {
            self.changes.pending = true;
            self.compile();
        }
    }

    /// Undoes or redoes until this many steps of the history are done.
    pub(crate) fn go_to_step(&mut self, steps: usize) {
        if self.history.go_to(steps, &mut self.document) {
            self.changes.pending = true;
            self.compile();
        }
    }

    /// The start and the steps of the history, as titles.
    pub(crate) fn history_titles(&self) -> Vec<String> {
        std::iter::once("Start".to_string()).chain(self.history.titles(&self.document)).collect()
    }

    /// Compiles the document in the background; the last valid plan keeps running.
    fn compile(&mut self) {
        self.debugging.waits = false;
        self.leave_frame();
        self.changes.revision += 1;
        self.changes.unsent.clear();
        self.drop_missing();
        self.level.readable.note(&self.document);
        self.problems.stages = self.stages.problems(&self.document);
        if self.waits_for_stages() {
            // It is compiled once they are loaded.
            return;
        }
        let edited = self.changed_text();
        let job = self.job(edited);
        if let Err(problems) = self.compiler.request(job) {
            self.problems.document = problems;
            self.problems.stopped = true;
        }
    }

    /// The document as it is to be compiled. `edited`: the text whose nodes are kept apart.
    fn job(&self, edited: Option<EditedText>) -> Job {
        Job {
            document: self.document.clone(),
            library: self.library().clone(),
            access: self.access(),
            watched: self.views.kept.clone(),
            thumbnail_scope: self.views.thumbnail_scope.clone(),
            tune: self.tunes,
            cached: self.cached_run(),
            edited,
            prepares: false,
            cancel: Default::default(),
        }
    }

    /// Takes over the results of other threads: stages that were read again, and a compiled plan.
    pub(crate) fn poll(&mut self) {
        self.take_results();
        self.prepare_text();
    }

    fn take_results(&mut self) {
        if self.stages.poll() {
            self.changes.pending = true;
            self.compile();
        }
        self.wait_for_files();
        if self.waits_for_stages() {
            return;
        }
        self.take_trace();
        self.grant();
        self.take_debugger();
        self.poll_following();
        if self.is_debugging() {
            // Another plan, such as one that was measured to be faster, waits until the frame is left.
            return;
        }
        let has_plan = self.compiler.poll().is_some_and(Result::is_ok);
        if let Some(simulation) = self.simulation.as_mut().filter(|s| has_plan && s.progress().is_some()) {
            // The States that a frame has half changed can't be kept. At the start there is nothing to keep.
            if simulation.frame() > 0 {
                return;
            }
            simulation.reset();
        }
        let Some(outcome) = self.compiler.take() else { return };
        let (mut at, mut stop) = (Vec::new(), None);
        let (cached, mut left) = (self.cached_run(), None);
        let started = outcome.and_then(|compiled| {
            match &mut self.simulation {
                Some(simulation) => simulation.replace_with_files(compiled.plan, &compiled.grids)?,
                None => {
                    let mut simulation = Simulation::with_files(&self.gpu, compiled.plan, &compiled.grids)?;
                    simulation.set_profiling(Profile::Nodes);
                    match self.past.take() {
                        Some(past) => simulation.continue_timeline(past),
                        None => simulation.keep_timeline(self.timeline_budget),
                    }
                    if let Some(snapshot) = self.snapshots.wanted() {
                        simulation.restore(snapshot);
                    }
                    if let Some(checkpoint) = self.at.take() {
                        at.extend(begin_at(&mut simulation, &checkpoint, &self.document).0);
                        let there = simulation.frame() == checkpoint.frame();
                        stop = checkpoint.about().stop.clone().filter(|_| there);
                    }
                    simulation.watch_values(values::EVERY)?;
                    self.states.begun.clear();
                    self.simulation = Some(simulation);
                }
            }
            (self.views.thumbnails, self.cameras.nodes) = (compiled.thumbnails, compiled.cameras);
            self.spaces = Spaces { domains: compiled.domains, grids: compiled.grids_made };
            self.bakes = compiled.bakes;
            left = cached.filter(|cached| cached.is_left(self.simulation.as_ref())).zip(Some(compiled.checkpoint));
            self.renew_checks(compiled.expectations);
            Ok(compiled.problems)
        });
        self.problems.stopped = started.is_err();
        match started {
            Ok(problems) => {
                self.problems.document = problems;
                self.problems.running = self.not_started();
                self.note(Problems(at));
                self.changes.plans += 1;
                self.renew_conditions();
                if let Some((cached, checkpoint)) = left {
                    self.go_live(&cached, checkpoint);
                }
                self.replay();
                if let Some(stop) = stop {
                    self.enter_stop(&stop);
                }
            }
            Err(problems) => self.problems.document = problems,
        }
    }

    /// Sends parameters that were set meanwhile. Another plan of the same document may follow, which does not know them either.
    fn replay(&mut self) {
        for (path, value) in &self.cameras.moved {
            // A camera that no longer exists is ignored.
            let _ = self.simulation.as_mut().map(|s| s.set_param(path, value.clone()));
        }
        for (path, value) in self.changes.unsent.clone() {
            let accepted = self.simulation.as_mut().is_some_and(|s| s.set_param(&path, value).is_ok());
            if !accepted {
                self.compile();
                return;
            }
        }
    }

    /// Starts the first simulation from a checkpoint.
    pub(crate) fn start_at(&mut self, checkpoint: CheckpointFile) {
        self.at = Some(checkpoint);
    }

    /// Memory for past frames.
    pub(crate) fn timeline_budget(&self) -> Budget {
        self.timeline_budget
    }

    /// Sets it.
    pub(crate) fn set_timeline_budget(&mut self, budget: Budget) {
        self.timeline_budget = budget;
        if let Some(timeline) = self.simulation.as_mut().and_then(Simulation::timeline_mut) {
            timeline.set_budget(budget);
        }
    }

    /// Adds problems of the running simulation.
    pub(crate) fn note(&mut self, problems: Problems) {
        problems.0.into_iter().for_each(|problem| self.problems.running.push(problem));
    }

    /// Resets the simulation.
    pub(crate) fn reset(&mut self) {
        self.leave_frame();
        self.following = None;
        self.debugging.bad = None;
        self.problems.running = Problems::default();
        self.snapshots = Snapshots::default();
        self.states = StateWatch { begun: values::starts(&self.document), ..StateWatch::default() };
        self.checks.restart();
        self.numbers.restart();
        if let Some(simulation) = &mut self.simulation {
            simulation.reset();
        }
    }
}

/// Starts a simulation from a checkpoint. Returns what of the checkpoint does not fit.
fn begin_at(simulation: &mut Simulation, file: &CheckpointFile, document: &Document) -> Problems {
    let checkpoint = match file.load(simulation.plan()) {
        Ok(checkpoint) => checkpoint,
        Err(error) => {
            let remedy = "the graph runs from the start";
            return Problem::new("", "", error.to_string(), remedy).warning().into();
        }
    };
    let mut problems = simulation.resume(&checkpoint);
    let bad = checkpoint.not_finite();
    if !bad.is_empty() {
        let cause = format!("the checkpoint holds NaN or infinity in {}", named(&bad));
        problems.push(Problem::new("", "", cause, "open an earlier one").warning());
    }
    if checkpoint.about.graph != document.to_text() {
        let cause =
            "the checkpoint was made with another version of this graph; what both describe alike continues from it";
        problems
            .push(Problem::new("", "", cause, "open the version that it was made with for the same frames").warning());
    }
    problems
}
