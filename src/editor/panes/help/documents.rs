//! The documents that ship.

/// The documents by the names of their files, with their titles.
pub(super) const DOCUMENTS: [(&str, &str, &str); 6] = [
    (MANUAL, "Getting started", include_str!("../../../../docs/editor.md")),
    (LANGUAGE, "Stage language", include_str!("../../../../docs/stage_language.md")),
    ("graph_file.md", "Graph file", include_str!("../../../../docs/graph_file.md")),
    ("command_line.md", "Command line", include_str!("../../../../docs/command_line.md")),
    ("glossary.md", "Glossary", include_str!("../../../../docs/glossary.md")),
    ("security.md", "Security", include_str!("../../../../docs/security.md")),
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
