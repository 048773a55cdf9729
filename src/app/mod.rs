//! The editor: a window on a document, its graph and its running simulation. A thin client of the library; whatever it
//! does, a program can do.

mod canvas;
mod command;
mod compiler;
mod disk;
mod files;
mod history;
mod inspector;
mod notice;
mod panes;
mod picker;
mod player;
mod problems;
mod session;
mod structure;
mod theme;
mod transport;
mod view;

use std::collections::BTreeMap;
use std::path::PathBuf;

use eframe::egui::{self, RichText, Ui, ViewportCommand};
use eframe::{egui_wgpu, wgpu};
use egui_tiles::{TileId, Tiles, Tree, UiResponse};

use crate::document::{Document, NodeKind};
use crate::edit::PasteInputs;
use crate::gpu::{self, Gpu};
use canvas::{Canvas, layout};
use command::{Command, MENUS};
pub use disk::Source;
use files::{Event, Files, Leaving};
use notice::Notice;
use panes::Pane;
use picker::Picker;
use player::{Player, Pointer};
use problems::ProblemList;
use session::Session;
use view::{Subject, View};

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

/// The whole window.
pub struct Editor {
    session: Session,
    player: Player,
    canvas: Canvas,
    views: BTreeMap<u64, View>,
    panes: Tree<Pane>,
    files: Files,
    notice: Option<Notice>,
    problems: ProblemList,
    /// An open list, what it is for, and what its items stand for.
    picker: Option<(Command, Vec<String>, Picker)>,
    title: String,
    /// The plan that runs, by the session's count.
    plan: u64,
    /// The graph asks which keys are down.
    hears_keys: bool,
}

impl Editor {
    /// An editor that opens a document, in a window or in whatever else eframe draws to.
    ///
    /// # Errors
    /// When there is no graphics device.
    pub fn new(context: &eframe::CreationContext<'_>, source: Source) -> Result<Editor, String> {
        let render = context.wgpu_render_state.clone().ok_or("there is no graphics device")?;
        theme::install(&context.egui_ctx);
        let name = gpu::describe(&render.adapter.get_info());
        let gpu = Gpu::from_device(render.device.clone(), render.queue.clone(), &name);
        gpu.watch();
        let ctx = context.egui_ctx.clone();
        let mut editor = Editor {
            session: Session::new(gpu, move || ctx.request_repaint()),
            player: Player::default(),
            canvas: Canvas::default(),
            views: BTreeMap::from([(0, View::new(render, Subject::Output(None)))]),
            panes: panes::arrangement(),
            files: Files::default(),
            notice: None,
            problems: ProblemList::default(),
            picker: None,
            title: String::new(),
            plan: 0,
            hears_keys: false,
        };
        editor.files.load(&mut editor.session, source);
        Ok(editor)
    }

    fn tell(&mut self, text: String, error: bool) {
        self.notice = Some(Notice::new(text, error));
    }

    fn enabled(&self, command: Command) -> bool {
        let session = &self.session;
        let (some, own) = (!session.selection.is_empty(), session.editable());
        let one = session.selection.iter().next().filter(|_| session.selection.len() == 1);
        let kind = one.and_then(|name| session.nodes().get(name)).map(|node| &node.kind);
        match command {
            Command::Undo => session.history().can_undo(),
            Command::Redo => session.history().can_redo(),
            Command::Copy => some || session.frame.is_some(),
            Command::Cut | Command::Delete | Command::Rename => (some || session.frame.is_some()) && own,
            Command::FrameSelection | Command::Before | Command::After => some,
            Command::Mute | Command::Duplicate | Command::Group => some && own,
            Command::Link => session.selection.len() > 1 && own,
            Command::MakeMine => !own || matches!(kind, Some(NodeKind::Stage(_))),
            Command::SwapStage => {
                own && matches!(kind, Some(NodeKind::Stage(_) | NodeKind::Custom(_) | NodeKind::Group(_)))
            }
            Command::Ungroup => {
                own && one
                    .and_then(|name| session.nodes().get(name))
                    .is_some_and(|node| crate::edit::group_of(node, session.library()).is_some())
            }
            Command::Enter | Command::ViewOutput => kind.is_some(),
            Command::Leave => !session.scope().is_root(),
            Command::NextProblem | Command::PreviousProblem => session.problems().next().is_some(),
            Command::Paste | Command::PasteWithInputs | Command::AddNode | Command::FrameNodes | Command::Arrange => {
                own
            }
            Command::Play | Command::Step | Command::Reset => session.running_simulation().is_some(),
            _ => true,
        }
    }

    fn execute(&mut self, command: Command, ctx: &egui::Context) {
        if !self.enabled(command) {
            return;
        }
        let (session, canvas) = (&mut self.session, &mut self.canvas);
        let mut told = Ok(());
        match command {
            Command::Open => self.files.open(ctx, session),
            Command::Save => self.files.save(ctx, session),
            Command::SaveAs => self.files.save_as(ctx, session),
            Command::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Command::Undo => session.undo(),
            Command::Redo => session.redo(),
            Command::Copy | Command::Cut => {
                if let Some(text) = canvas.copy(session) {
                    ctx.copy_text(text);
                }
                if command == Command::Cut {
                    canvas.delete(session);
                }
            }
            Command::Paste | Command::PasteWithInputs => told = self.paste(ctx, command == Command::PasteWithInputs),
            Command::Duplicate => told = canvas.duplicate(session),
            Command::Delete => canvas.delete(session),
            Command::SelectAll => session.selection = session.nodes().keys().cloned().collect(),
            Command::Find | Command::Commands | Command::SwapStage => self.pick(command, ctx),
            Command::AddNode => canvas.open_palette(ctx, session, canvas::pointer(ctx)),
            Command::Mute => canvas.mute(session),
            Command::NextProblem | Command::PreviousProblem => {
                self.problems.step(session, command == Command::NextProblem);
                panes::bring_up(&mut self.panes, Pane::Problems);
            }
            Command::Rename => canvas.rename_selected(session),
            Command::Link => told = canvas.link_selected(session),
            Command::MakeMine => told = structure::make_mine(session),
            Command::Group => told = structure::group(session),
            Command::Ungroup => told = structure::ungroup(session),
            Command::Enter => {
                let name = session.selection.iter().next().cloned().unwrap_or_default();
                session.enter(&name);
            }
            Command::Leave => session.open_level(session.scope().0.len().saturating_sub(1)),
            Command::FrameNodes => told = canvas.add_frame(session),
            Command::Before => canvas.select_neighbors(session, true),
            Command::After => canvas.select_neighbors(session, false),
            Command::Arrange => canvas.arrange(session),
            Command::FrameAll => canvas.frame_all(),
            Command::FrameSelection => canvas.frame_selection(),
            Command::ToggleHeat => canvas.heat = !canvas.heat,
            Command::ToggleMinimap => canvas.minimap = !canvas.minimap,
            Command::Play => self.player.playing = !self.player.playing,
            Command::Step => self.player.step(),
            Command::Slower => self.player.shift_speed(false),
            Command::Faster => self.player.shift_speed(true),
            Command::Reset => {
                session.reset();
                self.player.refresh();
            }
            Command::ViewOutput => {}
            Command::Pin => self.add_view(),
            Command::FitPicture => self.views.values_mut().for_each(|view| view.framing().fit()),
            Command::ActualSize => self.views.values_mut().for_each(|view| view.framing().actual_size()),
            Command::ResetPanes => self.panes = panes::arrangement(),
            Command::DarkTheme => ctx.set_theme(egui::Theme::Dark),
            Command::LightTheme => ctx.set_theme(egui::Theme::Light),
            Command::ShowGraph | Command::ShowView | Command::ShowInspector | Command::ShowProblems => {
                if let Some(pane) = command.pane() {
                    panes::bring_up(&mut self.panes, pane);
                }
            }
        }
        if let Err(sentence) = told {
            self.tell(sentence, true);
        }
    }

    /// Puts in what the clipboard holds; where it has not come along with the keys, it is asked for.
    fn paste(&mut self, ctx: &egui::Context, with_inputs: bool) -> Result<(), String> {
        let text = ctx.input(|input| {
            let mut events = input.events.iter();
            events.find_map(|event| if let egui::Event::Paste(text) = event { Some(text.clone()) } else { None })
        });
        let Some(text) = text else {
            ctx.send_viewport_cmd(ViewportCommand::RequestPaste);
            return Ok(());
        };
        let inputs = if with_inputs { PasteInputs::Keep } else { PasteInputs::Drop };
        self.canvas.paste(&mut self.session, &text, canvas::pointer(ctx), inputs)
    }

    /// Opens a list to choose from.
    fn pick(&mut self, purpose: Command, ctx: &egui::Context) {
        let at = ctx.content_rect().center_top() + egui::vec2(-160.0, 90.0);
        let look = theme::look(ctx);
        let (keys, items, hint) = match purpose {
            Command::Find => {
                let (paths, items) = Canvas::nodes_to_find(&self.session, look);
                (paths, items, "Find a node")
            }
            Command::SwapStage => {
                let (names, items) = Canvas::stages_to_choose(&self.session, look);
                (names, items, "Put another stage in its place")
            }
            _ => (Vec::new(), self.commands_to_find(ctx), "Find a command"),
        };
        self.picker = Some((purpose, keys, Picker::new(at, hint, items)));
    }

    fn commands_to_find(&self, ctx: &egui::Context) -> Vec<picker::Item> {
        let menus = MENUS.iter().flat_map(|(menu, commands)| commands.iter().map(move |command| (menu, *command)));
        let item = |(menu, command): (&&str, Command)| picker::Item {
            title: command.label().trim_end_matches('…').into(),
            group: menu.to_string(),
            words: String::new(),
            note: command.shortcut_text(ctx),
            doc: String::new(),
            color: None,
            enabled: self.enabled(command),
        };
        menus.map(item).collect()
    }

    /// Shows the open list and does what is chosen.
    fn show_picker(&mut self, ctx: &egui::Context) {
        let Some((purpose, keys, picker)) = &mut self.picker else { return };
        let (purpose, index) = match picker.show(ctx) {
            picker::Answer::Open => return,
            picker::Answer::Closed => {
                self.picker = None;
                return;
            }
            picker::Answer::Chosen(index) => (*purpose, index),
        };
        let key = keys.get(index).cloned().unwrap_or_default();
        self.picker = None;
        match purpose {
            Command::Find => self.session.go_to(&key),
            Command::SwapStage => {
                let told = self.canvas.swap_stage(&mut self.session, &key);
                if let Err(sentence) = told {
                    self.tell(sentence, true);
                }
            }
            _ => {
                if let Some(command) = Command::all().nth(index) {
                    self.execute(command, ctx);
                }
            }
        }
    }

    /// Pins what the first view shows in a view of its own.
    fn add_view(&mut self) {
        let Some(new) = self.views.get(&0).map(View::another) else { return };
        let number = self.views.keys().last().map_or(1, |last| last + 1);
        self.views.insert(number, new);
        panes::put_beside(&mut self.panes, Pane::View(number), Pane::View(0));
        self.player.refresh();
    }

    fn arrivals(&mut self, ctx: &egui::Context) {
        self.session.poll();
        let dropped = ctx.input(|input| input.raw.dropped_files.iter().find_map(|file| file.path.clone()));
        if let Some(path) = dropped {
            self.files.load(&mut self.session, Source::File(path));
        }
        if ctx.input(|input| input.viewport().close_requested()) && self.session.modified() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.files.leave(&mut self.session, Leaving::Close);
        }
        for event in self.files.show(ctx, &mut self.session) {
            match event {
                Event::Opened => {
                    self.canvas.clear();
                    self.player.clear();
                    self.views.values_mut().for_each(View::clear);
                    self.notice = None;
                }
                Event::Close => ctx.send_viewport_cmd(ViewportCommand::Close),
                Event::Saved(path) => self.tell(format!("Saved {}", path.display()), false),
                Event::Failed(sentence) => self.tell(sentence, true),
            }
        }
        for fault in self.session.gpu().take_faults() {
            self.tell(format!("The graphics driver reports: {fault}"), true);
        }
    }

    /// The pointer of the view that it is over.
    fn pointer(&self) -> Pointer {
        self.views.values().map(View::pointer).find(|pointer| pointer.at.is_some()).unwrap_or_default()
    }

    /// Computes the next frame when it is due and brings its pictures up.
    fn advance(&mut self, ctx: &egui::Context) {
        if self.session.plans() != self.plan {
            self.plan = self.session.plans();
            self.player.refresh();
            self.hears_keys = self.session.running_simulation().is_some_and(|s| s.plan().reads("frame.keys"));
        }
        let mut pointer = self.pointer();
        // Keys belong to the graph while the pointer is over its picture, if it asks for them; else they are shortcuts.
        if self.hears_keys && pointer.at.is_some() && !ctx.egui_wants_keyboard_input() {
            pointer.keys = ctx.input_mut(player::keys);
        }
        if !self.player.advance(&mut self.session, pointer, ctx.input(|input| input.time)) {
            return;
        }
        self.views.values_mut().for_each(|view| view.update(&mut self.session));
        let done = self.player.submitted();
        let Some(simulation) = self.session.simulation() else { return };
        simulation.gpu().when_done(done);
        // Asking costs a copy, and loops that overrun do so for long.
        if simulation.frame() % 32 == 1 {
            let warnings = simulation.warnings(false);
            self.session.note(warnings);
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
                            self.examples(ui);
                        }
                    }
                });
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let look = theme::of(ui);
                let mark = if self.session.modified() { "●" } else { "" };
                let name = display_name(&self.session);
                let where_from = self.session.path().map_or("not in a file yet".into(), |p| p.display().to_string());
                ui.label(RichText::new(name).color(look.dim)).on_hover_text(where_from);
                ui.label(RichText::new(mark).color(look.accent)).on_hover_text("There are changes that no file holds");
            });
        });
        chosen
    }

    fn examples(&mut self, ui: &mut Ui) {
        ui.menu_button("Examples", |ui| {
            for name in disk::examples() {
                if ui.button(name.replace('_', " ")).clicked() {
                    self.files.load(&mut self.session, Source::Example(name));
                }
            }
        });
    }

    /// All panes.
    fn desk(&mut self, ui: &mut Ui) {
        let mut tree = std::mem::replace(&mut self.panes, Tree::empty("panes"));
        let mut desk = Desk { editor: self, told: Vec::new() };
        tree.ui(&mut desk, ui);
        let told = desk.told;
        self.panes = tree;
        for sentence in told {
            self.tell(sentence, true);
        }
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

/// The panes while they are drawn.
struct Desk<'a> {
    editor: &'a mut Editor,
    told: Vec<String>,
}

impl egui_tiles::Behavior<Pane> for Desk<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let Editor { session, canvas, views, player, problems, .. } = &mut *self.editor;
        let framed = |ui: &mut Ui, contents: &mut dyn FnMut(&mut Ui)| {
            egui::CentralPanel::no_frame().frame(theme::pane(ui)).show(ui, |ui| contents(ui));
        };
        match pane {
            Pane::Graph => self.told.extend(canvas.show(ui, session).err()),
            Pane::Inspector => {
                let mut told = None;
                framed(ui, &mut |ui| told = inspector::show(ui, session).err());
                self.told.extend(told);
            }
            Pane::Problems => {
                let mut told = None;
                framed(ui, &mut |ui| told = problems.show(ui, session).err());
                self.told.extend(told);
            }
            Pane::View(number) => {
                if let Some(view) = views.get_mut(number)
                    && view.show(ui, session)
                {
                    player.refresh();
                }
            }
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> egui::WidgetText {
        match pane {
            Pane::Problems => match self.editor.session.problems().count() {
                0 => "Problems".into(),
                count => format!("Problems ({count})").into(),
            },
            pane => pane.title().into(),
        }
    }

    fn is_tab_closable(&self, tiles: &Tiles<Pane>, tile: TileId) -> bool {
        tiles.get_pane(&tile).is_some_and(|pane| pane.closable())
    }

    fn on_tab_close(&mut self, tiles: &mut Tiles<Pane>, tile: TileId) -> bool {
        if let Some(Pane::View(number)) = tiles.get_pane(&tile) {
            self.editor.views.remove(number);
        }
        true
    }

    fn retain_pane(&mut self, pane: &Pane) -> bool {
        !matches!(pane, Pane::View(number) if !self.editor.views.contains_key(number))
    }

    fn simplification_options(&self) -> egui_tiles::SimplificationOptions {
        panes::options()
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        2.0
    }

    fn min_size(&self) -> f32 {
        120.0
    }

    fn tab_bar_color(&self, visuals: &egui::Visuals) -> egui::Color32 {
        visuals.window_fill
    }
}

impl eframe::App for Editor {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.arrivals(&ctx);
        self.advance(&ctx);
        if !self.files.blocking()
            && self.picker.is_none()
            && !self.canvas.busy()
            && let Some(command) = Command::pressed(&ctx)
        {
            self.execute(command, &ctx);
        }
        let bar = egui::Panel::top("menus").frame(theme::bar(ui)).show(ui, |ui| self.menus(ui)).inner;
        if self.notice.as_ref().is_some_and(|notice| notice.show(&ctx)) {
            self.notice = None;
        }
        let foot = egui::Panel::bottom("transport").exact_size(theme::BAR_HEIGHT + 4.0).frame(theme::bar(ui));
        let (player, session) = (&mut self.player, &mut self.session);
        let foot = foot.show(ui, |ui| ui.horizontal_centered(|ui| transport::show(ui, player, session)).inner).inner;
        let ground = egui::Frame::new().fill(theme::of(ui).line);
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| self.desk(ui));
        self.show_picker(&ctx);
        let asked = self.canvas.take_commands();
        for command in [bar, foot].into_iter().flatten().chain(asked) {
            self.execute(command, &ctx);
        }
        // A gesture lasts as long as a button is held or a field is being edited.
        if !ctx.input(|input| input.pointer.any_down()) && !ctx.egui_wants_keyboard_input() {
            self.session.end_gesture();
        }
        self.retitle(&ctx);
        if self.player.active() && self.session.running_simulation().is_some() {
            ctx.request_repaint();
        }
    }
}

/// Takes a document in; one whose nodes have no places yet gets them.
fn open_document(session: &mut Session, mut document: Document, path: Option<PathBuf>) {
    layout::place_all(&mut document, session.library());
    session.open(document, path);
}

/// The file's name, or the graph's own.
fn display_name(session: &Session) -> String {
    let file = session.path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let own = Some(session.document().name.clone()).filter(|name| !name.is_empty());
    file.or(own).unwrap_or_else(|| "untitled".into())
}
