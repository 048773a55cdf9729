//! Remedies for problems, offered as buttons. Each remedy is tried on the graph before it is offered: it must fix its
//! problem and cause no new error.

mod case;
mod change;
mod values;
mod wires;

use std::collections::BTreeSet;

use super::OUT;
use crate::document::{Document, Scope};
use crate::graph::Graph;
use crate::library::Library;
use crate::problem::{Problem, Severity};

use case::Case;
pub use change::Remedy;
use change::{change_node, remedy};

/// Limit of remedies for a problem; more would be hard to choose from.
const OFFERED: usize = 4;
/// Limit of attempts: each one resolves the graph's types.
const TRIED: usize = 16;

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
    if let Some(case) = Case::locate(document, &problem.node, &problem.port, library) {
        found.extend(wires::candidates(&case));
        found.extend(values::candidates(&case));
    }
    // Problems of a group's outputs are reported at the group.
    let inside = Scope::parse(&problem.node);
    if let Some(group) = document.level(&inside).and_then(|level| level.group())
        && group.outputs.contains_key(&problem.port)
        && let Some(case) = Case::locate(document, &inside.path(OUT), &problem.port, library)
    {
        found.extend(wires::candidates(&case));
    }
    found
}
