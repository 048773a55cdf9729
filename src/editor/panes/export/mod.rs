//! The export dialog: which files are written, and the queue of exports, while the editor keeps running.

mod fields;
mod folder;
mod overlap;
mod presets;
mod queue;
mod series;
mod survey;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use eframe::egui::{self, Id, RichText, Ui};

use super::content::Shown;
use crate::document::ExportPreset;
use crate::export::job::Export;
use crate::export::place::ExportPlace;
use crate::export::select::Request;
use crate::export::sink::{Format, Kind};
use crate::export::{command, format_named};
use crate::model::amount::amount;
use crate::model::session::Session;
use crate::model::settings::Store;
use crate::toolkit::{markup, theme};
use fields::{checkpoints, choose_folder, file_names, frame_range, row, size, tokens, value};
use folder::{Inspected, Inspection, There};
use presets::Presets;
use queue::{Measured, Queue, length};
use series::WirePicker;
use survey::{Resolved, Survey, SurveyedGraph};
use text::{frames, span};

/// Width of the dialog, and of the names in it \[points\].
const WIDTH: f32 = 600.0;
const NAMES: f32 = 84.0;
/// Greatest height of the queue \[points\].
const QUEUE: f32 = 170.0;
/// In a lower window, all of the dialog scrolls \[points\].
const LOW: f32 = 520.0;
/// The height of the window that the dialog leaves free \[points\].
const MARGIN: f32 = 90.0;

/// What the dialog takes from the rest of the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// Frames of the timeline's loop, or else those computed so far.
    pub range: Option<(u64, u64)>,
    /// Time that a frame of the running simulation takes \[s\].
    pub frame_seconds: Option<f64>,
    /// Selected nodes, and what the views show, by their paths.
    pub near: Vec<String>,
}

/// The settings of the next export, and the exports that run, wait or have ended.
#[derive(Default)]
pub(crate) struct ExportDialog {
    /// Enter was pressed.
    entered: bool,
    /// The settings were read for this graph.
    ready: bool,
    /// The format of images in the last export.
    remembered: Option<&'static Format>,
    rows: Vec<Request>,
    /// All other settings.
    preset: ExportPreset,
    presets: Presets,
    resume: bool,
    /// The first file of the export for which the user has said to replace the files of others, and to write outside of the graph's folder.
    overwrites: Option<PathBuf>,
    leaves: Option<PathBuf>,
    /// The folder has an interrupted export, which the next one resumes.
    resumes: bool,
    queue: Queue,
    survey: Survey,
    resolved: Option<Resolved>,
    inspection: Option<Inspection>,
    picker: Option<WirePicker>,
    /// Height of what stands below the settings \[points\].
    foot_height: f32,
    /// The system's dialog for a folder, while it is open.
    folder: Option<Receiver<Option<PathBuf>>>,
}

/// What the user has asked for in this frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExportRequest {
    Start,
    CopyCommand,
}

impl ExportDialog {
    /// Gets ready to be opened, with what was chosen the last time.
    pub(crate) fn prepare(&mut self, session: &Session, settings: &Store) {
        self.inspection = None;
        // An interrupted export is most likely to be resumed.
        self.resume = true;
        if std::mem::replace(&mut self.ready, true) {
            return;
        }
        let choices = &settings.get().export;
        self.remembered = format_named(&choices.format);
        let mut folder = choices.folder.clone();
        if folder.as_os_str().is_empty() {
            // A folder without a root is beside the graph.
            let beside = session.path().is_none().then(pictures).flatten();
            folder = beside.unwrap_or_default().join("frames");
        }
        self.preset = ExportPreset {
            frames: (choices.first, choices.last),
            size: choices.size,
            folder: folder.display().to_string(),
            names: choices.names.clone(),
            checkpoints: choices.checkpoints,
            ..ExportPreset::default()
        };
    }

    /// Another graph was opened: its wires are chosen again. Exports continue.
    pub(crate) fn forget_graph(&mut self) {
        let queue = std::mem::take(&mut self.queue);
        *self = ExportDialog { queue, ..ExportDialog::default() };
    }

    /// Whether a list is open that has the keys.
    pub(crate) fn is_choosing(&self) -> bool {
        self.picker.is_some()
    }

    /// Whether an export runs or waits.
    pub(crate) fn running(&self) -> bool {
        self.queue.is_busy()
    }

    /// Stops the one that runs after its current frame, so that it can be resumed, and starts no other.
    pub(crate) fn stop(&mut self) {
        self.queue.stop();
    }

    /// Whether the graph or the folder is still being inspected.
    #[cfg(test)]
    pub(crate) fn looking(&self) -> bool {
        self.survey.is_busy() || !self.inspection.as_ref().is_some_and(Inspection::is_done)
    }

    /// The result of the last export.
    #[cfg(test)]
    pub(crate) fn ended(&self) -> Option<&str> {
        self.queue.ended()
    }

    /// Takes what has happened since the last frame. Returns the result of an export that has ended, and whether that is an
    /// error.
    pub(crate) fn poll(&mut self, ctx: &egui::Context, session: &Session) -> Option<(String, bool)> {
        if let Some(answer) = self.folder.as_ref().and_then(|folder| folder.try_recv().ok()) {
            self.folder = None;
            if let Some(folder) = answer {
                self.preset.folder = folder.display().to_string();
            }
        }
        let ended = self.queue.poll(ctx, session.gpu());
        if ended.is_some() {
            self.inspection = None;
        }
        ended
    }

    /// Draws the window; `entered` says that Enter was pressed for it. Exports continue when it is closed. An error is
    /// what went wrong with the settings, in one sentence.
    pub(crate) fn show(
        &mut self,
        ctx: &egui::Context,
        session: &mut Session,
        settings: &mut Store,
        around: &Around,
        entered: bool,
    ) -> (Shown, Result<(), String>) {
        self.entered = entered;
        let found = self.survey.poll(ctx, session);
        let mut request = None;
        let mut open = true;
        let room = ctx.content_rect();
        let window = egui::Window::new("Export").id(Id::new("export")).open(&mut open).collapsible(false);
        let shown = window
            .resizable(false)
            .default_width(WIDTH.min(room.width() - 40.0))
            .pivot(egui::Align2::CENTER_CENTER)
            .default_pos(room.center())
            .show(ctx, |ui| {
                ui.set_width(WIDTH.min(room.width() - 40.0));
                let all = egui::ScrollArea::vertical().max_height((room.height() - MARGIN).max(100.0));
                if room.height() < LOW {
                    all.show(ui, |ui| {
                        self.settings(ui, session, found.as_ref(), around);
                        request = self.foot(ui, session, around);
                    });
                    return;
                }
                // What the buttons do, and the queue, stay in view.
                let rest = (room.height() - MARGIN - self.foot_height).max(100.0);
                all.id_salt("settings").max_height(rest).show(ui, |ui| {
                    self.settings(ui, session, found.as_ref(), around);
                });
                let top = ui.cursor().top();
                request = self.foot(ui, session, around);
                self.foot_height = ui.cursor().top() - top;
            });
        if let (Some(found), Some(picker)) = (&found, &mut self.picker)
            && picker.show(ctx, &mut self.rows, found)
        {
            self.picker = None;
        }
        if !open {
            self.picker = None;
        }
        let result = match request {
            Some(ExportRequest::Start) => self.start(session, settings),
            Some(ExportRequest::CopyCommand) => {
                ctx.copy_text(self.command(session));
                Ok(())
            }
            None => Ok(()),
        };
        (Shown { open, area: shown.map(|shown| shown.response.rect) }, result)
    }

    /// Adds the export to the queue, and remembers the settings.
    fn start(&mut self, session: &Session, settings: &mut Store) -> Result<(), String> {
        let Some(resolved) = &self.resolved else { return Ok(()) };
        let export = if self.resumes { resolved.resumable() } else { &resolved.export };
        let overwrite = self.overwrites.as_ref() == Some(&first_file(export));
        // Frames that are not continued are replaced, as the dialog has said.
        let export = Export { resume: self.resume && self.resumes, overwrite, ..export.clone() };
        self.queue.add(title(&self.rows), export, session)?;
        let (preset, format) = (self.preset.clone(), self.rows.first().and_then(|row| row.format));
        settings.change(move |settings| {
            let choices = &mut settings.export;
            (choices.first, choices.last) = preset.frames;
            (choices.size, choices.checkpoints) = (preset.size, preset.checkpoints);
            (choices.folder, choices.names) = (PathBuf::from(&preset.folder), preset.names.clone());
            if let Some(format) = format.filter(|format| format.takes.contains(&Kind::Image)) {
                choices.format = format.name.into();
            }
        })
    }

    /// The settings as a line for a shell.
    fn command(&self, session: &Session) -> String {
        let what = self.rows.iter().map(Request::to_string).collect();
        let graph = session.path().map_or_else(|| "graph.ron".into(), Path::to_path_buf);
        // Tokens of the folder stay, but for the preset's, which the command does not name.
        let folder = self.preset.folder.replace("{preset}", self.presets.chosen().unwrap_or_default());
        let folder = place(session).folder.join(folder.trim());
        command::line(&graph, &folder, &ExportPreset { what, ..self.preset.clone() })
    }

    fn settings(&mut self, ui: &mut Ui, session: &mut Session, found: Option<&Arc<SurveyedGraph>>, around: &Around) {
        let Some(found) = found.filter(|found| !found.wires.is_empty()) else {
            if !self.survey.is_busy() {
                ui.label("There is nothing to export. Add an Output node, connect an image and fix all errors.");
            }
            self.resolved = None;
            return;
        };
        if self.survey.broken {
            let text = "The graph has errors. The wires are those of its last valid version.";
            ui.label(RichText::new(text).color(theme::current(ui).warning));
        }
        if self.rows.is_empty() {
            let Some(first) = found.output().or(found.wires.first()) else { return };
            let remembered = Request::single(&first.name, self.remembered);
            self.rows = vec![if found.fits(&remembered) { remembered } else { found.request(&first.name) }];
        }
        let reserved = self.queue.folders().cloned().collect();
        let preset = self.presets.chosen().map(String::from);
        let place = ExportPlace { reserved, preset, ..place(session) };
        row(ui, "Preset", |ui, _| {
            let now = presets::from_rows(&self.rows, &self.preset, &place);
            if let Some(preset) = self.presets.show(ui, session, &now) {
                self.rows = presets::rows(&preset, |wire| found.request(wire));
                self.preset = preset;
            }
        });
        let resolved = Resolved::cached(&mut self.resolved, &self.rows, &self.preset, &place, found);
        if let Some(picker) = series::show(ui, &mut self.rows, &resolved.rows, found, &around.near) {
            self.picker = Some(picker);
        }
        ui.add_space(4.0);
        frame_range(ui, &mut self.preset, session.document().fps, around.range);
        if let Some(output_size) = resolved.image_size {
            row(ui, "Size", |ui, _| size(ui, &mut self.preset.size, output_size, resolved.fitting));
        }
        for setting in &resolved.settings {
            row(ui, setting.title, |ui, label| value(ui, label, setting, &mut self.preset));
        }
        row(ui, "Folder", |ui, label| {
            choose_folder(ui, label, &mut self.preset.folder, &mut self.folder);
            tokens(ui, &mut self.preset.folder, &place, self.preset.frames);
        });
        if let Some(error) = &resolved.folder_error {
            let color = theme::current(ui).error;
            ui.add(egui::Label::new(markup::label(ui, "", error, color)).wrap());
        }
        row(ui, "File names", |ui, label| file_names(ui, label, &mut self.preset.names));
        row(ui, "Checkpoints", |ui, _| checkpoints(ui, &mut self.preset.checkpoints));
    }

    /// What stands below the settings. Returns what is asked for.
    fn foot(&mut self, ui: &mut Ui, session: &Session, around: &Around) -> Option<ExportRequest> {
        let request = self.actions(ui, session, around);
        if !self.queue.is_empty() {
            ui.separator();
            let scroll = egui::ScrollArea::vertical().id_salt("queue").max_height(QUEUE).min_scrolled_height(QUEUE);
            scroll.show(ui, |ui| self.queue.show(ui));
        }
        request
    }

    /// What the settings make, and the buttons. Returns what is asked for.
    fn actions(&mut self, ui: &mut Ui, session: &Session, around: &Around) -> Option<ExportRequest> {
        let resolved = self.resolved.as_ref()?;
        let inspected = match resolved.is_valid() {
            true => Inspection::cached(&mut self.inspection, resolved.resumable(), ui.ctx(), session),
            false => Inspected::default(),
        };
        let in_use = self.queue.uses(&resolved.resumable().folder);
        let resume = self.resume && !in_use && matches!(inspected.there, There::Interrupted(_));
        self.resumes = resume;
        let export = if resume { resolved.resumable() } else { &resolved.export };
        let mut answered = true;
        summary(ui, resolved, export, inspected, (self.queue.measured(export), around.frame_seconds));
        match inspected.there {
            There::Interrupted(count) if !in_use => {
                let text = format!("Resume the interrupted export ({} done)", frames(count));
                ui.checkbox(&mut self.resume, text);
            }
            There::Rebaked if !in_use => {
                let text = "The interrupted export came from a cache that was baked again since. All frames will be written again.";
                ui.add(egui::Label::new(RichText::new(text).color(theme::current(ui).warning)).wrap());
            }
            // Those of another version stay.
            There::Earlier(count) if resolved.newest.is_none() => {
                let text = match count {
                    1 => "A file of an earlier export will be replaced.".into(),
                    count => format!("{count} files of earlier exports will be replaced."),
                };
                ui.label(RichText::new(text).color(theme::current(ui).warning));
            }
            There::Others(count) if resolved.newest.is_none() => {
                let count = if count == 0 { String::new() } else { format!("{count} ") };
                let text = format!("Replace {count}files with these names, which no export has written");
                answered = question(ui, &text, &mut self.overwrites, first_file(export));
            }
            _ => {}
        }
        let kept = self.presets.chosen().and_then(|name| session.document().exports.get(name));
        let relative_folder = place(session).relative(&self.preset.folder);
        if inspected.outside && session.path().is_some() && kept.is_some_and(|kept| kept.folder == relative_folder) {
            let text = format!("Write to {}, outside of the graph's folder", export.folder.display());
            answered &= question(ui, &text, &mut self.leaves, first_file(export));
        }
        ui.add_space(6.0);
        let text = if self.queue.is_busy() {
            "Add to queue"
        } else if resume {
            "Resume"
        } else {
            "Export"
        };
        let named = !self.preset.folder.trim().is_empty() && inspected.there != There::Unknown;
        let overlap = if resolved.is_valid() { self.queue.overlap(export) } else { None };
        if let Some(sentence) = &overlap {
            let color = theme::current(ui).error;
            ui.add(egui::Label::new(markup::label(ui, "", sentence, color)).wrap());
        }
        let mut request = None;
        ui.horizontal(|ui| {
            let enabled = resolved.is_valid() && named && overlap.is_none() && answered;
            if ui.add_enabled(enabled, button(text)).clicked() || (enabled && self.entered) {
                request = Some(ExportRequest::Start);
            }
            let hint = "Copy the command that makes the same files, of the graph as it is saved";
            if ui.add_enabled(resolved.is_valid(), button("Copy as command")).on_hover_text(hint).clicked() {
                request = Some(ExportRequest::CopyCommand);
            }
        });
        request
    }
}

/// Where the graph is.
fn place(session: &Session) -> ExportPlace {
    let name = &session.document().name;
    session.path().map_or_else(
        || ExportPlace { folder: PathBuf::new(), ..ExportPlace::from_graph(Path::new(name)) },
        ExportPlace::from_graph,
    )
}

/// The first file of an export.
fn first_file(export: &Export) -> PathBuf {
    export.path(export.frames.first())
}

/// A question about an export with this first file, and whether the user has agreed.
fn question(ui: &mut Ui, text: &str, agreed: &mut Option<PathBuf>, about: PathBuf) -> bool {
    let mut yes = agreed.as_ref() == Some(&about);
    ui.checkbox(&mut yes, RichText::new(text).color(theme::current(ui).warning));
    *agreed = yes.then_some(about);
    yes
}

/// What an export in the queue is called.
fn title(rows: &[Request]) -> String {
    let one = |row: &Request| {
        let wires: Vec<&str> = row.parts.iter().map(|part| part.name.as_deref().unwrap_or(&part.wire)).collect();
        format!("{}: {}", wires.join(" + "), row.format.map_or("", |format| format.title))
    };
    rows.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The first file, how many frames, how long and how large.
fn summary(
    ui: &mut Ui,
    resolved: &Resolved,
    export: &Export,
    inspected: Inspected,
    (measured, frame_seconds): (Measured, Option<f64>),
) {
    if !resolved.is_valid() {
        return;
    }
    let look = theme::current(ui);
    let path = export.path(export.frames.first()).display().to_string();
    ui.add(egui::Label::new(RichText::new(format!("First file: {path}")).color(look.dim)).truncate())
        .on_hover_text(path);
    let count = length(export);
    let bytes = measured.frame_bytes.unwrap_or(resolved.frame_bytes) * count as f64;
    let mut text = frames(count);
    let span = |seconds: f64| Duration::try_from_secs_f64(seconds).ok().map(span);
    if let Some(time) = measured.duration(export).and_then(span) {
        text += &format!(", about {time}");
    } else if let Some(time) = frame_seconds.and_then(|seconds| span(seconds * export.frames.last() as f64)) {
        text += &format!(", at least {time} to simulate");
    }
    // Values are compressed, by how much is not known before.
    let most = measured.frame_bytes.is_none() && resolved.has_values();
    text += &format!(", {} {}", if most { "at most" } else { "about" }, amount(bytes));
    let tight = inspected.free.is_some_and(|free| bytes > free as f64);
    if let Some(free) = inspected.free {
        text += &format!(" ({} free on the disk)", amount(free as f64));
    }
    ui.label(RichText::new(text).color(if tight { look.warning } else { look.dim }));
    if tight {
        let text = "The files may not fit on the disk. Free some space or choose another folder.";
        ui.label(RichText::new(text).color(look.warning));
    }
}

fn button(text: &str) -> egui::Button<'_> {
    egui::Button::new(text).min_size(egui::vec2(90.0, 26.0))
}

/// The user's folder for images.
fn pictures() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    Some(folders.picture_dir().unwrap_or(folders.home_dir()).join("Stagewright"))
}
