//! What egui remembers of widgets.

use eframe::egui::util::id_type_map::RawKey;
use eframe::egui::{Context, Rect, Ui};

/// Values that egui may keep for widgets before those of the widgets that are gone are forgotten too. A window full of
/// nodes and panes has a few hundred.
const MAX_REMEMBERED: usize = 10_000;

/// Forgets scroll positions, fields that were edited and animations: egui keeps them by the widget's id for ever, and a
/// document that is opened has widgets of its own.
pub(crate) fn forget(ctx: &Context) {
    ctx.clear_animations();
    ctx.data_mut(|data| {
        let keys: Vec<RawKey> = data.temp_keys().collect();
        for key in keys {
            data.remove_temp_raw(key);
        }
    });
}

/// Forgets the state of widgets in a long session with one document, while nothing is being typed or dragged.
pub(crate) fn bound(ctx: &Context) {
    let busy = || ctx.memory(|memory| memory.focused().is_some()) || ctx.input(|input| input.pointer.any_down());
    if ctx.data(|data| data.len()) > MAX_REMEMBERED && !busy() {
        forget(ctx);
    }
}

/// Whether the pointer was pressed outside of a widget that has the keyboard. egui takes the keyboard away at a click, which a drag is
/// not. What lies on top, such as a list of completions, belongs to the widget.
pub(crate) fn pressed_elsewhere(ui: &Ui, widget: Rect) -> bool {
    let pressed = ui.input(|input| input.pointer.press_origin().filter(|_| input.pointer.any_pressed()));
    pressed
        .is_some_and(|at| !widget.contains(at) && ui.ctx().layer_id_at(at).is_none_or(|layer| layer == ui.layer_id()))
}

#[cfg(test)]
mod tests {
    use eframe::egui::Id;

    use super::*;

    #[test]
    fn what_widgets_left_behind_is_forgotten_before_it_grows_without_limit() {
        let ctx = Context::default();
        let count = || ctx.data(|data| data.count::<u32>());
        for widget in 0..MAX_REMEMBERED {
            ctx.data_mut(|data| data.insert_temp(Id::new(widget), 1u32));
        }
        bound(&ctx);
        assert_eq!(count(), MAX_REMEMBERED);
        ctx.data_mut(|data| data.insert_temp(Id::new("one more"), 1u32));
        bound(&ctx);
        assert_eq!(count(), 0);
    }
}
