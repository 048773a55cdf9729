//! Remedies for problems, offered as buttons. Each remedy is tried on the graph before it is offered: it must fix its
//! problem and cause no new error.

mod values;
mod wires;

use std::collections::{BTreeMap, BTreeSet};

use super::signature::{self, NodeSignature};
use super::{InputEnd, OUT, Refusal};
use crate::document::{Document, Link, Node, NodeKind, Scope};
use crate::graph::Graph;
use crate::graph::ports::Ports;
use crate::library::Library;
use crate::problem::{Problem, Severity};

/// Limit of remedies for a problem; more would be hard to choose from.
const OFFERED: usize = 4;
/// Limit of attempts: each one resolves the graph's types.
const TRIED: usize = 16;

type Change = Box<dyn Fn(&mut Document, &Library) -> Result<(), Refusal>>;

/// A change of the document that fixes a problem.
pub struct Remedy {
    /// The text of its button.
    pub label: String,
    change: Change,
}

impl Remedy {
    /// # Errors
    /// Why the remedy does not apply any more, after the document has changed; nothing changes then.
    pub fn apply(&self, document: &mut Document, library: &Library) -> Result<(), Refusal> {
        let mut after = document.clone();
        (self.change)(&mut after, library)?;
        *document = after;
        Ok(())
    }
}

fn remedy(
    label: impl Into<String>,
    change: impl Fn(&mut Document, &Library) -> Result<(), Refusal> + 'static,
) -> Remedy {
    Remedy { label: label.into(), change: Box::new(change) }
}

/// A remedy that changes one node.
fn change_node(case: &Case<'_>, label: impl Into<String>, change: impl Fn(&mut Node) + 'static) -> Remedy {
    let (scope, name) = (case.scope.clone(), case.name.clone());
    remedy(label, move |document, _| {
        change(super::nodes::node_mut(document, &scope, &name)?);
        Ok(())
    })
}

/// Remedies for a problem of a document, the most likely first. Empty where the document does not have the problem, or
/// only the user can know the solution.
pub fn remedies(document: &Document, problem: &Problem, library: &Library) -> Vec<Remedy> {
    let before = problems(document, library);
    if !before.contains(problem) {
        return Vec::new();
    }
    let mends = |remedy: &Remedy| {
        let mut after = document.clone();
        remedy.apply(&mut after, library).is_ok() && better(problem, &before, &problems(&after, library))
    };
    let mut labels = BTreeSet::new();
    let new = |remedy: &Remedy| labels.insert(remedy.label.clone());
    candidates(document, problem, library).into_iter().take(TRIED).filter(mends).filter(new).take(OFFERED).collect()
}

fn problems(document: &Document, library: &Library) -> Vec<Problem> {
    match Graph::build(document, library) {
        Ok(graph) => graph.warnings.0,
        Err(problems) => problems.0,
    }
}

/// Whether a problem is gone and there are fewer errors. A node that becomes valid may report what it lacks.
fn better(problem: &Problem, before: &[Problem], after: &[Problem]) -> bool {
    let errors = |list: &[Problem]| list.iter().filter(|p| p.severity == Severity::Error).count();
    let new = after.iter().filter(|p| p.severity == Severity::Error && !before.contains(p));
    let understood = problem.port.is_empty() && !problem.node.is_empty();
    let worse = new.filter(|p| !(understood && p.node == problem.node && !p.port.is_empty())).count();
    let again = after.iter().any(|p| p.node == problem.node && p.port == problem.port && p.severity == Severity::Error);
    let fewer = match problem.severity {
        Severity::Error => !again && (worse == 0 || errors(after) < errors(before)),
        Severity::Warning => worse == 0,
    };
    fewer && !after.contains(problem)
}

fn candidates(document: &Document, problem: &Problem, library: &Library) -> Vec<Remedy> {
    if problem.node.is_empty() {
        return values::of_graph(document, library);
    }
    let mut found = Vec::new();
    if let Some(case) = Case::of(document, &problem.node, &problem.port, library) {
        found.extend(wires::candidates(&case));
        found.extend(values::candidates(&case));
    }
    // Problems of a group's outputs are reported at the group.
    let inside = Scope::parse(&problem.node);
    if let Some(group) = document.level(&inside).and_then(|level| level.group())
        && group.outputs.contains_key(&problem.port)
        && let Some(case) = Case::of(document, &inside.path(OUT), &problem.port, library)
    {
        found.extend(wires::candidates(&case));
    }
    found
}

/// The place of a problem in the document.
struct Case<'a> {
    document: &'a Document,
    library: &'a Library,
    scope: Scope,
    /// The node; `out` for an output of the group.
    name: String,
    port: &'a str,
    ports: Ports<'a>,
    signatures: BTreeMap<String, NodeSignature>,
}

impl<'a> Case<'a> {
    fn of(document: &'a Document, path: &str, port: &'a str, library: &'a Library) -> Option<Case<'a>> {
        let (scope, name) = place(document, path)?;
        let ports = Ports::of(document, &scope, library)?;
        let signatures = signature::of(&ports);
        Some(Case { document, library, scope, name, port, ports, signatures })
    }

    fn node(&self) -> Option<&'a Node> {
        self.ports.nodes().get(&self.name)
    }

    fn end(&self) -> InputEnd {
        InputEnd { node: self.name.clone(), port: self.port.to_string() }
    }

    fn source(&self) -> Option<&'a Link> {
        super::source(self.document.level(&self.scope)?, &self.end())
    }

    /// Domains that nodes of the level can use.
    fn domains(&self) -> Vec<&'a str> {
        let levels = (0..=self.scope.0.len()).map(|depth| Scope(self.scope.0.iter().take(depth).cloned().collect()));
        let nodes = levels.filter_map(|scope| self.document.level(&scope)).flat_map(|level| level.nodes());
        nodes.filter(|(_, node)| matches!(node.kind, NodeKind::Domain(_))).map(|(name, _)| name.as_str()).collect()
    }
}

/// The level of a node and its name there, which may contain a `/` by mistake.
fn place(document: &Document, path: &str) -> Option<(Scope, String)> {
    let mut scope = Scope::default();
    let mut rest = path;
    loop {
        let level = document.level(&scope)?;
        if level.nodes().contains_key(rest) || (rest == OUT && !scope.is_root()) {
            return Some((scope, rest.to_string()));
        }
        let (group, inner) = rest.split_once('/')?;
        scope = scope.inside(group);
        rest = inner;
    }
}
