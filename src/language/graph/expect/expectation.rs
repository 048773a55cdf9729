//! An expectation: which wire is measured in which frames, and between which bounds.

use std::fmt;

/// A checked expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// What is measured.
    pub subject: ExpectSubject,
    /// The frames after which it is checked.
    pub frames: Frames,
    /// What is computed from the measured values.
    pub statistic: Statistic,
    /// The component of vectors and colours. When `None`, the length of vectors, or all channels of an image.
    pub component: Option<u32>,
    /// The expected value.
    pub bound: Bound,
    /// Checked only on an adapter whose name contains this, in lower case.
    pub adapter: Option<String>,
    /// Why the expectation is not checked: it belongs to another variant of the graph.
    pub other_variant: Option<String>,
    /// The user's note, shown with the result.
    pub comment: String,
    /// Path of the node that it refers to.
    pub node: String,
}

/// The value that an expectation refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExpectSubject {
    /// The image of an Output node.
    Image(String),
    /// A number node, by `node.value`.
    Number(String),
    /// A wire with its own memory, by `node.port`.
    Wire(String),
    /// An attribute of a particle set: the set by `node.port`, and the attribute.
    Attribute(String, String),
}

impl fmt::Display for ExpectSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectSubject::Image(name) | ExpectSubject::Number(name) | ExpectSubject::Wire(name) => f.write_str(name),
            ExpectSubject::Attribute(set, attribute) => write!(f, "{set}.{attribute}"),
        }
    }
}

/// The frames after which an expectation is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Sorted.
    pub(super) at: Vec<u64>,
    /// The interval in frames, and the last frame.
    pub(super) every: Option<(u64, u64)>,
}

impl Frames {
    /// Whether the expectation is checked after this frame, counted from 1.
    pub fn contains(&self, frame: u64) -> bool {
        self.at.binary_search(&frame).is_ok()
            || self.every.is_some_and(|(every, to)| frame > 0 && frame <= to && frame.is_multiple_of(every))
    }

    /// The last frame that is checked.
    pub fn last(&self) -> u64 {
        let every = self.every.map(|(every, to)| to - to % every);
        self.at.iter().copied().chain(every).max().unwrap_or(0)
    }

    /// The first frame that is checked.
    pub fn first(&self) -> u64 {
        self.at.iter().copied().chain(self.every.map(|(every, _)| every)).min().unwrap_or(0)
    }

    /// Number of frames that are checked.
    pub fn count(&self) -> u64 {
        let alone = self.at.iter().filter(|frame| !self.every.is_some_and(|(n, to)| **frame <= to && **frame % n == 0));
        alone.count() as u64 + self.every.map_or(0, |(every, to)| to / every)
    }
}

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at: Vec<String> = self.at.iter().map(u64::to_string).collect();
        match (at.as_slice(), self.every) {
            ([], Some((every, to))) => write!(f, "every {every} frames to {to}"),
            ([one], None) => write!(f, "frame {one}"),
            (many, None) => write!(f, "frames {}", many.join(", ")),
            (many, Some((every, to))) => write!(f, "frames {}, every {every} to {to}", many.join(", ")),
        }
    }
}

/// A statistic of a wire or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The value of a single number.
    Value,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The mean of all values.
    Mean,
    /// The sum of all values.
    Sum,
    /// Root mean square.
    Rms,
    /// Number of elements: cells, faces, live particles.
    Count,
    /// How many numbers are NaN.
    Nan,
    /// How many numbers are infinite.
    Infinite,
    /// The components of a cell, along x, y, z; of a face grid those of the lower faces of the cell.
    Cell([u32; 3]),
    /// The components of a particle by its index, while it is alive.
    Particle(u32),
}

impl Statistic {
    /// All statistics of many values, by name.
    pub const NAMED: [(&'static str, Statistic); 8] = [
        ("min", Statistic::Min),
        ("max", Statistic::Max),
        ("mean", Statistic::Mean),
        ("sum", Statistic::Sum),
        ("rms", Statistic::Rms),
        ("count", Statistic::Count),
        ("nan", Statistic::Nan),
        ("infinite", Statistic::Infinite),
    ];

    /// The statistic of this name.
    pub fn parse(name: &str) -> Option<Statistic> {
        Statistic::NAMED.iter().find(|(listed_name, _)| *listed_name == name).map(|(_, statistic)| *statistic)
    }

    /// The name in graph files; empty for the value itself, and for one of many.
    pub fn name(self) -> &'static str {
        Statistic::NAMED.iter().find(|(_, statistic)| *statistic == self).map_or("", |(name, _)| name)
    }

    /// Whether the statistic counts elements, so that it is one number for any wire.
    pub fn counts(self) -> bool {
        matches!(self, Statistic::Count | Statistic::Nan | Statistic::Infinite)
    }
}

/// The expected value.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// One value for all components, or one for each.
    Equals(Vec<f64>, Tolerance),
    /// Minimum and maximum.
    Within(f64, f64),
    /// Smaller than this.
    Below(f64),
    /// Larger than this.
    Above(f64),
    /// The value after an earlier frame.
    UnchangedSince(u64, Tolerance),
    /// Hash of all bits; specific to one adapter and driver.
    Hash(u128),
}

/// Allowed difference from the expected value: the larger of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Difference in the unit of the value.
    pub absolute: f64,
    /// Relative to the expected value.
    pub relative: f64,
}

impl Tolerance {
    /// The allowed difference from this value.
    pub fn around(self, value: f64) -> f64 {
        self.absolute.max(self.relative * value.abs())
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.absolute > 0.0, self.relative > 0.0) {
            (false, false) => Ok(()),
            (true, false) => write!(f, " ± {}", plain(self.absolute)),
            (false, true) => write!(f, " ± {} %", plain(100.0 * self.relative)),
            (true, true) => write!(f, " ± {} or {} %", plain(self.absolute), plain(100.0 * self.relative)),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Equals(values, tolerance) => write!(f, "= {}{tolerance}", list(values)),
            Bound::Within(low, high) => write!(f, "within {}..{}", plain(*low), plain(*high)),
            Bound::Below(high) => write!(f, "below {}", plain(*high)),
            Bound::Above(low) => write!(f, "above {}", plain(*low)),
            Bound::UnchangedSince(frame, tolerance) => write!(f, "unchanged since frame {frame}{tolerance}"),
            Bound::Hash(hash) => write!(f, "hash {hash:032x}"),
        }
    }
}

/// A number in readable notation: seven digits, and a power of ten where it is very large or small.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e15 {
        return format!("{}", value + 0.0);
    }
    if !value.is_finite() {
        return if value.is_nan() { "NaN".into() } else { value.to_string() };
    }
    let digits = if (1e-3..1e7).contains(&size) {
        let before = size.log10().floor() as i32 + 1;
        format!("{value:.*}", (7 - before).clamp(0, 9) as usize)
    } else {
        format!("{value:.6e}")
    };
    match digits.split_once('e') {
        None => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        Some((digits, power)) => format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.')),
    }
}

/// One number, or several in brackets.
pub fn list(values: &[f64]) -> String {
    match values {
        [one] => plain(*one),
        many => format!("({})", many.iter().map(|v| plain(*v)).collect::<Vec<_>>().join(", ")),
    }
}

impl Expectation {
    /// The expectation in one line: `pressure.value max within 0..2.5`.
    pub fn claim(&self) -> String {
        let mut text = self.subject.to_string();
        if self.statistic != Statistic::Value {
            text = format!("{text} {}", self.statistic.name());
        }
        if let Some(component) = self.component {
            text = format!("{text} of component {component}");
        }
        format!("{text} {}", self.bound)
    }
}

/// The number as rounded by [`plain`].
pub fn rounded(value: f64) -> f64 {
    plain(value).parse().unwrap_or(value)
}
