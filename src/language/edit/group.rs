//! Turns selected nodes into a group.

use std::collections::{BTreeMap, BTreeSet};

use super::names::of_input;
use super::signature::{self, NodeSignature};
use super::{IN, OUT, Refusal, frame_contents, free, free_name, gone, level_mut, no_node};
use crate::document::{Document, Frame, Group, Level, Link, Node, NodeKind, OWN_VALUES, ParamValue, Scope};
use crate::expr;
use crate::graph::ports::{Ports, group_of};
use crate::graph::{Graph, Table, bypass};
use crate::library::Library;
use crate::problem::Severity;
use crate::stage::header::Direction;
use crate::stage::types::{Element, PortType, ValueType};

/// Horizontal distance between the nodes inside and the group's inputs and outputs \[points\].
const ASIDE: f32 = 260.0;

/// Moves nodes into a new group with a name made from `wish`, and returns its name. Every wire from outside becomes an
/// input, and every output that is read outside becomes an output. Numbers outside that expressions name become inputs
/// with their names. Domains, and numbers that something outside reads, stay where they are. An output gets the name of
/// an input only where it updates it through `@inout` ports, so that the group can be repeated. States inside get a new
/// path, so they restart.
///
/// # Errors
/// Why these nodes cannot be grouped, in one sentence; nothing changes then.
pub fn make_group(
    document: &mut Document,
    scope: &Scope,
    names: &BTreeSet<String>,
    wish: &str,
    library: &Library,
) -> Result<String, Refusal> {
    let ports = Ports::of_level(document, scope, library).ok_or_else(|| gone(scope))?;
    let level = document.level(scope).ok_or_else(|| gone(scope))?;
    let names: BTreeSet<String> = names.iter().filter(|name| ![IN, OUT].contains(&name.as_str())).cloned().collect();
    if let Some(missing) = names.iter().find(|name| !ports.nodes().contains_key(*name)) {
        return Err(no_node(scope, missing));
    }
    let signatures = signature::level_signatures(&ports);
    let moved = moving(level, &signatures, names);
    if moved.is_empty() {
        return Err(Refusal::NothingToGroup);
    }
    super::expect::same_wires(document, scope, &moved, false)?;
    let between = between(level, &moved);
    if !between.is_empty() {
        return Err(Refusal::DependsOnItself { nodes: between.into_iter().collect() });
    }
    if substep_differs(document, scope, moved.iter().filter_map(|name| ports.nodes().get(name)), library) {
        return Err(Refusal::SubstepInSelection);
    }
    let mut border = Border {
        ports: &ports,
        signatures: &signatures,
        moved: &moved,
        scope,
        numbers: Graph::numbers_of(document, library),
        group: Group::default(),
        wires: BTreeMap::new(),
        sources: BTreeMap::new(),
        sinks: BTreeMap::new(),
        exposed: BTreeMap::new(),
    };
    border.mentions();
    border.expose(level);
    border.inputs();
    border.outputs(level);
    let Border { mut group, wires, sources, sinks, exposed, .. } = border;
    let frames = frames_inside(level, &moved);

    let mut after = document.clone();
    let mut level = level_mut(&mut after, scope)?;
    let name = free_name(level.nodes(), wish);
    for inner in &moved {
        let Some(mut node) = level.nodes().remove(inner) else { continue };
        for link in node.inputs.values_mut() {
            if let Some(input) = wires.get(link) {
                *link = Link { node: IN.into(), port: input.clone() };
            }
        }
        group.nodes.insert(inner.clone(), node);
    }
    group.frames = take_frames(level.frames(), &frames);
    for link in super::links(level) {
        if let Some(output) = sinks.get(link) {
            *link = Link { node: name.clone(), port: output.clone() };
        }
    }
    let mut level = level_mut(&mut after, scope)?;
    if let Some(around) = level.group() {
        for (param, targets) in around.params.iter_mut() {
            if let Some(input) = exposed.get(param) {
                targets.retain(|target| !moved.contains(&target.node));
                targets.push(Link { node: name.clone(), port: input.clone() });
            }
        }
    }
    let at = middle(&group);
    centre_inside(&mut group);
    let node = Node { kind: NodeKind::Group(Box::new(group)), inputs: sources, at, ..Node::default() };
    level.nodes().insert(name.clone(), node);
    super::expect::follow_into_group(&mut after, scope, &moved, &name);
    super::bookmark::follow_into_group(&mut after, scope, &moved, &name);
    still_runs(document, &after, library)?;
    *document = after;
    Ok(name)
}

/// Frames that contain only nodes of the group.
fn frames_inside(level: Level<'_>, moved: &BTreeSet<String>) -> BTreeSet<usize> {
    let inside = |index: &usize| {
        // Sizes are not known here, so a node belongs to a frame if its corner is inside.
        let held = frame_contents(level, *index, |_| (0.0, 0.0));
        !held.is_empty() && held.is_subset(moved)
    };
    (0..level.frames().len()).filter(inside).collect()
}

fn take_frames(frames: &mut Vec<Frame>, indices: &BTreeSet<usize>) -> Vec<Frame> {
    let (mut inside_frames, mut kept) = (Vec::new(), Vec::new());
    for (index, frame) in std::mem::take(frames).into_iter().enumerate() {
        if indices.contains(&index) { inside_frames.push(frame) } else { kept.push(frame) }
    }
    *frames = kept;
    inside_frames
}

/// The part of a selection that goes into a group: no domains, which are used by name and not wired, and no numbers
/// that something outside reads, since the output of a group is not a number node.
fn moving(level: Level<'_>, signatures: &BTreeMap<String, NodeSignature>, names: BTreeSet<String>) -> BTreeSet<String> {
    let mut moved = names;
    moved.retain(|name| !level.nodes().get(name).is_some_and(|node| matches!(node.kind, NodeKind::Domain(_))));
    let constant = |name: &String| {
        let number = level.nodes().get(name).is_some_and(|node| node.kind.is_number());
        number || signatures.get(name).is_some_and(|signature| signature.outputs.iter().any(|output| output.constant))
    };
    // Numbers that stay may read others.
    loop {
        let shown = level.group().into_iter().flat_map(|group| group.outputs.values());
        let outside = || level.nodes().iter().filter(|(name, _)| !moved.contains(*name)).map(|(_, node)| node);
        let mut read: BTreeSet<&str> = shown.map(|link| link.node.as_str()).collect();
        read.extend(outside().flat_map(|node| node.inputs.values()).map(|link| link.node.as_str()));
        read.extend(outside().flat_map(Node::values).flat_map(mentioned));
        let stays: BTreeSet<String> =
            moved.iter().filter(|name| read.contains(name.as_str()) && constant(name)).cloned().collect();
        if stays.is_empty() {
            return moved;
        }
        moved.retain(|name| !stays.contains(name));
    }
}

pub(super) fn mentioned(value: &ParamValue) -> BTreeSet<&str> {
    value.expression().map(expr::names).unwrap_or_default()
}

/// Nodes outside that read from the group and also feed it within a frame. A State interrupts such a chain.
fn between(level: Level<'_>, moved: &BTreeSet<String>) -> BTreeSet<String> {
    let state = |name: &str| level.nodes().get(name).is_some_and(|node| matches!(node.kind, NodeKind::State(_)));
    let reads = |name: &str| {
        let node = level.nodes().get(name).filter(|_| !state(name));
        node.into_iter().flat_map(|node| node.inputs.values()).map(|link| link.node.as_str())
    };
    let mut before = BTreeSet::new();
    let mut pending: Vec<&str> = moved.iter().flat_map(|name| reads(name)).collect();
    while let Some(name) = pending.pop() {
        if !moved.contains(name) && !state(name) && before.insert(name) {
            pending.extend(reads(name));
        }
    }
    let mut readers = BTreeMap::<&str, Vec<&str>>::new();
    for name in &before {
        reads(name).for_each(|source| readers.entry(source).or_default().push(name));
    }
    let mut after = BTreeSet::new();
    let mut pending: Vec<&str> = moved.iter().map(String::as_str).filter(|name| !state(name)).collect();
    while let Some(name) = pending.pop() {
        for reader in readers.get(name).into_iter().flatten() {
            if after.insert(reader.to_string()) {
                pending.push(reader);
            }
        }
    }
    after
}

/// Whether a stage among the nodes uses the iteration of the enclosing group, which repeats.
pub(super) fn substep_differs<'a>(
    document: &Document,
    scope: &Scope,
    mut nodes: impl Iterator<Item = &'a Node>,
    library: &Library,
) -> bool {
    let repeats = document.node(&scope.to_string()).is_some_and(|group| group.iterations.is_some());
    let asks = |node: &Node| super::stage_of(node, library).is_some_and(|stage| stage.names("substep"));
    repeats && nodes.any(asks)
}

/// Rejects an edit that would break a working graph, with the compiler's message.
pub(super) fn still_runs(before: &Document, after: &Document, library: &Library) -> Result<(), Refusal> {
    let Err(problems) = Graph::build(after, library) else { return Ok(()) };
    match problems.0.iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) if Graph::build(before, library).is_ok() => {
            Err(Refusal::WouldNotRun { problem: Box::new(problem.clone()) })
        }
        _ => Ok(()),
    }
}

/// Centre of a group's nodes in whole points, zero without nodes; positions that are not finite are ignored.
pub(super) fn middle(group: &Group) -> (f32, f32) {
    let places = group.nodes.values().map(|node| node.at).filter(|(x, y)| x.is_finite() && y.is_finite());
    let (count, x, y) =
        places.fold((0.0, 0.0, 0.0), |(n, sx, sy), (x, y)| (n + 1.0, sx + f64::from(x), sy + f64::from(y)));
    let mean = |sum: f64| (sum / f64::max(count, 1.0)).floor() as f32;
    (mean(x), mean(y))
}

/// Centres the nodes of a new group at the origin, with its inputs and outputs on either side.
fn centre_inside(group: &mut Group) {
    let places = || group.nodes.values().map(|node| node.at).filter(|(x, y)| x.is_finite() && y.is_finite());
    let low = places().reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).unwrap_or_default();
    let high = places().reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).unwrap_or_default();
    let low = (low.0.floor(), low.1.floor());
    shift_all(group, (-low.0, -low.1));
    let half = (0.5 * (high.1 - low.1)).round();
    group.inputs_at = Some((-ASIDE, half));
    group.outputs_at = Some(((high.0 - low.0).round() + ASIDE, half));
}

pub(super) fn shift_all(group: &mut Group, by: (f32, f32)) {
    let nodes = group.nodes.values_mut().map(|node| &mut node.at);
    for at in nodes.chain(group.frames.iter_mut().map(|frame| &mut frame.at)) {
        *at = (at.0 + by.0, at.1 + by.1);
    }
}

/// Everything that crosses the border of a new group.
struct Border<'a> {
    ports: &'a Ports<'a>,
    signatures: &'a BTreeMap<String, NodeSignature>,
    moved: &'a BTreeSet<String>,
    scope: &'a Scope,
    numbers: Table,
    group: Group,
    /// Wires from outside as nodes inside read them, with the inputs that replace them.
    wires: BTreeMap<Link, String>,
    /// The wire that each input reads.
    sources: BTreeMap<String, Link>,
    /// Wires from inside as nodes outside read them, with the outputs that replace them.
    sinks: BTreeMap<Link, String>,
    /// Parameters of the enclosing group that set nodes inside, with the parameters of this group that they set
    /// instead.
    exposed: BTreeMap<String, String>,
}

impl Border<'_> {
    fn inside(&self) -> impl Iterator<Item = (&String, &Node)> {
        self.ports.nodes().iter().filter(|(name, _)| self.moved.contains(*name))
    }

    /// A wire with an explicit port, so that both notations are equal.
    fn full(&self, link: &Link) -> Link {
        let signature = self.signatures.get(&link.node);
        let port = signature
            .and_then(|signature| signature.outputs.get(signature.output(&link.port)?))
            .map(|port| port.name.clone());
        Link { node: link.node.clone(), port: port.unwrap_or_else(|| link.port.clone()) }
    }

    /// Numbers outside that expressions inside name become inputs of the same names.
    fn mentions(&mut self) {
        let names: BTreeSet<String> =
            self.inside().flat_map(|(_, node)| node.values()).flat_map(mentioned).map(String::from).collect();
        for name in names {
            let link = match self.ports.nodes().get(&name).map(|node| &node.kind) {
                Some(kind) if kind.is_number() && self.moved.contains(&name) => continue,
                Some(kind) if kind.is_number() => Link { node: name.clone(), port: "value".into() },
                _ if self.ports.around().get(&name).is_some_and(|ty| ty.is_number()) => {
                    Link { node: IN.into(), port: name.clone() }
                }
                _ => continue,
            };
            self.group.inputs.insert(name.clone(), self.carried(&link, None));
            self.sources.insert(name, link);
        }
    }

    /// Parameters of the enclosing group keep setting the same values.
    fn expose(&mut self, level: Level<'_>) {
        for (param, targets) in level.group().into_iter().flat_map(|group| &group.params) {
            let inner_targets: Vec<Link> =
                targets.iter().filter(|target| self.moved.contains(&target.node)).cloned().collect();
            if inner_targets.is_empty() {
                continue;
            }
            let name = self.input_name(param, false);
            self.group.params.insert(name.clone(), inner_targets);
            self.exposed.insert(param.clone(), name);
        }
    }

    fn inputs(&mut self) {
        let wires: Vec<(Link, String, String)> = self
            .inside()
            .flat_map(|(name, node)| node.inputs.iter().map(move |(port, link)| (link, name, port)))
            .filter(|(link, _, _)| !self.moved.contains(&link.node))
            .map(|(link, name, port)| (link.clone(), name.clone(), port.clone()))
            .collect();
        for (link, reader, port) in wires {
            let full = self.full(&link);
            let same_source =
                self.sources.iter().find(|(_, source)| self.full(source) == full).map(|(name, _)| name.clone());
            let name = same_source.unwrap_or_else(|| {
                let ty = self.carried(&full, self.ports.takes(&reader, &port));
                let number = PortType::parse(&ty).is_some_and(PortType::is_number);
                let name = self.input_name(&port, number);
                self.group.inputs.insert(name.clone(), ty);
                self.sources.insert(name.clone(), link.clone());
                name
            });
            self.wires.insert(link, name);
        }
    }

    /// An unused name for an input or a parameter. Expressions inside must not resolve to a different number.
    fn input_name(&self, wish: &str, number: bool) -> String {
        let is_mentioned =
            |name: &str| self.inside().flat_map(|(_, node)| node.values()).any(|value| says(value, name));
        free(of_input(wish), |name| {
            let is_port = self.group.inputs.contains_key(name) || self.group.params.contains_key(name);
            is_port || OWN_VALUES.contains(&name) || (number && is_mentioned(name))
        })
    }

    /// The type of an input that reads a wire, as text.
    fn carried(&self, link: &Link, reader: Option<PortType>) -> String {
        let ty = self.ports.output(link).or(reader).unwrap_or(PortType::Grid(Element::Generic('T')));
        let from = bypass::origin(self.ports, link).unwrap_or_else(|| link.clone());
        if !self.ports.nodes().get(&from.node).is_some_and(|node| node.kind.is_number()) {
            return ty.to_string();
        }
        let value = self.numbers.value(&format!("{}.value", self.scope.path(&from.node)));
        let ty = match value.map_or(1, |value| value.len) {
            2 => ValueType::Vec2,
            3 => ValueType::Vec3,
            4 => ValueType::Vec4,
            _ => ValueType::F32,
        };
        ty.name().to_string()
    }

    fn outputs(&mut self, level: Level<'_>) {
        let outside = level.nodes().iter().filter(|(name, _)| !self.moved.contains(*name));
        let shown = level.group().into_iter().flat_map(|group| group.outputs.values());
        let read: BTreeSet<Link> = outside.flat_map(|(_, node)| node.inputs.values()).chain(shown).cloned().collect();
        let mut shown = BTreeMap::<Link, Vec<Link>>::new();
        for link in read.into_iter().filter(|link| self.moved.contains(&link.node)) {
            shown.entry(self.full(&link)).or_default().push(link);
        }
        // Where several outputs update the same input, the last one feeds the next iteration.
        let mut last = BTreeMap::<String, (usize, Link)>::new();
        for link in shown.keys() {
            let Some((steps, input)) = self.continued(link) else { continue };
            if last.get(&input).is_none_or(|(most_steps, _)| steps > *most_steps) {
                last.insert(input, (steps, link.clone()));
            }
        }
        let mut names: BTreeMap<Link, String> = last.into_iter().map(|(input, (_, link))| (link, input)).collect();
        for (full, written) in shown {
            let name = names.remove(&full).unwrap_or_else(|| {
                let kept = |name: &str| names.values().any(|kept| kept == name);
                let is_port =
                    |name: &str| self.group.outputs.contains_key(name) || self.group.inputs.contains_key(name);
                let is_used = |name: &str| is_port(name) || kept(name);
                let plain = Some(full.port.clone()).filter(|port| super::is_node_name(port) && !is_used(port));
                plain.unwrap_or_else(|| free(&format!("{}_{}", full.node, full.port), is_used))
            });
            self.group.outputs.insert(name.clone(), written.first().cloned().unwrap_or(full));
            self.sinks.extend(written.into_iter().map(|link| (link, name.clone())));
        }
    }

    /// The input that an output updates through `@inout` ports, reroutes and bypassed nodes, and the number of steps.
    fn continued(&self, output: &Link) -> Option<(usize, String)> {
        let mut link = output.clone();
        for steps in 0..=self.moved.len() {
            let Some(node) = self.ports.nodes().get(&link.node).filter(|_| self.moved.contains(&link.node)) else {
                let input = self.wires.get(&link)?;
                let same = self.ports.output(output) == self.ports.output(&link);
                return same.then(|| (steps, input.clone()));
            };
            let port = self.full(&link).port;
            link = if bypass::left_out(node) {
                match self.ports.passed(&link) {
                    crate::graph::ports::Passed::Wire(link) => link,
                    _ => return None,
                }
            } else {
                let inout = |direction| direction == Direction::InOut;
                let stage = self.ports.stage(&link.node);
                let stage = stage.is_some_and(|s| s.port(&port).is_some_and(|p| inout(p.direction)));
                let group = group_of(node, self.ports.library()).is_some_and(|g| g.inputs.contains_key(&port));
                node.inputs.get(&port).filter(|_| stage || group)?.clone()
            };
        }
        None
    }
}

/// Whether an expression uses a name, of a number or of the language.
fn says(value: &ParamValue, name: &str) -> bool {
    value.expression().is_some_and(|text| expr::mentions(text, name))
}
