//! Edits of a document: pure functions, each one thing that a person does.

use std::collections::BTreeSet;

use crate::document::{Document, Link, Node, NodeKind, Nodes, ParamValue};
use crate::expr;
use crate::graph::Graph;
use crate::library::Library;
use crate::problem::{Problem, Severity};

/// An input port of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEnd {
    pub node: String,
    pub port: String,
}

/// Wires an input; what it read before is replaced.
pub fn connect(document: &mut Document, from: Link, to: &InputEnd) {
    if let Some(node) = document.nodes.get_mut(&to.node) {
        node.inputs.insert(to.port.clone(), from);
    }
}

/// Leaves an input without a wire.
pub fn disconnect(document: &mut Document, to: &InputEnd) {
    if let Some(node) = document.nodes.get_mut(&to.node) {
        node.inputs.remove(&to.port);
    }
}

/// Why a wire into `to`, which `after` has and `before` has not, can't be: an error of that port, or a cycle, that was not
/// there before. Other errors may be on their way to being mended.
pub fn refusal(before: &Document, after: &Document, to: &InputEnd, library: &Library) -> Option<Problem> {
    let problems = |document| match Graph::build(document, library) {
        Ok(graph) => graph.warnings.0,
        Err(problems) => problems.0,
    };
    let known = problems(before);
    let here = |problem: &Problem| problem.node == to.node && problem.port == to.port;
    let mut new = problems(after);
    new.retain(|problem| {
        let concerns = here(problem) || problem.port.is_empty();
        problem.severity == Severity::Error && concerns && !known.contains(problem)
    });
    new.into_iter().max_by_key(here)
}

/// Removes nodes, the wires from them, and mentions of them as a domain.
pub fn remove(document: &mut Document, names: &BTreeSet<String>) {
    document.nodes.retain(|name, _| !names.contains(name));
    for node in document.nodes.values_mut() {
        node.inputs.retain(|_, link| !names.contains(&link.node));
        node.on = node.on.take().filter(|on| !names.contains(on));
    }
}

/// Puts a node in under a name made from `wish` that is free. Returns the name.
pub fn add(document: &mut Document, wish: &str, node: Node) -> String {
    let name = free_name(&document.nodes, wish);
    document.nodes.insert(name.clone(), node);
    name
}

fn free_name(nodes: &Nodes, wish: &str) -> String {
    let taken = |name: &str| nodes.contains_key(name);
    let mut name = wish.to_string();
    let mut number = 2u64;
    while taken(&name) {
        name = format!("{wish}_{number}");
        number += 1;
    }
    name
}

/// Renames a node, and every wire and mention of it: a number is also named by expressions.
///
/// # Errors
/// Why the name can't be used, in one sentence.
pub fn rename(document: &mut Document, old: &str, new: &str) -> Result<(), String> {
    if old == new {
        return Ok(());
    }
    if new.is_empty() || new == "in" || new.contains(['.', '/']) {
        return Err(format!("`{new}` can't be a node's name; it must not be empty or `in`, nor hold `.` or `/`"));
    }
    if document.nodes.contains_key(new) {
        return Err(format!("there is a node `{new}` already; choose another name"));
    }
    let node = document.nodes.get(old).ok_or_else(|| format!("there is no node `{old}`"))?;
    let (domain, number) = (matches!(node.kind, NodeKind::Domain(_)), matches!(node.kind, NodeKind::Number(_)));
    if number {
        rename_number(document, old, new)?;
    }
    let node = document.nodes.remove(old).unwrap_or_default();
    document.nodes.insert(new.to_string(), node);
    for node in document.nodes.values_mut() {
        let links = node.inputs.values_mut().filter(|link| link.node == old);
        links.for_each(|link| link.node = new.to_string());
        if domain {
            rename_domain(node, old, new);
        }
    }
    Ok(())
}

/// Expressions in groups know other numbers.
fn rename_number(document: &mut Document, old: &str, new: &str) -> Result<(), String> {
    for (name, node) in &mut document.nodes {
        for value in node.values_mut() {
            let ParamValue::Expression(text) = value else { continue };
            if !expr::names(text).contains(old) {
                continue;
            }
            if !expr::usable(new) {
                return Err(format!(
                    "`{new}` can't be named by expressions, and one of `{name}` names `{old}`; use letters, digits and _"
                ));
            }
            *text = expr::rename(text, old, new);
        }
    }
    Ok(())
}

/// Nodes in groups see the domains around them, unless the group has one of the same name.
fn rename_domain(node: &mut Node, old: &str, new: &str) {
    if node.on.as_deref() == Some(old) {
        node.on = Some(new.to_string());
    }
    if let NodeKind::Group(group) = &mut node.kind
        && !group.nodes.contains_key(old)
    {
        group.nodes.values_mut().for_each(|inner| rename_domain(inner, old, new));
    }
}

/// Moves nodes [points on the canvas].
pub fn shift(document: &mut Document, names: &BTreeSet<String>, by: (f32, f32)) {
    for (_, node) in document.nodes.iter_mut().filter(|(name, _)| names.contains(*name)) {
        node.at = (node.at.0 + by.0, node.at.1 + by.1);
    }
}

/// Positions on whole points: files stay readable.
pub fn round_positions(document: &mut Document) {
    for node in document.nodes.values_mut() {
        let whole = |v: f32| if v.is_finite() { v.round() + 0.0 } else { 0.0 };
        node.at = (whole(node.at.0), whole(node.at.1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::fluid;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn renaming_keeps_every_wire_and_the_graph_runs() {
        let mut document = fluid();
        document.nodes.get_mut("density").unwrap().on = Some("domain".into());
        rename(&mut document, "velocity", "flow").unwrap();
        rename(&mut document, "domain", "box").unwrap();
        assert_eq!(document.nodes["jet"].inputs["velocity"].node, "flow");
        assert_eq!(document.nodes["density"].on.as_deref(), Some("box"));
        assert!(Graph::build(&document, Library::builtin()).is_ok());
        for wrong in ["", "in", "a.b", "a/b", "jet"] {
            assert!(rename(&mut document, "flow", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn renaming_a_number_keeps_every_expression_that_names_it() {
        let text = r#"(nodes: {"h": (number: 0.5), "k": (number: "2 * h + sin(h)"), "other": (number: "hh"), "hh": (number: 1),
            "d": (domain: (resolution: ("8 / h", 4), width: "h", edge: "wall")),
            "s": (state: "Particles{position: Vec}", capacity: "9 / h", params: {"x": "[h, 0]"}, iterations: "1 / h"),
            "g": (params: {"p": "h"}, group: (nodes: {"h": (number: 2), "inner": (number: "h")}))})"#;
        let before = Document::parse(text).unwrap();
        let mut document = before.clone();
        let refused = rename(&mut document, "h", "grid-spacing").unwrap_err();
        assert!(refused.contains("`grid-spacing` can't be named") && document == before, "{refused}");
        assert!(rename(&mut document, "h", "sin").is_err() && document == before);
        rename(&mut document, "h", "pitch").unwrap();
        let after = text
            .replace(r#"{"h": (number: 0.5)"#, r#"{"pitch": (number: 0.5)"#)
            .replace("2 * h + sin(h)", "2 * pitch + sin(pitch)")
            .replace("8 / h", "8 / pitch")
            .replace(r#"width: "h""#, r#"width: "pitch""#)
            .replace("9 / h", "9 / pitch")
            .replace("[h, 0]", "[pitch, 0]")
            .replace("1 / h", "1 / pitch")
            .replace(r#""p": "h""#, r#""p": "pitch""#);
        assert_eq!(document, Document::parse(&after).unwrap());
    }

    #[test]
    fn removing_a_node_leaves_no_wire_to_it() {
        let mut document = fluid();
        remove(&mut document, &names(&["project", "domain"]));
        let links = document.nodes.values().flat_map(|n| n.inputs.values());
        assert!(links.clone().count() > 0 && links.into_iter().all(|link| link.node != "project"));
    }

    #[test]
    fn a_wire_that_does_not_fit_is_refused_with_a_remedy() {
        let before = fluid();
        let mut after = before.clone();
        let end = InputEnd { node: "screen".into(), port: "image".into() };
        connect(&mut after, Link::parse("density.value"), &end);
        let problem = refusal(&before, &after, &end, Library::builtin()).unwrap();
        assert!(problem.remedy.contains("view/color_map"), "{problem}");
        let mut cycle = before.clone();
        let end = InputEnd { node: "jet".into(), port: "velocity".into() };
        connect(&mut cycle, Link::parse("project.velocity"), &end);
        assert!(refusal(&before, &cycle, &end, Library::builtin()).unwrap().cause.contains("cycle"));
    }

    #[test]
    fn a_wire_that_fits_is_not_refused_though_the_graph_is_incomplete() {
        let mut before = fluid();
        remove(&mut before, &names(&["viscosity", "smoke"]));
        let mut after = before.clone();
        let end = InputEnd { node: "divergence".into(), port: "velocity".into() };
        connect(&mut after, Link::parse("jet.velocity"), &end);
        assert!(Graph::build(&after, Library::builtin()).is_err());
        assert_eq!(refusal(&before, &after, &end, Library::builtin()), None);
    }

    #[test]
    fn names_stay_unique() {
        let mut document = fluid();
        assert_eq!(add(&mut document, "jet", Node::default()), "jet_2");
        assert_eq!(add(&mut document, "jet", Node::default()), "jet_3");
        assert_eq!(add(&mut document, "new", Node::default()), "new");
    }
}
