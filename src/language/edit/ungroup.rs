//! Replaces a group by the nodes inside it.

use std::collections::{BTreeMap, BTreeSet};

use super::group::{mentioned, middle, shift_all, still_runs, substep_differs};
use super::nodes::rename_domain;
use super::{IN, Refusal, free, gone, group_of, level_mut, links, no_node};
use crate::document::{Document, Group, Link, Node, NodeKind, Nodes, ParamValue, Scope, WHERE, sole_output};
use crate::expr;
use crate::graph::ports::{Ports, stage_of};
use crate::graph::{Graph, Kind, NodeId, bypass, takes_where};
use crate::library::Library;
use crate::stage::types::PortType;

/// Ungroups a group of the document or of the library: its nodes move to the enclosing level, with new names where
/// theirs are taken, and with the values that the group's parameters set. A number input that is a constant becomes a
/// number node where something reads it. Returns their names.
///
/// # Errors
/// Why it cannot be ungrouped, in one sentence; nothing changes then.
pub fn ungroup(
    document: &mut Document,
    scope: &Scope,
    name: &str,
    library: &Library,
) -> Result<BTreeSet<String>, Refusal> {
    let ports = Ports::of_level(document, scope, library).ok_or_else(|| gone(scope))?;
    let node = ports.nodes().get(name).ok_or_else(|| no_node(scope, name))?;
    let original = group_of(node, library).ok_or_else(|| Refusal::CannotUngroup { node: name.into() })?;
    let around = document.level(scope).and_then(|level| level.group());
    let exposed_targets = around.into_iter().flat_map(|group| group.params.values().flatten());
    let driven = exposed_targets.into_iter().any(|target| target.node == name && target.port == "iterations");
    if driven || node.iterations.as_ref().is_some_and(|count| *count != ParamValue::Number(1.0)) {
        return Err(Refusal::HasIterations { node: name.into() });
    }
    if node.muted {
        return Err(Refusal::Bypassed { node: name.into() });
    }
    let inner: BTreeSet<String> = original.nodes.keys().cloned().collect();
    super::expect::same_wires(document, scope, &BTreeSet::from([name.to_string()]), true)?;
    super::expect::same_wires(document, &scope.inside(name), &inner, false)?;
    if substep_differs(document, scope, original.nodes.values(), library) {
        return Err(Refusal::SubstepInGroup { group: name.into() });
    }
    let mut inside = Inside {
        ports: &ports,
        node,
        group: original.clone(),
        names: BTreeMap::new(),
        inputs: BTreeMap::new(),
        numbers: Nodes::new(),
    };
    inside.name_nodes(around);
    inside.name_numbers(name)?;
    let sources = inside.sources();
    inside.rename();
    inside.wire(&sources);
    inside.confine(document, &scope.path(name));
    inside.move_to_node();
    let (shown, targets) = (inside.shown(&sources, name), inside.targets());
    let Inside { group, names, numbers, .. } = inside;
    let moved = |(name, node): (&String, &Node)| Some((node.at, original.nodes.get(name)?.at));
    let by = group.nodes.iter().find_map(moved).map_or((0.0, 0.0), |(to, from)| (to.0 - from.0, to.1 - from.1));

    let mut after = document.clone();
    let mut level = level_mut(&mut after, scope)?;
    level.nodes().remove(name);
    level.nodes().extend(group.nodes.into_iter().map(|(old, node)| (names.get(&old).cloned().unwrap_or(old), node)));
    let mut come: BTreeSet<String> = names.values().cloned().collect();
    come.extend(numbers.keys().cloned());
    level.nodes().extend(numbers);
    level.frames().extend(group.frames);
    if let Some(around) = level.group() {
        for links in around.params.values_mut() {
            let exposed_targets: Vec<Link> = links.iter().filter(|link| link.node == name).cloned().collect();
            links.retain(|link| link.node != name);
            links
                .extend(exposed_targets.iter().flat_map(|link| targets.get(&link.port).into_iter().flatten().cloned()));
        }
    }
    read_instead(&mut after, scope, name, &shown)?;
    super::expect::follow_out_of_group(&mut after, scope, name, &names, &shown);
    super::bookmark::follow_out_of_group(&mut after, scope, name, &names, by);
    let path = scope.path(name);
    for (param, links) in &targets {
        let key = |link: &Link| (scope.path(&link.to_string()), None);
        after.spread_in_variants(&format!("{path}.{param}"), &links.iter().map(key).collect::<Vec<_>>());
    }
    after.forget_in_variants(&BTreeSet::from([path]).into_iter().filter(|path| after.node(path).is_none()).collect());
    still_runs(document, &after, library)?;
    *document = after;
    Ok(come)
}

/// The nodes inside a group in which stages go by the group's `where`; `None` where that leads to nothing yet.
fn confined_by<'g>(graph: &'g Graph, path: &str) -> Option<BTreeSet<&'g str>> {
    let confines = |id: &NodeId| matches!(&graph.nodes[*id].kind, Kind::Group(group) if group.confines);
    let group = graph.nodes.ids().find(|id| graph.nodes[*id].path == path).filter(confines)?;
    let by_it = |id: &NodeId| graph.nodes[*id].blocks.and_then(|b| graph.outward(*id, b.outward)) == Some(group);
    let inside = |id: NodeId| graph.nodes[id].path.get(path.len() + 1..)?.split('/').next();
    Some(graph.nodes.ids().filter(by_it).filter_map(inside).collect())
}

/// Connects readers of the group to what its outputs passed on.
fn read_instead(
    document: &mut Document,
    scope: &Scope,
    name: &str,
    shown: &BTreeMap<String, Link>,
) -> Result<(), Refusal> {
    let instead = |link: &Link| {
        let only =
            || sole_output(shown.iter().map(|(name, link)| (name.as_str(), link))).filter(|_| link.port.is_empty());
        shown.get(&link.port).or_else(only)
    };
    let mut level = level_mut(document, scope)?;
    let lost = |link: &Link| link.node == name && instead(link).is_none();
    level.nodes().values_mut().for_each(|node| node.inputs.retain(|_, link| !lost(link)));
    if let Some(around) = level.group() {
        around.outputs.retain(|_, link| !lost(link));
    }
    links(level).filter(|link| link.node == name).for_each(|link| {
        if let Some(other) = instead(link) {
            *link = other.clone();
        }
    });
    Ok(())
}

/// A group that is being ungrouped.
struct Inside<'a> {
    ports: &'a Ports<'a>,
    node: &'a Node,
    group: Group,
    /// The new names of its nodes.
    names: BTreeMap<String, String>,
    /// The name that expressions use for what each number input reads.
    inputs: BTreeMap<String, String>,
    /// Number nodes that replace constants of inputs.
    numbers: Nodes,
}

impl Inside<'_> {
    fn name_nodes(&mut self, around: Option<&Group>) {
        let mut new_names = BTreeSet::new();
        for (name, node) in &self.group.nodes {
            // A number would hide an input of the enclosing group from expressions.
            let number = node.kind.is_number();
            let input = |new: &str| number && around.is_some_and(|group| group.inputs.contains_key(new));
            let on_level = |new: &str| self.ports.nodes().contains_key(new) || input(new);
            let in_group = |new: &str| new != name && self.group.nodes.contains_key(new);
            let new = free(name, |new| on_level(new) || in_group(new) || new_names.contains(new));
            new_names.insert(new.clone());
            self.names.insert(name.clone(), new);
        }
    }

    /// Whether something inside reads an input by a wire.
    fn reads(&self, input: &str) -> bool {
        let inside = self.group.nodes.values().flat_map(|node| node.inputs.values());
        inside.chain(self.group.outputs.values()).any(|link| link.node == IN && link.port == input)
    }

    fn mentions(&self, input: &str) -> bool {
        let values = || self.group.nodes.values().flat_map(Node::values).flat_map(mentioned);
        let number = self.group.nodes.get(input).is_some_and(|node| node.kind.is_number());
        !number && values().any(|name| name == input)
    }

    /// Number inputs: expressions use the name of what they read, and constants become nodes.
    fn name_numbers(&mut self, group: &str) -> Result<(), Refusal> {
        let number = |ty: &String| PortType::parse(ty).is_some_and(PortType::is_number);
        let inputs: Vec<String> =
            self.group.inputs.iter().filter(|(_, ty)| number(ty)).map(|(name, _)| name.clone()).collect();
        for input in inputs {
            let Some(link) = self.node.inputs.get(&input) else {
                if self.reads(&input) || self.mentions(&input) {
                    let value = self.node.params.get(&input).cloned().unwrap_or(ParamValue::Number(0.0));
                    let is_used = |name: &str| {
                        let nodes = self.ports.nodes().contains_key(name) || self.numbers.contains_key(name);
                        nodes || self.names.values().any(|new| new == name) || self.ports.around().contains_key(name)
                    };
                    let name = free(&input, |name| is_used(name) || expr::reserved(name));
                    let kind = NodeKind::Number(value);
                    self.numbers.insert(name.clone(), Node { kind, at: self.node.at, ..Node::default() });
                    self.inputs.insert(input, name);
                }
                continue;
            };
            let from = bypass::origin(self.ports, link).unwrap_or_else(|| link.clone());
            let name = if from.node == IN { &from.port } else { &from.node };
            let hidden = from.node == IN && self.ports.nodes().get(name).is_some_and(|node| node.kind.is_number());
            if self.mentions(&input) && (hidden || !expr::usable(name)) {
                return Err(Refusal::InputFromUnusableName {
                    group: group.into(),
                    input,
                    link: link.to_string(),
                    number: name.clone(),
                });
            }
            self.inputs.insert(input, name.clone());
        }
        Ok(())
    }

    /// The number node that replaces an input's constant.
    fn number(&self, input: &str) -> Option<Link> {
        let name = self.inputs.get(input).filter(|name| self.numbers.contains_key(*name))?;
        Some(Link { node: name.clone(), port: "value".into() })
    }

    /// The wire that each input reads.
    fn sources(&self) -> BTreeMap<String, Link> {
        let source =
            |input: &String| Some((input.clone(), self.node.inputs.get(input).cloned().or(self.number(input))?));
        self.group.inputs.keys().filter_map(source).collect()
    }

    /// Updates expressions and uses of domains with the new names.
    fn rename(&mut self) {
        let kind = |name: &str| self.group.nodes.get(name).map(|node| &node.kind);
        let word = |word: &str| {
            let number_name = kind(word).is_some_and(NodeKind::is_number).then(|| self.names.get(word));
            number_name.unwrap_or_else(|| self.inputs.get(word)).cloned()
        };
        let named: BTreeMap<String, String> = self
            .group
            .nodes
            .values()
            .flat_map(Node::values)
            .flat_map(mentioned)
            .filter_map(|name| Some((name.to_string(), word(name)?)))
            .collect();
        let domains =
            self.names.iter().filter(|(old, new)| old != new && matches!(kind(old), Some(NodeKind::Domain(_))));
        let domains: Vec<(String, String)> = domains.map(|(old, new)| (old.clone(), new.clone())).collect();
        let coarser = self.coarser();
        for (name, node) in &mut self.group.nodes {
            for value in node.values_mut() {
                if let Some(text) = value.expression_mut()
                    && expr::names(text).iter().any(|name| named.contains_key(*name))
                {
                    *text = expr::replace(text, |word| named.get(word).cloned());
                }
            }
            domains.iter().for_each(|(old, new)| rename_domain(node, old, new));
            if node.kind.info().on_domain && node.on.is_none() && !coarser.contains(name) {
                node.on = self.node.on.clone();
            }
        }
    }

    /// Nodes on coarser versions of the group's domain, and what reads them: the group's `on` does not hold there, and wires lead to the domain.
    fn coarser(&self) -> BTreeSet<String> {
        let library = self.ports.library();
        let halved = |node: &Node| stage_of(node, library).is_some_and(|stage| stage.outputs().any(|port| port.half));
        let mut found = BTreeSet::new();
        let mut reached: Vec<&str> =
            self.group.nodes.iter().filter(|(_, node)| halved(node)).map(|(name, _)| name.as_str()).collect();
        while let Some(name) = reached.pop() {
            if found.insert(name.to_string()) {
                let reads = |node: &Node| node.inputs.values().any(|link| link.node == name);
                let held = |node: &Node| matches!(node.kind, NodeKind::State(_));
                let readers = self.group.nodes.iter().filter(|(_, node)| reads(node) && !held(node));
                reached.extend(readers.map(|(name, _)| name.as_str()));
            }
        }
        found
    }

    fn outside(&self, link: &Link, sources: &BTreeMap<String, Link>) -> Option<Link> {
        match link.node.as_str() {
            IN => sources.get(&link.port).cloned(),
            name => Some(Link { node: self.names.get(name)?.clone(), port: link.port.clone() }),
        }
    }

    /// Updates wires inside with the new names, and applies the values of the group's parameters.
    fn wire(&mut self, sources: &BTreeMap<String, Link>) {
        let mut nodes = std::mem::take(&mut self.group.nodes);
        for node in nodes.values_mut() {
            let inputs = std::mem::take(&mut node.inputs);
            let led = inputs.into_iter().filter_map(|(port, link)| Some((port, self.outside(&link, sources)?)));
            node.inputs = led.collect();
        }
        for (param, targets) in &self.group.params {
            let Some(value) = self.node.params.get(param) else { continue };
            for target in targets {
                let Some(inner) = nodes.get_mut(&target.node) else { continue };
                inner.give(&target.port, value.clone());
            }
        }
        self.group.nodes = nodes;
    }

    /// Gives the group's `where` to the nodes that go by it.
    fn confine(&mut self, document: &Document, path: &str) {
        let library = self.ports.library();
        let Some(link) = self.node.inputs.get(WHERE).filter(|_| takes_where(self.node, library)) else { return };
        let graph = Graph::build(document, library).ok();
        let confined_nodes = graph.as_ref().and_then(|graph| confined_by(graph, path));
        for (name, node) in self.group.nodes.iter_mut().filter(|(_, node)| !node.inputs.contains_key(WHERE)) {
            let goes_by = match &confined_nodes {
                Some(confined_nodes) => confined_nodes.contains(name.as_str()),
                // Where the graph has errors, or the wire leads to nothing yet.
                None => takes_where(node, library),
            };
            if goes_by {
                node.inputs.insert(WHERE.into(), link.clone());
            }
        }
    }

    fn move_to_node(&mut self) {
        let (middle, at) = (middle(&self.group), self.node.at);
        shift_all(&mut self.group, (at.0 - middle.0, at.1 - middle.1));
    }

    /// What readers of each output read afterwards; `None` where it passes on an unwired input.
    fn shown(&self, sources: &BTreeMap<String, Link>, group: &str) -> BTreeMap<String, Link> {
        let mut shown = BTreeMap::new();
        for (output, link) in &self.group.outputs {
            let mut end = self.outside(link, sources);
            // An input may read the group's own output, which passes on another input.
            for _ in 0..=self.group.outputs.len() {
                let Some(again) = end.as_ref().filter(|link| link.node == group) else { break };
                end = self.group.outputs.get(&again.port).and_then(|link| self.outside(link, sources));
            }
            shown.extend(end.filter(|link| link.node != group).map(|link| (output.clone(), link)));
        }
        shown
    }

    /// What a parameter of the enclosing group sets afterwards, by the parameter or number input of this group that it
    /// set.
    fn targets(&self) -> BTreeMap<String, Vec<Link>> {
        let new = |link: &Link| Some(Link { node: self.names.get(&link.node)?.clone(), port: link.port.clone() });
        let params = self.group.params.iter();
        let mut targets: BTreeMap<String, Vec<Link>> =
            params.map(|(name, links)| (name.clone(), links.iter().filter_map(new).collect())).collect();
        targets.extend(self.inputs.keys().filter_map(|input| Some((input.clone(), vec![self.number(input)?]))));
        targets
    }
}
