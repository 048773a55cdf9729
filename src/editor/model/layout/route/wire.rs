//! A wire between two ports, its way, and how far that stays from nodes.

use eframe::egui::Pos2;

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
pub(super) const CLEAR: f32 = 10.0;
pub(crate) const LEAST: f32 = 7.0;
