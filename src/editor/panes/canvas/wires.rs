//! Wires and the background grid, painted before the nodes so that they lie below.

use eframe::egui::emath::GuiRounding;
use eframe::egui::{self, Color32, FontId, Mesh, Pos2, Rect, Shape, Stroke, Ui, Vec2, vec2};

use super::view::End;
use crate::document::Link;
use crate::edit::InputEnd;
use crate::model::layout::route::{self, Route};
use crate::toolkit::theme;

/// Spacing of the grid at zoom 1 \[points\].
const GRID: f32 = 24.0;
/// What wires to the next frame are marked with.
const NEXT: &str = "next frame";
/// How near the pointer has to be to a wire \[points\].
pub(super) const NEAR: f32 = 7.0;
/// Distance of the arrows that run along a wire \[points\], and how many distances they run in a second.
const PULSES: f32 = 60.0;
const PULSE_SPEED: f32 = 1.2;

/// A wire as it was drawn.
#[derive(Clone, Debug)]
pub(super) struct WireShape {
    pub from: Link,
    pub to: InputEnd,
    /// The output that it starts at, with the whole path of the node.
    pub path: String,
    /// Where it runs in the window.
    points: Vec<Pos2>,
    /// The middle and the length of its longest level piece, for a caption.
    level: Option<(Pos2, f32)>,
    pub color: Color32,
    /// Whether the wire carries a value to the next frame.
    pub next: bool,
    /// Wires of one output have one number.
    pub net: usize,
    /// Whether the wire ends at a selected node.
    pub chosen: bool,
    /// A view shows it, or a dragged node would be inserted into it.
    pub lit: bool,
    /// The pointer is on it.
    pub hovered: bool,
    /// Whether the wire's value is not computed: one of its ends is muted.
    pub idle: bool,
}

impl WireShape {
    pub(super) fn new(from: Link, to: InputEnd, path: String, color: Color32, next: bool) -> WireShape {
        let (points, level) = (Vec::new(), None);
        let chosen = false;
        let lit = false;
        let hovered = false;
        let idle = false;
        WireShape { from, to, path, points, level, color, next, net: 0, chosen, lit, hovered, idle }
    }

    /// Lays it between two ports in the window. `map` takes the points of its route there.
    pub(super) fn lay(&mut self, from: Pos2, to: Pos2, zoom: f32, route: &Route, map: impl Fn(Pos2) -> Pos2) {
        let path = match route {
            Route::Curve => {
                (self.points, self.level) = (route::curve(from, to, zoom), None);
                return;
            }
            Route::Path(path) => path,
        };
        let mut path: Vec<Pos2> = path.iter().map(|point| map(*point)).collect();
        // The first and the last piece are level with the ports, which may have moved a little.
        for (point, port) in [(0, from), (1, from)] {
            path.get_mut(point).into_iter().for_each(|point| point.y = port.y);
        }
        let last = path.len().saturating_sub(1);
        for point in [last, last.saturating_sub(1)] {
            path.get_mut(point).into_iter().for_each(|point| point.y = to.y);
        }
        path.first_mut().into_iter().for_each(|point| *point = from);
        path.last_mut().into_iter().for_each(|point| *point = to);
        let level = path.windows(2).filter(|piece| piece[0].y == piece[1].y);
        let longest = level.max_by(|a, b| (a[0].x - a[1].x).abs().total_cmp(&(b[0].x - b[1].x).abs()));
        self.level = longest.map(|piece| (piece[0].lerp(piece[1], 0.5), (piece[0].x - piece[1].x).abs()));
        self.points = route::rounded(&path, zoom);
    }

    /// The point so far from its start, as a share of its length, and the direction there.
    fn along(&self, share: f32) -> Option<(Pos2, Vec2)> {
        let length: f32 = self.pieces().map(|(a, b)| a.distance(b)).sum();
        let mut rest = share * length;
        for (a, b) in self.pieces() {
            let piece = a.distance(b);
            if rest <= piece && piece > 0.0 {
                return Some((a.lerp(b, rest / piece), (b - a) / piece));
            }
            rest -= piece;
        }
        None
    }

    fn pieces(&self) -> impl Iterator<Item = (Pos2, Pos2)> + '_ {
        self.points.windows(2).map(|pair| (pair[0], pair[1]))
    }

    fn bounds(&self) -> Rect {
        Rect::from_points(&self.points)
    }

    /// The distance of a point, if that is near.
    pub(super) fn near(&self, point: Pos2) -> Option<f32> {
        if !self.bounds().expand(NEAR).contains(point) {
            return None;
        }
        let distance = self.pieces().map(|(a, b)| to_segment(point, a, b)).fold(f32::MAX, f32::min);
        (distance < NEAR).then_some(distance)
    }

    /// Where a stroke of the pointer crosses it.
    pub(super) fn crossed(&self, path: &[Pos2]) -> Option<Pos2> {
        self.pieces().find_map(|(a, b)| path.windows(2).find_map(|step| route::crossing(a, b, step[0], step[1])))
    }

    fn shape(&self, zoom: f32, canvas: Color32) -> Shape {
        let strong = self.chosen || self.lit || self.hovered;
        let strength = if strong { 1.0 } else { [0.8, 0.6][usize::from(self.next)] };
        let strength = if self.idle { 0.5 * strength } else { strength };
        let width = (if strong { 2.8 } else { 1.8 }) * zoom.clamp(0.5, 1.4);
        let color = canvas.lerp_to_gamma(self.color, strength);
        // A rim in the colour of the ground shows which of two crossing wires lies above.
        let rim = Shape::line(self.points.clone(), Stroke::new(width + 3.0 * zoom.clamp(0.5, 1.4), canvas));
        let wire = Stroke::new(width, color);
        let wire = match self.next {
            false => Shape::line(self.points.clone(), wire),
            true => Shape::Vec(Shape::dashed_line(&self.points, wire, 7.0 * zoom.max(0.5), 3.5 * zoom.max(0.5))),
        };
        if zoom < super::text::PORTS { wire } else { Shape::Vec(vec![rim, wire]) }
    }

    /// Dots that run along it, at a time \[s\].
    fn motion(&self, zoom: f32, time: f64) -> Shape {
        let length: f32 = self.pieces().map(|(a, b)| a.distance(b)).sum();
        let apart = PULSES * zoom.clamp(0.5, 1.4);
        let first = (time * f64::from(PULSE_SPEED)).rem_euclid(1.0) as f32 * apart;
        let count = ((length - first) / apart).max(0.0) as usize;
        let places = (0..=count).filter_map(|dot| self.along((first + dot as f32 * apart) / length));
        let radius = 3.0 * zoom.clamp(0.5, 1.4);
        let color = self.color.lerp_to_gamma(Color32::WHITE, 0.5);
        let dot = |(at, along): (Pos2, Vec2)| {
            let across = along.rot90() * radius;
            let points = vec![at + along * 1.6 * radius, at + across - along * radius, at - across - along * radius];
            Shape::convex_polygon(points, color, Stroke::NONE)
        };
        Shape::Vec(places.map(dot).collect())
    }
}

/// The background grid, which moves and scales with the nodes.
pub(super) fn grid(ui: &Ui, rect: Rect, pan: Vec2, zoom: f32) {
    let look = theme::current(ui);
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

/// All wires in view. Highlighted ones lie above the others, and show their direction at a time \[s\].
pub(super) fn shape(wires: &[WireShape], view: Rect, zoom: f32, canvas: Color32, time: f64) -> Shape {
    let seen = |wire: &&WireShape| wire.bounds().expand(3.0).intersects(view);
    let (above, below): (Vec<&WireShape>, Vec<&WireShape>) =
        wires.iter().filter(seen).partition(|wire| wire.chosen || wire.lit || wire.hovered);
    let moving: Vec<Shape> = above.iter().filter(|wire| wire.moves()).map(|wire| wire.motion(zoom, time)).collect();
    Shape::Vec(below.into_iter().chain(above).map(|wire| wire.shape(zoom, canvas)).chain(moving).collect())
}

/// Captions of wires that carry a value to the next frame: one for those that run beside each other, above them.
pub(super) fn captions(ui: &Ui, wires: &[WireShape], nodes: &[Rect], view: Rect, zoom: f32) -> Shape {
    let look = theme::current(ui);
    let font = FontId::proportional(super::text::text_size(10.0, zoom));
    let text = ui.painter().layout_no_wrap(NEXT.into(), font, look.dim);
    let near = text.size().y + 2.0;
    let seen = wires.iter().filter(|wire| wire.next && wire.bounds().intersects(view));
    let mut pieces: Vec<Rect> = seen
        .filter_map(|wire| wire.level.map(|(middle, length)| Rect::from_center_size(middle, vec2(length, 0.0))))
        .filter(|piece| piece.width() > text.size().x + 16.0)
        .collect();
    pieces.sort_by(|a, b| a.top().total_cmp(&b.top()));
    let mut bundles: Vec<Rect> = Vec::new();
    for piece in pieces {
        let beside = |bundle: &&mut Rect| bundle.expand2(vec2(0.0, near)).intersects(piece);
        match bundles.iter_mut().find(beside) {
            // The caption is above what all of them have in common.
            Some(bundle) => {
                let common = bundle.x_range().intersection(piece.x_range());
                *bundle = Rect::from_x_y_ranges(common, bundle.top()..=piece.bottom());
            }
            None => bundles.push(piece),
        }
    }
    let size = text.size();
    let shapes = bundles.into_iter().filter_map(|bundle| {
        // Above, below or on the bundle: not behind a node, and where the fewest wires are.
        let shifts = [0.0, -0.25, 0.25, -0.4, 0.4].map(|share| share * (bundle.width() - size.x));
        let heights = [bundle.top() - 0.5 * size.y - 1.0, bundle.bottom() + 0.5 * size.y + 1.0, bundle.top()];
        let places = heights.into_iter().flat_map(|y| shifts.map(|shift| egui::pos2(bundle.center().x + shift, y)));
        let area = |at: Pos2| Rect::from_center_size(at, size).expand2(vec2(3.0, -1.5));
        let hit = |wire: &&WireShape, area: Rect| wire.pieces().any(|(a, b)| route::touches(area, a, b));
        let covered = |at: &Pos2| nodes.iter().any(|node| node.intersects(Rect::from_center_size(*at, size)));
        let hits =
            |at: &Pos2| wires.iter().filter(|wire| wire.bounds().intersects(area(*at)) && hit(wire, area(*at))).count();
        let at = places.filter(|at| !covered(at)).min_by_key(hits)?;
        let behind = Shape::rect_filled(area(at), 2.0, look.canvas);
        Some([behind, Shape::galley(at - 0.5 * size, text.clone(), look.dim)])
    });
    Shape::Vec(shapes.flatten().collect())
}

/// The dragged wire: from a port to the pointer.
pub(super) fn in_hand(port: Pos2, end: End, pointer: Pos2, zoom: f32, color: Color32) -> Shape {
    let (from, to) = if end == End::Output { (port, pointer) } else { (pointer, port) };
    Shape::line(route::curve(from, to, zoom), Stroke::new(2.6 * zoom.clamp(0.5, 1.4), color))
}

impl WireShape {
    /// Whether the wire's direction is shown: while the wire is selected or hovered, and computed.
    pub(super) fn moves(&self) -> bool {
        (self.chosen || self.hovered) && !self.idle
    }

    /// Shape of the wire while a node would be inserted into it.
    pub(super) fn target(&self, zoom: f32, color: Color32) -> Shape {
        Shape::line(self.points.clone(), Stroke::new(5.0 * zoom.clamp(0.5, 1.4), color))
    }

    /// Shape of the wire as a thin dashed line: from a number to a node whose expressions name it.
    pub(super) fn mention(&self, zoom: f32, color: Color32) -> Shape {
        let stroke = Stroke::new(1.2 * zoom.clamp(0.5, 1.4), color);
        Shape::Vec(Shape::dashed_line(&self.points, stroke, 4.0, 4.0))
    }
}

fn to_segment(point: Pos2, a: Pos2, b: Pos2) -> f32 {
    let (along, off) = (b - a, point - a);
    let t = if along.length_sq() > 0.0 { (off.dot(along) / along.length_sq()).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + along * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::pos2;

    fn wire() -> WireShape {
        let to = InputEnd { node: "b".into(), port: "x".into() };
        let mut wire = WireShape::new(Link::parse("a"), to, "a".into(), Color32::WHITE, false);
        wire.lay(pos2(0.0, 0.0), pos2(200.0, 100.0), 1.0, &Route::Curve, |at| at);
        wire
    }

    #[test]
    fn a_wire_is_hit_on_its_course_and_not_beside_it() {
        let wire = wire();
        for t in [0.0, 0.3, 0.5, 0.9, 0.99] {
            assert!(wire.near(wire.along(t).unwrap().0).is_some_and(|d| d < 0.5));
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
