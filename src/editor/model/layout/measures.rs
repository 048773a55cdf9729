//! Sizes on the canvas that layouts count with, in points at zoom 1: of nodes and frames, the gaps between them, and of the canvas itself.

use eframe::egui::{Vec2, vec2};

use crate::edit::NodeSignature;

/// Width of a node at zoom 1 \[points\]; the crate's own.
pub(crate) const WIDTH: f32 = 200.0;

/// Gap between two columns, and between two nodes of a column \[points\].
pub(super) const GAP: Vec2 = vec2(48.0, 22.0);
/// Gap between two rows of columns \[points\].
pub(super) const ROW_GAP: f32 = 54.0;
/// The canvas that layouts are made for: that of a window of 1600 x 1000 points, without margins.
pub(super) const CANVAS: Vec2 = vec2(836.0, 516.0);
/// Margin of a frame around its nodes, in which wires have room, and the height of its title \[points\].
pub(super) const FRAME: Vec2 = vec2(34.0, 28.0);
pub(super) const FRAME_TITLE: f32 = 30.0;

/// Distance of two ports of a node \[points\].
pub(crate) const PORT: f32 = 21.5;

/// Estimated size of a node on the canvas before it is drawn \[points\].
pub(crate) fn node_size(signature: &NodeSignature) -> Vec2 {
    vec2(WIDTH, 60.5 + PORT * (signature.inputs.len() + signature.outputs.len()) as f32)
}

/// Estimated distance of the port of a row from the top before it is drawn \[points\].
pub(crate) fn port_height(row: usize) -> f32 {
    42.75 + PORT * row as f32
}
