//! What the running graph says of each node of the open level.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::plan_pane;
use crate::app::session::Session;
use crate::document::Scope;
use crate::plan::{Dispatch, Plan};
use crate::problem::Severity;

/// How often times are read \[s\]; nobody reads faster.
const PERIOD: f64 = 0.1;

/// Figures of nodes, found out as seldom as they have to be.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Nodes of which no frame runs a part, of this plan and level.
    pub still: BTreeSet<String>,
    of: Option<(u64, Scope)>,
    /// GPU time \[ms\], and share of the frame.
    pub spent: BTreeMap<String, f64>,
    pub heat: BTreeMap<String, f32>,
    read: f64,
}

impl Figures {
    /// Brings them up to date at `now` \[s\].
    pub fn update(&mut self, session: &mut Session, heat: bool, now: f64) {
        let of = (session.plans(), session.scope().clone());
        let new = self.of.as_ref() != Some(&of);
        if new {
            self.still = session.running_simulation().map(|s| resting(session, s.plan())).unwrap_or_default();
            self.of = Some(of);
        }
        if new || !(0.0..PERIOD).contains(&(now - self.read)) {
            self.read = now;
            let times = session.simulation().and_then(|s| s.times(false)).unwrap_or_default().to_vec();
            self.spent.clear();
            for time in &times {
                if let Some(node) = session.here(&time.node) {
                    *self.spent.entry(node.to_string()).or_default() += time.ms;
                }
            }
            let shares = |path| session.here(path);
            self.heat = if heat { plan_pane::heat(&times, shares) } else { BTreeMap::new() };
        }
    }
}

/// The worst that is said of each node, or of what is inside it.
pub(super) fn severities(session: &Session) -> BTreeMap<String, Severity> {
    let mut severities = BTreeMap::new();
    for problem in session.problems() {
        let Some(node) = session.here(&problem.node) else { continue };
        let worst = severities.entry(node.to_string()).or_insert(problem.severity);
        if problem.severity == Severity::Error {
            *worst = Severity::Error;
        }
    }
    severities
}

/// Nodes of which no frame runs a part.
fn resting(session: &Session, plan: &Plan) -> BTreeSet<String> {
    let here = |dispatches: &[Dispatch]| -> BTreeSet<String> {
        dispatches.iter().filter_map(|d| session.here(&d.node)).map(String::from).collect()
    };
    here(&plan.still).difference(&here(&plan.frame)).cloned().collect()
}
