//! Variants of a document: what is left out of nodes whose stage one replaces, and the check of all that are not chosen.

use std::borrow::Cow;

use super::Graph;
use super::ports::{group_of, stage_of};
use crate::document::{Document, Node, Nodes};
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
        let Some(known) = names(node, library) else { continue };
        let has = |name: &String| known.contains(name);
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
    let mut found = Problems::default();
    let plain = document.with_variant(None).unwrap_or_else(|_| document.clone());
    let mut known: Option<Vec<Problem>> = None;
    if document.variant.is_some()
        && let Err(problems) = Graph::build(&plain, library)
    {
        let errors = problems.0.into_iter().filter(|p| p.severity == Severity::Error);
        errors.for_each(|p| found.push(Problem { cause: format!("without a variant: {}", p.cause), place: None, ..p }));
    }
    for name in plain.variant_names().filter(|name| document.variant.as_deref() != Some(*name)) {
        let varied = match plain.with_variant(Some(name)) {
            Ok(varied) => varied,
            Err(problems) => {
                problems.0.into_iter().for_each(|problem| found.push(problem));
                continue;
            }
        };
        let Err(problems) = Graph::build(&varied, library) else { continue };
        let known = known.get_or_insert_with(|| Graph::build(&plain, library).err().map_or_else(Vec::new, |p| p.0));
        for problem in problems.0.into_iter().filter(|p| p.severity == Severity::Error && !known.contains(p)) {
            // A place in the text of a stage is that of the variant's stage, which is not on show.
            let cause = format!("variant `{name}`: {}", problem.cause);
            found.push(Problem { cause, place: None, ..problem });
        }
    }
    found
}
