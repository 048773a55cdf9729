//! Expectations: added, removed, and kept at what they are about when nodes get other names or levels.
//!
//! An expectation of a removed node stays, and the graph's problems say that it is about nothing: what an author states about the results is not to
//! vanish by itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, Expect, Link, Scope};

/// Adds an expectation behind the others.
pub fn add_expectation(document: &mut Document, expect: Expect) {
    document.expect.push(expect);
}

/// Removes an expectation by its position.
///
/// # Errors
/// When it is gone.
pub fn remove_expectation(document: &mut Document, index: usize) -> Result<(), String> {
    if index >= document.expect.len() {
        return Err(format!("there is no expectation {}; it was removed", index + 1));
    }
    document.expect.remove(index);
    Ok(())
}

/// The name at a level of what lies at that level or further inside.
fn name_at<'a>(level: &Scope, scope: &'a Scope, link: &'a Link) -> Option<&'a str> {
    let depth = level.0.len();
    (scope.0.get(..depth)? == level.0.as_slice()).then(|| scope.0.get(depth).unwrap_or(&link.node).as_str())
}

/// The same place with another name at a level.
fn with_name(level: &Scope, scope: &Scope, link: &Link, new: &str) -> (Scope, Link) {
    let (mut scope, mut link) = (scope.clone(), link.clone());
    match scope.0.get_mut(level.0.len()) {
        Some(name) => *name = new.into(),
        None => link.node = new.into(),
    }
    (scope, link)
}

/// Follows a node of a level to its new name.
pub(super) fn follow_rename(document: &mut Document, level: &Scope, old: &str, new: &str) {
    document.retarget_expectations(|scope, link| {
        let here = name_at(level, scope, link)? == old;
        here.then(|| with_name(level, scope, link, new))
    });
}

/// Follows nodes of a level into a group of that level.
pub(super) fn follow_into_group(document: &mut Document, level: &Scope, moved: &BTreeSet<String>, group: &str) {
    document.retarget_expectations(|scope, link| {
        let name = name_at(level, scope, link)?;
        moved.contains(name).then(|| {
            let mut scope = scope.clone();
            scope.0.insert(level.0.len(), group.into());
            (scope, link.clone())
        })
    });
}

/// Follows the nodes of a group of a level out of it, to their new names; an output of the group, to the wire that it showed.
pub(super) fn follow_out_of_group(
    document: &mut Document,
    level: &Scope,
    group: &str,
    names: &BTreeMap<String, String>,
    shown: &BTreeMap<String, Link>,
) {
    let inside = level.inside(group);
    document.retarget_expectations(|scope, link| {
        if let Some(name) = name_at(&inside, scope, link) {
            let (mut scope, link) = with_name(&inside, scope, link, names.get(name)?);
            scope.0.remove(level.0.len());
            return Some((scope, link));
        }
        if scope != level || link.node != group {
            return None;
        }
        let (port, attribute) = link.port.split_once('.').map_or((link.port.as_str(), None), |(p, a)| (p, Some(a)));
        let only = || shown.values().next().filter(|_| port.is_empty() && shown.len() == 1);
        let wire = shown.get(port).or_else(only)?;
        let port = attribute.map_or_else(|| wire.port.clone(), |attribute| format!("{}.{attribute}", wire.port));
        Some((scope.clone(), Link { node: wire.node.clone(), port }))
    });
}

/// Follows an output of a group of a level to its new name.
pub(super) fn follow_output(document: &mut Document, level: &Scope, group: &str, old: &str, new: &str) {
    document.retarget_expectations(|scope, link| {
        if scope != level || link.node != group {
            return None;
        }
        let rest = link.port.strip_prefix(old).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
        Some((scope.clone(), Link { port: format!("{new}{rest}"), ..link.clone() }))
    });
}
