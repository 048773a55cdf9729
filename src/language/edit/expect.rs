//! Expectations: added, removed, and adjusted, like variants, when nodes are renamed or moved to another level.
//!
//! An expectation of a removed node stays, and a warning says that its subject does not exist: what an author expects
//! must not disappear unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use crate::document::{Document, Expect, Link, Scope, sole_output};

/// Refuses to move nodes over the border of a group where a variant replaces their wires: the border is the same in all variants.
///
/// # Errors
/// The variant and the node, and what to do.
pub(super) fn same_wires(
    document: &Document,
    level: &Scope,
    names: &BTreeSet<String>,
    whole: bool,
) -> Result<(), Refusal> {
    match document.rewired_by_variant(level, names, whole) {
        None => Ok(()),
        Some((variant, node)) => Err(Refusal::ReplacedByVariant { variant: variant.into(), node }),
    }
}

/// Appends an expectation.
pub fn add_expectation(document: &mut Document, expect: Expect) {
    document.expect.push(expect);
}

/// Removes an expectation by its index.
///
/// # Errors
/// When it no longer exists.
pub fn remove_expectation(document: &mut Document, index: usize) -> Result<(), Refusal> {
    if index >= document.expect.len() {
        return Err(Refusal::NoSuchExpectation { index });
    }
    document.expect.remove(index);
    Ok(())
}

/// The name of the node at `level` that contains the subject of an expectation.
fn name_at<'a>(level: &Scope, scope: &'a Scope, link: &'a Link) -> Option<&'a str> {
    let depth = level.0.len();
    (scope.0.get(..depth)? == level.0.as_slice()).then(|| scope.0.get(depth).unwrap_or(&link.node).as_str())
}

/// The subject with another name at `level`.
fn with_name(level: &Scope, scope: &Scope, link: &Link, new: &str) -> (Scope, Link) {
    let (mut scope, mut link) = (scope.clone(), link.clone());
    match scope.0.get_mut(level.0.len()) {
        Some(name) => *name = new.into(),
        None => link.node = new.into(),
    }
    (scope, link)
}

/// Adjusts expectations, presets of exports and variants after a node of a level was renamed.
pub(super) fn follow_rename(document: &mut Document, level: &Scope, old: &str, new: &str) {
    let change = |scope: &Scope, link: &Link| {
        let here = name_at(level, scope, link)? == old;
        here.then(|| with_name(level, scope, link, new))
    };
    document.retarget_expectations(change);
    document.retarget_exports(change);
    document.retarget_variants(change);
}

/// Adjusts expectations, presets of exports and variants after nodes were moved into a group.
pub(super) fn follow_into_group(document: &mut Document, level: &Scope, moved: &BTreeSet<String>, group: &str) {
    let change = |scope: &Scope, link: &Link| {
        let name = name_at(level, scope, link)?;
        moved.contains(name).then(|| {
            let mut scope = scope.clone();
            scope.0.insert(level.0.len(), group.into());
            (scope, link.clone())
        })
    };
    document.retarget_expectations(change);
    document.retarget_exports(change);
    document.retarget_variants(change);
}

/// Adjusts expectations, presets of exports and variants after the nodes of a group were moved out of it under new names. An output of the group becomes
/// the wire that it passed on.
pub(super) fn follow_out_of_group(
    document: &mut Document,
    level: &Scope,
    group: &str,
    names: &BTreeMap<String, String>,
    shown: &BTreeMap<String, Link>,
) {
    let inside = level.inside(group);
    let out = |scope: &Scope, link: &Link| {
        let name = name_at(&inside, scope, link)?;
        let (mut scope, link) = with_name(&inside, scope, link, names.get(name)?);
        scope.0.remove(level.0.len());
        Some((scope, link))
    };
    document.retarget_variants(out);
    let change = |scope: &Scope, link: &Link| {
        if let Some(moved) = out(scope, link) {
            return Some(moved);
        }
        if scope != level || link.node != group {
            return None;
        }
        let (port, attribute) = link.port.split_once('.').map_or((link.port.as_str(), None), |(p, a)| (p, Some(a)));
        let only = || sole_output(shown.iter().map(|(name, link)| (name.as_str(), link))).filter(|_| port.is_empty());
        let wire = shown.get(port).or_else(only)?;
        let port = attribute.map_or_else(|| wire.port.clone(), |attribute| format!("{}.{attribute}", wire.port));
        Some((scope.clone(), Link { node: wire.node.clone(), port }))
    };
    document.retarget_expectations(change);
    document.retarget_exports(change);
}

/// Adjusts expectations and presets of exports after an output of a group was renamed.
pub(super) fn follow_output(document: &mut Document, level: &Scope, group: &str, old: &str, new: &str) {
    let change = |scope: &Scope, link: &Link| {
        if scope != level || link.node != group {
            return None;
        }
        let rest = link.port.strip_prefix(old).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
        Some((scope.clone(), Link { port: format!("{new}{rest}"), ..link.clone() }))
    };
    document.retarget_expectations(change);
    document.retarget_exports(change);
}
