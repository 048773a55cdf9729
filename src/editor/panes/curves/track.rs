//! Values with keys, the points of their curves, and the kinds of tangents.

use crate::curve::{Keyframes, Tangent};
use crate::model::declared::declared;
use crate::model::session::Session;
use crate::stage::header::ParamType;
use crate::stage::types::Scalar;

/// A value with keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Track {
    pub node: String,
    pub param: String,
    pub keys: Keyframes,
    /// Values outside are errors.
    pub range: (Option<f64>, Option<f64>),
    /// Whether the value takes whole numbers.
    pub whole: bool,
}

impl Track {
    pub(super) fn path(&self) -> String {
        format!("{}.{}", self.node, self.param)
    }

    /// The name of a component in the list.
    pub(super) fn label(&self, part: usize, path: bool) -> String {
        let node = self.node.rsplit('/').next().unwrap_or(&self.node);
        let name = if path { format!("{node}.{}", self.param) } else { self.param.clone() };
        match (self.keys.components(), ["x", "y", "z", "w"].get(part)) {
            (2.., Some(axis)) => format!("{name} {axis}"),
            _ => name,
        }
    }

    /// The nearest value that the parameter takes.
    pub(super) fn fit(&self, value: f64) -> f64 {
        let value = if self.whole { value.round() } else { value };
        let value = self.range.0.map_or(value, |low| value.max(low));
        self.range.1.map_or(value, |high| value.min(high))
    }
}

/// One component of a key: a point of a curve. By the path of the value, and the index of the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub value: String,
    pub key: usize,
    pub part: usize,
}

/// A tangent without its slopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Auto,
    Linear,
    Step,
    Free,
}

impl Kind {
    pub(super) const ALL: [(Kind, &'static str, &'static str); 4] = [
        (Kind::Auto, "Auto", "Smooth, and never beyond the values of the neighbours"),
        (Kind::Linear, "Linear", "Straight lines to the neighbours"),
        (Kind::Step, "Step", "Keeps the value until the next key"),
        (Kind::Free, "Free", "Slopes set by hand: drag the handles of a selected key"),
    ];

    pub(super) fn of(tangent: &Tangent) -> Kind {
        match tangent {
            Tangent::Auto => Kind::Auto,
            Tangent::Linear => Kind::Linear,
            Tangent::Step => Kind::Step,
            Tangent::Free(..) => Kind::Free,
        }
    }
}

/// The values with keys of the selected nodes, or of the open level.
pub(super) fn tracks(session: &Session) -> Vec<Track> {
    let declared = |node: &str, param: &str| {
        let name = node.rsplit('/').next().unwrap_or(node);
        let params = declared(session.nodes().get(name)?, session.library());
        params.into_iter().find(|declared| declared.name == param)
    };
    let tracks = session.keyed_values().into_iter().map(|(node, param, keys)| {
        let declared = declared(&node, &param);
        // With an expression the range is that of its result.
        let range = declared.as_ref().filter(|_| keys.expr.is_none()).map_or((None, None), |param| param.range);
        let whole = declared.is_some_and(|param| match param.ty {
            ParamType::Bool => true,
            ty => ty.value().scalar() != Scalar::F32,
        });
        Track { node, param, keys, range, whole }
    });
    tracks.collect()
}

/// Frames and values of a curve between its ends. It may go beyond its keys.
pub(super) fn samples(track: &Track, part: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
    let keys = &track.keys.keys;
    let ends = (keys.first().map_or(0.0, |key| key.frame), keys.last().map_or(0.0, |key| key.frame));
    let between = (0..=64).map(move |step| ends.0 + (ends.1 - ends.0) * f64::from(step) / 64.0);
    let frames = keys.iter().map(|key| key.frame).chain(between);
    frames.map(move |frame| (frame, track.keys.component(part, frame)))
}

/// Minimum and range of a curve.
pub(super) fn span(track: &Track, part: usize) -> (f64, f64) {
    let ends = |(low, high): (f64, f64), (_, value): (f64, f64)| (low.min(value), high.max(value));
    let (low, high) = samples(track, part).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if high > low { (low, high - low) } else { (low - 0.5, 1.0) }
}
