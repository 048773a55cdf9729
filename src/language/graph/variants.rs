//! Variants of a document: what is left out of nodes whose stage one replaces, and the check of all that are not chosen.

use std::borrow::Cow;

use super::ports::{group_of, stage_of};
use super::{Graph, takes_where};
use crate::document::{Document, Node, Nodes, WHERE};
use crate::library::Library;
use crate::problem::{Problem, Problems, Severity};

/// The nodes of a document as [`fitted`] leaves them.
pub(super) fn nodes<'d>(document: &'d Document, library: &Library) -> Cow<'d, Nodes> {
    fitted(document, library).map_or(Cow::Borrowed(&document.nodes), |fitted| Cow::Owned(fitted.nodes))
}

/// The document without what only the default's stages have: wires and values of nodes whose stage the chosen variant replaces.
/// What the variant itself sets stays. `None` where it replaces no stage.
pub fn fitted(document: &Document, library: &Library) -> Option<Document> {
    let variant = document.variant.as_ref().and_then(|name| document.variants.get(name));
    let variant = variant.filter(|variant| !variant.stages.is_empty())?;
    let mut fitted = document.clone();
    for path in variant.stages.keys() {
        let Some(node) = fitted.node_mut(path) else { continue };
        let Some(port_names) = names(node, library) else { continue };
        let confined = takes_where(node, library);
        let has = |name: &String| port_names.contains(name) || (name == WHERE && confined);
        node.params.retain(|name, _| has(name) || variant.set.contains_key(&format!("{path}.{name}")));
        node.inputs.retain(|name, _| has(name) || variant.inputs.contains_key(&format!("{path}.{name}")));
    }
    Some(fitted)
}

/// The inputs and parameters of a stage or a group; `None` where they are not known.
fn names(node: &Node, library: &Library) -> Option<Vec<String>> {
    if let Some(stage) = stage_of(node, library) {
        let inputs = stage.inputs().map(|port| port.name.clone());
        return Some(inputs.chain(stage.header.params.iter().map(|param| param.name.clone())).collect());
    }
    let group = group_of(node, library)?;
    Some(group.inputs.keys().chain(group.params.keys()).cloned().collect())
}

/// What keeps the variants of a document from running: errors that the default does not have. Each names its variant. The chosen one is left out, since the graph itself reports its errors.
pub fn check(document: &Document, library: &Library) -> Problems {
    check_with(document, &mut |document| Graph::build(document, library).err().unwrap_or_default())
}

/// What keeps the variants of a document from running, where `check` finds the problems of a document.
pub fn check_with(document: &Document, check: &mut dyn FnMut(&Document) -> Problems) -> Problems {
    let mut errors = |document: &Document| -> Vec<Problem> {
        check(document).0.into_iter().filter(|problem| problem.severity == Severity::Error).collect()
    };
    let mut found = Problems::default();
    let plain = document.with_variant(None).unwrap_or_else(|_| document.clone());
    let mut plain_errors: Option<Vec<Problem>> = None;
    if document.variant.is_some() {
        let first_errors = errors(&plain);
        let named = |p: &Problem| Problem {
            cause: format!("without a variant: {}", p.cause),
            place: None,
            file: String::new(),
            ..p.clone()
        };
        first_errors.iter().map(named).for_each(|problem| found.push(problem));
        plain_errors = Some(first_errors);
    }
    for name in plain.variant_names().filter(|name| document.variant.as_deref() != Some(*name)) {
        let varied = match plain.with_variant(Some(name)) {
            Ok(varied) => varied,
            Err(problems) => {
                problems.0.into_iter().for_each(|problem| found.push(problem));
                continue;
            }
        };
        let varied_errors = errors(&varied);
        if varied_errors.is_empty() {
            continue;
        }
        let plain_errors = plain_errors.get_or_insert_with(|| errors(&plain));
        for problem in varied_errors.into_iter().filter(|problem| !plain_errors.contains(problem)) {
            // A place in the text of a stage is that of the variant's stage, which is not on show.
            let cause = format!("variant `{name}`: {}", problem.cause);
            found.push(Problem { cause, place: None, file: String::new(), ..problem });
        }
    }
    found
}
