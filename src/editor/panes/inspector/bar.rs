//! A number field: dragged over its range, typed after a click, or moved by the arrow keys.

use eframe::egui::{
    self, Align2, CornerRadius, CursorIcon, EventFilter, FontId, Id, Key, Modifiers, Pos2, Rect, Response, Sense,
    StrokeKind, TextStyle, Ui, WidgetInfo, vec2,
};

use super::numbers::{text_from_number, tidy};
use crate::commands::keymap;
use crate::expr::{ExprContext, Expression, Numbers, typed};
use crate::stage::header::Range;
use crate::toolkit::row::HEIGHT;
use crate::toolkit::{notice, theme};

/// Ranges whose ends differ by more than this factor are logarithmic.
const DECADES: f64 = 1000.0;
/// Dragging a name works like dragging a bar of this width \[points\].
const NAME: f32 = 200.0;

/// A number that can be edited.
pub(super) struct Bar<'a> {
    pub id: Id,
    /// Accessible name of the bar: `param viscosity`.
    pub label: String,
    /// Text before the number, such as an axis.
    pub prefix: &'a str,
    pub unit: &'a str,
    /// The range of dragging; a value outside extends it.
    pub reach: Option<(f64, f64)>,
    /// The hard range; values are clamped to it.
    pub range: Range,
    pub whole: bool,
    /// Whether the value may be an expression.
    pub computed: bool,
    /// Change per dragged point, without a range.
    pub speed: f64,
    /// The default.
    pub default: Option<f64>,
    /// Whether a change takes effect when the bar is released, since it costs a recompile.
    pub held: bool,
    /// Whether the bar stands for several numbers that differ.
    pub mixed: bool,
}

/// What the user entered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TypedValue {
    Number(f64),
    /// Typed text that is not a number: an expression.
    Text(String),
}

/// A drag in progress.
#[derive(Clone, Copy)]
struct Drag {
    /// Position in the range from 0 to 1, or the number without a range; not rounded.
    at: f64,
    reach: Option<(f64, f64)>,
    value: f64,
}

impl Bar<'_> {
    /// Draws it with this width.
    pub(super) fn show(
        &self,
        ui: &mut Ui,
        value: f64,
        width: f32,
        numbers: &Numbers,
    ) -> (Response, Option<TypedValue>) {
        let (rect, _) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
        if let Some(text) = self.typed(ui) {
            return self.typing(ui, rect, value, text, numbers);
        }
        let response = ui.interact(rect, self.id, Sense::click_and_drag());
        let scrubbed = self.scrub(ui, &response, value, width);
        let shown = self.drag(ui).map_or(value, |drag| drag.value);
        self.paint(ui, rect, &response, shown);
        let enabled = response.enabled();
        response.widget_info(|| WidgetInfo::slider(enabled, shown, &self.label));
        if response.clicked_elsewhere() {
            response.surrender_focus();
        }
        let started = if response.clicked() { Some(self.text(value)) } else { self.keyed(ui, &response, value) };
        if let Some(text) = started {
            self.keep(ui, text);
            ui.ctx().request_repaint();
        }
        let nudged = self.nudged(ui, &response, value);
        let response = response.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal);
        (response, scrubbed.or(nudged).map(TypedValue::Number))
    }

    /// Drags the number by its name.
    pub(super) fn scrub_name(&self, ui: &Ui, name: &Response, value: f64) -> Option<f64> {
        self.scrub(ui, name, value, NAME)
    }

    /// Changes the value by the distance that `response` was dragged.
    fn scrub(&self, ui: &Ui, response: &Response, value: f64, width: f32) -> Option<f64> {
        let id = self.id.with("drag");
        if response.drag_started_by(egui::PointerButton::Primary) {
            let reach = self.reach.map(|reach| stretched(reach, value));
            let at = reach.map_or(value, |reach| place(reach, value));
            ui.data_mut(|data| data.insert_temp(id, Drag { at, reach, value }));
        }
        let mut drag = self.drag(ui)?;
        if response.dragged_by(egui::PointerButton::Primary) {
            let pace = ui.input(|input| match input.modifiers {
                Modifiers { shift: true, .. } => 0.1,
                Modifiers { command: true, .. } | Modifiers { ctrl: true, .. } => 10.0,
                _ => 1.0,
            });
            // The distance before a drag is recognised counts as well.
            let origin = ui.input(|input| input.pointer.press_origin()).filter(|_| response.drag_started());
            let since = origin.zip(response.interact_pointer_pos()).map(|(origin, now)| now.x - origin.x);
            let moved = f64::from(since.unwrap_or(response.drag_delta().x)) * pace;
            let before = drag.value;
            drag.value = match drag.reach {
                Some(reach) => {
                    drag.at = (drag.at + moved / f64::from(width.max(1.0))).clamp(0.0, 1.0);
                    let grain = pace * slope(reach, drag.at) / f64::from(width.max(1.0));
                    rounded(value_at(reach, drag.at), grain).clamp(reach.0, reach.1)
                }
                None => {
                    drag.at = self.clamped(drag.at + moved * self.speed);
                    rounded(drag.at, pace * self.speed)
                }
            };
            drag.value = self.fit(drag.value);
            ui.data_mut(|data| data.insert_temp(id, drag));
            return (!self.held && drag.value != before && moved != 0.0).then_some(drag.value);
        }
        if response.drag_stopped() {
            ui.data_mut(|data| data.remove::<Drag>(id));
            return (self.held && drag.value != value).then_some(drag.value);
        }
        None
    }

    fn drag(&self, ui: &Ui) -> Option<Drag> {
        ui.data(|data| data.get_temp::<Drag>(self.id.with("drag")))
    }

    /// Clamped to the range, and rounded if it has to be whole.
    pub(super) fn fit(&self, value: f64) -> f64 {
        self.clamped(if self.whole { value.round() } else { tidy(value) })
    }

    /// Says that a typed number is not the one that is set.
    fn tell_change(&self, ui: &Ui, typed: f64) {
        let set = self.fit(typed);
        let why = match self.range {
            (Some(low), _) if typed < low => "below the minimum",
            (_, Some(high)) if typed > high => "above the maximum",
            _ if self.whole && typed.fract() != 0.0 => "not a whole number",
            _ => return,
        };
        self.tell(ui, &format!("{} is {why}; set to {}", text_from_number(typed), text_from_number(set)));
    }

    /// Says what became of a typed text.
    fn tell(&self, ui: &Ui, what: &str) {
        let name = self.label.strip_prefix("param ").unwrap_or(&self.label);
        notice::tell(ui.ctx(), format!("{name}: {what}"));
    }

    fn clamped(&self, value: f64) -> f64 {
        let value = self.range.0.map_or(value, |low| value.max(low));
        self.range.1.map_or(value, |high| value.min(high))
    }

    fn text(&self, value: f64) -> String {
        if self.mixed { String::new() } else { text_from_number(value) }
    }

    /// The text to start typing with, if a key begins it. Copying needs no typing.
    fn keyed(&self, ui: &Ui, response: &Response, value: f64) -> Option<String> {
        if !response.has_focus() {
            return None;
        }
        keymap::keep_text_keys(ui.ctx(), self.id);
        let text = self.text(value);
        let begins = [(Modifiers::NONE, Key::Enter), (Modifiers::NONE, Key::F2), (Modifiers::COMMAND, Key::A)];
        if ui.input_mut(|input| begins.iter().any(|(held, key)| input.consume_key(*held, *key))) {
            return Some(text);
        }
        let mut typed = None;
        let mut copied = false;
        ui.input_mut(|input| {
            input.events.retain(|event| match event {
                egui::Event::Text(text) | egui::Event::Paste(text) => {
                    typed = typed.take().or_else(|| Some(text.trim().to_string()).filter(|text| !text.is_empty()));
                    false
                }
                egui::Event::Copy => {
                    copied = true;
                    false
                }
                _ => true,
            });
        });
        if copied && !text.is_empty() {
            ui.ctx().copy_text(text);
        }
        typed
    }

    /// A step left or right.
    fn nudged(&self, ui: &Ui, response: &Response, value: f64) -> Option<f64> {
        if !response.has_focus() {
            return None;
        }
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(self.id, filter));
        let steps = ui.input(|input| {
            let fine = if input.modifiers.shift { 0.1 } else { 1.0 };
            let count = |key| input.num_presses(key) as f64;
            fine * (count(Key::ArrowRight) - count(Key::ArrowLeft))
        });
        let step = match (self.whole, self.reach) {
            (true, _) => return (steps != 0.0).then(|| self.fit(value + steps.signum())),
            (false, Some((low, high))) => 0.01 * (high - low),
            (false, None) => 10.0 * self.speed,
        };
        (steps != 0.0).then(|| self.fit(rounded(value + steps * step, steps * step)))
    }

    /// The text being typed, if any. Typing ends if the field was not drawn for a frame.
    fn typed(&self, ui: &Ui) -> Option<String> {
        let (text, pass) = ui.data(|data| data.get_temp::<(String, u64)>(self.id))?;
        (pass + 1 >= ui.ctx().cumulative_pass_nr()).then_some(text)
    }

    fn keep(&self, ui: &Ui, text: String) {
        let pass = ui.ctx().cumulative_pass_nr();
        ui.data_mut(|data| data.insert_temp(self.id, (text, pass)));
    }

    fn typing(
        &self,
        ui: &mut Ui,
        rect: Rect,
        value: f64,
        mut text: String,
        numbers: &Numbers,
    ) -> (Response, Option<TypedValue>) {
        let id = self.id.with("text");
        // A first letter that was typed stays; an existing number is selected to be replaced.
        let fresh = text != self.text(value);
        let field = egui::TextEdit::singleline(&mut text).id(id).margin(vec2(6.0, 3.0)).desired_width(rect.width());
        let response = ui.put(rect, field);
        let first = !response.has_focus() && !response.lost_focus();
        // A double click selects the number, not the digits on one side of its point.
        if first || response.double_clicked() {
            response.request_focus();
            let end = egui::text::CCursor::new(text.chars().count());
            let all = egui::text::CCursorRange::two(egui::text::CCursor::default(), end);
            let mut state = egui::TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
            let only_typed = fresh && first;
            state.cursor.set_char_range(Some(if only_typed { egui::text::CCursorRange::one(end) } else { all }));
            state.store(ui.ctx(), id);
            self.keep(ui, text);
            return (response, None);
        }
        response.widget_info(|| WidgetInfo::labeled(egui::WidgetType::TextEdit, true, &self.label));
        if !response.lost_focus() && response.has_focus() {
            self.keep(ui, text);
            return (response, None);
        }
        ui.data_mut(|data| data.remove::<(String, u64)>(self.id));
        let escaped = ui.input(|input| input.key_pressed(Key::Escape));
        // What is shown may be rounded, so the same text is no other number.
        let other = !escaped && text != self.text(value);
        let typed = if other { parse_typed(&text, (self.unit, self.whole), numbers) } else { Ok(None) };
        let typed = match typed {
            Ok(Some(TypedValue::Number(number))) => {
                self.tell_change(ui, number);
                Some(TypedValue::Number(self.fit(number)))
            }
            Ok(Some(TypedValue::Text(text))) if !self.computed => {
                self.tell(ui, &format!("`{text}` is not a number; write one such as 0.8"));
                None
            }
            Ok(typed) => typed,
            Err(sentence) => {
                self.tell(ui, &sentence);
                None
            }
        };
        (response, typed.filter(|typed| self.mixed || *typed != TypedValue::Number(value)))
    }

    fn paint(&self, ui: &Ui, rect: Rect, response: &Response, value: f64) {
        if !ui.is_rect_visible(rect) {
            return;
        }
        let look = theme::current(ui);
        let fade = if ui.is_enabled() { 1.0 } else { 0.5 };
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        let round = CornerRadius::same(4);
        painter.rect_filled(rect, round, look.field);
        let reach = self.reach.map(|reach| stretched(self.drag(ui).and_then(|d| d.reach).unwrap_or(reach), value));
        if let Some(reach) = reach.filter(|_| !self.mixed) {
            let x = |value: f64| rect.left() + place(reach, value) as f32 * rect.width();
            let from = if reach.0 < 0.0 && reach.1 > 0.0 { x(0.0) } else { rect.left() };
            let part = Rect::from_x_y_ranges(from.min(x(value))..=from.max(x(value)), rect.y_range());
            painter.rect_filled(part, round, look.accent.gamma_multiply(0.2 * fade));
            let strip = part.with_min_y(rect.bottom() - 2.0);
            painter.rect_filled(strip, 1.0, look.accent.gamma_multiply(fade));
            if let Some(default) = self.default.filter(|d| (reach.0..=reach.1).contains(d)) {
                let notch = Rect::from_center_size(Pos2::new(x(default), rect.bottom() - 2.5), vec2(1.0, 5.0));
                painter.rect_filled(notch, 0.0, look.faint);
            }
        }
        let hovered = response.hovered() || response.has_focus() || response.dragged();
        let stroke = if response.has_focus() { look.accent } else { look.faint };
        if hovered && ui.is_enabled() {
            painter.rect_stroke(rect, round, egui::Stroke::new(1.0, stroke), StrokeKind::Inside);
        }
        let font = TextStyle::Body.resolve(ui.style());
        let mut x = rect.left() + 7.0;
        if !self.prefix.is_empty() {
            let at = Pos2::new(x, rect.center().y);
            let drawn = painter.text(at, Align2::LEFT_CENTER, self.prefix, font.clone(), look.faint);
            x = drawn.right() + 4.0;
        }
        let (text, color) =
            if self.mixed { ("mixed".to_string(), look.faint) } else { (text_from_number(value), look.text) };
        let at = Pos2::new(x, rect.center().y);
        let drawn = painter.text(at, Align2::LEFT_CENTER, text, font, color.gamma_multiply(fade));
        if !self.unit.is_empty() {
            let small = TextStyle::Small.resolve(ui.style());
            self.paint_unit(&painter, rect, drawn.right(), small, look.dim);
        }
    }

    /// The unit, if there is room for it.
    fn paint_unit(&self, painter: &egui::Painter, rect: Rect, behind: f32, font: FontId, color: egui::Color32) {
        let galley = painter.layout_no_wrap(self.unit.to_string(), font, color);
        let at = Pos2::new(rect.right() - 6.0 - galley.size().x, rect.center().y - 0.5 * galley.size().y);
        if at.x > behind + 6.0 {
            painter.galley(at, galley, color);
        }
    }
}

/// Parses what was typed for a number: a number, with or without its unit, a constant expression, or else
/// another expression.
///
/// # Errors
/// A text that is more than one value, in one sentence.
fn parse_typed(text: &str, (unit, whole): (&str, bool), numbers: &Numbers) -> Result<Option<TypedValue>, String> {
    let text = text.trim();
    let bare = text.strip_suffix(unit).filter(|_| !unit.is_empty()).unwrap_or(text).trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(number) = typed::number(bare, whole) {
        return number.map(|number| Some(TypedValue::Number(number)));
    }
    if typed::is_list(text) {
        return Err(format!("`{text}` is more than one value; write a number with a point, such as 0.8"));
    }
    let constant = Expression::parse_with(text, numbers).ok().filter(Expression::is_constant);
    match constant.and_then(|e| e.eval(&ExprContext::default()).ok()).as_ref().map(|number| number.as_slice()) {
        Some([one]) => Ok(Some(TypedValue::Number(*one))),
        _ => Ok(Some(TypedValue::Text(text.to_string()))),
    }
}

/// The range, extended to the value.
fn stretched((low, high): (f64, f64), value: f64) -> (f64, f64) {
    if value.is_finite() { (low.min(value), high.max(value)) } else { (low, high) }
}

fn logarithmic((low, high): (f64, f64)) -> bool {
    low > 0.0 && high / low > DECADES
}

/// The position of a value in its range, 0 to 1.
fn place(reach: (f64, f64), value: f64) -> f64 {
    let (low, high) = reach;
    let at = if logarithmic(reach) { (value / low).ln() / (high / low).ln() } else { (value - low) / (high - low) };
    if at.is_finite() { at.clamp(0.0, 1.0) } else { 0.0 }
}

/// The value at a position in the range.
fn value_at(reach: (f64, f64), place: f64) -> f64 {
    let (low, high) = reach;
    if logarithmic(reach) { low * (high / low).powf(place) } else { low + (high - low) * place }
}

/// The slope of the value at a position in the range.
fn slope(reach: (f64, f64), place: f64) -> f64 {
    let (low, high) = reach;
    if logarithmic(reach) { value_at(reach, place) * (high / low).ln() } else { high - low }
}

/// Rounds to a power of ten that is no coarser than `grain`.
fn rounded(value: f64, grain: f64) -> f64 {
    let digits = grain.abs().log10().floor();
    if !digits.is_finite() {
        return value;
    }
    let unit = 10_f64.powf(digits);
    let rounded = (value / unit).round() * unit;
    if rounded.is_finite() { tidy(rounded) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_values_of_a_reach_are_each_others_inverse() {
        for reach in [(0.0, 2.0), (-10.0, 10.0), (1e-4, 10.0), (0.02, 3.0)] {
            for step in 0..=20 {
                let t = f64::from(step) / 20.0;
                assert!((place(reach, value_at(reach, t)) - t).abs() < 1e-12, "{reach:?} {t}");
            }
        }
        assert!((value_at((0.001, 10.0), 0.5) - 0.1).abs() < 1e-12, "by factors over four decades");
        assert_eq!(value_at((1.0, 1000.0), 0.5), 500.5, "three decades are no more than that");
    }

    #[test]
    fn what_is_typed_is_a_number_or_an_expression() {
        let numbers = Numbers::from([("h".to_string(), crate::expr::Number::scalar(2.0))]);
        for (text, wants) in [
            ("0.5", Some(TypedValue::Number(0.5))),
            ("0,5", Some(TypedValue::Number(0.5))),
            ("min(1, 2)", Some(TypedValue::Number(1.0))),
            ("min(1, time)", Some(TypedValue::Text("min(1, time)".into()))),
            (" 0.5 m ", Some(TypedValue::Number(0.5))),
            ("0,5 m", Some(TypedValue::Number(0.5))),
            ("1/4", Some(TypedValue::Number(0.25))),
            ("2 * h", Some(TypedValue::Text("2 * h".into()))),
            ("sin(time)", Some(TypedValue::Text("sin(time)".into()))),
            ("inf", Some(TypedValue::Text("inf".into()))),
            ("", None),
        ] {
            assert_eq!(parse_typed(text, ("m", false), &numbers), Ok(wants), "{text:?}");
        }
        for text in ["0,5 * time", "1, 2", "1,250", "h], [h", "0,8,1"] {
            assert!(parse_typed(text, ("m", false), &numbers).is_err(), "{text:?}");
        }
    }

    #[test]
    fn dragged_numbers_are_round() {
        assert_eq!(rounded(0.123_456, 0.013), 0.12);
        assert_eq!(rounded(-17.38, 1.5), -17.0);
        assert_eq!(rounded(0.3, 0.0), 0.3);
    }
}
