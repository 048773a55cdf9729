//! Small windows over the panes, one at a time: preferences, history and what program this is. The editor stays usable behind them.

use eframe::egui::{self, Align2, Id, Key, Modifiers, RichText, Ui, vec2};

use super::files::Files;
use super::session::Session;
use super::settings::AUTOSAVES;
use super::{Editor, plan_pane, theme};

/// Factors of the interface's size to choose from.
const SCALES: [f32; 4] = [1.0, 1.25, 1.5, 2.0];
/// Width of a window, and of the names in it \[points\].
const WIDTH: f32 = 420.0;
const NAMES: f32 = 170.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialog {
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
    pub(super) fn open_dialog(&mut self, dialog: Dialog) {
        self.dialog = Some(dialog);
    }

    /// The keys of the open dialog: Escape closes it, and the arrows move in the history.
    pub(super) fn dialog_keys(&mut self, ctx: &egui::Context) {
        let Some(dialog) = self.dialog else { return };
        if ctx.egui_wants_keyboard_input() || egui::Popup::is_any_open(ctx) {
            return;
        }
        let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if pressed(Key::Escape) {
            self.dialog = None;
            self.remember(ctx);
        } else if dialog == Dialog::History {
            let (present, last) = (self.session.history().present(), self.session.history().steps());
            let moved = [
                (Key::ArrowUp, present.saturating_sub(1)),
                (Key::ArrowDown, (present + 1).min(last)),
                (Key::Home, 0),
                (Key::End, last),
            ];
            if let Some((_, steps)) = moved.into_iter().find(|(key, _)| pressed(*key)) {
                self.code.flush(&mut self.session);
                self.session.go_to_step(steps);
            }
        }
    }

    /// Draws the open dialog.
    pub(super) fn show_dialog(&mut self, ctx: &egui::Context) {
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
                        self.code.flush(&mut self.session);
                        self.session.go_to_step(steps);
                    }
                }
                Dialog::Preferences => self.preferences(ui),
            });
        if !open {
            self.dialog = None;
            self.remember(ctx);
        }
    }

    fn preferences(&mut self, ui: &mut Ui) {
        ui.set_width(WIDTH);
        let mut theme = ui.ctx().options(|options| options.theme_preference);
        row(ui, "Theme", |ui| {
            for (choice, name) in [
                (egui::ThemePreference::Dark, "Dark"),
                (egui::ThemePreference::Light, "Light"),
                (egui::ThemePreference::System, "System"),
            ] {
                ui.selectable_value(&mut theme, choice, name);
            }
        });
        ui.ctx().set_theme(theme);
        let scale = ui.ctx().zoom_factor();
        row(ui, "Interface scale", |ui| {
            for choice in SCALES {
                if ui.selectable_label(scale == choice, format!("{:.0} %", 100.0 * choice)).clicked() {
                    ui.ctx().set_zoom_factor(choice);
                }
            }
        });
        row(ui, "Memory budget", |ui| plan_pane::budget(ui, &mut self.session));
        let mut thumbnails = self.thumbnails;
        row(ui, "Canvas", |ui| {
            ui.checkbox(&mut thumbnails, "Node thumbnails");
            ui.checkbox(&mut self.canvas.options.minimap, "Minimap");
        });
        if thumbnails != self.thumbnails {
            self.toggle_thumbnails();
        }
        row(ui, "Store unsaved changes", |ui| autosave(ui, &mut self.files))
            .unwrap_or_else(|sentence| self.notify(sentence, true));
        ui.add_space(4.0);
        let hint = "Unsaved changes are stored apart from the saved files, and offered after a crash.";
        ui.label(RichText::new(hint).small().color(theme::of(ui).dim));
    }
}

/// How often unsaved changes are stored.
fn autosave(ui: &mut Ui, files: &mut Files) -> Result<(), String> {
    let text = |seconds: u64| match seconds {
        60 => "every minute".into(),
        seconds if seconds > 60 => format!("every {} minutes", seconds / 60),
        seconds => format!("every {seconds} s"),
    };
    let now = files.settings().get().autosave.0;
    let mut chosen = now;
    let list = egui::ComboBox::from_id_salt("autosave").selected_text(text(now)).show_ui(ui, |ui| {
        for seconds in AUTOSAVES {
            ui.selectable_value(&mut chosen, seconds, text(seconds));
        }
    });
    list.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "Store unsaved changes"));
    if chosen == now { Ok(()) } else { files.store_every(chosen) }
}

fn row<R>(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
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
        ("Memory budget", super::prose::plain(&gpu.memory_budget().to_string())),
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
