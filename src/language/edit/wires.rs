//! Wires: connecting, disconnecting, inserting nodes and reroutes.

use super::ends::InputEnd;
use std::collections::BTreeSet;

use super::signature::{self, PortSignature, Takes, fits, port_types};
use super::{OUT, Refusal, free_name, gone, level_mut, no_node};
use crate::document::{Document, Level, LevelMut, Link, Node, NodeKind, Nodes, Scope};
use crate::graph::ports::Ports;
use crate::graph::{Graph, bypass};
use crate::library::Library;
use crate::problem::{Problem, Severity};

/// The wire that an input reads.
pub fn source<'a>(level: Level<'a>, end: &InputEnd) -> Option<&'a Link> {
    match level.group() {
        Some(group) if end.node == OUT => group.outputs.get(&end.port),
        _ => level.nodes().get(&end.node)?.inputs.get(&end.port),
    }
}

/// Connects a wire to an input and replaces the previous one. A missing output of the group is created. Nothing happens
/// where the node does not exist.
pub fn connect(document: &mut Document, scope: &Scope, from: Link, to: &InputEnd) {
    set(document, scope, to, Some(from));
}

/// Disconnects an input. An output of a group exists only with its wire, so it is removed.
pub fn disconnect(document: &mut Document, scope: &Scope, to: &InputEnd) {
    set(document, scope, to, None);
}

fn set(document: &mut Document, scope: &Scope, to: &InputEnd, from: Option<Link>) {
    let inputs = match document.level_mut(scope) {
        Some(LevelMut::Group(group)) if to.node == OUT => Some(&mut group.outputs),
        Some(level) => level.into_nodes().get_mut(&to.node).map(|node| &mut node.inputs),
        None => None,
    };
    match (inputs, from) {
        (Some(inputs), Some(from)) => drop(inputs.insert(to.port.clone(), from)),
        (Some(inputs), None) => drop(inputs.remove(&to.port)),
        (None, _) => {}
    }
}

/// An unused name for another output of the open group, made from `wish`.
pub fn free_output(document: &Document, scope: &Scope, wish: &str) -> String {
    let group = document.level(scope).and_then(Level::group);
    super::free(wish, |name| group.is_some_and(|group| group.outputs.contains_key(name)))
}

/// Adds an input with a type such as `Grid<f32>` to the open group. Returns its name, made from `wish`.
///
/// # Errors
/// When no group is open.
pub fn add_input(document: &mut Document, scope: &Scope, wish: &str, ty: &str) -> Result<String, Refusal> {
    let mut level = level_mut(document, scope)?;
    let group = level.group().ok_or(Refusal::RootHasNoInputs)?;
    let name = super::free(super::names::of_input(wish), |name| group.inputs.contains_key(name));
    group.inputs.insert(name.clone(), ty.to_string());
    Ok(name)
}

/// Why a wire into `to`, which `after` has and `before` does not, is not allowed: an error of that port, or a cycle,
/// that was not there before. Other errors are ignored, since the user may be fixing them.
pub fn refusal(
    before: &Document,
    after: &Document,
    scope: &Scope,
    to: &InputEnd,
    library: &Library,
) -> Option<Problem> {
    let problems = |document| match Graph::build(document, library) {
        Ok(graph) => graph.warnings.0,
        Err(problems) => problems.0,
    };
    let earlier_problems = problems(before);
    // Problems of a group's outputs are reported at the group.
    let node = if to.node == OUT && !scope.is_root() { scope.to_string() } else { scope.path(&to.node) };
    let here = |problem: &Problem| problem.node == node && problem.port == to.port;
    let mut new = problems(after);
    new.retain(|problem| {
        let concerns = here(problem) || problem.port.is_empty();
        problem.severity == Severity::Error && concerns && !earlier_problems.contains(problem)
    });
    new.into_iter().max_by_key(here)
}

/// The wire that a reader of this one reads in the end, past bypassed nodes and reroutes; `None` where they lead to
/// nothing.
pub fn origin(document: &Document, scope: &Scope, link: &Link, library: &Library) -> Option<Link> {
    bypass::origin(&Ports::of_level(document, scope, library)?, link)
}

/// Whether a node depends on another one within the frame, directly or through others. A State interrupts the
/// dependency.
pub fn feeds(nodes: &Nodes, from: &str, to: &str) -> bool {
    let mut pending = vec![to];
    let mut seen = BTreeSet::new();
    while let Some(name) = pending.pop() {
        if name == from {
            return true;
        }
        if let Some(node) = nodes.get(name)
            && seen.insert(name)
            && !matches!(node.kind, NodeKind::State(_))
        {
            pending.extend(node.inputs.values().map(|link| link.node.as_str()));
        }
    }
    false
}

/// Inserts an existing node into the wire that ends at an input: uses the first unwired input that accepts the wire,
/// and the first output that the end accepts.
///
/// # Errors
/// Why it cannot be inserted, in one sentence; nothing changes then.
pub fn insert_on_wire(
    document: &mut Document,
    scope: &Scope,
    node: &str,
    end: &InputEnd,
    library: &Library,
) -> Result<(), Refusal> {
    let level = document.level(scope).ok_or_else(|| gone(scope))?;
    let link = source(level, end).cloned().ok_or_else(|| Refusal::NotConnected { end: end.clone() })?;
    let entry = level.nodes().get(node).ok_or_else(|| no_node(scope, node))?;
    if link.node == node || end.node == node {
        return Err(Refusal::WireOfNode { node: node.into() });
    }
    if feeds(level.nodes(), node, &link.node) || feeds(level.nodes(), &end.node, node) {
        return Err(Refusal::Cycle { node: node.into() });
    }
    let signatures = signature::level(document, scope, library);
    let carried = signatures.get(&link.node).and_then(|signature| signature.outputs.get(signature.output(&link.port)?));
    let (Some(carried), Some(signature)) = (carried, signatures.get(node)) else {
        return Err(Refusal::NoSuchOutput { link });
    };
    let read =
        signatures.get(&end.node).and_then(|signature| signature.inputs.iter().find(|input| input.name == end.port));
    // An input that accepts anything gets the wire's present type.
    let read = read.cloned().map(|read| match (read.takes, read.ty) {
        (Takes::Anything, Some(ty)) => PortSignature { takes: Takes::Type(ty), ..read },
        _ => read,
    });
    let free = signature.inputs.iter().filter(|input| !entry.inputs.contains_key(&input.name));
    let inputs: Vec<&PortSignature> = free.filter(|input| fits(carried, input).is_ok()).collect();
    if inputs.is_empty() {
        return Err(Refusal::NoFreeInput { node: node.into(), ty: carried.ty });
    }
    for input in inputs {
        let mut after = document.clone();
        connect(&mut after, scope, link.clone(), &InputEnd { node: node.into(), port: input.name.clone() });
        // Once the input is wired, the types of outputs that depend on it are known.
        let Ok(signature) = port_types(&after, scope, node, library) else { continue };
        if let Some(output) =
            signature.outputs.iter().find(|output| read.as_ref().is_none_or(|read| fits(output, read).is_ok()))
        {
            connect(&mut after, scope, Link { node: node.into(), port: output.name.clone() }, end);
            *document = after;
            return Ok(());
        }
    }
    Err(Refusal::NoFittingOutput { node: node.into(), ty: read.and_then(|read| read.ty) })
}

/// Inserts a reroute into the wire that ends at an input. Returns its name.
///
/// # Errors
/// When the input is not connected; nothing changes then.
pub fn add_reroute(document: &mut Document, scope: &Scope, end: &InputEnd, at: (f32, f32)) -> Result<String, Refusal> {
    let level = document.level(scope).ok_or_else(|| gone(scope))?;
    let from = source(level, end).cloned().ok_or_else(|| Refusal::NotConnected { end: end.clone() })?;
    add_reroute_shared(document, scope, from, std::slice::from_ref(end), at)
}

/// Inserts one reroute into several wires from the same output. Returns its name.
///
/// # Errors
/// When the level no longer exists; nothing changes then.
pub fn add_reroute_shared(
    document: &mut Document,
    scope: &Scope,
    from: Link,
    ends: &[InputEnd],
    at: (f32, f32),
) -> Result<String, Refusal> {
    let mut level = level_mut(document, scope)?;
    let name = free_name(level.nodes(), "reroute");
    let mut dot = Node { kind: NodeKind::Reroute, at, ..Node::default() };
    dot.inputs.insert("value".into(), from);
    level.nodes().insert(name.clone(), dot);
    for end in ends {
        connect(document, scope, Link { node: name.clone(), port: "value".into() }, end);
    }
    Ok(name)
}
