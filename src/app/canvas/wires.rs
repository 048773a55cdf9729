//! Wires and the background grid, painted before the nodes so that they lie below.

use eframe::egui::emath::GuiRounding;
use eframe::egui::epaint::CubicBezierShape;
use eframe::egui::{Color32, Mesh, Pos2, Rect, Shape, Stroke, Ui, Vec2, pos2, vec2};

use super::view::End;
use crate::app::theme;
use crate::document::Link;
use crate::edit::InputEnd;

/// Spacing of the grid at zoom 1 \[points\].
const GRID: f32 = 24.0;
/// How near the pointer has to be to a wire \[points\].
pub(super) const NEAR: f32 = 7.0;
/// Line segments that approximate a curve for hit tests.
const PIECES: usize = 24;
/// Maximum number of segments for small wires, and the length of a segment \[points\].
const SMALL: usize = 8;
const PIECE: f32 = 8.0;

/// A wire as it was drawn.
#[derive(Clone, Debug)]
pub(super) struct WireShape {
    pub from: Link,
    pub to: InputEnd,
    /// The output that it starts at, with the whole path of the node.
    pub path: String,
    curve: [Pos2; 4],
    pub color: Color32,
    /// It ends at a selected node.
    pub chosen: bool,
    /// A view shows it, or a dragged node would be inserted into it.
    pub lit: bool,
    /// Its value is not computed: one of its ends is muted.
    pub idle: bool,
}

impl WireShape {
    pub(super) fn new(from: Link, to: InputEnd, path: String, color: Color32) -> WireShape {
        WireShape { from, to, path, curve: [Pos2::ZERO; 4], color, chosen: false, lit: false, idle: false }
    }

    /// Lays it between two ports.
    pub(super) fn lay(&mut self, from: Pos2, to: Pos2, zoom: f32) {
        self.curve = course(from, to, zoom);
    }

    fn at(&self, t: f32) -> Pos2 {
        let [a, b, c, d] = self.curve.map(|p| p.to_vec2());
        let s = 1.0 - t;
        (a * (s * s * s) + b * (3.0 * s * s * t) + c * (3.0 * s * t * t) + d * (t * t * t)).to_pos2()
    }

    fn pieces(&self) -> impl Iterator<Item = (Pos2, Pos2)> + '_ {
        let at = |piece: usize| self.at(piece as f32 / PIECES as f32);
        (0..PIECES).map(move |piece| (at(piece), at(piece + 1)))
    }

    /// The distance of a point, if that is near.
    pub(super) fn near(&self, point: Pos2) -> Option<f32> {
        let bounds = Rect::from_points(&self.curve).expand(NEAR);
        if !bounds.contains(point) {
            return None;
        }
        let distance = self.pieces().map(|(a, b)| to_segment(point, a, b)).fold(f32::MAX, f32::min);
        (distance < NEAR).then_some(distance)
    }

    /// Where a stroke of the pointer crosses it.
    pub(super) fn crossed(&self, path: &[Pos2]) -> Option<Pos2> {
        self.pieces().find_map(|(a, b)| path.windows(2).find_map(|step| crossing(a, b, step[0], step[1])))
    }

    /// Whether it runs from right to left, as to the next value of a State.
    pub(super) fn back(&self) -> bool {
        self.curve[0].x > self.curve[3].x
    }

    fn shape(&self, zoom: f32) -> Shape {
        let strength = if self.chosen || self.lit { 1.0 } else { [0.75, 0.45][usize::from(self.back())] };
        let strength = if self.idle { 0.5 * strength } else { strength };
        let width = (if self.chosen || self.lit { 2.8 } else { 1.8 }) * zoom.clamp(0.5, 1.4);
        let stroke = Stroke::new(width, self.color.gamma_multiply(strength));
        if zoom < super::view::NAMES {
            // At this size a few line segments look the same and cost a fraction.
            let length = self.curve[0].distance(self.curve[3]);
            let pieces = ((length / PIECE).ceil() as usize).clamp(3, SMALL);
            let points = (0..=pieces).map(|piece| self.at(piece as f32 / pieces as f32)).collect();
            return Shape::line(points, stroke);
        }
        CubicBezierShape::from_points_stroke(self.curve, false, Color32::TRANSPARENT, stroke).into()
    }
}

/// The background grid, which moves and scales with the nodes.
pub(super) fn grid(ui: &Ui, rect: Rect, pan: Vec2, zoom: f32) {
    let look = theme::of(ui);
    ui.painter().rect_filled(rect, 0.0, look.canvas);
    // When zoomed out, every second dot is dropped.
    let step = GRID * zoom * if zoom < 0.7 { 2.0 } else { 1.0 } * if zoom < 0.35 { 2.0 } else { 1.0 };
    let first = vec2(pan.x.rem_euclid(step), pan.y.rem_euclid(step));
    // There are thousands of dots, so they are one mesh of whole pixels without antialiasing.
    let mut dots = Mesh::default();
    let size = (2.0 * ui.pixels_per_point()).round() / ui.pixels_per_point();
    let count = ((rect.size() - first) / step).ceil();
    for row in 0..count.y as usize {
        for column in 0..count.x as usize {
            let middle = rect.min + first + vec2(column as f32, row as f32) * step;
            let corner = (middle - Vec2::splat(0.5 * size)).round_to_pixels(ui.pixels_per_point());
            dots.add_colored_rect(Rect::from_min_size(corner, Vec2::splat(size)), look.canvas_dot);
        }
    }
    ui.painter().add(dots);
}

/// All wires in view. Highlighted ones lie above the others.
pub(super) fn shape(wires: &[WireShape], view: Rect, zoom: f32) -> Shape {
    let seen = |wire: &&WireShape| Rect::from_points(&wire.curve).expand(3.0).intersects(view);
    let (above, below): (Vec<&WireShape>, Vec<&WireShape>) =
        wires.iter().filter(seen).partition(|wire| wire.chosen || wire.lit);
    Shape::Vec(below.into_iter().chain(above).map(|wire| wire.shape(zoom)).collect())
}

/// The dragged wire: from a port to the pointer.
pub(super) fn in_hand(port: Pos2, end: End, pointer: Pos2, zoom: f32, color: Color32) -> Shape {
    let (from, to) = if end == End::Output { (port, pointer) } else { (pointer, port) };
    let stroke = Stroke::new(2.6 * zoom.clamp(0.5, 1.4), color);
    CubicBezierShape::from_points_stroke(course(from, to, zoom), false, Color32::TRANSPARENT, stroke).into()
}

/// From a number to a node whose expressions name it.
pub(super) fn mention(from: Pos2, to: Pos2, zoom: f32, color: Color32) -> Shape {
    let curve = CubicBezierShape::from_points_stroke(course(from, to, zoom), false, Color32::TRANSPARENT, Stroke::NONE);
    let stroke = Stroke::new(1.2 * zoom.clamp(0.5, 1.4), color);
    Shape::Vec(Shape::dashed_line(&curve.flatten(Some(1.0)), stroke, 4.0, 4.0))
}

fn course(from: Pos2, to: Pos2, zoom: f32) -> [Pos2; 4] {
    let reach = (0.5 * (to.x - from.x).abs()).clamp(30.0 * zoom, 180.0 * zoom);
    [from, pos2(from.x + reach, from.y), pos2(to.x - reach, to.y), to]
}

fn to_segment(point: Pos2, a: Pos2, b: Pos2) -> f32 {
    let (along, off) = (b - a, point - a);
    let t = if along.length_sq() > 0.0 { (off.dot(along) / along.length_sq()).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + along * t)
}

/// Where two segments cross.
fn crossing(a: Pos2, b: Pos2, c: Pos2, d: Pos2) -> Option<Pos2> {
    let (r, s, q) = (b - a, d - c, c - a);
    let cross = |u: Vec2, v: Vec2| u.x * v.y - u.y * v.x;
    let area = cross(r, s);
    if area == 0.0 {
        return None;
    }
    let (t, u) = (cross(q, s) / area, cross(q, r) / area);
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u)).then(|| a + r * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire() -> WireShape {
        let to = InputEnd { node: "b".into(), port: "x".into() };
        let mut wire = WireShape::new(Link::parse("a"), to, "a".into(), Color32::WHITE);
        wire.lay(pos2(0.0, 0.0), pos2(200.0, 100.0), 1.0);
        wire
    }

    #[test]
    fn a_wire_is_hit_on_its_course_and_not_beside_it() {
        let wire = wire();
        for t in [0.0, 0.3, 0.5, 0.9, 1.0] {
            assert!(wire.near(wire.at(t)).is_some_and(|d| d < 0.5));
        }
        assert_eq!(wire.near(pos2(100.0, 50.0) + Vec2::new(0.0, 2.0 * NEAR + 20.0)), None);
        assert_eq!(wire.near(pos2(-50.0, 0.0)), None);
    }

    #[test]
    fn a_stroke_across_a_wire_crosses_it_once() {
        let stroke = [pos2(100.0, -20.0), pos2(100.0, 40.0), pos2(100.0, 140.0)];
        let at = wire().crossed(&stroke).unwrap();
        assert!(at.distance(pos2(100.0, 50.0)) < 1.0, "{at:?}");
        assert_eq!(wire().crossed(&[pos2(0.0, 90.0), pos2(40.0, 90.0)]), None);
        assert_eq!(wire().crossed(&[pos2(0.0, 90.0)]), None);
    }
}
