//! The exports that run, wait and have ended, and their part of the dialog.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{self, RichText, Ui};

use super::overlap::common_file;
use super::text::{figures, frames};
use crate::document::Document;
use crate::export::job::{Ended, Export, Job, Progress};
use crate::files::Access;
use crate::gpu::Gpu;
use crate::library::Library;
use crate::model::amount::amount;
use crate::model::session::Session;
use crate::toolkit::{markup, theme};

/// Ended exports that are listed.
const ENDED: usize = 12;

/// All exports since the start of the program, in their order. One runs at a time.
#[derive(Default)]
pub(super) struct Queue {
    entries: Vec<Entry>,
    count: u64,
    /// What the last exports have measured, by what they write.
    measured: Vec<(String, Measured)>,
}

/// What an export has measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// Time of a frame that is not written, and of one that is \[s\].
    pub seconds: [Option<f64>; 2],
    /// Size of the files of a frame \[bytes\].
    pub frame_bytes: Option<f64>,
}

impl Measured {
    fn of(progress: &Progress) -> Measured {
        Measured { seconds: progress.seconds, frame_bytes: progress.frame_bytes }
    }

    /// How long an export takes \[s\], where both times are known or one of them is not needed.
    pub(super) fn duration(&self, export: &Export) -> Option<f64> {
        let written = export.frames.count();
        let times =
            |count: u64, seconds: Option<f64>| if count == 0 { Some(0.0) } else { Some(count as f64 * seconds?) };
        Some(times(export.frames.last() - written, self.seconds[0])? + times(written, self.seconds[1])?)
    }
}

/// What an export writes, without where to and for which frames.
fn content(export: &Export) -> String {
    let items = export.items.iter().map(|item| format!("{:?} {:?} {}", item.subject, item.settings, item.format.name));
    format!("{:?} {}", export.size, items.collect::<Vec<_>>().join(", "))
}

struct Entry {
    number: u64,
    title: String,
    export: Export,
    content: String,
    state: State,
}

enum State {
    Waiting(Box<Order>),
    Running(Job, u64),
    Ended { text: String, error: bool },
}

/// An export of the graph as it was when it was added.
struct Order {
    document: Document,
    library: Arc<Library>,
    access: Access,
}

/// What a button of the list asks for.
enum QueueAction {
    Cancel,
    Remove,
    Up,
    Down,
}

impl Queue {
    /// Adds an export of the graph as it is.
    ///
    /// # Errors
    /// Another export, which runs or waits, writes files that this one would delete.
    pub(super) fn add(&mut self, title: String, export: Export, session: &Session) -> Result<(), String> {
        if let Some(sentence) = self.overlap(&export) {
            return Err(sentence);
        }
        let (library, document) = (session.library().clone(), session.document().clone());
        let content = content(&export);
        let order = Order { document, library, access: session.access() };
        self.count += 1;
        self.entries.push(Entry { number: self.count, title, export, content, state: State::Waiting(Box::new(order)) });
        Ok(())
    }

    /// Why an export can't be added, in one sentence: one that runs or waits writes the same files.
    pub(super) fn overlap(&self, export: &Export) -> Option<String> {
        let (other, file) = self.busy().find_map(|entry| Some((entry, common_file(&entry.export, export)?)))?;
        Some(format!(
            "{} in the queue writes {} too, and its files would be deleted; choose another folder or other file names",
            other.title,
            file.display()
        ))
    }

    /// Exports that run or wait.
    fn busy(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !matches!(entry.state, State::Ended { .. }))
    }

    /// Whether an export runs or waits.
    pub(super) fn is_busy(&self) -> bool {
        self.busy().next().is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether an export that runs or waits writes to this folder.
    pub(super) fn uses(&self, folder: &Path) -> bool {
        self.folders().any(|busy| busy == folder)
    }

    /// What exports of the same have measured.
    pub(super) fn measured(&self, export: &Export) -> Measured {
        let content = content(export);
        let running = self.entries.iter().find_map(|entry| match &entry.state {
            State::Running(job, _) if entry.content == content => Some(Measured::of(&job.progress())),
            _ => None,
        });
        let earlier = || {
            self.measured
                .iter()
                .find(|(measured_content, _)| *measured_content == content)
                .map(|(_, measured)| *measured)
        };
        running.or_else(earlier).unwrap_or_default()
    }

    /// Folders of exports that run or wait.
    pub(super) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.busy().map(|entry| &entry.export.folder)
    }

    /// Stops the one that runs after its current frame, so that it can be resumed, and starts none of those that wait.
    pub(super) fn stop(&mut self) {
        for entry in &mut self.entries {
            entry.cancel();
        }
    }

    /// The result of the last export that has ended.
    #[cfg(test)]
    pub(super) fn ended(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match &entry.state {
            State::Ended { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    /// Takes the result of the export that runs, and starts the next one. Returns the result.
    pub(super) fn poll(&mut self, ctx: &egui::Context, gpu: &Gpu) -> Option<(String, bool)> {
        let mut message = None;
        for entry in &mut self.entries {
            if let State::Running(job, _) = &mut entry.state
                && let Some(ended) = job.ended()
            {
                let (text, error) = result(&ended, &entry.export.folder);
                if !error {
                    self.measured.retain(|(content, _)| *content != entry.content);
                    self.measured.push((entry.content.clone(), Measured::of(&job.progress())));
                }
                message = Some((text.clone(), error));
                entry.state = State::Ended { text, error };
            }
        }
        let runs = self.entries.iter().any(|entry| matches!(entry.state, State::Running(..)));
        let mut waiting = self.entries.iter_mut().filter(|entry| matches!(entry.state, State::Waiting(_)));
        if let Some(entry) = waiting.next().filter(|_| !runs) {
            entry.start(ctx, gpu);
        }
        let ended = self.entries.iter().filter(|entry| matches!(entry.state, State::Ended { .. })).count();
        if ended > ENDED {
            let oldest = self.entries.iter().position(|entry| matches!(entry.state, State::Ended { .. }));
            oldest.map(|at| self.entries.remove(at));
        }
        message
    }

    /// Draws the list.
    pub(super) fn show(&mut self, ui: &mut Ui) {
        let mut request = None;
        let waiting = |entry: &Entry| matches!(entry.state, State::Waiting(_));
        let first = self.entries.iter().position(waiting);
        let last = self.entries.iter().rposition(waiting);
        for (at, entry) in self.entries.iter().enumerate() {
            ui.push_id(entry.number, |ui| {
                if let Some(what) = entry.show(ui, (first != Some(at), last != Some(at))) {
                    request = Some((at, what));
                }
            });
        }
        let Some((at, what)) = request else { return };
        match what {
            QueueAction::Cancel => self.entries.get_mut(at).into_iter().for_each(Entry::cancel),
            QueueAction::Remove => drop(self.entries.remove(at)),
            QueueAction::Up => self.swap(at, false),
            QueueAction::Down => self.swap(at, true),
        }
    }

    /// Exchanges one that waits with the next of them, or the one before.
    fn swap(&mut self, at: usize, down: bool) {
        let mut others = self.entries.iter().enumerate().filter(|(_, entry)| matches!(entry.state, State::Waiting(_)));
        let other = match down {
            true => others.find(|(other, _)| *other > at),
            false => others.rfind(|(other, _)| *other < at),
        };
        if let Some(other) = other.map(|(other, _)| other) {
            self.entries.swap(at, other);
        }
    }
}

impl Entry {
    fn start(&mut self, ctx: &egui::Context, gpu: &Gpu) {
        let ended = State::Ended { text: String::new(), error: false };
        let State::Waiting(order) = std::mem::replace(&mut self.state, ended) else { return };
        let Order { document, library, access } = *order;
        let (wake, count) = (ctx.clone(), length(&self.export));
        let job = Job::start(gpu, library, document, &access, self.export.clone(), move || wake.request_repaint());
        self.state = match job {
            Ok(job) => State::Running(job, count),
            Err(error) => State::Ended { text: error.to_string(), error: true },
        };
    }

    fn cancel(&mut self) {
        match &self.state {
            State::Running(job, _) => job.cancel(),
            State::Waiting(_) => {
                self.state = State::Ended { text: "Cancelled before it started.".into(), error: false };
            }
            State::Ended { .. } => {}
        }
    }

    fn show(&self, ui: &mut Ui, (up, down): (bool, bool)) -> Option<QueueAction> {
        let mut request = None;
        let look = theme::current(ui);
        let folder = self.export.folder.display().to_string();
        ui.horizontal(|ui| {
            let mut buttons = |ui: &mut Ui| match &self.state {
                State::Running(..) => request = ui.button("Cancel").clicked().then_some(QueueAction::Cancel),
                State::Waiting(_) => {
                    if named(ui, "✖", "Remove from the queue", true) {
                        request = Some(QueueAction::Remove);
                    }
                    if named(ui, "⏷", "Later", down) {
                        request = Some(QueueAction::Down);
                    }
                    if named(ui, "⏶", "Sooner", up) {
                        request = Some(QueueAction::Up);
                    }
                }
                State::Ended { error, .. } => {
                    if named(ui, "✖", "Remove from the list", true) {
                        request = Some(QueueAction::Remove);
                    }
                    if !error && ui.button("Open folder").clicked() {
                        // If the folder is gone or no file manager answers, the path can still be read.
                        let _ = open::that_detached(&self.export.folder);
                    }
                }
            };
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                buttons(ui);
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let text = egui::RichText::new(&self.title).color(look.text);
                    ui.add(egui::Label::new(text).truncate()).on_hover_text(folder);
                });
            });
        });
        match &self.state {
            State::Running(job, count) => {
                let progress = job.progress();
                let size = progress.frame_bytes.map(|bytes| format!(", about {}", amount(bytes * *count as f64)));
                let text = format!("{}{}", figures(&progress), size.unwrap_or_default());
                ui.add(egui::ProgressBar::new(progress.share()).desired_width(ui.available_width()).text(text));
            }
            State::Waiting(_) => {
                let count = length(&self.export);
                let text = format!("Waiting: {} to {}", frames(count), self.export.folder.display());
                ui.add(egui::Label::new(RichText::new(text).color(look.dim)).truncate());
            }
            State::Ended { text, error } => {
                let color = if *error { look.error } else { look.accent };
                ui.add(egui::Label::new(markup::label(ui, "", text, color)).wrap());
            }
        }
        ui.add_space(4.0);
        request
    }
}

/// A small button with a sign, named for screen readers.
pub(super) fn named(ui: &mut Ui, sign: &str, name: &str, enabled: bool) -> bool {
    let button = ui.add_enabled(enabled, egui::Button::new(sign)).on_hover_text(name);
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, enabled, name));
    button.clicked()
}

/// How an export ended, and whether that is an error.
fn result(ended: &Ended, folder: &Path) -> (String, bool) {
    match ended {
        Ended::Complete(progress) => {
            let replaced = match progress.replaced {
                0 => String::new(),
                1 => " An existing file was replaced.".into(),
                count => format!(" {count} existing files were replaced."),
            };
            let count = frames(progress.written + progress.kept);
            (format!("Exported {count} to {}.{replaced}", folder.display()), false)
        }
        Ended::Cancelled(progress) => {
            let count = frames(progress.written + progress.kept);
            (format!("Cancelled after {count}. The export can be resumed."), false)
        }
        Ended::Failed(error) => (error.to_string().replace("give --overwrite to", "allow the dialog to"), true),
    }
}

/// The number of frames that are written.
pub(super) fn length(export: &Export) -> u64 {
    export.frames.count()
}
