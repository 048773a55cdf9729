//! Commands as entries of menus and as buttons.

use eframe::egui::{self, RichText, Ui};

use super::theme;
use crate::commands::command::Command;

/// Draws a menu entry. Returns whether it was clicked.
pub(crate) fn menu_entry(ui: &mut Ui, command: Command, enabled: bool) -> bool {
    let shortcut = RichText::new(command.shortcut_text(ui.ctx())).color(theme::current(ui).faint);
    let button = egui::Button::new(command.label()).shortcut_text(shortcut).min_size(egui::vec2(220.0, 0.0));
    ui.add_enabled(enabled, button).clicked()
}

/// Draws a button with an icon. Returns whether it was clicked.
pub(crate) fn icon_button(ui: &mut Ui, command: Command, icon: &str, label: &str) -> bool {
    let hint = command.hint(ui.ctx(), label);
    let response = ui.add(egui::Button::new(RichText::new(icon).size(14.0)).min_size(egui::vec2(30.0, 22.0)));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, label));
    response.on_hover_text(hint).clicked()
}
