//! The export dialog: which files are written, and the queue of exports, while the editor keeps running.

mod folder;
mod presets;
mod queue;
mod series;
mod survey;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use eframe::egui::{self, DragValue, Id, Key, Modifiers, RichText, Ui};

use super::session::Session;
use super::settings::Store;
use super::theme;
use crate::document::{ExportPreset, ParamValue};
use crate::export::job::Export;
use crate::export::place::{OF_SERIES, Place, TOKENS};
use crate::export::select::{DEFAULT_NAMES, Request};
use crate::export::settings::{Setting, Values};
use crate::export::sink::{Format, Kind};
use crate::export::{command, format_named};
use folder::{Inspected, Inspection, There};
use presets::Presets;
use queue::{Queue, length};
use series::WirePicker;
use survey::{Found, Resolved, Survey};
pub(super) use text::amount;
use text::{frames, span};

const LARGEST: u32 = 16_384;
/// Frames between checkpoints, unless others are chosen.
const CHECKPOINTS: u64 = 100;
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
pub(super) struct Around {
    /// Frames of the timeline's loop, or else those computed so far.
    pub range: Option<(u64, u64)>,
    /// Time that a frame of the running simulation takes \[s\].
    pub frame_seconds: Option<f64>,
    /// Selected nodes, and what the views show, by their paths.
    pub near: Vec<String>,
}

/// The settings of the next export, and the exports that run, wait or have ended.
#[derive(Default)]
pub(super) struct ExportDialog {
    open: bool,
    /// The last press was in the dialog, so Enter is for it.
    active: bool,
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
enum Asked {
    Start,
    CopyCommand,
}

impl ExportDialog {
    /// Opens it with what was chosen the last time.
    pub(super) fn open(&mut self, session: &Session, settings: &Store) {
        (self.open, self.active) = (true, true);
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
    pub(super) fn forget_graph(&mut self) {
        let queue = std::mem::take(&mut self.queue);
        let open = self.open;
        *self = ExportDialog { queue, open, ..ExportDialog::default() };
    }

    /// Escape closes the dialog, as its ✖ does; exports continue. Enter starts one.
    pub(super) fn take_keys(&mut self, ctx: &egui::Context) {
        // An open field or list gets the keys first.
        let free =
            self.open && self.picker.is_none() && !ctx.egui_wants_keyboard_input() && !egui::Popup::is_any_open(ctx);
        let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if free && pressed(Key::Escape) {
            self.open = false;
        }
        self.entered = free && self.active && pressed(Key::Enter);
    }

    /// Whether a list is open that has the keys.
    pub(super) fn is_choosing(&self) -> bool {
        self.open && self.picker.is_some()
    }

    /// Whether an export runs or waits.
    pub(super) fn running(&self) -> bool {
        self.queue.is_busy()
    }

    /// Stops the one that runs after its current frame, so that it can be resumed, and starts no other.
    pub(super) fn stop(&mut self) {
        self.queue.stop();
    }

    /// Whether the graph or the folder is still being inspected.
    #[cfg(test)]
    pub(super) fn looking(&self) -> bool {
        self.open && (self.survey.is_busy() || !self.inspection.as_ref().is_some_and(Inspection::is_done))
    }

    /// The result of the last export.
    #[cfg(test)]
    pub(super) fn ended(&self) -> Option<&str> {
        self.queue.ended()
    }

    /// Draws the window, and updates it from the exports. Returns the result of an export that has ended while the dialog is closed, and
    /// whether that is an error.
    ///
    /// # Errors
    /// What went wrong with the settings, in one sentence.
    pub(super) fn show(
        &mut self,
        ctx: &egui::Context,
        session: &mut Session,
        settings: &mut Store,
        around: &Around,
    ) -> Result<Option<(String, bool)>, String> {
        if let Some(answer) = self.folder.as_ref().and_then(|folder| folder.try_recv().ok()) {
            self.folder = None;
            if let Some(folder) = answer {
                self.preset.folder = folder.display().to_string();
            }
        }
        let told = self.queue.poll(ctx, session.gpu());
        if told.is_some() {
            self.inspection = None;
        }
        if !self.open {
            return Ok(told);
        }
        let found = self.survey.poll(ctx, session);
        let mut asked = None;
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
                        asked = self.foot(ui, session, around);
                    });
                    return;
                }
                // What the buttons do, and the queue, stay in view.
                let rest = (room.height() - MARGIN - self.foot_height).max(100.0);
                all.id_salt("settings").max_height(rest).show(ui, |ui| {
                    self.settings(ui, session, found.as_ref(), around);
                });
                let top = ui.cursor().top();
                asked = self.foot(ui, session, around);
                self.foot_height = ui.cursor().top() - top;
            });
        if let Some(window) = shown
            && ctx.input(|input| input.pointer.any_pressed())
        {
            let at = ctx.input(|input| input.pointer.interact_pos());
            self.active = at.is_some_and(|at| window.response.rect.contains(at));
        }
        if let (Some(found), Some(picker)) = (&found, &mut self.picker)
            && picker.show(ctx, &mut self.rows, found)
        {
            self.picker = None;
        }
        self.open = open;
        match asked {
            Some(Asked::Start) => self.start(session, settings),
            Some(Asked::CopyCommand) => {
                ctx.copy_text(self.command(session));
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// Adds the export to the queue, and remembers the settings.
    fn start(&mut self, session: &Session, settings: &mut Store) -> Result<Option<(String, bool)>, String> {
        let Some(resolved) = &self.resolved else { return Ok(None) };
        let export = if self.resumes { resolved.resumable() } else { &resolved.export };
        self.queue.add(title(&self.rows), Export { resume: self.resume, ..export.clone() }, session);
        let (preset, format) = (self.preset.clone(), self.rows.first().and_then(|row| row.format));
        settings.change(move |settings| {
            let choices = &mut settings.export;
            (choices.first, choices.last) = preset.frames;
            (choices.size, choices.checkpoints) = (preset.size, preset.checkpoints);
            (choices.folder, choices.names) = (PathBuf::from(&preset.folder), preset.names.clone());
            if let Some(format) = format.filter(|format| format.takes.contains(&Kind::Image)) {
                choices.format = format.name.into();
            }
        })?;
        Ok(None)
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

    fn settings(&mut self, ui: &mut Ui, session: &mut Session, found: Option<&Arc<Found>>, around: &Around) {
        let Some(found) = found.filter(|found| !found.wires.is_empty()) else {
            if !self.survey.is_busy() {
                ui.label("There is nothing to export. Add an Output node, connect an image and fix all errors.");
            }
            self.resolved = None;
            return;
        };
        if self.survey.broken {
            let text = "The graph has errors. The wires are those of its last valid version.";
            ui.label(RichText::new(text).color(theme::of(ui).warning));
        }
        if self.rows.is_empty() {
            let Some(first) = found.output().or(found.wires.first()) else { return };
            let remembered = Request::of(&first.name, self.remembered);
            self.rows = vec![if found.fits(&remembered) { remembered } else { found.request(&first.name) }];
        }
        let reserved = self.queue.folders().cloned().collect();
        let preset = self.presets.chosen().map(String::from);
        let place = Place { reserved, preset, ..place(session) };
        row(ui, "Preset", |ui, _| {
            let now = presets::of(&self.rows, &self.preset, &place);
            if let Some(preset) = self.presets.show(ui, session, &now) {
                self.rows = presets::rows(&preset, |wire| found.request(wire));
                self.preset = preset;
            }
        });
        let resolved = Resolved::of(&mut self.resolved, &self.rows, &self.preset, &place, found);
        if let Some(picker) = series::show(ui, &mut self.rows, &resolved.rows, found, &around.near) {
            self.picker = Some(picker);
        }
        ui.add_space(4.0);
        frame_range(ui, &mut self.preset.frames, session.document().fps, around.range);
        if let Some(own) = resolved.image_size {
            row(ui, "Size", |ui, _| size(ui, &mut self.preset.size, own, resolved.fitting));
        }
        for setting in &resolved.settings {
            row(ui, setting.title, |ui, label| value(ui, label, setting, &mut self.preset));
        }
        row(ui, "Folder", |ui, label| {
            choose_folder(ui, label, &mut self.preset.folder, &mut self.folder);
            tokens(ui, &mut self.preset.folder, &place, self.preset.frames);
        });
        if let Some(error) = &resolved.folder_error {
            row(ui, "", |ui, _| drop(ui.label(RichText::new(error).color(theme::of(ui).error))));
        }
        row(ui, "File names", |ui, label| file_names(ui, label, &mut self.preset.names));
        row(ui, "Checkpoints", |ui, _| checkpoints(ui, &mut self.preset.checkpoints));
    }

    /// What stands below the settings. Returns what is asked for.
    fn foot(&mut self, ui: &mut Ui, session: &Session, around: &Around) -> Option<Asked> {
        let asked = self.actions(ui, session, around);
        if !self.queue.is_empty() {
            ui.separator();
            let scroll = egui::ScrollArea::vertical().id_salt("queue").max_height(QUEUE).min_scrolled_height(QUEUE);
            scroll.show(ui, |ui| self.queue.show(ui));
        }
        asked
    }

    /// What the settings make, and the buttons. Returns what is asked for.
    fn actions(&mut self, ui: &mut Ui, session: &Session, around: &Around) -> Option<Asked> {
        let resolved = self.resolved.as_ref()?;
        let inspected = match resolved.is_valid() {
            true => Inspection::of(&mut self.inspection, resolved.resumable(), ui.ctx(), session),
            false => Inspected::default(),
        };
        let taken = self.queue.uses(&resolved.resumable().folder);
        let resume = self.resume && !taken && matches!(inspected.there, There::Interrupted(_));
        self.resumes = resume;
        summary(
            ui,
            resolved,
            if resume { resolved.resumable() } else { &resolved.export },
            inspected,
            around.frame_seconds,
        );
        match inspected.there {
            There::Interrupted(count) if !taken => {
                let text = format!("Resume the interrupted export ({} done)", frames(count));
                ui.checkbox(&mut self.resume, text);
            }
            // Those of another version stay.
            There::Others if resolved.newest.is_none() => {
                let text = "The folder has files with these names. They will be overwritten.";
                ui.label(RichText::new(text).color(theme::of(ui).warning));
            }
            _ => {}
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
        let mut asked = None;
        ui.horizontal(|ui| {
            let enabled = resolved.is_valid() && named;
            if ui.add_enabled(enabled, button(text)).clicked() || (enabled && self.entered) {
                asked = Some(Asked::Start);
            }
            let hint = "Copy the command that makes the same files, of the graph as it is saved";
            if ui.add_enabled(resolved.is_valid(), button("Copy as command")).on_hover_text(hint).clicked() {
                asked = Some(Asked::CopyCommand);
            }
        });
        asked
    }
}

/// Where the graph is.
fn place(session: &Session) -> Place {
    let name = &session.document().name;
    session.path().map_or_else(|| Place { folder: PathBuf::new(), ..Place::of(Path::new(name)) }, Place::of)
}

/// What an export in the queue is called.
fn title(rows: &[Request]) -> String {
    let one = |row: &Request| {
        let wires: Vec<&str> = row.parts.iter().map(|part| part.name.as_deref().unwrap_or(&part.wire)).collect();
        format!("{}: {}", wires.join(" + "), row.format.map_or("", |format| format.title))
    };
    rows.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn frame_range(ui: &mut Ui, (first, last): &mut (u64, u64), fps: f64, timeline: Option<(u64, u64)>) {
    row(ui, "Frames", |ui, _| {
        let label = ui.label("from").id;
        ui.add(DragValue::new(first).range(1..=u64::MAX)).labelled_by(label);
        let label = ui.label("to").id;
        ui.add(DragValue::new(last).range(*first..=u64::MAX)).labelled_by(label);
        let seconds = last.saturating_add(1).saturating_sub(*first) as f64 / fps;
        ui.label(RichText::new(format!("{seconds:.1} s")).color(theme::of(ui).dim));
        if let Some((from, to)) = timeline {
            let hint = "The loop of the timeline, or else all frames computed so far";
            let text = format!("Timeline: {from} to {to}");
            if ui.small_button(text).on_hover_text(hint).clicked() {
                (*first, *last) = (from, to);
            }
        }
    });
    if *first > 1 {
        let text = "Earlier frames are computed too, because each frame depends on the one before.";
        ui.add(egui::Label::new(RichText::new(text).color(theme::of(ui).faint)).wrap());
    }
}

fn size(ui: &mut Ui, chosen: &mut Option<(u32, u32)>, own: (u32, u32), fitting: Option<(u32, u32)>) {
    let mut custom = chosen.is_some();
    if ui.checkbox(&mut custom, "Custom size").on_hover_text("If off, the size of the Output node").changed() {
        *chosen = custom.then_some(own);
    }
    match chosen {
        Some((width, height)) => {
            let label = ui.label("width").id;
            ui.add(DragValue::new(width).range(1..=LARGEST)).labelled_by(label);
            let label = ui.label("height").id;
            ui.add(DragValue::new(height).range(1..=LARGEST)).labelled_by(label);
            if let Some(fits) = fitting {
                let text = format!("Stretches the image. {} × {} keeps its aspect ratio", fits.0, fits.1);
                ui.label(RichText::new(text).color(theme::of(ui).warning));
            }
        }
        None => drop(ui.label(RichText::new(format!("{} × {}", own.0, own.1)).color(theme::of(ui).dim))),
    }
}

/// A setting of a format. What is the default is not kept.
fn value(ui: &mut Ui, label: Id, setting: &Setting, preset: &mut ExportPreset) {
    let known = preset.settings.get(setting.name);
    let number = |default: f64| match known {
        Some(ParamValue::Number(number)) => *number,
        _ => default,
    };
    let changed = match setting.values {
        Values::Number(default, [least, most]) => {
            let mut value = number(default);
            let field = DragValue::new(&mut value).range(least..=most).speed(0.001).max_decimals(6);
            let changed = ui.add(field).labelled_by(label).on_hover_text(setting.about).changed();
            changed.then(|| Some(ParamValue::Number(value)).filter(|_| value != default))
        }
        Values::Whole(default, [least, most]) => {
            let mut value = number(f64::from(default)) as u32;
            let field = DragValue::new(&mut value).range(least..=most);
            let changed = ui.add(field).labelled_by(label).on_hover_text(setting.about).changed();
            changed.then(|| Some(ParamValue::Number(f64::from(value))).filter(|_| value != default))
        }
        Values::Flag => {
            let mut on = matches!(known, Some(ParamValue::Bool(true)));
            let changed = ui.checkbox(&mut on, "").labelled_by(label).on_hover_text(setting.about).changed();
            changed.then(|| on.then_some(ParamValue::Bool(true)))
        }
        Values::Tiles(usual) => tiles(ui, setting, known, usual),
    };
    match changed {
        Some(Some(value)) => drop(preset.settings.insert(setting.name.into(), value)),
        Some(None) => drop(preset.settings.remove(setting.name)),
        None => {}
    }
}

/// Columns and rows. Returns the new value, where it changes.
fn tiles(ui: &mut Ui, setting: &Setting, known: Option<&ParamValue>, usual: [u32; 2]) -> Option<Option<ParamValue>> {
    let mut sides = match known {
        Some(ParamValue::Vector(sides)) => Some(sides.clone()),
        _ => None,
    };
    let mut custom = sides.is_some();
    if ui.checkbox(&mut custom, "choose").on_hover_text(setting.about).changed() {
        let chosen = custom.then(|| ParamValue::Vector(usual.map(f64::from).to_vec()));
        return Some(chosen);
    }
    let mut changed = false;
    for (side, name) in sides.iter_mut().flatten().zip(["columns", "rows"]) {
        let label = ui.label(name).id;
        changed |= ui.add(DragValue::new(side).range(1.0..=1024.0).max_decimals(0)).labelled_by(label).changed();
    }
    let whole = |sides: Vec<f64>| ParamValue::Vector(sides.into_iter().map(f64::round).collect());
    changed.then(|| sides.map(whole))
}

/// Whether States are written beside the frames, and how often.
fn checkpoints(ui: &mut Ui, chosen: &mut Option<u64>) {
    let hint = "Write all States beside the frames, so that a resumed export and other runs continue from there instead of computing them again";
    let mut some = chosen.is_some();
    if ui.checkbox(&mut some, "every").on_hover_text(hint).changed() {
        *chosen = some.then_some(CHECKPOINTS);
    }
    if let Some(every) = chosen {
        let field = ui.add(DragValue::new(every).range(1..=u64::MAX));
        field
            .widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, "frames between checkpoints"));
        ui.label("frames");
    }
}

fn choose_folder(ui: &mut Ui, label: Id, folder: &mut String, asked: &mut Option<Receiver<Option<PathBuf>>>) {
    let width = (ui.available_width() - 164.0).max(120.0);
    let hint =
        "A relative folder is beside the graph. Words in braces are tokens, such as {graph}, the name of its file";
    let field = egui::TextEdit::singleline(folder).desired_width(width);
    ui.add(field).labelled_by(label).on_hover_text(hint);
    if ui.add_enabled(asked.is_none(), egui::Button::new("Choose…")).clicked() {
        let (answer, answers) = channel();
        let (wake, start) = (ui.ctx().clone(), folder.clone());
        let work = move || {
            // The window may be gone by the time of the answer.
            let _ = answer.send(rfd::FileDialog::new().set_directory(start).pick_folder());
            wake.request_repaint();
        };
        // If no thread can be started, no answer comes, and a path can be typed.
        drop(std::thread::Builder::new().name("folder dialog".into()).spawn(work));
        *asked = Some(answers);
    }
}

/// A menu that adds a token to the folder.
fn tokens(ui: &mut Ui, folder: &mut String, place: &Place, (first, last): (u64, u64)) {
    ui.menu_button("Tokens", |ui| {
        for (name, about) in TOKENS.iter().chain(&OF_SERIES) {
            let value = place.value(name, &(first..=last));
            let about = value.map_or_else(|| about.to_string(), |value| format!("{about}: {value}"));
            let shown = RichText::new(about.as_str()).color(theme::of(ui).faint);
            if ui.add(egui::Button::new(format!("{{{name}}}")).shortcut_text(shown)).clicked() {
                *folder += &format!("{{{name}}}");
                ui.close();
            }
        }
    });
}

fn file_names(ui: &mut Ui, label: Id, names: &mut String) {
    let hint = "Tokens: {name} of the wire, {frame}, {format}, {graph} and others of the folder";
    let field = egui::TextEdit::singleline(names).hint_text(DEFAULT_NAMES).desired_width(240.0);
    ui.add(field).labelled_by(label).on_hover_text(hint);
}

/// The first file, how many frames, how long and how large.
fn summary(ui: &mut Ui, resolved: &Resolved, export: &Export, inspected: Inspected, frame_seconds: Option<f64>) {
    if !resolved.is_valid() {
        return;
    }
    let look = theme::of(ui);
    let path = export.path(*export.frames.start()).display().to_string();
    ui.add(egui::Label::new(RichText::new(format!("First file: {path}")).color(look.dim)).truncate())
        .on_hover_text(path);
    let count = length(export);
    let bytes = resolved.frame_bytes * count as f64;
    let mut text = frames(count);
    let seconds = frame_seconds.map(|seconds| seconds * *export.frames.end() as f64);
    if let Some(time) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        text += &format!(", about {}", span(time));
    }
    text += &format!(", about {}", amount(bytes));
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

/// A name and its widgets, which are labelled by the name.
fn row(ui: &mut Ui, name: &str, widgets: impl FnOnce(&mut Ui, Id)) {
    ui.horizontal(|ui| {
        let label = ui.allocate_ui(egui::vec2(NAMES, 22.0), |ui| {
            ui.set_min_width(NAMES);
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
