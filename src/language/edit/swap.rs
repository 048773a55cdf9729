//! Replaces the stage of a node, or makes a local copy of it.

use std::collections::BTreeMap;

use super::nodes::node_mut;
use super::remove::drop_targets;
use super::signature::{self, NodeSignature, PortSignature, fits, port_types};
use super::wires::{connect, disconnect};
use super::{InputEnd, OUT, Refusal, gone, no_node, source};
use crate::document::{Document, Link, Node, NodeKind, OWN_VALUES, ParamValue, Scope, WHERE};
use crate::graph::ports::{group_of, stage_of};
use crate::graph::{precision, takes_where};
use crate::library::{Definition, Library};
use crate::stage::header::Direction;
use crate::stage::types::{Element, PortType, ValueType};

/// Replaces the stage or group of a node by another one of the library. Wires and parameters are kept where the new
/// stage has a matching port of the same name; a wire can also go to the only port that accepts it. Others are removed.
/// What variants set of the nodes inside a group is removed with it.
///
/// # Errors
/// When there is no such stage, or the node is not a stage or group; nothing changes then.
pub fn replace_stage(
    document: &mut Document,
    scope: &Scope,
    name: &str,
    stage_name: &str,
    library: &Library,
) -> Result<(), Refusal> {
    let level = document.level(scope).ok_or_else(|| gone(scope))?;
    let node = level.nodes().get(name).ok_or_else(|| no_node(scope, name))?;
    if !node.kind.info().runs {
        return Err(Refusal::CannotReplace { node: name.into() });
    }
    if library.get(stage_name).is_none() {
        return Err(Refusal::NoSuchStage { stage: stage_name.into() });
    }
    let before = signature::level(document, scope, library);
    let mut fresh = Node { kind: NodeKind::Stage(stage_name.into()), ..node.clone() };
    let wires = std::mem::take(&mut fresh.inputs);
    let takes = |param: &str, value: Option<&ParamValue>| takes(&fresh, param, value, library);
    let params = fresh.params.iter().filter(|(param, value)| takes(param, Some(value)));
    let params = params.map(|(param, value)| (param.clone(), value.clone())).collect();
    let usual = |kind: &NodeKind| match kind {
        NodeKind::Stage(stage) => library.usual_iterations(stage),
        _ => None,
    };
    // As many sweeps as one solver needs say nothing about another.
    let iterations = match (usual(&node.kind), library.usual_iterations(stage_name)) {
        (before, after) if before == after => fresh.iterations.clone().filter(|_| repeats(&fresh, library)),
        (_, after) => after.map(|usual| ParamValue::Number(f64::from(usual))),
    };
    let suits = |_: &String| stage_of(&fresh, library).is_some_and(|stage| precision::of_stage(&stage).is_ok());
    let precision = fresh.precision.clone().filter(suits);
    let kept =
        |target: &Link| target.node != name || OWN_VALUES.contains(&target.port.as_str()) || takes(&target.port, None);
    let mut after = document.clone();
    if let NodeKind::Group(group) = &node.kind {
        let inside = scope.inside(name);
        after.forget_in_variants(&group.nodes.keys().map(|inner| inside.path(inner)).collect());
    }
    drop_targets(&mut after, scope, &kept);
    *node_mut(&mut after, scope, name)? = Node { params, iterations, precision, ..fresh.clone() };

    let source_port =
        |link: &Link| before.get(&link.node).and_then(|signature| signature.outputs.get(signature.output(&link.port)?));
    let inputs = port_types(&after, scope, name, library)?.inputs;
    let input_end = |port: String| InputEnd { node: name.into(), port };
    let mut rest = Vec::new();
    for (port, link) in wires {
        let same = inputs.iter().find(|input| input.name == port);
        let fit = |input: &PortSignature| source_port(&link).is_none_or(|from| fits(from, input).is_ok());
        let driven = || source_port(&link).is_some_and(|from| from.constant) && takes(&port, None);
        match same {
            // A grid that said where the stage runs is no input of another.
            None if port == WHERE => {
                if takes_where(&fresh, library) {
                    connect(&mut after, scope, link, &input_end(port));
                }
            }
            Some(input) if fit(input) => connect(&mut after, scope, link, &input_end(port)),
            None if driven() => connect(&mut after, scope, link, &input_end(port)),
            _ => rest.push(link),
        }
    }
    for link in rest {
        let node = node_mut(&mut after, scope, name)?;
        let open = inputs.iter().filter(|input| !node.inputs.contains_key(&input.name));
        let fitting = open.filter(|input| source_port(&link).is_some_and(|from| fits(from, input).is_ok()));
        if let Some(input) = only(fitting) {
            connect(&mut after, scope, link, &input_end(input.name.clone()));
        }
    }

    let outputs = port_types(&after, scope, name, library)?.outputs;
    for end in readers(document, scope, name) {
        let Some(link) = source(document.level(scope).ok_or_else(|| gone(scope))?, &end) else { continue };
        let read =
            before.get(&end.node).and_then(|signature| signature.inputs.iter().find(|input| input.name == end.port));
        let fit = |output: &&PortSignature| read.is_none_or(|read| fits(output, read).is_ok());
        let port = before
            .get(name)
            .and_then(|signature| signature.outputs.get(signature.output(&link.port)?))
            .map(|port| &port.name);
        let same = outputs.iter().filter(fit).find(|output| Some(&output.name) == port);
        match same.or_else(|| only(outputs.iter().filter(fit))) {
            Some(output) => {
                connect(&mut after, scope, Link { node: name.into(), port: output.name.clone() }, &end);
            }
            None => disconnect(&mut after, scope, &end),
        }
    }
    *document = after;
    Ok(())
}

/// What becomes of the wires of a node whose stage is replaced. The less, the better the stage fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireChanges {
    /// Wires that are removed.
    pub removed: usize,
    /// Wires that go to a port of another name.
    pub renamed: usize,
}

/// What `replace_stage` would do to the wires of a node, judged by the types of unconnected ports. `signatures` are those of its level.
/// Cheap enough to ask for every stage of the library.
pub fn wire_changes(
    document: &Document,
    scope: &Scope,
    signatures: &BTreeMap<String, NodeSignature>,
    name: &str,
    stage_name: &str,
    library: &Library,
) -> WireChanges {
    let mut changes = WireChanges::default();
    let Some(node) = document.level(scope).and_then(|level| level.nodes().get(name)) else { return changes };
    let fresh = Node { kind: NodeKind::Stage(stage_name.into()), ..Node::default() };
    let new = signature::node(&fresh, library);
    let output = |link: &Link| signatures.get(&link.node).and_then(|of| of.outputs.get(of.output(&link.port)?));
    let fit = |link: &Link, input: &PortSignature| output(link).is_none_or(|from| fits(from, input).is_ok());
    let mut open: Vec<&PortSignature> = new.inputs.iter().collect();
    let (mut kept, mut rest) = (BTreeMap::new(), Vec::new());
    for (port, link) in &node.inputs {
        let driven = || output(link).is_some_and(|from| from.constant) && takes(&fresh, port, None, library);
        match open.iter().position(|input| input.name == *port && fit(link, input)) {
            None if port == WHERE && !new.inputs.iter().any(|input| input.name == WHERE) => {
                if takes_where(&fresh, library) {
                    kept.insert(port.clone(), link.clone());
                } else {
                    changes.removed += 1;
                }
            }
            Some(same) => drop((open.remove(same), kept.insert(port.clone(), link.clone()))),
            None if !new.inputs.iter().any(|input| input.name == *port) && driven() => {
                kept.insert(port.clone(), link.clone());
            }
            None => rest.push(link),
        }
    }
    for link in rest {
        match only((0..open.len()).filter(|index| fit(link, open[*index]))) {
            Some(input) => {
                kept.insert(open.remove(input).name.clone(), link.clone());
                changes.renamed += 1;
            }
            None => changes.removed += 1,
        }
    }
    let mut outputs = new.outputs.clone();
    if outputs.iter().any(is_generic) {
        let mut after = document.clone();
        let replaced = node_mut(&mut after, scope, name).map(|node| *node = Node { inputs: kept, ..fresh.clone() });
        if let Ok(bound) = replaced.and_then(|()| port_types(&after, scope, name, library)) {
            outputs = bound.outputs;
        }
    }
    for end in readers(document, scope, name) {
        let Some(link) = document.level(scope).and_then(|level| source(level, &end)) else { continue };
        let read = signatures.get(&end.node).and_then(|of| of.inputs.iter().find(|input| input.name == end.port));
        let mut fitting = outputs.iter().filter(|from| read.is_none_or(|read| fits(from, read).is_ok()));
        let port = output(link).map(|port| &port.name);
        match fitting.clone().any(|from| Some(&from.name) == port) {
            true => {}
            false if only(fitting.by_ref()).is_some() => changes.renamed += 1,
            false => changes.removed += 1,
        }
    }
    changes
}

/// Whether what an output carries follows from what is wired to its node.
fn is_generic(output: &PortSignature) -> bool {
    matches!(output.ty, None | Some(PortType::Grid(Element::Generic(_))))
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// Every input that reads a node.
fn readers(document: &Document, scope: &Scope, name: &str) -> Vec<InputEnd> {
    let Some(level) = document.level(scope) else { return Vec::new() };
    let inputs = level.nodes().iter().filter(|(reader, _)| *reader != name);
    let inputs =
        inputs.flat_map(|(reader, node)| node.inputs.iter().map(move |(port, link)| (reader.as_str(), port, link)));
    let outputs = level.group().into_iter().flat_map(|group| &group.outputs).map(|(port, link)| (OUT, port, link));
    let read = inputs.chain(outputs).filter(|(_, _, link)| link.node == name);
    read.map(|(node, port, _)| InputEnd { node: node.into(), port: port.clone() }).collect()
}

/// Whether a node has a parameter, or an input with a constant, that accepts a value.
fn takes(node: &Node, param: &str, value: Option<&ParamValue>, library: &Library) -> bool {
    let fits = |ty: ValueType| match value {
        Some(ParamValue::Vector(parts)) => (2..=3).any(|dim| ty.components(dim) as usize == parts.len()),
        _ => true,
    };
    if let Some(stage) = stage_of(node, library) {
        let input = || stage.inputs().any(|port| port.name == param && port.default.is_some());
        return stage.param(param).map_or_else(input, |param| fits(param.ty.value()));
    }
    let group = group_of(node, library);
    group.is_some_and(|group| group.params.contains_key(param) || group.inputs.contains_key(param))
}

/// Whether a node can be repeated.
fn repeats(node: &Node, library: &Library) -> bool {
    stage_of(node, library).is_none_or(|stage| stage.header.ports.iter().any(|p| p.direction == Direction::InOut))
}

/// Makes a local copy in the graph of a library stage or group, so that it can be opened and changed.
///
/// # Errors
/// When the node is not from the library; nothing changes then.
pub fn make_local_copy(document: &mut Document, scope: &Scope, name: &str, library: &Library) -> Result<(), Refusal> {
    let node = node_mut(document, scope, name)?;
    let NodeKind::Stage(stage) = &node.kind else {
        return Err(Refusal::AlreadyLocal { node: name.into() });
    };
    node.kind = match library.get(stage) {
        Some(Definition::Stage(stage)) => NodeKind::Custom(stage.own_text().to_string()),
        Some(Definition::Group(group)) => NodeKind::Group(Box::new(group.as_ref().clone())),
        None => return Err(Refusal::NoSuchStage { stage: stage.clone() }),
    };
    Ok(())
}
