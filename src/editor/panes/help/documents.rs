//! The documents that ship.

/// The documents by the names of their files, with their titles.
pub(super) const DOCUMENTS: [(&str, &str, &str); 6] = [
    (MANUAL, "Getting started", stagewright_manuals::EDITOR),
    (LANGUAGE, "Stage language", stagewright_manuals::STAGE_LANGUAGE),
    ("graph_file.md", "Graph file", stagewright_manuals::GRAPH_FILE),
    ("command_line.md", "Command line", stagewright_manuals::COMMAND_LINE),
    ("glossary.md", "Glossary", stagewright_manuals::GLOSSARY),
    ("security.md", "Security", stagewright_manuals::SECURITY),
];
pub(crate) const MANUAL: &str = "editor.md";
pub(crate) const LANGUAGE: &str = "stage_language.md";

/// The text of a document by its file name.
pub(super) fn document(name: &str) -> Option<&'static str> {
    DOCUMENTS.iter().find(|(file, ..)| *file == name).map(|(.., text)| *text)
}

/// Whether the pane can open a link.
pub(super) fn opens(link: &str) -> bool {
    let file = link.split('#').next().unwrap_or_default();
    file.is_empty() || file.starts_with("http") || document(file).is_some()
}
