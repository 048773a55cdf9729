//! State of a gesture of the pointer over the canvas: what it holds, where it began, and what it would do.

use std::collections::BTreeSet;

use eframe::egui::{Pos2, Rect, Vec2};

use crate::edit::InputEnd;

/// Nodes that are dragged: where the pointer pressed, and where they were then \[points of the document\].
#[derive(Clone, Debug)]
pub(super) struct Grip {
    pub press: Vec2,
    pub places: Vec<(String, Vec2)>,
    /// Around them, as they were shown.
    pub area: Rect,
}

/// A frame that is dragged.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub index: usize,
    /// The nodes that move with it; none while it is resized.
    pub nodes: BTreeSet<String>,
    pub resize: bool,
}

/// Effect of a stroke on the wires that it crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Cut,
    Dot,
}

/// A stroke that is being made.
#[derive(Clone, Debug)]
pub(super) struct Stroke {
    pub tool: Tool,
    pub path: Vec<Pos2>,
}

/// A line that dragged nodes and others share, from end to end \[points of the document\].
pub(super) type Guide = [Pos2; 2];

/// What the pointer is doing, from the press to the release.
#[derive(Default)]
pub(super) struct Gesture {
    pub grip: Option<Grip>,
    /// The grip has moved its nodes.
    pub moved: bool,
    pub held_frame: Option<Held>,
    pub stroke: Option<Stroke>,
    /// The input whose wire is dragged, until it is released.
    pub picked: Option<InputEnd>,
    /// The input whose dragged wire was released in this frame.
    pub taken_off: Option<InputEnd>,
    /// Escape has cancelled it.
    pub escaped: bool,
    /// The end of the wire that the dragged node would be inserted into.
    pub target: Option<InputEnd>,
    /// What the dragged nodes line up with.
    pub guides: Vec<Guide>,
}
