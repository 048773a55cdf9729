//! The ways of wires around nodes. A wire between neighbours is a plain curve. One that would run behind a node, or that runs back,
//! follows the gaps between nodes; `search` finds its way, and `lanes` lays wires that share a gap beside each other.

mod lanes;
mod search;
#[cfg(test)]
mod tests;

use eframe::egui::{Pos2, Rect, Vec2, pos2, vec2};

pub(crate) use search::Ground;

/// A wire to be routed \[points of the document\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    pub from: Pos2,
    pub to: Pos2,
    /// Wires of one output have one number; they may share a way.
    pub net: usize,
    /// Whether the wire carries a value to the next frame, and so runs around the nodes.
    pub next: bool,
}

/// The way of a wire.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    /// A plain curve from port to port.
    Curve,
    /// Straight pieces, horizontal and vertical in turn, from port to port.
    Path(Vec<Pos2>),
}

/// Distance between nodes and the wires that pass them \[points\], and the least of it where many share a gap or a wire is a curve.
const CLEAR: f32 = 10.0;
pub(crate) const LEAST: f32 = 7.0;
/// The longest plain curve, and the steepest \[points\].
const LONGEST: f32 = 300.0;
/// Radius of the corners of a path \[points\].
const RADIUS: f32 = 12.0;
/// Points of a curve, and of a corner.
const PIECES: usize = 24;
const CORNER: usize = 4;

/// The routes of the wires of a level, searched again where something has moved.
#[derive(Debug, Default)]
pub(crate) struct Routing {
    nodes: Vec<Rect>,
    ground: Ground,
    wires: Vec<Ends>,
    routes: Vec<Route>,
    /// Some wires were routed without the others.
    partial: bool,
}

/// What a node or a port moves before wires are routed again \[points\]: text takes a little more or less room at each zoom.
const SLIGHT: f32 = 2.5;
/// With more wires, only those that nodes touch are routed while nodes move.
const MANY: usize = 200;

impl Routing {
    /// Brings the routes up to date. `moving`: nodes are being dragged.
    pub(crate) fn update(&mut self, nodes: Vec<Rect>, wires: Vec<Ends>, moving: bool) {
        let near = |a: Pos2, b: Pos2| (a - b).abs().max_elem() < SLIGHT;
        let same = |a: &Rect, b: &Rect| near(a.min, b.min) && near(a.max, b.max);
        let kept = |a: &Ends, b: &Ends| near(a.from, b.from) && near(a.to, b.to) && (a.net, a.next) == (b.net, b.next);
        let alike = self.nodes.len() == nodes.len() && self.wires.len() == wires.len();
        let still = alike
            && self.nodes.iter().zip(&nodes).all(|(a, b)| same(a, b))
            && self.wires.iter().zip(&wires).all(|(a, b)| kept(a, b));
        if still && (moving || !self.partial) {
            return;
        }
        self.ground = Ground::new(nodes.clone());
        self.partial = moving && alike && wires.len() > MANY;
        if self.partial {
            let moved: Vec<Rect> =
                self.nodes.iter().zip(&nodes).filter(|(a, b)| !same(a, b)).map(|(_, b)| *b).collect();
            let touched = |ends: &Ends, route: &Route| match route {
                Route::Curve => {
                    moved.iter().any(|node| Rect::from_two_pos(ends.from, ends.to).expand(CLEAR).intersects(*node))
                }
                Route::Path(path) => {
                    moved.iter().any(|node| path.windows(2).any(|p| touches(node.expand(CLEAR), p[0], p[1])))
                }
            };
            for ((now, before), route) in wires.iter().zip(&self.wires).zip(&mut self.routes) {
                if !kept(before, now) || touched(now, route) {
                    *route = one(&self.ground, now);
                }
            }
        } else {
            self.routes = routes(&self.ground, &wires);
        }
        (self.nodes, self.wires) = (nodes, wires);
    }

    /// The way of a wire that is not one of them.
    pub(crate) fn alone(&self, wire: &Ends) -> Route {
        one(&self.ground, wire)
    }

    pub(crate) fn routes(&self) -> &[Route] {
        &self.routes
    }
}

/// The ways of all wires around the nodes.
pub(crate) fn routes(ground: &Ground, wires: &[Ends]) -> Vec<Route> {
    let mut routes: Vec<Route> = wires.iter().map(|wire| one(ground, wire)).collect();
    lanes::spread(ground, wires, &mut routes);
    routes
}

/// The way of one wire, as if there were no others.
pub(crate) fn one(ground: &Ground, wire: &Ends) -> Route {
    if plain(ground, wire) {
        return Route::Curve;
    }
    ground.path(wire).map_or(Route::Curve, Route::Path)
}

/// Whether a plain curve touches no node.
fn plain(ground: &Ground, wire: &Ends) -> bool {
    let along = wire.to - wire.from;
    if along.x < 20.0 || (along.x > LONGEST && along.y.abs() > 0.1 * along.x) || along.y.abs() > 2.5 * along.x.max(60.0)
    {
        return false;
    }
    let points = curve(wire.from, wire.to, 1.0);
    ground.free(&points)
}

/// The control points of a plain curve.
pub(crate) fn course(from: Pos2, to: Pos2, zoom: f32) -> [Pos2; 4] {
    let reach = (0.5 * (to.x - from.x).abs()).clamp(20.0 * zoom, 180.0 * zoom);
    [from, pos2(from.x + reach, from.y), pos2(to.x - reach, to.y), to]
}

/// Points of a plain curve.
pub(crate) fn curve(from: Pos2, to: Pos2, zoom: f32) -> Vec<Pos2> {
    let [a, b, c, d] = course(from, to, zoom).map(|p| p.to_vec2());
    let at = |t: f32| {
        let s = 1.0 - t;
        (a * (s * s * s) + b * (3.0 * s * s * t) + c * (3.0 * s * t * t) + d * (t * t * t)).to_pos2()
    };
    (0..=PIECES).map(|piece| at(piece as f32 / PIECES as f32)).collect()
}

/// Points of a path with round corners.
pub(crate) fn rounded(path: &[Pos2], zoom: f32) -> Vec<Pos2> {
    let (Some(first), Some(last)) = (path.first(), path.last()) else { return Vec::new() };
    let mut points = vec![*first];
    for corner in path.windows(3) {
        let [before, at, after] = [corner[0], corner[1], corner[2]];
        let (back, on) = (before - at, after - at);
        let radius = (RADIUS * zoom).min(0.5 * back.length()).min(0.5 * on.length());
        let (start, end) = (at + unit(back) * radius, at + unit(on) * radius);
        for piece in 0..=CORNER {
            let t = piece as f32 / CORNER as f32;
            points.push(start.lerp(at, t).lerp(at.lerp(end, t), t));
        }
    }
    points.push(*last);
    points
}

fn unit(v: Vec2) -> Vec2 {
    if v.length_sq() > 0.0 { v.normalized() } else { vec2(0.0, 0.0) }
}

/// Whether a segment touches the inside of a rectangle (Liang and Barsky 1984).
pub(crate) fn touches(rect: Rect, a: Pos2, b: Pos2) -> bool {
    let along = b - a;
    let (mut enter, mut leave) = (0.0f32, 1.0f32);
    for (p, q) in [
        (-along.x, a.x - rect.left()),
        (along.x, rect.right() - a.x),
        (-along.y, a.y - rect.top()),
        (along.y, rect.bottom() - a.y),
    ] {
        if p == 0.0 {
            if q <= 0.0 {
                return false;
            }
        } else if p < 0.0 {
            enter = enter.max(q / p);
        } else {
            leave = leave.min(q / p);
        }
    }
    enter < leave
}

/// Where two segments cross.
pub(crate) fn crossing(a: Pos2, b: Pos2, c: Pos2, d: Pos2) -> Option<Pos2> {
    let (r, s, q) = (b - a, d - c, c - a);
    let cross = |u: Vec2, v: Vec2| u.x * v.y - u.y * v.x;
    let area = cross(r, s);
    if area == 0.0 {
        return None;
    }
    let (t, u) = (cross(q, s) / area, cross(q, r) / area);
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u)).then(|| a + r * t)
}
