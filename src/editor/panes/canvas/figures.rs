//! Measurements and problems of each node of the open level.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::Scope;
use crate::gpu::{NodeTime, Recent};
use crate::model::session::Session;
use crate::panes::plan_pane;
use crate::plan::{Dispatch, Plan};
use crate::problem::Severity;

/// Figures of nodes, updated as rarely as possible.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Nodes that run in no frame, for this plan and level.
    pub invariant: BTreeSet<String>,
    /// Nodes that are computed by the dispatches of another node, and which node that is.
    pub joined: BTreeMap<String, String>,
    /// Nodes that run over each domain.
    pub on: BTreeMap<String, BTreeSet<String>>,
    of: Option<(u64, Scope)>,
    /// GPU time \[ms\], and share of the frame: the median of the last frames, so that a single slow frame does not show.
    pub spent: BTreeMap<String, f64>,
    pub heat: BTreeMap<String, f32>,
    /// The shares are shown.
    hot: bool,
    read: f64,
}

impl Figures {
    /// Brings them up to date at `now` \[s\].
    pub(super) fn update(&mut self, session: &mut Session, heat: bool, now: f64) {
        let of = (session.plans(), session.scope().clone());
        let new = self.of.as_ref() != Some(&of);
        if new {
            if self.of.as_ref().is_none_or(|(_, scope)| *scope != of.1) {
                self.spent.clear();
            }
            let plan = session.running_simulation().map(|simulation| simulation.plan());
            self.invariant = plan.map(|plan| resting(session, plan)).unwrap_or_default();
            self.joined = plan.map(|plan| joined(&plan.frame, &|path| session.here(path))).unwrap_or_default();
            self.on = plan.map(|plan| over(session, plan)).unwrap_or_default();
            self.of = Some(of);
        }
        let turned = std::mem::replace(&mut self.hot, heat) != heat;
        if turned {
            self.heat.clear();
        }
        if new || turned || !(0.0..plan_pane::RENEW).contains(&(now - self.read)) {
            self.read = now;
            let times = session.simulation().and_then(|simulation| {
                let nodes = simulation.times(false)?.to_vec();
                Some(medians(&nodes, simulation.node_times()?))
            });
            // Old values stay until there are newer ones.
            let Some(times) = times.filter(|times| !times.is_empty()) else { return };
            self.spent.clear();
            for time in &times {
                if let Some(node) = session.here(&time.node) {
                    *self.spent.entry(node.to_string()).or_default() += time.ms;
                }
            }
            if heat {
                self.heat = plan_pane::heat(&times, |path| session.here(path));
            }
        }
    }
}

/// The median of each node's times over the last frames.
fn medians(nodes: &[NodeTime], recent: &Recent) -> Vec<NodeTime> {
    let frames = recent.frames();
    let rows: Vec<&[f32]> =
        (0..frames).rev().map(|frame| recent.row(frame)).take_while(|row| !row.is_empty()).collect();
    let median = |column: usize| {
        let mut times: Vec<f32> = rows.iter().filter_map(|row| row.get(column).copied()).collect();
        times.sort_by(f32::total_cmp);
        times.get(times.len() / 2).map(|ms| f64::from(*ms))
    };
    let named = nodes.iter().enumerate();
    named.filter_map(|(column, node)| Some(NodeTime { node: node.node.clone(), ms: median(column)? })).collect()
}

/// The highest severity among the problems of each node and of the nodes inside it.
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

/// Nodes that run in no frame.
fn resting(session: &Session, plan: &Plan) -> BTreeSet<String> {
    let here = |dispatches: &[Dispatch]| -> BTreeSet<String> {
        dispatches.iter().flat_map(Dispatch::nodes).filter_map(|path| session.here(path)).map(String::from).collect()
    };
    here(&plan.invariant).difference(&here(&plan.frame)).cloned().collect()
}

/// Nodes with a grid or particles on each domain of the open level.
fn over(session: &Session, plan: &Plan) -> BTreeMap<String, BTreeSet<String>> {
    let mut over = BTreeMap::<String, BTreeSet<String>>::new();
    for (path, wire) in &plan.wires {
        let domain = wire.domain.or(wire.space).and_then(|domain| session.here(&plan.domains[domain].name));
        let node = path.rsplit_once('.').and_then(|(node, _)| session.here(node));
        if let (Some(domain), Some(node)) = (domain, node) {
            over.entry(domain.to_string()).or_default().insert(node.to_string());
        }
    }
    over
}

/// Nodes that no dispatch is named after, each with the node whose dispatches compute it. `here` maps a path to the node of the open level
/// that it belongs to; of a node elsewhere, the last name of its path is given.
fn joined<'p>(dispatches: &'p [Dispatch], here: &dyn Fn(&'p str) -> Option<&'p str>) -> BTreeMap<String, String> {
    let named: BTreeSet<&str> = dispatches.iter().filter_map(|d| here(&d.node)).collect();
    let mut joined = BTreeMap::new();
    for dispatch in dispatches {
        let host = || here(&dispatch.node).or(dispatch.node.rsplit('/').next()).unwrap_or_default();
        for node in dispatch.with.iter().filter_map(|path| here(path)).filter(|node| !named.contains(node)) {
            joined.entry(node.to_string()).or_insert_with(|| host().to_string());
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{KernelId, Over};

    #[test]
    fn a_node_without_dispatches_tells_who_does_its_work() {
        let dispatch = |node: &str, with: &[&str]| Dispatch {
            kernel: KernelId::new(0),
            node: node.into(),
            part: String::new(),
            with: with.iter().map(|w| (*w).to_string()).collect(),
            buffers: Vec::new(),
            over: Over::Once,
            shape: None,
            groups: [1; 3],
            indirect: None,
            uniform: 0,
        };
        let frame = [
            dispatch("advect", &["solve/project", "fade"]),
            dispatch("solve/sweep", &["force"]),
            dispatch("fade", &[]),
        ];
        let joined_by =
            |here: &dyn Fn(&'static str) -> Option<&'static str>| joined(Box::leak(Box::new(frame.clone())), here);
        // The group has dispatches of its own, and so has `fade`.
        let outer = joined_by(&|path| path.split('/').next());
        assert_eq!(outer, BTreeMap::from([("force".into(), "solve".into())]));
        let inner = joined_by(&|path| path.strip_prefix("solve/"));
        assert_eq!(inner, BTreeMap::from([("project".into(), "advect".into())]));
    }

    #[test]
    fn a_late_frame_changes_no_figure() {
        let mut recent = Recent::new(2);
        let node = |name: &str, ms| NodeTime { node: name.into(), ms };
        let nodes = [node("a", 0.0), node("b", 0.0)];
        assert!(medians(&nodes, &recent).is_empty(), "nothing was measured");
        (0..20).for_each(|_| recent.push([1.0, 2.0].into_iter()));
        recent.push([50.0, 70.0].into_iter());
        assert_eq!(medians(&nodes, &recent), [node("a", 1.0), node("b", 2.0)]);
        (0..20).for_each(|_| recent.push([3.0, 2.0].into_iter()));
        assert_eq!(medians(&nodes, &recent), [node("a", 3.0), node("b", 2.0)], "what lasts is seen");
    }
}
