//! Small pieces of the bars of views.

use eframe::egui::{self, RichText, Ui, Vec2};

pub(crate) fn choice(ui: &mut Ui, chosen: bool, text: &str, hint: &str) -> egui::Response {
    ui.selectable_label(chosen, RichText::new(text).small()).on_hover_text(hint)
}

/// Rounded to whole pixels of the screen, so that 1:1 is exact.
pub(super) fn on_pixels(ui: &Ui, at: Vec2) -> Vec2 {
    let ratio = ui.ctx().pixels_per_point();
    (at * ratio).round() / ratio
}
