//! Questions about presets: the name of a new one, whether to replace or delete one.

use std::collections::BTreeMap;

use eframe::egui::{self, Id, Key, RichText, Ui};

use crate::document::ParamValue;
use crate::model::presets::values::PresetKind;
use crate::model::presets::{PresetWish, Presets};
use crate::model::session::Session;
use crate::model::settings::Store;
use crate::toolkit::theme;

/// Longer names are cut off \[characters\].
const LONGEST: usize = 60;
const WIDTH: f32 = 380.0;

/// An open question.
pub(crate) struct PresetDialog {
    wish: PresetWish,
    /// The name that is being typed.
    name: String,
    /// A preset of this name exists, and the user is asked whether to replace it.
    replaces: bool,
    /// The field gets the keyboard at first.
    fresh: bool,
}

impl PresetDialog {
    pub(crate) fn new(wish: PresetWish) -> PresetDialog {
        let name = match &wish {
            PresetWish::Save(..) => String::new(),
            PresetWish::Rename(_, name) | PresetWish::Delete(_, name) => name.clone(),
        };
        PresetDialog { wish, name, replaces: false, fresh: true }
    }

    /// Draws it. Returns whether it is over.
    ///
    /// # Errors
    /// Why presets can't be written, in one sentence.
    pub(crate) fn show(&mut self, ctx: &egui::Context, session: &mut Session) -> (bool, Result<(), String>) {
        let frame = egui::Frame::window(&ctx.global_style());
        let modal = egui::Modal::new(Id::new("preset")).frame(frame).show(ctx, |ui| {
            ui.set_width(WIDTH);
            self.contents(ui, session.presets())
        });
        match modal.inner {
            Some(Answer::Cancel) => (true, Ok(())),
            Some(Answer::Yes) => (true, self.carry_out(session.presets())),
            // Escape takes back the question first, so that the name can be changed.
            None if modal.should_close() && self.replaces => {
                (self.replaces, self.fresh) = (false, true);
                (false, Ok(()))
            }
            None => (modal.should_close(), Ok(())),
        }
    }

    fn contents(&mut self, ui: &mut Ui, store: &Store<Presets>) -> Option<Answer> {
        let (kind, title, about, yes) = match &self.wish {
            _ if self.replaces => {
                let title = format!("Replace preset {}?", self.new_name());
                (None, title, "It gets the new values. This cannot be undone.".to_string(), "Replace")
            }
            PresetWish::Save(kind, values) => {
                let count = values.len();
                let about = format!("{count} value{} of {}", if count == 1 { "" } else { "s" }, kind.title);
                (Some(kind), "Save as preset".into(), about, "Save")
            }
            PresetWish::Rename(kind, name) => (Some(kind), format!("Rename preset {name}"), String::new(), "Rename"),
            PresetWish::Delete(kind, name) => {
                let about = format!("A preset of {}. This cannot be undone.", kind.title);
                (None, format!("Delete preset {name}?"), about, "Delete")
            }
        };
        ui.label(RichText::new(title).heading());
        if !about.is_empty() {
            ui.label(RichText::new(about).color(theme::current(ui).dim));
        }
        let mut entered = false;
        if kind.is_some() {
            ui.add_space(4.0);
            let field = egui::TextEdit::singleline(&mut self.name).hint_text("Name").char_limit(LONGEST);
            let response = ui.add(field.desired_width(f32::INFINITY));
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, "preset name"));
            if std::mem::take(&mut self.fresh) {
                response.request_focus();
            }
            entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        }
        ui.add_space(10.0);
        let named = kind.is_none() || !self.new_name().is_empty();
        let button = |ui: &mut Ui, text: &str| ui.add(egui::Button::new(text).min_size(egui::vec2(90.0, 26.0)));
        let mut answer = None;
        ui.horizontal(|ui| {
            if ui.add_enabled_ui(named, |ui| button(ui, yes)).inner.clicked() || (entered && named) {
                answer = Some(Answer::Yes);
            } else if button(ui, "Cancel").clicked() {
                answer = Some(Answer::Cancel);
            }
        });
        // An existing preset is replaced only after another question.
        let other = kind.is_some_and(|kind| store.get().has(&kind.key, self.new_name()) && !self.keeps_name());
        if matches!(answer, Some(Answer::Yes)) && other {
            self.replaces = true;
            return None;
        }
        answer
    }

    fn new_name(&self) -> &str {
        self.name.trim()
    }

    /// Whether a preset is to be renamed to what it is called already.
    fn keeps_name(&self) -> bool {
        matches!(&self.wish, PresetWish::Rename(_, name) if name == self.new_name())
    }

    fn carry_out(&self, store: &mut Store<Presets>) -> Result<(), String> {
        let new = self.new_name().to_string();
        match self.wish.clone() {
            PresetWish::Save(PresetKind { key, .. }, values) => {
                let values: BTreeMap<String, ParamValue> = values;
                store.change(move |presets| presets.insert(&key, &new, &values))
            }
            PresetWish::Rename(PresetKind { key, .. }, name) => {
                store.change(move |presets| presets.rename(&key, &name, &new))
            }
            PresetWish::Delete(PresetKind { key, .. }, name) => {
                store.change(move |presets| presets.delete(&key, &name))
            }
        }
    }
}

enum Answer {
    Yes,
    Cancel,
}
