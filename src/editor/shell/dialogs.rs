//! Dialogs over the panes: one stack, with one way to open, draw and close them. The last one is in front, and gets the
//! keys first, as [`keys`](super::keys) says. Of several modal dialogs only the one in front is drawn.

use eframe::egui::{self, Align2, Id, Key, Modifiers, RichText, Ui, vec2};

use super::Editor;
use super::dialog_stack::Dialog;
use crate::model::session::Session;
use crate::panes::content::Shown;
use crate::panes::plan_pane;
use crate::toolkit::{markup, theme};

/// Width of a window, and of the names in it \[points\].
pub(crate) const WIDTH: f32 = 420.0;
const NAMES: f32 = 170.0;

impl Editor {
    /// Opens a dialog in front of the others, in place of one that it replaces.
    pub(crate) fn open_dialog(&mut self, dialog: Dialog) {
        match &dialog {
            Dialog::Export => self.dialogs.export.prepare(&self.session, self.files.settings()),
            Dialog::Bake => self.dialogs.bake.prepare(&self.session),
            _ => {}
        }
        self.dialogs.preferences.close();
        self.dialogs.open.retain(|open| !dialog.replaces(open));
        self.dialogs.open.push(dialog);
        self.dialogs.active = true;
    }

    /// Saves what may have been chosen in a dialog that is closed.
    fn closed(&mut self, dialog: &Dialog, ctx: &egui::Context) {
        if let Dialog::Preferences = dialog {
            self.dialogs.preferences.close();
        }
        if !dialog.is_modal() {
            self.remember(ctx);
        }
    }

    /// Takes the keys of the dialog in front: Escape closes it, Enter is its first button, arrows move in the history.
    pub(super) fn take_dialog_keys(&mut self, ctx: &egui::Context) {
        let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        if let Some(dialog) = self.dialogs.open.pop_if(|_| pressed(Key::Escape)) {
            self.closed(&dialog, ctx);
            return;
        }
        match self.dialogs.open.last() {
            Some(Dialog::Export | Dialog::Bake) => self.dialogs.entered = self.dialogs.active && pressed(Key::Enter),
            Some(Dialog::History) => {
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
            _ => {}
        }
    }

    /// Takes the keys of a command while the preferences wait for them.
    pub(super) fn record_dialog_keys(&mut self, ctx: &egui::Context) {
        if self.dialogs.open.iter().any(|dialog| matches!(dialog, Dialog::Preferences)) {
            self.record_keys(ctx);
        }
    }

    pub(super) fn has_dialog(&self) -> bool {
        !self.dialogs.open.is_empty()
    }

    /// Opens the entry of files in front when files have a dialog or a question, and closes it when they have none.
    pub(super) fn stack_file_dialog(&mut self) {
        match (self.files.has_dialog(), self.dialogs.has_file()) {
            (true, false) => self.open_dialog(Dialog::File),
            (false, true) => self.dialogs.close_file(),
            _ => {}
        }
    }

    /// Draws the open dialogs, and takes what has ended meanwhile.
    pub(crate) fn show_dialogs(&mut self, ctx: &egui::Context) {
        self.dialogs.bake.poll(&mut self.session);
        let ended = self.dialogs.export.poll(ctx, &self.session);
        // The dialog says it itself.
        if let Some((text, error)) = ended.filter(|_| !self.dialogs.has_export()) {
            self.notify(text, error);
        }
        let last = self.dialogs.open.len().saturating_sub(1);
        let entered = std::mem::take(&mut self.dialogs.entered);
        let front_modal = self.dialogs.open.iter().rposition(Dialog::is_modal);
        let (mut kept, mut areas) = (Vec::new(), Vec::new());
        for (index, mut dialog) in std::mem::take(&mut self.dialogs.open).into_iter().enumerate() {
            if dialog.is_modal() && front_modal != Some(index) {
                areas.push(None);
                kept.push(dialog);
                continue;
            }
            let shown = self.show_dialog(&mut dialog, ctx, entered && index == last);
            if shown.open {
                areas.push(shown.area);
                kept.push(dialog);
            } else {
                self.closed(&dialog, ctx);
            }
        }
        // A press brings a dialog to the front.
        if let Some(at) = ctx.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos())) {
            let within = |area: &Option<egui::Rect>| area.zip(at).is_some_and(|(area, at)| area.contains(at));
            let pressed = areas.iter().rposition(within);
            self.dialogs.active = pressed.is_some();
            if let Some(index) = pressed {
                let front = kept.remove(index);
                kept.push(front);
            }
        }
        // Those that were opened meanwhile are in front.
        kept.append(&mut self.dialogs.open);
        self.dialogs.open = kept;
    }

    fn show_dialog(&mut self, dialog: &mut Dialog, ctx: &egui::Context, entered: bool) -> Shown {
        let question = |open: bool| Shown { open, area: None };
        match dialog {
            Dialog::About | Dialog::History | Dialog::Preferences => self.show_information(dialog, ctx),
            Dialog::Bake => self.dialogs.bake.show(ctx, &mut self.session, entered),
            Dialog::Export => {
                let around = self.around_export();
                let settings = self.files.settings();
                let (shown, result) = self.dialogs.export.show(ctx, &mut self.session, settings, &around, entered);
                result.unwrap_or_else(|sentence| self.notify(sentence, true));
                shown
            }
            Dialog::Kernel(text) => text.show(ctx),
            Dialog::Preset(preset) => {
                let (over, result) = preset.show(ctx, &mut self.session);
                result.unwrap_or_else(|sentence| self.notify(sentence, true));
                question(!over)
            }
            Dialog::VariantName(name) => question(!name.show(ctx, &mut self.session)),
            Dialog::List(list) => question(self.show_list(list, ctx)),
            Dialog::File => {
                self.files.show_dialog(ctx, &mut self.session);
                question(self.files.has_dialog())
            }
        }
    }

    /// Draws one of the dialogs that take one place.
    fn show_information(&mut self, dialog: &Dialog, ctx: &egui::Context) -> Shown {
        let title = match dialog {
            Dialog::History => "History",
            Dialog::Preferences => "Preferences",
            _ => "About Stagewright",
        };
        let mut open = true;
        let shown = egui::Window::new(title)
            .id(Id::new(("dialog", title)))
            .open(&mut open)
            .collapsible(false)
            .resizable(matches!(dialog, Dialog::History))
            .default_width(WIDTH)
            .pivot(Align2::CENTER_CENTER)
            .default_pos(ctx.content_rect().center())
            .show(ctx, |ui| match dialog {
                Dialog::History => {
                    if let Some(steps) = steps(ui, &self.session) {
                        self.panes.code.flush(&mut self.session);
                        self.session.go_to_step(steps);
                    }
                }
                Dialog::Preferences => self.show_preferences(ui),
                _ => about(ui, &self.session),
            });
        Shown { open, area: shown.map(|shown| shown.response.rect) }
    }
}

pub(crate) fn row<R>(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(vec2(NAMES, ui.spacing().interact_size.y), left, |ui| {
            ui.set_width(NAMES);
            ui.label(RichText::new(name).color(theme::current(ui).dim));
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
            let look = theme::current(ui);
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
    ui.label(RichText::new("Click a step, or press Up and Down.").small().color(theme::current(ui).dim));
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
        ("Memory budget", markup::plain(&gpu.memory_budget().to_string())),
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
