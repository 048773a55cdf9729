//! Another graph as B: the running one with a node replaced, with another variant or as a snapshot, or a graph of another file. It
//! runs in lockstep.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui;

use super::build::{Build, Job};
use super::companion::Companion;
use super::measure::SOON;
use crate::document::{Document, Scope};
use crate::edit;
use crate::files::Access;
use crate::library::Library;
use crate::model::session::{Session, SnapshotSlot};
use crate::panes::variations::plain;
use crate::sim::Simulation;
use crate::sim::host_copy::CopySubject;
use crate::sim::wire_view::View;

/// How long no edit must come before the other graph is compiled again \[s\].
const QUIET: f64 = 0.3;

/// How the other graph comes about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// A node of the running graph has another stage.
    Replaced { scope: Scope, node: String, stage: String },
    /// Another variant of the running graph; the default when `None`.
    Variant(Option<String>),
    /// The running graph as it was stored.
    Snapshot(SnapshotSlot, Box<Document>),
    /// The graph of a file.
    File(PathBuf, Box<Document>),
}

impl Change {
    /// Describes the change in a few words.
    pub(super) fn title(&self) -> String {
        match self {
            Change::Replaced { scope, node, stage } => format!("{} as {stage}", scope.path(node)),
            Change::Variant(name) => format!("variant {}", name.as_deref().unwrap_or("Default")),
            Change::Snapshot(slot, _) => format!("snapshot {}", slot.name()),
            Change::File(path, _) => {
                path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// The other graph.
    ///
    /// # Errors
    /// Why the change does not apply to the graph any more, in one sentence.
    pub(super) fn apply(&self, document: &Document, library: &Library) -> Result<Document, String> {
        match self {
            Change::Replaced { scope, node, stage } => {
                let mut other = document.clone();
                edit::replace_stage(&mut other, scope, node, stage, library)?;
                Ok(other)
            }
            Change::Variant(name) => document.with_variant(name.as_deref()).map_err(|problems| problems.to_string()),
            Change::Snapshot(_, other) | Change::File(_, other) => Ok(Document::clone(other)),
        }
    }

    /// Whether the running graph can become it.
    pub(super) fn can_apply(&self) -> bool {
        !matches!(self, Change::File(..))
    }
}

/// The other graph and its simulation.
pub(super) struct Other {
    pub change: Change,
    /// What of it is compared; what is compared of the running graph when `None`.
    pub subject: Option<String>,
    /// The running graph, and what the change makes of it.
    made: Option<(Document, Arc<Document>)>,
    /// What the running simulation was compiled to keep.
    kept: Vec<String>,
    /// Since when another plan is wanted \[s\].
    since: Option<f64>,
    build: Option<Build>,
    companion: Option<Companion>,
    /// Why the other graph does not run.
    pub fault: Option<String>,
}

impl Other {
    pub(super) fn new(change: Change) -> Other {
        let (subject, made, kept, since, build, companion, fault) = Default::default();
        Other { change, subject, made, kept, since, build, companion, fault }
    }

    /// The other graph's simulation, once it is at the frame of the running one.
    pub(super) fn level(&self) -> Option<&Simulation> {
        self.companion.as_ref().filter(|companion| companion.is_level()).map(Companion::simulation)
    }

    /// Why both runs may differ by more than the change, in a sentence.
    pub(super) fn remark(&self, session: &Session) -> Option<String> {
        let carried = |simulation: &Simulation| simulation.timeline().and_then(|timeline| timeline.journal().carried());
        let here = session.running_simulation().and_then(carried);
        let there = self.simulation().and_then(carried);
        here.filter(|_| here != there).map(|frame| {
            format!("The running graph was edited at frame {frame} and kept its state, which B does not have. Reset the simulation for an equal start.")
        })
    }

    /// The other graph's simulation, whichever frame it is at.
    pub(super) fn simulation(&self) -> Option<&Simulation> {
        self.companion.as_ref().map(Companion::simulation)
    }

    /// Whether the running simulation should wait for it.
    pub(super) fn is_behind(&self) -> bool {
        self.companion.as_ref().is_some_and(|companion| !companion.is_level()) && self.fault.is_none()
    }

    /// The other graph as a document.
    pub(super) fn document(&self) -> Option<Document> {
        self.made.as_ref().filter(|_| self.fault.is_none()).map(|(_, other)| Document::clone(other))
    }

    /// Progress until there is something to compare, in words.
    pub(super) fn progress(&self, session: &Session) -> String {
        let there = session.running_simulation().map_or(0, Simulation::frame);
        match &self.companion {
            _ if self.build.is_some() || self.since.is_some() => "Compiling the other graph…".into(),
            Some(companion) => {
                let at = companion.simulation().frame();
                format!("The other graph is at frame {at} of {there}. Reset the simulation to begin with both at once.")
            }
            None => "Comparing…".into(),
        }
    }

    /// GPU time of its frames \[ms\].
    pub(super) fn ms(&mut self) -> Option<f64> {
        self.companion.as_mut().and_then(Companion::ms)
    }

    /// The running simulation has computed something.
    pub(super) fn refresh(&mut self) {
        self.companion.iter_mut().for_each(Companion::refresh);
    }

    /// Follows the edits of the running graph, and continues towards its frame. `live` is what is compared of it.
    pub(super) fn follow(&mut self, ctx: &egui::Context, session: &Session, live: &CopySubject) {
        let now = ctx.input(|input| input.time);
        self.make(session, live, now);
        self.compile(ctx, session, now);
        let Some(leader) = session.running_simulation() else { return };
        let Some((document, other)) = self.made.as_ref().filter(|_| leader.progress().is_none()) else { return };
        let Some(companion) = &mut self.companion else { return };
        let wake = {
            let ctx = ctx.clone();
            move || ctx.request_repaint()
        };
        if let Err(sentence) = companion.advance(leader, |path| is_shared(document, other, path), wake) {
            (self.companion, self.fault) = (None, Some(sentence));
        } else if !companion.is_level() {
            ctx.request_repaint_after(SOON);
        }
    }

    /// Notes what is to run.
    fn make(&mut self, session: &Session, live: &CopySubject, now: f64) {
        let wanted = self.subject.as_deref().unwrap_or(live.name());
        let keep = session.viewed().iter().cloned().chain([View::new(wanted).keep()]);
        let keep: Vec<String> = keep.collect();
        let same = self.made.as_ref().is_some_and(|(document, _)| document == session.document());
        if !same {
            match self.change.apply(session.document(), session.library()) {
                Ok(other) => {
                    let fresh = self.made.as_ref().is_none_or(|(_, before)| plain(before) != plain(&other));
                    self.since = if fresh { Some(now) } else { self.since };
                    self.made = Some((session.document().clone(), Arc::new(other)));
                    if fresh {
                        self.fault = None;
                    }
                }
                Err(sentence) => {
                    self.made = Some((session.document().clone(), Arc::default()));
                    (self.companion, self.build, self.since, self.fault) = (None, None, None, Some(sentence));
                }
            }
        }
        let missing = |wire: &String| !self.kept.contains(wire);
        if self.fault.is_none() && keep.iter().any(missing) {
            (self.kept, self.since) = (keep, Some(now));
        }
    }

    /// Compiles it, once no edit has come for a moment and the graph itself runs.
    fn compile(&mut self, ctx: &egui::Context, session: &Session, now: f64) {
        if let Some(built) = self.build.as_ref().and_then(Build::poll) {
            self.build = None;
            let started = built.and_then(|built| match &mut self.companion {
                Some(companion) => companion.replace(built),
                None => Companion::new(session.gpu(), built).map(|companion| self.companion = Some(companion)),
            });
            if let Err(sentence) = started {
                (self.companion, self.fault) = (None, Some(sentence));
            }
        }
        let Some(since) = self.since else { return };
        let quiet = QUIET - (now - since);
        if session.compiling() || quiet > 0.0 {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(quiet.clamp(0.02, QUIET)));
            return;
        }
        let (Some((_, other)), Some(running)) = (&self.made, session.running_simulation()) else { return };
        let access = match &self.change {
            Change::File(path, _) => Access::new(path.parent().unwrap_or(path), false),
            _ => session.access(),
        };
        let job = Job {
            gpu: session.gpu().clone(),
            library: session.library().clone(),
            access,
            document: Document::clone(other),
            keep: self.kept.clone(),
            free: session.gpu().memory_budget().bytes.saturating_sub(running.plan().memory),
        };
        let wake = ctx.clone();
        self.since = None;
        // The one before ends first.
        self.build = None;
        self.build = Some(Build::start(job, move || wake.request_repaint()));
    }
}

/// Whether a parameter follows that of the running graph: both have the same node, and the same groups around it.
fn is_shared(document: &Document, other: &Document, path: &str) -> bool {
    let node = path.rsplit_once('.').map_or(path, |(node, _)| node);
    let ends = node.match_indices('/').map(|(at, _)| at).chain([node.len()]);
    ends.map(|end| node.get(..end).unwrap_or(node)).all(|node| document.node(node) == other.node(node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{NodeKind, ParamValue};
    use stagewright_test_support::fixture::fluid;

    #[test]
    fn parameters_follow_where_both_graphs_have_the_same_node() {
        let document = fluid();
        let stage = "fluid/pressure_jacobi".to_string();
        let change = Change::Replaced { scope: Scope::default(), node: "pressure".into(), stage: stage.clone() };
        let mut other = change.apply(&document, Library::builtin()).unwrap();
        assert_eq!(other.node("pressure").unwrap().kind, NodeKind::Stage(stage));
        assert!(is_shared(&document, &other, "jet.radius") && !is_shared(&document, &other, "pressure.relaxation"));
        assert!(!is_shared(&document, &other, "pressure/inside.rate"), "it is inside a node that differs");
        other.set("jet", "radius", ParamValue::Number(0.7)).unwrap();
        assert!(!is_shared(&document, &other, "jet.radius"));
        let gone = Change::Replaced { scope: Scope::default(), node: "gone".into(), stage: "fluid/divergence".into() };
        assert!(gone.apply(&document, Library::builtin()).unwrap_err().contains("gone"));
    }
}
