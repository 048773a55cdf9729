//! Commands that change how a graph is made up of groups and of what is one's own.

use super::session::Session;
use crate::edit;

/// Copies the selected built-in into the graph, or the library's group that is open.
pub fn make_mine(session: &mut Session) -> Result<(), String> {
    let (scope, name) = match session.library_group() {
        Some((scope, name)) => (scope, name),
        None => (session.scope().clone(), session.selection.first().cloned().unwrap_or_default()),
    };
    let mut after = session.document().clone();
    edit::make_mine(&mut after, &scope, &name, session.library())?;
    session.edit("make mine", |document| *document = after);
    Ok(())
}

/// Puts the selected nodes into a group, which is selected then.
pub fn group(session: &mut Session) -> Result<(), String> {
    let (mut after, scope) = (session.document().clone(), session.scope().clone());
    let name = edit::make_group(&mut after, &scope, &session.selection.nodes, "group", session.library())?;
    session.edit("group", |document| *document = after);
    session.selection.nodes = [name].into();
    Ok(())
}

/// Puts the nodes of the selected group in its place, and selects them.
pub fn ungroup(session: &mut Session) -> Result<(), String> {
    let (mut after, scope) = (session.document().clone(), session.scope().clone());
    let name = session.selection.first().cloned().unwrap_or_default();
    let come = edit::ungroup(&mut after, &scope, &name, session.library())?;
    session.edit("ungroup", |document| *document = after);
    session.selection.nodes = come;
    Ok(())
}
