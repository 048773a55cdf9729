//! The manuals that Stagewright's editor shows, as Markdown.

/// How to use the editor.
pub const EDITOR: &str = include_str!("editor.md");
/// How to write stages.
pub const STAGE_LANGUAGE: &str = include_str!("stage_language.md");
/// The format of graph files.
pub const GRAPH_FILE: &str = include_str!("graph_file.md");
/// The commands of the program.
pub const COMMAND_LINE: &str = include_str!("command_line.md");
/// The words of the field, and those of this program.
pub const GLOSSARY: &str = include_str!("glossary.md");
/// What a graph of another person can do.
pub const SECURITY: &str = include_str!("security.md");
