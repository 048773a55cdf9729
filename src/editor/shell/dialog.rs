//! Small windows over the panes, one at a time: history, what program this is, and the [`preferences`](super::preferences). The editor stays usable behind them.

use eframe::egui::{self, Align2, Id, Key, Modifiers, RichText, Ui, vec2};

use super::Editor;
use crate::editor::model::session::Session;
use crate::editor::panes::plan_pane;
use crate::editor::toolkit::{prose, theme};

/// Width of a window, and of the names in it \[points\].
pub(crate) const WIDTH: f32 = 420.0;
const NAMES: f32 = 170.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    About,
    History,
    Preferences,
}

impl Dialog {
    fn title(self) -> &'static str {
        match self {
            Dialog::About => "About Stagewright",
            Dialog::History => "History",
            Dialog::Preferences => "Preferences",
        }
    }
}

impl Editor {
    /// Opens a dialog in place of the one that is open.
    pub(crate) fn open_dialog(&mut self, dialog: Dialog) {
        self.preferences.close();
        self.dialog = Some(dialog);
    }

    /// Closes the open dialog, and saves what may have been chosen in it.
    fn close_dialog(&mut self, ctx: &egui::Context) {
        self.dialog = None;
        self.preferences.close();
        self.remember(ctx);
    }

    /// The keys of the open dialog: Escape closes it, and the arrows move in the history.
    pub(crate) fn dialog_keys(&mut self, ctx: &egui::Context) {
        let Some(dialog) = self.dialog else { return };
        if dialog == Dialog::Preferences {
            self.record_keys(ctx);
        }
        if ctx.egui_wants_keyboard_input() || egui::Popup::is_any_open(ctx) {
            return;
        }
        let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::Escape) {
            self.close_dialog(ctx);
        } else if dialog == Dialog::History {
            let (present, last) = (self.session.history().present(), self.session.history().steps());
            let moved = [
                (Key::ArrowUp, present.saturating_sub(1)),
                (Key::ArrowDown, (present + 1).min(last)),
                (Key::Home, 0),
                (Key::End, last),
            ];
            if let Some((_, steps)) = moved.into_iter().find(|(key, _)| pressed(*key)) {
                self.panes.code.flush(&mut self.session);
                self.session.go_to_step(steps);
            }
        }
    }

    /// Draws the open dialog.
    pub(crate) fn show_dialog(&mut self, ctx: &egui::Context) {
        let Some(dialog) = self.dialog else { return };
        let mut open = true;
        egui::Window::new(dialog.title())
            .id(Id::new(("dialog", dialog.title())))
            .open(&mut open)
            .collapsible(false)
            .resizable(dialog == Dialog::History)
            .default_width(WIDTH)
            .pivot(Align2::CENTER_CENTER)
            .default_pos(ctx.content_rect().center())
            .show(ctx, |ui| match dialog {
                Dialog::About => about(ui, &self.session),
                Dialog::History => {
                    if let Some(steps) = steps(ui, &self.session) {
                        self.panes.code.flush(&mut self.session);
                        self.session.go_to_step(steps);
                    }
                }
                Dialog::Preferences => self.show_preferences(ui),
            });
        if !open {
            self.close_dialog(ctx);
        }
    }
}

pub(crate) fn row<R>(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(vec2(NAMES, ui.spacing().interact_size.y), left, |ui| {
            ui.set_width(NAMES);
            ui.label(RichText::new(name).color(theme::of(ui).dim));
        });
        contents(ui)
    })
    .inner
}

/// Draws the list of steps. Returns how many are to be done.
fn steps(ui: &mut Ui, session: &Session) -> Option<usize> {
    let history = session.history();
    let present = history.present();
    let titles = session.history_titles();
    let mut chosen = None;
    let moved = Id::new("history present");
    let before = ui.data_mut(|data| data.get_temp::<usize>(moved));
    let scroll = egui::ScrollArea::vertical().auto_shrink([false, true]).max_height(360.0).max_width(WIDTH);
    scroll.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (steps, title) in titles.iter().enumerate() {
            let look = theme::of(ui);
            let color = if steps > present { look.faint } else { look.text };
            let mark = if steps == present { "Present" } else { "" };
            let button = egui::Button::selectable(steps == present, RichText::new(title).color(color))
                .right_text(RichText::new(mark).small().color(look.accent))
                .min_size(vec2(ui.available_width(), 22.0));
            let response = ui.add(button);
            let (name, here) = (format!("step {steps} {title}"), steps == present);
            response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, here, &name));
            if here && before != Some(present) {
                response.scroll_to_me(None);
            }
            if response.clicked() {
                chosen = Some(steps);
            }
        }
    });
    ui.data_mut(|data| data.insert_temp(moved, present));
    ui.add_space(4.0);
    ui.label(RichText::new("Click a step, or press Up and Down.").small().color(theme::of(ui).dim));
    chosen
}

/// Version, adapter and memory, as text to copy for a report.
fn about(ui: &mut Ui, session: &Session) {
    ui.set_width(WIDTH);
    let gpu = session.gpu();
    let used = session.running_simulation().map_or(0, |simulation| simulation.plan().memory);
    let facts = [
        ("Version", env!("CARGO_PKG_VERSION").to_string()),
        ("GPU", gpu.name().to_string()),
        ("Memory of the graph", plan_pane::bytes(used)),
        ("Memory budget", prose::plain(&gpu.memory_budget().to_string())),
        ("License", env!("CARGO_PKG_LICENSE").to_string()),
    ];
    for (name, fact) in &facts {
        row(ui, name, |ui| ui.add(egui::Label::new(fact).selectable(true).wrap()));
    }
    ui.add_space(6.0);
    if ui.button("Copy").clicked() {
        let lines = facts.iter().map(|(name, fact)| format!("{name}: {fact}\n"));
        ui.ctx().copy_text(format!("Stagewright\n{}", lines.collect::<String>()));
    }
}
