//! The editor: a window on a document, its graph and its running simulation. A thin client of the library; whatever it
//! does, a program can do.

mod canvas;
mod code;
mod command;
mod compiler;
mod disk;
mod export_dialog;
mod files;
mod history;
mod inspector;
mod notice;
mod panes;
mod picker;
mod plan_pane;
mod player;
mod problems;
mod reading;
mod session;
mod settings;
mod stages;
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
use crate::library::Library;
use canvas::{Canvas, layout};
use code::Code;
use command::{Command, MENUS};
pub use disk::Source;
use export_dialog::ExportDialog;
use files::{Event, Files, Leaving};
use notice::Notice;
use panes::Pane;
use picker::Picker;
use plan_pane::PlanPane;
use player::{Player, Pointer};
use session::Session;
pub use settings::Folders;
use view::{Pictures, View};

/// Opens the window, with a graph file or with a graph that ships, and returns when it is closed. `stages` is a folder of
/// the user's own; without one, it is `stages` beside the graph.
///
/// # Errors
/// Why there is no window, in one sentence.
pub fn run(file: Option<PathBuf>, stages: Option<PathBuf>) -> Result<(), String> {
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
    let create: eframe::AppCreator<'_> =
        Box::new(move |context| Ok(Box::new(Editor::new(context, source, stages, Folders::of_user())?)));
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
    code: Code,
    views: BTreeMap<u64, View>,
    render: egui_wgpu::RenderState,
    /// Small pictures on the nodes, and whether they are wanted.
    pictures: Pictures,
    thumbnails: bool,
    panes: Tree<Pane>,
    plan_pane: PlanPane,
    files: Files,
    export: ExportDialog,
    notice: Option<Notice>,
    /// An open list, what it is for, and what its items stand for.
    picker: Option<(Command, Vec<String>, Picker)>,
    title: String,
    /// The plan that runs, by the session's count.
    plan: u64,
    /// A view is to look anew.
    stale: bool,
    /// The graph asks which keys are down.
    hears_keys: bool,
}

impl Editor {
    /// An editor that opens a document, in a window or in whatever else eframe draws to, with a folder of stages. Settings and
    /// what no file holds yet are kept in `folders`.
    ///
    /// # Errors
    /// When there is no graphics device.
    pub fn new(
        context: &eframe::CreationContext<'_>,
        source: Source,
        stages: Option<PathBuf>,
        folders: Folders,
    ) -> Result<Editor, String> {
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
            views: BTreeMap::from([(0, View::new(render.clone()))]),
            render,
            pictures: Pictures::default(),
            thumbnails: false,
            code: Code::default(),
            panes: panes::arrangement(),
            plan_pane: PlanPane::default(),
            files: Files::new(folders),
            export: ExportDialog::default(),
            notice: None,
            picker: None,
            title: String::new(),
            plan: 0,
            stale: false,
            hears_keys: false,
        };
        if let Some(folder) = stages {
            editor.session.use_stages(folder);
        }
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
            Command::Ungroup => own && matches!(kind, Some(NodeKind::Group(_))),
            Command::Enter | Command::ViewOutput => kind.is_some(),
            Command::Leave => !session.scope().is_root(),
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
        // Whatever it is, it means the text as it is on screen.
        self.code.flush(&mut self.session);
        let (session, canvas) = (&mut self.session, &mut self.canvas);
        let mut told = Ok(());
        match command {
            Command::New => self.files.new_graph(ctx),
            Command::Open => self.files.open(ctx, session),
            Command::Save => self.save(ctx),
            Command::SaveAs => self.files.save_as(ctx, session),
            Command::Export => self.export.open(session, self.files.settings()),
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
            Command::Rename => canvas.rename_selected(session),
            Command::Link => told = canvas.link_selected(session),
            Command::MakeMine => told = make_mine(session),
            Command::Group | Command::Ungroup => {}
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
            Command::ViewOutput => self.session.wanted_view = canvas.output_of_selected(&self.session),
            Command::ToggleThumbnails => self.thumbnails = !self.thumbnails,
            Command::Pin => self.pin(0),
            Command::FitPicture => self.views.values_mut().for_each(|view| view.framing().fit()),
            Command::ActualSize => self.views.values_mut().for_each(|view| view.framing().actual_size()),
            Command::ResetPanes => self.panes = panes::arrangement(),
            Command::DarkTheme => ctx.set_theme(egui::Theme::Dark),
            Command::LightTheme => ctx.set_theme(egui::Theme::Light),
            Command::ShowGraph
            | Command::ShowView
            | Command::ShowInspector
            | Command::ShowCode
            | Command::ShowPlan
            | Command::ShowProblems => {
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

    /// Gives what a view shows a view of its own beside it.
    fn pin(&mut self, view: u64) {
        let Some(new) = self.views.get(&view).map(View::another) else { return };
        let number = self.views.keys().last().map_or(1, |last| last + 1);
        self.views.insert(number, new);
        panes::put_beside(&mut self.panes, Pane::View(number), Pane::View(view));
        self.player.refresh();
    }

    /// Saves the document, or the stage's file that is being written in.
    fn save(&mut self, ctx: &egui::Context) {
        match self.code.save(ctx, &self.session) {
            Some(Ok(path)) => self.tell(format!("Saved {}", path.display()), false),
            Some(Err(sentence)) => self.tell(sentence, true),
            None => self.files.save(ctx, &mut self.session),
        }
    }

    fn arrivals(&mut self, ctx: &egui::Context) {
        self.session.poll();
        let dropped = ctx.input(|input| input.raw.dropped_files.iter().find_map(|file| file.path.clone()));
        if let Some(path) = dropped {
            self.files.drop_in(&mut self.session, &path);
        }
        if ctx.input(|input| input.viewport().close_requested()) {
            self.leave(ctx);
        }
        for event in self.files.show(ctx, &mut self.session) {
            match event {
                Event::Opened => {
                    self.canvas.clear();
                    self.plan_pane = PlanPane::default();
                    self.player.clear();
                    self.views.values_mut().for_each(View::clear);
                    self.notice = None;
                }
                Event::Close => ctx.send_viewport_cmd(ViewportCommand::Close),
                Event::Saved(path) => self.tell(format!("Saved {}", path.display()), false),
                Event::Reloaded(path) => self.tell(format!("Read {} anew: it was changed", path.display()), false),
                Event::Dropped(wish, node) => {
                    let told = self.canvas.put_in(&mut self.session, &wish, *node, canvas::pointer(ctx));
                    told.unwrap_or_else(|sentence| self.tell(sentence, true));
                }
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

    /// Has the running plan hold what is looked at.
    fn look(&mut self) {
        if let Some(link) = self.session.wanted_view.take() {
            match self.session.wire_path(&link) {
                Some(wire) => {
                    panes::bring_up(&mut self.panes, Pane::View(0));
                    if let Some(view) = self.views.get_mut(&0) {
                        view.see(&wire);
                    }
                    self.player.refresh();
                }
                None => self.tell(format!("`{link}` reads nothing yet, so there is nothing to see"), false),
            }
        }
        let wires = self.views.values().filter_map(View::wire).map(str::to_string).collect();
        self.session.look_at(wires, self.thumbnails);
    }

    /// The window is to be closed: not before everything that was written is safe.
    fn leave(&mut self, ctx: &egui::Context) {
        self.code.flush(&mut self.session);
        let unsaved: Vec<&str> = self.code.unsaved().collect();
        if !unsaved.is_empty() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            let names = unsaved.join(", ");
            self.tell(
                format!("Not closed: {names} has changes that are in no file; save them or take them back"),
                true,
            );
            panes::bring_up(&mut self.panes, Pane::Code);
        } else if self.session.modified() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.files.leave(&mut self.session, Leaving::Close);
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
        self.look();
        let mut pointer = self.pointer();
        // Keys belong to the graph while the pointer is over its picture, if it asks for them; else they are shortcuts.
        if self.hears_keys && pointer.at.is_some() && !ctx.egui_wants_keyboard_input() {
            pointer.keys = ctx.input_mut(player::keys);
        }
        let computed = self.player.advance(&mut self.session, pointer, ctx.input(|input| input.time));
        if computed || std::mem::take(&mut self.stale) {
            self.views.values_mut().for_each(|view| view.update(&mut self.session));
        }
        if !computed {
            return;
        }
        self.pictures.update(&mut self.session, &self.render, &mut self.canvas.thumbnails);
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
                            self.files.recent_menu(ui, &mut self.session);
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

    /// All panes.
    fn desk(&mut self, ui: &mut Ui) {
        let mut tree = std::mem::replace(&mut self.panes, Tree::empty("panes"));
        let mut desk = Desk { editor: self, told: Vec::new(), pin: None };
        tree.ui(&mut desk, ui);
        let (told, pin) = (desk.told, desk.pin);
        self.panes = tree;
        if let Some(number) = pin {
            self.pin(number);
        }
        if self.session.show_text.is_some() {
            panes::bring_up(&mut self.panes, Pane::Code);
        }
        self.canvas.settle();
        self.plan_pane.settle(&mut self.session);
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
    /// The view whose picture is to have a view of its own.
    pin: Option<u64>,
}

impl egui_tiles::Behavior<Pane> for Desk<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let Editor { session, canvas, code, views, player, stale, plan_pane, .. } = &mut *self.editor;
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
            Pane::Code => self.told.extend(code.show(ui, session).err()),
            Pane::Problems => framed(ui, &mut |ui| problems::show(ui, session)),
            Pane::Plan => framed(ui, &mut |ui| plan_pane.show(ui, session)),
            Pane::View(number) => {
                let Some(view) = views.get_mut(number) else { return UiResponse::None };
                let asked = view.show(ui, session);
                if asked.pin {
                    self.pin = Some(*number);
                }
                self.told.extend(asked.told);
                if asked.stale {
                    *stale = true;
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
            Pane::View(number) => self.editor.views.get(number).map_or_else(String::new, View::title).into(),
            pane => pane.title().into(),
        }
    }

    fn on_tab_button(&mut self, tiles: &mut Tiles<Pane>, tile: TileId, tab: egui::Response) -> egui::Response {
        if let Some(pane) = tiles.get_pane(&tile) {
            let name = format!("{} pane", self.tab_title_for_pane(pane).text());
            tab.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
        }
        tab
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
        self.code.tick(&ctx, &mut self.session);
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

/// Copies the selected built-in into the graph, or the library's group that is open.
fn make_mine(session: &mut Session) -> Result<(), String> {
    let (scope, name) = match session.library_group() {
        Some((scope, name)) => (scope, name),
        None => (session.scope().clone(), session.selection.iter().next().cloned().unwrap_or_default()),
    };
    let mut after = session.document().clone();
    crate::edit::make_mine(&mut after, &scope, &name, session.library())?;
    session.edit("make mine", |document| *document = after);
    Ok(())
}

/// A document whose nodes have places; those that have none yet get them.
fn placed(mut document: Document) -> Document {
    layout::place_all(&mut document, Library::builtin());
    document
}

/// The file's name, or the graph's own.
fn display_name(session: &Session) -> String {
    let file = session.path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let own = Some(session.document().name.clone()).filter(|name| !name.is_empty());
    file.or(own).unwrap_or_else(|| "untitled".into())
}
