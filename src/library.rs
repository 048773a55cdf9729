//! The stages and library groups that a graph may name.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rust_embed::RustEmbed;

use crate::document::{Document, Group, ReadError};
use crate::stage::{Stage, StageError};

#[derive(RustEmbed)]
#[folder = "shaders/"]
#[include = "*.wgsl"]
struct Shaders;

#[derive(RustEmbed)]
#[folder = "graphs/lib/"]
#[include = "*.ron"]
struct Groups;

/// What a name in a graph stands for.
#[derive(Clone, Debug)]
pub enum Definition {
    Stage(Arc<Stage>),
    /// A stage of several passes: a group of one-dispatch stages that a user can open.
    Group(Arc<Group>),
}

/// Stages and groups by name. Built-in ones come from `shaders/` and `graphs/lib/`, a user's from a folder of theirs; all
/// are parsed the same way.
#[derive(Clone, Debug, Default)]
pub struct Library {
    entries: BTreeMap<String, Definition>,
    /// Files that did not parse, with what is wrong: a graph that names one gets these.
    broken: BTreeMap<String, Vec<StageError>>,
}

impl Library {
    /// What ships. Parsed once a process.
    pub fn builtin() -> &'static Library {
        static BUILTIN: OnceLock<Library> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let mut library = Library::default();
            for path in Shaders::iter() {
                if let (Some(name), Some(file)) = (path.strip_suffix(".wgsl"), Shaders::get(&path)) {
                    library.add_stage(name, &String::from_utf8_lossy(&file.data));
                }
            }
            for path in Groups::iter() {
                if let (Some(name), Some(file)) = (path.strip_suffix(".ron"), Groups::get(&path)) {
                    library.add_group(name, &String::from_utf8_lossy(&file.data));
                }
            }
            library
        })
    }

    /// Adds a stage or replaces what has that name.
    pub fn add_stage(&mut self, name: &str, source: &str) {
        match Stage::parse(name, source) {
            Ok(stage) => self.insert(name, Ok(Definition::Stage(Arc::new(stage)))),
            Err(errors) => self.insert(name, Err(errors)),
        }
    }

    /// Adds a group file, a document whose single node is a group, or replaces what has that name.
    pub fn add_group(&mut self, name: &str, text: &str) {
        let entry = match Document::parse(text) {
            Ok(document) => match document.nodes.into_values().next().map(|node| node.kind) {
                Some(crate::document::NodeKind::Group(group)) => Ok(Definition::Group(Arc::from(group))),
                _ => Err(vec![StageError::new(1, 1, "a library file holds one node, a group")]),
            },
            Err(ReadError::Syntax { line, column, message }) => Err(vec![StageError::new(line, column, message)]),
            Err(other) => Err(vec![StageError::new(1, 1, other.to_string())]),
        };
        self.insert(name, entry);
    }

    fn insert(&mut self, name: &str, entry: Result<Definition, Vec<StageError>>) {
        self.entries.remove(name);
        self.broken.remove(name);
        match entry {
            Ok(definition) => drop(self.entries.insert(name.to_string(), definition)),
            Err(errors) => drop(self.broken.insert(name.to_string(), errors)),
        }
    }

    /// Adds every `.wgsl` and `.ron` below a folder, named by its path in it. What a user has replaces a built-in of the
    /// same name.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn add_folder(&mut self, folder: &Path) -> std::io::Result<()> {
        let mut pending = vec![folder.to_path_buf()];
        while let Some(current) = pending.pop() {
            for entry in std::fs::read_dir(&current)? {
                let path = entry?.path();
                if path.is_dir() {
                    pending.push(path);
                    continue;
                }
                let Ok(relative) = path.strip_prefix(folder) else { continue };
                let name = relative.with_extension("").to_string_lossy().replace('\\', "/");
                match path.extension().and_then(|e| e.to_str()) {
                    Some("wgsl") => self.add_stage(&name, &std::fs::read_to_string(&path)?),
                    Some("ron") => self.add_group(&name, &std::fs::read_to_string(&path)?),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.entries.get(name)
    }

    pub fn stage(&self, name: &str) -> Option<&Arc<Stage>> {
        match self.entries.get(name) {
            Some(Definition::Stage(stage)) => Some(stage),
            _ => None,
        }
    }

    /// What is wrong with a file that did not parse.
    pub fn errors(&self, name: &str) -> Option<&[StageError]> {
        self.broken.get(name).map(Vec::as_slice)
    }

    /// Every file that did not parse.
    pub fn broken(&self) -> impl Iterator<Item = (&str, &[StageError])> {
        self.broken.iter().map(|(name, errors)| (name.as_str(), errors.as_slice()))
    }

    /// All stages, sorted by name.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.entries.values().filter_map(|entry| match entry {
            Definition::Stage(stage) => Some(stage.as_ref()),
            Definition::Group(_) => None,
        })
    }

    /// All groups, sorted by name.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &Group)> {
        self.entries.iter().filter_map(|(name, entry)| match entry {
            Definition::Group(group) => Some((name.as_str(), group.as_ref())),
            Definition::Stage(_) => None,
        })
    }

    /// The name closest to a misspelt one, if any is close.
    pub fn closest(&self, name: &str) -> Option<&str> {
        let tail = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
        let wanted = tail(name);
        let scored = self.entries.keys().map(|key| (edit_distance(&wanted, &tail(key)), key));
        scored.min().filter(|(distance, _)| *distance <= wanted.len() / 3 + 1).map(|(_, key)| key.as_str())
    }
}

/// The names that are close to a misspelt one, the closest first.
pub fn close_names<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let scored = known.into_iter().map(|name| (edit_distance(wanted, name), name));
    let mut close: Vec<(usize, &str)> = scored.filter(|(distance, _)| *distance <= wanted.len() / 3 + 1).collect();
    close.sort_unstable();
    close.into_iter().map(|(_, name)| name).collect()
}

/// Levenshtein distance in characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (cb, above) in b.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(ca != *cb)).min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
