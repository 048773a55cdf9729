//! Views in windows of their own, for example on a second monitor. They are drawn together with the main window and share its device, so a
//! view shows the same texture wherever it is. Where only one window can be opened, they lie over the panes.

use eframe::egui::{self, Id, Key, Modifiers, Ui, ViewportBuilder, ViewportClass, ViewportCommand, ViewportId, vec2};

use super::editor::OwnWindow;
use super::keys::Holder;
use super::{Editor, tiles};
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::model::pane::Pane;

/// The size of a new window, and the least \[points\].
const SIZE: [f32; 2] = [960.0, 720.0];
const LEAST: [f32; 2] = [320.0, 240.0];
/// The largest part of the main window that a view over its panes takes at first, and its margin to the lower left corner \[points\].
const PART: f32 = 0.4;
const MARGIN: f32 = 40.0;

/// What was asked for in a window.
#[derive(Default)]
struct WindowRequest {
    close: bool,
    command: Option<Command>,
}

impl Editor {
    /// Moves a view into its own window, or back into its pane.
    pub(crate) fn toggle_own_window(&mut self, number: u64) {
        if self.layout.windows.remove(&number).is_none() && self.views.contains_key(&number) {
            self.layout.windows.insert(number, OwnWindow::default());
        }
        let away = self.away();
        tiles::show_all_but(&mut self.layout.tiles, &away);
    }

    /// The view that the command is for: that under the pointer, or else the first.
    pub(crate) fn pointed_view(&self) -> u64 {
        match self.layout.pointed {
            Some(Pane::View(number)) if self.views.contains_key(&number) => number,
            _ => 0,
        }
    }

    /// The panes that are in windows of their own.
    pub(crate) fn away(&self) -> Vec<Pane> {
        self.layout.windows.keys().map(|number| Pane::View(*number)).collect()
    }

    /// Shows a pane; one in its own window is left as it is.
    pub(crate) fn bring_up(&mut self, pane: Pane) {
        if !self.away().contains(&pane) {
            tiles::bring_up(&mut self.layout.tiles, pane);
        }
    }

    /// Whether a gesture may be under way in one of the windows.
    pub(crate) fn busy_elsewhere(&self) -> bool {
        self.layout.windows.values().any(|window| window.busy)
    }

    /// Draws the windows, and adds what is asked for in them.
    pub(crate) fn show_own_windows(&mut self, ctx: &egui::Context, actions: &mut Actions) {
        let views = &self.views;
        self.layout.windows.retain(|number, _| views.contains_key(number));
        for number in self.layout.windows.keys().copied().collect::<Vec<_>>() {
            let title =
                self.views.get(&number).map(|view| format!("{} — Stagewright", view.title())).unwrap_or_default();
            let request = match ctx.embed_viewports() {
                true => self.show_over_panes(ctx, number, title, actions),
                false => {
                    let builder = ViewportBuilder::default()
                        .with_app_id("stagewright")
                        .with_title(title)
                        .with_inner_size(SIZE)
                        .with_min_inner_size(LEAST)
                        .with_drag_and_drop(true);
                    ctx.show_viewport_immediate(viewport(number), builder, |ui, class| {
                        self.show_in_window(ui, class, number, actions)
                    })
                }
            };
            if request.close {
                self.toggle_own_window(number);
            }
            if let Some(command) = request.command {
                self.run_from_window(ctx, command, number, actions);
            }
        }
    }

    /// A window over the panes, with a button to close it.
    fn show_over_panes(
        &mut self,
        ctx: &egui::Context,
        number: u64,
        title: String,
        actions: &mut Actions,
    ) -> WindowRequest {
        let (mut open, mut request) = (true, WindowRequest::default());
        let room = PART * ctx.content_rect().size();
        let size = vec2(SIZE[0], SIZE[1]).min(room);
        egui::Window::new(title)
            .id(Id::new(("own window", number)))
            .open(&mut open)
            .collapsible(false)
            .frame(egui::Frame::window(&ctx.global_style()).inner_margin(0))
            .default_size(size)
            .default_pos(ctx.content_rect().left_bottom() + vec2(MARGIN, -MARGIN - size.y))
            .min_size(vec2(LEAST[0], LEAST[1]).min(room))
            .show(ctx, |ui| request = self.show_in_window(ui, ViewportClass::EmbeddedWindow, number, actions));
        request.close |= !open;
        request
    }

    /// The contents of a window.
    fn show_in_window(
        &mut self,
        ui: &mut Ui,
        class: ViewportClass,
        number: u64,
        actions: &mut Actions,
    ) -> WindowRequest {
        let ctx = ui.ctx().clone();
        let mut request = WindowRequest::default();
        // Over the panes, the pointer, the keys and dropped files are those of the main window.
        let separate = class != ViewportClass::EmbeddedWindow;
        let mut keys = 0;
        if separate {
            request.close = ctx.input(|input| input.viewport().close_requested());
            let typed = self.layout.windows.get(&number).is_some_and(|window| window.typed);
            let holder = self.key_holder(&ctx, typed);
            let over = self.views.get(&number).is_some_and(|view| view.pointer().at.is_some());
            keys = self.take_graph_keys(holder, over, &ctx);
            leave_full_screen(&ctx);
            request.command = if holder == Holder::Modal { None } else { self.keyboard.keymap.pressed(&ctx, typed) };
            self.take_dropped(&ctx);
        }
        if let Some(view) = self.views.get_mut(&number) {
            view.show(ui, &mut self.session, (number, true), actions);
            view.hold_keys(keys);
        }
        if let Some(window) = self.layout.windows.get_mut(&number).filter(|_| separate) {
            window.typed = ctx.egui_wants_keyboard_input();
            window.busy = window.typed || ctx.input(|input| input.pointer.any_down());
        }
        if request.command == Some(Command::FullScreen) {
            toggle_full_screen(&ctx);
        }
        request
    }

    /// Carries out a command whose keys were pressed in a window. What opens in the main window then gets the keyboard.
    fn run_from_window(&mut self, ctx: &egui::Context, command: Command, number: u64, actions: &mut Actions) {
        match command {
            Command::FullScreen => {}
            Command::OwnWindow => self.toggle_own_window(number),
            command => {
                actions.push(Action::Run(command));
                if command.opens_something() {
                    ctx.send_viewport_cmd_to(ViewportId::ROOT, ViewportCommand::Focus);
                }
            }
        }
    }
}

/// Lets a window fill the screen, or no more.
pub(crate) fn toggle_full_screen(ctx: &egui::Context) {
    ctx.send_viewport_cmd(ViewportCommand::Fullscreen(!is_full_screen(ctx)));
}

fn is_full_screen(ctx: &egui::Context) -> bool {
    ctx.input(|input| input.viewport().fullscreen.unwrap_or(false))
}

/// Escape in a window that fills the screen, as in a video player. What is open or being typed there comes first.
fn leave_full_screen(ctx: &egui::Context) {
    let free = !egui::Popup::is_any_open(ctx) && !ctx.egui_wants_keyboard_input();
    if is_full_screen(ctx) && free && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        ctx.send_viewport_cmd(ViewportCommand::Fullscreen(false));
    }
}

fn viewport(number: u64) -> ViewportId {
    ViewportId::from_hash_of(("own window", number))
}

/// Brings a view's window to the front.
pub(crate) fn focus(ctx: &egui::Context, number: u64) {
    if !ctx.embed_viewports() {
        ctx.send_viewport_cmd_to(viewport(number), ViewportCommand::Focus);
    }
}
