//! Names of files and graphs in sentences and titles.

use std::path::PathBuf;

use crate::model::session::Session;

/// The file's name, or the graph's own.
pub(crate) fn display_name(session: &Session) -> String {
    let file = session.path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let graph_name = Some(session.document().name.clone()).filter(|name| !name.is_empty());
    file.or(graph_name).unwrap_or_else(|| "untitled".into())
}

/// Names of files for a sentence, without their folders.
pub(crate) fn names<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> String {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    paths.filter_map(name).collect::<Vec<_>>().join(", ")
}
