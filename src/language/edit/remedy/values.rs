//! Remedies for values and fields that are invalid or missing, and for what a graph lacks.

use std::collections::BTreeSet;

use super::{Case, Remedy, change_node, remedy};
use crate::document::{Document, Domain, Link, Node, NodeKind, Output, ParamValue, Scope};
use crate::edit::{add, bypass, free_name, is_node_name, remove, rename, signature};
use crate::expr;
use crate::graph::fits::between;
use crate::graph::ports::{group_of, stage_of};
use crate::library::{Library, close_names};
use crate::stage::header::Range;
use crate::stage::types::{EdgeRule, PortType, ValueType};

/// Types that are offered for a State with an invalid type.
const HELD: [&str; 7] =
    ["Grid<f32>", "Grid<Vec>", "Grid<vec4f>", "Grid<u32>", "FaceGrid", "f32", "Particles{position: Vec}"];
/// Capacity for a State of particles without one.
const CAPACITY: f64 = 10_000.0;
/// Maximum number of iterations.
const MAX_ITERATIONS: f64 = 10_000.0;

/// Remedies for problems of the whole graph.
pub(super) fn of_graph(document: &Document, library: &Library) -> Vec<Remedy> {
    let mut found = Vec::new();
    if !(document.fps.is_finite() && document.fps > 0.0) {
        found.push(remedy("Use 60 frames per second", |document, _| {
            document.fps = 60.0;
            Ok(())
        }));
    }
    if document.nodes.values().any(|node| matches!(node.kind, NodeKind::Output(_))) {
        return found;
    }
    let signatures = signature::level(document, &Scope::default(), library);
    let Some(image) = PortType::parse("Image") else { return found };
    let read = |name: &str| document.nodes.values().flat_map(|node| node.inputs.values()).any(|link| link.node == name);
    let mut sources = Vec::new();
    for (name, signature) in &signatures {
        let right = document.nodes.get(name).map_or(0.0, |node| node.at.0);
        for output in &signature.outputs {
            let Some(ty) = output.ty else { continue };
            let stage = between(ty, image);
            if ty == image || stage.is_some() {
                sources.push((
                    ty != image,
                    read(name),
                    -right,
                    Link { node: name.clone(), port: output.name.clone() },
                    stage,
                ));
            }
        }
    }
    // An image that nothing reads is probably the final one.
    sources.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    found.extend(sources.into_iter().map(|(_, _, _, link, stage)| show(document, link, stage)));
    found
}

/// Adds an Output for a wire, with a stage that makes an image of it if needed.
fn show(document: &Document, link: Link, stage: Option<&'static str>) -> Remedy {
    let at = document.nodes.get(&link.node).map_or((0.0, 0.0), |node| node.at);
    remedy(format!("Add an Output for {link}"), move |document, _| {
        let root = Scope::default();
        let (mut image, mut at) = (link.clone(), (at.0 + 220.0, at.1));
        if let Some(stage) = stage {
            let input = if stage == "view/vector" { "velocity" } else { "field" };
            let mut node = Node { kind: NodeKind::Stage(stage.into()), at, ..Node::default() };
            node.inputs.insert(input.into(), image);
            let name = add(document, &root, "look", node)?;
            (image, at) = (Link { node: name, port: String::new() }, (at.0 + 220.0, at.1));
        }
        let mut node = Node { kind: NodeKind::Output(Output::default()), at, ..Node::default() };
        node.inputs.insert("image".into(), image);
        add(document, &root, "screen", node).map(drop)
    })
}

pub(super) fn candidates(case: &Case<'_>) -> Vec<Remedy> {
    let Some(node) = case.node() else { return Vec::new() };
    match case.port {
        "" => whole(case, node),
        "on" => domains(case, node),
        "iterations" => count(case, node.iterations.as_ref(), "iterations"),
        "capacity" => count(case, node.capacity.as_ref(), "capacity"),
        "precision" => vec![change_node(case, "Store it as f32", |node| node.precision = None)],
        _ => [field(case, node), value(case, node), dot(case, node)].into_iter().flatten().collect(),
    }
}

fn removed(case: &Case<'_>, label: String) -> Remedy {
    let (scope, names) = (case.scope.clone(), BTreeSet::from([case.name.clone()]));
    remedy(label, move |document, library| {
        remove(document, &scope, &names, library);
        Ok(())
    })
}

/// Problems of a node as a whole.
fn whole(case: &Case<'_>, node: &Node) -> Vec<Remedy> {
    let mut found = Vec::new();
    if node.muted {
        let (scope, names) = (case.scope.clone(), BTreeSet::from([case.name.clone()]));
        found.push(remedy("Turn off bypass", move |document, _| {
            bypass(document, &scope, &names, false);
            Ok(())
        }));
    }
    match &node.kind {
        NodeKind::Stage(name) if case.library.get(name).is_none() => {
            found.extend(case.library.closest(name).map(|close| {
                let close = close.to_string();
                change_node(case, format!("Use {close}"), move |node| node.kind = NodeKind::Stage(close.clone()))
            }));
        }
        NodeKind::State(ty) => {
            let close = close_names(ty, HELD);
            let types: Vec<&str> = if close.is_empty() { HELD.to_vec() } else { close };
            found.extend(types.into_iter().map(|ty| {
                change_node(case, format!("Change type to {ty}"), move |node| node.kind = NodeKind::State(ty.into()))
            }));
        }
        NodeKind::Unknown => found.push(removed(case, "Remove node".into())),
        _ => {}
    }
    let level = case.ports.nodes();
    let number = node.kind.is_number();
    let wish = match is_node_name(&case.name) {
        false => Some(free_name(level, &case.name)),
        true if number && expr::reserved(&case.name) => Some(free_name(level, &format!("{}_value", case.name))),
        true => None,
    };
    found.extend(wish.map(|wish| {
        let (scope, old) = (case.scope.clone(), case.name.clone());
        remedy(format!("Rename to {wish}"), move |document, _| rename(document, &scope, &old, &wish))
    }));
    found
}

/// The domain of a node.
fn domains(case: &Case<'_>, node: &Node) -> Vec<Remedy> {
    let domains = case.domains();
    let wanted = node.on.as_deref().unwrap_or_default();
    let mut names = close_names(wanted, domains.iter().copied());
    names.extend(domains.iter().filter(|name| !names.contains(*name)).copied().collect::<Vec<_>>());
    let mut found: Vec<Remedy> = Vec::new();
    for name in names {
        let name = name.to_string();
        found.push(change_node(case, format!("Run on {name}"), move |node| node.on = Some(name.clone())));
    }
    if node.on.is_some() {
        found.push(change_node(case, "Infer domain from wires", |node| node.on = None));
    }
    if domains.is_empty() {
        let at = (node.at.0 - 220.0, node.at.1);
        let (scope, reader) = (Scope::default(), (case.scope.clone(), case.name.clone()));
        found.push(remedy("Add a Domain", move |document, _| {
            let node = Node { kind: NodeKind::Domain(Domain::default()), at, ..Node::default() };
            let name = add(document, &scope, "domain", node)?;
            let node = crate::edit::nodes::node_mut(document, &reader.0, &reader.1)?;
            node.on = node.on.as_ref().map(|_| name);
            Ok(())
        }));
    }
    found
}

/// Iterations and capacities: integers from 1.
fn count(case: &Case<'_>, value: Option<&ParamValue>, what: &'static str) -> Vec<Remedy> {
    let set = |label: String, value: Option<ParamValue>| {
        change_node(case, label, move |node| match what {
            "iterations" => node.iterations.clone_from(&value),
            _ => node.capacity.clone_from(&value),
        })
    };
    let number = |n: f64| set(format!("Set to {n}"), Some(ParamValue::Number(n)));
    let mut found = match value {
        Some(ParamValue::Number(n)) if n.is_finite() => vec![number(n.round().clamp(1.0, MAX_ITERATIONS))],
        Some(ParamValue::Expression(text)) => {
            let whole = format!("ceil({text})");
            vec![set(format!("Use {whole}"), Some(ParamValue::Expression(whole)))]
        }
        _ => Vec::new(),
    };
    match what {
        "iterations" => found.push(set("Remove iterations".into(), None)),
        _ => found.push(number(CAPACITY)),
    }
    found
}

/// Fields of domains and Outputs.
fn field(case: &Case<'_>, node: &Node) -> Vec<Remedy> {
    match (&node.kind, case.port) {
        (NodeKind::Domain(domain), "edge") => {
            let rules = EdgeRule::ALL.map(EdgeRule::name);
            let close = close_names(&domain.edge.to_string(), rules);
            let others: Vec<&str> = rules.into_iter().filter(|rule| !close.contains(rule)).collect();
            let set = |rule: &'static str| {
                change_node(case, format!("Use {rule}"), move |node| {
                    if let NodeKind::Domain(domain) = &mut node.kind {
                        domain.edge = rule.into();
                    }
                })
            };
            close.into_iter().chain(others).map(set).collect()
        }
        (NodeKind::Domain(_), "width") => vec![change_node(case, "Set width to 1 m", |node| {
            if let NodeKind::Domain(domain) = &mut node.kind {
                domain.width = ParamValue::Number(1.0);
            }
        })],
        (NodeKind::Domain(domain), "resolution") => {
            let axes = domain.resolution.len().clamp(2, 3);
            let whole = |value: &ParamValue| match value {
                ParamValue::Number(n) if n.is_finite() => n.round().clamp(1.0, 512.0),
                _ => 64.0,
            };
            let cells: Vec<f64> = domain.resolution.iter().map(whole).chain([64.0; 2]).take(axes).collect();
            let text = cells.iter().map(f64::to_string).collect::<Vec<_>>().join(" × ");
            vec![change_node(case, format!("Set resolution to {text}"), move |node| {
                if let NodeKind::Domain(domain) = &mut node.kind {
                    domain.resolution = cells.iter().map(|n| ParamValue::Number(*n)).collect();
                }
            })]
        }
        (NodeKind::Output(_), "size") => vec![change_node(case, "Use the size of the image", |node| {
            if let NodeKind::Output(output) = &mut node.kind {
                output.size = None;
            }
        })],
        _ => Vec::new(),
    }
}

/// A reroute that is not connected.
fn dot(case: &Case<'_>, node: &Node) -> Vec<Remedy> {
    let dot = node.kind == NodeKind::Reroute && node.inputs.is_empty();
    dot.then(|| removed(case, "Remove reroute".into())).into_iter().collect()
}

/// A parameter or a constant with an unknown name or an invalid value.
fn value(case: &Case<'_>, node: &Node) -> Vec<Remedy> {
    let port = case.port.to_string();
    let param_value = node.params.get(case.port);
    let stage = stage_of(node, case.library);
    let group = group_of(node, case.library);
    let mut names: Vec<&str> = Vec::new();
    if let Some(stage) = &stage {
        names.extend(stage.header.params.iter().map(|param| param.name.as_str()));
        names.extend(stage.inputs().filter(|port| port.default.is_some()).map(|port| port.name.as_str()));
    }
    names
        .extend(group.into_iter().flat_map(|group| group.params.keys().chain(group.inputs.keys())).map(String::as_str));
    let mut found = Vec::new();
    let Some(param_value) = param_value.cloned() else {
        if let (NodeKind::Number(_), "value") = (&node.kind, case.port) {
            found.push(change_node(case, "Set to 1", |node| node.kind = NodeKind::Number(ParamValue::Number(1.0))));
        }
        return found;
    };
    if !names.contains(&case.port) {
        let free = names.iter().filter(|name| !node.params.contains_key(**name)).copied();
        for name in close_names(case.port, free) {
            let (old, new) = (port.clone(), name.to_string());
            found.push(change_node(case, format!("Rename to {name}"), move |node| {
                if let Some(value) = node.params.remove(&old) {
                    node.params.insert(new.clone(), value);
                }
            }));
        }
        found.push(change_node(case, "Remove value", move |node| drop(node.params.remove(&port))));
        return found;
    }
    let param = stage.as_ref().and_then(|stage| stage.param(case.port));
    if let Some(param) = param
        && let Some(fitting) = fitting(case, &param_value, param.range, param.ty.value())
    {
        let port = port.clone();
        let label = match &fitting {
            ParamValue::Expression(text) => format!("Set to {text}"),
            fitting => format!("Set to {fitting}"),
        };
        found.push(change_node(case, label, move |node| drop(node.params.insert(port.clone(), fitting.clone()))));
    }
    found.push(change_node(case, "Use default", move |node| drop(node.params.remove(&port))));
    found
}

/// The nearest valid value of the parameter.
fn fitting(case: &Case<'_>, value: &ParamValue, (low, high): Range, ty: ValueType) -> Option<ParamValue> {
    let whole = matches!(ty, ValueType::I32 | ValueType::U32);
    let inside = |v: f64| {
        let v = if whole { v.round() } else { v };
        let v = if ty == ValueType::U32 { v.max(0.0) } else { v };
        v.max(low.unwrap_or(v)).min(high.unwrap_or(f64::INFINITY))
    };
    match value {
        ParamValue::Number(v) if v.is_finite() => Some(ParamValue::Number(inside(*v))),
        ParamValue::Vector(v) if v.iter().all(|v| v.is_finite()) => {
            Some(ParamValue::Vector(v.iter().map(|v| inside(*v)).collect()))
        }
        ParamValue::Expression(text) => {
            // A misspelt number.
            let numbers = case.ports.nodes().iter().filter(|(_, node)| node.kind.is_number());
            let inputs = case.ports.around().iter().filter(|(_, ty)| ty.is_number()).map(|(name, _)| name.as_str());
            let number_names: Vec<&str> = numbers.map(|(name, _)| name.as_str()).chain(inputs).collect();
            let wrong = expr::names(text).into_iter().find(|name| !number_names.contains(name))?;
            let close = close_names(wrong, number_names).into_iter().next()?;
            Some(ParamValue::Expression(expr::rename(text, wrong, close)))
        }
        _ => None,
    }
}
