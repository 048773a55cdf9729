//! Draws the curves.

use eframe::egui::epaint::Hsva;
use eframe::egui::{Align2, Color32, CornerRadius, FontId, Painter, Pos2, Rect, Stroke, Ui, pos2, vec2};

use super::plot::{Plot, REACH, RULER};
use super::state::{CurvePane, Hit};
use super::track::{Kind, Spot, Track};
use crate::panes::inspector::keys::diamond;
use crate::panes::view::ticks;
use crate::toolkit::theme::{self, Look};

/// Points between two samples of a curve.
const SAMPLE: f32 = 2.0;

/// The colour of a curve by its place in the list.
pub(super) fn color(index: usize, look: &Look) -> Color32 {
    // Steps of the golden angle keep neighbours apart.
    let hue = (0.08 + index as f32 * 0.618_034).fract();
    let (saturation, value) = if look.dark { (0.78, 0.95) } else { (0.95, 0.6) };
    Hsva::new(hue, saturation, value, 1.0).into()
}

pub(super) fn plot(ui: &Ui, plot: &Plot, pane: &CurvePane, tracks: &[Track], frame: u64, hover: Option<&Hit>) {
    let look = theme::current(ui);
    let painter = ui.painter_at(plot.rect);
    painter.rect_filled(plot.rect, CornerRadius::ZERO, look.field);
    grid(&painter, plot, pane.normalized, look);
    let strip = Rect::from_min_size(plot.rect.min, vec2(plot.rect.width(), RULER));
    painter.rect_filled(strip, CornerRadius::ZERO, look.bar.gamma_multiply(0.7));
    let mut index = 0;
    for track in tracks {
        for part in 0..track.keys.components() {
            let color = color(index, look);
            index += 1;
            if pane.shows(track, part) {
                curve(&painter, plot, (pane, track, part), color);
                points(&painter, plot, pane, track, part, color, look, hover);
            }
        }
    }
    let x = plot.position_of((frame as f64, 0.0)).x;
    painter.vline(x, plot.rect.y_range(), Stroke::new(1.5, look.error));
    let text = painter.layout_no_wrap(frame.to_string(), FontId::proportional(10.0), Color32::WHITE);
    let label = Rect::from_min_size(pos2(x - 0.5 * text.size().x - 4.0, plot.rect.top()), text.size() + vec2(8.0, 2.0));
    painter.rect_filled(label, 2.0, look.error);
    painter.galley(label.min + vec2(4.0, 1.0), text, Color32::WHITE);
    if let Some(area) = pane.drag.as_ref().and_then(|drag| drag.area(ui)) {
        painter.rect_filled(area, 0.0, look.accent.gamma_multiply(0.12));
        painter.rect_stroke(area, 0.0, Stroke::new(1.0, look.accent), eframe::egui::StrokeKind::Inside);
    }
}

fn grid(painter: &Painter, plot: &Plot, normalized: bool, look: &Look) {
    let [(frames, _), (values, step)] = plot.ticks();
    let line = Stroke::new(1.0, look.line.gamma_multiply(0.6));
    let font = FontId::proportional(10.0);
    for value in values {
        let y = plot.position_of((0.0, value)).y;
        let stroke = if value.abs() < 1e-9 * step { Stroke::new(1.0, look.faint) } else { line };
        painter.hline(plot.rect.x_range(), y, stroke);
        if !normalized {
            let at = pos2(plot.rect.left() + 4.0, y - 1.0);
            painter.text(at, Align2::LEFT_BOTTOM, ticks::label(value, step), font.clone(), look.faint);
        }
    }
    for frame in frames {
        let x = plot.position_of((frame, 0.0)).x;
        painter.vline(x, plot.rect.y_range(), line);
        let at = pos2(x + 3.0, plot.rect.bottom() - 2.0);
        painter.text(at, Align2::LEFT_BOTTOM, format!("{frame}"), font.clone(), look.faint);
    }
}

/// The curve, and fainter the values that are held before and after the keys.
fn curve(painter: &Painter, plot: &Plot, (pane, track, part): (&CurvePane, &Track, usize), color: Color32) {
    let place = |frame: f64| plot.position_of((frame, pane.up(track, part, track.keys.component(part, frame))));
    let keys = &track.keys.keys;
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return };
    let (left, right) = plot.sight.frames;
    let (from, to) = (first.frame.max(left), last.frame.min(right));
    if from < to {
        let count = ((plot.position_of((to, 0.0)).x - plot.position_of((from, 0.0)).x) / SAMPLE)
            .ceil()
            .clamp(1.0, 4000.0) as u32;
        let mut frames: Vec<f64> = (0..=count).map(|i| from + (to - from) * f64::from(i) / f64::from(count)).collect();
        // It passes through the keys exactly, and steps are vertical.
        let exact = keys.iter().flat_map(|key| [key.frame - 1e-9 * key.frame.max(1.0), key.frame]);
        frames.extend(exact.filter(|frame| (from..=to).contains(frame)));
        frames.sort_by(f64::total_cmp);
        let points: Vec<Pos2> = frames.into_iter().map(place).collect();
        painter.line(points, Stroke::new(1.8, color));
    }
    let held = Stroke::new(1.0, color.gamma_multiply(0.45));
    if left < first.frame {
        painter.line_segment([place(left), place(first.frame)], held);
    }
    if last.frame < right {
        painter.line_segment([place(last.frame), place(right)], held);
    }
}

#[expect(clippy::too_many_arguments, reason = "all of it is needed at each point")]
fn points(
    painter: &Painter,
    plot: &Plot,
    pane: &CurvePane,
    track: &Track,
    part: usize,
    color: Color32,
    look: &Look,
    hover: Option<&Hit>,
) {
    for (index, key) in track.keys.keys.iter().enumerate() {
        let spot = Spot { value: track.path(), key: index, part };
        let at = plot.position_of((key.frame, pane.up(track, part, key.value.get(part).copied().unwrap_or_default())));
        let chosen = pane.chosen.contains(&spot);
        if chosen {
            for after in [false, true] {
                let Some(end) = handle(plot, pane, track, &spot, after) else { continue };
                let lit = hover == Some(&Hit::Handle(spot.clone(), after));
                let line = if Kind::of(&key.tangent) == Kind::Free { look.text } else { look.faint };
                painter.line_segment([at, end], Stroke::new(1.0, line));
                painter.circle(end, if lit { 5.0 } else { 3.5 }, look.node, Stroke::new(1.2, line));
            }
        }
        let lit = hover == Some(&Hit::Key(spot));
        let (size, line) = (if lit { 6.5 } else { 5.0 }, if chosen { look.bright } else { color });
        painter.add(diamond(at, size, if chosen { color } else { look.field }, line));
    }
}

/// The end of a tangent's handle. None where the curve does not depend on the slope.
pub(super) fn handle(plot: &Plot, pane: &CurvePane, track: &Track, spot: &Spot, after: bool) -> Option<Pos2> {
    let key = track.keys.keys.get(spot.key)?;
    let step = |index: usize| track.keys.keys.get(index).is_some_and(|key| Kind::of(&key.tangent) == Kind::Step);
    let used = match after {
        true => spot.key + 1 < track.keys.keys.len() && !step(spot.key),
        false => spot.key.checked_sub(1).is_some_and(|before| !step(before)),
    };
    let (before, behind) = track.keys.slopes(spot.key, spot.part);
    let at = plot.position_of((key.frame, pane.up(track, spot.part, key.value.get(spot.part).copied()?)));
    let (_, range) = pane.span(track, spot.part);
    let along = plot.direction(if after { behind } else { before } / range) * REACH;
    used.then_some(if after { at + along } else { at - along })
}
