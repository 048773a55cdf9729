//! A list of completions at the caret of a text field.

use std::collections::HashSet;
use std::ops::Range;

use eframe::egui::{
    Align, EventFilter, Key, Layout, Popup, PopupCloseBehavior, Rect, Response, RichText, TextWrapMode,
};

/// Rows of a list; the others are reached by the arrow keys.
const ROWS: usize = 9;

/// Keys of an open list, without modifiers.
pub(crate) const KEYS: [Key; 5] = [Key::ArrowDown, Key::ArrowUp, Key::Tab, Key::Enter, Key::Escape];

/// Names that complete a word. It is open while it has any.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    /// Words as they are written, functions with their arguments.
    words: Vec<String>,
    mark: usize,
    /// The first visible row.
    top: usize,
    /// The part of the text that a choice replaces \[characters\].
    range: Range<usize>,
}

/// A text in which a word was completed, and the caret \[characters\].
pub(crate) struct Completed {
    pub text: String,
    pub caret: usize,
}

/// Whether a character belongs to a name.
pub(crate) fn of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The name in `clamp(x, low, high)` or `Grid<..>`.
pub(crate) fn name(usage: &str) -> &str {
    usage.split(['(', '<', '{']).next().unwrap_or_default()
}

impl List {
    /// Words of `all` that begin as the word in `range`, which ends at the caret. Names in the same case come first.
    pub(crate) fn new(all: impl IntoIterator<Item = String>, typed: &str, range: Range<usize>) -> List {
        let mut seen = HashSet::new();
        let begins = |word: &String| word.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
        let fitting = all.into_iter().filter(|word| begins(word) && seen.insert(name(word).to_string()));
        let mut words: Vec<String> = fitting.collect();
        words.sort_by_key(|word| !word.starts_with(typed));
        List { words, range, ..List::default() }
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// Where the word ends that is completed \[characters\].
    pub(crate) fn caret(&self) -> usize {
        self.range.end
    }

    /// Where the word begins that is completed \[characters\].
    pub(crate) fn start(&self) -> usize {
        self.range.start
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.words.is_empty()
    }

    pub(crate) fn close(&mut self) {
        *self = List::default();
    }

    /// Closes the list if the typed word is complete.
    pub(crate) fn unless_complete(self, typed: &str) -> List {
        if self.words.iter().any(|word| word == typed) { List::default() } else { self }
    }

    /// Moves the mark, completes the word in the text, or closes the list.
    pub(crate) fn press(&mut self, key: Key, text: &str) -> Option<Completed> {
        match key {
            Key::ArrowDown => self.mark = (self.mark + 1).min(self.words.len().saturating_sub(1)),
            Key::ArrowUp => self.mark = self.mark.saturating_sub(1),
            Key::Tab | Key::Enter => return self.take(text),
            Key::Escape => self.close(),
            _ => {}
        }
        self.top = self.top.clamp((self.mark + 1).saturating_sub(ROWS), self.mark);
        None
    }

    /// Replaces the word by the marked one, up to its opening bracket, and closes the list.
    pub(crate) fn take(&mut self, text: &str) -> Option<Completed> {
        let List { words, mark, range, .. } = std::mem::take(self);
        let usage = words.get(mark)?;
        let name = name(usage);
        let bracket = usage.get(name.len()..).and_then(|rest| rest.chars().next());
        let mut after = text.chars().skip(range.end).peekable();
        let mut word = name.to_string();
        if usage.ends_with("()") && after.peek() != Some(&'(') {
            word.push_str("()");
        } else if let Some(bracket) = bracket.filter(|bracket| after.peek() != Some(bracket)) {
            word.push(bracket);
        }
        let caret = range.start + word.chars().count();
        let text = text.chars().take(range.start).chain(word.chars()).chain(after).collect();
        Some(Completed { text, caret })
    }

    /// Draws the list below `anchor`, and keeps its keys in the field. Returns the completed text if a row was clicked.
    pub(crate) fn show(&mut self, field: &Response, anchor: Rect, text: &str) -> Option<Completed> {
        if !self.is_open() {
            return None;
        }
        let popup = Popup::from_response(field).anchor(anchor).open(true);
        let popup = popup.layout(Layout::top_down_justified(Align::Min));
        let popup = popup.close_behavior(PopupCloseBehavior::IgnoreClicks).id(field.id.with("completions")).gap(2.0);
        let clicked = popup.show(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
            let rows = self.words.iter().enumerate().skip(self.top).take(ROWS);
            let clicked = rows.filter(|(index, word)| {
                let row = ui.selectable_label(*index == self.mark, RichText::new(word.as_str()).monospace());
                row.clicked()
            });
            clicked.last().map(|(index, _)| index)
        });
        if let Some(index) = clicked.and_then(|shown| shown.inner) {
            self.mark = index;
            // The click took the focus away.
            field.request_focus();
            return self.take(text);
        }
        if !field.has_focus() {
            self.close();
        } else {
            // Otherwise Escape would remove the focus before the list handles it.
            let keys = EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
            field.ctx.memory_mut(|memory| memory.set_focus_lock_filter(field.id, keys));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str], typed: &str, text: &str) -> List {
        let end = text.chars().count();
        List::new(words.iter().map(ToString::to_string), typed, end - typed.len()..end)
    }

    #[test]
    fn a_choice_replaces_the_word_and_opens_a_bracket_that_is_not_there() {
        let all = ["CELL_SIZE", "ceil(x)", "cell_at(position)", "count()", "cell_at"];
        let text = "π * ce";
        let mut found = list(&all, "ce", text);
        assert_eq!(found.words(), ["ceil(x)", "cell_at(position)", "CELL_SIZE"]);
        assert!(found.press(Key::ArrowDown, text).is_none());
        let done = found.press(Key::Tab, text).unwrap();
        assert_eq!((done.text.as_str(), done.caret, found.is_open()), ("π * cell_at(", 12, false));
        assert_eq!(list(&all, "co", "co").take("co").unwrap().text, "count()");
        assert_eq!(list(&all, "co", "co").take("co(x)").unwrap().text, "count(x)");
        assert_eq!(list(&["Grid<..>"], "Gr", "Gr").take("Gr<f32>").unwrap().text, "Grid<f32>");
    }

    #[test]
    fn the_mark_stays_in_sight() {
        let words: Vec<String> = (0..12).map(|index| format!("a{index}")).collect();
        let mut list = List::new(words, "a", 0..1);
        (0..10).for_each(|_| drop(list.press(Key::ArrowDown, "a")));
        assert_eq!((list.mark, list.top), (10, 2));
        (0..9).for_each(|_| drop(list.press(Key::ArrowUp, "a")));
        assert_eq!((list.mark, list.top), (1, 1));
        (0..20).for_each(|_| drop(list.press(Key::ArrowDown, "a")));
        assert_eq!(list.take("a").unwrap().text, "a11");
    }
}
