//! Graph files on disk, and those that ship inside the program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::document::{Document, Salvaged, salvage};
use crate::files::{self, MAX_GRAPH, write};
use stagewright_embed::Folder;
use stagewright_graphs::{EXAMPLES, TEMPLATES, THUMBNAILS};

/// How long a window that is closed waits for a disk, which may never answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What the editor shows when it is opened without a file.
pub(crate) const FIRST: &str = "stable_fluids";

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of the user.
    File(PathBuf),
    /// A graph that ships with the program, by name.
    Example(String),
    /// A template, by name.
    Template(String),
    /// An empty graph.
    Empty,
    /// Another source with a variant chosen.
    Variant(Box<Source>, String),
}

/// Why a document cannot be opened, and what could be recovered.
#[derive(Debug)]
pub(crate) struct Broken {
    /// What is wrong, with line and column, in one sentence.
    pub sentence: String,
    /// What could be recovered from a text that is not a valid graph.
    pub salvaged: Option<Box<Salvaged>>,
    /// There is no such file.
    pub missing: bool,
}

/// Names of the graphs that ship.
pub(crate) fn examples() -> Vec<String> {
    names(&EXAMPLES)
}

/// Names of the templates.
pub(crate) fn templates() -> Vec<String> {
    names(&TEMPLATES)
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = folder.names().filter_map(|p| p.strip_suffix(".ron").map(str::to_string)).collect();
    names.sort();
    names
}

/// The image of an example or a template, a PNG file.
pub(crate) fn thumbnail(name: &str) -> Option<&'static [u8]> {
    THUMBNAILS.get(&format!("{name}.png"))
}

/// Reads a document.
///
/// # Errors
/// What is wrong with the file, and what could be recovered from it.
pub(crate) fn load(source: &Source) -> Result<Document, Broken> {
    let shipped = |name: &str, folder: &Folder| {
        let text = folder.text(&format!("{name}.ron"));
        let text = text.ok_or_else(|| plain(format!("there is no built-in graph `{name}`")))?;
        Document::parse(&text).map_err(|e| plain(format!("{name}: {e}")))
    };
    match source {
        Source::File(path) => read(path),
        Source::Example(name) => shipped(name, &EXAMPLES),
        Source::Template(name) => shipped(name, &TEMPLATES),
        Source::Empty => Ok(Document::default()),
        Source::Variant(source, name) => {
            let document = load(source)?;
            document.with_variant(Some(name)).map_err(|problems| plain(problems.to_string()))
        }
    }
}

/// Reads a graph file.
///
/// # Errors
/// As [`load`].
pub(crate) fn read(path: &Path) -> Result<Document, Broken> {
    let bytes = files::read::bytes(path, MAX_GRAPH).map_err(|e| {
        let missing = e == files::read::ReadError::Missing;
        Broken { missing, ..plain(format!("{} can't be read: {e}", path.display())) }
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Document::parse(&text).map_err(|e| Broken {
        sentence: format!("{} is not a valid graph: {e}", path.display()),
        salvaged: Some(Box::new(salvage(&text))),
        missing: false,
    })
}

/// Writes a stage file of the user. A link in its place is replaced, because stages are never read through links.
///
/// # Errors
/// As [`save`].
pub(crate) fn save_stage(path: &Path, text: &str) -> Result<(), String> {
    write::replace(path, text.as_bytes()).map_err(|e| format!("{} can't be written: {e}", path.display()))
}

fn plain(sentence: String) -> Broken {
    Broken { sentence, salvaged: None, missing: false }
}

/// Writes a document, so that at every moment the file is the old one or the new one, whole. Where the path is a link, what it points at
/// is replaced.
///
/// # Errors
/// Why it can't be written, in one sentence; then the file is as it was.
pub(crate) fn save(path: &Path, document: &Document) -> Result<(), String> {
    save_text(path, &document.to_text())
}

/// Writes a text, so that at every moment the file is the old one or the new one, whole.
///
/// # Errors
/// As [`save`].
pub(crate) fn save_text(path: &Path, text: &str) -> Result<(), String> {
    write::replace_target(path, text.as_bytes()).map_err(|e| format!("{} can't be written: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stagewright-disk-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn every_shipped_graph_reads_and_the_first_is_among_them() {
        assert!(examples().contains(&FIRST.to_string()));
        for name in examples() {
            load(&Source::Example(name)).unwrap();
        }
        for name in templates() {
            load(&Source::Template(name)).unwrap();
        }
        assert_eq!(load(&Source::Empty).unwrap(), Document::default());
    }

    #[test]
    fn a_broken_file_says_where_and_what_could_be_kept() {
        let folder = folder("broken");
        let path = folder.join("graph.ron");
        let mut bytes = Document::default().to_text().into_bytes();
        bytes.truncate(bytes.len() - 4);
        fs::write(&path, &bytes).unwrap();
        let broken = read(&path).unwrap_err();
        assert!(broken.sentence.contains("graph.ron is not a valid graph: line 6, column 5: "), "{}", broken.sentence);
        assert!(broken.salvaged.unwrap().document.is_some());
        // Even if some bytes are not text, the rest may be recovered.
        fs::write(&path, b"(version: 1, name: \"a\", about: \xff, fps: 30, nodes: {})").unwrap();
        let kept = read(&path).unwrap_err().salvaged.unwrap();
        assert_eq!(kept.document.map(|d| (d.name, d.fps)), Some(("a".into(), 30.0)));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_saved_reads_back_and_nothing_else_is_left() {
        let folder = folder("save");
        let path = folder.join("graph.ron");
        let mut document = load(&Source::Example(FIRST.into())).unwrap();
        for name in ["first", "second"] {
            document.name = name.into();
            save(&path, &document).unwrap();
            assert_eq!(load(&Source::File(path.clone())).unwrap(), document);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn saving_through_a_link_keeps_the_link_and_the_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("link");
        let (path, link) = (folder.join("graph.ron"), folder.join("link.ron"));
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        save(&link, &Document::default()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(load(&Source::File(path.clone())).is_ok());
        // A stage is never read through a link, nor written through one.
        save_stage(&link, "a stage").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_file() && load(&Source::File(path)).is_ok());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_can_not_be_written_is_named() {
        let error = save(Path::new("/no/such/folder/graph.ron"), &Document::default()).unwrap_err();
        assert!(error.contains("/no/such/folder/graph.ron can't be written"), "{error}");
        let error = load(&Source::File("/no/such/graph.ron".into())).unwrap_err().sentence;
        assert!(error.contains("/no/such/graph.ron can't be read"), "{error}");
    }
}
