//! The frame debugger: conditions that stop the run, breakpoints on nodes, and the frame that is stood in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::TryRecvError;

use super::debug_state::{Debugging, Standing, Wish};
use super::{FrameStep, Session};
use crate::background::answer;
use crate::bake::playing;
use crate::graph::{DomainId, Graph, partial};
use crate::model::settings::Stops;
use crate::plan::{Plan, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::sim::checkpoint::Stop;
use crate::sim::debug::{
    Condition, Conditions, ElementPlace, Fired, FrameDebugger, FrameStart, NanSearch, Report, WriteEvent,
};
use crate::sim::{FrameInput, Simulation};

/// Where to stand in a frame.
enum Goal {
    /// At its start, or before the first dispatch of a node.
    Start(Box<FrameStart>, Option<String>),
    /// Where a condition began to hold.
    Fired(Box<Fired>),
    /// Where a run stopped that left a checkpoint of the frame's start.
    Stopped(Box<FrameStart>, Box<Report>),
    /// Where the first NaN begins.
    FirstNan(Box<NanSearch>),
}

/// A frame of another version of the graph is not that of the stop.
const OTHER: &str = "The graph, or what it was run with, is not what it was when the run stopped, so the frame stands at its node or its start. Step on, or run it again.";

impl Session {
    /// The frame that is stood in.
    pub(crate) fn debugger(&self) -> Option<&FrameDebugger> {
        self.debugging.standing.as_ref().map(|standing| &standing.debugger)
    }

    /// What the last stop says.
    pub(crate) fn report(&self) -> Option<&Report> {
        self.debugging.standing.as_ref()?.report.as_ref()
    }

    /// The picked cell or particle in words, and every write to it in the frame.
    pub(crate) fn picked_history(&self) -> Option<(&str, &[WriteEvent])> {
        self.debugging.standing.as_ref()?.picked.as_ref().map(|(_, name, events)| (name.as_str(), events.as_slice()))
    }

    /// The middle of the picked cell \[m\], where it is one of a domain.
    pub(crate) fn picked_cell(&self, domain: Option<DomainId>) -> Option<[f64; 3]> {
        let standing = self.debugging.standing.as_ref()?;
        let (place @ ElementPlace::Cell(of, _), ..) = standing.picked.as_ref()? else { return None };
        let middle = place.center(standing.debugger.simulation().plan()).filter(|_| Some(*of) == domain)?;
        let mut at = [0.0; 3];
        at.iter_mut().zip(middle).for_each(|(to, from)| *to = from);
        Some(at)
    }

    /// Whether a frame is stood in, or about to be.
    pub(crate) fn is_debugging(&self) -> bool {
        self.debugging.standing.is_some() || self.is_entering_frame()
    }

    /// Whether a plan that can stop inside a frame is being compiled, or waits for a frame that is being computed.
    pub(crate) fn is_entering_frame(&self) -> bool {
        self.debugging.preparing.is_some() || self.debugging.wish.is_some()
    }

    /// The frame in which NaN is being searched, counted from 1.
    pub(crate) fn searched_frame(&self) -> Option<u64> {
        Some(self.debugging.searched.load(Ordering::Relaxed)).filter(|frame| *frame > 0 && self.is_entering_frame())
    }

    /// The node whose dispatch is next, while a frame is stood in.
    pub(crate) fn next_node(&self) -> Option<&str> {
        self.debugger()?.next().map(|(_, dispatch)| dispatch.node.as_str())
    }

    /// A sentence for the user, once.
    pub(crate) fn take_debug_message(&mut self) -> Option<String> {
        self.debugging.message.take()
    }

    /// Conditions that stop the run, without breakpoints.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.debugging.conditions.list().iter().filter(|condition| !matches!(condition, Condition::Node(_)))
    }

    /// Nodes that the run stops at, by their paths.
    pub(crate) fn breakpoints(&self) -> &BTreeSet<String> {
        &self.debugging.breakpoints
    }

    /// Adds a condition that stops the run.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub(crate) fn add_condition(&mut self, text: &str) -> Result<(), String> {
        let graph = self.graph().map_err(|problems| problems.to_string())?;
        let condition = Condition::parse(text, &self.document, &graph).map_err(|problem| problem.to_string())?;
        if !self.conditions().any(|other| *other == condition) {
            let list = self.conditions().cloned().chain([condition]).collect();
            self.set_conditions(list);
        }
        Ok(())
    }

    /// Removes a condition.
    pub(crate) fn remove_condition(&mut self, condition: &Condition) {
        let list = self.conditions().filter(|other| *other != condition).cloned().collect();
        self.set_conditions(list);
    }

    /// Sets or removes the breakpoint on a node.
    pub(crate) fn toggle_breakpoint(&mut self, node: &str) {
        if !self.debugging.breakpoints.remove(node) {
            self.debugging.breakpoints.insert(node.to_string());
        }
        let list = self.conditions().cloned().collect();
        self.set_conditions(list);
    }

    /// What stops the run, to be kept.
    pub(crate) fn stops(&self) -> Stops {
        let conditions = self.conditions().map(Condition::text).chain(self.debugging.waiting.iter().cloned());
        Stops { conditions: conditions.collect(), breakpoints: self.debugging.breakpoints.clone() }
    }

    /// Sets what stops the run. Conditions of what the graph does not have, or not yet, wait for it.
    pub(crate) fn set_stops(&mut self, stops: Stops) {
        (self.debugging.breakpoints, self.debugging.waiting) = (stops.breakpoints, stops.conditions);
        if !self.take_waiting() && !self.debugging.breakpoints.is_empty() {
            self.set_conditions(Vec::new());
        }
    }

    /// Sets conditions that were waiting for the graph. Returns whether there are any.
    pub(super) fn take_waiting(&mut self) -> bool {
        if self.debugging.waiting.is_empty() {
            return false;
        }
        let Ok(graph) = self.graph() else { return false };
        let (mut list, mut waiting): (Vec<Condition>, Vec<String>) = (self.conditions().cloned().collect(), Vec::new());
        let before = list.len();
        for text in std::mem::take(&mut self.debugging.waiting) {
            match Condition::parse(&text, &self.document, &graph) {
                Ok(condition) => list.push(condition),
                Err(_) => waiting.push(text),
            }
        }
        self.debugging.waiting = waiting;
        let some = list.len() > before;
        if some {
            self.set_conditions(list);
        }
        some
    }

    fn set_conditions(&mut self, mut list: Vec<Condition>) {
        list.extend(self.debugging.breakpoints.iter().cloned().map(Condition::Node));
        self.debugging.conditions = Conditions::new(list);
        let wires = self.views.wires.clone();
        let thumbnails = self.views.thumbnail_scope.is_some();
        self.look_at(wires, thumbnails);
    }

    /// The wires that the running plan keeps for conditions.
    pub(super) fn condition_wires(&self) -> impl Iterator<Item = String> + '_ {
        self.debugging.conditions.list().iter().flat_map(Condition::keep)
    }

    /// Forgets conditions of another document.
    pub(super) fn clear_debugging(&mut self) {
        self.debugging = Debugging::default();
    }

    /// On another device, conditions and breakpoints stay.
    pub(super) fn restart_debugging(&mut self) {
        let Debugging { conditions, breakpoints, waiting, .. } = std::mem::take(&mut self.debugging);
        let conditions = Conditions::new(conditions.list().to_vec());
        self.debugging = Debugging { conditions, breakpoints, waiting, ..Debugging::default() };
    }

    /// Called when another plan runs.
    pub(super) fn renew_conditions(&mut self) {
        self.debugging.conditions.forget();
        self.take_waiting();
    }

    /// To be called before a frame. Returns whether the run stops in front of it.
    pub(crate) fn stops_before(&mut self, input: &FrameInput) -> bool {
        let Some(simulation) = &self.simulation else { return false };
        let Some(fired) = self.debugging.conditions.before(simulation, input) else { return false };
        self.prepare(Goal::Fired(Box::new(fired)));
        true
    }

    /// To be called when that frame was computed. Returns whether the run stops.
    pub(crate) fn stops_after(&mut self, input: &FrameInput) -> bool {
        let Some(simulation) = &mut self.simulation else { return false };
        match self.debugging.conditions.after(simulation, input) {
            Ok(None) => false,
            Ok(Some(fired)) => {
                self.prepare(Goal::Fired(Box::new(fired)));
                true
            }
            Err(problems) => {
                self.debugging.message = Some(problems.to_string());
                true
            }
        }
    }

    /// Stands at the start of the next frame, or in front of a node in it.
    pub(crate) fn enter_frame(&mut self, node: Option<String>) {
        self.debugging.wish = Some(Wish::Enter(node));
        self.grant();
    }

    /// Begins what the user has asked for, once no frame is under way.
    pub(super) fn grant(&mut self) {
        let Some(simulation) = &mut self.simulation else {
            self.debugging.wish = None;
            return;
        };
        if simulation.progress().is_some() {
            return;
        }
        match self.debugging.wish.take() {
            Some(Wish::Enter(node)) => {
                let start = FrameStart::new(simulation, &simulation.next_input());
                self.prepare(Goal::Start(Box::new(start), node));
            }
            Some(Wish::FirstNan) => {
                let search = NanSearch::new(simulation, self.debugging.bad.clone());
                self.debugging.standing = None;
                self.prepare(Goal::FirstNan(Box::new(search)));
            }
            None => {}
        }
    }

    /// Goes to where a run stopped, in the frame after the checkpoint that the simulation has started from.
    pub(super) fn enter_stop(&mut self, stop: &Stop) {
        let Some(simulation) = &self.simulation else { return };
        let start = FrameStart::new(simulation, &stop.input);
        self.prepare(Goal::Stopped(Box::new(start), Box::new(stop.report.clone())));
    }

    /// Whether a frame has been computed.
    pub(crate) fn is_computed(&self) -> bool {
        self.simulation.as_ref().is_some_and(|simulation| simulation.frame() > 0)
    }

    /// Whether NaN or infinity was found, whose beginning can be searched for.
    pub(crate) fn has_bad_values(&self) -> bool {
        self.debugging.bad.is_some()
    }

    /// Searches for the first NaN in all frames that can be computed again.
    pub(crate) fn find_first_nan(&mut self) {
        self.debugging.wish = Some(Wish::FirstNan);
        self.grant();
    }

    fn graph(&self) -> Result<Graph, Problems> {
        partial::build_needed(&self.document, |document| Graph::build(document, self.library())).map(|(graph, _)| graph)
    }

    /// Compiles a plan that can stop inside a frame.
    pub(super) fn plain_plan(&self) -> impl Fn() -> Result<Plan, Problems> + Send + use<> {
        let document = self.document.clone();
        let library = self.library().clone();
        let gpu = self.gpu.clone();
        let access = self.access();
        move || {
            let options = PlanOptions {
                folder: access.folder.clone(),
                allow_files: access.anywhere,
                memory_budget: gpu.memory_budget(),
                ..PlanOptions::default()
            };
            let build = |document: &crate::document::Document| Graph::build(document, &library);
            let (graph, _) = partial::build_needed(&document, build)?;
            let played = playing(&graph, &access).played();
            Plan::compile(&graph, &FrameDebugger::options(&PlanOptions { played, ..options }))
        }
    }

    /// Compiles a plan that can stop inside a frame, and goes there, on a thread of its own.
    fn prepare(&mut self, goal: Goal) {
        let gpu = self.gpu.clone();
        let wake = self.wake.clone();
        let plan = self.plain_plan();
        let searched = matches!(goal, Goal::FirstNan(..));
        let (left, frame): (Arc<AtomicBool>, Arc<AtomicU64>) = Default::default();
        // A thread that still prepares something else ends.
        std::mem::replace(&mut self.debugging.left, left.clone()).store(true, Ordering::Relaxed);
        self.debugging.searched = frame.clone();
        let work = move || {
            let found = match goal {
                Goal::Start(start, node) => {
                    let debugger = plan().and_then(|plan| FrameDebugger::new(&gpu, plan, &start));
                    debugger.and_then(|mut debugger| {
                        if let Some(node) = node {
                            debugger.run_to(&node)?;
                        }
                        Ok(Some((debugger, None)))
                    })
                }
                Goal::Fired(fired) => {
                    let report = plan().and_then(|plan| fired.report(&gpu, plan));
                    report.map(|(debugger, report)| Some((debugger, Some(report))))
                }
                Goal::Stopped(start, mut report) => {
                    let debugger = plan().and_then(|plan| FrameDebugger::new(&gpu, plan, &start));
                    debugger.and_then(|mut debugger| {
                        report.enter(&mut debugger)?;
                        Ok(Some((debugger, Some(*report))))
                    })
                }
                Goal::FirstNan(search) => {
                    let go_on = |at| {
                        frame.store(at, Ordering::Relaxed);
                        !left.load(Ordering::Relaxed)
                    };
                    let first = plan().and_then(|plan| search.run(&gpu, plan, go_on));
                    first.map(|found| found.map(|(debugger, report)| (debugger, Some(report))))
                }
            };
            (found, searched)
        };
        self.debugging.preparing = Some(answer("debugger", move || wake(), work));
    }

    /// Takes over the debugger that a thread has prepared.
    pub(super) fn take_debugger(&mut self) {
        let Some(preparing) = &self.debugging.preparing else { return };
        let (found, searched) = match preparing.try_recv() {
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => {
                let crashed = Problem::new("", "", "the frame debugger could not be prepared", "try again");
                (Err(crashed.into()), false)
            }
            Ok(prepared) => prepared,
        };
        self.debugging.preparing = None;
        match found {
            Ok(Some((debugger, report))) => {
                let picked = report.as_ref().and_then(Report::place);
                if report.as_ref().is_some_and(|report| !report.fits(&debugger)) {
                    self.debugging.message = Some(OTHER.into());
                }
                self.debugging.standing = Some(Standing { debugger, report, picked: None });
                self.changes.plans += 1;
                if let Some(place) = picked {
                    self.pick(place);
                }
            }
            Ok(None) if searched => {
                let text = "The frames that can be computed again have no NaN or infinity in a State. Go to a frame that shows it, or reset the simulation and add the condition `nan`.";
                self.debugging.message = Some(text.into());
            }
            Ok(None) => {}
            Err(problems) => self.debugging.message = Some(problems.to_string()),
        }
    }

    /// Continues inside the frame.
    pub(crate) fn step_in_frame(&mut self, step: FrameStep) {
        self.in_frame(|debugger| match step {
            FrameStep::Dispatch => debugger.step_dispatch().map(drop),
            FrameStep::Node => debugger.step_node().map(drop),
            FrameStep::Iteration => debugger.step_iteration().map(drop),
            FrameStep::Back => debugger.step_back().map(drop),
        });
    }

    /// Goes to where so many dispatches have run.
    pub(crate) fn seek_in_frame(&mut self, position: usize) {
        self.in_frame(|debugger| debugger.seek(position));
    }

    /// Goes in front of a node's next dispatch, or of its first one where it has run already.
    pub(crate) fn run_to_node(&mut self, node: &str) {
        let mut missing = false;
        self.in_frame(|debugger| {
            match debugger.first_of(node, debugger.position() + 1).or(debugger.first_of(node, 0)) {
                Some(at) => debugger.seek(at),
                None => {
                    missing = true;
                    Ok(())
                }
            }
        });
        if missing {
            self.debugging.message = Some(format!("{node} has no dispatch in this frame"));
        }
    }

    fn in_frame(&mut self, go: impl FnOnce(&mut FrameDebugger) -> Result<(), Problems>) {
        let Some(standing) = &mut self.debugging.standing else { return };
        if let Err(problems) = go(&mut standing.debugger) {
            self.debugging.message = Some(problems.to_string());
        }
    }

    /// Shows the history of an element of a wire: a cell, or else what is at this index.
    pub(crate) fn pick_element(&mut self, wire: &str, cell: Option<[u32; 3]>, index: u64) {
        let Some(standing) = &self.debugging.standing else { return };
        let plan = standing.debugger.simulation().plan();
        let plan_wire = plan.wires.get(wire).or_else(|| plan.wires.get(&format!("{wire}.position")));
        let Some(plan_wire) = plan_wire else { return };
        let place = match (cell, plan_wire.domain) {
            (Some(cell), Some(domain)) => ElementPlace::Cell(domain, cell),
            _ => ElementPlace::from_index(plan, plan_wire, index),
        };
        self.pick(place);
    }

    fn pick(&mut self, place: ElementPlace) {
        let Some(standing) = &mut self.debugging.standing else { return };
        let name = place.describe(standing.debugger.simulation().plan());
        match standing.debugger.history(place) {
            Ok(events) => standing.picked = Some((place, name, events)),
            Err(problems) => self.debugging.message = Some(problems.to_string()),
        }
    }

    /// Leaves the frame: the simulation continues from where it was.
    pub(crate) fn leave_frame(&mut self) {
        (self.debugging.wish, self.debugging.preparing) = (None, None);
        self.debugging.left.store(true, Ordering::Relaxed);
        if let Some(left) = self.debugging.standing.take() {
            self.debugging.conditions.pass(left.debugger.frame());
            self.changes.plans += 1;
        }
        if std::mem::take(&mut self.debugging.waits) {
            self.compile();
        }
    }

    /// The simulation that runs, also while a frame is stood in.
    pub(crate) fn timed_simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// Whether anything may stop the run, so that each frame is checked.
    pub(crate) fn may_stop(&self) -> bool {
        !self.debugging.conditions.is_empty()
    }

    /// The simulation that panes show: that of the frame that is stood in, or the running one.
    pub(crate) fn running_simulation(&self) -> Option<&Simulation> {
        self.debugger().map(FrameDebugger::simulation).or(self.simulation.as_ref())
    }
}
