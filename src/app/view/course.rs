//! A plot of a number over the last frames, such as a residual or a volume.

use std::collections::VecDeque;

use eframe::egui::{self, Align2, FontId, Pos2, Sense, Shape, Stroke, Ui, pos2, vec2};

use crate::app::theme;

/// The number of frames in the plot.
const FRAMES: usize = 400;
/// Height of the plot \[points\].
const HEIGHT: f32 = 72.0;
/// Positive values whose maximum is this many times the minimum are shown on a logarithmic scale.
const DECADES: f64 = 30.0;

/// A number's last values, one per frame.
#[derive(Default)]
pub(super) struct Course {
    values: VecDeque<(u64, f64)>,
}

impl Course {
    /// Adds the value of a frame. An earlier frame than the last one means a restart.
    pub(super) fn push(&mut self, frame: u64, value: f64) {
        match self.values.back().map(|(last, _)| *last) {
            Some(last) if last == frame => drop(self.values.pop_back()),
            Some(last) if last > frame => self.values.clear(),
            _ => {}
        }
        self.values.push_back((frame, value));
        if self.values.len() > FRAMES {
            self.values.pop_front();
        }
    }

    /// Minimum and maximum of the finite values, and whether to use a logarithmic scale: all values are positive and span
    /// some decades.
    fn range(&self) -> Option<(f64, f64, bool)> {
        let finite = || self.values.iter().map(|(_, value)| *value).filter(|value| value.is_finite());
        let (low, high) = (finite().reduce(f64::min)?, finite().reduce(f64::max)?);
        Some((low, high, low > 0.0 && high > DECADES * low))
    }

    /// Draws it, the latest frame at the right.
    pub(super) fn show(&self, ui: &mut Ui) {
        let Some((low, high, decades)) = self.range() else { return };
        let look = theme::of(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        let scale = if decades { "decades" } else { "linear" };
        let name = format!("History of {} frames, {scale}", self.values.len());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, &name));
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 3.0, look.field);
        let inner = rect.shrink2(vec2(4.0, 12.0));
        let of = |value: f64| if decades { value.log10() } else { value };
        let (bottom, top) = (of(low), of(high));
        let last = self.values.back().map_or(0, |(frame, _)| *frame);
        let place = |(frame, value): (u64, f64)| {
            let share = if top > bottom { (of(value) - bottom) / (top - bottom) } else { 0.5 };
            let back = last.saturating_sub(frame) as f32 / FRAMES as f32;
            pos2(inner.right() - back * inner.width(), inner.bottom() - share as f32 * inner.height())
        };
        if decades {
            for decade in bottom.ceil() as i32..=top.floor() as i32 {
                let y = place((last, 10f64.powi(decade))).y;
                painter.hline(inner.x_range(), y, Stroke::new(0.5, look.faint.gamma_multiply(0.5)));
            }
        }
        // There are gaps where it was not finite.
        for run in self.runs() {
            let points: Vec<Pos2> = run.into_iter().map(place).collect();
            match points.as_slice() {
                [one] => drop(painter.circle_filled(*one, 1.5, look.accent)),
                _ => drop(painter.add(Shape::line(points, Stroke::new(1.5, look.accent)))),
            }
        }
        for (value, at, align) in [
            (high, rect.left_top() + vec2(3.0, 1.0), Align2::LEFT_TOP),
            (low, rect.left_bottom() + vec2(3.0, -1.0), Align2::LEFT_BOTTOM),
        ] {
            painter.text(at, align, number(value), FontId::monospace(9.5), look.faint);
        }
        response.on_hover_text(format!("History of the last {} frames", self.values.len()));
    }

    /// Runs of consecutive finite values.
    fn runs(&self) -> Vec<Vec<(u64, f64)>> {
        let mut runs = vec![Vec::new()];
        for value in &self.values {
            match (value.1.is_finite(), runs.last_mut()) {
                (true, Some(run)) => run.push(*value),
                _ => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }
}

/// A number with enough digits to distinguish values.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) { format!("{value:.3e}") } else { format!("{value:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(values: &[f64]) -> Course {
        let mut course = Course::default();
        values.iter().enumerate().for_each(|(frame, value)| course.push(frame as u64, *value));
        course
    }

    #[test]
    fn a_course_keeps_the_last_frames_and_begins_anew_with_the_simulation() {
        let mut long = course(&vec![1.0; FRAMES + 50]);
        assert_eq!((long.values.len(), long.values.front()), (FRAMES, Some(&(50, 1.0))));
        long.push(FRAMES as u64 + 49, 2.0);
        assert_eq!((long.values.len(), long.values.back().map(|v| v.1)), (FRAMES, Some(2.0)), "a frame has one value");
        long.push(0, 3.0);
        assert_eq!(long.values, [(0, 3.0)]);
    }

    #[test]
    fn decades_are_for_what_is_above_zero_and_spans_some() {
        assert_eq!(course(&[1.0, 1e-4, f64::INFINITY]).range(), Some((1e-4, 1.0, true)));
        assert_eq!(course(&[1.0, 0.5]).range(), Some((0.5, 1.0, false)));
        assert_eq!(course(&[1.0, 0.0, -2.0]).range(), Some((-2.0, 1.0, false)));
        assert_eq!(course(&[f64::NAN]).range(), None);
    }

    #[test]
    fn what_is_no_number_leaves_a_gap() {
        let runs = course(&[1.0, 2.0, f64::NAN, 3.0]).runs();
        assert_eq!(runs, [vec![(0, 1.0), (1, 2.0)], vec![(3, 3.0)]]);
    }
}
