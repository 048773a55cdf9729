//! The dialog that exports pictures, while the window goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use eframe::egui::{self, DragValue, Id, RichText, Ui};

use super::session::Session;
use super::settings::{ExportChoices, Store};
use super::theme;
use crate::export::job::{Ended, Export, Job, Progress};
use crate::library::Library;
use crate::plan::Picture;

/// Of a pixel in a PNG of a simulation's picture \[bytes\]; the shipped graphs take 0.3 to 1.6.
const BYTES_A_PIXEL: f64 = 0.9;
const LARGEST: u32 = 16_384;

/// What is to be exported, or being exported, or was.
#[derive(Default)]
pub struct ExportDialog {
    open: bool,
    choices: ExportChoices,
    output: Option<String>,
    resume: bool,
    job: Option<Running>,
    /// How the last export ended, and the folder where its frames are.
    told: Option<(String, bool, PathBuf)>,
    /// The system's dialog for a folder, while it is open.
    folder: Option<Receiver<Option<PathBuf>>>,
}

struct Running {
    job: Job,
    folder: PathBuf,
}

impl ExportDialog {
    /// Opens it with what was chosen the last time.
    pub fn open(&mut self, session: &Session, settings: &Store) {
        self.open = true;
        if self.job.is_some() {
            return;
        }
        self.told = None;
        self.choices = settings.get().export.clone();
        if self.choices.folder.as_os_str().is_empty() {
            let beside = session.path().and_then(Path::parent).map(Path::to_path_buf);
            self.choices.folder = beside.or_else(pictures).unwrap_or_default().join("frames");
        }
    }

    /// Whether an export goes on.
    pub fn busy(&self) -> bool {
        self.job.is_some()
    }

    /// Draws the window, and takes in what the export tells.
    ///
    /// # Errors
    /// What went wrong with the settings, in one sentence.
    pub fn show(&mut self, ctx: &egui::Context, session: &Session, settings: &mut Store) -> Result<(), String> {
        self.take();
        let mut start = false;
        let mut open = self.open;
        let window = egui::Window::new("Export").id(Id::new("export")).open(&mut open).collapsible(false);
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
        settings.change(|settings| settings.export = choices)
    }

    fn export(&self) -> Export {
        Export {
            frames: self.choices.first..=self.choices.last,
            size: self.choices.size,
            output: self.output.clone(),
            folder: self.choices.folder.clone(),
            resume: self.resume,
        }
    }

    fn start(&mut self, ctx: &egui::Context, session: &Session) {
        let graph_folder = session.path().and_then(Path::parent).unwrap_or(Path::new(""));
        let (export, wake) = (self.export(), ctx.clone());
        let (library, document) = (Arc::new(Library::builtin().clone()), session.document().clone());
        let job = Job::start(session.gpu(), library, document, graph_folder, export, move || wake.request_repaint());
        match job {
            Ok(job) => self.job = Some(Running { job, folder: self.choices.folder.clone() }),
            Err(error) => self.told = Some((error.to_string(), true, self.choices.folder.clone())),
        }
    }

    /// Takes in how the export ended, and a folder that was chosen.
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
                (format!("{} are in {}.", frames(progress.written + progress.kept), folder.display()), false)
            }
            Ended::Cancelled(progress) => (
                format!("Cancelled; {} are there, and it can be resumed.", frames(progress.written + progress.kept)),
                false,
            ),
            Ended::Failed(error) => (error.to_string(), true),
        };
        self.told = Some((text, error, folder));
        // What was interrupted is most likely to be gone on with.
        self.resume = true;
    }

    /// The choices; whether to start.
    fn choose(&mut self, ui: &mut Ui, session: &Session) -> bool {
        let pictures: Vec<Picture> = session.running_simulation().map(|s| s.plan().outputs.clone()).unwrap_or_default();
        let shown = pictures.iter().find(|p| Some(&p.node) == self.output.as_ref()).or(pictures.first()).cloned();
        let Some(picture) = shown else {
            ui.label("The graph has no picture to export. Add an Output, wire an image to it and mend what is wrong.");
            return false;
        };
        if pictures.len() > 1 {
            row(ui, "Output", |ui| {
                let mut output = picture.node.clone();
                egui::ComboBox::from_id_salt("export output").selected_text(&output).show_ui(ui, |ui| {
                    for other in &pictures {
                        ui.selectable_value(&mut output, other.node.clone(), &other.node);
                    }
                });
                self.output = Some(output);
            });
        } else {
            self.output = None;
        }
        row(ui, "Frames", |ui| {
            let label = ui.label("from").id;
            ui.add(DragValue::new(&mut self.choices.first).range(1..=u64::MAX)).labelled_by(label);
            let label = ui.label("to").id;
            let least = self.choices.first;
            ui.add(DragValue::new(&mut self.choices.last).range(least..=u64::MAX)).labelled_by(label);
            let seconds = (self.choices.last + 1).saturating_sub(least) as f64 / session.document().fps;
            ui.label(RichText::new(format!("{seconds:.1} s")).color(theme::DIM));
        });
        row(ui, "Size", |ui| self.size(ui, (picture.width, picture.height)));
        row(ui, "Folder", |ui| self.folder(ui));
        self.summary(ui, (picture.width, picture.height));
        let there = self.export().interrupted(session.document());
        if let Some(there) = there {
            ui.checkbox(
                &mut self.resume,
                format!("Resume the export that was interrupted: {} are there", frames(there)),
            );
        }
        if let Some((text, error, folder)) = &self.told {
            let color = if *error { theme::ERROR } else { theme::ACCENT };
            ui.add(egui::Label::new(RichText::new(text).color(color)).wrap());
            if folder.is_dir() && ui.button("Show folder").clicked() {
                // Where no file manager answers, the path is there to read.
                let _ = open::that_detached(folder);
            }
        }
        ui.add_space(6.0);
        let text = if self.resume && there.is_some() { "Resume" } else { "Export" };
        let named = !self.choices.folder.as_os_str().is_empty();
        ui.add_enabled(named, egui::Button::new(text).min_size(egui::vec2(90.0, 26.0))).clicked()
    }

    fn size(&mut self, ui: &mut Ui, own: (u32, u32)) {
        let mut custom = self.choices.size.is_some();
        if ui.checkbox(&mut custom, "own size").on_hover_text("Otherwise what the Output says").changed() {
            self.choices.size = custom.then_some(own);
        }
        match &mut self.choices.size {
            Some((width, height)) => {
                let label = ui.label("width").id;
                ui.add(DragValue::new(width).range(1..=LARGEST)).labelled_by(label);
                let label = ui.label("height").id;
                ui.add(DragValue::new(height).range(1..=LARGEST)).labelled_by(label);
            }
            None => drop(ui.label(RichText::new(format!("{} × {}", own.0, own.1)).color(theme::DIM))),
        }
    }

    fn folder(&mut self, ui: &mut Ui) {
        let mut text = self.choices.folder.display().to_string();
        let label = ui.label("").id;
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
            // Without a thread the answer is missing at once, and a path can be typed.
            drop(std::thread::Builder::new().name("folder dialog".into()).spawn(work));
            self.folder = Some(answers);
        }
    }

    fn summary(&self, ui: &mut Ui, own: (u32, u32)) {
        let (width, height) = self.choices.size.unwrap_or(own);
        let count = (self.choices.last + 1).saturating_sub(self.choices.first);
        let bytes = f64::from(width) * f64::from(height) * BYTES_A_PIXEL * count as f64;
        let (first, last) = (Export::file_name(self.choices.first), Export::file_name(self.choices.last));
        let text = format!("{first} to {last}: {}, about {}", frames(count), amount(bytes));
        ui.label(RichText::new(text).color(theme::DIM));
        if self.choices.first > 1 {
            let text = "Frames before the first are computed too, since each follows from the one before.";
            ui.add(egui::Label::new(RichText::new(text).color(theme::FAINT)).wrap());
        }
    }
}

impl Running {
    fn show(&self, ui: &mut Ui) {
        let progress = self.job.progress();
        ui.add(egui::Label::new(self.folder.display().to_string()).truncate());
        ui.add(egui::ProgressBar::new(progress.share()).desired_width(400.0).text(figures(&progress)));
        let text = "The graph is exported as it was when this began; edit on, the simulation keeps its state.";
        ui.add(egui::Label::new(RichText::new(text).color(theme::DIM)).wrap());
        ui.add_space(6.0);
        if ui.add(egui::Button::new("Cancel").min_size(egui::vec2(90.0, 26.0))).clicked() {
            self.job.cancel();
        }
    }
}

fn figures(progress: &Progress) -> String {
    let mut text = format!("frame {} of {}", progress.frame, progress.last);
    if let Some(rate) = progress.rate {
        text += &format!(", {rate:.1} a second");
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

fn amount(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

/// A name and what belongs to it.
fn row(ui: &mut Ui, name: &str, widgets: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.allocate_ui(egui::vec2(60.0, 22.0), |ui| {
            ui.set_min_width(60.0);
            ui.label(RichText::new(name).color(theme::DIM))
        });
        widgets(ui);
    });
}

/// The user's folder for pictures.
fn pictures() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    Some(folders.picture_dir().unwrap_or(folders.home_dir()).join("Stagewright"))
}
