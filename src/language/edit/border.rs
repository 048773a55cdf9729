//! The border of a group: its parameters, inputs and outputs.

use super::ends::Side;
use super::group::mentioned;
use super::nodes::node_mut;
use super::remove::drop_targets;
use super::{IN, Refusal, expect, group_of, is_node_name, level_mut, links, no_node, stage_of};
use crate::document::{Document, Group, LevelMut, Link, Node, NodeKind, OWN_VALUES, ParamValue, Scope, sole_output};
use crate::expr;
use crate::library::Library;

/// Exposes a parameter of a node inside, or its `iterations`, as a parameter of the group. If the group already has a
/// parameter of this name, that one sets both.
///
/// # Errors
/// Why this is not possible, in one sentence; nothing changes then.
pub fn expose_param(
    document: &mut Document,
    scope: &Scope,
    group: &str,
    inner: &Link,
    name: &str,
    library: &Library,
) -> Result<(), Refusal> {
    let inner_group = own_group(document, scope, group)?;
    let node = inner_group.nodes.get(&inner.node).ok_or_else(|| no_node(&scope.inside(group), &inner.node))?;
    if !settable(node, &inner.port, library) {
        return Err(Refusal::NoSuchParam { node: inner.node.clone(), param: inner.port.clone() });
    }
    if let Some((param, _)) = inner_group.params.iter().find(|(_, targets)| targets.contains(inner)) {
        return Err(Refusal::AlreadyExposed { target: inner.clone(), param: param.clone() });
    }
    port_name(name)?;
    if OWN_VALUES.contains(&name) || inner_group.inputs.contains_key(name) {
        return Err(Refusal::PortNameTaken { group: group.into(), name: name.into() });
    }
    inner_group.params.entry(name.to_string()).or_default().push(inner.clone());
    Ok(())
}

/// Whether a node has a value of this name that can be set.
fn settable(node: &Node, param: &str, library: &Library) -> bool {
    let kind = node.kind.info();
    if param == "iterations" {
        return kind.runs;
    }
    if param == "until" {
        return node.until.is_some();
    }
    let stage = stage_of(node, library);
    let constant = |p: &crate::stage::header::Port| p.name == param && p.default.is_some();
    let of_stage = stage.is_some_and(|s| s.param(param).is_some() || s.inputs().any(constant));
    let of_group = |g: &Group| g.params.contains_key(param) || g.inputs.contains_key(param);
    kind.params.contains(&param) || of_stage || group_of(node, library).is_some_and(of_group)
}

/// Removes a parameter from a group. The nodes inside keep its value.
///
/// # Errors
/// Why this is not possible, in one sentence; nothing changes then.
pub fn hide_param(document: &mut Document, scope: &Scope, group: &str, name: &str) -> Result<(), Refusal> {
    let value = node_mut(document, scope, group)?.params.get(name).cloned();
    let inner_group = own_group(document, scope, group)?;
    let targets = inner_group
        .params
        .get(name)
        .ok_or_else(|| Refusal::NotExposed { group: group.into(), param: name.into() })?
        .clone();
    if let Some(value) = &value
        && let Some(number) = mentioned(value).first()
    {
        return Err(Refusal::NumberOutside { param: name.into(), number: (*number).into(), group: group.into() });
    }
    let inside = scope.inside(group);
    let path = |target: &Link| inside.path(&target.to_string());
    let before: Vec<(String, Option<ParamValue>)> =
        targets.iter().map(|t| (path(t), document.value(&inside.path(&t.node), &t.port))).collect();
    document.spread_in_variants(&format!("{}.{name}", scope.path(group)), &before);
    let inner_group = own_group(document, scope, group)?;
    for (target, value) in targets.iter().filter_map(|target| Some((target, value.clone()?))) {
        if let Some(inner) = inner_group.nodes.get_mut(&target.node) {
            inner.give(&target.port, value);
        }
    }
    inner_group.params.remove(name);
    node_mut(document, scope, group)?.params.remove(name);
    drop_targets(document, scope, &|target| target.node != group || target.port != name);
    Ok(())
}

/// Renames an input or an output of the open group, with all wires and expressions that use it.
///
/// # Errors
/// Why the name cannot be used, in one sentence; nothing changes then.
pub fn rename_port(document: &mut Document, scope: &Scope, side: Side, old: &str, new: &str) -> Result<(), Refusal> {
    let (_, name, group) = open(document, scope)?;
    let has_port = |name: &str| match side {
        Side::In => group.inputs.contains_key(name),
        Side::Out => group.outputs.contains_key(name),
    };
    if !has_port(old) {
        return Err(no_port(&name, side, old));
    }
    if old == new {
        return Ok(());
    }
    port_name(new)?;
    if has_port(new) || (side == Side::In && (OWN_VALUES.contains(&new) || group.params.contains_key(new))) {
        return Err(Refusal::PortNameTaken { group: name, name: new.into() });
    }
    match side {
        Side::In => rename_input(document, scope, old, new),
        Side::Out => rename_output(document, scope, old, new),
    }
}

fn rename_input(document: &mut Document, scope: &Scope, old: &str, new: &str) -> Result<(), Refusal> {
    let (around, name, group) = open(document, scope)?;
    let hidden = |name: &str| group.nodes.get(name).is_some_and(|node| node.kind.is_number());
    let named = !hidden(old) && group.nodes.values().flat_map(Node::values).flat_map(mentioned).any(|word| word == old);
    if named && (!expr::usable(new) || hidden(new)) {
        return Err(Refusal::OtherMeaning { old: old.into(), new: new.into() });
    }
    for value in group.nodes.values_mut().flat_map(Node::values_mut).filter(|_| named) {
        if let Some(text) = value.expression_mut() {
            *text = expr::rename(text, old, new);
        }
    }
    let ty = group.inputs.remove(old).unwrap_or_default();
    group.inputs.insert(new.to_string(), ty);
    let reads = |link: &&mut Link| link.node == IN && link.port == old;
    links(LevelMut::Group(group)).filter(reads).for_each(|link| link.port = new.to_string());
    document.rename_input_in_variants(&around.path(&name), old, Some(new));
    document.rename_source_in_variants(scope, |link| link.node == IN && link.port == old, Some(new));
    document.variant_values_mut(scope).filter(|_| named).for_each(|value| super::nodes::rename_in(value, old, new));
    let node = node_mut(document, &around, &name)?;
    if let Some(link) = node.inputs.remove(old) {
        node.inputs.insert(new.to_string(), link);
    }
    if let Some(value) = node.params.remove(old) {
        node.params.insert(new.to_string(), value);
    }
    if let Some(outer) = level_mut(document, &around)?.group() {
        let sets = |link: &&mut Link| link.node == name && link.port == old;
        outer.params.values_mut().flatten().filter(sets).for_each(|link| link.port = new.to_string());
    }
    Ok(())
}

fn rename_output(document: &mut Document, scope: &Scope, old: &str, new: &str) -> Result<(), Refusal> {
    let (around, name, group) = open(document, scope)?;
    let only = sole_output(group.outputs.keys().map(|name| (name.as_str(), name))).is_some_and(|sole| sole == old);
    if let Some(link) = group.outputs.remove(old) {
        group.outputs.insert(new.to_string(), link);
    }
    let reads = |link: &Link| link.node == name && (link.port == old || (only && link.port.is_empty()));
    document.rename_source_in_variants(&around, reads, Some(new));
    let wires = links(level_mut(document, &around)?).filter(|link| reads(link));
    wires.for_each(|link| link.port = new.to_string());
    expect::follow_output(document, &around, &name, old, new);
    Ok(())
}

/// Removes an input or an output of the open group, and the wires on both sides of it.
///
/// # Errors
/// Why it cannot be removed, in one sentence; nothing changes then.
pub fn remove_port(document: &mut Document, scope: &Scope, side: Side, port: &str) -> Result<(), Refusal> {
    match side {
        Side::In => remove_input(document, scope, port),
        Side::Out => remove_output(document, scope, port),
    }
}

fn remove_input(document: &mut Document, scope: &Scope, port: &str) -> Result<(), Refusal> {
    let (around, name, group) = open(document, scope)?;
    let number = group.nodes.get(port).is_some_and(|node| node.kind.is_number());
    let named = |node: &Node| node.values().flat_map(mentioned).any(|word| word == port);
    if let Some((inner, _)) = group.nodes.iter().find(|(_, node)| !number && named(node)) {
        return Err(Refusal::UsedInExpression { node: inner.clone(), port: port.into() });
    }
    group.inputs.remove(port).ok_or_else(|| no_port(&name, Side::In, port))?;
    group.nodes.values_mut().for_each(|node| node.inputs.retain(|_, link| link.node != IN || link.port != port));
    group.outputs.retain(|_, link| link.node != IN || link.port != port);
    document.rename_input_in_variants(&around.path(&name), port, None);
    document.rename_source_in_variants(scope, |link| link.node == IN && link.port == port, None);
    let node = node_mut(document, &around, &name)?;
    node.inputs.remove(port);
    node.params.remove(port);
    drop_targets(document, &around, &|target| target.node != name || target.port != port);
    Ok(())
}

fn remove_output(document: &mut Document, scope: &Scope, port: &str) -> Result<(), Refusal> {
    let (around, name, group) = open(document, scope)?;
    let only = sole_output(group.outputs.keys().map(|name| (name.as_str(), name))).is_some_and(|sole| sole == port);
    group.outputs.remove(port).ok_or_else(|| no_port(&name, Side::Out, port))?;
    let reads = |link: &Link| link.node == name && (link.port == port || (only && link.port.is_empty()));
    document.rename_source_in_variants(&around, reads, None);
    let mut level = level_mut(document, &around)?;
    level.nodes().values_mut().for_each(|node| node.inputs.retain(|_, link| !reads(link)));
    if let Some(outer) = level.group() {
        outer.outputs.retain(|_, link| !reads(link));
    }
    Ok(())
}

fn no_port(group: &str, side: Side, port: &str) -> Refusal {
    Refusal::NoSuchPort { group: group.into(), side, port: port.into() }
}

fn port_name(name: &str) -> Result<(), Refusal> {
    if is_node_name(name) {
        return Ok(());
    }
    Err(Refusal::BadPortName { name: name.into() })
}

/// A group in the document.
fn own_group<'a>(document: &'a mut Document, scope: &Scope, name: &str) -> Result<&'a mut Group, Refusal> {
    match &mut node_mut(document, scope, name)?.kind {
        NodeKind::Group(group) => Ok(group),
        NodeKind::Stage(_) => Err(Refusal::NotLocal { node: name.into() }),
        _ => Err(Refusal::CannotExpose { node: name.into() }),
    }
}

/// The group of a level, with the enclosing level and the group's name there.
fn open<'a>(document: &'a mut Document, scope: &Scope) -> Result<(Scope, String, &'a mut Group), Refusal> {
    let (around, name) = scope.outside().ok_or(Refusal::RootHasNoPorts)?;
    let group = own_group(document, &around, name)?;
    Ok((around, name.to_string(), group))
}
