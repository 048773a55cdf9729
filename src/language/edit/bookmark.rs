//! Bookmarks: set, renamed, removed, and adjusted when nodes are renamed or moved to another level.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use crate::document::{Bookmark, Document, Scope};

/// Sets a bookmark, in place of the one with this number if there is one.
pub fn set_bookmark(document: &mut Document, number: &str, bookmark: Bookmark) {
    document.bookmarks.insert(number.into(), bookmark);
}

/// Gives a bookmark another name; an empty one removes the name.
///
/// # Errors
/// When it no longer exists.
pub fn rename_bookmark(document: &mut Document, number: &str, name: &str) -> Result<(), Refusal> {
    let bookmark = document.bookmarks.get_mut(number).ok_or_else(|| no_bookmark(number))?;
    bookmark.name = name.trim().into();
    Ok(())
}

/// Removes a bookmark.
///
/// # Errors
/// When it no longer exists.
pub fn remove_bookmark(document: &mut Document, number: &str) -> Result<(), Refusal> {
    document.bookmarks.remove(number).map(drop).ok_or_else(|| no_bookmark(number))
}

fn no_bookmark(number: &str) -> Refusal {
    Refusal::NoSuchBookmark { number: number.into() }
}

/// Adjusts bookmarks and bakes after a node of a level was renamed.
pub(super) fn follow_rename(document: &mut Document, level: &Scope, old: &str, new: &str) {
    let change = |scope: &Scope, name: &str| {
        if scope == level {
            return (name == old).then(|| (scope.clone(), new.into()));
        }
        let renamed = scope.0.strip_prefix(level.0.as_slice())?.first()? == old;
        renamed.then(|| {
            let mut scope = scope.clone();
            scope.0.iter_mut().skip(level.0.len()).take(1).for_each(|group| *group = new.into());
            (scope, name.into())
        })
    };
    document.retarget_bookmarks(change);
    document.retarget_bakes(change);
}

/// Adjusts bookmarks and bakes after nodes were moved into a group.
pub(super) fn follow_into_group(document: &mut Document, level: &Scope, moved: &BTreeSet<String>, group: &str) {
    let change = |scope: &Scope, name: &str| {
        let here = if scope == level { name } else { scope.0.strip_prefix(level.0.as_slice())?.first()? };
        moved.contains(here).then(|| {
            let mut scope = scope.clone();
            scope.0.insert(level.0.len(), group.into());
            (scope, name.into())
        })
    };
    document.retarget_bookmarks(change);
    document.retarget_bakes(change);
}

/// Adjusts bookmarks and bakes after the nodes of a group were moved out of it under new names, by this far on the canvas.
pub(super) fn follow_out_of_group(
    document: &mut Document,
    level: &Scope,
    group: &str,
    names: &BTreeMap<String, String>,
    by: (f32, f32),
) {
    let renamed = |name: &str| names.get(name).cloned().unwrap_or_else(|| name.into());
    let inside = level.inside(group);
    document.retarget_bakes(|scope, name| (*scope == inside).then(|| (level.clone(), renamed(name))));
    for bookmark in document.bookmarks.values_mut() {
        let scope = Scope::parse(&bookmark.level);
        if scope == *level && bookmark.select.iter().any(|name| name == group) {
            bookmark.select.retain(|name| name != group);
            bookmark.select.extend(names.values().cloned());
        }
        let Some(below) = scope.0.strip_prefix(inside.0.as_slice()) else { continue };
        let (mut path, first) = (level.clone(), below.first().map(|name| renamed(name)));
        if first.is_none() {
            bookmark.select.iter_mut().for_each(|name| *name = renamed(name));
            bookmark.center = (bookmark.center.0 + by.0, bookmark.center.1 + by.1);
        }
        path.0.extend(first.into_iter().chain(below.iter().skip(1).cloned()));
        bookmark.level = path.to_string();
    }
}
