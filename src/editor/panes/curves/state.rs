//! State of the curve pane: what is in sight and selected, what was asked for, and the gesture of the pointer.

use std::collections::{BTreeMap, BTreeSet};

use eframe::egui::{Pos2, Rect, Ui};

use super::plot::Sight;
use super::track::{Kind, Spot, Track};

/// What was asked for by a key, a button or the menu.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    Delete,
    SelectAll,
    Fit,
    Copy,
    Cut,
    Paste(String),
    Kind(Kind),
}

/// What is under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Hit {
    Key(Spot),
    /// The handle before or after a key.
    Handle(Spot, bool),
}

/// A gesture. Everything is as it was when it began, so that nothing adds up.
pub(super) struct Drag {
    pub grip: Grip,
    pub from: Pos2,
    pub tracks: Vec<Track>,
    pub chosen: BTreeSet<Spot>,
    pub sight: Sight,
}

/// Grip of a gesture: a key or a handle, the view, the playhead, or a box.
pub(super) enum Grip {
    Hit(Hit),
    /// A box that selects.
    Box,
    Pan,
    Playhead,
}

impl Drag {
    /// The box that is being drawn.
    pub(super) fn area(&self, ui: &Ui) -> Option<Rect> {
        let pointer = ui.input(|input| input.pointer.latest_pos())?;
        matches!(self.grip, Grip::Box).then(|| Rect::from_two_pos(self.from, pointer))
    }
}

/// What is in sight and selected.
#[derive(Default)]
pub(crate) struct CurvePane {
    /// Where the user has panned or zoomed; otherwise all keys are in sight.
    pub(super) sight: Option<Sight>,
    pub(super) chosen: BTreeSet<Spot>,
    pub(super) drag: Option<Drag>,
    /// Components of values that are not shown.
    pub(super) hidden: BTreeSet<(String, usize)>,
    /// Keys may be moved between frames.
    pub(super) between: bool,
    pub(super) wishes: Vec<Wish>,
    /// The frame that the playhead was dragged to.
    pub(super) dragged_frame: Option<u64>,
    /// Each curve fills the height of the plot.
    pub(super) normalized: bool,
    /// Minimum and range of each curve then, by value and component.
    pub(super) spans: BTreeMap<(String, usize), (f64, f64)>,
}

impl CurvePane {
    /// The value at the bottom, and the range up to the top, of a curve that fills the plot; 0 and 1 where values are as they are.
    pub(super) fn span(&self, track: &Track, part: usize) -> (f64, f64) {
        self.spans.get(&(track.path(), part)).copied().unwrap_or((0.0, 1.0))
    }

    /// The height of a value in the plot.
    pub(super) fn up(&self, track: &Track, part: usize, value: f64) -> f64 {
        let (low, range) = self.span(track, part);
        (value - low) / range
    }

    pub(super) fn shows(&self, track: &Track, part: usize) -> bool {
        !self.hidden.contains(&(track.path(), part))
    }
}
