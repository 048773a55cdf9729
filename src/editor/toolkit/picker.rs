//! A list to choose from by typing a part of a name: nodes to add, nodes to go to, commands.

use eframe::egui::{self, Color32, Key, Pos2, RichText, Ui, vec2};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::theme;

/// Width of the list, and of the documentation beside it \[points\].
const WIDTH: f32 = 320.0;
const DOCUMENTATION: f32 = 300.0;
const HEIGHT: f32 = 360.0;
/// What a preferred item gains on others, as a score. A title that begins with the query gains three times as much.
const PREFERRED: u32 = 40;

/// Something to choose.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub title: String,
    /// Group of the item; items of the same group stand together.
    pub group: String,
    /// Words by which it is found besides its title and its group.
    pub words: String,
    /// Shown on the right.
    pub note: String,
    pub doc: String,
    pub color: Option<Color32>,
    pub enabled: bool,
}

/// The result of the list in this frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Open,
    Closed,
    /// The item at this position.
    Chosen(usize),
}

pub(crate) struct Picker {
    at: Pos2,
    hint: &'static str,
    items: Vec<Item>,
    query: String,
    /// Number of items at the beginning that come before others that match the query about as well.
    preferred: usize,
    /// Positions of the items that match, the best first.
    found: Vec<usize>,
    /// Position among those.
    mark: usize,
    fresh: bool,
    matcher: Matcher,
}

impl Picker {
    pub(crate) fn new(at: Pos2, hint: &'static str, items: Vec<Item>) -> Picker {
        let matcher = Matcher::new(Config::DEFAULT);
        let (query, found) = (String::new(), Vec::new());
        let mut picker = Picker { at, hint, items, query, preferred: 0, found, mark: 0, fresh: true, matcher };
        picker.search();
        picker
    }

    /// Prefers so many items at the beginning to others that match what is typed about as well.
    pub(crate) fn preferring(self, preferred: usize) -> Picker {
        Picker { preferred, ..self }
    }

    /// The best match of all words first; with nothing typed, in the order of the groups.
    fn search(&mut self) {
        let query = self.query.trim().to_lowercase();
        let pattern = Pattern::parse(&query, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut scored: Vec<(u32, usize)> = Vec::new();
        // What is typed in full is meant, whatever else begins with it.
        let is_whole =
            |item: &Item| item.title.to_lowercase() == query || item.words.split(' ').any(|word| word == query);
        for (index, item) in self.items.iter().enumerate() {
            let mut score = |text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut self.matcher);
            // A match in the title alone counts more than one put together from all over, and most at its beginning.
            let begins = item.title.to_lowercase().starts_with(&query);
            let title = score(&item.title).map(|s| 2 * s + if begins { 120 } else { 20 });
            let all = score(&format!("{} {} {}", item.title, item.group, item.words));
            if let Some(score) = title.max(all) {
                // Of two that match about as well, the shorter one is meant.
                let score = score.saturating_sub(item.title.len() as u32 / 3);
                scored.push((score + if index < self.preferred { PREFERRED } else { 0 }, index));
            }
        }
        if !query.is_empty() {
            let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
            scored.retain(|(score, _)| 3 * score >= best);
            let length = |index: usize| self.items.get(index).map_or(0, |item| item.title.len());
            let whole = |index: usize| self.items.get(index).is_some_and(&is_whole);
            scored.sort_by_key(|(score, index)| (!whole(*index), std::cmp::Reverse(*score), length(*index), *index));
        }
        self.found = scored.into_iter().map(|(_, index)| index).collect();
        self.mark = 0;
    }

    pub(crate) fn show(&mut self, ctx: &egui::Context) -> Answer {
        let keys = [Key::Escape, Key::ArrowDown, Key::ArrowUp, Key::Enter, Key::Tab, Key::PageDown, Key::PageUp];
        let pressed = keys.map(|key| ctx.input_mut(|i| i.consume_key(egui::Modifiers::NONE, key)));
        let [escape, down, up, enter, _, page_down, page_up] = pressed;
        let step = i64::from(down) - i64::from(up) + 10 * (i64::from(page_down) - i64::from(page_up));
        let last = self.found.len().saturating_sub(1);
        self.mark = (self.mark as i64 + step).clamp(0, last as i64) as usize;
        let mut chosen = None;
        let area = egui::Area::new(egui::Id::new("picker")).order(egui::Order::Foreground);
        let area = area.fixed_pos(self.at).constrain(true).show(ctx, |ui| {
            egui::Frame::popup(ui.style()).inner_margin(8).show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.vertical(|ui| {
                        ui.set_width(WIDTH);
                        // In a slow frame, Enter arrives together with the text before it.
                        self.field(ui);
                        chosen = self.found.get(self.mark).copied().filter(|_| enter);
                        chosen = chosen.or(self.list(ui, step != 0));
                    });
                    self.documentation(ui);
                });
            });
        });
        // In a slow frame, the press that opened the list is still to be seen.
        let opened = std::mem::replace(&mut self.fresh, false);
        let outside = !opened && ctx.input(|i| i.pointer.any_pressed()) && !area.response.contains_pointer();
        match chosen.filter(|index| self.items.get(*index).is_some_and(|item| item.enabled)) {
            Some(index) => Answer::Chosen(index),
            None if escape || outside => Answer::Closed,
            None => Answer::Open,
        }
    }

    fn field(&mut self, ui: &mut Ui) {
        let field = egui::TextEdit::singleline(&mut self.query).hint_text(self.hint).desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::TextEdit, true, self.hint));
        if self.fresh || !response.has_focus() {
            response.request_focus();
        }
        if response.changed() {
            self.search();
        }
        ui.add_space(2.0);
    }

    fn list(&self, ui: &mut Ui, moved: bool) -> Option<usize> {
        let mut chosen = None;
        let grouped = self.query.trim().is_empty();
        let scroll = egui::ScrollArea::vertical().max_height(HEIGHT).auto_shrink([false, true]);
        scroll.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let mut group = "";
            for (position, index) in self.found.iter().enumerate() {
                let Some(item) = self.items.get(*index) else { continue };
                if grouped && item.group != group {
                    group = &item.group;
                    ui.add_space(if position == 0 { 0.0 } else { 6.0 });
                    ui.label(RichText::new(group.replace('_', " ")).small().strong().color(theme::current(ui).faint));
                }
                let row = row(ui, item, position == self.mark, grouped);
                if position == self.mark && moved {
                    row.scroll_to_me(None);
                }
                if row.clicked() {
                    chosen = Some(*index);
                }
            }
            if self.found.is_empty() {
                ui.label(RichText::new("No matches").color(theme::current(ui).faint));
            }
        });
        chosen
    }

    /// Documentation of the marked item.
    fn documentation(&self, ui: &mut Ui) {
        let item = self.found.get(self.mark).and_then(|index| self.items.get(*index));
        let Some(item) = item.filter(|item| !item.doc.is_empty()) else { return };
        ui.separator();
        ui.vertical(|ui| {
            ui.set_width(DOCUMENTATION);
            ui.label(RichText::new(&item.title).strong());
            ui.label(RichText::new(&item.group).small().color(theme::current(ui).faint));
            ui.label(RichText::new(&item.doc).color(theme::current(ui).dim));
        });
    }
}

fn row(ui: &mut Ui, item: &Item, marked: bool, grouped: bool) -> egui::Response {
    let look = theme::current(ui);
    let text = match (&item.note, grouped) {
        (note, true) => note.clone(),
        (note, false) if note.is_empty() => item.group.clone(),
        (note, false) => note.clone(),
    };
    let note = RichText::new(text).small().color(look.faint);
    let title = RichText::new(&item.title).color(if item.enabled { look.text } else { look.faint });
    let size = vec2(ui.available_width(), 22.0);
    let button = match item.color {
        Some(color) => egui::Button::selectable(marked, (RichText::new("■").color(color).small(), title)),
        None => egui::Button::selectable(marked, title),
    };
    let response = ui.add(button.right_text(note).min_size(size));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, item.enabled, &item.title));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker(titles: &[(&str, &str)]) -> Picker {
        let item = |(title, group): &(&str, &str)| Item {
            title: title.to_string(),
            group: group.to_string(),
            words: title.to_lowercase().replace(' ', "_"),
            note: String::new(),
            doc: String::new(),
            color: None,
            enabled: true,
        };
        Picker::new(Pos2::ZERO, "", titles.iter().map(item).collect())
    }

    fn first(picker: &mut Picker, query: &str) -> Option<String> {
        picker.query = query.into();
        picker.search();
        picker.found.first().map(|index| picker.items[*index].title.clone())
    }

    #[test]
    fn parts_of_names_find_and_titles_come_first() {
        let mut picker = picker(&[
            ("Pressure (Jacobi)", "fluid"),
            ("Neighbour Grid Fill", "neighbors"),
            ("Fill", "grid"),
            ("Divergence", "fluid"),
        ]);
        assert_eq!(first(&mut picker, "pjac").as_deref(), Some("Pressure (Jacobi)"));
        assert_eq!(first(&mut picker, "ngf").as_deref(), Some("Neighbour Grid Fill"));
        assert_eq!(first(&mut picker, "fill").as_deref(), Some("Fill"));
        assert_eq!(first(&mut picker, "div fluid").as_deref(), Some("Divergence"));
        assert_eq!(first(&mut picker, "no such thing"), None);
        assert_eq!(first(&mut picker, " ").as_deref(), Some("Pressure (Jacobi)"));
    }

    #[test]
    fn enter_chooses_by_all_that_was_typed_before_it() {
        let item = |title: &str| Item {
            title: title.into(),
            group: "node".into(),
            words: String::new(),
            note: String::new(),
            doc: String::new(),
            color: None,
            enabled: true,
        };
        let ctx = egui::Context::default();
        let mut picker = Picker::new(egui::pos2(10.0, 10.0), "Find", vec![item("coarse"), item("confinement")]);
        let mut frame = |events: Vec<egui::Event>| {
            let mut chosen = None;
            let input = egui::RawInput { events, ..egui::RawInput::default() };
            let _ = ctx.run_ui(input, |ui| {
                if let Answer::Chosen(index) = picker.show(ui.ctx()) {
                    chosen = Some(index);
                }
            });
            chosen
        };
        assert_eq!([frame(Vec::new()), frame(Vec::new())], [None, None]);
        let (key, modifiers) = (Key::Enter, egui::Modifiers::NONE);
        let enter = egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        assert_eq!(frame(vec![egui::Event::Text("conf".into()), enter]), Some(1));
    }
}
