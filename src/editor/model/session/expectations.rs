//! Expectations while the graph runs: checked when their frames are computed, without waiting for the GPU.

use super::Session;
use crate::document::Document;
use crate::graph::expect::Expectation;
use crate::problem::Problem;
use crate::sim::expect::{Checker, Verdict};

impl Session {
    /// Results of the graph's expectations.
    pub(crate) fn checks(&self) -> &Checker {
        &self.checks
    }

    /// An edit of expectations alone, as one undo step; the simulation is not affected.
    pub(crate) fn edit_expectations(&mut self, change: impl FnOnce(&mut Document)) {
        self.end_gesture();
        self.arrange("expectation", change);
        self.end_gesture();
        self.compile();
    }

    /// Takes over the expectations of a plan that starts to run.
    pub(super) fn renew_checks(&mut self, expectations: Vec<Result<Expectation, Problem>>) {
        self.checks.replace(expectations);
        let goes_on = self.simulation.as_ref().is_some_and(|simulation| simulation.frame() > 0);
        match (std::mem::take(&mut self.changes.pending), goes_on) {
            (_, false) => self.checks.restart(),
            (true, true) => {
                self.checks.suspend();
                self.note_change();
            }
            (false, true) => {}
        }
    }

    /// Notes that a parameter was set while the graph runs.
    pub(super) fn stop_checks(&mut self) {
        self.note_change();
        if self.simulation.as_ref().is_some_and(|simulation| simulation.frame() > 0) {
            self.checks.suspend();
        }
    }

    /// Requests the values that are expected after the frame that was just computed.
    pub(crate) fn check_frame(&mut self) {
        if let Some(simulation) = &self.simulation {
            self.checks.after_step(simulation);
        }
    }

    /// Collects values that have arrived, and reports failed expectations as problems. Returns whether more are to arrive.
    pub(crate) fn collect_checks(&mut self) -> bool {
        self.checks.collect(false);
        for (index, outcome) in self.checks.take_news() {
            let (Verdict::Failed(why), Some(Ok(expectation))) =
                (&outcome.verdict, self.checks.expectations().get(index))
            else {
                continue;
            };
            let found = if outcome.found.is_empty() { String::new() } else { format!(": {}", outcome.found) };
            let cause = format!("expectation failed at frame {}: {}{found}; {why}", outcome.frame, expectation.claim());
            let remedy = "correct the graph, or change the expectation";
            self.problems.running.push(Problem::new(&expectation.node, "", cause, remedy).warning());
        }
        self.checks.waiting()
    }
}
