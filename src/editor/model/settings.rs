//! What the editor remembers from one start to the next: a RON file in the user's folder for settings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use eframe::egui::{self, ThemePreference};
use egui_tiles::Tree;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use super::pane::Pane;
use super::{disk, disk_work};
use crate::export::DEFAULT;
use crate::files::{read, write};
use crate::sim::timeline::Budget;
use crate::threads::join_within;

/// What the settings file holds: the keys of a command by its `Command::id`, where they are not the defaults.
pub(crate) type SavedKeys = BTreeMap<String, Vec<String>>;

/// The largest settings file \[bytes\].
const MAX_SETTINGS: u64 = 4 << 20;
/// How often, and how long each time, to wait for another window that writes the settings.
const LOCK_TRIES: usize = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// The number of recent files in the menu.
pub(crate) const RECENT: usize = 10;

/// Limits of the interface's scale, as egui has them for Ctrl+plus and Ctrl+minus.
const SMALLEST: f32 = 0.2;
const LARGEST: f32 = 5.0;
/// How often unsaved changes may be stored \[s\].
pub(crate) const AUTOSAVES: [u64; 4] = [5, 15, 60, 300];

/// Where the editor keeps its own files.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// For the settings; without it nothing is remembered.
    pub settings: Option<PathBuf>,
    /// For unsaved changes; without it nothing survives a crash.
    pub recovery: Option<PathBuf>,
}

impl Folders {
    /// The folders of the user, according to the system.
    pub fn of_user() -> Folders {
        let Some(folders) = directories::ProjectDirs::from("", "", "stagewright") else { return Folders::default() };
        Folders {
            settings: Some(folders.config_dir().to_path_buf()),
            recovery: Some(folders.data_local_dir().join("recovery")),
        }
    }
}

/// A field that cannot be parsed counts as absent; the others are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Graph files, the last one first.
    #[serde(deserialize_with = "tolerant")]
    pub recent: Vec<PathBuf>,
    #[serde(deserialize_with = "tolerant")]
    pub export: ExportChoices,
    #[serde(deserialize_with = "tolerant")]
    pub window: WindowChoices,
    /// Folders whose graphs may read files outside them.
    #[serde(deserialize_with = "tolerant")]
    pub allowed: BTreeSet<PathBuf>,
    /// The user's own memory budget for plans \[bytes\]; from the adapter when absent.
    #[serde(deserialize_with = "tolerant")]
    pub memory: Option<u64>,
    /// Memory for past frames.
    #[serde(deserialize_with = "tolerant")]
    pub timeline: Budget,
    /// How often unsaved changes are stored.
    #[serde(deserialize_with = "tolerant")]
    pub autosave: Autosave,
    /// Whether the shapes of dispatches are measured while the graph is not edited.
    #[serde(deserialize_with = "tolerant")]
    pub tuning: BackgroundTuning,
    /// Whether a change of a value with keys sets a key.
    #[serde(deserialize_with = "tolerant")]
    pub auto_key: AutoKey,
    /// What stops the run of graph files in the debugger, the last one first.
    #[serde(deserialize_with = "tolerant")]
    pub stops: Vec<(PathBuf, Stops)>,
    /// Keys of commands that are not the defaults.
    #[serde(deserialize_with = "tolerant_keys")]
    pub keys: SavedKeys,
    /// Numbers of the hints that were dismissed.
    #[serde(deserialize_with = "tolerant")]
    pub hints: BTreeSet<u8>,
}

/// The state of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct WindowChoices {
    /// Which of the two themes was shown last; all that versions without a choice of the system's theme know.
    pub dark: bool,
    #[serde(deserialize_with = "tolerant")]
    pub theme: Option<ThemePreference>,
    #[serde(deserialize_with = "tolerant")]
    pub scale: Scale,
    /// Panes and how they share the window; the default layout when absent.
    #[serde(deserialize_with = "tolerant")]
    pub panes: Option<Tree<Pane>>,
    pub heat: bool,
    pub minimap: bool,
    /// The user's choice; by the adapter when absent.
    #[serde(deserialize_with = "tolerant")]
    pub thumbnails: Option<bool>,
}

impl Default for WindowChoices {
    fn default() -> WindowChoices {
        WindowChoices {
            dark: true,
            theme: None,
            scale: Scale::default(),
            panes: None,
            heat: false,
            minimap: true,
            thumbnails: None,
        }
    }
}

impl WindowChoices {
    /// Gives a new window the theme and the scale.
    pub(crate) fn apply(&self, ctx: &egui::Context) {
        let shown = if self.dark { ThemePreference::Dark } else { ThemePreference::Light };
        ctx.set_theme(self.theme.unwrap_or(shown));
        // `set_zoom_factor` is for a window that has been drawn: it would scale a size that is not known yet.
        let scale = if self.scale.0.is_finite() { self.scale.0 } else { 1.0 };
        ctx.options_mut(|options| options.zoom_factor = scale.clamp(SMALLEST, LARGEST));
    }
}

/// The size of the interface, relative to that of the system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scale(pub f32);

impl Default for Scale {
    fn default() -> Scale {
        Scale(1.0)
    }
}

/// How often unsaved changes are stored \[s\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Autosave(pub u64);

impl Autosave {
    pub(crate) fn pause(self) -> Duration {
        Duration::from_secs(self.0.clamp(1, 3600))
    }
}

impl Default for Autosave {
    fn default() -> Autosave {
        Autosave(AUTOSAVES[0])
    }
}

/// Whether the shapes of dispatches are measured while the graph is not edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BackgroundTuning(pub bool);

impl Default for BackgroundTuning {
    fn default() -> BackgroundTuning {
        BackgroundTuning(true)
    }
}

/// Whether a change of a value with keys sets a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AutoKey(pub bool);

impl Default for AutoKey {
    fn default() -> AutoKey {
        AutoKey(true)
    }
}

/// What stops the run of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Stops {
    /// Conditions as they are typed.
    pub conditions: Vec<String>,
    /// Paths of nodes.
    pub breakpoints: BTreeSet<String>,
}

/// Graph files whose stops are kept.
const STOPS: usize = 50;

impl Settings {
    /// What stops the run of a graph file.
    pub(crate) fn stops_of(&self, path: &Path) -> Stops {
        self.stops.iter().find(|(file, _)| file == path).map(|(_, stops)| stops.clone()).unwrap_or_default()
    }

    /// Keeps what stops the run of a graph file.
    pub(crate) fn keep_stops(&mut self, path: &Path, stops: &Stops) {
        self.stops.retain(|(file, _)| file != path);
        if *stops != Stops::default() {
            self.stops.insert(0, (path.to_path_buf(), stops.clone()));
        }
        self.stops.truncate(STOPS);
    }
}

/// The settings of the last export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ExportChoices {
    pub first: u64,
    pub last: u64,
    /// Size of the images \[pixels\]; that of the Output when absent.
    pub size: Option<(u32, u32)>,
    /// The name of the format.
    pub format: String,
    pub folder: PathBuf,
    /// Names of the files with tokens; the usual ones when empty.
    pub names: String,
    /// Frames between two checkpoints; none when absent.
    pub checkpoints: Option<u64>,
}

impl Default for ExportChoices {
    fn default() -> ExportChoices {
        ExportChoices {
            first: 1,
            last: 240,
            size: None,
            format: DEFAULT.name.into(),
            folder: PathBuf::new(),
            names: String::new(),
            checkpoints: None,
        }
    }
}

fn tolerant<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw: Box<ron::value::RawValue> = Deserialize::deserialize(deserializer)?;
    Ok(ron::from_str(raw.get_ron()).unwrap_or_default())
}

/// An entry that cannot be parsed costs only itself.
fn tolerant_keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SavedKeys, D::Error> {
    let raw: Box<ron::value::RawValue> = Deserialize::deserialize(deserializer)?;
    let entries: BTreeMap<String, Box<ron::value::RawValue>> = ron::from_str(raw.get_ron()).unwrap_or_default();
    Ok(entries.into_iter().filter_map(|(id, keys)| Some((id, ron::from_str(keys.get_ron()).ok()?))).collect())
}

/// What is kept in a file of the user's folder for settings, which all windows share.
pub(crate) trait Kept: Clone + Default + Serialize + Send + 'static {
    /// Name of the file.
    const FILE: &'static str;
    /// What messages call it, in the plural.
    const NAME: &'static str;

    /// Parses the text of the file, which may be missing or unreadable.
    ///
    /// # Errors
    /// Why the file must not be replaced: the part of a sentence after its name.
    fn parse(text: Result<String, read::ReadError>) -> Result<Self, String>;
}

impl Kept for Settings {
    const FILE: &'static str = "settings.ron";
    const NAME: &'static str = "settings";

    fn parse(text: Result<String, read::ReadError>) -> Result<Settings, String> {
        Ok(text.ok().and_then(|text| ron::from_str(&text).ok()).unwrap_or_default())
    }
}

/// A change, applied to the settings of this window and to those on disk.
type Change<T> = Box<dyn FnOnce(&mut T) + Send>;
/// The settings as they are on disk after a change, or why they cannot be written.
type Written<T> = Result<T, String>;

/// The settings and their file, which other windows may change. It is written on a thread of its own, so that neither a slow
/// disk nor another window holds this one.
#[derive(Default)]
pub(crate) struct Store<T = Settings> {
    settings: T,
    file: Option<PathBuf>,
    writer: Option<Writer<T>>,
    /// Changes whose result is not known yet.
    open: usize,
}

struct Writer<T> {
    changes: Option<Sender<Change<T>>>,
    written: Receiver<Written<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Kept> Writer<T> {
    fn start(file: PathBuf) -> Option<Writer<T>> {
        let (changes, jobs) = channel::<Change<T>>();
        let (answer, written) = channel();
        let run = move || {
            let mut settings = load(&file).unwrap_or_default();
            for change in jobs {
                let result = write(&file, &mut settings, change);
                // The window may be gone.
                let _ = answer.send(result.map(|()| settings.clone()));
            }
        };
        // Not `background`: closing waits as long as a slow disk may take, so that no change is lost.
        let thread = std::thread::Builder::new().name(T::NAME.into()).spawn(run).ok()?;
        Some(Writer { changes: Some(changes), written, thread: Some(thread) })
    }
}

/// A window that is closed waits until its changes are written, unless the disk does not answer.
impl<T> Drop for Writer<T> {
    fn drop(&mut self) {
        self.changes = None;
        if let Some(thread) = self.thread.take() {
            join_within(thread, disk::PATIENCE);
        }
    }
}

impl<T: Kept> Store<T> {
    /// Reads the settings in a folder; the defaults if there are none, or none that can be parsed.
    pub(crate) fn open(folder: Option<&Path>) -> Store<T> {
        let file = folder.map(|folder| folder.join(T::FILE));
        let settings = file.as_deref().and_then(|file| load(file).ok()).unwrap_or_default();
        Store { settings, writer: file.clone().and_then(Writer::start), file, open: 0 }
    }

    pub(crate) fn get(&self) -> &T {
        &self.settings
    }

    /// Takes over what other windows have written meanwhile, if a prompt disk has it.
    pub(crate) fn renew(&mut self) {
        let Some(file) = self.file.clone().filter(|_| self.open == 0) else { return };
        if let Some(Ok(settings)) = disk_work::quick(move || load(&file)) {
            self.settings = settings;
        }
    }

    /// Changes the settings, here and on disk.
    ///
    /// # Errors
    /// Why they, or those of an earlier change, can't be written, in one sentence. Then they apply until the window is closed.
    pub(crate) fn change(&mut self, change: impl Fn(&mut T) + Send + 'static) -> Result<(), String> {
        change(&mut self.settings);
        let Some(changes) = self.writer.as_ref().and_then(|writer| writer.changes.as_ref()) else { return Ok(()) };
        if changes.send(Box::new(change)).is_ok() {
            self.open += 1;
        }
        self.await_written(disk_work::PROMPT)
    }

    /// Takes over what was written, and waits for it at most this long.
    ///
    /// # Errors
    /// As [`Store::change`].
    pub(crate) fn await_written(&mut self, wait: Duration) -> Result<(), String> {
        let since = Instant::now();
        let mut result = Ok(());
        while let Some(writer) = self.writer.as_ref().filter(|_| self.open > 0) {
            let Ok(written) = writer.written.recv_timeout(wait.saturating_sub(since.elapsed())) else { break };
            self.open -= 1;
            match written {
                // Later changes are not in it yet.
                Ok(settings) if self.open == 0 => self.settings = settings,
                Ok(_) => {}
                Err(sentence) => result = Err(sentence),
            }
        }
        result
    }
}

/// Changes the settings on disk.
fn write<T: Kept>(file: &Path, settings: &mut T, change: Change<T>) -> Result<(), String> {
    // The lock makes other windows wait, so that no change is lost.
    let _held = file.parent().and_then(lock);
    if file.is_file() {
        *settings = load(file)?;
    }
    change(settings);
    let text = ron::ser::to_string_pretty(settings, ron::ser::PrettyConfig::default());
    let written = text.map_err(|e| e.to_string()).and_then(|text| {
        if text.len() as u64 > MAX_SETTINGS {
            return Err("they take too much space".into());
        }
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)
            .and_then(|()| write::replace_target(file, text.as_bytes()))
            .map_err(|e| e.to_string())
    });
    written.map_err(|e| format!("the {} can't be written to {}: {e}", T::NAME, file.display()))
}

/// Locks the folder of the settings; `None` if that is not possible, or takes too long.
fn lock(folder: &Path) -> Option<write::FolderLock> {
    fs::create_dir_all(folder).ok()?;
    for _ in 0..LOCK_TRIES {
        if let Some(lock) = write::FolderLock::take(folder).ok()? {
            return Some(lock);
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    None
}

fn load<T: Kept>(file: &Path) -> Result<T, String> {
    let unfit = |cause| format!("the {} in {} {cause}", T::NAME, file.display());
    T::parse(read::text(file, MAX_SETTINGS)).map_err(unfit)
}

impl Settings {
    /// Lets the graphs of a graph's folder read files outside it.
    pub(crate) fn allow(&mut self, graph: &Path) {
        self.allowed.extend(folder(graph));
    }

    /// Whether the user has allowed that.
    pub(crate) fn allows(&self, graph: &Path) -> bool {
        folder(graph).is_some_and(|folder| self.allowed.contains(&folder))
    }

    /// Puts a file first in the list of recent files.
    pub(crate) fn remember(&mut self, path: &Path) {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.recent.retain(|other| *other != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }
}

/// The canonical folder of a graph, with links resolved.
fn folder(graph: &Path) -> Option<PathBuf> {
    let folder = graph.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(folder).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_files_come_first_and_once() {
        let mut settings = Settings::default();
        for name in 0..15 {
            settings.remember(Path::new(&format!("/no/such/{name}")));
        }
        settings.remember(Path::new("/no/such/9"));
        let names: Vec<String> = settings.recent.iter().map(|p| p.display().to_string()).collect();
        let expected = [9, 14, 13, 12, 11, 10, 8, 7, 6, 5].map(|name| format!("/no/such/{name}"));
        assert_eq!(names, expected);
    }

    #[test]
    fn windows_that_change_the_settings_at_the_same_time_lose_no_change() {
        let folder = std::env::temp_dir().join(format!("stagewright-settings-locked-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        // Scoped: the threads stand for windows that write at the same time.
        std::thread::scope(|scope| {
            for window in 0..4u8 {
                let folder = &folder;
                scope.spawn(move || {
                    let mut store: Store = Store::open(Some(folder));
                    for change in 0..16 {
                        store.change(move |settings| settings.hints.extend([window * 16 + change])).unwrap();
                    }
                });
            }
        });
        assert_eq!(<Store>::open(Some(&folder)).get().hints.len(), 64);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn two_windows_share_one_file_and_a_broken_field_costs_only_itself() {
        let folder = std::env::temp_dir().join(format!("stagewright-settings-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let (mut one, mut two): (Store, Store) = (Store::open(Some(&folder)), Store::open(Some(&folder)));
        one.change(|settings| settings.remember(Path::new("/a"))).unwrap();
        one.await_written(Duration::from_secs(20)).unwrap();
        two.change(|settings| settings.remember(Path::new("/b"))).unwrap();
        two.await_written(Duration::from_secs(20)).unwrap();
        let both = [PathBuf::from("/b"), "/a".into()];
        assert_eq!(<Store>::open(Some(&folder)).get().recent, both);
        let file = folder.join("settings.ron");
        fs::write(&file, "(recent: [\"/c\"], export: (first: \"?\"), of_the_future: {1: 2})").unwrap();
        let read: Store = Store::open(Some(&folder));
        assert_eq!((read.get().recent.len(), &read.get().export), (1, &ExportChoices::default()));
        let old = "(window: (dark: false, heat: true, theme: \"?\", scale: [], of_the_future: 1), autosave: \"?\")";
        fs::write(&file, old).unwrap();
        let read: Store = Store::open(Some(&folder));
        let expected = WindowChoices { dark: false, heat: true, ..WindowChoices::default() };
        assert_eq!((&read.get().window, read.get().autosave), (&expected, Autosave::default()));
        let keys = "(keys: {\"undo\": 7, \"group\": [\"Ctrl+U\"], \"of_the_future\": []}, tuning: \"?\")";
        fs::write(&file, keys).unwrap();
        let read: Store = Store::open(Some(&folder));
        let key_names: Vec<&str> = read.get().keys.keys().map(String::as_str).collect();
        assert_eq!((key_names, read.get().tuning), (vec!["group", "of_the_future"], BackgroundTuning(true)));
        for broken in ["", "(recent: [", "\0", "[1]"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(*<Store>::open(Some(&folder)).get(), Settings::default());
        }
        fs::remove_dir_all(&folder).unwrap();
        fs::write(&folder, "").unwrap();
        let now = one.change(|settings| settings.recent.clear());
        let error = now.and_then(|()| one.await_written(Duration::from_secs(20))).unwrap_err();
        assert!(error.contains("settings.ron") && one.get().recent.is_empty(), "{error}");
        fs::remove_file(folder).unwrap();
    }
}
