//! The editor: a window on a document, its graph and its running simulation. A thin client of the library; whatever it
//! does, a program can do.

mod debugging;
mod dialog_stack;
mod dialogs;
mod editor;
mod embedding;
mod execute;
mod hints;
mod keys;
mod menu;
mod naming;
mod open_list;
mod own_window;
mod pane_host;
mod pick;
mod preferences;
mod tiles;
mod window;
mod window_state;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use eframe::egui::{self, Ui, ViewportCommand};

use crate::commands::action::{Action, Actions};
use crate::library::earlier;
use crate::model::device;
use crate::model::disk::Source;
use crate::model::leaving_caches::Live;
use crate::model::names::display_name;
use crate::model::pane::Pane;
use crate::model::player::{Player, Pointer};
use crate::model::session::Session;
use crate::model::settings::Folders;
use crate::panes::canvas;
use crate::panes::compare::Change;
use crate::panes::content::PaneContent;
use crate::panes::export::Around;
use crate::panes::files::{Event, Files, Leaving};
use crate::panes::table::Panes;
use crate::panes::timeline::{self, TimelinePane};
use crate::panes::view::{ThumbnailViews, View};
use crate::panes::{inspector, transport};
use crate::shell::dialog_stack::Dialogs;
use crate::shell::editor::{Host, Keyboard, Layout, Shown, Thumbnails};
use crate::shell::hints::Hints;
use crate::shell::keys::Holder;
use crate::sim::Simulation;
use crate::sim::checkpoint::CheckpointFile;
use crate::toolkit::notice::{self, Notice};
use crate::toolkit::{theme, widget_memory};

pub use crate::model::device::device_setup;
pub use crate::shell::window::run;
use editor::Awake;
pub use editor::Editor;

impl Editor {
    /// An editor that opens a document, in a window or another target of eframe, with a folder of stages. Settings and
    /// unsaved changes are kept in `folders`.
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
        window::keep_memory();
        let awake: Awake = Arc::new(Mutex::new(context.egui_ctx.clone()));
        let asleep = awake.clone();
        let presets = folders.settings.clone();
        let wake = move || asleep.lock().unwrap_or_else(PoisonError::into_inner).request_repaint();
        let mut editor = Editor {
            session: Session::new(device::device(&render), wake),
            player: Player::default(),
            timeline: TimelinePane::default(),
            views: BTreeMap::from([(0, View::new(render.clone()))]),
            shown: Shown::default(),
            thumbnails: Thumbnails::default(),
            panes: Panes::default(),
            layout: Layout::default(),
            files: Files::new(folders),
            dialogs: Dialogs::default(),
            notice: None,
            hints: Hints::default(),
            keyboard: Keyboard::default(),
            host: Host { render, awake, title: String::new(), closing: false },
            stops: Default::default(),
        };
        editor.session.use_presets(presets.as_deref());
        editor.restore(&context.egui_ctx);
        if let Some(folder) = stages {
            editor.session.use_stages(folder);
        }
        editor.files.load(&mut editor.session, source);
        Ok(editor)
    }

    /// Starts the first simulation from a checkpoint, where it waits.
    pub fn start_at(&mut self, checkpoint: CheckpointFile) {
        self.session.start_at(checkpoint);
        self.player.playing = false;
        self.player.refresh();
    }

    /// Moves into another window, after the device of the last one was lost. The document, its undo steps, the panes and the selection
    /// stay as they were; the simulation continues from its last snapshot.
    ///
    /// # Errors
    /// When there is no graphics device.
    fn attach(&mut self, context: &eframe::CreationContext<'_>) -> Result<(), String> {
        let render = context.wgpu_render_state.clone().ok_or("there is no graphics device")?;
        theme::install(&context.egui_ctx);
        *self.host.awake.lock().unwrap_or_else(PoisonError::into_inner) = context.egui_ctx.clone();
        self.files.settings().get().window.apply(&context.egui_ctx);
        for (_, pane) in self.panes.each() {
            pane.device_lost(&mut self.session);
        }
        self.dialogs.close_list();
        self.files.close_gallery();
        self.views.values_mut().for_each(|view| view.attach(render.clone()));
        self.thumbnails.views = ThumbnailViews::default();
        self.player.attach();
        self.host.title.clear();
        self.host.closing = false;
        let from = self.session.rebuild(device::device(&render));
        self.host.render = render;
        let from = from.map_or("from the start".into(), |frame| format!("from frame {frame}"));
        self.notify(
            format!("The graphics device was lost. The simulation continues {from}; nothing else has changed."),
            true,
        );
        Ok(())
    }

    /// Shows the hints for new users.
    fn hint(&mut self, ctx: &egui::Context) {
        if self.dialogs.has_modal() || self.panes.canvas.busy() {
            return;
        }
        let seen = self.files.settings().get().hints.clone();
        if let Some(number) = self.hints.show(ctx, |number| seen.contains(&number))
            && let Err(sentence) = self.files.settings().change(move |settings| settings.hints.extend([number]))
        {
            self.notify(sentence, true);
        }
    }

    /// What the export dialog proposes frames and wires by.
    fn around_export(&self) -> Around {
        let scope = self.session.scope();
        let selected = self.session.selection.nodes.iter().map(|name| scope.path(name));
        let seen = self.views.values().map(|view| view.seen().to_string()).filter(|path| !path.is_empty());
        let newest = self.session.running_simulation().map_or(0, |simulation| {
            let baked = simulation.baked_frames().map_or(0, |frames| *frames.end());
            simulation.frame().max(baked)
        });
        let range = self.player.range.map(|(from, to)| (from.max(1), to)).or((newest > 0).then_some((1, newest)));
        Around { range, frame_seconds: self.player.frame_seconds(), near: selected.chain(seen).collect() }
    }

    fn notify(&mut self, text: String, error: bool) {
        self.notice = Some(Notice::new(text, error));
    }

    /// Adds a view of what this view shows, beside it.
    fn pin(&mut self, view: u64) {
        let Some(new) = self.views.get(&view).map(View::another) else { return };
        let number = self.views.keys().last().map_or(1, |last| last + 1);
        self.views.insert(number, new);
        tiles::put_beside(&mut self.layout.tiles, Pane::View(number), Pane::View(view));
        self.player.refresh();
    }

    fn arrivals(&mut self, ctx: &egui::Context) {
        widget_memory::bound(ctx);
        let entering = self.session.is_entering_frame();
        self.session.poll();
        if entering && self.session.debugger().is_some() {
            self.bring_up(Pane::Debugger);
            self.show_stop(ctx);
        }
        if let Some(sentence) = self.session.take_debug_message() {
            self.notify(sentence, true);
        }
        if let Err(sentence) = self.session.settle_presets() {
            self.notify(sentence, true);
        }
        self.take_dropped(ctx);
        if ctx.input(|input| input.viewport().close_requested()) {
            self.leave(ctx);
        }
        self.files.poll(ctx, &mut self.session, self.dialogs.export.running());
        self.take_file_events(ctx);
        self.stack_file_dialog();
        for fault in self.session.gpu().take_faults() {
            self.notify(format!("The graphics driver reports: {fault}"), true);
        }
    }

    /// Reacts to what files report.
    fn take_file_events(&mut self, ctx: &egui::Context) {
        for event in self.files.take_events() {
            match event {
                Event::Opened => {
                    widget_memory::forget(ctx);
                    self.panes.each().into_iter().for_each(|(_, pane)| pane.opened());
                    self.dialogs.forget_graph();
                    self.player.clear();
                    self.timeline = TimelinePane::default();
                    self.views.values_mut().for_each(View::clear);
                    self.notice = None;
                    self.say_renamed();
                    self.restore_stops();
                }
                Event::Close => {
                    self.host.closing = true;
                    ctx.send_viewport_cmd(ViewportCommand::Close);
                }
                Event::StopExport => self.dialogs.export.stop(),
                Event::Opening(path) => self.notify(format!("Opening {}: the disk is slow", path.display()), false),
                Event::Saving(path) => self.notify(format!("Saving {}: the disk is slow", path.display()), false),
                Event::SavedStage(path, text) => {
                    self.panes.code.mark_saved(&path, &text);
                    self.notify(format!("Saved {}", path.display()), false);
                }
                Event::Saved(path) => self.notify(format!("Saved {}", path.display()), false),
                Event::Reloaded(path) => {
                    self.notify(format!("Reloaded {} (changed on disk)", path.display()), false);
                    self.say_renamed();
                }
                Event::Dropped(wish, node) => {
                    let mut actions = Actions::new();
                    let result =
                        self.panes.canvas.put_in(&mut self.session, &wish, *node, canvas::pointer(ctx), &mut actions);
                    actions.push(result.map_or_else(Action::Tell, |_| Action::Reveal));
                    self.carry_out(actions, ctx);
                }
                Event::Compare(path, mut document) => {
                    earlier::update(&mut document, self.session.library());
                    self.panes.compare.compare_with(Change::File(path, document));
                }
                Event::Failed(sentence) => self.notify(sentence, true),
            }
        }
    }

    /// Says what was renamed in a graph of an earlier version.
    fn say_renamed(&mut self) {
        let renamed = self.session.take_renamed();
        if !renamed.is_empty() {
            let list = renamed.join("; ");
            self.notify(format!("Changed for this version, and kept when you save. {list}"), true);
        }
    }

    /// Opens, or adds to the graph, a file that was dropped on a window.
    fn take_dropped(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|input| input.raw.dropped_files.iter().filter_map(|file| file.path.clone()).collect());
        let dropped: Vec<PathBuf> = dropped;
        dropped.iter().for_each(|path| self.files.drop_in(&mut self.session, path));
    }

    /// Makes the running plan keep the wires that are shown.
    fn keep_shown_wires(&mut self) {
        let of_panes = self.panes.all().into_iter().flat_map(PaneContent::wires);
        let wires = self.views.values().flat_map(View::wires).map(str::to_string).chain(of_panes).collect();
        self.session.look_at(wires, self.thumbnails.shown);
    }

    /// Closes the window once all changes are saved or given up.
    fn leave(&mut self, ctx: &egui::Context) {
        self.panes.code.flush(&mut self.session);
        if !self.host.closing && self.files.holds(&self.session) {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.files.leave(&mut self.session, Leaving::Close);
        }
    }

    /// The pointer over the view that it is in.
    fn pointer(&self) -> Pointer {
        self.views.values().map(View::pointer).find(|pointer| pointer.at.is_some()).unwrap_or_default()
    }

    /// Computes the next frame when it is due, and updates its images.
    fn advance(&mut self, holder: Holder, ctx: &egui::Context) {
        if self.session.plans() != self.shown.plan {
            self.shown.plan = self.session.plans();
            self.player.meet_plan();
            self.shown.stale = true;
            if let Some((frame, sentence)) = self.session.take_live().map(Live::report) {
                frame.into_iter().for_each(|frame| self.player.go_to(frame));
                notice::tell(ctx, sentence);
            }
            self.keyboard.hears_keys = self.session.running_simulation().is_some_and(|s| s.plan().reads("frame.keys"));
        }
        self.keep_shown_wires();
        self.shown.stale |= self.session.debugger().is_some() && self.player.take_refresh();
        let mut pointer = self.pointer();
        pointer.keys |= self.take_graph_keys(holder, pointer.at.is_some(), ctx);
        let wake = {
            let ctx = ctx.clone();
            move || ctx.request_repaint()
        };
        // The other side of a comparison computes the same frame first.
        let waits = self.panes.compare.is_behind() && self.player.waits(&self.session);
        let computed = !waits && self.player.advance(&mut self.session, pointer, ctx.input(|input| input.time), wake);
        // What it computes meanwhile is not whole.
        let under_way = self.session.running_simulation().is_some_and(|s| s.progress().is_some());
        if self.session.collect_checks() | self.session.collect_numbers() {
            ctx.request_repaint();
        }
        if computed || (!under_way && std::mem::take(&mut self.shown.stale)) {
            self.views.values_mut().for_each(|view| view.update(&mut self.session));
            self.panes.compare.refresh();
        }
        if computed {
            self.thumbnails.views.refresh(&self.session);
            self.session.keep_snapshot();
        }
        // While playing, the next frame updates the next of them.
        if computed || (self.thumbnails.views.late() && !self.player.playing && !under_way) {
            self.thumbnails.views.update(&mut self.session, &self.host.render, &mut self.panes.canvas.thumbnails);
        }
        if self.thumbnails.views.late() && !under_way {
            ctx.request_repaint();
        }
        if !computed {
            return;
        }
        let done = self.player.submitted();
        let Some(simulation) = self.session.simulation() else { return };
        simulation.gpu().when_done(done);
        // Each request costs a copy, and loops that overrun do so for many frames.
        if simulation.frame() % 32 == 1 {
            let warnings = simulation.warnings(false);
            let bad = simulation.bad_values(false);
            self.session.note(warnings);
            bad.into_iter().for_each(|bad| self.session.trace(bad));
        }
    }

    /// A key that was requested with the pointer over no value is one for all keyed values of the selected nodes.
    fn settle_key(&mut self, ctx: &egui::Context) {
        if inspector::keys::unanswered(ctx) && (self.session.selection.nodes.is_empty() || !self.session.key_selected())
        {
            self.notify("Point at a value in the inspector to insert a key".into(), false);
        }
    }
}

impl eframe::App for Editor {
    fn logic(&mut self, ctx: &egui::Context, _: &mut eframe::Frame) {
        // The last frame of a closing window is not seen.
        if ctx.input(|input| input.viewport().close_requested()) {
            self.remember(ctx);
        }
    }

    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        if self.session.gpu().is_lost() {
            // Nothing can be drawn any more. `window::run` moves the editor into another window.
            ctx.send_viewport_cmd(ViewportCommand::Close);
            return;
        }
        self.panes.code.tick(&ctx, &mut self.session);
        self.stack_file_dialog();
        let holder = self.key_holder(&ctx, self.keyboard.typed);
        self.take_keys_first(holder, &ctx);
        self.arrivals(&ctx);
        self.advance(holder, &ctx);
        self.keyboard.keymap.install(&ctx);
        self.take_other_keys(holder, &ctx);
        self.stack_file_dialog();
        let bar = egui::Panel::top("menus").frame(theme::bar(ui)).show(ui, |ui| self.menus(ui)).inner;
        if self.notice.as_ref().is_some_and(|notice| notice.show(&ctx)) {
            self.notice = None;
        }
        let frame = egui::Frame::new().fill(theme::current(ui).bar);
        let frames = egui::Panel::bottom("timeline").exact_size(timeline::HEIGHT).frame(frame);
        let foot = egui::Panel::bottom("transport").exact_size(theme::BAR_HEIGHT + 4.0).frame(theme::bar(ui));
        let (player, session) = (&mut self.player, &mut self.session);
        let foot = foot.show(ui, |ui| ui.horizontal_centered(|ui| transport::show(ui, player, session)).inner).inner;
        let pane = &mut self.timeline;
        let player = &mut self.player;
        let session = &mut self.session;
        let tall = ctx.content_rect().height() >= timeline::LEAST_WINDOW;
        let frames = tall.then(|| frames.show(ui, |ui| pane.show(ui, player, session)).inner).flatten();
        let ground = egui::Frame::new().fill(theme::current(ui).line);
        let mut actions: Actions = bar.map(Action::Run).into_iter().chain(foot).chain(frames).collect();
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| self.show_panes(ui, &mut actions));
        self.settle_key(&ctx);
        self.show_own_windows(&ctx, &mut actions);
        self.hint(&ctx);
        self.show_dialogs(&ctx);
        if self.files.has_events() {
            // The panes still show what was there before.
            ctx.request_repaint();
            self.take_file_events(&ctx);
        }
        self.carry_out(actions, &ctx);
        self.notice = Notice::take(&ctx).or(self.notice.take());
        // A gesture lasts as long as a button is held or a field is being edited.
        let busy = ctx.input(|input| input.pointer.any_down()) || ctx.egui_wants_keyboard_input();
        if !busy && !self.busy_elsewhere() {
            self.session.end_gesture();
        }
        self.keyboard.typed = ctx.egui_wants_keyboard_input();
        self.remember_stops();
        self.retitle(&ctx);
        match self.session.running_simulation().map(Simulation::progress) {
            // The frame wakes the window when it is there. Until then the window leaves the GPU to it, but for its progress.
            Some(Some(_)) => ctx.request_repaint_after(PROGRESS),
            Some(None) if self.player.active() => ctx.request_repaint(),
            _ => {}
        }
    }
}

/// How often the progress of a long frame is shown.
const PROGRESS: Duration = Duration::from_millis(200);
