//! Sets nodes aside that have errors and that no image needs, so that the rest of a graph runs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, Group, Level, Link, Node, NodeKind, Nodes, Scope};
use crate::expr;
use crate::problem::{Problems, Severity};

/// Builds something from a document, or from what is left of it without the nodes that have errors and that no image needs.
/// Returns what was built, with the errors of the nodes that were set aside.
///
/// # Errors
/// All problems, if an image needs a node that has errors.
pub fn build_needed<T>(
    document: &Document,
    mut build: impl FnMut(&Document) -> Result<T, Problems>,
) -> Result<(T, Problems), Problems> {
    let mut rest = Cow::Borrowed(document);
    let mut errors = Problems::default();
    loop {
        match build(&rest) {
            Ok(built) => return Ok((built, errors)),
            Err(problems) => {
                let smaller = without(&rest, &problems);
                let found = problems.0.into_iter().filter(|p| smaller.is_none() || p.severity == Severity::Error);
                found.for_each(|problem| errors.push(problem));
                match smaller {
                    Some(smaller) => rest = Cow::Owned(smaller),
                    None => return Err(errors),
                }
            }
        }
    }
}

/// The document without the nodes that have these errors and what reads them; `None` if an image needs one of them, or if an
/// error concerns no single node.
fn without(document: &Document, problems: &Problems) -> Option<Document> {
    let errors = problems.0.iter().filter(|problem| problem.severity == Severity::Error);
    let paths: BTreeSet<&str> = errors.map(|problem| problem.node.as_str()).collect();
    let mut rest = document.clone();
    for path in paths {
        let (scope, name) = unneeded(document, path)?;
        remove(rest.level_mut(&scope)?.into_nodes(), &name);
    }
    Some(rest)
}

/// The outermost of a node and the groups around it that no image needs: its level and its name.
fn unneeded(document: &Document, path: &str) -> Option<(Scope, String)> {
    let mut scope = Scope::default();
    for name in path.split('/') {
        let level = document.level(&scope)?;
        if !level.nodes().contains_key(name) {
            // A node of a library group belongs to the group, which is needed.
            return None;
        }
        if !needed(level, document).contains(name) {
            return Some((scope, name.to_string()));
        }
        scope = scope.inside(name);
    }
    None
}

/// The nodes of a level that its images or outputs follow from, and those that something outside names.
fn needed<'a>(level: Level<'a>, document: &'a Document) -> BTreeSet<&'a str> {
    let nodes = level.nodes();
    let mut open: Vec<&str> = match level {
        Level::Document(_) => {
            let output = |(name, node): (&'a String, &'a Node)| {
                matches!(node.kind, NodeKind::Output(_)).then_some(name.as_str())
            };
            let expected = document.expect.iter().map(|expect| first_name(&expect.of));
            // Nodes need not name the only domain.
            let mut domains = nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::Domain(_)));
            let only = domains.next().filter(|_| domains.next().is_none()).map(|(name, _)| name.as_str());
            nodes.iter().filter_map(output).chain(expected).chain(only).collect()
        }
        Level::Group(Group { outputs, params, .. }) => {
            outputs.values().chain(params.values().flatten()).map(|link| link.node.as_str()).collect()
        }
    };
    let mut needed = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some((name, node)) = nodes.get_key_value(name) else { continue };
        if needed.insert(name.as_str()) {
            open.extend(reads(node));
        }
    }
    needed
}

/// The name of the node at the start of `group/node.port`.
fn first_name(wire: &str) -> &str {
    wire.split(['/', '.']).next().unwrap_or(wire)
}

/// Names of the nodes that a node reads: wires, numbers in expressions, its domain.
fn reads(node: &Node) -> impl Iterator<Item = &str> {
    let wires = node.inputs.values().map(|Link { node, .. }| node.as_str());
    let numbers = node.values().flat_map(|value| value.expression().map(expr::names).unwrap_or_default());
    wires.chain(numbers).chain(node.on.as_deref())
}

/// Removes a node and all that reads it.
fn remove(nodes: &mut Nodes, name: &str) {
    let mut readers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (reader, node) in nodes.iter() {
        reads(node).for_each(|read| readers.entry(read.to_string()).or_default().push(reader.clone()));
    }
    let mut open = vec![name.to_string()];
    while let Some(name) = open.pop() {
        if nodes.remove(&name).is_some() {
            open.extend(readers.remove(&name).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::library::Library;

    /// The paths of the nodes that run, and of those with errors.
    fn parts(nodes: &str) -> Result<(Vec<String>, Vec<String>), Vec<String>> {
        let text = format!(
            r#"(version: 1, nodes: {{
                "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
                "smoke": (state: "Grid<f32>", inputs: {{"next": "fade.field"}}),
                "fade": (stage: "fluid/dissipate", inputs: {{"field": "smoke.value"}}),
                "look": (stage: "view/color_map", inputs: {{"field": "fade.field"}}),
                "screen": (output: (), inputs: {{"image": "look.image"}}),
                {nodes}
            }})"#
        );
        let document = Document::parse(&text).unwrap();
        let paths = |problems: &Problems| problems.0.iter().map(|p| p.node.clone()).collect::<Vec<_>>();
        let built = build_needed(&document, |document| Graph::build(document, Library::builtin()));
        let (graph, errors) = built.map_err(|problems| paths(&problems))?;
        Ok((graph.nodes.iter().map(|node| node.path.clone()).collect(), paths(&errors)))
    }

    #[test]
    fn what_no_image_needs_is_set_aside_with_what_reads_it() {
        let runs = ["fade", "look", "screen", "smoke"];
        for (nodes, wrong) in [
            (r#""lost": (stage: "view/color_map")"#, &["lost"][..]),
            (r#""lost": (stage: "no/such")"#, &["lost"]),
            (
                r#""lost": (stage: "no/such"), "next": (stage: "fluid/dissipate", inputs: {"field": "lost.field"})"#,
                &["lost"],
            ),
            (
                r#""rate": (number: "1 +"), "slow": (stage: "fluid/dissipate", inputs: {"field": "smoke.value"}, params: {"rate": "rate"})"#,
                &["rate"],
            ),
            (r#""all": (group: (nodes: {"lost": (stage: "no/such")}))"#, &["all/lost"]),
        ] {
            let (mut running, errors) = parts(nodes).unwrap();
            running.sort();
            assert_eq!(
                (running.as_slice(), errors.as_slice()),
                (&runs.map(String::from)[..], &wrong.iter().map(|w| w.to_string()).collect::<Vec<_>>()[..]),
                "{nodes}"
            );
        }
        // What has no errors runs although nothing needs it.
        let (running, errors) =
            parts(r#""lost": (stage: "no/such"), "own": (stage: "fluid/dissipate", inputs: {"field": "smoke.value"})"#)
                .unwrap();
        assert!(running.contains(&"own".to_string()) && errors == ["lost"], "{running:?}");
    }

    #[test]
    fn inside_a_group_that_is_needed_only_what_its_outputs_need_counts() {
        let group = |inside: &str| {
            format!(
                r#""half": (group: (inputs: {{"a": "Grid<f32>"}}, outputs: {{"b": "own.field"}}, nodes: {{
                    "own": (stage: "fluid/dissipate", inputs: {{"field": "in.a"}}), {inside}}}), inputs: {{"a": "fade.field"}}),
                "other": (output: (), inputs: {{"image": "tint.image"}}),
                "tint": (stage: "view/color_map", inputs: {{"field": "half.b"}})"#
            )
        };
        let (running, errors) = parts(&group(r#""lost": (stage: "no/such")"#)).unwrap();
        assert!(running.contains(&"half/own".to_string()) && errors == ["half/lost"], "{running:?}");
    }

    #[test]
    fn what_an_image_needs_stops_all_and_every_error_is_listed() {
        let wrong =
            parts(r#""lost": (stage: "no/such"), "other": (output: (), inputs: {"image": "none.image"})"#).unwrap_err();
        assert_eq!(wrong, ["lost", "other"]);
        let named = parts(
            r#""lost": (stage: "no/such"), "use": (stage: "view/color_map", inputs: {"field": "lost.field"}), "other": (output: (), inputs: {"image": "use.image"})"#,
        );
        assert!(named.unwrap_err().contains(&"lost".to_string()));
    }
}
