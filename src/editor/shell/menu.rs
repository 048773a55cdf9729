//! The bar of menus.

use eframe::egui::{self, RichText, Ui};

use super::{Editor, display_name};
use crate::commands::command::{Command, MENUS};
use crate::toolkit::command_button::menu_entry;
use crate::toolkit::menu_scroll::scrolled;
use crate::toolkit::theme;

/// Width of the mark of unsaved changes with the gap beside it \[points\].
const MARK: f32 = 20.0;

impl Editor {
    /// Draws the menus and the name of the file. Returns the command that was chosen.
    pub(crate) fn menus(&mut self, ui: &mut Ui) -> Option<Command> {
        let mut chosen = None;
        egui::MenuBar::new().ui(ui, |ui| {
            for (title, commands) in MENUS {
                ui.menu_button(*title, |ui| {
                    scrolled(ui, |ui| {
                        for commands in commands.chunk_by(|a, b| a.submenu() == b.submenu()) {
                            let mut entries = |ui: &mut Ui| {
                                for command in commands {
                                    if menu_entry(ui, *command, self.enabled(*command)) {
                                        chosen = Some(*command);
                                    }
                                    if *command == Command::Open {
                                        self.files.recent_menu(ui, &mut self.session);
                                    }
                                }
                            };
                            match commands.first().and_then(|command| command.submenu()) {
                                Some(title) => drop(ui.menu_button(title, entries)),
                                None => entries(ui),
                            }
                        }
                    })
                });
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let look = theme::current(ui);
                let mark = if self.session.unsaved() { "●" } else { "" };
                let name = display_name(&self.session);
                let where_from = self.session.path().map_or("Never saved".into(), |p| p.display().to_string());
                // A narrow window cuts the name off, not the mark.
                let width = (ui.available_width() - MARK).max(0.0);
                ui.scope(|ui| {
                    ui.set_max_width(width);
                    ui.add(egui::Label::new(RichText::new(name).color(look.dim)).truncate()).on_hover_text(where_from);
                });
                ui.label(RichText::new(mark).color(look.accent)).on_hover_text("Unsaved changes");
            });
        });
        chosen
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Event, Modifiers, PointerButton, vec2};
    use egui_kittest::{Harness, kittest::Queryable};

    use super::*;

    #[test]
    fn a_click_on_the_title_of_a_submenu_opens_it_in_a_menu_that_scrolls() {
        let entries = |ui: &mut Ui| {
            ui.menu_button("Submenu", |ui| drop(ui.button("Inner")));
            (0..20).for_each(|index| drop(ui.button(format!("Entry {index}"))));
        };
        let bar = move |ui: &mut Ui| {
            egui::MenuBar::new().ui(ui, |ui| drop(ui.menu_button("Menu", |ui| scrolled(ui, entries))));
        };
        let mut harness = Harness::builder().with_size(vec2(400.0, 240.0)).build_ui(bar);
        harness.get_by_label("Menu").click();
        harness.run();
        let title = harness.get_by_label_contains("Submenu").rect().center();
        let last = harness.get_by_label("Entry 19").rect();
        assert!(last.top() > 240.0, "the menu does not scroll: {last}");
        // The first click comes with the pointer, the second one on an open submenu.
        for click in 0..2 {
            harness.event(Event::PointerMoved(title));
            for pressed in [true, false] {
                let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
                harness.event(Event::PointerButton { pos: title, button, pressed, modifiers });
                harness.step();
            }
            harness.run();
            assert!(harness.query_by_label("Inner").is_some(), "click {click} closed it");
        }
    }
}
