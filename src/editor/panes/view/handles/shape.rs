//! What handles look like in the world: lines, and the places where they are taken.

use super::owner::{Owner, Spot};
use crate::model::session::Session;
use crate::panes::view::projection::{Point, add, dot, length, minus, scaled, unit};
use crate::panes::view::scene::{Scene, Space};
use crate::stage::header::Role;

/// Length of the arrow of a direction, relative to the domain.
const ARROW: f64 = 0.2;
/// Sides of a circle.
const SIDES: usize = 64;

/// A place where a handle is taken.
#[derive(Clone)]
pub(super) struct Shape {
    /// The parameter, by the stage's name.
    pub spot: String,
    pub part: Part,
    /// In the world \[m\].
    pub at: Point,
    pub space: Space,
}

/// What a place moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Point,
    Corner,
    Radius {
        center: Point,
    },
    /// The middle of a face of a box.
    Face {
        axis: usize,
        upper: bool,
    },
    /// The tip of a direction, this far from its base \[m\].
    Tip {
        base: Point,
        reach: f64,
    },
    /// The tip of a vector: metres for one unit of it, and the step that it snaps to.
    Head {
        scale: f64,
        step: f64,
    },
    /// A point that is given by angles and a distance.
    Eye {
        look_at: Point,
    },
}

/// A line through points of the world, in the space of a parameter.
pub(super) struct Line {
    pub points: Vec<Point>,
    pub space: Space,
    /// Whether the line ends in an arrow head.
    pub arrow: bool,
}

/// Everything that is drawn of an owner.
#[derive(Default)]
pub(super) struct Drawn {
    pub lines: Vec<Line>,
    pub shapes: Vec<Shape>,
}

impl Owner {
    /// The parameters that give a point by its direction and distance from the same position as this one.
    pub(super) fn polar(&self, name: &str) -> [Option<&Spot>; 3] {
        let of = self.spot(name).and_then(Spot::position_name);
        [Role::Azimuth, Role::Elevation, Role::Distance]
            .map(|role| self.spots.iter().find(|spot| spot.role() == role && spot.position_name() == of))
    }

    /// What is drawn in a scene.
    pub(super) fn drawn(&self, scene: &Scene, session: &Session) -> Drawn {
        let mut drawn = Drawn::default();
        for spot in &self.spots {
            // A number lies where its position does.
            let anchor = spot.position_name().and_then(|of| self.spot(of));
            let in_space = if spot.value.len() > 1 { spot.in_space() } else { anchor.is_some_and(Spot::in_space) };
            if spot.position_name().is_some() && anchor.is_none() {
                continue;
            }
            if let Some(space) = scene.space(session, &self.path, in_space) {
                self.draw(spot, anchor, space, &mut drawn);
            }
        }
        drawn
    }

    fn draw(&self, spot: &Spot, anchor: Option<&Spot>, space: Space, drawn: &mut Drawn) {
        let size = space.extent.size;
        let base = anchor.map_or_else(|| middle(&space, spot), |anchor| anchor.vector(size));
        let mut place = |part, at| drawn.shapes.push(Shape { spot: spot.param.name.clone(), part, at, space });
        let mut line = |points: Vec<Point>, arrow| drawn.lines.push(Line { points, space, arrow });
        let largest = size.into_iter().take(space.extent.dim as usize).fold(0.0, f64::max);
        match spot.role() {
            Role::Position => place(Part::Point, spot.vector(size)),
            Role::Radius => {
                let (radius, basis) = (spot.length(size), space.projection.basis(base));
                let on = |turn: f64| {
                    let (sin, cos) = turn.sin_cos();
                    add(base, add(scaled(basis.right, radius * cos), scaled(basis.up, radius * sin)))
                };
                let turn = std::f64::consts::TAU / SIDES as f64;
                line((0..=SIDES).map(|side| on(side as f64 * turn)).collect(), false);
                place(Part::Radius { center: base }, on(0.0));
            }
            Role::Box => {
                let half = scaled(spot.vector(size), 0.5);
                let axes = spot.value.len().min(3);
                edges(minus(base, half), add(base, half), axes).into_iter().for_each(|edge| line(edge, false));
                for (axis, upper) in (0..axes).flat_map(|axis| [(axis, false), (axis, true)]) {
                    let away = scaled(unit(axis), if upper { half[axis] } else { -half[axis] });
                    place(Part::Face { axis, upper }, add(base, away));
                }
            }
            Role::Corner => {
                let corner = spot.vector(size);
                edges(base, corner, spot.value.len().min(3)).into_iter().for_each(|edge| line(edge, false));
                place(Part::Corner, corner);
            }
            Role::Direction | Role::Plane => {
                let vector = spot.vector(size);
                let reach = ARROW * largest;
                let long = length(vector);
                let normal = if long > 0.0 { scaled(vector, 1.0 / long) } else { unit(0) };
                if spot.role() == Role::Plane {
                    plane(base, normal, 0.5 * largest, spot.in_space()).into_iter().for_each(|edge| line(edge, false));
                }
                let tip = add(base, scaled(normal, reach));
                line(vec![base, tip], true);
                place(Part::Tip { base, reach }, tip);
            }
            Role::Vector => {
                let most = spot.param.soft.1.filter(|most| *most > 0.0).unwrap_or(2.0);
                let scale = 0.5 * largest / most;
                let head = add(base, scaled(spot.vector(size), scale));
                line(vec![base, head], true);
                place(Part::Head { scale, step: nice(most / 20.0) }, head);
            }
            // One of the three draws the point.
            Role::Azimuth | Role::Elevation => {}
            Role::Distance => {
                let [Some(azimuth), Some(elevation), _] = self.polar(&spot.param.name) else { return };
                let angle = |spot: &Spot| spot.value.first().copied().unwrap_or(0.0);
                let eye = add(base, scaled(polar(angle(azimuth), angle(elevation)), spot.length(size)));
                line(vec![eye, base], false);
                camera(eye, base, ARROW * largest).into_iter().for_each(|edge| line(edge, false));
                place(Part::Eye { look_at: base }, eye);
            }
        }
    }
}

/// The middle of the domain, in which arrows without a position begin.
fn middle(space: &Space, spot: &Spot) -> Point {
    let shown = if spot.in_space() { space.extent.dim.max(2) } else { 2 };
    std::array::from_fn(|axis| if axis < shown as usize { 0.5 * space.extent.size[axis] } else { 0.0 })
}

/// The unit vector with these angles \[degrees\].
pub(super) fn polar(azimuth: f64, elevation: f64) -> Point {
    let (turn, rise) = (azimuth.to_radians(), elevation.to_radians());
    [rise.cos() * turn.sin(), rise.sin(), rise.cos() * turn.cos()]
}

/// The edges of a box between two corners, or of a rectangle.
fn edges(low: Point, high: Point, axes: usize) -> Vec<Vec<Point>> {
    let corner = |bits: usize| std::array::from_fn(|axis| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let corners = 0..1usize << axes;
    let edge = |bits: usize| {
        let starts = (0..axes).filter(move |axis| bits >> axis & 1 == 0);
        starts.map(move |axis| vec![corner(bits), corner(bits | 1 << axis)])
    };
    corners.flat_map(edge).collect()
}

/// Two unit vectors across a unit vector.
fn across(normal: Point) -> [Point; 2] {
    let least = (0..3).min_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs())).unwrap_or(0);
    let first = minus(unit(least), scaled(normal, normal[least]));
    let first = scaled(first, 1.0 / length(first).max(1e-12));
    [first, cross(normal, first)]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A line across a normal, or a square in space.
fn plane(through: Point, normal: Point, half: f64, in_space: bool) -> Vec<Vec<Point>> {
    if !in_space {
        let along = scaled([-normal[1], normal[0], 0.0], half);
        return vec![vec![minus(through, along), add(through, along)]];
    }
    let [first, second] = across(normal).map(|side| scaled(side, half));
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)];
    vec![corners.map(|(a, b)| add(through, add(scaled(first, a), scaled(second, b)))).to_vec()]
}

/// A small pyramid that opens towards what a camera looks at.
fn camera(eye: Point, look_at: Point, long: f64) -> Vec<Vec<Point>> {
    let away = minus(look_at, eye);
    if dot(away, away) <= 0.0 {
        return Vec::new();
    }
    let forward = scaled(away, 1.0 / length(away));
    let level = cross(forward, unit(1));
    let right = if length(level) > 1e-9 { scaled(level, 1.0 / length(level)) } else { unit(0) };
    let up = cross(right, forward);
    let corner = |a: f64, b: f64| {
        let front = add(eye, scaled(forward, long));
        add(front, add(scaled(right, 0.5 * a * long), scaled(up, 0.4 * b * long)))
    };
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)].map(|(a, b)| corner(a, b));
    let mut lines: Vec<Vec<Point>> = corners.iter().take(4).map(|corner| vec![eye, *corner]).collect();
    lines.push(corners.to_vec());
    lines
}

/// 1, 2 or 5 times a power of ten, at most this much.
fn nice(most: f64) -> f64 {
    let power = 10f64.powf(most.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|digit| digit * power).find(|step| *step <= most * 1.000_001).unwrap_or(power)
}
