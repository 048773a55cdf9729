//! The frame of the windows that files open over the panes.

use eframe::egui;

/// The frame around a question.
pub(super) fn frame(ctx: &egui::Context) -> egui::Frame {
    egui::Frame::window(&ctx.global_style())
}
