//! Where the nodes and frames of a document lie.

use eframe::egui::{Rect, Vec2, vec2};

use crate::document::{Frame, Level, Nodes};
use crate::edit::{IN, OUT};

/// The smallest size of a frame \[points of the document\].
pub(crate) const MIN_FRAME: Vec2 = vec2(80.0, 50.0);

/// A node's position on a level \[points\], finite whatever the file says.
pub(crate) fn node_position(level: Level<'_>, name: &str) -> Vec2 {
    let at = match (name, level.group()) {
        (IN, Some(group)) => group.inputs_at.unwrap_or_else(|| border_position(&group.nodes, false)),
        (OUT, Some(group)) => group.outputs_at.unwrap_or_else(|| border_position(&group.nodes, true)),
        _ => level.nodes().get(name).map_or((0.0, 0.0), |node| node.at),
    };
    finite(vec2(at.0, at.1))
}

/// The default position of the block of a group's inputs or outputs.
fn border_position(nodes: &Nodes, right: bool) -> (f32, f32) {
    let places = nodes.values().map(|node| node.at);
    let edge = |pick: fn(f32, f32) -> f32, start| places.clone().map(|at| at.0).fold(start, pick);
    let height = places.clone().map(|at| at.1).sum::<f32>() / nodes.len().max(1) as f32;
    let x = if nodes.is_empty() {
        if right { 300.0 } else { -300.0 }
    } else if right {
        edge(f32::max, f32::MIN) + 280.0
    } else {
        edge(f32::min, f32::MAX) - 280.0
    };
    (x, height)
}

/// Moves a position that is not finite, or too far out for f32 to tell neighbouring points apart, to one that is neither.
pub(crate) fn finite(at: Vec2) -> Vec2 {
    const FAR: f32 = 1e5;
    let part = |v: f32| if v.is_finite() { v.clamp(-FAR, FAR) } else { 0.0 };
    vec2(part(at.x), part(at.y))
}

/// The area of a frame \[points of the document\].
pub(crate) fn frame_area(frame: &Frame) -> Rect {
    let (at, size) = (vec2(frame.at.0, frame.at.1), vec2(frame.size.0, frame.size.1));
    Rect::from_min_size(finite(at).to_pos2(), finite(size).max(MIN_FRAME))
}
