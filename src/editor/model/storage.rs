//! How the editor stores a user's work, without a window: saving, autosave, recovery and settings. The editor calls the same functions;
//! tests that kill a process while it writes call these.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk;
use super::session::Drafts;
use super::settings::{Settings, Store};
use crate::document::Document;
use crate::model::recovery::Recovery;

/// Longest time to wait until settings are written.
const ALL: Duration = Duration::from_secs(60);

/// Writes a document, so that at every moment the file is the old one or the new one, whole.
///
/// # Errors
/// Why it can't be written, in one sentence; then the file is as it was.
pub fn save(path: &Path, document: &Document) -> Result<(), String> {
    disk::save(path, document)
}

/// Reads a graph file.
///
/// # Errors
/// What is wrong with the file, with line and column, in one sentence.
pub fn load(path: &Path) -> Result<Document, String> {
    disk::read(path).map_err(|broken| broken.sentence)
}

/// Keeps an unsaved document, as a window does.
pub struct Autosave(Recovery);

impl Autosave {
    /// Writes changes to a folder, at most once in `pause`.
    pub fn new(folder: &Path, pause: Duration) -> Autosave {
        Autosave(Recovery::with_pause(Some(folder), pause))
    }

    /// Writes the document, unless it was written a moment ago.
    pub fn keep(&mut self, document: &Document) {
        self.0.keep_these(document, None, &Drafts::new(), true);
    }
}

/// The documents of windows that crashed, the latest first. They stay where they are.
pub fn recovered(folder: &Path) -> Vec<Document> {
    let left = Recovery::left(Some(folder));
    left.into_iter()
        .map(|left| {
            // The list of recovered graphs shows these.
            let _ = (left.difference(), left.as_file());
            *left.document
        })
        .collect()
}

/// The settings of a folder as text: the defaults, except for the fields of its file that can be parsed.
pub fn settings(folder: &Path) -> String {
    text(Store::open(Some(folder)).get())
}

/// The default settings as text.
pub fn default_settings() -> String {
    text(&Settings::default())
}

/// Adds a graph file to the recent files.
///
/// # Errors
/// Why the settings can't be written, in one sentence.
pub fn remember(folder: &Path, graph: &Path) -> Result<(), String> {
    let graph = PathBuf::from(graph);
    let mut store: Store = Store::open(Some(folder));
    store.change(move |settings| settings.remember(&graph))?;
    store.await_written(ALL)
}

fn text(settings: &Settings) -> String {
    ron::ser::to_string_pretty(settings, ron::ser::PrettyConfig::default()).unwrap_or_default()
}
