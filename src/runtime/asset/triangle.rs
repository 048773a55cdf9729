//! Distance to a triangle, and its solid angle.

use std::f64::consts::PI;

use glam::DVec3;

pub(super) type Triangle = [DVec3; 3];

/// The corners of an indexed triangle.
pub(super) fn corners(points: &[DVec3], triangle: &[u32; 3]) -> Triangle {
    triangle.map(|i| points.get(i as usize).copied().unwrap_or_default())
}

/// Below this ratio of height to length a triangle has no reliable normal, and its edges are as near as its face.
const NEEDLE: f64 = 1e-12;

/// The squared distance to a triangle: to its plane where the point projects into the face, otherwise to the nearest
/// edge. The same as Ericson's closest point ("Real-Time Collision Detection", 2005, section 5.1.5), but also accurate
/// for needles, where his areas cancel. Triangles may degenerate to segments or points.
pub(super) fn distance_squared(p: DVec3, [a, b, c]: Triangle) -> f64 {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let (ap, bp, cp) = (p - a, p - b, p - c);
    let normal = ca.cross(ab);
    let square = normal.length_squared();
    let longest = ab.length_squared().max(bc.length_squared()).max(ca.length_squared());
    let is_over_face = square > (NEEDLE * longest) * (NEEDLE * longest)
        && normal.cross(ab).dot(ap) >= 0.0
        && normal.cross(bc).dot(bp) >= 0.0
        && normal.cross(ca).dot(cp) >= 0.0;
    if is_over_face {
        let height = normal.dot(ap);
        return height * height / square;
    }
    to_segment(ap, ab).min(to_segment(bp, bc)).min(to_segment(cp, ca))
}

/// The weights of a triangle's corners in the point of it that is nearest.
pub(super) fn nearest_weights(p: DVec3, [a, b, c]: Triangle) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    let inside =
        [(c - b).cross(p - b), (a - c).cross(p - c), (b - a).cross(p - a)].map(|part| part.dot(normal) / square);
    if inside.iter().all(|weight| *weight >= 0.0) {
        return inside;
    }
    // On the nearest edge.
    let edge = |from: usize, to: usize| {
        let [start, end] = [[a, b, c][from], [a, b, c][to]];
        let (along, offset) = (end - start, p - start);
        let length = along.length_squared();
        let share = if length > 0.0 { (offset.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let mut weights = [0.0; 3];
        (weights[from], weights[to]) = (1.0 - share, share);
        ((offset - along * share).length_squared(), weights)
    };
    let edges = [edge(0, 1), edge(1, 2), edge(2, 0)];
    edges.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or([1.0, 0.0, 0.0], |(_, weights)| weights)
}

/// The squared distance to a segment; `from_start` is the point relative to the segment's start.
fn to_segment(from_start: DVec3, along: DVec3) -> f64 {
    let square = along.length_squared();
    let t = if square > 0.0 { (from_start.dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    (from_start - along * t).length_squared()
}

/// The solid angle of a triangle as a share of the full sphere, positive when seen from behind (van Oosterom &
/// Strackee, "The solid angle of a plane triangle", 1983).
pub(super) fn turn(p: DVec3, [a, b, c]: Triangle) -> f64 {
    let (a, b, c) = (a - p, b - p, c - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let rest = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    volume.atan2(rest) / (2.0 * PI)
}

/// The normal, with the area as its length.
pub(super) fn area_vector([a, b, c]: Triangle) -> DVec3 {
    (b - a).cross(c - a) / 2.0
}
