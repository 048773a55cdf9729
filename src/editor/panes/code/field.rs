//! A field for a stage's text: line numbers, colours, keys of a code editor, and marks at errors.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange, LayoutJob, TextFormat, TextWrapping};
use eframe::egui::text_edit::{TextEditOutput, TextEditState};
use eframe::egui::{
    self, Align, Color32, Event, FontId, FontSelection, Galley, Id, Key, Pos2, Rect, Stroke, TextBuffer, TextStyle, Ui,
    UiBuilder, pos2, vec2,
};

use super::complete::{Cause, completions};
use super::highlight::{self, Kind};
use super::keys::{self, Action, Edited};
use super::meaning::{Declared, Meaning, meaning};
use crate::library::Library;
use crate::problem::SourcePlace;
use crate::stage::syntax;
use crate::toolkit::completion::{self, Completed, List};
use crate::toolkit::markup;
use crate::toolkit::theme::{self, Look};
use crate::toolkit::widget_memory::pressed_elsewhere;

/// Margins beside the line numbers \[points\].
const MARGIN: f32 = 8.0;
/// Margin above and below the text \[points\].
const ABOVE: f32 = 4.0;
/// Size of the wavy line below an error \[points\].
const WAVE: f32 = 2.0;

/// Font size of a message after a line, and the least width for it \[points\].
const LENS: f32 = 11.5;
const MIN_LENS: f32 = 60.0;

/// A problem and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    /// Absent if it concerns the whole text.
    pub place: Option<SourcePlace>,
    pub sentence: String,
    pub error: bool,
}

/// What to draw.
pub(super) struct Shown<'a> {
    pub id: Id,
    /// Holds what the text may use.
    pub library: &'a Library,
    /// The widget that names the text.
    pub label: Id,
    pub marks: &'a [Mark],
    /// Moves the caret to a place.
    pub wanted: Option<SourcePlace>,
    pub editable: bool,
    /// Whether undo and redo apply to the document.
    pub history: bool,
}

/// Undo or redo of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HistoryStep {
    Undo,
    Redo,
}

/// What the field asks of its pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldRequest {
    Step(HistoryStep),
    /// A heading of the manual of the stage language.
    Manual(String),
    /// A place in a shared file.
    Shared(String, SourcePlace),
}

/// The last layout of the text, with its colours. Glyphs are valid for one pass; then they may be elsewhere in
/// the font texture, and egui has to lay out again.
struct Laid {
    look: &'static Look,
    job: LayoutJob,
    pass: u64,
    galley: Arc<Galley>,
}

#[derive(Default)]
pub(super) struct Field {
    laid: Option<Laid>,
    /// Keys that wait until those before them have taken effect.
    waiting: Vec<Event>,
    /// Completions of the word at the caret.
    list: List,
    /// Characters were typed in this frame.
    typed: bool,
    /// A character that the pointer is on, with its text, and what it means.
    hovered: Option<(usize, String, Option<Meaning>)>,
}

impl Field {
    /// Draws the text and applies what was typed.
    pub(super) fn show(&mut self, ui: &mut Ui, text: &mut String, shown: &Shown<'_>) -> Option<FieldRequest> {
        let sought = sought(ui, shown, text);
        let manual = match sought {
            Some(Declared::Manual(heading)) => Some(FieldRequest::Manual(heading)),
            Some(Declared::Shared(name, place)) => Some(FieldRequest::Shared(name, place)),
            Some(Declared::Here(at)) => {
                self.list.close();
                set_selection(ui.ctx(), shown.id, at..at);
                None
            }
            None => None,
        };
        let (acted, step) = if shown.editable { self.keys(ui, text, shown) } else { (false, None) };
        if !shown.editable {
            self.list.close();
        }
        let look = theme::current(ui);
        let font = FontSelection::from(TextStyle::Monospace).resolve(ui.style());
        let (digit, row) = ui.fonts_mut(|fonts| (fonts.glyph_width(&font, '0'), fonts.row_height(&font)));
        let digits = text.split('\n').count().max(100).ilog10() + 1;
        let whole = ui.available_rect_before_wrap();
        let edge = whole.left() + digits as f32 * digit + 2.0 * MARGIN;
        let (numbers, inside) = whole.split_left_right_at_x(edge.min(whole.right()));
        ui.painter().rect_filled(whole, 0.0, look.field);
        let output = ui
            .scope_builder(UiBuilder::new().max_rect(inside), |ui| {
                let area = egui::ScrollArea::both().id_salt(shown.id).auto_shrink(false);
                area.show(ui, |ui| self.text(ui, text, shown, row, acted)).inner
            })
            .inner;
        if ui.memory(|memory| memory.has_focus(shown.id)) && pressed_elsewhere(ui, whole) {
            output.response.response.surrender_focus();
        }
        gutter(ui, numbers, &output, shown.marks, look, &font);
        let inner = ui.painter_at(inside.intersect(output.text_clip_rect.expand(1.0)));
        // Outside of the text's own clip rectangle.
        let beside = Rect::from_x_y_ranges(inside.x_range(), inner.clip_rect().y_range());
        lenses(&ui.painter_at(beside), &output, shown.marks, look, digit);
        let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| inside.contains(*at));
        let mut marked = false;
        for mark in shown.marks {
            let Some(rect) = mark.place.and_then(|place| underlined(text, &output, place)) else { continue };
            wave(&inner, rect, if mark.error { look.error } else { look.warning });
            if pointer.is_some_and(|at| rect.expand2(vec2(4.0, 1.0)).contains(at)) {
                marked = true;
                output.response.response.clone().on_hover_text_at_pointer(markup::plain(&mark.sentence));
            }
        }
        let explained =
            if marked { None } else { pointer.and_then(|at| self.explained(text, &output, at, shown.library)) };
        let followed = explained.and_then(|meaning| explain(ui, shown.id, &output, meaning));
        step.map(FieldRequest::Step).or(manual).or(followed)
    }

    /// The meaning of the word at a point of the screen. It is found once while the pointer stays on its character.
    fn explained(&mut self, text: &str, output: &TextEditOutput, at: Pos2, library: &Library) -> Option<Meaning> {
        let inside = at - output.galley_pos;
        let cursor = output.galley.cursor_from_pos(inside);
        // Beside the text of a line, the nearest character is meant by nobody.
        let place = output.galley.pos_from_cursor(cursor);
        if (inside.x - place.center().x).abs() > place.height() || !place.y_range().contains(inside.y) {
            return None;
        }
        // A place between two characters belongs to the one under the pointer.
        let index = usize::from(cursor.index) - usize::from(inside.x < place.center().x && cursor.index.0 > 0);
        if self
            .hovered
            .as_ref()
            .is_none_or(|(last_index, last_text, _)| (*last_index, last_text.as_str()) != (index, text))
        {
            self.hovered = Some((index, text.to_string(), meaning(text, index, library)));
        }
        self.hovered.as_ref().and_then(|(.., meaning)| meaning.clone())
    }

    fn text(&mut self, ui: &mut Ui, text: &mut String, shown: &Shown<'_>, row: f32, acted: bool) -> TextEditOutput {
        if let Some(place) = shown.wanted {
            let at = CCursor::new(offset(text, place));
            let mut state = TextEditState::load(ui.ctx(), shown.id).unwrap_or_default();
            state.cursor.set_char_range(Some(CCursorRange::one(at)));
            state.store(ui.ctx(), shown.id);
        }
        // Lines are not wrapped.
        let galley = self.galley(ui, text);
        ui.set_width((galley.size().x + 6.0 * row).max(ui.available_width()));
        ui.set_min_height(ui.available_height());
        let rows = ((ui.available_height() - 2.0 * ABOVE) / row).max(1.0) as usize;
        let mut layouter = |ui: &Ui, buffer: &dyn TextBuffer, _: f32| self.galley(ui, buffer.as_str());
        let mut fixed: &str;
        let buffer: &mut dyn TextBuffer = if shown.editable {
            text
        } else {
            fixed = text;
            &mut fixed
        };
        let output = egui::TextEdit::multiline(buffer)
            .id(shown.id)
            .code_editor()
            .frame(egui::Frame::new().inner_margin(egui::Margin::symmetric(6, ABOVE as i8)))
            .desired_width(f32::INFINITY)
            // A click below the last line is a click into the text.
            .desired_rows(rows)
            .layouter(&mut layouter)
            .show(ui);
        let named = output.response.response.clone().labelled_by(shown.label);
        if shown.wanted.is_some() {
            // Only now, since the click that chose the place was outside of the field and took the focus away.
            named.request_focus();
        }
        let caret = output.state.cursor.char_range().map(|range| range.primary);
        if let Some(caret) = caret.filter(|_| acted || shown.wanted.is_some()) {
            let rect = output.galley.pos_from_cursor(caret).translate(output.galley_pos.to_vec2());
            let align = shown.wanted.map(|_| Align::Center);
            ui.scroll_to_rect(rect.expand2(vec2(2.0 * row, row)), align);
        }
        if shown.editable {
            self.complete(ui, text, &output, shown.library);
        }
        output
    }

    #[cfg(test)]
    pub(super) fn lists(&self) -> bool {
        self.list.is_open()
    }

    /// Opens, updates and draws the list of completions.
    fn complete(&mut self, ui: &Ui, text: &mut String, output: &TextEditOutput, library: &Library) {
        let response = &output.response.response;
        let caret = output.state.cursor.char_range().filter(|range| range.is_empty()).map(|range| range.primary);
        let open = self.list.is_open();
        match caret.map(|caret| caret.index.into()) {
            Some(caret) if response.changed() && (self.typed || open) => {
                let cause = if open { Cause::Refining } else { Cause::Typing };
                self.list = completions(text, caret, cause, library);
            }
            Some(caret) if caret == self.list.caret() => {}
            _ => self.list.close(),
        }
        if !self.list.is_open() {
            return;
        }
        let start = output.galley.pos_from_cursor(CCursor::new(self.list.start()));
        let start = start.translate(output.galley_pos.to_vec2());
        if !output.text_clip_rect.intersects(start) {
            self.list.close();
        }
        if let Some(completed) = self.list.show(response, start, text) {
            put(ui, response.id, text, completed);
        }
    }

    fn galley(&mut self, ui: &Ui, text: &str) -> Arc<Galley> {
        let (look, pass) = (theme::current(ui), ui.ctx().cumulative_pass_nr());
        let cached = self.laid.take().filter(|laid| std::ptr::eq(laid.look, look) && laid.job.text == text);
        let laid = match cached {
            Some(laid) if laid.pass == pass => laid,
            cached => {
                let job = cached.map_or_else(|| job(ui, text, look), |laid| laid.job);
                let galley = ui.fonts_mut(|fonts| fonts.layout_job(job.clone()));
                Laid { look, job, pass, galley }
            }
        };
        self.laid.insert(laid).galley.clone()
    }

    /// Carries out keys that a text field does not handle. Keys take effect in the order in which they were pressed, so those
    /// after one of them wait until the field has handled those before it. Returns whether the text was changed, and a step of history.
    fn keys(&mut self, ui: &Ui, text: &mut String, shown: &Shown<'_>) -> (bool, Option<HistoryStep>) {
        self.typed = false;
        if !ui.memory(|memory| memory.has_focus(shown.id)) {
            self.waiting.clear();
            self.list.close();
            return (false, None);
        }
        let mut queue = std::mem::take(&mut self.waiting);
        let (typed, mut events): (Vec<Event>, Vec<Event>) =
            ui.input_mut(|input| std::mem::take(&mut input.events)).into_iter().partition(types);
        queue.extend(typed);
        let (mut acted, mut step) = (false, None);
        while let Some(effect) = queue.first().and_then(|event| key_effect(event, shown.history, self.list.is_open())) {
            queue.remove(0);
            match effect {
                KeyEffect::Act(action) => {
                    self.list.close();
                    act(ui, shown.id, text, action);
                    acted = true;
                }
                KeyEffect::Complete => {
                    let caret = selection(ui.ctx(), shown.id).end;
                    self.list = completions(text, caret, Cause::ByHand, shown.library);
                }
                KeyEffect::List(key) => {
                    if let Some(completed) = self.list.press(key, text) {
                        put(ui, shown.id, text, completed);
                        acted = true;
                    }
                }
                KeyEffect::History(history_step) => {
                    self.list.close();
                    step = Some(history_step);
                    break;
                }
            }
        }
        let waits = |at: &usize| {
            let (before, rest) = queue.split_at(*at);
            // What is typed before a key may open the list.
            let open = self.list.is_open() || before.iter().any(is_text);
            rest.first().is_some_and(|event| key_effect(event, shown.history, open).is_some())
        };
        let next = if step.is_some() { Some(0) } else { (0..queue.len()).find(waits) };
        self.waiting = queue.split_off(next.unwrap_or(queue.len()));
        self.typed = queue.iter().any(is_text);
        if !self.waiting.is_empty() {
            ui.ctx().request_repaint();
        }
        events.extend(queue);
        ui.input_mut(|input| input.events = events);
        (acted, step)
    }
}

/// The heading of the manual about the word at the caret.
pub(super) fn heading(ctx: &egui::Context, id: Id, text: &str) -> Option<String> {
    // What the manual explains does not depend on what the text uses.
    match meaning(text, selection(ctx, id).start, Library::builtin())?.declared? {
        Declared::Manual(heading) => Some(heading),
        Declared::Here(_) | Declared::Shared(..) => None,
    }
}

/// Where the word at the caret is declared, when F12 was pressed in the field.
fn sought(ui: &Ui, shown: &Shown<'_>, text: &str) -> Option<Declared> {
    let id = shown.id;
    let pressed = ui.memory(|memory| memory.has_focus(id))
        && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::F12));
    if pressed { meaning(text, selection(ui.ctx(), id).start, shown.library)?.declared } else { None }
}

/// Tells what a word means. A click with Ctrl goes to where it is declared; what the manual declares is returned.
fn explain(ui: &Ui, id: Id, output: &TextEditOutput, meaning: Meaning) -> Option<FieldRequest> {
    let Meaning { usage, text, declared } = meaning;
    let look = theme::current(ui);
    let response = output.response.response.clone().on_hover_ui_at_pointer(|ui| {
        ui.add(egui::Label::new(egui::RichText::new(usage).monospace().color(look.text)).wrap());
        if !text.is_empty() {
            ui.label(markup::plain(&text));
        }
        let way = match &declared {
            Some(Declared::Here(_) | Declared::Shared(..)) => "Ctrl+click or F12: go to declaration",
            Some(Declared::Manual(_)) => "Ctrl+click or F12: stage language",
            None => return,
        };
        ui.label(egui::RichText::new(way).small().color(look.faint));
    });
    if !(response.clicked() && ui.input(|input| input.modifiers.command)) {
        return None;
    }
    match declared? {
        Declared::Manual(heading) => Some(FieldRequest::Manual(heading)),
        Declared::Shared(name, place) => Some(FieldRequest::Shared(name, place)),
        Declared::Here(at) => {
            set_selection(ui.ctx(), id, at..at);
            None
        }
    }
}

enum KeyEffect {
    Act(Action),
    History(HistoryStep),
    /// A key of the open list of completions.
    List(Key),
    /// Opens the list.
    Complete,
}

fn is_text(event: &Event) -> bool {
    matches!(event, Event::Text(_) | Event::Ime(_))
}

/// Whether an event goes to a focused field.
fn types(event: &Event) -> bool {
    matches!(
        event,
        Event::Key { pressed: true, .. } | Event::Text(_) | Event::Paste(_) | Event::Cut | Event::Copy | Event::Ime(_)
    )
}

/// What a key does that the text field does not handle.
fn key_effect(event: &Event, history: bool, list: bool) -> Option<KeyEffect> {
    let Event::Key { key, pressed: true, modifiers, .. } = event else { return None };
    let (command, shift) = (modifiers.command, modifiers.shift);
    match key {
        _ if modifiers.alt => None,
        _ if list && modifiers.is_none() && completion::KEYS.contains(key) => Some(KeyEffect::List(*key)),
        Key::Space if modifiers.ctrl && !shift => Some(KeyEffect::Complete),
        Key::Tab if !command => Some(KeyEffect::Act(if shift { Action::Unindent } else { Action::Indent })),
        Key::Enter if !command => Some(KeyEffect::Act(Action::Break)),
        Key::Slash if command => Some(KeyEffect::Act(Action::Comment)),
        Key::Z if command && history => {
            Some(KeyEffect::History(if shift { HistoryStep::Redo } else { HistoryStep::Undo }))
        }
        Key::Y if command && history => Some(KeyEffect::History(HistoryStep::Redo)),
        _ => None,
    }
}

fn act(ui: &Ui, id: Id, text: &mut String, action: Action) {
    let Edited { text: after, selection } = keys::act(text, selection(ui.ctx(), id), action);
    *text = after;
    set_selection(ui.ctx(), id, selection);
}

/// Replaces the text by a completed one.
fn put(ui: &Ui, id: Id, text: &mut String, Completed { text: after, caret }: Completed) {
    *text = after;
    set_selection(ui.ctx(), id, caret..caret);
}

/// The selection \[characters\].
fn selection(ctx: &egui::Context, id: Id) -> Range<usize> {
    let state = TextEditState::load(ctx, id).unwrap_or_default();
    state.cursor.char_range().map_or(0..0, |range| {
        let range = range.as_sorted_char_range();
        range.start.0..range.end.0
    })
}

fn set_selection(ctx: &egui::Context, id: Id, selection: Range<usize>) {
    let mut state = TextEditState::load(ctx, id).unwrap_or_default();
    let (start, end) = (CCursor::new(selection.start), CCursor::new(selection.end));
    state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
    state.store(ctx, id);
}

/// Puts the caret after the difference between two texts.
pub(super) fn follow(ctx: &egui::Context, id: Id, before: &str, after: &str) {
    let same_start = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let (old, new) = (before.chars().count() - same_start, after.chars().count() - same_start);
    let ends = before.chars().rev().zip(after.chars().rev()).take(old.min(new));
    let same_end = ends.take_while(|(a, b)| a == b).count();
    let at = same_start + new - same_end;
    set_selection(ctx, id, at..at);
}

fn job(ui: &Ui, text: &str, look: &Look) -> LayoutJob {
    let font = FontSelection::from(TextStyle::Monospace).resolve(ui.style());
    let mut job = LayoutJob { keep_trailing_whitespace: true, ..LayoutJob::default() };
    job.wrap.max_width = f32::INFINITY;
    for span in highlight::spans(text) {
        let part = text.get(span.range).unwrap_or_default();
        job.append(part, 0.0, TextFormat::simple(font.clone(), color(look, span.kind)));
    }
    job
}

fn color(look: &Look, kind: Kind) -> Color32 {
    let syntax = &look.syntax;
    match kind {
        Kind::Plain | Kind::Title => look.text,
        Kind::Comment => syntax.comment,
        Kind::Doc => syntax.doc,
        Kind::Keyword => syntax.keyword,
        Kind::Type => syntax.ty,
        Kind::Number => syntax.number,
        Kind::Attribute => syntax.attribute,
        Kind::Function => syntax.function,
        Kind::Builtin => syntax.builtin,
        Kind::Port(ty) => look.port(Some(ty)),
        Kind::Param => look.accent,
    }
}

/// Characters before a place, which may lie beyond the text.
fn offset(text: &str, place: SourcePlace) -> usize {
    let above = text.split_inclusive('\n').take(place.line.saturating_sub(1));
    let above: usize = above.map(|line| line.chars().count()).sum();
    let line = text.split('\n').nth(place.line.saturating_sub(1)).map_or(0, |line| line.chars().count());
    above + place.column.saturating_sub(1).min(line)
}

/// Columns of a line, from 0, that a mark covers: the word at its place, or all text of the line.
pub(super) fn columns(line: &str, column: usize) -> Range<usize> {
    let blank = line.chars().take_while(|c| c.is_whitespace()).count();
    let end = line.trim_end().chars().count().max(blank + 1);
    let first = column.saturating_sub(1).max(blank).min(end.saturating_sub(1));
    if first == blank && (column <= 1 || line.trim_start().starts_with("//!")) {
        return blank..end;
    }
    let rest: String = line.chars().skip(first).collect();
    let word =
        syntax::tokens(&rest).first().filter(|token| token.start == 0).map_or(1, |token| token.text.chars().count());
    first..first + word
}

fn underlined(text: &str, output: &TextEditOutput, place: SourcePlace) -> Option<Rect> {
    let line = text.split('\n').nth(place.line.checked_sub(1)?)?;
    let start = offset(text, SourcePlace { line: place.line, column: 1 });
    let columns = columns(line, place.column);
    let at = |column: usize| output.galley.pos_from_cursor(CCursor::new(start + column.min(line.chars().count())));
    let rect = at(columns.start).union(at(columns.end));
    let rect = Rect::from_min_max(rect.min, pos2(rect.max.x.max(rect.min.x + 4.0 * WAVE), rect.max.y));
    Some(rect.translate(output.galley_pos.to_vec2()))
}

fn wave(painter: &egui::Painter, rect: Rect, color: Color32) {
    if !painter.clip_rect().intersects(rect) {
        return;
    }
    let steps = (rect.width() / WAVE).ceil().min(500.0) as usize;
    let point = |step: usize| {
        let y = rect.bottom() - if step.is_multiple_of(2) { 0.0 } else { WAVE };
        Pos2::new(rect.left() + step as f32 * WAVE, y)
    };
    painter.line((0..=steps).map(point).collect(), Stroke::new(1.5, color));
}

/// Messages after the visible lines; the first one if a line has several.
fn lenses(painter: &egui::Painter, output: &TextEditOutput, marks: &[Mark], look: &Look, digit: f32) {
    let mut seen = BTreeSet::new();
    for mark in marks {
        let Some(index) = mark.place.and_then(|place| place.line.checked_sub(1)).filter(|line| seen.insert(*line))
        else {
            continue;
        };
        let Some(row) = output.galley.rows.get(index) else { continue };
        let line = Rect::from_min_size(output.galley_pos + row.pos.to_vec2(), row.size);
        let clip = painter.clip_rect();
        let room = clip.right() - line.right() - 6.0 * digit;
        if !clip.y_range().intersects(line.y_range()) || room < MIN_LENS {
            continue;
        }
        let color = if mark.error { look.error } else { look.warning };
        let mut job = LayoutJob { wrap: TextWrapping::truncate_at_width(room), ..LayoutJob::default() };
        let sentence = markup::plain(mark.sentence.lines().next().unwrap_or_default());
        job.append(&sentence, 0.0, TextFormat::simple(FontId::proportional(LENS), color));
        let galley = painter.layout_job(job);
        let left = line.right() + 3.0 * digit;
        let ground = Rect::from_min_size(pos2(left, line.top()), vec2(galley.size().x + 2.0 * digit, line.height()));
        painter.rect_filled(ground, 3.0, color.gamma_multiply(0.12));
        let at = pos2(left + digit, line.center().y - 0.5 * galley.size().y);
        painter.galley(at, galley, color);
    }
}

/// Line numbers of the visible lines.
fn gutter(ui: &Ui, rect: Rect, output: &TextEditOutput, marks: &[Mark], look: &Look, font: &egui::FontId) {
    let painter = ui.painter_at(rect);
    for (index, row) in output.galley.rows.iter().enumerate() {
        let y = output.galley_pos.y + row.pos.y;
        if y > rect.bottom() {
            break;
        }
        if y + row.size.y < rect.top() {
            continue;
        }
        let mark = marks.iter().find(|mark| mark.place.is_some_and(|place| place.line == index + 1));
        let color = match mark {
            Some(mark) if mark.error => look.error,
            Some(_) => look.warning,
            None => look.faint,
        };
        if let Some(mark) = mark {
            let line = Rect::from_min_size(pos2(rect.left(), y), vec2(rect.width(), row.size.y));
            painter.rect_filled(line, 0.0, color.gamma_multiply(0.16));
            let place = ui.interact(line, ui.id().with(("line", index)), egui::Sense::hover());
            place.on_hover_text(markup::plain(&mark.sentence));
        }
        let at = pos2(rect.right() - MARGIN, y);
        painter.text(at, egui::Align2::RIGHT_TOP, (index + 1).to_string(), font.clone(), color);
    }
    let line = Stroke::new(1.0, look.line);
    painter.vline(rect.right() - 0.5, rect.y_range(), line);
}
