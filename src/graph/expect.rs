//! Checks the expectations of a document against its graph. An invalid one is a warning, since it never keeps a graph
//! from running.

use std::fmt;

use super::{Graph, Kind, NodeId, Source};
use crate::document::{Document, Expect, NodeKind};
use crate::problem::Problem;
use crate::stage::types::{ValueType, WireType};

/// Limit of frame numbers; a larger one is probably a mistake.
const LAST_FRAME: u64 = 1_000_000;
/// Hexadecimal digits of a hash.
const DIGITS: usize = 32;

/// A checked expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// What is measured.
    pub subject: Subject,
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
    /// The user's note, shown with the result.
    pub comment: String,
    /// Path of the node that it refers to.
    pub node: String,
}

/// The value that an expectation refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The image of an Output node.
    Image(String),
    /// A number node, by `node.value`.
    Number(String),
    /// A wire with its own memory, by `node.port`.
    Wire(String),
    /// An attribute of a particle set: the set by `node.port`, and the attribute.
    Attribute(String, String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Image(name) | Subject::Number(name) | Subject::Wire(name) => f.write_str(name),
            Subject::Attribute(set, attribute) => write!(f, "{set}.{attribute}"),
        }
    }
}

/// The frames after which an expectation is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Sorted.
    at: Vec<u64>,
    /// The interval in frames, and the last frame.
    every: Option<(u64, u64)>,
}

impl Frames {
    /// Whether it is checked after this frame, counted from 1.
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
}

impl Statistic {
    /// All statistics but the value itself, by name.
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

    fn parse(name: &str) -> Option<Statistic> {
        Statistic::NAMED.iter().find(|(known, _)| *known == name).map(|(_, statistic)| *statistic)
    }

    /// The name in graph files; empty for the value itself.
    pub fn name(self) -> &'static str {
        Statistic::NAMED.iter().find(|(_, statistic)| *statistic == self).map_or("", |(name, _)| name)
    }

    /// Whether it counts elements, so that it is one number for any wire.
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
    /// The same value as after an earlier frame.
    UnchangedSince(u64, Tolerance),
    /// Hash of all bits; specific to one adapter and driver.
    Hash(u128),
}

/// Allowed difference from the expected value: the larger of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the unit of the value.
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

/// The expectations of a document in its order, with a Problem in place of an invalid one.
pub fn check(document: &Document, graph: &Graph) -> Vec<Result<Expectation, Problem>> {
    let one = |(index, expect): (usize, &Expect)| {
        checked(expect, document, graph).map_err(|Fault { node, port, cause, remedy }| {
            Problem::new(&node, &port, format!("expectation {}: {cause}", index + 1), remedy).warning()
        })
    };
    document.expect.iter().enumerate().map(one).collect()
}

/// Why an expectation or a measurement is invalid.
pub(super) struct Fault {
    pub node: String,
    pub port: String,
    pub cause: String,
    pub remedy: String,
}

impl Fault {
    pub(super) fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault { node: String::new(), port: String::new(), cause: cause.into(), remedy: remedy.into() }
    }
}

fn checked(expect: &Expect, document: &Document, graph: &Graph) -> Result<Expectation, Fault> {
    let target = target(expect, document, graph)?;
    let at = |fault: Fault| Fault { node: target.node.clone(), port: target.port.clone(), ..fault };
    let frames = frames(expect).map_err(at)?;
    let bound = bound(expect, &frames).map_err(at)?;
    let statistic = statistic(expect, &target, &bound).map_err(at)?;
    components(expect, &target, statistic, &bound).map_err(at)?;
    Ok(Expectation {
        subject: target.subject,
        frames,
        statistic,
        component: expect.component,
        bound,
        adapter: expect.adapter.as_ref().map(|name| name.to_lowercase()),
        comment: expect.comment.clone(),
        node: target.node,
    })
}

/// The subject of an expectation, and what it carries.
pub(super) struct Target {
    node: String,
    port: String,
    pub subject: Subject,
    carries: Carries,
}

enum Carries {
    Image,
    /// One value with this many components; 0 where their number is not known yet.
    One(u32),
    /// Elements with this many components.
    Many(u32),
}

pub(super) fn target(expect: &Expect, document: &Document, graph: &Graph) -> Result<Target, Fault> {
    let (scope, link) = expect.target();
    let path = scope.path(&link.node);
    if link.node.is_empty() {
        return Err(Fault::new("it does not name a value", "give `of`, for example of: \"velocity.value\""));
    }
    let Some(index) = graph.node(&path) else {
        return Err(match document.node(&path) {
            None => Fault::new(format!("there is no node `{path}`"), "correct `of`, or remove the expectation"),
            Some(node) => {
                let cause = match &node.kind {
                    _ if node.muted => "the node is bypassed, so it is not computed",
                    NodeKind::Domain(_) => "a domain has no value",
                    NodeKind::Reroute => "a reroute has no value of its own",
                    _ => "the node is not part of the graph that runs",
                };
                Fault { node: path.clone(), ..Fault::new(cause, "name the node that computes the value") }
            }
        });
    };
    let at = |fault: Fault| Fault { node: path.clone(), port: link.port.clone(), ..fault };
    let entry = graph.nodes.get(index).ok_or_else(|| Fault::new("the node is gone", "compile the graph again"))?;
    let target = |subject, carries| Target { node: path.clone(), port: link.port.clone(), subject, carries };
    match &entry.kind {
        Kind::Output { .. } if link.port.is_empty() => {
            return Ok(target(Subject::Image(path.clone()), Carries::Image));
        }
        Kind::Output { .. } => {
            return Err(at(Fault::new("an Output has no ports to name", format!("write of: \"{path}\""))));
        }
        Kind::Number if ["", "value"].contains(&link.port.as_str()) => {
            return Ok(target(Subject::Number(format!("{path}.value")), Carries::One(0)));
        }
        Kind::Number => return Err(at(Fault::new("a number node has one port, `value`", "leave the port out"))),
        _ => {}
    }
    let (port, attribute) = port(graph, index, &link.port).map_err(at)?;
    let wire = format!("{path}.{}", graph.port_name(index, port));
    let source = Source::Wire { node: index, port };
    let (ty, holder) = carried(graph, &source, 0).ok_or_else(|| {
        at(Fault::new("the wire carries a constant, which needs no check", "name a wire that the graph computes"))
    })?;
    let dim = graph.nodes.get(holder).and_then(|n| graph.domains.get(n.domain?)).map_or(2, |d| d.dim);
    let one = |value: ValueType| Carries::One(value.components(dim));
    let many = |value: ValueType| Carries::Many(value.components(dim));
    let carries = match (ty, attribute) {
        (WireType::Particles, Some(attribute)) => {
            let set = graph.nodes.get(holder).and_then(|node| node.set.as_ref());
            let known = set.and_then(|set| set.attributes.get(attribute));
            let ty = match (attribute, known) {
                ("count", _) => return Ok(target(Subject::Attribute(wire, "count".into()), Carries::One(1))),
                (_, Some(ty)) => *ty,
                (_, None) => {
                    let has = set.into_iter().flat_map(|set| set.attributes.keys()).map(String::as_str);
                    let has: Vec<&str> = has.chain(["count"]).collect();
                    let remedy = format!("name one of: {}", has.join(", "));
                    return Err(at(Fault::new(format!("the particles have no attribute `{attribute}`"), remedy)));
                }
            };
            return Ok(target(Subject::Attribute(wire, attribute.to_string()), many(ty)));
        }
        (WireType::Particles, None) => {
            let cause = "the wire carries particles, and no attribute is named";
            return Err(at(Fault::new(cause, format!("write for example of: \"{wire}.position\""))));
        }
        (_, Some(attribute)) => {
            let cause = format!("the wire has no attribute `{attribute}`; it does not carry particles");
            return Err(at(Fault::new(cause, format!("write of: \"{wire}\""))));
        }
        (WireType::Field(_), None) => {
            let cause = "the wire carries a field, which has no memory of its own";
            return Err(at(Fault::new(cause, "connect it to grid/from_field, and name the output of that")));
        }
        (WireType::NeighborGrid, None) => {
            let cause = "statistics are not defined for a neighbour grid";
            return Err(at(Fault::new(cause, "name an attribute of the particles instead")));
        }
        (WireType::Number(ValueType::Camera), None) => {
            let cause = "statistics are not defined for a camera";
            return Err(at(Fault::new(cause, "name the image instead")));
        }
        (WireType::Number(value), None) => one(value),
        (WireType::FaceGrid, None) => many(ValueType::Vec),
        (WireType::Grid(value) | WireType::Attribute(value), None) => many(value),
    };
    Ok(target(Subject::Wire(wire), carries))
}

/// The port of a node that a wire's name refers to, and the attribute after it.
fn port<'t>(graph: &Graph, node: NodeId, text: &'t str) -> Result<(usize, Option<&'t str>), Fault> {
    let entry = graph.nodes.get(node);
    let count = entry.map_or(0, |entry| match &entry.kind {
        Kind::Group(group) => group.outputs.len(),
        _ => entry.outputs.len(),
    });
    let names: Vec<String> = (0..count).map(|port| graph.port_name(node, port)).collect();
    let (first, rest) = match text.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (text, None),
    };
    if let Some(port) = names.iter().position(|name| name == first) {
        return Ok((port, rest));
    }
    let particles = entry.is_some_and(|entry| matches!(entry.kind, Kind::State(_)) && entry.set.is_some());
    match (count, text) {
        (1, "") => Ok((0, None)),
        // `drops.position` is `drops.value.position`.
        (1, attribute) if particles => Ok((0, Some(attribute))),
        (0, _) => Err(Fault::new("the node has no outputs", "name another node")),
        _ => {
            let cause = match text {
                "" => "the node has several outputs, and none is named".to_string(),
                port => format!("the node has no output `{port}`"),
            };
            Err(Fault::new(cause, format!("name one of: {}", names.join(", "))))
        }
    }
}

/// What a wire carries, and the node that computes it, looking into groups.
fn carried(graph: &Graph, source: &Source, depth: usize) -> Option<(WireType, NodeId)> {
    // A wire passes each node at most once.
    if depth > graph.nodes.len() {
        return None;
    }
    match source {
        Source::Wire { node, port } => {
            let entry = graph.nodes.get(*node)?;
            match &entry.kind {
                Kind::Group(group) => carried(graph, &group.outputs.get(*port)?.1, depth + 1),
                Kind::Number => None,
                _ => Some((*entry.outputs.get(*port)?, *node)),
            }
        }
        Source::GroupInput { group, input } => {
            carried(graph, &graph.nodes.get(*group)?.inputs.get(*input)?.source, depth + 1)
        }
        Source::Setting(_) | Source::Nothing => None,
    }
}

fn frames(expect: &Expect) -> Result<Frames, Fault> {
    let remedy = "give frames from 1, for example at: 60, at: [1, 60], or every: 10, to: 60";
    let every = match (expect.every, expect.to) {
        (Some(every), Some(to)) => Some((every, to)),
        (Some(_), None) => return Err(Fault::new("`every` needs a last frame", "add `to`, for example to: 60")),
        (None, Some(_)) => return Err(Fault::new("`to` goes with `every`", "add `every`, or use `at`")),
        (None, None) => None,
    };
    if expect.at.is_empty() && every.is_none() {
        return Err(Fault::new("it names no frame", remedy));
    }
    if expect.at.contains(&0) || every.is_some_and(|(every, _)| every == 0) {
        return Err(Fault::new("frame 0 is before the first frame", remedy));
    }
    if let Some((every, to)) = every.filter(|(every, to)| to < every) {
        return Err(Fault::new(format!("no frame to {to} is a multiple of {every}"), remedy));
    }
    let mut at = expect.at.clone();
    at.sort_unstable();
    at.dedup();
    let frames = Frames { at, every };
    if frames.last() > LAST_FRAME {
        return Err(Fault::new(format!("frame {} is beyond frame {LAST_FRAME}", frames.last()), "name earlier frames"));
    }
    Ok(frames)
}

fn bound(expect: &Expect, frames: &Frames) -> Result<Bound, Fault> {
    let tolerance = tolerance(expect)?;
    let finite = |value: f64| match value.is_finite() {
        true => Ok(value),
        false => Err(Fault::new(format!("{value} is not a bound"), "give a finite number")),
    };
    let mut bounds = Vec::new();
    if let Some(values) = &expect.equals {
        if values.is_empty() {
            return Err(Fault::new("`equals` holds no number", "give one, or one for each component"));
        }
        values.iter().try_for_each(|value| finite(*value).map(drop))?;
        bounds.push(Bound::Equals(values.clone(), tolerance.unwrap_or_default()));
    }
    if let Some((low, high)) = expect.within {
        // This also rejects NaN.
        if !matches!(low.partial_cmp(&high), Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)) {
            let cause = format!("{}..{} holds no number", plain(low), plain(high));
            return Err(Fault::new(cause, "give the lower bound first: within: (0, 2.5)"));
        }
        bounds.push(Bound::Within(low, high));
    }
    if let Some(high) = expect.below {
        bounds.push(Bound::Below(finite(high)?));
    }
    if let Some(low) = expect.above {
        bounds.push(Bound::Above(finite(low)?));
    }
    if let Some(since) = expect.unchanged_since {
        if since == 0 || since >= frames.first() {
            let cause = format!("frame {since} is not before the first frame that is compared with it");
            return Err(Fault::new(cause, "give an earlier frame as `unchanged_since`, from 1"));
        }
        bounds.push(Bound::UnchangedSince(since, tolerance.unwrap_or_default()));
    }
    if let Some(text) = &expect.hash {
        let hash = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == DIGITS && !text.starts_with('+'));
        let remedy = "copy the hash that `stagewright test` prints";
        let wrong = || Fault::new(format!("`{text}` is not {DIGITS} hexadecimal digits"), remedy);
        bounds.push(Bound::Hash(hash.ok_or_else(wrong)?));
    }
    let remedy = "give one of equals, within, below, above, unchanged_since and hash";
    let [bound] = <[Bound; 1]>::try_from(bounds).map_err(|bounds| match bounds.is_empty() {
        true => Fault::new("it does not say what is expected", remedy),
        false => Fault::new("it states more than one bound", format!("{remedy}, and another expectation for the rest")),
    })?;
    if tolerance.is_some() && !matches!(bound, Bound::Equals(..) | Bound::UnchangedSince(..)) {
        let cause = "a tolerance goes with `equals` and `unchanged_since` only";
        return Err(Fault::new(cause, "remove `tolerance` and `relative`"));
    }
    Ok(bound)
}

fn tolerance(expect: &Expect) -> Result<Option<Tolerance>, Fault> {
    for (name, value) in [("tolerance", expect.tolerance), ("relative", expect.relative)] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Fault::new(format!("`{name}` is {}", plain(value)), "give a number of at least 0"));
        }
    }
    let (absolute, relative) = (expect.tolerance.unwrap_or(0.0), expect.relative.unwrap_or(0.0));
    let given = expect.tolerance.is_some() || expect.relative.is_some();
    Ok(given.then_some(Tolerance { absolute, relative }))
}

pub(super) fn statistic(expect: &Expect, target: &Target, bound: &Bound) -> Result<Statistic, Fault> {
    let names: Vec<&str> = Statistic::NAMED.iter().map(|(name, _)| *name).collect();
    let choose = format!("choose one of: {}", names.join(", "));
    let named = match expect.statistic.as_deref() {
        None => None,
        Some(name) => match Statistic::parse(name) {
            Some(statistic) => Some(statistic),
            None => return Err(Fault::new(format!("there is no statistic `{name}`"), choose)),
        },
    };
    match (bound, named, &target.carries) {
        (Bound::Hash(_), Some(_), _) => Err(Fault::new("a hash is of all bits", "remove `statistic`")),
        (Bound::Hash(_), None, _) if matches!(target.subject, Subject::Number(_)) => {
            Err(Fault::new("a number node has no hash", "use `equals`"))
        }
        (Bound::Hash(_), None, _) => Ok(Statistic::Value),
        (_, Some(Statistic::Nan | Statistic::Infinite), Carries::Image) => {
            let cause = "the colours of an image are whole numbers, never NaN or infinite";
            Err(Fault::new(cause, "name the wire that the image is made from"))
        }
        (_, Some(statistic), _) => Ok(statistic),
        (_, None, Carries::One(_)) => Ok(Statistic::Value),
        (_, None, Carries::Image) => Err(Fault::new("an image has many values, and no statistic is named", choose)),
        (_, None, Carries::Many(_)) => Err(Fault::new("the wire has many values, and no statistic is named", choose)),
    }
}

/// Checks that the component exists, and that the number of expected values is right.
pub(super) fn components(expect: &Expect, target: &Target, statistic: Statistic, bound: &Bound) -> Result<(), Fault> {
    let has = match target.carries {
        Carries::Image => 4,
        Carries::One(components) | Carries::Many(components) => components,
    };
    if let Some(component) = expect.component {
        if matches!(bound, Bound::Hash(_)) || statistic == Statistic::Count {
            return Err(Fault::new("a hash and a count are of all components", "remove `component`"));
        }
        if has > 0 && component >= has {
            return Err(Fault::new(format!("there is no component {component}, only {has} from 0"), "choose another"));
        }
    }
    let Bound::Equals(values, _) = bound else { return Ok(()) };
    let gives = match target.carries {
        _ if expect.component.is_some() || statistic.counts() => 1,
        Carries::Image => 3,
        Carries::One(components) if statistic == Statistic::Value => components as usize,
        Carries::One(_) | Carries::Many(_) => 1,
    };
    if values.len() == 1 || gives == 0 || values.len() == gives {
        return Ok(());
    }
    let cause = format!("`equals` holds {} numbers for {gives}", values.len());
    Err(Fault::new(cause, if gives == 1 { "give one number" } else { "give one number, or one for each component" }))
}

/// The number as rounded by [`plain`].
pub fn rounded(value: f64) -> f64 {
    plain(value).parse().unwrap_or(value)
}
