//! The checks.

use super::{Bound, ExpectSubject, Expectation, Frames, Statistic, Tolerance, plain};
use crate::document::{self, Document, Expect};
use crate::graph::{Graph, Kind, NodeId, Source};
use crate::problem::Problem;
use crate::stage::types::{ValueType, WireType};

/// Limit of frame numbers; a larger one is probably a mistake.
const LAST_FRAME: u64 = 1_000_000;
/// Hexadecimal digits of a hash.
const DIGITS: usize = 32;

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
pub(in crate::graph) struct Fault {
    pub node: String,
    pub port: String,
    pub cause: String,
    pub remedy: String,
}

impl Fault {
    pub(in crate::graph) fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault { node: String::new(), port: String::new(), cause: cause.into(), remedy: remedy.into() }
    }
}

fn checked(expect: &Expect, document: &Document, graph: &Graph) -> Result<Expectation, Fault> {
    let other_variant = other_variant(expect, document)?;
    let target = match target(expect, document, graph) {
        Err(_) if other_variant.is_some() => return elsewhere(expect, other_variant),
        target => target?,
    };
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
        other_variant,
        comment: expect.comment.clone(),
        node: target.node,
    })
}

/// An expectation of another variant about what only that variant computes: what does not depend on the value is checked.
fn elsewhere(expect: &Expect, other_variant: Option<String>) -> Result<Expectation, Fault> {
    let frames = frames(expect)?;
    let bound = bound(expect, &frames)?;
    Ok(Expectation {
        subject: ExpectSubject::Wire(expect.of.clone()),
        frames,
        statistic: expect.statistic.as_deref().and_then(Statistic::parse).unwrap_or(Statistic::Value),
        component: expect.component,
        bound,
        adapter: expect.adapter.as_ref().map(|name| name.to_lowercase()),
        other_variant,
        comment: expect.comment.clone(),
        node: expect.target().1.node,
    })
}

/// Why an expectation is not checked, if it belongs to another variant than the chosen one.
fn other_variant(expect: &Expect, document: &Document) -> Result<Option<String>, Fault> {
    let is_none = |name: &&String| document::full_name(document, name).is_none();
    if let Some(name) = expect.variant.as_ref().filter(is_none) {
        let names: Vec<&str> = document.variant_names().collect();
        let remedy = format!("name one of: {}", names.join(", "));
        return Err(Fault::new(format!("there is no variant `{name}`"), remedy));
    }
    let is_chosen = match (&expect.variant, &document.variant) {
        (Some(named), Some(chosen)) => document::same_choice(document, named, chosen),
        (named, chosen) => named == chosen,
    };
    let belongs =
        || expect.variant.as_ref().map_or("belongs to the default".into(), |n| format!("belongs to variant `{n}`"));
    Ok((!is_chosen).then(belongs))
}

/// The subject of an expectation, and what it carries.
pub(in crate::graph) struct Target {
    node: String,
    port: String,
    pub subject: ExpectSubject,
    carries: Carries,
}

enum Carries {
    Image,
    /// One value with this many components; 0 where their number is not known yet.
    One(u32),
    /// Elements with this many components.
    Many(u32),
}

pub(in crate::graph) fn target(expect: &Expect, document: &Document, graph: &Graph) -> Result<Target, Fault> {
    let (scope, link) = expect.target();
    let path = scope.path(&link.node);
    if link.node.is_empty() {
        return Err(Fault::new("it names no value", "name one, for example velocity.value"));
    }
    let Some(index) = graph.node(&path) else {
        let fault = graph.no_node(&path);
        return Err(match document.node(&path) {
            None => Fault { cause: format!("there is no node `{path}`"), ..fault },
            Some(_) => Fault { node: path.clone(), ..fault },
        });
    };
    let at = |fault: Fault| Fault { node: path.clone(), port: link.port.clone(), ..fault };
    let entry = graph.nodes.get(index).ok_or_else(|| Fault::new("the node is gone", "compile the graph again"))?;
    let target = |subject, carries| Target { node: path.clone(), port: link.port.clone(), subject, carries };
    match &entry.kind {
        Kind::Output { .. } if link.port.is_empty() => {
            return Ok(target(ExpectSubject::Image(path.clone()), Carries::Image));
        }
        Kind::Output { .. } => {
            return Err(at(Fault::new("an Output has no ports to name", format!("write {path}"))));
        }
        Kind::Number if ["", "value"].contains(&link.port.as_str()) => {
            return Ok(target(ExpectSubject::Number(format!("{path}.value")), Carries::One(0)));
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
            let set = graph.particles_on(index, port);
            let attribute_type = set.and_then(|set| set.attributes.get(attribute));
            let ty = match (attribute, attribute_type) {
                ("count", _) => return Ok(target(ExpectSubject::Attribute(wire, "count".into()), Carries::One(1))),
                (_, Some(ty)) => *ty,
                (_, None) => {
                    let has = set.into_iter().flat_map(|set| set.attributes.keys()).map(String::as_str);
                    let has: Vec<&str> = has.chain(["count"]).collect();
                    let remedy = format!("name one of: {}", has.join(", "));
                    return Err(at(Fault::new(format!("the particles have no attribute `{attribute}`"), remedy)));
                }
            };
            return Ok(target(ExpectSubject::Attribute(wire, attribute.to_string()), many(ty)));
        }
        (WireType::Particles, None) => {
            let cause = "the wire carries particles, and no attribute is named";
            return Err(at(Fault::new(cause, format!("write for example {wire}.position"))));
        }
        (_, Some(attribute)) => {
            let cause = format!("the wire has no attribute `{attribute}`; it does not carry particles");
            return Err(at(Fault::new(cause, format!("write {wire}"))));
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
    Ok(target(ExpectSubject::Wire(wire), carries))
}

/// The port of a node that a wire's name refers to, and the attribute after it.
pub(in crate::graph) fn port<'t>(
    graph: &Graph,
    node: NodeId,
    text: &'t str,
) -> Result<(usize, Option<&'t str>), Fault> {
    let entry = graph.nodes.get(node);
    let count = entry.map_or(0, |entry| match &entry.kind {
        Kind::Group(group) => group.outputs.len(),
        _ => entry.outputs.len(),
    });
    let counts = graph.counts_repeats(&Source::Wire { node, port: count });
    let names: Vec<String> = (0..count + usize::from(counts)).map(|port| graph.port_name(node, port)).collect();
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
pub(in crate::graph) fn carried(graph: &Graph, source: &Source, depth: usize) -> Option<(WireType, NodeId)> {
    // A wire passes each node at most once.
    if depth > graph.nodes.len() {
        return None;
    }
    match source {
        Source::Wire { node, .. } if graph.counts_repeats(source) => Some((WireType::Number(ValueType::U32), *node)),
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
    let has_tolerance = expect.tolerance.is_some() || expect.relative.is_some();
    Ok(has_tolerance.then_some(Tolerance { absolute, relative }))
}

pub(in crate::graph) fn statistic(expect: &Expect, target: &Target, bound: &Bound) -> Result<Statistic, Fault> {
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
        (Bound::Hash(_), None, _) if matches!(target.subject, ExpectSubject::Number(_)) => {
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
pub(in crate::graph) fn components(
    expect: &Expect,
    target: &Target,
    statistic: Statistic,
    bound: &Bound,
) -> Result<(), Fault> {
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
