//! The stages and library groups that a graph may name.

pub mod earlier;
pub mod reference;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::document::{Document, Group, NodeKind, ReadError};
use crate::files::{self, MAX_STAGE, read};
use crate::problem::{Problem, Problems};
pub use crate::spelling::close_names;
use crate::spelling::edit_distance;
use crate::stage::header::Header;
use crate::stage::{MAX_USED_FILES, SharedFile, SharedFiles, Stage, StageError, UseTarget, is_shared};
use stagewright_graphs::GROUPS;
use stagewright_shaders::SHADERS;

/// What a name in a graph refers to.
#[derive(Clone, Debug)]
pub enum Definition {
    /// A stage of one dispatch.
    Stage(Arc<Stage>),
    /// A stage of several passes: a group of one-dispatch stages that the user can open.
    Group(Arc<Group>),
}

/// A file of the user's folder, whether it parses or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Text of the file when the folder was read.
    pub text: String,
}

/// Stages and groups by name. Built-in ones come from `shaders/` and `graphs/lib/`, the user's from a folder; all are
/// parsed the same way.
#[derive(Clone, Debug, Default)]
pub struct Library {
    entries: BTreeMap<String, Entry>,
    /// Files without `fn stage`, which stages use.
    shared: BTreeMap<String, SharedEntry>,
    /// Errors of added files that did not parse; a graph that names one of them reports these.
    broken: BTreeMap<String, Vec<StageError>>,
    /// The files of the user's folder.
    files: BTreeMap<String, StageFile>,
    /// Built-in names that such files replace.
    replaced: BTreeSet<String>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Entry {
    BuiltIn(Arc<BuiltIn>),
    Added(Parsed),
}

/// A shared file.
#[derive(Clone, Debug)]
enum SharedEntry {
    /// Parsed when it is first used.
    BuiltIn(Arc<BuiltInShared>),
    /// A file that was added, with its text.
    Added(Result<Arc<SharedFile>, Vec<StageError>>, Arc<str>),
}

/// A shared file that comes with the program.
#[derive(Debug)]
struct BuiltInShared {
    /// Path in `shaders/`, with the extension.
    path: &'static str,
    parsed: OnceLock<Result<Arc<SharedFile>, Vec<StageError>>>,
}

impl SharedEntry {
    fn parsed(&self) -> Result<&Arc<SharedFile>, &[StageError]> {
        let parsed = match self {
            SharedEntry::BuiltIn(file) => file.parsed.get_or_init(|| {
                let name = file.path.strip_suffix(".wgsl").unwrap_or(file.path);
                shared_file(name, &SHADERS.text(file.path).unwrap_or_default())
            }),
            SharedEntry::Added(parsed, _) => parsed,
        };
        parsed.as_ref().map_err(Vec::as_slice)
    }
}

fn shared_file(name: &str, source: &str) -> Result<Arc<SharedFile>, Vec<StageError>> {
    SharedFile::parse(name, source).map(Arc::new)
}

/// A shared file that a graph stores.
fn graph_file(name: &str, source: &str) -> Result<Arc<SharedFile>, Vec<StageError>> {
    if is_shared(source) {
        return shared_file(name, source);
    }
    let cause = "the text has `fn stage`, so it is a stage and not a shared file";
    Err(vec![StageError::new(1, 1, format!("{cause}; remove the function, or make it a Custom node"))])
}

/// The folder of the shared files that come with the program.
const SHARED_FOLDER: &str = "shared/";

/// A file that was parsed.
#[derive(Clone, Debug)]
struct Parsed {
    definition: Definition,
    /// What people call it.
    title: String,
}

/// A built-in file, parsed when its name is first asked for: most graphs use a few of them.
#[derive(Debug)]
struct BuiltIn {
    /// Path in its folder, with the extension.
    path: &'static str,
    parsed: OnceLock<Result<Parsed, Vec<StageError>>>,
}

impl Entry {
    fn parsed(&self) -> Option<&Parsed> {
        match self {
            Entry::BuiltIn(file) => file.parsed().as_ref().ok(),
            Entry::Added(parsed) => Some(parsed),
        }
    }

    fn definition(&self) -> Option<&Definition> {
        Some(&self.parsed()?.definition)
    }

    fn errors(&self) -> Option<&[StageError]> {
        match self {
            Entry::BuiltIn(file) => file.parsed().as_ref().err().map(Vec::as_slice),
            Entry::Added(_) => None,
        }
    }

    fn is_group(&self) -> bool {
        match self {
            Entry::BuiltIn(file) => file.path.ends_with(".ron"),
            Entry::Added(parsed) => matches!(parsed.definition, Definition::Group(_)),
        }
    }
}

impl BuiltIn {
    fn parsed(&self) -> &Result<Parsed, Vec<StageError>> {
        self.parsed.get_or_init(|| match self.path.strip_suffix(".wgsl") {
            // Files of the user never change what comes with the program.
            Some(name) => stage(name, &SHADERS.text(self.path).unwrap_or_default(), Library::builtin()),
            None => group(self.path, &GROUPS.text(self.path).unwrap_or_default()),
        })
    }
}

fn stage(name: &str, source: &str, files: &dyn SharedFiles) -> Result<Parsed, Vec<StageError>> {
    let parsed =
        |stage: Stage| Parsed { title: stage.header.title.clone(), definition: Definition::Stage(Arc::new(stage)) };
    Stage::parse_using(name, source, files).map(parsed)
}

/// A group file is a document with a group as its single node. The document's name is the group's title.
fn group(path: &str, text: &str) -> Result<Parsed, Vec<StageError>> {
    match Document::parse(text) {
        Ok(document) if !document.shared.is_empty() => {
            let cause = "a library file holds one group, and no `shared` functions";
            Err(vec![StageError::new(1, 1, format!("{cause}; put them into a file of the stages folder"))])
        }
        Ok(document) => match document.nodes.into_values().next().map(|node| node.kind) {
            Some(NodeKind::Group(group)) => {
                let file = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".ron");
                let title =
                    Some(document.name).filter(|name| !name.is_empty()).unwrap_or_else(|| file.replace('_', " "));
                Ok(Parsed { definition: Definition::Group(Arc::from(group)), title })
            }
            _ => Err(vec![StageError::new(1, 1, "a library file holds one node, a group")]),
        },
        Err(ReadError::Syntax { line, column, message }) => Err(vec![StageError::new(line, column, message)]),
        Err(other) => Err(vec![StageError::new(1, 1, other.to_string())]),
    }
}

/// Limit of stage and group files in the user's folder.
const MAX_FILES: usize = 4096;
/// Limit of their total size \[bytes\].
const MAX_TOTAL: u64 = 64 << 20;
/// Limit of files and folders that are visited.
const MAX_ENTRIES: usize = 65_536;
/// Limit of nested folders.
const MAX_DEPTH: usize = 16;

/// The stages folder of a graph when the user names none: `stages` beside its file, if it exists. A symbolic link of
/// that name counts, and is an error when the folder is read.
pub fn folder_beside(graph: &Path) -> Option<PathBuf> {
    let folder = graph.parent()?.join("stages");
    let about = std::fs::symlink_metadata(&folder).ok()?;
    (about.is_dir() || about.is_symlink()).then_some(folder)
}

fn other(cause: impl Into<String>) -> std::io::Error {
    std::io::Error::other(cause.into())
}

/// Files below a folder with the extensions of stages and groups, sorted. Linked folders are skipped.
fn stage_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![(folder.to_path_buf(), 0)];
    let mut entries = 0;
    while let Some((current, depth)) = pending.pop() {
        for entry in std::fs::read_dir(&current)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            entries += 1;
            match path.extension().and_then(|ending| ending.to_str()) {
                _ if kind.is_dir() && depth == MAX_DEPTH => {
                    return Err(other(format!("its folders are more than {MAX_DEPTH} deep")));
                }
                _ if kind.is_dir() => pending.push((path, depth + 1)),
                Some("wgsl" | "ron") => found.push(path),
                _ => {}
            }
            if found.len() > MAX_FILES || entries > MAX_ENTRIES {
                return Err(other(format!(
                    "it holds more than {MAX_FILES} stages, or more than {MAX_ENTRIES} files of any kind"
                )));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

impl Library {
    /// The built-in library. Each of its files is parsed once a process, when it is first asked for.
    pub fn builtin() -> &'static Library {
        static BUILTIN: OnceLock<Library> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let entry = |path: &'static str| {
                let (name, _) = path.rsplit_once('.')?;
                Some((name.to_string(), Entry::BuiltIn(Arc::new(BuiltIn { path, parsed: OnceLock::new() }))))
            };
            let (shared, stages): (Vec<&'static str>, Vec<&'static str>) = SHADERS
                .names()
                .filter(|path| path.ends_with(".wgsl"))
                .partition(|path| path.starts_with(SHARED_FOLDER));
            let shared = shared.into_iter().filter_map(|path| {
                let file = BuiltInShared { path, parsed: OnceLock::new() };
                Some((path.strip_suffix(".wgsl")?.to_string(), SharedEntry::BuiltIn(Arc::new(file))))
            });
            let groups = GROUPS.names().filter(|path| path.ends_with(".ron"));
            Library {
                entries: stages.into_iter().chain(groups).filter_map(entry).collect(),
                shared: shared.collect(),
                ..Library::default()
            }
        })
    }

    /// Adds a stage or a file of functions that stages share, or replaces the one of this name. Stages that use a shared
    /// file are added after it.
    pub fn add_stage(&mut self, name: &str, source: &str) {
        if is_shared(source) {
            self.add_shared(name, source);
        } else {
            self.insert(name, stage(name, source, self));
        }
    }

    fn add_shared(&mut self, name: &str, source: &str) {
        self.entries.remove(name);
        self.broken.remove(name);
        let parsed = shared_file(name, source);
        if let Err(errors) = &parsed {
            self.broken.insert(name.to_string(), errors.clone());
        }
        self.shared.insert(name.to_string(), SharedEntry::Added(parsed, source.into()));
    }

    /// The library with the shared files of a graph, which precede those of the same name.
    pub fn with_shared_of<'a>(&'a self, document: &Document) -> Cow<'a, Library> {
        if document.shared.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut library = self.clone();
        let added = |(name, source): (&String, &String)| {
            (name.clone(), SharedEntry::Added(graph_file(name, source), source.as_str().into()))
        };
        library.shared.extend(document.shared.iter().map(added));
        Cow::Owned(library)
    }

    /// Adds a group file, which is a document with a group as its single node, or replaces the one of this name.
    pub fn add_group(&mut self, name: &str, text: &str) {
        self.insert(name, group(name, text));
    }

    fn insert(&mut self, name: &str, entry: Result<Parsed, Vec<StageError>>) {
        self.entries.remove(name);
        self.shared.remove(name);
        self.broken.remove(name);
        match entry {
            Ok(parsed) => drop(self.entries.insert(name.to_string(), Entry::Added(parsed))),
            Err(errors) => drop(self.broken.insert(name.to_string(), errors)),
        }
    }

    /// The built-in library, overridden by a user's folder. Where a file does not parse, the version in `before`, a
    /// library of the same folder, is kept.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn with_folder(folder: &Path, before: &Library) -> std::io::Result<Library> {
        let mut library = Library::builtin().clone();
        library.add_folder(folder)?;
        for name in library.broken.keys() {
            if let Some(last) = before.entries.get(name).filter(|_| before.files.contains_key(name)) {
                library.entries.insert(name.clone(), last.clone());
            }
        }
        Ok(library)
    }

    /// Adds every `.wgsl` and `.ron` file below a folder, named by its relative path. A user's file replaces a built-in
    /// stage of the same name, which [`Library::warnings`] reports. Links are not followed.
    ///
    /// # Errors
    /// When the folder cannot be read, is a symbolic link, or exceeds a limit. Files that cannot be read are reported
    /// by [`Library::broken`].
    pub fn add_folder(&mut self, folder: &Path) -> std::io::Result<()> {
        let folder: PathBuf = folder.components().collect();
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        if std::fs::symlink_metadata(folder)?.is_symlink() {
            return Err(other("it is a symbolic link, which is not followed; give the folder that it points to"));
        }
        let mut total = 0;
        let mut texts = Vec::new();
        for path in stage_files(folder)? {
            let text = read::bytes_without_links(&path, MAX_STAGE).and_then(read::text_of);
            total += text.as_ref().map_or(0, String::len) as u64;
            if total > MAX_TOTAL {
                return Err(other(format!("its stages have more than {} MiB", MAX_TOTAL >> 20)));
            }
            texts.push((path, text));
        }
        // Stages use shared files, so these come first.
        let is_shared_file = |(path, text): &(PathBuf, Result<String, files::ReadError>)| {
            path.extension().is_none_or(|ending| ending != "ron") && text.as_ref().is_ok_and(|text| is_shared(text))
        };
        let (shared, others): (Vec<_>, Vec<_>) = texts.into_iter().partition(is_shared_file);
        let mut names: Vec<String> = Vec::new();
        for (path, text) in shared {
            names.extend(self.add_file(folder, path, text));
        }
        for name in names {
            let errors = self.shared(&name).and_then(|file| file.check(self).err());
            if let Some(errors) = errors {
                self.broken.insert(name, errors);
            }
        }
        for (path, text) in others {
            self.add_file(folder, path, text);
        }
        Ok(())
    }

    /// Adds a file of a folder; returns its name.
    fn add_file(&mut self, folder: &Path, path: PathBuf, text: Result<String, files::ReadError>) -> Option<String> {
        let relative = path.strip_prefix(folder).ok()?;
        let name = relative.with_extension("").to_string_lossy().replace('\\', "/");
        if Library::builtin().get(&name).is_some() || Library::builtin().shared.contains_key(&name) {
            self.replaced.insert(name.clone());
        }
        match &text {
            Ok(text) if path.extension().is_some_and(|ending| ending == "ron") => self.add_group(&name, text),
            Ok(text) => self.add_stage(&name, text),
            Err(error) => self.insert(&name, Err(vec![StageError::new(1, 1, format!("it can't be read: {error}"))])),
        }
        self.files.insert(name.clone(), StageFile { path, text: text.unwrap_or_default() });
        Some(name)
    }

    /// The file of the user's folder that defines a name.
    pub fn file(&self, name: &str) -> Option<&StageFile> {
        self.files.get(name)
    }

    /// All files of the user's folder, by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &StageFile)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file))
    }

    /// Warnings about names: files of the user that replace something built-in.
    pub fn warnings(&self) -> Problems {
        let warning = |name: &String| {
            let file = self.files.get(name)?.path.display();
            let cause = format!("{file} replaces the built-in `{name}` in every graph that uses it");
            Some(Problem::new("", "", cause, "rename the file if this is not intended").warning())
        };
        Problems(self.replaced.iter().filter_map(warning).collect())
    }

    /// The stage or group of this name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.entries.get(name)?.definition()
    }

    /// How often a node of this stage usually runs in a frame, where its author says so: as many sweeps as a solver needs.
    pub fn usual_iterations(&self, name: &str) -> Option<u32> {
        self.stage(name)?.header.iterations
    }

    /// What people call the stage or group of this name.
    pub fn title(&self, name: &str) -> Option<&str> {
        Some(&self.entries.get(name)?.parsed()?.title)
    }

    /// The stage of this name.
    pub fn stage(&self, name: &str) -> Option<&Arc<Stage>> {
        match self.get(name) {
            Some(Definition::Stage(stage)) => Some(stage),
            _ => None,
        }
    }

    /// The shared file of this name.
    pub fn shared(&self, name: &str) -> Option<&Arc<SharedFile>> {
        self.shared.get(name)?.parsed().ok()
    }

    /// The text of the shared file of this name, whether it parses or not.
    pub fn shared_text(&self, name: &str) -> Option<Cow<'_, str>> {
        let entry = self.shared.get(name)?;
        Some(match entry {
            SharedEntry::BuiltIn(file) => SHADERS.text(file.path).unwrap_or_default(),
            SharedEntry::Added(_, text) => Cow::Borrowed(text),
        })
    }

    /// Names of all shared files, sorted.
    pub fn shared_names(&self) -> impl Iterator<Item = &str> {
        self.shared.keys().map(String::as_str)
    }

    /// All shared files without errors, sorted by name.
    pub fn shared_files(&self) -> impl Iterator<Item = &SharedFile> {
        self.shared.values().filter_map(|entry| entry.parsed().ok().map(Arc::as_ref))
    }

    /// The shared files that a header uses, directly or through others, as far as they are there.
    pub fn used_by(&self, header: &Header) -> Vec<Arc<SharedFile>> {
        let mut found: Vec<Arc<SharedFile>> = Vec::new();
        let mut pending: Vec<String> = header.uses.iter().map(|used| used.name.clone()).collect();
        while let Some(name) = pending.pop().filter(|_| found.len() < MAX_USED_FILES) {
            if let Some(file) = self.shared(&name).filter(|_| found.iter().all(|other| other.name != name)) {
                pending.extend(file.header.uses.iter().map(|used| used.name.clone()));
                found.push(file.clone());
            }
        }
        found
    }

    /// Whether a name is that of a shared file, with or without errors.
    pub fn is_shared(&self, name: &str) -> bool {
        self.shared.contains_key(name)
    }

    /// The errors of a file that did not parse.
    pub fn errors(&self, name: &str) -> Option<&[StageError]> {
        let added = self.broken.get(name).map(Vec::as_slice);
        added.or_else(|| self.entries.get(name)?.errors())
    }

    /// Every file that did not parse, with its errors.
    pub fn broken(&self) -> impl Iterator<Item = (&str, &[StageError])> {
        let built_in = self.entries.iter().filter_map(|(name, entry)| Some((name.as_str(), entry.errors()?)));
        let shared = self.shared.iter().filter(|(_, entry)| matches!(entry, SharedEntry::BuiltIn(_)));
        let shared = shared.filter_map(|(name, entry)| Some((name.as_str(), entry.parsed().err()?)));
        built_in.chain(shared).chain(self.broken.iter().map(|(name, errors)| (name.as_str(), errors.as_slice())))
    }

    /// All stages, sorted by name.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.entries.values().filter(|entry| !entry.is_group()).filter_map(|entry| match entry.definition()? {
            Definition::Stage(stage) => Some(stage.as_ref()),
            Definition::Group(_) => None,
        })
    }

    /// All groups, sorted by name.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &Group)> {
        self.entries.iter().filter(|(_, entry)| entry.is_group()).filter_map(|(name, entry)| {
            match entry.definition()? {
                Definition::Group(group) => Some((name.as_str(), group.as_ref())),
                Definition::Stage(_) => None,
            }
        })
    }

    /// The name closest to a misspelt one, if any is similar.
    pub fn closest(&self, name: &str) -> Option<&str> {
        closest(name, self.entries.keys())
    }
}

impl SharedFiles for Library {
    fn find(&self, name: &str) -> UseTarget {
        match (self.shared.get(name), self.entries.get(name)) {
            (Some(entry), _) => match entry.parsed() {
                Ok(file) => UseTarget::File(file.clone()),
                Err(errors) => UseTarget::Invalid(errors.to_vec()),
            },
            (None, Some(entry)) => UseTarget::Other(if entry.is_group() { "a group" } else { "a stage" }),
            // One of the user's folder that cannot be read.
            (None, None) => match self.broken.get(name) {
                Some(errors) => UseTarget::Invalid(errors.clone()),
                None => UseTarget::Missing(closest(name, self.shared.keys()).map(String::from)),
            },
        }
    }
}

/// The name closest to a misspelt one, if any is similar.
fn closest<'a>(name: &str, names: impl Iterator<Item = &'a String> + Clone) -> Option<&'a str> {
    let tail = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
    let wanted = tail(name);
    // Several folders have a stage of the same name.
    let score = |key: &str| (edit_distance(&wanted, &tail(key)), edit_distance(name, key));
    // A name that was not written to its end.
    let is_longer = |key: &&String| wanted.len() > 2 && tail(key).starts_with(&wanted);
    if let Some(longer) = names.clone().filter(is_longer).min_by_key(|key| edit_distance(name, key)) {
        return Some(longer);
    }
    let closest = names.map(|key| (score(key), key)).min();
    closest.filter(|((distance, _), _)| *distance <= (wanted.len() / 3).max(1)).map(|(_, key)| key.as_str())
}

#[cfg(test)]
mod tests;
