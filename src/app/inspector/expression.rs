//! An expression field: its text, its value, and completion of names.

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{
    self, EventFilter, Id, Key, Label, Modifiers, Popup, PopupCloseBehavior, Response, RichText, Ui, WidgetInfo,
    WidgetType,
};

use super::numbers::text_from_number;
use super::row;
use crate::app::theme;
use crate::expr::{ExprContext, Expression, FUNCTIONS, Numbers, VARIABLES};

/// Maximum number of names that are listed.
const LISTED: usize = 8;

/// The completion list, while it is shown.
#[derive(Clone, Default)]
struct List {
    /// Names as they are written, functions with their arguments.
    words: Vec<String>,
    mark: usize,
    /// The part of the text that a choice replaces \[characters\].
    from: usize,
    to: usize,
}

/// A text field for an expression, with its value below it: `now` of the running simulation, where it is known. Returns the text
/// if it was changed and the field was left.
pub(super) fn expression(
    ui: &mut Ui,
    id: Id,
    label: &str,
    current: &str,
    now: Option<&[f64]>,
    numbers: &Numbers,
) -> Option<String> {
    let list_id = id.with("names");
    let mut list = ui.data(|data| data.get_temp::<List>(list_id)).unwrap_or_default();
    if !list.words.is_empty() && ui.memory(|memory| memory.has_focus(id)) {
        keys(ui, id, current, &mut list);
    }
    let writing: Option<String> = ui.data(|data| data.get_temp(id));
    let start = value(writing.as_deref().unwrap_or(current), numbers);
    let look = theme::of(ui);
    let color = if start.is_err() { look.error } else { look.accent };
    let (response, typed) = row::text(ui, id, current, |text| {
        let field = egui::TextEdit::singleline(text).font(egui::TextStyle::Monospace).text_color(color);
        field.desired_width(f32::INFINITY).lock_focus(!list.words.is_empty())
    });
    response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, label));
    if !response.has_focus() {
        list.words.clear();
    } else if response.changed() {
        list =
            ui.data(|data| data.get_temp::<String>(id)).map(|text| names(ui, id, &text, numbers)).unwrap_or_default();
    }
    match start {
        Ok(start) => {
            let shown = now.filter(|_| writing.is_none()).unwrap_or(&start);
            let shown = RichText::new(format!("= {}", text_from_numbers(shown))).monospace().small().color(look.dim);
            let shown = ui.add(Label::new(shown).truncate());
            shown.on_hover_text("Value in the current frame, or at time 0 if nothing runs");
        }
        Err(error) => {
            let shown = RichText::new(&error).small().color(look.error);
            ui.add(Label::new(shown).truncate()).on_hover_text(&error);
        }
    }
    let chosen = choose(&response, &list);
    if !list.words.is_empty() {
        // Otherwise Escape would remove the focus before the list handles it.
        let keys = EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, keys));
    }
    let typed = match chosen {
        Some(index) => {
            list.mark = index;
            take(ui, id, typed.as_deref().unwrap_or(current), &mut list);
            None
        }
        None => typed,
    };
    ui.data_mut(|data| match list.words.is_empty() {
        true => data.remove::<List>(list_id),
        false => drop(data.insert_temp(list_id, list)),
    });
    typed
}

/// A text field for an expression that the GPU evaluates. The compiler checks it, since it may name the stage's inputs.
pub(super) fn formula(ui: &mut Ui, id: Id, label: &str, current: &str) -> Option<String> {
    let color = theme::of(ui).accent;
    let (response, typed) = row::text(ui, id, current, |text| {
        let field = egui::TextEdit::singleline(text).font(egui::TextStyle::Monospace).text_color(color);
        field.desired_width(f32::INFINITY)
    });
    response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, label));
    typed
}

fn value(text: &str, numbers: &Numbers) -> Result<Vec<f64>, String> {
    let number = Expression::parse_with(text, numbers).and_then(|e| e.eval_with(&ExprContext::default(), numbers));
    number.map(|number| number.as_slice().to_vec()).map_err(|error| error.to_string())
}

fn text_from_numbers(values: &[f64]) -> String {
    let short = |value: &f64| {
        let size = value.abs();
        let plain = size == 0.0 || (1e-3..1e6).contains(&size);
        if plain { text_from_number(format!("{value:.4}").parse().unwrap_or(*value)) } else { format!("{value:.3e}") }
    };
    let parts: Vec<String> = values.iter().map(short).collect();
    match parts.as_slice() {
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    }
}

/// Moves the mark through the list, inserts the marked name, or closes the list.
fn keys(ui: &Ui, id: Id, current: &str, list: &mut List) {
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let last = list.words.len().saturating_sub(1);
    if pressed(Key::ArrowDown) {
        list.mark = (list.mark + 1).min(last);
    }
    if pressed(Key::ArrowUp) {
        list.mark = list.mark.saturating_sub(1);
    }
    if pressed(Key::Tab) || pressed(Key::Enter) {
        take(ui, id, current, list);
    }
    if pressed(Key::Escape) {
        list.words.clear();
    }
}

/// Replaces the typed part by the marked name, and closes the list.
fn take(ui: &Ui, id: Id, current: &str, list: &mut List) {
    let text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| current.to_string());
    let usage = list.words.get(list.mark).cloned().unwrap_or_default();
    let word = usage.find('(').map_or(usage.as_str(), |bracket| &usage[..=bracket]);
    let before = text.chars().take(list.from);
    let text: String = before.chain(word.chars()).chain(text.chars().skip(list.to)).collect();
    let mut state = egui::TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    let end = CCursor::new(list.from + word.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::one(end)));
    state.store(ui.ctx(), id);
    ui.data_mut(|data| data.insert_temp(id, text));
    ui.memory_mut(|memory| memory.request_focus(id));
    list.words.clear();
}

/// Completions of the name at the cursor.
fn names(ui: &Ui, id: Id, text: &str, numbers: &Numbers) -> List {
    let cursor = egui::TextEdit::load_state(ui.ctx(), id).and_then(|state| state.cursor.char_range());
    let to = cursor.map_or(0, |range| range.primary.index.into());
    completions(text, to, numbers)
}

fn completions(text: &str, to: usize, numbers: &Numbers) -> List {
    let letters: Vec<char> = text.chars().take(to).collect();
    let of_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let from = letters.len() - letters.iter().rev().take_while(|c| of_name(c)).count();
    let typed: String = letters.iter().skip(from).collect();
    let part = from.checked_sub(1).and_then(|before| letters.get(before)) == Some(&'.');
    if part || !typed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return List::default();
    }
    let known = numbers.keys().map(String::as_str).chain(VARIABLES.iter().copied());
    let all = known.chain(["pi", "tau"]).chain(FUNCTIONS.iter().copied());
    let words: Vec<String> = all.filter(|word| word.starts_with(&typed)).take(LISTED).map(String::from).collect();
    let done = words.contains(&typed);
    List { words: if done { Vec::new() } else { words }, mark: 0, from, to }
}

/// Shows the list. Returns the position of a name that was clicked.
fn choose(field: &Response, list: &List) -> Option<usize> {
    if list.words.is_empty() {
        return None;
    }
    let popup = Popup::from_response(field).open(true).close_behavior(PopupCloseBehavior::IgnoreClicks);
    let popup = popup.id(field.id.with("list")).gap(2.0);
    let clicked = popup.show(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        let mut clicked = None;
        for (index, word) in list.words.iter().enumerate() {
            let text = RichText::new(word).monospace();
            if ui.selectable_label(index == list.mark, text).clicked() {
                clicked = Some(index);
            }
        }
        clicked
    });
    clicked.and_then(|inner| inner.inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, to: usize) -> Vec<String> {
        let numbers = Numbers::from([("tide".to_string(), crate::expr::Number::scalar(2.0))]);
        completions(text, to, &numbers).words
    }

    #[test]
    fn names_are_completed_where_the_cursor_is() {
        assert_eq!(words("2 * ti", 6), ["tide", "time"], "numbers of the graph come first");
        assert_eq!(words("si + time", 2), ["sin(x)", "sign(x)"].map(String::from));
        assert!(words("time", 4).is_empty(), "there is nothing left to complete");
        assert!(words("mouse.x", 7).is_empty(), "parts of a vector are no names");
        assert!(words("2", 1).is_empty() && words("", 0).is_empty());
    }

    #[test]
    fn values_are_short() {
        assert_eq!(text_from_numbers(&[0.512_345_678]), "0.5123");
        assert_eq!(text_from_numbers(&[1.0, -0.25]), "(1, -0.25)");
        assert_eq!(text_from_numbers(&[1.234_567e-9]), "1.235e-9");
    }
}
