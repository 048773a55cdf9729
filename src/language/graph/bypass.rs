//! Removes bypassed nodes and reroutes before anything is resolved: whatever reads one reads what it passes on instead.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::limits;
use super::numbers::Fault;
use super::ports::{Passed, Ports, Through};
use super::scope::{Flattener, Scope};
use crate::document::{Bypass, Link, Node, NodeKind, Nodes};
use crate::problem::Problem;
use crate::stage::types::PortType;

/// Whether a node is not part of the compiled graph: a reroute, or a bypassed node that can be left out.
pub fn left_out(node: &Node) -> bool {
    match node.kind.info().bypass {
        Bypass::Always => true,
        Bypass::WhenMuted => node.muted,
        Bypass::Never => false,
    }
}

/// Why a node has no value that could be named, unless it has one.
pub(super) fn without_value(node: &Node) -> Option<&'static str> {
    match &node.kind {
        NodeKind::Domain(_) => Some("a domain has no value"),
        NodeKind::Reroute => Some("a reroute has no value of its own"),
        _ => left_out(node).then_some("the node is bypassed, so it is not computed"),
    }
}

/// Follows a wire back past the nodes for which `out` is true.
pub fn through(ports: &Ports<'_>, link: &Link, out: &dyn Fn(&str, &Node) -> bool) -> Through {
    let end = follow(ports, link, out, &mut BTreeMap::new());
    Rc::try_unwrap(end).unwrap_or_else(|end| Through::clone(&end))
}

/// Follows a wire back past the nodes that are not part of the graph. All wires along the path have the same end, so finding the ends
/// of a level takes time proportional to its wires.
fn end_of(ports: &Ports<'_>, link: &Link) -> Rc<Through> {
    follow(ports, link, &is_out, &mut ports.ends.borrow_mut())
}

fn follow(
    ports: &Ports<'_>,
    link: &Link,
    out: &dyn Fn(&str, &Node) -> bool,
    ends: &mut BTreeMap<Link, Rc<Through>>,
) -> Rc<Through> {
    let mut met: Vec<Link> = Vec::new();
    let mut places: BTreeMap<Link, usize> = BTreeMap::new();
    let mut link = link.clone();
    let end = loop {
        if let Some(end) = ends.get(&link) {
            break end.clone();
        }
        if !ports.nodes().get(&link.node).is_some_and(|node| out(&link.node, node)) {
            break Rc::new(Through::Wire(link));
        }
        if let Some(start) = places.get(&link) {
            let cycle = met.iter().skip(*start).map(|link| link.node.clone()).collect();
            break Rc::new(Through::Cycle(link, cycle));
        }
        match ports.passed(&link) {
            Passed::Wire(next) => {
                places.insert(link.clone(), met.len());
                met.push(std::mem::replace(&mut link, next));
            }
            Passed::Constant { port, value } => {
                let from = Link { node: link.node.clone(), port };
                met.push(link);
                break Rc::new(Through::Constant { from, value });
            }
            Passed::Nothing => break Rc::new(Through::Stuck(link)),
        }
    };
    ends.extend(met.into_iter().map(|link| (link, end.clone())));
    end
}

/// The wire that a reader of this one reads in the end; `None` where bypassed nodes and reroutes lead to nothing.
pub fn origin(ports: &Ports<'_>, link: &Link) -> Option<Link> {
    match &*end_of(ports, link) {
        Through::Wire(link) => Some(link.clone()),
        _ => None,
    }
}

fn is_out(_: &str, node: &Node) -> bool {
    left_out(node)
}

impl Flattener<'_> {
    /// The nodes of a level, and the outputs of its group, with every wire redirected past the nodes that are left out.
    pub(super) fn bypass(
        &mut self,
        mut nodes: Nodes,
        mut outputs: BTreeMap<String, Link>,
        scope: &mut Scope,
    ) -> (Nodes, BTreeMap<String, Link>) {
        self.mute_in_vain(&nodes, scope);
        if !nodes.values().any(left_out) {
            return (nodes, outputs);
        }
        let before = nodes.clone();
        let ports = Ports::new(&before, scope.around.clone(), self.library);
        let mut stuck = BTreeMap::new();
        for (name, node) in before.iter().filter(|(_, node)| !left_out(node)) {
            for (port, link) in &node.inputs {
                let Some(entry) = nodes.get_mut(name) else { continue };
                let end = match &*end_of(&ports, link) {
                    Through::Constant { from, value } => match takes_constant(&ports, name, port) {
                        Some(param) => {
                            entry.inputs.remove(port);
                            entry.params.insert(param.clone(), value.clone());
                            carry_names(scope, from, (name.clone(), param));
                            continue;
                        }
                        None => {
                            let what =
                                format!("`{}` is bypassed, and its input `{}` is not wired", from.node, from.port);
                            stuck.insert(from.clone(), Some((what, remedy(&from.node))));
                            from.clone()
                        }
                    },
                    other => self.end(&before, scope, other, &mut stuck),
                };
                entry.inputs.insert(port.clone(), end);
            }
        }
        for link in outputs.values_mut() {
            *link = match &*end_of(&ports, link) {
                Through::Constant { from, .. } => self.end(&before, scope, &Through::Stuck(from.clone()), &mut stuck),
                other => self.end(&before, scope, other, &mut stuck),
            };
        }
        // A cycle is an error even if nothing reads it.
        for name in before.iter().filter(|(_, node)| node.kind == NodeKind::Reroute).map(|(name, _)| name) {
            let end = end_of(&ports, &Link { node: name.clone(), port: String::new() });
            if matches!(*end, Through::Cycle(..)) {
                self.end(&before, scope, &end, &mut stuck);
            }
        }
        scope.stuck = Arc::new(stuck);
        (nodes, outputs)
    }

    /// The wire to read instead; records what is wrong with it.
    fn end(&mut self, nodes: &Nodes, scope: &Scope, end: &Through, stuck: &mut BTreeMap<Link, Fault>) -> Link {
        let path = |name: &str| format!("{}{name}", scope.prefix);
        match end {
            Through::Wire(link) | Through::Constant { from: link, .. } => link.clone(),
            // Already reported for another reader.
            Through::Stuck(link) | Through::Cycle(link, _) if stuck.contains_key(link) => link.clone(),
            Through::Stuck(link) => {
                let reroute = nodes.get(&link.node).is_some_and(|node| node.kind == NodeKind::Reroute);
                let fault = if reroute {
                    let cause = "nothing is connected to the reroute, which other nodes read";
                    let remedy = "connect a wire to it, or remove it";
                    self.problems.push(Problem::new(&path(&link.node), "value", cause, remedy));
                    None
                } else {
                    let cause = format!("`{}` is bypassed and has no input that it could pass on here", link.node);
                    Some((cause, remedy(&link.node)))
                };
                stuck.insert(link.clone(), fault);
                link.clone()
            }
            Through::Cycle(link, cycle) => {
                let mut cycle = cycle.clone();
                // Reported once, starting at the first name, wherever the traversal entered the cycle.
                let smallest = (0..cycle.len()).min_by_key(|i| cycle.get(*i)).unwrap_or(0);
                cycle.rotate_left(smallest);
                let first = cycle.first().cloned().unwrap_or_default();
                cycle.push(first.clone());
                cycle.reverse();
                let cause = format!("reroutes and bypassed nodes form a cycle: {}", limits::way(&cycle));
                let remedy = "connect one of them to a node that has a value";
                self.problems.push(Problem::new(&path(&first), "", cause, remedy));
                stuck.insert(link.clone(), None);
                link.clone()
            }
        }
    }

    fn mute_in_vain(&mut self, nodes: &Nodes, scope: &Scope) {
        let in_vain = |node: &Node| node.muted && node.kind.info().bypass == Bypass::Never;
        for (name, node) in nodes.iter().filter(|(_, node)| in_vain(node)) {
            let (what, path) = (node.kind.info().noun, format!("{}{name}", scope.prefix));
            let cause = format!("a {what} cannot be bypassed, so its bypass has no effect");
            self.problems.push(Problem::new(&path, "", cause, "turn off its bypass").warning());
        }
    }
}

fn remedy(node: &str) -> String {
    format!("turn off the bypass of `{node}`, or connect something else")
}

/// The parameter that holds the constant of an input, where the input need not be wired.
pub fn takes_constant(ports: &Ports<'_>, node: &str, port: &str) -> Option<String> {
    let entry = ports.nodes().get(node)?;
    match &entry.kind {
        NodeKind::State(ty) => {
            (port == "init" && PortType::parse(ty) != Some(PortType::Particles)).then(|| "value".to_string())
        }
        _ => {
            let input = ports.inputs(node).into_iter().any(|input| input.name == port && input.constant.is_some());
            let param = || ports.stage(node).is_some_and(|stage| stage.param(port).is_some());
            (input || param()).then(|| port.to_string())
        }
    }
}

/// The constant keeps its paths and the names that its expression uses at its new place.
fn carry_names(scope: &mut Scope, from: &Link, to: (String, String)) {
    let old = (from.node.clone(), from.port.clone());
    let path = format!("{}{from}", scope.prefix);
    let outer = scope.aliases.get(&old).cloned().unwrap_or_default();
    scope.aliases.entry(to.clone()).or_default().extend([path].into_iter().chain(outer));
    if let Some(names) = scope.outer_names.get(&old).cloned() {
        scope.outer_names.insert(to, names);
    }
}
