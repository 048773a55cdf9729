//! Points of curves and paths, and where segments cross or touch.

use eframe::egui::{Pos2, Rect, Vec2, pos2, vec2};

/// Radius of the corners of a path \[points\].
const RADIUS: f32 = 12.0;
/// Points of a curve, and of a corner.
const PIECES: usize = 24;
const CORNER: usize = 4;

/// The control points of a plain curve.
fn course(from: Pos2, to: Pos2, zoom: f32) -> [Pos2; 4] {
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
