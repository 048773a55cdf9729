//! What a drag of a handle sets.

use eframe::egui::{Modifiers, Pos2};

use super::owner::{Owner, Spot};
use super::shape::{Part, Shape, polar};
use crate::document::ParamValue;
use crate::panes::view::projection::{Point, add, dot, length, minus, scaled, unit};
use crate::panes::view::scene::Space;
use crate::stage::header::Role;

/// Angles snap to multiples of this \[degrees\].
const ANGLE: f64 = 15.0;

/// A handle that is held. Everything is as it was when it was pressed, so that nothing adds up and a camera that is dragged in its own
/// image stays calm.
pub(super) struct Drag {
    pub owner: Owner,
    pub shape: Shape,
    pub from: Pos2,
}

/// Parameters of nodes with new values.
pub(super) type Values = Vec<(String, String, ParamValue)>;

impl Drag {
    /// What is set with the pointer here. Ctrl snaps to cells and round values; Shift keeps to an axis, and a box around its middle.
    pub(super) fn values(&self, pointer: Pos2, modifiers: Modifiers) -> Values {
        let snaps = modifiers.ctrl || modifiers.command;
        let Some(spot) = self.owner.spot(&self.shape.spot) else { return Values::new() };
        let (pull, space) = (Pull { drag: self, pointer, snaps }, &self.shape.space);
        match self.shape.part {
            Part::Point | Part::Corner => vec![pull.vector(spot, pull.moved(self.shape.at, modifiers.shift, spot))],
            Part::Radius { center } => vec![pull.radius(spot, center)],
            Part::Face { axis, upper } => pull.face(spot, axis, upper, modifiers.shift),
            Part::Tip { base, reach } => vec![pull.tip(spot, base, reach)],
            Part::Head { scale, step } => {
                let by = minus(pull.moved_freely(self.shape.at, modifiers.shift, spot), self.shape.at);
                let vector = add(spot.vector(space.extent.size), scaled(by, 1.0 / scale));
                let vector = if snaps { vector.map(|part| rounded(part, step)) } else { vector };
                vec![pull.vector_to(spot, vector, space.projection.basis(self.shape.at).metres[0] / scale)]
            }
            Part::Eye { look_at } => pull.eye(look_at),
        }
    }
}

/// A drag with the pointer at a place.
struct Pull<'a> {
    drag: &'a Drag,
    pointer: Pos2,
    snaps: bool,
}

impl Pull<'_> {
    fn space(&self) -> &Space {
        &self.drag.shape.space
    }

    /// Metres of a point on the screen, at the handle.
    fn grain(&self) -> f64 {
        self.space().projection.basis(self.drag.shape.at).metres[0]
    }

    /// A point that follows the pointer, along the nearest axis if it keeps to one.
    fn moved_freely(&self, point: Point, one_axis: bool, spot: &Spot) -> Point {
        let (projection, by) = (&self.space().projection, self.pointer - self.drag.from);
        if !one_axis {
            return projection.moved(point, by);
        }
        // The axis that is most parallel to the movement on the screen.
        let share = |axis: usize| {
            let basis = projection.basis(point);
            let along = [dot(unit(axis), basis.right), -dot(unit(axis), basis.up)].map(|part| part as f32);
            let along = eframe::egui::vec2(along[0], along[1]);
            if along.length() < 0.1 { 0.0 } else { (along.normalized().dot(by)).abs() }
        };
        let axes = 0..spot.value.len().min(3);
        let axis = axes.max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap_or(0);
        add(point, scaled(unit(axis), projection.moved_along(point, unit(axis), by).unwrap_or(0.0)))
    }

    /// The moved point, on the corners of cells.
    fn moved(&self, point: Point, one_axis: bool, spot: &Spot) -> Point {
        let moved = self.moved_freely(point, one_axis, spot);
        // What a plane does not show stays.
        let snapped =
            |axis: usize| if (moved[axis] - point[axis]).abs() > 1e-9 { self.cells(moved[axis]) } else { moved[axis] };
        if self.snaps { std::array::from_fn(snapped) } else { moved }
    }

    fn cells(&self, metres: f64) -> f64 {
        rounded(metres, self.space().extent.cell)
    }

    /// Sets a vector in the world, rounded to a tenth of a point on the screen.
    fn vector(&self, spot: &Spot, vector: Point) -> (String, String, ParamValue) {
        self.vector_to(spot, vector, self.grain())
    }

    fn vector_to(&self, spot: &Spot, vector: Point, grain: f64) -> (String, String, ParamValue) {
        let size = self.space().extent.size;
        let parts = spot.parts_of(vector, size);
        let start = spot.value.iter().zip(parts).enumerate();
        let neat = |(axis, (before, now)): (usize, (&f64, f64))| {
            // A part that did not move keeps its digits.
            let moved = (now - before).abs() * spot.factor(size, axis) > 1e-9 * (1.0 + now.abs());
            if moved { self.neat(now, grain / spot.factor(size, axis)) } else { *before }
        };
        set(spot, &start.map(neat).collect::<Vec<_>>())
    }

    /// A number without digits that nobody can see; a snapped one without those of rounding.
    fn neat(&self, value: f64, grain: f64) -> f64 {
        if self.snaps { tidy(value) } else { decimal(value, 0.1 * grain) }
    }

    fn radius(&self, spot: &Spot, center: Point) -> (String, String, ParamValue) {
        let (projection, size) = (&self.space().projection, self.space().extent.size);
        let away = |place: Pos2| projection.under(place, center).map_or(0.0, |under| length(minus(under, center)));
        let metres = (spot.length(size) + away(self.pointer) - away(self.drag.from)).max(0.0);
        let metres = if self.snaps { self.cells(metres) } else { metres };
        let factor = spot.factor(size, 0);
        set(spot, &[self.neat(metres / factor, self.grain() / factor)])
    }

    /// Moves a face of a box. The face on the other side stays, if the middle can be moved, unless the middle is to stay.
    fn face(&self, spot: &Spot, axis: usize, upper: bool, around: bool) -> Values {
        let (shape, size) = (&self.drag.shape, self.space().extent.size);
        let outwards = scaled(unit(axis), if upper { 1.0 } else { -1.0 });
        let Some(by) = self.space().projection.moved_along(shape.at, outwards, self.pointer - self.drag.from) else {
            return Values::new();
        };
        let to = shape.at[axis] + by * outwards[axis];
        let to = if self.snaps { self.cells(to) } else { to };
        let center = spot.position_name().and_then(|of| self.drag.owner.spot(of));
        let middle = center.map_or([0.0; 3], |center| center.vector(size));
        let edges = spot.vector(size);
        let moves = center.filter(|center| !around && center.locked.is_none());
        let opposite = middle[axis] - 0.5 * edges[axis] * outwards[axis];
        let edge = match moves {
            Some(_) => (to - opposite) * outwards[axis],
            None => 2.0 * (to - middle[axis]) * outwards[axis],
        };
        // Rounded before the middle follows from it, so that the opposite face stays exactly.
        let factor = spot.factor(size, axis);
        let mut wider = spot.value.clone();
        wider
            .iter_mut()
            .skip(axis)
            .take(1)
            .for_each(|part| *part = self.neat(edge.max(0.0) / factor, self.grain() / factor));
        let edge = wider.get(axis).map_or(0.0, |part| part * factor);
        let mut values = vec![set(spot, &wider)];
        if let Some(center) = moves {
            let (to, factor) = (opposite + 0.5 * edge * outwards[axis], center.factor(size, axis));
            let mut shifted = center.value.clone();
            shifted.iter_mut().skip(axis).take(1).for_each(|part| *part = tidy(to / factor));
            values.push(set(center, &shifted));
        }
        values
    }

    /// Turns a vector, as if its tip were on a ball around its base.
    fn tip(&self, spot: &Spot, base: Point, reach: f64) -> (String, String, ParamValue) {
        let projection = &self.space().projection;
        let basis = projection.basis(base);
        let start = minus(self.drag.shape.at, base);
        let under = |place: Pos2| projection.under(place, base).unwrap_or(base);
        let by = minus(under(self.pointer), under(self.drag.from));
        let now = add(start, by);
        let [x, y] = [dot(now, basis.right), dot(now, basis.up)];
        let flat = x.hypot(y);
        let depth = if spot.in_space() { (reach * reach - flat * flat).max(0.0).sqrt() } else { 0.0 };
        let depth = if dot(start, basis.near) < -1e-9 * reach { -depth } else { depth };
        let turned = add(add(scaled(basis.right, x), scaled(basis.up, y)), scaled(basis.near, depth));
        let turned = if self.snaps { snapped(turned, spot.in_space()) } else { turned };
        let before: f64 = spot.value.iter().map(|part| part * part).sum::<f64>().sqrt();
        let long = if before > 0.0 { before } else { 1.0 };
        if length(turned) < 1e-12 {
            return set(spot, &spot.value);
        }
        let turned = scaled(turned, long / length(turned));
        let grain = if self.snaps { 1e-6 } else { 1e-3 * long };
        let parts: Vec<f64> = turned.iter().take(spot.value.len()).map(|part| self.neat(*part, grain)).collect();
        set(spot, &parts)
    }

    /// Moves a point that is given by angles and a distance.
    fn eye(&self, look_at: Point) -> Values {
        let away = minus(self.space().projection.moved(self.drag.shape.at, self.pointer - self.drag.from), look_at);
        let distance = length(away);
        if distance < 1e-9 {
            return Values::new();
        }
        let angle = |degrees: f64| if self.snaps { rounded(degrees, ANGLE) } else { self.neat(degrees, 0.1) };
        let (azimuth, elevation) = angles(away);
        let mut values = Values::new();
        for (spot, value) in
            self.drag.owner.polar(&self.drag.shape.spot).into_iter().zip([azimuth, elevation, distance])
        {
            let Some(spot) = spot.filter(|spot| spot.locked.is_none()) else { continue };
            let before = spot.value.first().copied().unwrap_or(0.0);
            let value = match spot.role() {
                Role::Distance => {
                    let factor = spot.factor(self.space().extent.size, 0);
                    let metres = if self.snaps { self.cells(value).max(self.space().extent.cell) } else { value };
                    self.neat(metres / factor, self.grain() / factor)
                }
                // The turn that is nearest to the one before.
                Role::Azimuth => angle(value + 360.0 * ((before - value) / 360.0).round()),
                _ => angle(value),
            };
            values.push(set(spot, &[value]));
        }
        values
    }
}

fn set(spot: &Spot, value: &[f64]) -> (String, String, ParamValue) {
    (spot.node.clone(), spot.name.clone(), spot.written(value))
}

/// Rounded to a power of ten that is no coarser than this.
fn decimal(value: f64, finest: f64) -> f64 {
    let digits = finest.log10().floor();
    if !digits.is_finite() {
        return value;
    }
    // Divided by a whole number where that is possible, which gives the number that is nearest to the decimal.
    let unit = 10f64.powf(digits.abs());
    if digits < 0.0 { (value * unit).round() / unit } else { (value / unit).round() * unit }
}

/// Without the last digits, in which sums differ from what a person would write.
fn tidy(value: f64) -> f64 {
    decimal(value, 1e-12 * value.abs().max(1e-6))
}

/// The nearest multiple.
fn rounded(value: f64, step: f64) -> f64 {
    if step > 0.0 { (value / step).round() * step } else { value }
}

/// Azimuth and elevation of a direction \[degrees\].
fn angles(away: Point) -> (f64, f64) {
    (away[0].atan2(away[2]).to_degrees(), (away[1] / length(away)).clamp(-1.0, 1.0).asin().to_degrees())
}

/// A direction at the nearest multiples of 15 degrees: in a plane its angle, in space azimuth and elevation.
fn snapped(direction: Point, in_space: bool) -> Point {
    if in_space {
        let (azimuth, elevation) = angles(direction);
        return polar(rounded(azimuth, ANGLE), rounded(elevation, ANGLE));
    }
    let angle = rounded(direction[1].atan2(direction[0]).to_degrees(), ANGLE).to_radians();
    [angle.cos(), angle.sin(), 0.0]
}
