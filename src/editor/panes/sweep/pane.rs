//! The pane: what varies, the runs with their images as they arrive, and taking the values of one.

use std::path::{Path, PathBuf};

use eframe::egui::{self, ColorImage, RichText, TextureHandle, TextureOptions, Ui};

use super::axes::{self, Chosen};
use crate::commands::action::{Action, Actions};
use crate::document::Document;
use crate::graph::outputs::fitted;
use crate::model::session::Session;
use crate::panes::content::{PaneContent, Surroundings};
use crate::panes::variations::tiles::{self, Shown};
use crate::sim::Image;
use crate::sweep::axis::{apply, text_of};
use crate::sweep::job::{Job, News, Order};
use crate::sweep::manifest::{Options, Task};
use crate::toolkit::number::number_field;
use crate::toolkit::{markup, row, theme};

/// Images are not made larger than this \[pixels\].
const LARGEST: u32 = 512;
/// Width of the field for the folder \[points\].
const FOLDER: f32 = 200.0;
const FRAMES: u64 = 60;
const RANDOM: u64 = 12;

/// A sweep of the open graph.
pub(crate) struct Sweep {
    chosen: Vec<Chosen>,
    /// The number of random points; all combinations when `None`.
    random: Option<u64>,
    frames: u64,
    /// Folder as typed; empty for the one beside the graph.
    folder: String,
    job: Option<Job>,
    runs: Vec<Run>,
    /// Where the runs are written to.
    written: Option<PathBuf>,
    /// What is wrong, or how it ended, and whether that is an error.
    message: Option<(String, bool)>,
}

struct Run {
    task: Task,
    lines: Vec<String>,
    /// Values of the run, in the order in which they were chosen.
    strip: String,
    /// Share of its frames that are computed, 0..1.
    share: f32,
    texture: Option<(TextureHandle, [u32; 2])>,
    fault: Option<String>,
    complete: bool,
}

impl Default for Sweep {
    fn default() -> Sweep {
        Sweep {
            chosen: Vec::new(),
            random: None,
            frames: FRAMES,
            folder: String::new(),
            job: None,
            runs: Vec::new(),
            written: None,
            message: None,
        }
    }
}

impl PaneContent for Sweep {
    fn show(&mut self, ui: &mut Ui, around: &mut Surroundings<'_>) -> Result<(), String> {
        self.draw(ui, around.session, around.output, around.actions);
        Ok(())
    }

    fn opened(&mut self) {
        *self = Sweep::default();
    }

    /// Ends what runs on a device that is gone; complete runs stay on disk.
    fn device_lost(&mut self, _: &mut Session) {
        if self.job.take().is_some() {
            self.message = Some(("The graphics device was lost; run the sweep again to complete it".into(), true));
        }
    }
}

impl Sweep {
    fn draw(&mut self, ui: &mut Ui, session: &mut Session, output: Option<&str>, actions: &mut Actions) {
        self.listen(ui);
        let head = egui::Panel::top("sweep head").frame(theme::bar(ui));
        head.show(ui, |ui| self.head(ui, session, output));
        let ground = egui::Frame::new().fill(theme::current(ui).canvas);
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| self.body(ui, session, actions));
    }

    /// Takes the news of the job.
    fn listen(&mut self, ui: &Ui) {
        let Some(job) = &mut self.job else { return };
        for news in job.news() {
            match news {
                News::Begun(tasks, folder) => {
                    self.runs = tasks.into_iter().map(|task| Run::new(task, &self.chosen)).collect();
                    self.written = Some(folder);
                }
                News::Running(index, share) => self.runs.get_mut(index).into_iter().for_each(|run| run.share = share),
                News::Complete(finished, image) => {
                    let Some(run) = self.runs.get_mut(finished.index) else { continue };
                    (run.complete, run.share) = (true, 1.0);
                    let numbers =
                        finished.numbers.iter().filter_map(|(name, values)| Some((name, (*values.first()?)?)));
                    run.lines.extend(numbers.map(|(name, value)| format!("{name} {value}")));
                    run.texture = image.map(|image| texture(ui, finished.index, &image));
                }
                News::Failed(index, why) => {
                    self.runs.get_mut(index).into_iter().for_each(|run| run.fault = Some(why.clone()))
                }
                News::Ended(result) => {
                    let failed = self.runs.iter().filter(|run| run.fault.is_some()).count();
                    self.message = Some(match result {
                        Err(why) => (why, true),
                        Ok(false) => ("Cancelled. Run it again to continue.".into(), false),
                        Ok(true) if failed > 0 => (format!("{failed} runs failed"), true),
                        Ok(true) => ("Complete, with its contact sheet".into(), false),
                    });
                }
            }
        }
        if self.message.is_some() {
            self.job = None;
        }
    }

    fn head(&mut self, ui: &mut Ui, session: &Session, output: Option<&str>) {
        let idle = self.job.is_none();
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(row::HEIGHT);
            ui.add_enabled_ui(idle, |ui| self.settings(ui, session));
            ui.separator();
            if idle {
                let ready = !self.chosen.is_empty() && !session.broken();
                let run = ui.add_enabled(ready, egui::Button::new("Run sweep"));
                if run.on_disabled_hover_text("Choose what varies first").clicked() {
                    self.start(ui, session, output);
                }
            } else {
                if ui.button("Cancel").on_hover_text("Complete runs stay").clicked() {
                    self.job.iter().for_each(Job::cancel);
                }
                ui.spinner();
            }
            if idle && self.runs.is_empty() && !self.chosen.is_empty() {
                let runs = self.random.or_else(|| axes::combinations(&self.chosen));
                let text = runs.map_or_else(String::new, |runs| format!("{runs} runs"));
                ui.label(RichText::new(text).small().color(theme::current(ui).dim));
            }
            if !self.runs.is_empty() {
                let done = self.runs.iter().filter(|run| run.complete).count();
                let text = format!("{done} of {}", self.runs.len());
                ui.add(
                    egui::Label::new(RichText::new(text).monospace().small().color(theme::current(ui).dim)).extend(),
                );
            }
            if let Some(folder) = self.written.as_ref().filter(|_| idle)
                && ui.button("Show folder").on_hover_text(folder.display().to_string()).clicked()
            {
                // If the folder is gone or no file manager answers, the path can still be read.
                let _ = open::that_detached(folder);
            }
        });
        if !self.chosen.is_empty()
            && let Some(fault) = axes::fields(ui, &mut self.chosen, idle, self.random.is_some())
        {
            ui.add(egui::Label::new(markup::label(ui, "", &fault, theme::current(ui).error)).wrap());
        }
        if let Some((text, error)) = &self.message {
            let look = theme::current(ui);
            let color = if *error { look.error } else { look.dim };
            ui.add(egui::Label::new(markup::label(ui, "", text, color)).wrap());
        }
    }

    fn settings(&mut self, ui: &mut Ui, session: &Session) {
        axes::add(ui, session, &mut self.chosen);
        let mut random = self.random.is_some();
        let name = if random { "Random" } else { "All combinations" };
        let list = egui::ComboBox::from_id_salt("sweep points").selected_text(name);
        let shown = list.show_ui(ui, |ui| {
            ui.selectable_value(&mut random, false, "All combinations");
            ui.selectable_value(&mut random, true, "Random").on_hover_text("Random points, spread evenly");
        });
        shown
            .response
            .widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "points of the sweep"));
        self.random = random.then(|| self.random.unwrap_or(RANDOM));
        if let Some(count) = &mut self.random {
            let response = ui.add(number_field(ui, count).range(1..=10_000).suffix(" runs"));
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, "random runs"));
        }
        let response = ui.add(number_field(ui, &mut self.frames).range(1..=99_999_999).suffix(" frames"));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, "frames of a run"));
        response.on_hover_text("Each run computes so many frames and writes the last one");
        let beside = folder_beside_graph(session).display().to_string();
        let field = egui::TextEdit::singleline(&mut self.folder).hint_text(beside).desired_width(FOLDER);
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "folder of the sweep"));
        response.on_hover_text("Folder of the sweep. Where it holds another one, a number is added to its name");
    }

    fn start(&mut self, ui: &Ui, session: &Session, output: Option<&str>) {
        let found = session.running_simulation().and_then(|running| running.plan().output(output));
        let Some(image) = found else {
            self.message =
                Some(("The graph has no image to show. Add an Output node and connect an image.".into(), true));
            return;
        };
        let image_size = (image.width, image.height);
        let size =
            if image_size.0.max(image_size.1) > LARGEST { fitted((LARGEST, LARGEST), image_size) } else { image_size };
        let folder = if self.folder.trim().is_empty() {
            folder_beside_graph(session)
        } else {
            PathBuf::from(self.folder.trim())
        };
        let options = Options {
            set: self.chosen.iter().map(Chosen::text).collect(),
            random: self.random,
            frames: (self.frames, self.frames),
            image: Some(image.node.clone()),
            size: Some(size),
            ..Options::default()
        };
        let order = Order {
            document: session.document().clone(),
            library: session.library().clone(),
            access: session.access(),
            name: file_name(session),
            options,
            folder,
        };
        (self.runs, self.message, self.written) = (Vec::new(), None, None);
        let ctx = ui.ctx().clone();
        self.job = Some(Job::start(session.gpu(), order, move || ctx.request_repaint()));
    }

    fn body(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        let room = ui.available_rect_before_wrap();
        if self.runs.is_empty() || !room.is_positive() {
            let text = match (self.job.is_some(), self.chosen.is_empty()) {
                (true, _) => "Checking all values…",
                (false, true) => "Select nodes and choose the parameters that vary.",
                (false, false) => "Run the sweep to see an image of each run.",
            };
            ui.vertical_centered(|ui| {
                ui.add_space(ui.available_height() * 0.4);
                ui.label(RichText::new(text).color(theme::current(ui).dim));
            });
            return;
        }
        let texture = self.runs.iter().find_map(|run| run.texture.as_ref());
        let aspect = texture.map_or(1.0, |(_, [width, height])| *width as f32 / (*height).max(1) as f32);
        let mut chosen = None;
        for (rect, run) in tiles::places(room, self.runs.len(), aspect).into_iter().zip(&self.runs) {
            let shown = Shown {
                name: format!("run {}", run.task.index),
                lines: &run.lines,
                strip: run.strip.clone(),
                image: run.texture.as_ref().map(|(texture, size)| (texture.id(), *size)),
                fault: run.fault.as_deref(),
                old: false,
                kept: run.is_in(session.document()),
                hint: "Take these values: the graph gets them, as one undo step",
            };
            if tiles::show(ui, rect, &shown, session.editable()) {
                chosen = Some(run.task.clone());
            }
            if !run.complete && run.share > 0.0 {
                let look = theme::current(ui);
                let bar = rect.with_max_x(rect.left() + run.share * rect.width()).with_min_y(rect.bottom() - 3.0);
                ui.painter().rect_filled(bar, 0.0, look.accent);
            }
        }
        if let Some(task) = chosen {
            take(session, &task);
            actions.push(Action::RefreshViews);
        }
    }
}

impl Run {
    fn new(task: Task, chosen: &[Chosen]) -> Run {
        let value = |one: &Chosen| task.values.get(&one.name).map(text_of);
        let strip = chosen.iter().filter_map(value).collect::<Vec<_>>().join(", ");
        let lines = task.values.iter().map(|(name, value)| format!("{name} {}", text_of(value))).collect();
        Run { task, lines, strip, share: 0.0, texture: None, fault: None, complete: false }
    }

    /// Whether a document has its values.
    fn is_in(&self, document: &Document) -> bool {
        let mut applied = document.clone();
        let same = self.task.values.iter().all(|(name, value)| apply(&mut applied, name, value).is_ok());
        same && applied == *document
    }
}

/// Gives the graph the values of a run, as one undo step.
fn take(session: &mut Session, task: &Task) {
    session.edit("take sweep values", |document| {
        for (name, value) in &task.values {
            // The graph may have changed since; a value that it does not have is left out.
            let _ = apply(document, name, value);
        }
    });
    session.end_gesture();
}

fn texture(ui: &Ui, index: usize, image: &Image) -> (TextureHandle, [u32; 2]) {
    let size = [image.width as usize, image.height as usize];
    let pixels = ColorImage::from_rgba_unmultiplied(size, &image.rgba);
    let handle = ui.ctx().load_texture(format!("sweep {index}"), pixels, TextureOptions::LINEAR);
    (handle, [image.width, image.height])
}

fn file_name(session: &Session) -> String {
    let name = session.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "untitled.ron".into())
}

/// A folder beside the graph.
fn folder_beside_graph(session: &Session) -> PathBuf {
    let stem = PathBuf::from(file_name(session)).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = session.path().and_then(Path::parent).map_or_else(std::env::temp_dir, Path::to_path_buf);
    folder.join(format!("{stem}_sweep"))
}
