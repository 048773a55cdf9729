//! Nodes that are dragged snap to other nodes: their edges and middles line up. Lines show what they line up with. Alt turns it off.

use eframe::egui::{Pos2, Rect, Shape, Stroke, Ui, Vec2, pos2};

use super::gesture_state::Guide;
use super::state::Canvas;
use crate::model::session::Session;
use crate::toolkit::theme::Look;

/// How near lines have to be to snap \[points of the window\].
const REACH: f32 = 6.0;
/// What lines that line up may differ by \[points of the document\].
const SAME: f32 = 0.05;
/// How far a guide reaches beyond what it joins \[points of the document\].
const BEYOND: f32 = 12.0;

/// The lines of an area across an axis: its edges and its middle.
fn lines(area: Rect, upright: bool) -> [f32; 3] {
    if upright { [area.left(), area.center().x, area.right()] } else { [area.top(), area.center().y, area.bottom()] }
}

/// How far `moving` has to go so that it lines up with others that are not further away than `reach`, to each axis by itself.
fn snapped(moving: Rect, others: &[Rect], reach: f32) -> Vec2 {
    let nearest = |upright: bool| {
        let moving_lines = lines(moving, upright);
        let apart = others.iter().flat_map(|other| {
            let away = other.distance_to_pos(moving.center());
            moving_lines.into_iter().zip(lines(*other, upright)).map(move |(from, to)| (to - from, away))
        });
        let near = apart.filter(|(by, _)| by.abs() <= reach);
        // Of lines at the same distance, that of the nearest node.
        near.min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()).then(a.1.total_cmp(&b.1))).map_or(0.0, |(by, _)| by)
    };
    Vec2::new(nearest(true), nearest(false))
}

/// The lines that `moving` shares with others. Where both edges line up, so does the middle, which then has none.
fn guides(moving: Rect, others: &[Rect]) -> Vec<Guide> {
    let mut guides: Vec<Guide> = Vec::new();
    for upright in [true, false] {
        for other in others {
            let pairs = lines(moving, upright).into_iter().zip(lines(*other, upright));
            let same: Vec<f32> = pairs.filter(|(a, b)| (a - b).abs() < SAME).map(|(_, line)| line).collect();
            let both = moving.union(*other).expand(BEYOND);
            for (_, at) in same.iter().enumerate().filter(|(index, _)| same.len() < 3 || index % 2 == 0) {
                guides.push(match upright {
                    true => [pos2(*at, both.top()), pos2(*at, both.bottom())],
                    false => [pos2(both.left(), *at), pos2(both.right(), *at)],
                });
            }
        }
    }
    guides
}

impl Canvas {
    /// How far dragged nodes, whose area is `moving` \[points of the document\], go to line up with others in view.
    pub(super) fn snap(&mut self, ui: &Ui, session: &Session, moving: Rect) -> Vec2 {
        self.gesture.guides.clear();
        if ui.input(|input| input.modifiers.alt) {
            return Vec2::ZERO;
        }
        let still = self.level.signatures.keys().filter(|name| !session.selection.contains(name));
        let seen =
            still.filter(|name| self.window_area(session, name).is_some_and(|area| area.intersects(self.view.rect)));
        let others: Vec<Rect> = seen.filter_map(|name| self.area(session, name)).collect();
        let by = snapped(moving, &others, REACH / self.view.zoom);
        self.gesture.guides = guides(moving.translate(by), &others);
        by
    }

    /// The lines that dragged nodes have snapped to.
    pub(super) fn guide_shapes(&self, look: &Look) -> Shape {
        let to_window = |at: Pos2| self.view.rect.min + self.view.pan + at.to_vec2() * self.view.zoom;
        let line = |guide: &Guide| Shape::line_segment(guide.map(to_window), Stroke::new(1.0, look.accent));
        Shape::Vec(self.gesture.guides.iter().map(line).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::vec2;

    fn area(x: f32, y: f32, high: f32) -> Rect {
        Rect::from_min_size(pos2(x, y), vec2(200.0, high))
    }

    #[test]
    fn edges_and_middles_snap_within_reach_and_axes_are_independent() {
        let others = [area(0.0, 0.0, 100.0), area(400.0, 300.0, 60.0)];
        // The left edge is near that of the first, and the top near that of the second.
        assert_eq!(snapped(area(4.0, 296.0, 80.0), &others, 6.0), vec2(-4.0, 4.0));
        assert_eq!(snapped(area(7.0, 170.0, 80.0), &others, 6.0), Vec2::ZERO, "out of reach");
        // Middles: 300 + 30 = 293 + 40 - 3.
        assert_eq!(snapped(area(700.0, 293.0, 80.0), &others, 6.0), vec2(0.0, -3.0));
        assert_eq!(snapped(area(700.0, 293.0, 80.0), &[], 6.0), Vec2::ZERO);
    }

    #[test]
    fn a_guide_joins_what_lines_up() {
        let guides = guides(area(0.0, 200.0, 80.0), &[area(0.0, 0.0, 100.0), area(500.0, 500.0, 80.0)]);
        let ends = |x: f32| [pos2(x, -BEYOND), pos2(x, 280.0 + BEYOND)];
        assert_eq!(guides, [ends(0.0), ends(200.0)]);
    }
}
