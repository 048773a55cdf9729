//! Menus in windows that are lower than they are.

use eframe::egui::{ScrollArea, Ui};

/// What a menu leaves free above and below it \[points\].
const MARGIN: f32 = 44.0;

/// Draws the entries of a menu. Those for which the window is too low are scrolled to.
pub(super) fn scrolled<R>(ui: &mut Ui, entries: impl FnOnce(&mut Ui) -> R) -> R {
    let height = (ui.ctx().content_rect().height() - MARGIN).max(MARGIN);
    ScrollArea::vertical().max_height(height).show(ui, entries).inner
}
