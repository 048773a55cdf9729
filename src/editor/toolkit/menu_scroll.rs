//! Menus in windows that are lower than they are.

use eframe::egui::{ScrollArea, Ui};

/// What a menu leaves free above and below it \[points\].
const MARGIN: f32 = 44.0;

/// Draws the entries of a menu. Those for which the window is too low are scrolled to.
pub(crate) fn scrolled<R>(ui: &mut Ui, entries: impl FnOnce(&mut Ui) -> R) -> R {
    let room = (ui.ctx().content_rect().height() - MARGIN).max(MARGIN);
    let id = ui.id().with("height of the entries");
    // That of the last frame; in the first one it is laid out without being seen.
    let height = ui.data(|data| data.get_temp::<f32>(id)).unwrap_or(0.0);
    let (result, height) = if height > room {
        let shown = ScrollArea::vertical().max_height(room).show(ui, entries);
        (shown.inner, shown.content_size.y)
    } else {
        let shown = ui.scope(entries);
        (shown.inner, shown.response.rect.height())
    };
    ui.data_mut(|data| data.insert_temp(id, height));
    result
}
