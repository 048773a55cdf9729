//! The part of the open level that is in view, and what the view is to be moved to.

use std::collections::BTreeMap;

use eframe::egui::{Rect, Vec2};

use crate::document::Scope;

/// What the view is to be moved to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Framing {
    /// All nodes, or as many from the left as are readable.
    Start,
    All,
    Selection,
    /// A point of the document in the middle of the view, at a zoom.
    Place {
        center: Vec2,
        zoom: f32,
    },
}

/// The viewport of a level when it was left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub pan: Vec2,
    pub zoom: f32,
}

/// Below this zoom, names do not fit on their nodes.
pub(super) const READABLE: f32 = 0.27;

/// The part of the open level that is in view.
#[derive(Debug)]
pub(super) struct Viewport {
    /// The canvas in the window.
    pub rect: Rect,
    /// Where the document's origin lies, from the upper left corner \[points\].
    pub pan: Vec2,
    pub zoom: f32,
    /// Where to move when the canvas is drawn next.
    pub framing: Option<Framing>,
    /// Whether to bring the selection into view then, if it is out of view.
    pub reveal: bool,
    /// Where the level was opened, and what was around its nodes then: it is framed again when nodes grow before the view was moved.
    pub opened: Option<(Spot, Rect)>,
    /// Levels that were open before.
    pub spots: BTreeMap<Scope, Spot>,
}

impl Default for Viewport {
    fn default() -> Viewport {
        let rect = Rect::ZERO;
        let pan = Vec2::ZERO;
        let zoom = 1.0;
        Viewport { rect, pan, zoom, framing: Some(Framing::Start), reveal: false, opened: None, spots: BTreeMap::new() }
    }
}
