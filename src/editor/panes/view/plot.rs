//! A plot of curves: axes with ticks, a linear or logarithmic scale, a part chosen by dragging, a cursor.

use eframe::egui::{self, Align2, Color32, FontId, PointerButton, Pos2, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::ticks;
use crate::toolkit::theme::{self, Look};

/// Font size of ticks \[points\].
const FONT: f32 = 10.0;
/// Space of a tick's text along the axes \[points\].
const TICK: egui::Vec2 = vec2(64.0, 42.0);
/// Around the curves: above them and at the right, and below them for the text \[points\].
const MARGIN: egui::Vec2 = vec2(14.0, 16.0);
const BELOW: f32 = 18.0;
/// Positive values whose maximum is this many times the minimum are shown on a logarithmic scale.
const DECADES: f64 = 30.0;

/// A curve through points, the x of which increases.
pub(crate) struct Curve {
    pub color: Color32,
    /// Whether the curve stands behind the others.
    pub faint: bool,
    pub points: Vec<(f64, f64)>,
}

/// What the user chose of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Choices {
    /// Whether the scale is logarithmic; by the values when absent.
    pub log: Option<bool>,
    /// The part of the x axis that is shown; all of it when absent.
    pub part: Option<(f64, f64)>,
    /// The part of the value axis, of logarithms on a logarithmic scale; what the curves take when absent.
    pub values: Option<(f64, f64)>,
}

/// What is written at the axes.
pub(crate) struct Labels<'a> {
    /// Accessible name.
    pub name: String,
    pub x: &'a str,
    pub y: &'a str,
    /// x is a whole number.
    pub whole: bool,
    /// Vertical lines with their text.
    pub marks: Vec<(f64, &'static str)>,
    /// The present place on the x axis. A click or a drag then asks for another one, the wheel zooms and the middle button pans;
    /// otherwise a drag chooses the part that is shown.
    pub playhead: Option<f64>,
}

/// What is pointed at and asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// The x at the pointer.
    pub pointed: Option<f64>,
    /// The x to which the playhead is moved.
    pub wanted: Option<f64>,
    /// The playhead is held.
    pub held: bool,
}

/// Where values are on the screen.
struct Scale {
    rect: Rect,
    x: (f64, f64),
    /// Range of the values; of their logarithms on a logarithmic scale.
    y: (f64, f64),
    log: bool,
}

impl Scale {
    fn x(&self, x: f64) -> f32 {
        self.rect.left() + ((x - self.x.0) / (self.x.1 - self.x.0)) as f32 * self.rect.width()
    }

    fn y(&self, y: f64) -> f32 {
        let y = if self.log { y.log10() } else { y };
        self.rect.bottom() - ((y - self.y.0) / (self.y.1 - self.y.0)) as f32 * self.rect.height()
    }

    fn shows(&self, value: f64) -> bool {
        value.is_finite() && !(self.log && value <= 0.0)
    }

    fn value_at(&self, x: f32) -> f64 {
        self.x.0 + f64::from((x - self.rect.left()) / self.rect.width()) * (self.x.1 - self.x.0)
    }
}

/// Whether to use a logarithmic scale: all values are positive and span some decades.
pub(crate) fn spans_decades(curves: &[Curve]) -> bool {
    bounds(curves.iter().filter(|curve| !curve.faint).flat_map(|curve| &curve.points).map(|(_, y)| *y))
        .is_some_and(|(low, high)| low > 0.0 && high > DECADES * low)
}

/// Draws curves, and applies what is dragged to `choices`.
pub(crate) fn show(ui: &mut Ui, curves: &[Curve], labels: &Labels<'_>, choices: &mut Choices) -> Answer {
    let look = theme::current(ui);
    let whole = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(whole, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &labels.name));
    let painter = ui.painter_at(whole);
    painter.rect_filled(whole, 0.0, look.field);
    let Some(mut scale) = scale(curves, choices, labels.whole) else {
        let text = "No values yet. Play the simulation.";
        painter.text(whole.center(), Align2::CENTER_CENTER, text, FontId::proportional(13.0), look.faint);
        return Answer::default();
    };
    // The ticks depend on the height alone, and the left margin on their texts.
    scale.rect = Rect::from_min_max(whole.min + MARGIN, whole.max - vec2(MARGIN.x, BELOW));
    let rows = ticks_of_y(&scale);
    let font = FontId::monospace(FONT);
    let texts = rows.iter().map(|(_, text)| painter.layout_no_wrap(text.clone(), font.clone(), look.dim).size().x);
    scale.rect.min.x += texts.fold(24.0, f32::max) - 4.0;
    if !scale.rect.is_positive() {
        return Answer::default();
    }
    axes(&painter, &scale, &rows, labels, look);
    let inner = painter.with_clip_rect(scale.rect.expand(2.0).intersect(whole));
    for curve in curves.iter().filter(|c| c.faint).chain(curves.iter().filter(|c| !c.faint)) {
        draw(&inner, &scale, curve);
    }
    let within = |at: Pos2| scale.value_at(at.x.clamp(scale.rect.left(), scale.rect.right()));
    let mut answer = Answer::default();
    match labels.playhead {
        Some(now) => {
            travel(ui, &scale, &response, curves, choices);
            let line = Stroke::new(1.5, look.error);
            inner.vline(scale.x(now), scale.rect.y_range(), line);
            let beside = ui.input(|input| input.pointer.press_origin()).is_some_and(|at| at.x < scale.rect.left());
            answer.held =
                response.is_pointer_button_down_on() && ui.input(|input| input.pointer.primary_down()) && !beside;
            let moves =
                (response.clicked() && !response.double_clicked()) || response.dragged_by(PointerButton::Primary);
            answer.wanted = response.interact_pointer_pos().filter(|_| moves && !beside).map(within);
        }
        None => drag(&inner, &scale, &response, choices, ui, look),
    }
    if let Some(pointer) = response.hover_pos().filter(|at| scale.rect.expand(4.0).contains(*at)) {
        cursor(&inner, &scale, curves, within(pointer), look);
        answer.pointed = Some(within(pointer));
    }
    answer
}

/// The point of a curve that is nearest to an x.
pub(crate) fn nearest(points: &[(f64, f64)], x: f64) -> Option<(f64, f64)> {
    let after = points.partition_point(|point| point.0 < x);
    let around = [after.checked_sub(1).and_then(|before| points.get(before)), points.get(after)];
    around.into_iter().flatten().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())).copied()
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |bounds, value| {
        Some(bounds.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value))))
    })
}

/// The ranges of the axes. Curves behind the others do not widen the x axis, unless there are only those.
fn scale(curves: &[Curve], choices: &Choices, whole: bool) -> Option<Scale> {
    let log = choices.log.unwrap_or_else(|| spans_decades(curves));
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let front = bounds(curves.iter().filter(|c| !c.faint).flat_map(|c| &c.points).map(|(x, _)| *x));
    let (mut from, mut to) = choices.part.or(front).or_else(|| bounds(all().map(|(x, _)| *x)))?;
    if to <= from {
        let room = if whole { 0.5 } else { 0.5 * from.abs().max(1e-6) };
        (from, to) = (from - room, to + room);
    }
    let inside = all().filter(|(x, y)| (from..=to).contains(x) && !(log && *y <= 0.0)).map(|(_, y)| *y);
    let (low, high) = bounds(inside).unwrap_or(if log { (0.1, 1.0) } else { (0.0, 1.0) });
    let (low, high) = if log { (low.log10(), high.log10()) } else { (low, high) };
    let room = match high - low {
        spread if spread > 1e-7 * high.abs().max(low.abs()) => 0.05 * spread,
        _ if log => 0.1,
        _ if high == 0.0 => 1.0,
        _ => 0.1 * high.abs(),
    };
    let y = choices.values.unwrap_or((low - room, high + room));
    Some(Scale { rect: Rect::NOTHING, x: (from, to), y, log })
}

fn ticks_of_y(scale: &Scale) -> Vec<(f64, String)> {
    let count = f64::from(scale.rect.height() / TICK.y);
    let (low, high) = if scale.log { (10f64.powf(scale.y.0), 10f64.powf(scale.y.1)) } else { scale.y };
    if scale.log
        && let Some(ticks) = ticks::decades(low, high, count)
    {
        return ticks.into_iter().map(|tick| (tick, ticks::label(tick, tick))).collect();
    }
    let (ticks, step) = ticks::linear(low, high, count, 0.0);
    ticks.into_iter().map(|tick| (tick, ticks::label(tick, step))).collect()
}

fn axes(painter: &egui::Painter, scale: &Scale, rows: &[(f64, String)], labels: &Labels<'_>, look: &Look) {
    let (rect, font) = (scale.rect, FontId::monospace(FONT));
    let line = Stroke::new(1.0, look.line.gamma_multiply(0.7));
    for (tick, text) in rows {
        let y = scale.y(*tick);
        painter.hline(rect.x_range(), y, line);
        painter.text(pos2(rect.left() - 5.0, y), Align2::RIGHT_CENTER, text, font.clone(), look.dim);
    }
    let count = f64::from(rect.width() / TICK.x);
    let (columns, step) = ticks::linear(scale.x.0, scale.x.1, count, if labels.whole { 1.0 } else { 0.0 });
    let title = painter.layout_no_wrap(labels.x.into(), FontId::proportional(11.0), look.faint);
    let end = rect.right() - title.size().x - 6.0;
    for tick in columns {
        let x = scale.x(tick);
        painter.vline(x, rect.y_range(), line);
        if x < end - 0.5 * TICK.x {
            let at = pos2(x, rect.bottom() + 3.0);
            painter.text(at, Align2::CENTER_TOP, ticks::label(tick, step), font.clone(), look.dim);
        }
    }
    painter.galley(pos2(rect.right() - title.size().x, rect.bottom() + 2.0), title, look.faint);
    let at = pos2(rect.right(), rect.top() - 1.0);
    painter.text(at, Align2::RIGHT_BOTTOM, labels.y, FontId::proportional(11.0), look.faint);
    for (x, text) in &labels.marks {
        let x = scale.x(*x);
        if rect.x_range().contains(x) {
            let dashes = Shape::dashed_line(
                &[pos2(x, rect.top()), pos2(x, rect.bottom())],
                Stroke::new(1.0, look.warning.gamma_multiply(0.7)),
                4.0,
                3.0,
            );
            painter.extend(dashes);
            let align = if x > rect.right() - 60.0 { Align2::RIGHT_BOTTOM } else { Align2::LEFT_BOTTOM };
            painter.text(pos2(x, rect.top() - 2.0), align, text, FontId::proportional(11.0), look.warning);
        }
    }
}

/// Draws a curve with gaps where it has no value. Of many points within a pixel's width the extremes are drawn.
fn draw(painter: &egui::Painter, scale: &Scale, curve: &Curve) {
    let stroke = Stroke::new(if curve.faint { 1.0 } else { 1.5 }, curve.color);
    for run in curve.points.split(|(_, y)| !scale.shows(*y)) {
        // The line goes on to the points beyond the borders.
        let first = run.partition_point(|(x, _)| *x < scale.x.0).saturating_sub(1);
        let last = run.partition_point(|(x, _)| *x <= scale.x.1).saturating_add(1).min(run.len());
        let inside = run.get(first..last).unwrap_or_default();
        let points: Vec<Pos2> = inside.iter().map(|(x, y)| pos2(scale.x(*x), scale.y(*y))).collect();
        match thinned(points).as_slice() {
            [] => {}
            [one] => drop(painter.circle_filled(*one, 2.0, stroke.color)),
            points => drop(painter.add(Shape::line(points.to_vec(), stroke))),
        }
    }
}

/// At most four points for each pixel along x: the first, the extremes, the last.
fn thinned(points: Vec<Pos2>) -> Vec<Pos2> {
    let mut thin: Vec<Pos2> = Vec::new();
    for column in points.chunk_by(|a, b| a.x.floor() == b.x.floor()) {
        match column {
            [first, .., last] if column.len() > 4 => {
                let by_y = |a: &&Pos2, b: &&Pos2| a.y.total_cmp(&b.y);
                let extremes = [column.iter().min_by(by_y), column.iter().max_by(by_y)];
                thin.push(*first);
                thin.extend(extremes.into_iter().flatten());
                thin.push(*last);
            }
            few => thin.extend(few),
        }
    }
    thin
}

/// Dragging chooses a part of the x axis, a double-click all of it.
fn drag(
    painter: &egui::Painter,
    scale: &Scale,
    response: &egui::Response,
    choices: &mut Choices,
    ui: &Ui,
    look: &Look,
) {
    if response.double_clicked() {
        choices.part = None;
    }
    let ends = ui.input(|input| input.pointer.press_origin()).zip(response.interact_pointer_pos());
    let Some((start, now)) = ends.filter(|_| response.dragged() || response.drag_stopped()) else { return };
    let (left, right) = (start.x.min(now.x).max(scale.rect.left()), start.x.max(now.x).min(scale.rect.right()));
    if right - left < 3.0 {
        return;
    }
    if response.drag_stopped() {
        choices.part = Some((scale.value_at(left), scale.value_at(right)));
    } else {
        let chosen = Rect::from_x_y_ranges(left..=right, scale.rect.y_range());
        painter.rect_filled(chosen, 0.0, look.accent.gamma_multiply(0.2));
    }
}

/// The wheel zooms at the pointer, the middle button and scrolling to the side pan, and a double-click shows all. Beside the value axis
/// the same is done with the values.
fn travel(ui: &Ui, scale: &Scale, response: &egui::Response, curves: &[Curve], choices: &mut Choices) {
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    let pressed = ui.input(|input| input.pointer.press_origin().filter(|_| input.pointer.any_down()));
    if pressed.or(pointer).is_some_and(|at| at.x < scale.rect.left()) {
        travel_values(ui, scale, response, choices);
        return;
    }
    if response.double_clicked() {
        (choices.part, choices.values) = (None, None);
        return;
    }
    let (from, to) = scale.x;
    let mut pixels = if response.dragged_by(PointerButton::Middle) { -response.drag_delta().x } else { 0.0 };
    let mut factor = 1.0;
    let mut at = from;
    if let Some(pointer) = response.hover_pos() {
        let (scroll, pinch) =
            ui.input_mut(|input| (std::mem::take(&mut input.smooth_scroll_delta), input.zoom_delta()));
        factor = f64::from((-0.005 * scroll.y).exp() / pinch);
        pixels -= scroll.x;
        at = scale.value_at(pointer.x);
    }
    let moved = f64::from(pixels / scale.rect.width()) * (to - from);
    if factor != 1.0 || moved != 0.0 {
        let all = bounds(curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| *x));
        choices.part = all.and_then(|all| part(all, (from, to), at, factor, moved));
    }
}

/// The wheel zooms the values at the pointer, a drag pans them, and a double-click fits them to the curves.
fn travel_values(ui: &Ui, scale: &Scale, response: &egui::Response, choices: &mut Choices) {
    if response.double_clicked() {
        choices.values = None;
        return;
    }
    let (low, high) = scale.y;
    let spread = high - low;
    let moved = f64::from(response.drag_delta().y / scale.rect.height()) * spread;
    let mut range = (low + moved, high + moved);
    if let Some(pointer) = response.hover_pos() {
        let scroll = ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta));
        let at = low + f64::from((scale.rect.bottom() - pointer.y) / scale.rect.height()) * spread;
        range = zoomed(range, at, f64::from((-0.005 * scroll.y).exp()));
    }
    if range != scale.y && range.1 > range.0 {
        choices.values = Some(range);
    }
}

/// A range scaled around a place.
fn zoomed((low, high): (f64, f64), at: f64, factor: f64) -> (f64, f64) {
    if factor == 1.0 { (low, high) } else { (at - (at - low) * factor, at + (high - at) * factor) }
}

/// The part of the x axis after a range was scaled around a place and moved: within all, and at least three points of it. `None` where
/// it is all.
fn part(all: (f64, f64), (from, to): (f64, f64), at: f64, factor: f64, moved: f64) -> Option<(f64, f64)> {
    let (range, whole) = (((to - from) * factor).max(2.0), all.1 - all.0);
    if range >= whole {
        return None;
    }
    let scaled = range / (to - from);
    let first = (at - (at - from) * scaled + moved).clamp(all.0, all.1 - range);
    Some((first, first + range))
}

/// A line at the pointer, and the points of the curves there.
fn cursor(painter: &egui::Painter, scale: &Scale, curves: &[Curve], at: f64, look: &Look) {
    let front = curves.iter().filter(|curve| !curve.faint);
    let points: Vec<_> = front.filter_map(|curve| Some((nearest(&curve.points, at)?, curve.color))).collect();
    let x = points.first().map_or(at, |((x, _), _)| *x);
    painter.vline(scale.x(x), scale.rect.y_range(), Stroke::new(1.0, look.faint));
    for ((x, y), color) in points {
        if scale.shows(y) {
            painter.circle_filled(pos2(scale.x(x), scale.y(y)), 3.0, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(faint: bool, points: &[(f64, f64)]) -> Curve {
        Curve { color: Color32::WHITE, faint, points: points.to_vec() }
    }

    #[test]
    fn the_scale_follows_the_values_and_the_part_on_show() {
        let choices = Choices::default();
        let two = [curve(false, &[(1.0, 2.0), (3.0, 4.0), (5.0, f64::NAN)]), curve(true, &[(2.0, 10.0), (9.0, 99.0)])];
        let wide = scale(&two, &choices, true).unwrap();
        assert_eq!((wide.x, wide.log), ((1.0, 5.0), false), "the run before does not widen it");
        assert_eq!(wide.y, (2.0 - 0.4, 10.0 + 0.4));
        let part = Choices { part: Some((2.5, 4.0)), ..Choices::default() };
        let narrow = scale(&two, &part, true).unwrap();
        assert_eq!((narrow.x, narrow.y), ((2.5, 4.0), (3.6, 4.4)), "one value has room around it");
        assert!(scale(&[], &choices, true).is_none());
        let chosen = Choices { values: Some((3.0, 3.5)), ..part };
        assert_eq!(scale(&two, &chosen, true).unwrap().y, (3.0, 3.5), "until they are fitted again");
        assert_eq!(zoomed((2.0, 6.0), 3.0, 0.5), (2.5, 4.5), "the value under the pointer stays there");
    }

    #[test]
    fn decades_are_for_what_is_above_zero_and_spans_some() {
        let log = |points: &[(f64, f64)]| spans_decades(&[curve(false, points)]);
        assert!(log(&[(0.0, 1.0), (1.0, 1e-4), (2.0, f64::INFINITY)]));
        assert!(!log(&[(0.0, 1.0), (1.0, 0.5)]) && !log(&[(0.0, 1.0), (1.0, 0.0)]) && !log(&[]));
        let choices = Choices { log: Some(true), ..Choices::default() };
        let some = scale(&[curve(false, &[(0.0, -1.0), (1.0, 0.01), (2.0, 1.0)])], &choices, false).unwrap();
        assert_eq!(some.y, (-2.1, 0.1), "a logarithmic scale leaves out what is not above zero");
    }

    #[test]
    fn a_zoom_keeps_the_place_under_the_pointer_and_stays_within_the_curves() {
        let all = (0.0, 100.0);
        assert_eq!(part(all, all, 25.0, 0.5, 0.0), Some((12.5, 62.5)));
        assert_eq!(part(all, (12.5, 62.5), 25.0, 2.0, 0.0), None, "all of it");
        assert_eq!(part(all, (40.0, 60.0), 50.0, 1.0, 90.0), Some((80.0, 100.0)));
        assert_eq!(part(all, (40.0, 60.0), 50.0, 1.0, -90.0), Some((0.0, 20.0)));
        assert_eq!(part(all, (40.0, 60.0), 50.0, 1e-9, 0.0), Some((49.0, 51.0)));
        assert_eq!(part((1.0, 2.0), (1.0, 2.0), 1.5, 0.5, 0.0), None, "there is nothing to zoom into");
    }

    #[test]
    fn no_extreme_is_lost_where_points_are_dense() {
        let points: Vec<Pos2> = (0..1000).map(|i| pos2(i as f32 / 100.0, if i == 777 { 50.0 } else { 1.0 })).collect();
        let thin = thinned(points);
        assert!(thin.len() <= 40 && thin.iter().any(|p| p.y == 50.0), "{}", thin.len());
        assert_eq!(nearest(&[(1.0, 7.0), (2.0, 8.0)], 1.6), Some((2.0, 8.0)));
    }
}
