//! The preferences: a dialog with two sections, general choices and the keys of commands.

use std::sync::Arc;

use eframe::egui::{self, RichText, Ui};

use super::Editor;
use super::dialogs::{WIDTH, row};
use super::editor::Section;
use crate::commands::keymap::Keymap;
use crate::model::settings::{AUTOSAVES, BackgroundTuning};
use crate::panes::files::Files;
use crate::panes::key_list::Changed;
use crate::panes::plan_pane;
use crate::toolkit::theme;

/// Factors of the interface's size to choose from.
const SCALES: [f32; 4] = [1.0, 1.25, 1.5, 2.0];

impl Editor {
    pub(crate) fn show_preferences(&mut self, ui: &mut Ui) {
        ui.set_width(WIDTH);
        let before = self.dialogs.preferences.section;
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.dialogs.preferences.section, Section::General, "General");
            ui.selectable_value(&mut self.dialogs.preferences.section, Section::Keys, "Keys");
        });
        ui.separator();
        if self.dialogs.preferences.section != before {
            self.dialogs.preferences.keys.close();
        }
        match self.dialogs.preferences.section {
            Section::General => self.general(ui),
            Section::Keys => {
                let mut keymap = (*self.keyboard.keymap).clone();
                let changed = self.dialogs.preferences.keys.show(ui, &mut keymap);
                self.change_keys(ui.ctx(), keymap, changed);
            }
        }
    }

    /// Takes the keys that were pressed, while the list of keys waits for them.
    pub(crate) fn record_keys(&mut self, ctx: &egui::Context) {
        if self.dialogs.preferences.section == Section::Keys {
            let mut keymap = (*self.keyboard.keymap).clone();
            let changed = self.dialogs.preferences.keys.record(ctx, &mut keymap);
            self.change_keys(ctx, keymap, changed);
        }
    }

    /// Uses other keys from now on, and saves them.
    fn change_keys(&mut self, ctx: &egui::Context, keymap: Keymap, changed: Changed) {
        if changed.is_empty() {
            return;
        }
        self.keyboard.keymap = Arc::new(keymap);
        self.keyboard.keymap.install(ctx);
        let now = self.keyboard.keymap.clone();
        let result = self.files.settings().change(move |settings| now.write(&changed, &mut settings.keys));
        result.unwrap_or_else(|sentence| self.notify(sentence, true));
    }

    fn general(&mut self, ui: &mut Ui) {
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
        let mut thumbnails = self.thumbnails.shown;
        row(ui, "Canvas", |ui| {
            ui.checkbox(&mut thumbnails, "Node thumbnails");
            ui.checkbox(&mut self.panes.canvas.options.minimap, "Minimap");
        });
        if thumbnails != self.thumbnails.shown {
            self.toggle_thumbnails();
        }
        self.tuning(ui);
        row(ui, "Store unsaved changes", |ui| autosave(ui, &mut self.files))
            .unwrap_or_else(|sentence| self.notify(sentence, true));
        ui.add_space(4.0);
        let hint = "Unsaved changes are stored apart from the saved files, and offered after a crash.";
        ui.label(RichText::new(hint).small().color(theme::current(ui).dim));
    }

    fn tuning(&mut self, ui: &mut Ui) {
        let mut on = self.session.tunes();
        let hint = "Two seconds after the last edit, measures which shapes of the dispatches are fastest on this GPU";
        row(ui, "GPU", |ui| ui.checkbox(&mut on, "Background tuning").on_hover_text(hint));
        if on != self.session.tunes() {
            self.session.tune(on);
            let result = self.files.settings().change(move |settings| settings.tuning = BackgroundTuning(on));
            result.unwrap_or_else(|sentence| self.notify(sentence, true));
        }
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
