//! Commands that group, ungroup and make local copies.

use super::session::Session;
use crate::edit;

/// Makes a local copy of the selected stage or library group, or of the library group that is open.
pub(crate) fn make_local_copy(session: &mut Session) -> Result<(), String> {
    let (scope, name) = match session.library_group() {
        Some((scope, name)) => (scope, name),
        None => (session.scope().clone(), session.selection.first().cloned().unwrap_or_default()),
    };
    let mut after = session.document().clone();
    edit::make_local_copy(&mut after, &scope, &name, session.library())?;
    session.edit("make local copy", |document| *document = after);
    Ok(())
}

/// Puts the selected nodes into a group, and selects the group.
pub(crate) fn group(session: &mut Session) -> Result<(), String> {
    let (mut after, scope) = (session.document().clone(), session.scope().clone());
    let name = edit::make_group(&mut after, &scope, &session.selection.nodes, "group", session.library())?;
    session.edit("group", |document| *document = after);
    session.selection.nodes = [name].into();
    Ok(())
}

/// Replaces the selected group by its nodes, and selects them.
pub(crate) fn ungroup(session: &mut Session) -> Result<(), String> {
    let (mut after, scope) = (session.document().clone(), session.scope().clone());
    let name = session.selection.first().cloned().unwrap_or_default();
    let come = edit::ungroup(&mut after, &scope, &name, session.library())?;
    session.edit("ungroup", |document| *document = after);
    session.selection.nodes = come;
    Ok(())
}
