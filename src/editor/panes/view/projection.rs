//! From the world to the image of a view and back: a plane of the domain, or space through a camera.

use eframe::egui::{Pos2, Rect, Vec2, pos2};

use crate::sim::camera::{Frame, Orbit};
use crate::sim::wire_view::Axis;

/// A point or a vector in the world \[m\]; z is 0 in two dimensions.
pub(super) type Point = [f64; 3];

pub(super) fn add(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

pub(super) fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(super) fn scaled(a: Point, by: f64) -> Point {
    a.map(|part| part * by)
}

pub(super) fn dot(a: Point, b: Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The unit vector along an axis.
pub(super) fn unit(axis: usize) -> Point {
    std::array::from_fn(|other| f64::from(u8::from(other == axis)))
}

/// The axes to the right and upwards where one looks along an axis.
pub(super) fn axes(along: Axis) -> [usize; 2] {
    match along {
        Axis::X => [2, 1],
        Axis::Y => [0, 2],
        Axis::Z => [0, 1],
    }
}

/// How the world lies in an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Projection {
    /// The image on the screen.
    rect: Rect,
    way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Axes of the world to the right and upwards, and the extent of the image along them \[m\].
    Flat { right: usize, up: usize, extent: [f64; 2] },
    /// The camera, and the image's width for a height of 1.
    Camera(Frame, f64),
}

/// Directions of the screen in the world, and how far a point on the screen is \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Basis {
    pub right: Point,
    pub up: Point,
    /// Towards the viewer.
    pub near: Point,
    /// Along right and up.
    pub metres: [f64; 2],
}

impl Projection {
    /// The whole of a domain of this size \[m\], looked at along an axis; two-dimensional ones along z.
    pub(super) fn flat(rect: Rect, size: Point, along: Axis) -> Projection {
        let [right, up] = axes(along);
        Projection { rect, way: Way::Flat { right, up, extent: [size[right], size[up]] } }
    }

    /// Through a camera that is turned about its viewing axis \[degrees\].
    pub(super) fn camera(rect: Rect, orbit: Orbit, roll: f64) -> Projection {
        let frame = orbit.frame();
        let (sin, cos) = roll.to_radians().sin_cos();
        let right = add(scaled(frame.right, cos), scaled(frame.up, sin));
        let up = minus(scaled(frame.up, cos), scaled(frame.right, sin));
        let aspect = f64::from(rect.width()) / f64::from(rect.height()).max(1e-9);
        Projection { rect, way: Way::Camera(Frame { right, up, ..frame }, aspect) }
    }

    pub(super) fn rect(&self) -> Rect {
        self.rect
    }

    pub(super) fn is_camera(&self) -> bool {
        matches!(self.way, Way::Camera(..))
    }

    /// The place on the screen; `None` behind the camera.
    pub(super) fn place(&self, point: Point) -> Option<Pos2> {
        let at = match &self.way {
            Way::Flat { right, up, extent } => [point[*right] / extent[0], point[*up] / extent[1]],
            Way::Camera(frame, aspect) => {
                let away = minus(point, frame.eye);
                let depth = dot(away, frame.forward);
                // As near as this, the place is far outside of the image.
                if depth <= 1e-3 * length(away) {
                    return None;
                }
                let scale = 0.5 / (frame.tangent * depth);
                [0.5 + scale * dot(away, frame.right) / aspect, 0.5 + scale * dot(away, frame.up)]
            }
        };
        let [x, y] = at.map(|share| share as f32);
        let place = pos2(self.rect.left() + x * self.rect.width(), self.rect.bottom() - y * self.rect.height());
        place.is_finite().then_some(place)
    }

    /// The directions of the screen at a point.
    pub(super) fn basis(&self, point: Point) -> Basis {
        let [width, height] = [self.rect.width(), self.rect.height()].map(|points| f64::from(points).max(1e-9));
        match &self.way {
            Way::Flat { right, up, extent } => {
                let near = unit(3 - right - up);
                Basis { right: unit(*right), up: unit(*up), near, metres: [extent[0] / width, extent[1] / height] }
            }
            Way::Camera(frame, _) => {
                let depth = dot(minus(point, frame.eye), frame.forward).max(0.0);
                let metres = 2.0 * frame.tangent * depth / height;
                Basis { right: frame.right, up: frame.up, near: scaled(frame.forward, -1.0), metres: [metres; 2] }
            }
        }
    }

    /// A point after a movement on the screen, parallel to the image.
    pub(super) fn moved(&self, point: Point, by: Vec2) -> Point {
        let basis = self.basis(point);
        let [right, down] = [f64::from(by.x) * basis.metres[0], f64::from(by.y) * basis.metres[1]];
        add(point, minus(scaled(basis.right, right), scaled(basis.up, down)))
    }

    /// How far a point goes along a unit vector when it follows a movement on the screen \[m\]; `None` where the vector is seen from
    /// its end.
    pub(super) fn moved_along(&self, point: Point, direction: Point, by: Vec2) -> Option<f64> {
        let target = self.place(point)? + by;
        let mut distance = 0.0;
        // A straight line in a plane is found at once, one in perspective by Newton's method.
        for _ in 0..6 {
            let now = add(point, scaled(direction, distance));
            let rest = target - self.place(now)?;
            let basis = self.basis(now);
            let slant = |across: Point, towards: f64| {
                // In perspective a point also moves because it comes nearer.
                let place = minus(now, self.center(now));
                (dot(direction, across) + towards * dot(place, across)) / basis.metres[0]
            };
            let nearer = if self.is_camera() { dot(direction, basis.near) / self.depth(now) } else { 0.0 };
            let along = [slant(basis.right, nearer), -slant(basis.up, nearer) * basis.metres[0] / basis.metres[1]];
            let squared = along[0] * along[0] + along[1] * along[1];
            // Less than a tenth of its length is to be seen.
            if squared * basis.metres[0].max(basis.metres[1]).powi(2) < 0.01 {
                return None;
            }
            distance += (f64::from(rest.x) * along[0] + f64::from(rest.y) * along[1]) / squared;
        }
        distance.is_finite().then_some(distance)
    }

    /// The depth of a point before the camera \[m\].
    fn depth(&self, point: Point) -> f64 {
        match &self.way {
            Way::Camera(frame, _) => dot(minus(point, frame.eye), frame.forward).max(1e-9),
            Way::Flat { .. } => 1.0,
        }
    }

    /// The point in the middle of the image at the depth of a point.
    fn center(&self, point: Point) -> Point {
        match &self.way {
            Way::Camera(frame, _) => add(frame.eye, scaled(frame.forward, self.depth(point))),
            Way::Flat { .. } => point,
        }
    }

    /// Where the pointer is on the plane through a point that is parallel to the image.
    pub(super) fn under(&self, pointer: Pos2, point: Point) -> Option<Point> {
        Some(self.moved(point, pointer - self.place(point)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECT: Rect = Rect { min: pos2(100.0, 50.0), max: pos2(500.0, 350.0) };

    fn near(a: Point, b: Point) -> bool {
        length(minus(a, b)) < 1e-6
    }

    #[test]
    fn a_plane_has_its_axes_to_the_right_and_upwards() {
        let size = [4.0, 3.0, 2.0];
        let flat = Projection::flat(RECT, size, Axis::Z);
        assert_eq!(flat.place([0.0, 0.0, 0.0]), Some(RECT.left_bottom()));
        assert_eq!(flat.place([4.0, 3.0, 9.0]), Some(RECT.right_top()));
        // 100 points a metre.
        assert!(near(flat.moved([1.0, 1.0, 1.0], Vec2::new(50.0, -20.0)), [1.5, 1.2, 1.0]));
        assert_eq!(Projection::flat(RECT, size, Axis::X).place([0.0, 3.0, 2.0]), Some(RECT.right_top()));
        assert_eq!(Projection::flat(RECT, size, Axis::Y).place([4.0, 0.0, 2.0]), Some(RECT.right_top()));
    }

    #[test]
    fn a_camera_has_the_point_that_it_looks_at_in_the_middle() {
        let orbit = Orbit { azimuth: 30.0, elevation: 20.0, ..Orbit::around([1.0; 3]) };
        for roll in [0.0, 25.0] {
            let camera = Projection::camera(RECT, orbit, roll);
            let middle = camera.place(orbit.look_at).unwrap();
            assert!((middle - RECT.center()).length() < 1e-3, "{middle}");
            assert_eq!(camera.place(add(camera_eye(orbit), [0.0, 9.0, 0.0])), None, "behind it");
            // What is moved stays under the pointer.
            let by = Vec2::new(37.0, -18.0);
            for point in [[0.2, 0.7, 0.9], [0.5, 0.5, 0.5]] {
                let (before, after) = (camera.place(point).unwrap(), camera.place(camera.moved(point, by)).unwrap());
                assert!((after - before - by).length() < 1e-2, "{point:?}: {before} {after}");
                assert!(near(camera.under(after, point).unwrap(), camera.moved(point, by)));
            }
        }
    }

    fn camera_eye(orbit: Orbit) -> Point {
        orbit.frame().eye
    }

    #[test]
    fn a_point_follows_the_pointer_along_an_axis() {
        let orbit = Orbit { azimuth: 30.0, elevation: 20.0, ..Orbit::around([1.0; 3]) };
        let camera = Projection::camera(RECT, orbit, 0.0);
        let point = [0.4, 0.5, 0.6];
        for axis in 0..3 {
            // A way along the axis, seen on the screen, is found again.
            let step = camera.place(add(point, scaled(unit(axis), 0.3))).unwrap() - camera.place(point).unwrap();
            let found = camera.moved_along(point, unit(axis), step).unwrap();
            assert!((found - 0.3).abs() < 1e-4, "{axis}: {found}");
        }
        assert_eq!(camera.moved_along(orbit.look_at, orbit.frame().forward, Vec2::new(5.0, 5.0)), None);
    }
}
