//! Gradients: a bar in the row, and an editor with stops to drag.

use eframe::egui::{
    self, Color32, CornerRadius, CursorIcon, Id, Key, Modifiers, PointerButton, Popup, PopupCloseBehavior, Pos2, Rect,
    Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, WidgetType, vec2,
};

use super::bar::{Bar, TypedValue};
use super::color;
use super::numbers::tidy;
use crate::curve::{Color, Gradient, color_from_hex};
use crate::expr::Numbers;
use crate::toolkit::row::{HEIGHT, faint};
use crate::toolkit::theme;

/// Width of the editor, and height of its bar and of the stops below it \[points\].
const WIDTH: f32 = 360.0;
const BAR: f32 = 30.0;
const STOPS: f32 = 18.0;
/// How near the pointer has to be to a stop to grab it \[points\].
const GRIP: f32 = 7.0;

/// Gradients to start from, with stops at equal distances. The first four from matplotlib (Smith and van der Walt 2015).
const PRESETS: [(&str, &[&str]); 8] = [
    ("viridis", &["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"]),
    ("magma", &["#000004", "#51127c", "#b73779", "#fc8961", "#fcfdbf"]),
    ("plasma", &["#0d0887", "#7e03a8", "#cc4778", "#f89540", "#f0f921"]),
    ("inferno", &["#000004", "#57106e", "#bc3754", "#f98e09", "#fcffa4"]),
    ("fire", &["#000000", "#7a0c00", "#f04a00", "#ffc530", "#fffbe6"]),
    ("water", &["#00101f", "#033f63", "#1f8a9e", "#8fdbd9", "#f4ffff"]),
    ("diverging", &["#2166ac", "#92c5de", "#f7f7f7", "#f4a582", "#b2182b"]),
    ("grey", &["#000000", "#ffffff"]),
];

/// A gradient in a row. Returns it if it was changed.
pub(super) fn field(ui: &mut Ui, id: Id, name: &str, gradient: &Gradient) -> Option<Gradient> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    color::paint(ui, rect.shrink(1.0), |t| gradient.at(t));
    let look = theme::current(ui);
    let stroke = if response.hovered() { look.text } else { look.line };
    ui.painter().rect_stroke(rect, CornerRadius::same(3), Stroke::new(1.5, stroke), StrokeKind::Inside);
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, format!("param {name}")));
    let response = response.on_hover_text("Edit gradient").on_hover_cursor(CursorIcon::PointingHand);
    let popup = Popup::from_toggle_button_response(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| editor(ui, id, name, gradient)).and_then(|inner| inner.inner)
}

fn editor(ui: &mut Ui, id: Id, name: &str, gradient: &Gradient) -> Option<Gradient> {
    ui.set_width(WIDTH);
    let state = id.with("gradient");
    let chosen: Option<usize> = ui.data(|data| data.get_temp(state)).flatten();
    let mut chosen = chosen.or(Some(0)).filter(|index| *index < gradient.stops.len());
    let mut new = gradient.clone();
    stops(ui, name, &mut new, &mut chosen);
    ui.horizontal(|ui| place(ui, id, name, &mut new, &mut chosen));
    presets(ui, name, &mut new, &mut chosen);
    if let Some((_, of_stop)) = chosen.and_then(|index| new.stops.get_mut(index)) {
        ui.separator();
        if let Some(picked) = color::editor(ui, id.with("stop"), name, *of_stop) {
            *of_stop = picked;
        }
    }
    ui.data_mut(|data| data.insert_temp(state, chosen));
    (new != *gradient).then_some(new)
}

fn presets(ui: &mut Ui, name: &str, gradient: &mut Gradient, chosen: &mut Option<usize>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for (preset, digits) in PRESETS {
            let (rect, response) = ui.allocate_exact_size(vec2(36.0, 16.0), Sense::click());
            let ramp = from_digits(digits);
            color::paint(ui, rect, |t| ramp.at(t));
            let stroke = if response.hovered() { theme::current(ui).text } else { theme::current(ui).line };
            ui.painter().rect_stroke(rect, CornerRadius::same(2), Stroke::new(1.0, stroke), StrokeKind::Inside);
            response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("preset {preset}")));
            if response.on_hover_text(preset).clicked() {
                *gradient = ramp;
                *chosen = Some(0);
            }
        }
        let reverse = ui.small_button("reverse");
        reverse.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, format!("reverse {name}")));
        if reverse.clicked() {
            gradient.stops.reverse();
            gradient.stops.iter_mut().for_each(|(t, _)| *t = tidy(1.0 - *t));
            *chosen = chosen.map(|index| gradient.stops.len() - 1 - index);
        }
    });
}

fn from_digits(digits: &[&str]) -> Gradient {
    let last = digits.len().saturating_sub(1).max(1) as f64;
    let stop = |(index, digits): (usize, &&str)| Some((index as f64 / last, color_from_hex(digits)?));
    Gradient { stops: digits.iter().enumerate().filter_map(stop).collect() }
}

/// The bar, and its stops below it.
fn stops(ui: &mut Ui, name: &str, gradient: &mut Gradient, chosen: &mut Option<usize>) {
    let (outer, response) = ui.allocate_exact_size(vec2(WIDTH, BAR + STOPS), Sense::click_and_drag());
    let rect = Rect::from_min_size(outer.min + vec2(6.0, 0.0), vec2(outer.width() - 12.0, BAR));
    let x = |t: f64| rect.left() + t as f32 * rect.width();
    let place = |at: Pos2| {
        let t = f64::from((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
        (t * 1000.0).round() / 1000.0
    };
    let near = |at: Pos2| {
        let distance = |stop: &(f64, Color)| (x(stop.0) - at.x).abs();
        let nearest = gradient.stops.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        nearest.filter(|(_, stop)| distance(stop) < GRIP).map(|(index, _)| index)
    };
    let hovered = response.hover_pos().and_then(near);
    let origin = if response.drag_started_by(PointerButton::Primary) {
        ui.input(|input| input.pointer.press_origin())
    } else if response.clicked_by(PointerButton::Primary) {
        response.interact_pointer_pos()
    } else {
        None
    };
    if let Some(origin) = origin {
        response.request_focus();
        let found = near(origin);
        *chosen = Some(found.unwrap_or_else(|| insert(gradient, place(origin))));
    }
    if response.dragged_by(PointerButton::Primary)
        && let (Some(index), Some(at)) = (*chosen, response.interact_pointer_pos())
    {
        *chosen = Some(shift(gradient, index, place(at)));
    }
    let delete = |key| response.has_focus() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let unwanted = if delete(Key::Delete) || delete(Key::Backspace) { *chosen } else { None };
    let unwanted = unwanted.or(hovered.filter(|_| response.secondary_clicked()));
    if let Some(index) = unwanted.filter(|_| gradient.stops.len() > 1) {
        gradient.stops.remove(index);
        *chosen = None;
    }
    color::paint(ui, rect, |t| gradient.at(t));
    let look = theme::current(ui);
    ui.painter().rect_stroke(rect, CornerRadius::ZERO, Stroke::new(1.0, look.line), StrokeKind::Outside);
    for (index, (t, stop)) in gradient.stops.iter().enumerate() {
        let tip = Pos2::new(x(*t), rect.bottom() + 1.0);
        let stroke = match (*chosen == Some(index), hovered == Some(index)) {
            (true, _) => Stroke::new(2.0, look.accent),
            (_, true) => Stroke::new(1.5, look.text),
            _ => Stroke::new(1.0, look.faint),
        };
        let [r, g, b, _] = *stop;
        let fill: Color32 = color::on_screen([r, g, b, 1.0]);
        let shape = [(0.0, 0.0), (5.5, 6.0), (5.5, 16.0), (-5.5, 16.0), (-5.5, 6.0)];
        let points = shape.iter().map(|(x, y)| tip + vec2(*x, *y)).collect();
        ui.painter().add(Shape::convex_polygon(points, fill, stroke));
    }
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Other, true, format!("gradient {name}")));
    let cursor = if hovered.is_some() { CursorIcon::ResizeHorizontal } else { CursorIcon::Crosshair };
    let hint = "Click to add a stop, drag to move it, Delete or right-click to remove it";
    response.on_hover_cursor(cursor).on_hover_text_at_pointer(hint);
}

/// Inserts a stop that does not change the gradient yet. Returns its position.
fn insert(gradient: &mut Gradient, t: f64) -> usize {
    let color = gradient.at(t).map(tidy);
    let index = gradient.stops.partition_point(|(before, _)| *before <= t);
    gradient.stops.insert(index, (t, color));
    index
}

/// Moves a stop, also past others. Returns its new position.
fn shift(gradient: &mut Gradient, index: usize, t: f64) -> usize {
    if index >= gradient.stops.len() {
        return index;
    }
    let (before, color) = gradient.stops.remove(index);
    // If two stops coincide, the moved one stays on the side that it came from.
    let from_above = before > t;
    let behind = |stop: &(f64, Color)| if from_above { stop.0 <= t } else { stop.0 < t };
    let index = gradient.stops.partition_point(behind);
    gradient.stops.insert(index, (t, color));
    index
}

/// Fields for the chosen stop.
fn place(ui: &mut Ui, id: Id, name: &str, gradient: &mut Gradient, chosen: &mut Option<usize>) {
    let Some((index, t)) = chosen.and_then(|index| Some((index, gradient.stops.get(index)?.0))) else {
        ui.label(faint(ui, format!("{} stops. Select one to edit its colour", gradient.stops.len())));
        return;
    };
    let bar = Bar {
        id: id.with("t"),
        label: format!("stop t {name}"),
        prefix: "t",
        unit: "",
        reach: Some((0.0, 1.0)),
        range: (Some(0.0), Some(1.0)),
        whole: false,
        computed: false,
        speed: 0.01,
        default: None,
        held: false,
        mixed: false,
    };
    let (_, typed) = bar.show(ui, t, ui.available_width() - 30.0, &Numbers::new());
    if let Some(TypedValue::Number(t)) = typed {
        *chosen = Some(shift(gradient, index, t));
    }
    let remove = egui::Button::new("✖").frame(false).min_size(vec2(20.0, HEIGHT));
    if ui.add_enabled(gradient.stops.len() > 1, remove).on_hover_text("Remove stop").clicked() {
        gradient.stops.remove(index);
        *chosen = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_gradients() {
        for (name, digits) in PRESETS {
            let gradient = from_digits(digits);
            assert_eq!(gradient.stops.len(), digits.len(), "{name} has a colour that is none");
            assert_eq!(gradient.check(), Ok(()), "{name}");
        }
    }

    #[test]
    fn stops_keep_their_order_wherever_they_go() {
        let mut gradient = from_digits(&["#000000", "#ff0000", "#ffffff"]);
        let red = gradient.stops[1].1;
        let index = shift(&mut gradient, 1, 1.0);
        assert_eq!((index, gradient.stops[index]), (1, (1.0, red)), "it stops before the one it met");
        let index = shift(&mut gradient, 0, 0.5);
        assert_eq!((index, gradient.stops[0].0), (0, 0.5));
        let index = insert(&mut gradient, 0.75);
        assert_eq!((index, gradient.check()), (1, Ok(())));
        let halfway = gradient.stops[1].1;
        assert!((halfway[0] - 0.5).abs() < 1e-6, "a new stop changes nothing: {halfway:?}");
    }
}
