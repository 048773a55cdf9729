//! The editor: a window on a document, its graph and its running simulation. A thin client of the library; whatever it
//! does, a program can do.

mod canvas;
mod command;
mod compiler;
mod disk;
mod edits;
mod export_dialog;
mod face;
mod files;
#[cfg(test)]
mod fixture;
mod history;
mod inspector;
mod notice;
mod picture;
mod player;
mod problems;
mod session;
mod settings;
mod theme;
mod viewport;

use std::path::PathBuf;

use eframe::egui::{self, RichText, Ui, ViewportCommand};
use eframe::{egui_wgpu, wgpu};

use crate::document::Document;
use crate::gpu::{self, Gpu};
use crate::library::Library;
use canvas::{Canvas, layout};
use command::{Command, MENUS};
use disk::Source;
use export_dialog::ExportDialog;
use files::{Event, Files, Leaving};
use notice::Notice;
use session::Session;
use settings::Folders;
use viewport::Viewport;

/// Opens the window, with a graph file or with a graph that ships, and returns when it is closed.
///
/// # Errors
/// Why there is no window, in one sentence.
pub fn run(file: Option<PathBuf>) -> Result<(), String> {
    let source = file.map_or_else(first, Source::File);
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id("stagewright")
            .with_title("Stagewright")
            .with_inner_size([1480.0, 920.0])
            .with_min_inner_size([820.0, 520.0])
            .with_drag_and_drop(true),
        wgpu_options: graphics(),
        ..Default::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |context| Ok(Box::new(Editor::new(context, source)?)));
    eframe::run_native("stagewright", options, create).map_err(|error| sentence(&error))
}

/// Why there is no window, and what works without one.
fn sentence(error: &eframe::Error) -> String {
    match error {
        eframe::Error::Wgpu(cause) => format!("{}; {cause}", gpu::GpuError::NoAdapter),
        eframe::Error::AppCreation(cause) => cause.to_string(),
        other => {
            // Up to here it says where in the window library that was.
            let text = other.to_string();
            let cause = text.rsplit(": ").next().unwrap_or_default().trim_end_matches('.');
            format!("no window can be opened: {cause}; `stagewright render` works without one")
        }
    }
}

fn first() -> Source {
    let shipped = PathBuf::from(format!("graphs/{}.ron", disk::FIRST));
    if shipped.is_file() { Source::File(shipped) } else { Source::Example(disk::FIRST.to_string()) }
}

/// The window's device is the simulation's too, so it is asked for with all that the adapter has.
fn graphics() -> egui_wgpu::WgpuConfiguration {
    let mut setup = egui_wgpu::WgpuSetupCreateNew::without_display_handle();
    setup.instance_descriptor.backends &= wgpu::Backends::PRIMARY;
    setup.device_descriptor = std::sync::Arc::new(gpu::device_descriptor);
    egui_wgpu::WgpuConfiguration { wgpu_setup: setup.into(), ..Default::default() }
}

struct Editor {
    session: Session,
    viewport: Viewport,
    canvas: Canvas,
    files: Files,
    export: ExportDialog,
    notice: Option<Notice>,
    title: String,
}

impl Editor {
    fn new(context: &eframe::CreationContext<'_>, source: Source) -> Result<Editor, String> {
        let render = context.wgpu_render_state.clone().ok_or("there is no graphics device")?;
        theme::install(&context.egui_ctx);
        let name = gpu::describe(&render.adapter.get_info());
        let gpu = Gpu::from_device(render.device.clone(), render.queue.clone(), &name);
        gpu.watch();
        let ctx = context.egui_ctx.clone();
        let mut editor = Editor {
            session: Session::new(gpu, move || ctx.request_repaint()),
            viewport: Viewport::new(render),
            canvas: Canvas::default(),
            files: Files::new(Folders::of_user()),
            export: ExportDialog::default(),
            notice: None,
            title: String::new(),
        };
        editor.files.load(&mut editor.session, source);
        Ok(editor)
    }

    fn tell(&mut self, text: String, error: bool) {
        self.notice = Some(Notice::new(text, error));
    }

    fn enabled(&self, command: Command) -> bool {
        match command {
            Command::Undo => self.session.history().can_undo(),
            Command::Redo => self.session.history().can_redo(),
            Command::Delete | Command::FrameSelection => !self.canvas.selection.is_empty(),
            Command::Play | Command::Step | Command::Reset => self.session.running_simulation().is_some(),
            _ => true,
        }
    }

    fn execute(&mut self, command: Command, ctx: &egui::Context) {
        if !self.enabled(command) {
            return;
        }
        match command {
            Command::New => self.files.new_graph(ctx),
            Command::Open => self.files.open(ctx, &self.session),
            Command::Save => self.files.save(ctx, &mut self.session),
            Command::SaveAs => self.files.save_as(ctx, &self.session),
            Command::Export => self.export.open(&self.session, self.files.settings()),
            Command::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Command::Undo => self.session.undo(),
            Command::Redo => self.session.redo(),
            Command::Delete => self.canvas.delete(&mut self.session),
            Command::AddNode => self.canvas.open_palette(canvas::pointer(ctx)),
            Command::Arrange => self.canvas.arrange(&mut self.session),
            Command::FrameAll => self.canvas.frame_all(),
            Command::FrameSelection => self.canvas.frame_selection(),
            Command::Play => self.viewport.player.playing = !self.viewport.player.playing,
            Command::Step => self.viewport.player.step(),
            Command::Reset => {
                self.session.reset();
                self.viewport.player.refresh();
            }
        }
    }

    fn arrivals(&mut self, ctx: &egui::Context) {
        self.session.poll();
        let dropped = ctx.input(|input| input.raw.dropped_files.iter().find_map(|file| file.path.clone()));
        if let Some(path) = dropped {
            self.files.drop_in(&mut self.session, &path);
        }
        if ctx.input(|input| input.viewport().close_requested()) && self.session.modified() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.files.leave(&mut self.session, Leaving::Close);
        }
        for event in self.files.show(ctx, &mut self.session) {
            match event {
                Event::Opened => {
                    self.canvas = Canvas::default();
                    self.viewport.clear();
                    self.notice = None;
                }
                Event::Close => ctx.send_viewport_cmd(ViewportCommand::Close),
                Event::Saved(path) => self.tell(format!("Saved {}", path.display()), false),
                Event::Reloaded(path) => self.tell(format!("Read {} anew: it was changed", path.display()), false),
                Event::Dropped(name, node) => self.session.edit("drop", |document| {
                    edits::add(document, &name, *node);
                }),
                Event::Failed(sentence) => self.tell(sentence, true),
            }
        }
        if let Err(sentence) = self.export.show(ctx, &self.session, self.files.settings()) {
            self.tell(sentence, true);
        }
        for fault in self.session.gpu().take_faults() {
            self.tell(format!("The graphics driver reports: {fault}"), true);
        }
    }

    fn menus(&mut self, ui: &mut Ui) -> Option<Command> {
        let mut chosen = None;
        egui::MenuBar::new().ui(ui, |ui| {
            for (title, commands) in MENUS {
                ui.menu_button(*title, |ui| {
                    for command in *commands {
                        if command.menu_entry(ui, self.enabled(*command)) {
                            chosen = Some(*command);
                        }
                        if *command == Command::Open {
                            self.files.recent_menu(ui, &mut self.session);
                        }
                    }
                });
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let mark = if self.session.modified() { "●" } else { "" };
                let name = display_name(&self.session);
                let where_from = self.session.path().map_or("not in a file yet".into(), |p| p.display().to_string());
                ui.label(RichText::new(name).color(theme::DIM)).on_hover_text(where_from);
                ui.label(RichText::new(mark).color(theme::ACCENT))
                    .on_hover_text("There are changes that no file holds");
            });
        });
        chosen
    }

    fn panes(&mut self, ui: &mut Ui) -> Option<Command> {
        let width = ui.available_width();
        let right = egui::Panel::right("graph").frame(egui::Frame::new()).default_size(0.56 * width);
        let mut sentence = Ok(());
        right.size_range(320.0..=width - 300.0).show(ui, |ui| {
            let height = ui.available_height();
            let below = egui::Panel::bottom("inspector").resizable(true).default_size(0.36 * height);
            // Before the canvas, so that what is typed is taken in before a click there selects another node.
            below.size_range(90.0..=height - 140.0).frame(theme::pane()).show(ui, |ui| {
                sentence = inspector::show(ui, &mut self.session, &mut self.canvas);
            });
            problems::show(ui, &self.session, &mut self.canvas);
            egui::CentralPanel::no_frame().show(ui, |ui| {
                let wired = self.canvas.show(ui, &mut self.session);
                sentence = std::mem::replace(&mut sentence, Ok(())).and(wired);
            });
        });
        if let Err(sentence) = sentence {
            self.tell(sentence, true);
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.viewport.show(ui, &mut self.session)).inner
    }

    fn retitle(&mut self, ctx: &egui::Context) {
        let mark = if self.session.modified() { "● " } else { "" };
        let title = format!("{mark}{} — Stagewright", display_name(&self.session));
        if title != self.title {
            self.title = title;
            ctx.send_viewport_cmd(ViewportCommand::Title(self.title.clone()));
        }
    }
}

impl eframe::App for Editor {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.arrivals(&ctx);
        self.viewport.take_keys(&ctx);
        if !self.files.blocking()
            && let Some(command) = Command::pressed(&ctx)
        {
            self.execute(command, &ctx);
        }
        self.viewport.advance(&mut self.session, ctx.input(|input| input.time));
        let bar = egui::Panel::top("menus").frame(theme::bar()).show(ui, |ui| self.menus(ui)).inner;
        if self.notice.as_ref().is_some_and(|notice| notice.show(&ctx)) {
            self.notice = None;
        }
        let button = self.panes(ui);
        for command in [bar, button].into_iter().flatten() {
            self.execute(command, &ctx);
        }
        // A gesture lasts as long as a button is held or a field is being edited.
        if !ctx.input(|input| input.pointer.any_down()) && !ctx.egui_wants_keyboard_input() {
            self.session.end_gesture();
        }
        self.retitle(&ctx);
        if self.viewport.player.active() && self.session.running_simulation().is_some() {
            ctx.request_repaint();
        }
    }
}

/// A document whose nodes have places; those that have none yet get them.
fn placed(mut document: Document) -> Document {
    let faces = face::faces(&document, Library::builtin());
    layout::place_new(&mut document, &faces);
    document
}

/// The file's name, or the graph's own.
fn display_name(session: &Session) -> String {
    let file = session.path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let own = Some(session.document().name.clone()).filter(|name| !name.is_empty());
    file.or(own).unwrap_or_else(|| "untitled".into())
}
