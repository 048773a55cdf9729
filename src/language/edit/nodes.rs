//! Nodes: adding, renaming, moving, bypassing, colouring.

use std::collections::BTreeSet;

use super::{IN, OUT, Refusal, bookmark, expect, free_name, is_node_name, level_mut, links, no_node};
use crate::document::{Color, Document, LevelMut, Node, NodeKind, Nodes, ParamValue, Scope};
use crate::expr;

/// Adds a node under an unused name made from `wish`. Returns the name.
///
/// # Errors
/// When the level no longer exists.
pub fn add(document: &mut Document, scope: &Scope, wish: &str, node: Node) -> Result<String, Refusal> {
    let mut level = level_mut(document, scope)?;
    let name = free_name(level.nodes(), wish);
    level.nodes().insert(name.clone(), node);
    Ok(name)
}

/// Renames a node, with every wire and expression that uses it.
///
/// # Errors
/// Why the name cannot be used, in one sentence; nothing changes then.
pub fn rename(document: &mut Document, scope: &Scope, old: &str, new: &str) -> Result<(), Refusal> {
    if old == new {
        return Ok(());
    }
    if !is_node_name(new) {
        return Err(Refusal::BadNodeName { name: new.into() });
    }
    let mut level = level_mut(document, scope)?;
    if level.nodes().contains_key(new) {
        return Err(Refusal::NodeNameTaken { name: new.into() });
    }
    let node = level.nodes().get(old).ok_or_else(|| no_node(scope, old))?;
    let (domain, number) = (matches!(node.kind, NodeKind::Domain(_)), node.kind.is_number());
    if number {
        hides(&mut level, new)?;
        rename_number(level.nodes(), old, new)?;
    }
    let node = level.nodes().remove(old).unwrap_or_default();
    level.nodes().insert(new.to_string(), node);
    if domain {
        level.nodes().values_mut().for_each(|node| rename_domain(node, old, new));
    }
    if let Some(group) = level.group() {
        let params = group.params.values_mut().flatten().filter(|link| link.node == old);
        params.for_each(|link| link.node = new.to_string());
    }
    links(level).filter(|link| link.node == old).for_each(|link| link.node = new.to_string());
    if number {
        document.variant_values_mut(scope).for_each(|value| rename_in(value, old, new));
    }
    expect::follow_rename(document, scope, old, new);
    bookmark::follow_rename(document, scope, old, new);
    Ok(())
}

/// A number inside a group has priority over an input of the same name, so expressions would resolve to another number.
fn hides(level: &mut LevelMut<'_>, new: &str) -> Result<(), Refusal> {
    let mentions = |value: &ParamValue| value.expression().is_some_and(|text| expr::mentions(text, new));
    match level.group() {
        Some(group)
            if group.inputs.contains_key(new) && group.nodes.values().any(|node| node.values().any(mentions)) =>
        {
            Err(Refusal::HidesInput { name: new.into() })
        }
        _ => Ok(()),
    }
}

/// Expressions inside groups use other numbers.
fn rename_number(nodes: &mut Nodes, old: &str, new: &str) -> Result<(), Refusal> {
    let names = |value: &ParamValue| value.expression().is_some_and(|text| expr::names(text).contains(old));
    if let Some((name, _)) = nodes.iter().find(|(_, node)| !expr::usable(new) && node.values().any(names)) {
        return Err(Refusal::NotForExpressions { node: name.clone(), old: old.into(), new: new.into() });
    }
    nodes.values_mut().flat_map(Node::values_mut).for_each(|value| rename_in(value, old, new));
    Ok(())
}

pub(super) fn rename_in(value: &mut ParamValue, old: &str, new: &str) {
    if let Some(text) = value.expression_mut()
        && expr::names(text).contains(old)
    {
        *text = expr::rename(text, old, new);
    }
}

/// Nodes in groups can use the enclosing domains, unless the group has one of the same name.
pub(super) fn rename_domain(node: &mut Node, old: &str, new: &str) {
    if node.on.as_deref() == Some(old) {
        node.on = Some(new.to_string());
    }
    if let NodeKind::Group(group) = &mut node.kind
        && !group.nodes.contains_key(old)
    {
        group.nodes.values_mut().for_each(|inner| rename_domain(inner, old, new));
    }
}

/// Moves nodes, and the inputs (`in`) and outputs (`out`) of a group if their position is set \[points\].
pub fn shift(document: &mut Document, scope: &Scope, names: &BTreeSet<String>, by: (f32, f32)) {
    let Some(mut level) = document.level_mut(scope) else { return };
    let moved = |at: (f32, f32)| (at.0 + by.0, at.1 + by.1);
    for (_, node) in level.nodes().iter_mut().filter(|(name, _)| names.contains(*name)) {
        node.at = moved(node.at);
    }
    if let Some(group) = level.group() {
        for (name, at) in [(IN, &mut group.inputs_at), (OUT, &mut group.outputs_at)] {
            *at = if names.contains(name) { at.map(moved) } else { *at };
        }
    }
}

/// Places a node, or the inputs (`in`) or outputs (`out`) of a group, at a position \[points\].
pub fn place(document: &mut Document, scope: &Scope, name: &str, at: (f32, f32)) {
    match document.level_mut(scope) {
        Some(LevelMut::Group(group)) if name == IN => group.inputs_at = Some(at),
        Some(LevelMut::Group(group)) if name == OUT => group.outputs_at = Some(at),
        Some(level) => drop(level.into_nodes().get_mut(name).map(|node| node.at = at)),
        None => {}
    }
}

/// Rounds the positions of a level to whole points, so that files stay readable.
pub fn round_positions(document: &mut Document, scope: &Scope) {
    let Some(mut level) = document.level_mut(scope) else { return };
    let whole = |v: f32| if v.is_finite() { v.round() + 0.0 } else { 0.0 };
    let rounded = |(x, y): (f32, f32)| (whole(x), whole(y));
    level.nodes().values_mut().for_each(|node| node.at = rounded(node.at));
    for frame in level.frames() {
        (frame.at, frame.size) = (rounded(frame.at), rounded(frame.size));
    }
    if let Some(group) = level.group() {
        group.inputs_at = group.inputs_at.map(rounded);
        group.outputs_at = group.outputs_at.map(rounded);
    }
}

/// Bypasses nodes, or turns their bypass off.
pub fn bypass(document: &mut Document, scope: &Scope, names: &BTreeSet<String>, muted: bool) {
    each(document, scope, names, |node| node.muted = muted);
}

/// Sets the colour of nodes; `None` is the default of their kind.
pub fn set_color(document: &mut Document, scope: &Scope, names: &BTreeSet<String>, color: Option<Color>) {
    each(document, scope, names, |node| {
        node.color = color;
        // Text from the file that is not a valid colour.
        node.extra.remove("color");
    });
}

fn each(document: &mut Document, scope: &Scope, names: &BTreeSet<String>, change: impl Fn(&mut Node)) {
    let Some(level) = document.level_mut(scope) else { return };
    level.into_nodes().iter_mut().filter(|(name, _)| names.contains(*name)).for_each(|(_, node)| change(node));
}

/// Sets the comment of a node.
///
/// # Errors
/// When the node no longer exists.
pub fn comment(document: &mut Document, scope: &Scope, name: &str, text: &str) -> Result<(), Refusal> {
    node_mut(document, scope, name)?.comment = text.to_string();
    Ok(())
}

/// Sets how often a node runs in a frame; `None` is once.
///
/// # Errors
/// When the node no longer exists, or is not of a kind that runs.
pub fn set_iterations(
    document: &mut Document,
    scope: &Scope,
    name: &str,
    count: Option<ParamValue>,
) -> Result<(), Refusal> {
    let node = node_mut(document, scope, name)?;
    if !node.kind.info().runs && count.is_some() {
        return Err(Refusal::CannotIterate { node: name.into() });
    }
    node.iterations = count;
    Ok(())
}

pub(super) fn node_mut<'a>(document: &'a mut Document, scope: &Scope, name: &str) -> Result<&'a mut Node, Refusal> {
    level_mut(document, scope)?.into_nodes().get_mut(name).ok_or_else(|| no_node(scope, name))
}
