//! A field to type a path into, where the system has no file dialog.

use std::path::PathBuf;

use eframe::egui::{self, Id, Key, RichText};

use super::{Files, Purpose};
use crate::model::disk_work::quick;
use crate::model::session::Session;
use crate::toolkit::theme;

impl Files {
    pub(super) fn path_field(&mut self, ctx: &egui::Context, session: &mut Session) {
        let Some((purpose, text, replace)) = &mut self.typed else { return };
        let (title, verb) = match purpose {
            Purpose::Open => ("Open a graph", "Open"),
            Purpose::Save => ("Save the graph", "Save"),
            Purpose::Data => ("Save the file", "Save"),
            Purpose::Compare => ("Compare with a graph", "Compare"),
        };
        let mut answer = None;
        let modal = egui::Modal::new(Id::new("path")).frame(super::modal::frame(ctx)).show(ctx, |ui| {
            ui.set_width(520.0);
            ui.label(RichText::new(title).heading());
            ui.label(RichText::new("No file dialog is available. Type the path.").color(theme::current(ui).dim));
            let id = Id::new("path field");
            let field =
                ui.add(egui::TextEdit::singleline(text).id(id).desired_width(f32::INFINITY).hint_text("graph.ron"));
            if !field.has_focus() && !field.lost_focus() {
                field.request_focus();
            }
            if field.changed() {
                *replace = false;
            }
            if *replace {
                ui.label(
                    RichText::new("The file exists. Press again to overwrite it.").color(theme::current(ui).warning),
                );
            }
            ui.add_space(10.0);
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            ui.horizontal(|ui| {
                let size = egui::vec2(90.0, 26.0);
                let button = egui::Button::new(if *replace { "Overwrite" } else { verb }).min_size(size);
                if ui.add_enabled(!text.trim().is_empty(), button).clicked() || (enter && !text.trim().is_empty()) {
                    answer = Some(true);
                }
                if ui.add(egui::Button::new("Cancel").min_size(size)).clicked() {
                    answer = Some(false);
                }
            });
        });
        let path = PathBuf::from(text.trim());
        match answer.or(modal.should_close().then_some(false)) {
            Some(true) => {
                // What a slow disk does not tell is asked.
                let candidate = path.clone();
                let is_there = || quick(move || candidate.exists()).unwrap_or(true);
                let other =
                    !matches!(purpose, Purpose::Open | Purpose::Compare) && session.path() != Some(&path) && is_there();
                if other && !*replace {
                    *replace = true;
                    return;
                }
                let purpose = *purpose;
                self.typed = None;
                self.chosen(session, purpose, path);
            }
            Some(false) => {
                self.typed = None;
                self.cancel();
            }
            None => {}
        }
    }
}
