//! Silent errors: States that an edit did not restart, and NaN or infinity in States.

use std::sync::Arc;

use super::Session;
use super::run_state::Starts;
use crate::background::answer;
use crate::bake::playing;
use crate::document::{Document, NodeKind, Nodes};
use crate::files::Access;
use crate::graph::Graph;
use crate::plan::{Keep, Plan, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::sim::nan_watch::BadValues;

/// Frames between two checks of the States.
pub(super) const EVERY: u64 = 32;

/// The `init` wires of all States of a document.
pub(super) fn starts(document: &Document) -> Starts {
    let mut starts = Starts::new();
    collect(&document.nodes, "", &mut starts);
    starts
}

fn collect(nodes: &Nodes, level: &str, starts: &mut Starts) {
    for (name, node) in nodes {
        let path = format!("{level}{name}");
        match &node.kind {
            NodeKind::State(_) => drop(starts.insert(path, node.inputs.get("init").cloned())),
            NodeKind::Group(group) => collect(&group.nodes, &format!("{path}/"), starts),
            _ => {}
        }
    }
}

impl Session {
    /// After a plan was replaced: States that started from another `init` than the document has now. New States have just started.
    pub(super) fn not_started(&mut self) -> Problems {
        let now = starts(&self.document);
        self.states.begun.retain(|path, _| now.contains_key(path));
        let mut problems = Problems::default();
        for (path, start) in now {
            if *self.states.begun.entry(path.clone()).or_insert_with(|| start.clone()) == start {
                continue;
            }
            let cause = "the new initial value takes effect at the next reset; until then the State keeps its values";
            problems.push(Problem::new(&path, "init", cause, "reset the simulation").warning());
        }
        problems
    }

    /// Searches for the node where NaN or infinity began, on a thread of its own.
    pub(crate) fn trace(&mut self, bad: BadValues) {
        let document = self.document.clone();
        let library = self.library().clone();
        let gpu = self.gpu.clone();
        let (access, wake) = (self.access(), self.wake.clone());
        let work = move || {
            let (folder, allow_files) = (access.folder, access.anywhere);
            let memory_budget = gpu.memory_budget();
            let access = Access::new(&folder, allow_files);
            let options = PlanOptions { keep: Keep::All, folder, allow_files, memory_budget, ..PlanOptions::default() };
            let plan = Graph::build(&document, &library).and_then(|graph| {
                let played = playing(&graph, &access).played();
                Plan::compile(&graph, &PlanOptions { played, ..options })
            });
            let origin = plan.and_then(|plan| bad.origin(&gpu, plan)).ok().flatten();
            let problem = bad.problem(origin.as_ref());
            (problem, bad, origin.map(|origin| !origin.older))
        };
        self.states.traced = Some(answer("trace", move || wake(), work));
    }

    pub(super) fn take_trace(&mut self) {
        if let Some((problem, bad, exact)) = self.states.traced.as_ref().and_then(|answers| answers.try_recv().ok()) {
            self.states.traced = None;
            self.debugging.bad = Some(Arc::new(bad));
            let kept_origin = self.states.origin.take().filter(|_| exact == Some(false));
            self.states.origin = kept_origin.or(exact.unwrap_or(false).then(|| problem.clone()));
            self.problems.running.push(self.states.origin.clone().unwrap_or(problem));
        }
    }
}
