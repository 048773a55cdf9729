//! Curves: a thumbnail in the row, and an editor with points to drag.

use eframe::egui::{
    self, Align2, CornerRadius, CursorIcon, Id, Key, Modifiers, PointerButton, Popup, PopupCloseBehavior, Pos2, Rect,
    Sense, Stroke, TextStyle, Ui, Vec2, WidgetInfo, WidgetType, vec2,
};

use super::bar::{Bar, TypedValue};
use super::field::Field;
use super::numbers::{text_from_number, tidy};
use crate::curve::Curve;
use crate::expr::Numbers;
use crate::toolkit::row::{self, HEIGHT};
use crate::toolkit::theme;

/// Size of the editor's plot \[points\].
const PLOT: Vec2 = vec2(360.0, 220.0);
/// Height of the thumbnail in the row \[points\].
const PREVIEW: f32 = 34.0;
/// How near the pointer has to be to a point to grab it \[points\].
const GRIP: f32 = 9.0;
const MARGIN: f32 = 10.0;

/// Shapes to start from, with values from 0 to 1.
const PRESETS: [(&str, &[(f64, f64)]); 5] = [
    ("linear", &[(0.0, 0.0), (1.0, 1.0)]),
    ("ease", &[(0.0, 0.0), (0.15, 0.061), (0.5, 0.5), (0.85, 0.939), (1.0, 1.0)]),
    ("bell", &[(0.0, 0.0), (0.2, 0.135), (0.5, 1.0), (0.8, 0.135), (1.0, 0.0)]),
    ("step", &[(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)]),
    ("constant", &[(0.0, 1.0)]),
];

/// State of an editor.
#[derive(Clone, Default)]
struct Editing {
    chosen: Option<usize>,
    /// The values that the plot showed when a drag began.
    span: Option<(f64, f64)>,
}

/// A curve in a row. Returns it if it was changed.
pub(super) fn field(ui: &mut Ui, id: Id, field: &Field<'_>, curve: &Curve) -> Option<Curve> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), PREVIEW), Sense::click());
    let look = theme::current(ui);
    ui.painter().rect_filled(rect, CornerRadius::same(4), look.field);
    let stroke = if response.hovered() { look.faint } else { look.line };
    ui.painter().rect_stroke(rect, CornerRadius::same(4), Stroke::new(1.0, stroke), egui::StrokeKind::Inside);
    line(ui, &Plot { rect: rect.shrink(5.0), span: span(field, curve) }, curve, 1.5);
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, format!("param {}", field.name)));
    let response = response.on_hover_text("Edit curve").on_hover_cursor(CursorIcon::PointingHand);
    let popup = Popup::from_toggle_button_response(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| editor(ui, id, field, curve)).and_then(|inner| inner.inner)
}

/// The values that a plot shows: the range of the parameter, extended to values outside.
fn span(field: &Field<'_>, curve: &Curve) -> (f64, f64) {
    let limits = (field.soft.0.or(field.range.0), field.soft.1.or(field.range.1));
    let values = curve.points.iter().map(|(_, value)| *value).filter(|value| value.is_finite());
    let low = values.clone().fold(limits.0.unwrap_or(0.0), f64::min);
    let high = values.fold(limits.1.unwrap_or(1.0), f64::max);
    if high > low { (low, high) } else { (low - 0.5, low + 0.5) }
}

/// Maps values to positions of the pointer.
struct Plot {
    rect: Rect,
    span: (f64, f64),
}

impl Plot {
    fn position_of(&self, (t, value): (f64, f64)) -> Pos2 {
        let (low, high) = self.span;
        let up = (value - low) / (high - low);
        let up = if up.is_finite() { up.clamp(-4.0, 5.0) } else { 0.0 };
        self.rect.left_bottom() + vec2(t as f32 * self.rect.width(), -up as f32 * self.rect.height())
    }

    fn point(&self, at: Pos2) -> (f64, f64) {
        let (low, high) = self.span;
        let t = f64::from((at.x - self.rect.left()) / self.rect.width()).clamp(0.0, 1.0);
        let up = f64::from((self.rect.bottom() - at.y) / self.rect.height());
        let value = low + up * (high - low);
        // Rounded to the resolution of the plot, so that files have 0.25 and not 0.2537313.
        let grain = 10_f64.powf(((high - low) / f64::from(self.rect.height())).log10().floor());
        ((t * 1000.0).round() / 1000.0, tidy((value / grain).round() * grain))
    }
}

fn line(ui: &Ui, plot: &Plot, curve: &Curve, width: f32) {
    let look = theme::current(ui);
    let color = if ui.is_enabled() { look.accent } else { look.faint };
    let steps = (0.5 * plot.rect.width()).ceil().clamp(8.0, 400.0) as usize;
    let mut places: Vec<f64> = (0..=steps).map(|step| step as f64 / steps as f64).collect();
    // The line passes through the points exactly, and steps are vertical.
    places.extend(curve.points.iter().flat_map(|(t, _)| [t - 1e-9, *t]).filter(|t| (0.0..=1.0).contains(t)));
    places.sort_by(f64::total_cmp);
    let points: Vec<Pos2> = places.into_iter().map(|t| plot.position_of((t, curve.at(t)))).collect();
    ui.painter()
        .with_clip_rect(plot.rect.expand(2.0).intersect(ui.clip_rect()))
        .line(points, Stroke::new(width, color));
}

fn editor(ui: &mut Ui, id: Id, field: &Field<'_>, curve: &Curve) -> Option<Curve> {
    ui.set_width(PLOT.x);
    let state = id.with("curve");
    let mut editing: Editing = ui.data(|data| data.get_temp(state)).unwrap_or_default();
    editing.chosen = editing.chosen.filter(|index| *index < curve.points.len());
    let mut new = curve.clone();
    plot(ui, field, &mut new, &mut editing);
    ui.horizontal(|ui| point(ui, id, field, &mut new, &mut editing));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (name, points) in PRESETS {
            if ui.small_button(name).clicked() {
                new.points = points.iter().map(|(t, up)| (*t, scaled(field, curve, *up))).collect();
                editing.chosen = None;
            }
        }
        if ui.small_button("flip t").on_hover_text("Flip horizontally").clicked() {
            new.points = curve.points.iter().rev().map(|(t, value)| (tidy(1.0 - t), *value)).collect();
            editing.chosen = None;
        }
        if ui.small_button("flip value").on_hover_text("Flip vertically").clicked() {
            let (low, high) = extent(field, curve);
            new.points.iter_mut().for_each(|(_, value)| *value = tidy(low + high - *value));
        }
    });
    ui.data_mut(|data| data.insert_temp(state, editing));
    (new != *curve).then_some(new)
}

/// The values that a preset shape spans: the range, if it has two ends, else those of the curve.
fn extent(field: &Field<'_>, curve: &Curve) -> (f64, f64) {
    match field.range {
        (Some(low), Some(high)) => (low, high),
        _ => {
            let values = curve.points.iter().map(|(_, value)| *value);
            let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
            if high > low { (low, high) } else { (0.0_f64.min(high), 1.0_f64.max(high)) }
        }
    }
}

fn scaled(field: &Field<'_>, curve: &Curve, up: f64) -> f64 {
    let (low, high) = extent(field, curve);
    tidy(low + up * (high - low))
}

fn clamp(field: &Field<'_>, value: f64) -> f64 {
    let value = field.range.0.map_or(value, |low| value.max(low));
    field.range.1.map_or(value, |high| value.min(high))
}

/// The plot with its points.
fn plot(ui: &mut Ui, field: &Field<'_>, curve: &mut Curve, editing: &mut Editing) {
    let (outer, response) = ui.allocate_exact_size(PLOT, Sense::click_and_drag());
    let span = editing.span.unwrap_or_else(|| self::span(field, curve));
    let plot = Plot { rect: outer.shrink(MARGIN), span };
    let near = |pointer: Pos2| {
        let distance = |point: &(f64, f64)| plot.position_of(*point).distance(pointer);
        let nearest = curve.points.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        nearest.filter(|(_, point)| distance(point) < GRIP).map(|(index, _)| index)
    };
    let hovered = response.hover_pos().and_then(near);
    let pressed = ui.input(|input| input.pointer.press_origin());
    if response.drag_started_by(PointerButton::Primary)
        && let Some(origin) = pressed
    {
        response.request_focus();
        editing.chosen = Some(near(origin).unwrap_or_else(|| insert(curve, field, plot.point(origin))));
        editing.span = Some(span);
    } else if response.clicked_by(PointerButton::Primary)
        && let Some(at) = response.interact_pointer_pos()
    {
        response.request_focus();
        editing.chosen = Some(near(at).unwrap_or_else(|| insert(curve, field, plot.point(at))));
    }
    if response.dragged_by(PointerButton::Primary)
        && let (Some(index), Some(at)) = (editing.chosen, response.interact_pointer_pos())
    {
        shift(curve, field, index, plot.point(at));
    }
    if !response.dragged() {
        editing.span = None;
    }
    let delete = |key| response.has_focus() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let unwanted = if delete(Key::Delete) || delete(Key::Backspace) { editing.chosen } else { None };
    let unwanted = unwanted.or(hovered.filter(|_| response.secondary_clicked()));
    if let Some(index) = unwanted.filter(|_| curve.points.len() > 1) {
        curve.points.remove(index);
        editing.chosen = None;
    }
    paint(ui, outer, &plot, curve, editing.chosen, hovered);
    let name = field.name;
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, format!("curve {name}")));
    let cursor = if hovered.is_some() { CursorIcon::Grab } else { CursorIcon::Crosshair };
    let hint = "Click to add a point, drag to move it, Delete or right-click to remove it";
    response.on_hover_cursor(cursor).on_hover_text_at_pointer(hint);
}

/// Inserts a point in order. Returns its position.
fn insert(curve: &mut Curve, field: &Field<'_>, (t, value): (f64, f64)) -> usize {
    let index = curve.points.partition_point(|(before, _)| *before <= t);
    curve.points.insert(index, (t, clamp(field, value)));
    index
}

/// Moves a point, at most to its neighbours.
fn shift(curve: &mut Curve, field: &Field<'_>, index: usize, (t, value): (f64, f64)) {
    let place = |index: usize| curve.points.get(index).map(|(t, _)| *t);
    let low = index.checked_sub(1).and_then(place).unwrap_or(0.0);
    let high = place(index + 1).unwrap_or(1.0);
    if let Some(point) = curve.points.get_mut(index) {
        *point = (t.max(low).min(high), clamp(field, value));
    }
}

fn paint(ui: &Ui, outer: Rect, plot: &Plot, curve: &Curve, chosen: Option<usize>, hovered: Option<usize>) {
    let look = theme::current(ui);
    let painter = ui.painter_at(outer);
    painter.rect_filled(outer, CornerRadius::same(4), look.field);
    let font = TextStyle::Small.resolve(ui.style());
    for quarter in 0..=4 {
        let part = quarter as f32 / 4.0;
        let strong = if quarter % 4 == 0 { look.line } else { look.line.gamma_multiply(0.5) };
        let stroke = Stroke::new(1.0, strong);
        let x = plot.rect.left() + part * plot.rect.width();
        let y = plot.rect.bottom() - part * plot.rect.height();
        painter.vline(x, plot.rect.y_range(), stroke);
        painter.hline(plot.rect.x_range(), y, stroke);
        if quarter % 2 == 0 {
            let value = plot.span.0 + f64::from(part) * (plot.span.1 - plot.span.0);
            let (anchor, down) = if quarter == 4 { (Align2::LEFT_TOP, 1.0) } else { (Align2::LEFT_BOTTOM, -1.0) };
            let at = Pos2::new(plot.rect.left() + 3.0, y + down);
            painter.text(at, anchor, text_from_number(value), font.clone(), look.faint);
        }
    }
    let at = plot.rect.right_bottom() + vec2(-2.0, -1.0);
    painter.text(at, Align2::RIGHT_BOTTOM, "t = 1", font, look.faint);
    line(ui, plot, curve, 2.0);
    for (index, point) in curve.points.iter().enumerate() {
        let at = plot.position_of(*point);
        let (size, fill) = match (chosen == Some(index), hovered == Some(index)) {
            (true, _) => (5.5, look.accent),
            (_, true) => (5.5, look.node),
            _ => (4.0, look.node),
        };
        painter.circle(at, size, fill, Stroke::new(1.5, if chosen == Some(index) { look.text } else { look.accent }));
    }
}

/// Fields for the chosen point.
fn point(ui: &mut Ui, id: Id, field: &Field<'_>, curve: &mut Curve, editing: &mut Editing) {
    let Some((index, (t, value))) = editing.chosen.and_then(|i| Some((i, *curve.points.get(i)?))) else {
        ui.label(row::faint(ui, format!("{} points. Select one to edit its numbers", curve.points.len())));
        return;
    };
    let none = Numbers::new();
    let width = 0.5 * (ui.available_width() - 38.0);
    let bar = |part: &'static str, reach, range| Bar {
        id: id.with(part),
        label: format!("point {part} {}", field.name),
        prefix: part,
        unit: if part == "t" { "" } else { field.unit },
        reach: Some(reach),
        range,
        whole: false,
        computed: false,
        speed: 0.01,
        default: None,
        held: false,
        mixed: false,
    };
    let (_, across) = bar("t", (0.0, 1.0), (Some(0.0), Some(1.0))).show(ui, t, width, &none);
    let (_, up) = bar("value", span(field, curve), field.range).show(ui, value, width, &none);
    let number = |typed, current| if let Some(TypedValue::Number(number)) = typed { number } else { current };
    let new = (number(across, t), number(up, value));
    if new != (t, value) {
        shift(curve, field, index, new);
    }
    let remove = egui::Button::new("✖").frame(false).min_size(vec2(20.0, HEIGHT));
    if ui.add_enabled(curve.points.len() > 1, remove).on_hover_text("Remove point").clicked() {
        curve.points.remove(index);
        editing.chosen = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_curves() {
        for (name, points) in PRESETS {
            let curve = Curve { points: points.to_vec() };
            assert_eq!(curve.check((Some(0.0), Some(1.0))), Ok(()), "{name}");
        }
        // The smoothstep that `ease` approximates, 3 t^2 - 2 t^3, within the error of five points.
        let ease = Curve { points: PRESETS[1].1.to_vec() };
        let error = (0..=100).map(|i| f64::from(i) / 100.0).map(|t| (ease.at(t) - t * t * (3.0 - 2.0 * t)).abs());
        assert!(error.fold(0.0, f64::max) < 0.02);
    }

    #[test]
    fn the_plot_and_the_pointer_agree() {
        let plot = Plot { rect: Rect::from_min_size(Pos2::new(10.0, 20.0), vec2(340.0, 200.0)), span: (-1.0, 3.0) };
        for point in [(0.0, -1.0), (0.25, 0.5), (1.0, 3.0)] {
            let (t, value) = plot.point(plot.position_of(point));
            assert!(
                (t - point.0).abs() < 1e-3 && (value - point.1).abs() < 0.01,
                "{point:?} came back as {t}, {value}"
            );
        }
    }
}
