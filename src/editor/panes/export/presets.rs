//! Presets of exports, which the graph keeps.

use eframe::egui::{self, ComboBox, RichText, TextEdit, Ui};

use super::queue::named;
use crate::document::ExportPreset;
use crate::export::place::ExportPlace;
use crate::export::select::{NamedWire, Request};
use crate::model::session::Session;
use crate::toolkit::theme;

/// Width of the list and of the field for a name \[points\].
const WIDTH: f32 = 140.0;

/// Which preset is chosen, and the name that is being typed for another one.
#[derive(Default)]
pub(super) struct Presets {
    chosen: Option<String>,
    naming: Option<String>,
}

impl Presets {
    /// The name of the chosen one.
    pub(super) fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    /// Draws them. `now` are the settings of the dialog, with a relative folder. Returns the settings of a preset that was chosen.
    pub(super) fn show(&mut self, ui: &mut Ui, session: &mut Session, now: &ExportPreset) -> Option<ExportPreset> {
        // It may be undone.
        self.chosen = self.chosen.take().filter(|name| session.document().exports.contains_key(name));
        if self.naming.is_some() {
            self.name(ui, session, now);
            return None;
        }
        let mut picked = None;
        let kept = self.chosen.as_ref().and_then(|name| session.document().exports.get(name));
        let changed = kept.is_some_and(|kept| !same(kept, now));
        let text = self.chosen.clone().unwrap_or_else(|| "None".into());
        let shown = if changed { format!("{text} (changed)") } else { text.clone() };
        let list = ComboBox::from_id_salt("export preset").width(WIDTH).selected_text(shown);
        let list = list.show_ui(ui, |ui| {
            if session.document().exports.is_empty() {
                ui.label(RichText::new("The graph has no presets yet").color(theme::current(ui).dim));
            }
            for (name, preset) in &session.document().exports {
                if ui.selectable_label(self.chosen.as_ref() == Some(name), name).clicked() {
                    picked = Some((name.clone(), preset.clone()));
                }
            }
        });
        let label = format!("Preset: {text}");
        list.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, &label));
        list.response.on_hover_text("Settings of exports that the graph keeps; also for stagewright export --preset");
        if ui.button("Save as…").on_hover_text("Keep these settings in the graph under a name").clicked() {
            self.naming = Some(String::new());
        }
        if let Some(name) = &self.chosen {
            if ui.add_enabled(changed, egui::Button::new("Update")).clicked() {
                save(session, name, now);
            }
            if named(ui, "✖", "Delete the preset", true) {
                session.arrange("remove export preset", |document| drop(document.exports.remove(name)));
                session.end_gesture();
            }
        }
        let (name, preset) = picked?;
        self.chosen = Some(name);
        Some(preset)
    }

    /// Asks for a name, and saves under it.
    fn name(&mut self, ui: &mut Ui, session: &mut Session, now: &ExportPreset) {
        let Some(name) = &mut self.naming else { return };
        let field = ui.add(TextEdit::singleline(name).hint_text("Name of the preset").desired_width(WIDTH));
        field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "Name of the preset"));
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let escaped = ui.input(|input| input.key_pressed(egui::Key::Escape));
        if !field.has_focus() && !field.lost_focus() {
            field.request_focus();
        }
        let fits = !name.trim().is_empty();
        let saved = ui.add_enabled(fits, egui::Button::new("Save")).clicked() || (entered && fits);
        if saved {
            let name = name.trim().to_string();
            save(session, &name, now);
            (self.chosen, self.naming) = (Some(name), None);
        } else if ui.button("Cancel").clicked() || escaped {
            self.naming = None;
        } else if session.document().exports.contains_key(name.trim()) {
            ui.label(RichText::new("Replaces the one of this name").color(theme::current(ui).warning));
        }
    }
}

/// Whether a preset has these settings.
fn same(kept: &ExportPreset, now: &ExportPreset) -> bool {
    *kept == ExportPreset { extra: kept.extra.clone(), ..now.clone() }
}

fn save(session: &mut Session, name: &str, now: &ExportPreset) {
    session.arrange("export preset", |document| {
        let kept = document.exports.entry(name.into()).or_default();
        *kept = ExportPreset { extra: std::mem::take(&mut kept.extra), ..now.clone() };
    });
    session.end_gesture();
}

/// The settings as a preset of the graph.
pub(super) fn from_rows(rows: &[Request], settings: &ExportPreset, place: &ExportPlace) -> ExportPreset {
    let what = rows.iter().map(Request::to_string).collect();
    ExportPreset { what, folder: place.relative(&settings.folder), ..settings.clone() }
}

/// The rows of a preset. One that can't be read becomes a row that says so.
pub(super) fn rows(preset: &ExportPreset, usual: impl Fn(&str) -> Request) -> Vec<Request> {
    let row = |text: &String| match Request::parse(text) {
        Ok(request) if request.format.is_some() => request,
        Ok(request) => {
            let format = request.parts.first().and_then(|part| usual(&part.wire).format);
            Request { format, ..request }
        }
        Err(_) => Request { parts: vec![NamedWire { name: None, wire: text.clone() }], format: None },
    };
    preset.what.iter().map(row).collect()
}
