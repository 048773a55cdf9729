//! Opening and saving: the system's dialog on a thread of its own, a field to type a path where no dialog answers, questions that
//! must be answered first, and changes of files by other programs.

mod data;
mod document_file;
mod dropping;
mod events;
mod gallery;
mod modal;
mod opening;
mod questions;
mod saving;
mod tasks;
mod typed;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::background::answer;
use crate::document::{Document, Node, NodeKind, Nodes};
use crate::model::disk::{self, Source};
use crate::model::disk_work::{Errand, quick};
use crate::model::layout;
use crate::model::recovery::Recovery;
use crate::model::session::Session;
use crate::model::settings::{Autosave, Folders, Store};

pub(crate) use document_file::Files;
pub(crate) use events::{Event, Leaving};
use events::{Purpose, Question};
use gallery::Gallery;
pub(crate) use tasks::Data;
use tasks::Opening;
use watch::Watch;

/// A dialog that is cancelled this soon did not open.
const TOO_QUICK: Duration = Duration::from_millis(1000);

/// How often to look whether a slow disk has saved.
const LOOK: Duration = Duration::from_millis(50);

/// Maximum number of files of a graph that are watched.
const FOLLOWED: usize = 256;

impl Files {
    /// With settings and recovery in these folders, and the documents of crashed windows from there.
    pub(crate) fn new(folders: Folders) -> Files {
        let recovery = folders.recovery.as_deref();
        let settings: Store = Store::open(folders.settings.as_deref());
        let pause = settings.get().autosave.pause();
        Files {
            settings,
            left: Recovery::left(recovery),
            recovery: Some(Recovery::with_pause(recovery, pause)),
            ..Files::default()
        }
    }

    /// Closes the start page, whose images belong to a window that is gone.
    pub(crate) fn close_gallery(&mut self) {
        self.gallery = None;
    }

    pub(crate) fn settings(&mut self) -> &mut Store {
        &mut self.settings
    }

    /// Sets how often unsaved changes are stored \[s\].
    ///
    /// # Errors
    /// Why the setting can't be written.
    pub(crate) fn store_every(&mut self, seconds: u64) -> Result<(), String> {
        let autosave = Autosave(seconds);
        self.recovery.iter_mut().for_each(|recovery| recovery.set_pause(autosave.pause()));
        self.settings.change(move |settings| settings.autosave = autosave)
    }

    /// Whether the system's dialog is open, or a question that must be answered first.
    pub(crate) fn has_dialog(&self) -> bool {
        self.dialog.is_some() || self.has_question()
    }

    fn has_question(&self) -> bool {
        self.typed.is_some()
            || self.question.is_some()
            || self.broken.is_some()
            || self.conflict.is_some()
            || self.gallery.is_some()
            || !self.left.is_empty()
    }

    /// Closes the window or opens another document, once the open one is saved or given up.
    pub(crate) fn leave(&mut self, session: &mut Session, leaving: Leaving) {
        // Who wants something else does not wait for a file.
        self.opening.take_if(|opening| !opening.again);
        if self.saving() {
            self.leaving = Some(leaving);
            self.question = Some(Question::Wait);
        } else if let Leaving::Load(source) = leaving {
            self.load(session, source);
        } else if session.unsaved() {
            self.leaving = Some(leaving);
            self.question = Some(Question::Save);
        } else {
            self.part(session, leaving);
        }
    }

    /// Whether the document or a stage file is being written.
    pub(crate) fn saving(&self) -> bool {
        !self.saving.is_empty()
    }

    /// Whether a graph's file is being read.
    pub(crate) fn opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Whether closing the window would lose changes or stop an export.
    pub(crate) fn holds(&self, session: &Session) -> bool {
        session.unsaved() || self.exporting || self.saving()
    }

    /// Closes the window or opens another document, once the open one is saved or given up: only an export may prevent it.
    fn part(&mut self, session: &mut Session, leaving: Leaving) {
        if self.exporting {
            self.leaving = Some(leaving);
            self.question = Some(Question::Export);
        } else {
            self.go(session, leaving);
        }
    }

    /// Reads a document, and opens it once the open one is saved or given up.
    pub(crate) fn load(&mut self, session: &mut Session, source: Source) {
        if self.saving() {
            return self.leave(session, Leaving::Load(source));
        }
        match source {
            Source::File(path) => {
                self.opening = Some(Opening::start(path, false, self.reader));
                self.poll_opening(session);
            }
            Source::Example(_) | Source::Template(_) | Source::Empty | Source::Variant(..) => {
                self.loaded(session, disk::load(&source), None);
            }
        }
    }

    /// Opens the start page.
    pub(crate) fn new_graph(&mut self, ctx: &egui::Context) {
        self.gallery = Some(Gallery::new(ctx));
    }

    pub(crate) fn open(&mut self, ctx: &egui::Context, session: &Session) {
        self.ask(ctx, session, Purpose::Open);
    }

    /// Saves to the document's own file, or asks for one.
    pub(crate) fn save(&mut self, ctx: &egui::Context, session: &mut Session) {
        match session.path().map(Path::to_path_buf) {
            Some(path) => self.write(session, path),
            None => self.save_as(ctx, session),
        }
    }

    pub(crate) fn save_as(&mut self, ctx: &egui::Context, session: &Session) {
        self.ask(ctx, session, Purpose::Save);
    }

    /// Takes what the system's dialog, the disk and other threads have done. [`Files::take_events`] returns what follows.
    pub(crate) fn poll(&mut self, ctx: &egui::Context, session: &mut Session, exporting: bool) {
        self.exporting = exporting;
        self.poll_system_dialog(session);
        self.poll_saving(session);
        self.poll_opening(session);
        self.poll_dropping();
        self.poll_storing();
        self.poll_comparing();
        if let Err(sentence) = self.settings.await_written(Duration::ZERO) {
            self.events.push(Event::Failed(sentence));
        }
        if self.saving() || self.opening.is_some() || !self.dropping.is_empty() || !self.storing.is_empty() {
            ctx.request_repaint_after(LOOK);
        }
        self.look_at_disk(ctx, session);
        let pause = self.recovery.as_mut().and_then(|recovery| recovery.keep(session));
        if let Some(pause) = pause {
            ctx.request_repaint_after(pause);
        }
    }

    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Returns what the window has to react to since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Draws the first open question and handles its answer. The system draws its dialog; Escape in the window stops
    /// waiting for it, in case it never answers.
    pub(crate) fn show_dialog(&mut self, ctx: &egui::Context, session: &mut Session) {
        if self.has_question() {
            self.show_question(ctx, session);
        } else if self.dialog.is_some()
            && ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape))
        {
            self.dialog = None;
            self.cancel();
        }
    }

    /// The menu of recent files, the last one first. Opens the chosen one.
    pub(crate) fn recent_menu(&mut self, ui: &mut egui::Ui, session: &mut Session) {
        ui.add_enabled_ui(!self.settings.get().recent.is_empty(), |ui| {
            let menu = ui.menu_button("Open recent", |ui| {
                let recent = self.recent.get_or_insert_with(|| looked_up(self.settings.get().recent.clone())).clone();
                for (path, is_there) in recent {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                    let button = ui.add_enabled(is_there, egui::Button::new(name));
                    let whole = path.display().to_string();
                    let gone = format!("File not found: {whole}");
                    if button.on_hover_text(&whole).on_disabled_hover_text(gone).clicked() {
                        self.load(session, Source::File(path));
                    }
                }
            });
            if menu.inner.is_none() {
                self.recent = None;
            }
        });
    }

    /// Lets the graph read files outside its folder, and remembers that for the folder.
    pub(crate) fn allow(&mut self, session: &mut Session) {
        if let Some(path) = session.path().map(Path::to_path_buf)
            && let Err(sentence) = self.settings.change(move |settings| settings.allow(&path))
        {
            self.events.push(Event::Failed(sentence));
        }
        session.set_files_allowed(true);
        session.refresh();
    }

    /// Sets before a graph is opened or saved whether it may read files outside its folder.
    fn note_allowed(&self, session: &mut Session, path: Option<&Path>) {
        session.set_files_allowed(path.is_some_and(|path| self.settings.get().allows(path)));
    }

    /// Watches the document's file and the files that it names, and handles changes by other programs.
    fn look_at_disk(&mut self, ctx: &egui::Context, session: &mut Session) {
        let watch = self.watch.get_or_insert_with(|| {
            let wake = ctx.clone();
            Watch::new(move || wake.request_repaint())
        });
        let now = Some((session.path().map(Path::to_path_buf), session.revision()));
        if self.watched != now {
            let access = session.access();
            let named = named_files(&session.document().nodes).into_iter().filter(|file| access.may_name(file));
            let named = named.take(FOLLOWED).map(|file| access.folder.join(file));
            watch.follow(session.path().map(Path::to_path_buf).into_iter().chain(named));
            self.watched = now;
        }
        let mut changed = watch.changed();
        if let Some(pause) = watch.pending() {
            ctx.request_repaint_after(pause);
        }
        let graph_file = session.path().and_then(watch::full);
        if graph_file.is_some_and(|graph_file| changed.remove(&graph_file)) {
            match self.saving.iter_mut().find(|saving| saving.is_graph()) {
                // Probably this window's own change.
                Some(saving) => saving.overtaken = true,
                None => self.read_again(session),
            }
        }
        if !changed.is_empty() {
            session.refresh();
        }
    }

    fn ask(&mut self, ctx: &egui::Context, session: &Session, purpose: Purpose) {
        if self.dialog.is_some() {
            return;
        }
        let name = session.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = match (purpose, &self.data) {
            (Purpose::Data, Some(data)) => data.name.clone(),
            _ => name.unwrap_or_else(|| file_name(&session.document().name)),
        };
        let (title, extension) = match (purpose, &self.data) {
            (Purpose::Data, Some(data)) => data.filter(),
            _ => ("Graph", "ron".to_string()),
        };
        let mut dialog = rfd::FileDialog::new().add_filter(title, &[extension]);
        if let Some(folder) = session.path().and_then(Path::parent).filter(|folder| folder.is_absolute()) {
            dialog = dialog.set_directory(folder);
        }
        let wake = ctx.clone();
        let work = move || {
            let since = Instant::now();
            let path = match purpose {
                Purpose::Open | Purpose::Compare => dialog.pick_file(),
                Purpose::Save | Purpose::Data => dialog.set_file_name(name).save_file(),
            };
            (path, since.elapsed())
        };
        // If no thread can be started, no answer comes, and a path can be typed.
        self.dialog = Some((purpose, answer("file dialog", move || wake.request_repaint(), work)));
    }

    fn poll_system_dialog(&mut self, session: &mut Session) {
        let Some((purpose, answers)) = &self.dialog else { return };
        let purpose = *purpose;
        match answers.try_recv() {
            Err(TryRecvError::Empty) => return,
            Ok((Some(path), _)) => self.chosen(session, purpose, path),
            Ok((None, took)) if took > TOO_QUICK => self.cancel(),
            Ok((None, _)) | Err(TryRecvError::Disconnected) => {
                let here = match (purpose, session.path(), &self.data) {
                    (Purpose::Data, path, Some(data)) => {
                        path.map_or(data.name.clone().into(), |path| path.with_file_name(&data.name))
                    }
                    (_, Some(path), _) => path.to_path_buf(),
                    (Purpose::Save, None, _) => file_name(&session.document().name).into(),
                    (_, None, _) => PathBuf::new(),
                };
                let here = here.display().to_string();
                self.typed = Some((purpose, here, false));
            }
        }
        self.dialog = None;
    }

    fn chosen(&mut self, session: &mut Session, purpose: Purpose, mut path: PathBuf) {
        match purpose {
            Purpose::Open => self.load(session, Source::File(path)),
            Purpose::Save => {
                if path.extension().is_none() {
                    path.set_extension("ron");
                }
                self.write(session, path);
            }
            Purpose::Data => self.store(path),
            Purpose::Compare => self.comparing = Some((path.clone(), Errand::start(move || disk::read(&path)))),
        }
    }

    fn cancel(&mut self) {
        self.data = None;
        self.leaving = None;
        self.question = None;
    }

    fn go(&mut self, session: &mut Session, leaving: Leaving) {
        self.cancel();
        match leaving {
            Leaving::Close => return self.events.push(Event::Close),
            Leaving::Load(source) => return self.load(session, source),
            Leaving::Open(document, path) => {
                if let Some(path) = &path {
                    self.remember(path);
                }
                self.note_allowed(session, path.as_deref());
                session.open(layout::placed(*document), path);
            }
            Leaving::Copy(document) => {
                self.note_allowed(session, None);
                session.open_unsaved(layout::placed(*document), None);
            }
            Leaving::Recover(left) => {
                let document = layout::placed(Document::clone(&left.document));
                self.note_allowed(session, left.path.as_deref());
                match left.as_file() {
                    true => session.open(document, left.path.clone()),
                    false => session.open_unsaved(document, left.path.clone()),
                }
                session.set_drafts(left.drafts.clone());
                if let Some(recovery) = &mut self.recovery {
                    recovery.adopt(left);
                }
            }
        }
        self.conflict = None;
        self.last_message.clear();
        self.events.push(Event::Opened);
    }

    fn remember(&mut self, path: &Path) {
        let path = path.to_path_buf();
        if let Err(sentence) = self.settings.change(move |settings| settings.remember(&path)) {
            self.events.push(Event::Failed(sentence));
        }
    }
}

/// Files that nodes name, those inside of groups too.
fn named_files(nodes: &Nodes) -> BTreeSet<PathBuf> {
    let of = |node: &Node| match &node.kind {
        NodeKind::Group(group) => named_files(&group.nodes),
        kind => kind.file().map(PathBuf::from).into_iter().collect(),
    };
    nodes.values().flat_map(of).collect()
}

/// A file name from a graph's own name.
fn file_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let plain = plain.trim_matches('_');
    let plain = if plain.is_empty() || crate::files::portable::is_device(plain) { "graph" } else { plain };
    format!("{plain}.ron")
}

#[cfg(test)]
mod tests;

/// Returns the paths, and whether each is a file; yes where the disk is slow to say.
fn looked_up(paths: Vec<PathBuf>) -> Vec<(PathBuf, bool)> {
    let candidates = paths.clone();
    let found = quick(move || candidates.iter().map(|path| path.is_file()).collect());
    let found = found.unwrap_or_else(|| vec![true; paths.len()]);
    paths.into_iter().zip(found).collect()
}
