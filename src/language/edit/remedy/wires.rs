//! Remedies for wires that are wrong, missing, or form a cycle.

use std::collections::BTreeSet;

use super::{Case, Remedy, change_node, remedy};
use crate::document::{Link, Node, NodeKind};
use crate::edit::signature::{PortSignature, Takes};
use crate::edit::{IN, InputEnd, OUT, add, bypass, connect, disconnect, feeds, fits, insert_on_wire, remove};
use crate::graph::bypass::left_out;
use crate::graph::fits as types;
use crate::library::close_names;
use crate::stage::header::Direction;
use crate::stage::types::{Element, PortType, WireType};

/// Number of outputs that are tried for an unwired input, and for one that is wired to something else.
const SOURCES: usize = 6;
const OTHERS: usize = 2;

pub(super) fn candidates(case: &Case<'_>) -> Vec<Remedy> {
    if case.port.is_empty() {
        return cycle(case);
    }
    match case.source() {
        Some(link) => {
            let corrections = behind(case, link).into_iter().chain(wrong(case, link)).chain(wrong_type(case, link));
            corrections.chain(others(case, OTHERS)).chain([without(case)]).collect()
        }
        None => others(case, SOURCES).into_iter().chain(made(case)).collect(),
    }
}

fn read(case: &Case<'_>, link: Link) -> Remedy {
    let (scope, end) = (case.scope.clone(), case.end());
    let label = format!("Connect {}", shown(&link));
    remedy(label, move |document, _| {
        connect(document, &scope, link.clone(), &end);
        Ok(())
    })
}

/// A wire as the canvas shows it: inputs of the group by their own names.
fn shown(link: &Link) -> String {
    if link.node == IN { link.port.clone() } else { link.to_string() }
}

fn without(case: &Case<'_>) -> Remedy {
    let (scope, end) = (case.scope.clone(), case.end());
    remedy("Remove wire", move |document, _| {
        disconnect(document, &scope, &end);
        Ok(())
    })
}

/// A wire from or to something that does not exist.
fn wrong(case: &Case<'_>, link: &Link) -> Vec<Remedy> {
    let mut found = Vec::new();
    let link_to = |node: &str, port: &str| Link { node: node.into(), port: port.into() };
    let source = case.ports.nodes().get(&link.node);
    if source.is_some_and(|node| matches!(node.kind, NodeKind::Domain(_))) {
        let (port, on) = (case.port.to_string(), link.node.clone());
        found.push(change_node(case, format!("Run on {on}"), move |node| {
            node.inputs.remove(&port);
            node.on = Some(on.clone());
        }));
    }
    match case.ports.outputs(&link.node).filter(|_| source.is_some()) {
        Some(outputs) if !outputs.contains(&link.port) => {
            let close = close_names(&link.port, outputs.iter().map(String::as_str));
            let only = outputs.first().filter(|_| outputs.len() == 1).map(String::as_str);
            let ports = close.into_iter().chain(only).collect::<BTreeSet<_>>();
            found.extend(ports.into_iter().map(|port| read(case, link_to(&link.node, port))));
        }
        None if source.is_none() && link.node != IN => {
            let names = case.ports.nodes().keys().map(String::as_str);
            found.extend(close_names(&link.node, names).into_iter().map(|name| read(case, link_to(name, &link.port))));
        }
        _ if link.node == IN => {
            let inputs = case.ports.group().into_iter().flat_map(|group| group.inputs.keys()).map(String::as_str);
            found.extend(close_names(&link.port, inputs).into_iter().map(|name| read(case, link_to(IN, name))));
        }
        _ => {}
    }
    // To a port that the node does not have.
    let signature = case.signatures.get(&case.name);
    if let (Some(signature), Some(node)) = (signature, case.node())
        && signature.inputs.iter().any(|input| input.name == case.port && input.takes == Takes::Nothing)
    {
        let free = signature.inputs.iter().filter(|input| !node.inputs.contains_key(&input.name));
        for port in close_names(case.port, free.map(|input| input.name.as_str())) {
            let scope = case.scope.clone();
            let end = case.end();
            let link = link.clone();
            let to = InputEnd { port: port.to_string(), ..case.end() };
            found.push(remedy(format!("Connect to {port}"), move |document, _| {
                disconnect(document, &scope, &end);
                connect(document, &scope, link.clone(), &to);
                Ok(())
            }));
        }
    }
    found.extend(stuck(case, link));
    found
}

/// Bypassed nodes and reroutes that lead to nothing.
fn stuck(case: &Case<'_>, link: &Link) -> Vec<Remedy> {
    let mut found = Vec::new();
    let mut at = link.clone();
    for _ in 0..case.ports.nodes().len() {
        let Some(node) = case.ports.nodes().get(&at.node).filter(|node| left_out(node)) else { break };
        if node.muted {
            let (scope, names) = (case.scope.clone(), BTreeSet::from([at.node.clone()]));
            found.push(remedy(format!("Turn off bypass of {}", at.node), move |document, _| {
                bypass(document, &scope, &names, false);
                Ok(())
            }));
        }
        match case.ports.passed(&at) {
            crate::graph::ports::Passed::Wire(next) => at = next,
            _ => break,
        }
    }
    found
}

fn carried<'a>(case: &'a Case<'_>, link: &Link) -> Option<&'a PortSignature> {
    let signature = case.signatures.get(&link.node)?;
    signature.outputs.get(signature.output(&link.port)?)
}

fn input<'a>(case: &'a Case<'_>) -> Option<&'a PortSignature> {
    case.signatures.get(&case.name)?.inputs.iter().find(|input| input.name == case.port)
}

/// A conversion stage, or a State of the wire's type.
fn wrong_type(case: &Case<'_>, link: &Link) -> Vec<Remedy> {
    let (Some(from), Some(to)) = (carried(case, link).and_then(|from| from.ty), input(case)) else { return Vec::new() };
    let wanted = match to.takes {
        Takes::Type(ty) | Takes::TypeOrNumber(ty) => Some(ty),
        _ => to.ty,
    };
    let mut found = Vec::new();
    if let Some(stage) = wanted.and_then(|wanted| types::between(from, wanted)) {
        let (scope, end) = (case.scope.clone(), case.end());
        let at = position_between(case, &link.node);
        found.push(remedy(format!("Insert {stage}"), move |document, library| {
            let name = stage.rsplit('/').next().unwrap_or(stage);
            let node = Node { kind: NodeKind::Stage(stage.into()), at, ..Node::default() };
            let name = add(document, &scope, name, node)?;
            insert_on_wire(document, &scope, &name, &end, library)
        }));
    }
    if let Some(NodeKind::State(_)) = case.node().map(|node| &node.kind)
        && kept(from)
    {
        found.push(change_node(case, format!("Change type to {from}"), move |node| {
            node.kind = NodeKind::State(from.to_string())
        }));
    }
    found
}

/// A position between the node and what it reads \[points\].
fn position_between(case: &Case<'_>, source: &str) -> (f32, f32) {
    let at = |name: &str| case.ports.nodes().get(name).map(|node| node.at);
    match (at(&case.name), at(source)) {
        (Some(a), Some(b)) => ((0.5 * (a.0 + b.0)).round(), (0.5 * (a.1 + b.1)).round()),
        (Some(a), None) => (a.0 - 220.0, a.1),
        (None, Some(b)) => (b.0 + 220.0, b.1),
        (None, None) => (0.0, 0.0),
    }
}

/// Connects this node after another one that updates the same wire.
fn behind(case: &Case<'_>, link: &Link) -> Vec<Remedy> {
    let goes_on = |name: &str, port: &str| {
        let stage = case.ports.stage(name);
        stage.is_some_and(|stage| stage.port(port).is_some_and(|port| port.direction == Direction::InOut))
    };
    if !goes_on(&case.name, case.port) {
        return Vec::new();
    }
    let others = case.ports.nodes().iter().filter(|(name, _)| **name != case.name);
    let takers = others.flat_map(|(name, node)| node.inputs.iter().map(move |(port, source)| (name, port, source)));
    let takers = takers.filter(|(name, port, source)| source.node == link.node && goes_on(name, port));
    takers.map(|(name, port, _)| read(case, Link { node: name.clone(), port: port.clone() })).collect()
}

/// Outputs of the level that the input accepts: for a State those that depend on it, otherwise the nearest.
fn others(case: &Case<'_>, most: usize) -> Vec<Remedy> {
    let Some(to) = input(case).filter(|to| to.takes != Takes::Nothing) else { return Vec::new() };
    let exact = |ty: Option<PortType>| ty.is_some() && (to.ty == ty || to.takes == Takes::Anything);
    let nodes = case.ports.nodes();
    let state = matches!(case.node().map(|node| &node.kind), Some(NodeKind::State(_)));
    let at = case.node().map_or((0.0, 0.0), |node| node.at);
    let mut candidates: Vec<(bool, f32, Link)> = Vec::new();
    for (name, signature) in case.signatures.iter().filter(|(name, _)| **name != case.name && *name != OUT) {
        if !state && case.name != OUT && feeds(nodes, &case.name, name) {
            continue;
        }
        let far = nodes.get(name).map_or(0.0, |node| (node.at.0 - at.0).hypot(node.at.1 - at.1));
        for output in signature.outputs.iter().filter(|output| exact(output.ty) && fits(output, to).is_ok()) {
            let follows = state && feeds(nodes, &case.name, name);
            let far = if far.is_finite() { far } else { f32::MAX };
            candidates.push((!follows, far, Link { node: name.clone(), port: output.name.clone() }));
        }
    }
    // Of the outputs that depend on a State the last one comes first: none of the others reads it.
    let last =
        |link: &Link| !candidates.iter().any(|(_, _, other)| other != link && feeds(nodes, &link.node, &other.node));
    let mut ranked: Vec<(bool, bool, f32, Link)> =
        candidates.iter().map(|(other, far, link)| (*other, state && !last(link), *far, link.clone())).collect();
    ranked.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    ranked.into_iter().take(most).map(|(_, _, _, link)| read(case, link)).collect()
}

/// New nodes that provide what an input needs: a stage without required inputs, or a State.
fn made(case: &Case<'_>) -> Vec<Remedy> {
    let Some(to) = input(case).filter(|to| !to.optional) else { return Vec::new() };
    let Some(ty) = to.ty.or(match to.takes {
        Takes::Type(ty) | Takes::TypeOrNumber(ty) => Some(ty),
        _ => None,
    }) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let at = position_between(case, "");
    let held = match ty {
        PortType::Grid(element) => PortType::Grid(Element::Fixed(element.example())),
        ty => ty,
    };
    let needs_nothing = |stage: &&crate::stage::Stage| stage.inputs().all(|port| port.default.is_some());
    let gives = |stage: &crate::stage::Stage| {
        let output = stage.outputs().filter(|port| port.direction == Direction::Out).find(|port| port.ty == ty);
        output.map(|port| (port.name != case.port, stage.name.clone(), port.name.clone()))
    };
    let mut stages: Vec<(bool, String, String)> =
        case.library.stages().filter(needs_nothing).filter_map(gives).collect();
    stages.sort();
    for (_, stage, port) in stages.into_iter().take(2) {
        let (scope, end) = (case.scope.clone(), case.end());
        found.push(remedy(format!("Add {stage}"), move |document, _| {
            let name = stage.rsplit('/').next().unwrap_or(&stage);
            let node = Node { kind: NodeKind::Stage(stage.clone()), at, ..Node::default() };
            let name = add(document, &scope, name, node)?;
            connect(document, &scope, Link { node: name, port: port.clone() }, &end);
            Ok(())
        }));
    }
    if kept(held) && held != PortType::Particles {
        let (scope, end) = (case.scope.clone(), case.end());
        found.push(remedy("Add a State", move |document, _| {
            let node = Node { kind: NodeKind::State(held.to_string()), at, ..Node::default() };
            let name = add(document, &scope, &end.port, node)?;
            connect(document, &scope, Link { node: name, port: "value".into() }, &end);
            Ok(())
        }));
    }
    found
}

/// Remedies for a cycle: insert a State into one of its wires, or remove one.
fn cycle(case: &Case<'_>) -> Vec<Remedy> {
    let nodes = case.ports.nodes();
    let Some(node) = case.node().filter(|node| !matches!(node.kind, NodeKind::State(_))) else { return Vec::new() };
    // The wires of the cycle end at nodes that both depend on this one and feed it.
    let round = |name: &str| feeds(nodes, &case.name, name) && feeds(nodes, name, &case.name);
    let mut found = Vec::new();
    if node.inputs.values().any(|link| round(&link.node)) {
        let on = nodes.iter().filter(|(name, _)| round(name));
        let wires = on.flat_map(|(name, node)| node.inputs.iter().map(move |(port, link)| (name, port, link)));
        let wires = wires.filter(|(_, _, link)| round(&link.node));
        found.extend(
            wires.map(|(name, port, link)| {
                opened(case, link.clone(), InputEnd { node: name.clone(), port: port.clone() })
            }),
        );
    }
    if matches!(node.kind, NodeKind::Reroute) || node.muted {
        let (scope, names) = (case.scope.clone(), BTreeSet::from([case.name.clone()]));
        found.push(remedy(format!("Remove {}", case.name), move |document, library| {
            remove(document, &scope, &names, library);
            Ok(())
        }));
    }
    found
}

/// Inserts a State into a wire of a cycle, or removes the wire if no State can hold its type.
fn opened(case: &Case<'_>, link: Link, end: InputEnd) -> Remedy {
    let wire = format!("{} → {}.{}", shown(&link), end.node, end.port);
    let state = carried(case, &link).and_then(|from| from.ty).filter(|ty| kept(*ty) && *ty != PortType::Particles);
    let (scope, at) = (case.scope.clone(), position_between(case, &link.node));
    let Some(ty) = state else {
        return remedy(format!("Remove {wire}"), move |document, _| {
            disconnect(document, &scope, &end);
            Ok(())
        });
    };
    remedy(format!("Add State to {wire}"), move |document, _| {
        let mut node = Node { kind: NodeKind::State(ty.to_string()), at, ..Node::default() };
        node.inputs.insert("next".into(), link.clone());
        let name = add(document, &scope, "before", node)?;
        connect(document, &scope, Link { node: name, port: "value".into() }, &end);
        Ok(())
    })
}

/// Whether a State can hold a wire of this type.
fn kept(ty: PortType) -> bool {
    WireType::parse(&ty.to_string()).is_some_and(WireType::can_be_kept)
}
