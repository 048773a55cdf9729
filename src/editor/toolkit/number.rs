//! Fields for numbers outside of the inspector: dragged, or typed with a point or a comma.

use eframe::egui::emath::Numeric;
use eframe::egui::{DragValue, Ui};

use super::notice;
use crate::expr::typed;

/// A field for a number. What is typed takes effect when the field is left; what is not one number is refused with a message.
pub(crate) fn number_field<'a, Num: Numeric>(ui: &Ui, value: &'a mut Num) -> DragValue<'a> {
    let ctx = ui.ctx().clone();
    let read = move |text: &str| {
        let example = if Num::INTEGRAL { "240" } else { "0.8" };
        let none = || Err(format!("`{}` is not a number; write one such as {example}", text.trim()));
        let number = typed::number(text, Num::INTEGRAL).unwrap_or_else(none);
        // An emptied field is left as it was.
        number
            .map_err(|sentence| {
                if !text.trim().is_empty() {
                    notice::tell(&ctx, sentence)
                }
            })
            .ok()
    };
    DragValue::new(value).update_while_editing(false).custom_parser(read)
}
