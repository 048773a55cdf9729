//! The dialog that exports images while the editor keeps running.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use eframe::egui::{self, DragValue, Id, RichText, Ui};

use super::session::Session;
use super::settings::{ExportChoices, Store};
use super::{prose, theme};
use crate::cancel::Cancel;
use crate::export::checkpoints::Checkpoints;
use crate::export::job::{Ended, Export, Item, Job, Progress, Subject};
use crate::export::record::Fingerprint;
use crate::export::sink::Format;
use crate::export::{DEFAULT, image_format_named, image_formats};
use crate::graph::outputs::fitted;
use crate::plan::Picture;

const LARGEST: u32 = 16_384;
/// Frames between checkpoints, unless others are chosen.
const CHECKPOINTS: u64 = 100;

/// The settings of an export, a running export, or the result of the last one.
#[derive(Default)]
pub(super) struct ExportDialog {
    open: bool,
    choices: ExportChoices,
    output: Option<String>,
    resume: bool,
    job: Option<Running>,
    /// What the folder holds, and the settings and graph for which that was found out.
    there: Option<Look>,
    /// The result of the last export, and the folder with its frames.
    told: Option<(String, bool, PathBuf)>,
    /// The system's dialog for a folder, while it is open.
    folder: Option<Receiver<Option<PathBuf>>>,
}

/// Inspects the folder on a thread of its own, since all inputs of the frames are read.
struct Look {
    export: Export,
    revision: u64,
    found: Option<There>,
    answer: Receiver<There>,
    cancel: Cancel,
}

impl Drop for Look {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

#[derive(Clone, Copy)]
enum There {
    /// Not known yet.
    Unknown,
    Nothing,
    /// Frames of an interrupted export with the same inputs.
    Interrupted(u64),
    /// Frames that would be overwritten.
    Others,
}

struct Running {
    job: Job,
    folder: PathBuf,
}

impl ExportDialog {
    /// Opens it with what was chosen the last time.
    pub(super) fn open(&mut self, session: &Session, settings: &Store) {
        self.open = true;
        if self.job.is_some() {
            return;
        }
        (self.told, self.there) = (None, None);
        // An interrupted export is most likely to be resumed.
        self.resume = true;
        self.choices = settings.get().export.clone();
        if self.choices.folder.as_os_str().is_empty() {
            let beside = session.path().and_then(Path::parent).map(Path::to_path_buf);
            self.choices.folder = beside.or_else(pictures).unwrap_or_default().join("frames");
        }
    }

    /// Escape closes the dialog, as its ✖ does; a running export continues.
    pub(super) fn escape(&mut self, ctx: &egui::Context) {
        // An open field or list gets the Escape key first.
        let free = self.open && !ctx.egui_wants_keyboard_input() && !egui::Popup::is_any_open(ctx);
        if free && ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape)) {
            self.open = false;
        }
    }

    /// Whether an export is running.
    pub(super) fn running(&self) -> bool {
        self.job.is_some()
    }

    /// Stops it after the current frame; it can be resumed.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.job {
            running.job.cancel();
        }
    }

    /// Whether the folder is still being inspected.
    #[cfg(test)]
    pub(super) fn looking(&self) -> bool {
        self.open && self.job.is_none() && self.there.as_ref().is_none_or(|look| look.found.is_none())
    }

    /// The result of the last export, until the next one starts.
    #[cfg(test)]
    pub(super) fn ended(&self) -> Option<&str> {
        self.told.as_ref().map(|(text, ..)| text.as_str())
    }

    /// Draws the window, and updates it from the running export.
    ///
    /// # Errors
    /// What went wrong with the settings, in one sentence.
    pub(super) fn show(&mut self, ctx: &egui::Context, session: &Session, settings: &mut Store) -> Result<(), String> {
        self.take();
        let mut start = false;
        let mut open = self.open;
        let window =
            egui::Window::new("Export image sequence").id(Id::new("export")).open(&mut open).collapsible(false);
        window
            .resizable(false)
            .default_width(420.0)
            .pivot(egui::Align2::CENTER_CENTER)
            .default_pos(ctx.content_rect().center())
            .show(ctx, |ui| match &self.job {
                Some(running) => running.show(ui),
                None => start = self.choose(ui, session),
            });
        self.open = open;
        if !start {
            return Ok(());
        }
        self.start(ctx, session);
        let choices = self.choices.clone();
        settings.change(move |settings| settings.export = choices.clone())
    }

    fn export(&self) -> Export {
        Export {
            frames: self.choices.first..=self.choices.last,
            size: self.choices.size,
            items: vec![Item::images(Subject::Output(self.output.clone()), self.format())],
            folder: self.choices.folder.clone(),
            resume: self.resume,
            checkpoints: None,
        }
    }

    fn start(&mut self, ctx: &egui::Context, session: &Session) {
        let (access, wake) = (session.access(), ctx.clone());
        let (library, document) = (session.library().clone(), session.document().clone());
        let checkpoints = self.choices.checkpoints.map(|every| Checkpoints { every, graph: document.to_text() });
        let export = Export { checkpoints, ..self.export() };
        let job = Job::start(session.gpu(), library, document, &access, export, move || wake.request_repaint());
        match job {
            Ok(job) => self.job = Some(Running { job, folder: self.choices.folder.clone() }),
            Err(error) => self.told = Some((error.to_string(), true, self.choices.folder.clone())),
        }
    }

    /// Takes the result of the export, and a folder that was chosen.
    fn take(&mut self) {
        if let Some(answer) = self.folder.as_ref().and_then(|folder| folder.try_recv().ok()) {
            self.folder = None;
            if let Some(folder) = answer {
                self.choices.folder = folder;
            }
        }
        let Some(ended) = self.job.as_mut().and_then(|running| running.job.ended()) else { return };
        let Some(Running { folder, .. }) = self.job.take() else { return };
        let (text, error) = match ended {
            Ended::Complete(progress) => {
                (format!("Exported {} to {}.", frames(progress.written + progress.kept), folder.display()), false)
            }
            Ended::Cancelled(progress) => (
                format!("Cancelled after {}. The export can be resumed.", frames(progress.written + progress.kept)),
                false,
            ),
            Ended::Failed(error) => (error.to_string(), true),
        };
        self.told = Some((text, error, folder));
        self.there = None;
    }

    /// The settings. Returns whether to start.
    fn choose(&mut self, ui: &mut Ui, session: &Session) -> bool {
        let outputs: Vec<Picture> = session.running_simulation().map(|s| s.plan().outputs.clone()).unwrap_or_default();
        let shown = outputs.iter().find(|p| Some(&p.node) == self.output.as_ref()).or(outputs.first()).cloned();
        let Some(output) = shown else {
            ui.label("There is no image to export. Add an Output node, connect an image and fix all errors.");
            self.last(ui);
            return false;
        };
        if outputs.len() > 1 {
            row(ui, "Output", |ui, _| {
                let mut chosen = output.node.clone();
                egui::ComboBox::from_id_salt("export output").selected_text(&chosen).show_ui(ui, |ui| {
                    for other in &outputs {
                        ui.selectable_value(&mut chosen, other.node.clone(), &other.node);
                    }
                });
                self.output = Some(chosen);
            });
        } else {
            self.output = None;
        }
        row(ui, "Frames", |ui, _| {
            let label = ui.label("from").id;
            ui.add(DragValue::new(&mut self.choices.first).range(1..=u64::MAX)).labelled_by(label);
            let label = ui.label("to").id;
            let least = self.choices.first;
            ui.add(DragValue::new(&mut self.choices.last).range(least..=u64::MAX)).labelled_by(label);
            let seconds = self.choices.last.saturating_add(1).saturating_sub(least) as f64 / session.document().fps;
            ui.label(RichText::new(format!("{seconds:.1} s")).color(theme::of(ui).dim));
        });
        row(ui, "Size", |ui, _| self.size(ui, (output.width, output.height)));
        if image_formats().count() > 1 {
            row(ui, "Format", |ui, label| self.choose_format(ui, label));
        }
        row(ui, "Folder", |ui, label| self.folder(ui, label));
        row(ui, "Checkpoints", |ui, _| self.checkpoints(ui));
        self.summary(ui, (output.width, output.height));
        let there = self.look(ui.ctx(), session);
        match there {
            There::Interrupted(count) => {
                let text = format!("Resume the interrupted export ({} done)", frames(count));
                ui.checkbox(&mut self.resume, text);
            }
            There::Others => {
                let text = "The folder has frames with these names. They will be overwritten.";
                ui.label(RichText::new(text).color(theme::of(ui).warning));
            }
            There::Nothing | There::Unknown => {}
        }
        self.last(ui);
        ui.add_space(6.0);
        let resume = self.resume && matches!(there, There::Interrupted(_));
        let text = if resume { "Resume" } else { "Export" };
        let named = !self.choices.folder.as_os_str().is_empty() && !matches!(there, There::Unknown);
        ui.horizontal(|ui| ui.add_enabled(named, button(text)).clicked()).inner
    }

    /// The result of the last export.
    fn last(&self, ui: &mut Ui) {
        let Some((text, error, folder)) = &self.told else { return };
        let color = if *error { theme::of(ui).error } else { theme::of(ui).accent };
        ui.add(egui::Label::new(prose::label(ui, "", text, color)).wrap());
        if !error && ui.button("Show folder").clicked() {
            // If the folder is gone or no file manager answers, the path can still be read.
            let _ = open::that_detached(folder);
        }
    }

    /// What the folder holds. The disk is read once for the same settings and graph.
    fn look(&mut self, ctx: &egui::Context, session: &Session) -> There {
        let (export, revision) = (Export { resume: true, ..self.export() }, session.revision());
        let same = |look: &&mut Look| look.export == export && look.revision == revision;
        if let Some(look) = self.there.as_mut().filter(same) {
            look.found = look.found.or_else(|| match look.answer.try_recv() {
                Ok(found) => Some(found),
                Err(TryRecvError::Empty) => None,
                // If no thread can be started, nothing is known, and frames may be overwritten.
                Err(TryRecvError::Disconnected) => Some(There::Others),
            });
            return look.found.unwrap_or(There::Unknown);
        }
        let (send, answer) = channel();
        let cancel = Cancel::default();
        let (document, library, access) = (session.document().clone(), session.library().clone(), session.access());
        let (theirs, stop, wake) = (export.clone(), cancel.clone(), ctx.clone());
        let look = move || {
            let Some(inputs) = Fingerprint::of(&document, &library, &access, &stop) else { return };
            // The receiver may be gone.
            let _ = send.send(match theirs.interrupted(&inputs) {
                Some(count) => There::Interrupted(count),
                None if theirs.would_replace() => There::Others,
                None => There::Nothing,
            });
            wake.request_repaint();
        };
        drop(std::thread::Builder::new().name("export folder".into()).spawn(look));
        self.there = Some(Look { export, revision, found: None, answer, cancel });
        There::Unknown
    }

    fn size(&mut self, ui: &mut Ui, own: (u32, u32)) {
        let mut custom = self.choices.size.is_some();
        if ui.checkbox(&mut custom, "Custom size").on_hover_text("If off, the size of the Output node").changed() {
            self.choices.size = custom.then_some(own);
        }
        match &mut self.choices.size {
            Some((width, height)) => {
                let label = ui.label("width").id;
                ui.add(DragValue::new(width).range(1..=LARGEST)).labelled_by(label);
                let label = ui.label("height").id;
                ui.add(DragValue::new(height).range(1..=LARGEST)).labelled_by(label);
                let fits = fitted((*width, *height), own);
                if fits != (*width, *height) {
                    let text = format!("Stretches the image. {} × {} keeps its aspect ratio", fits.0, fits.1);
                    ui.label(RichText::new(text).color(theme::of(ui).warning));
                }
            }
            None => drop(ui.label(RichText::new(format!("{} × {}", own.0, own.1)).color(theme::of(ui).dim))),
        }
    }

    /// Whether States are written beside the frames, and how often.
    fn checkpoints(&mut self, ui: &mut Ui) {
        let hint = "Write all States beside the frames, so that a resumed export and other runs continue from there instead of computing them again";
        let mut some = self.choices.checkpoints.is_some();
        if ui.checkbox(&mut some, "every").on_hover_text(hint).changed() {
            self.choices.checkpoints = some.then_some(CHECKPOINTS);
        }
        if let Some(every) = &mut self.choices.checkpoints {
            let field = ui.add(DragValue::new(every).range(1..=u64::MAX));
            field.widget_info(|| {
                egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, "frames between checkpoints")
            });
            ui.label("frames");
        }
    }

    /// Settings of another version may name an unknown format.
    fn format(&self) -> &'static Format {
        image_format_named(&self.choices.format).unwrap_or(DEFAULT)
    }

    fn choose_format(&mut self, ui: &mut Ui, label: Id) {
        let list = egui::ComboBox::from_id_salt("export format").selected_text(self.format().title);
        let shown = list.show_ui(ui, |ui| {
            for format in image_formats() {
                let choice = ui.selectable_label(*format == *self.format(), format.title);
                if choice.on_hover_text(format.about).clicked() {
                    self.choices.format = format.name.into();
                }
            }
        });
        shown.response.labelled_by(label);
    }

    fn folder(&mut self, ui: &mut Ui, label: Id) {
        let mut text = self.choices.folder.display().to_string();
        if ui.add(egui::TextEdit::singleline(&mut text).desired_width(240.0)).labelled_by(label).changed() {
            self.choices.folder = PathBuf::from(text.trim());
        }
        if ui.add_enabled(self.folder.is_none(), egui::Button::new("Choose…")).clicked() {
            let (answer, answers) = channel();
            let (wake, start) = (ui.ctx().clone(), self.choices.folder.clone());
            let work = move || {
                // The window may be gone by the time of the answer.
                let _ = answer.send(rfd::FileDialog::new().set_directory(start).pick_folder());
                wake.request_repaint();
            };
            // If no thread can be started, no answer comes, and a path can be typed.
            drop(std::thread::Builder::new().name("folder dialog".into()).spawn(work));
            self.folder = Some(answers);
        }
    }

    fn summary(&self, ui: &mut Ui, own: (u32, u32)) {
        let (width, height) = self.choices.size.unwrap_or(own);
        let count = self.choices.last.saturating_add(1).saturating_sub(self.choices.first);
        let bytes = f64::from(width) * f64::from(height) * self.format().bytes_per_pixel * count as f64;
        let text = format!("{}: {}, about {}", self.export().names(), frames(count), amount(bytes));
        ui.label(RichText::new(text).color(theme::of(ui).dim));
        if self.choices.first > 1 {
            let text = "Earlier frames are computed too, because each frame depends on the one before.";
            ui.add(egui::Label::new(RichText::new(text).color(theme::of(ui).faint)).wrap());
        }
    }
}

impl Running {
    fn show(&self, ui: &mut Ui) {
        let progress = self.job.progress();
        ui.add(egui::Label::new(self.folder.display().to_string()).truncate());
        ui.add(egui::ProgressBar::new(progress.share()).desired_width(400.0).text(figures(&progress)));
        let text =
            "Exports the graph as it was at the start. You can keep editing; the running simulation is not affected.";
        ui.add(egui::Label::new(RichText::new(text).color(theme::of(ui).dim)).wrap());
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            if ui.add(button("Cancel")).clicked() {
                self.job.cancel();
            }
        });
    }
}

fn figures(progress: &Progress) -> String {
    let mut text = format!("Frame {} of {}", progress.frame, progress.last);
    if let Some(rate) = progress.rate {
        text += &format!(", {rate:.1} per second");
    }
    if let Some(left) = progress.left() {
        text += &format!(", {} left", span(left));
    }
    text
}

fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {} min", minutes % 60),
    }
}

fn frames(count: u64) -> String {
    if count == 1 { "1 frame".into() } else { format!("{count} frames") }
}

/// An amount of memory as text.
pub(super) fn amount(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

fn button(text: &str) -> egui::Button<'_> {
    egui::Button::new(text).min_size(egui::vec2(90.0, 26.0))
}

/// A name and its widgets, which are labelled by the name.
fn row(ui: &mut Ui, name: &str, widgets: impl FnOnce(&mut Ui, Id)) {
    ui.horizontal(|ui| {
        let label = ui.allocate_ui(egui::vec2(84.0, 22.0), |ui| {
            ui.set_min_width(84.0);
            ui.label(RichText::new(name).color(theme::of(ui).dim)).id
        });
        widgets(ui, label.inner);
    });
}

/// The user's folder for images.
fn pictures() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    Some(folders.picture_dir().unwrap_or(folders.home_dir()).join("Stagewright"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let progress =
            Progress { frame: 30, written: 30, kept: 0, replaced: 0, skipped: 0, last: 240, rate: Some(2.0) };
        assert_eq!(figures(&progress), "Frame 30 of 240, 2.0 per second, 1 min 45 s left");
        assert_eq!(figures(&Progress::default()), "Frame 0 of 0");
        assert_eq!([4e5, 2.5e8, 3e9].map(amount), ["400 kB", "250 MB", "3.0 GB"]);
        assert_eq!(span(Duration::from_secs(7300)), "2 h 1 min");
    }
}
