//! What is picked, over an image: the cell whose history is listed, and the way of the particle that is followed.

use eframe::egui::{Color32, Painter, Pos2, Stroke};

use super::projection::Point;
use super::scene::Scene;
use crate::model::session::Session;
use crate::sim::debug::TrailPoint;
use crate::toolkit::theme::Look;

/// Frames after which the way has faded.
const FADED: u64 = 120;
/// Radius of the mark \[points\].
const MARK: f32 = 5.0;

/// Draws them.
pub(super) fn show(painter: &Painter, session: &Session, scene: &Scene, look: &Look) {
    if let Some(at) = session.picked_cell(scene.id()).and_then(|at| scene.plane()?.projection.place(at)) {
        mark(painter, at, look);
    }
    let Some(following) = session.following() else { return };
    let now = session.frame();
    let seen = following.points().iter().filter(|point| point.frame <= now && point.frame + FADED > now);
    let seen: Vec<(&TrailPoint, Point)> = seen.filter_map(|point| Some((point, position(point)?))).collect();
    let Some((first, _)) = seen.first() else { return };
    let in_space = first.values.iter().any(|(name, value)| name == "position" && value.len() == 3);
    let Some(space) = scene.space(session, following.state(), in_space) else { return };
    let size = space.extent.size;
    for pair in seen.windows(2) {
        let [(_, from), (point, to)] = pair else { continue };
        // Through a periodic border it comes in on the other side.
        let jumps = (0..3).any(|axis| size[axis] > 0.0 && (to[axis] - from[axis]).abs() > 0.5 * size[axis]);
        let (Some(from), Some(to), false) = (space.projection.place(*from), space.projection.place(*to), jumps) else {
            continue;
        };
        let fresh = 1.0 - (now - point.frame) as f32 / FADED as f32;
        for (width, color) in [(3.5, look.ground), (1.8, look.accent)] {
            painter.line_segment([from, to], Stroke::new(width, color.gamma_multiply(fresh)));
        }
    }
    let here = seen.last().filter(|(point, _)| point.frame == now);
    if let Some(at) = here.and_then(|(_, at)| space.projection.place(*at)) {
        mark(painter, at, look);
    }
}

fn mark(painter: &Painter, at: Pos2, look: &Look) {
    painter.circle_stroke(at, MARK, Stroke::new(3.5, Color32::from_black_alpha(160)));
    painter.circle_stroke(at, MARK, Stroke::new(1.8, look.accent));
}

/// Where the particle is \[m\]; z is 0 in two dimensions.
fn position(point: &TrailPoint) -> Option<Point> {
    let (_, value) = point.values.iter().find(|(name, _)| name == "position")?;
    let mut at = [0.0; 3];
    at.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
    at.iter().all(|part| part.is_finite()).then_some(at)
}
