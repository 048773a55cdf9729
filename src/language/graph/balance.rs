//! Balances what pressure solvers read. Where the fluid has a part without a way out, no pressure removes the mean of the divergence
//! over that part, and solvers would drift. Before each solver a library group subtracts these means, once for all iterations.

use std::collections::BTreeSet;

use super::bypass::left_out;
use super::ports::{Ports, group_of, stage_of};
use super::scope::Scope;
use crate::document::{Link, Node, NodeKind, Nodes, sole_output};
use crate::library::Library;
use crate::stage::types::{Element, PortType, ValueType};

/// Ends the names of inserted nodes. No name of a document has a slash.
const SUFFIX: &str = "/balance";
/// The input that is balanced.
const DIVERGENCE: &str = "divergence";
/// The unknown, which a solver reads and writes.
const PRESSURE: &str = "pressure";
/// The input of a solver that takes the labels of parts.
const PART: &str = "part";
/// Groups that balance, by the input of the solver that says where walls are, or which parts there are.
const GROUPS: [(&str, &str); 3] =
    [(PART, "fluid/balance_parts"), ("weight", "fluid/balance_weight"), ("open", "fluid/balance_open")];
/// The group for a box without walls in it.
const BOX: &str = "fluid/balance_box";

/// What adds up to nothing in a box without walls: what leaves a cell enters the next.
const DIVERGENCES: [&str; 2] = ["fluid/divergence", "staggered/divergence"];
/// The most borders of groups that a wire is followed through; after more, a divergence is balanced although it may not need it.
const MAX_BORDERS: usize = 1000;
/// A lack of volume, which is no divergence of a flow: its mean is left to the solver.
const SHORTFALL: &str = "two_phase/shortfall";
/// A solver that finds parts itself balances them itself.
const LABELS: &str = "multigrid/connected_parts";
/// What makes weights that are 0 exactly on faces of cells that are not `open`. Weights may change with the fluid; its walls then may rest.
const WEIGHTS: [&str; 2] = ["two_phase/face_weight", "two_phase/masses"];

/// Whether a node was inserted here.
pub(super) fn inserts(name: &str, node: &Node) -> bool {
    let is_inserted_group = |group: &str| group == BOX || GROUPS.iter().any(|(_, group_name)| group == *group_name);
    name.ends_with(SUFFIX) && matches!(&node.kind, NodeKind::Stage(group) if is_inserted_group(group))
}

/// The path of the solver before which a node was inserted, or the node's own.
pub fn solver(path: &str) -> &str {
    path.split_once(&format!("{SUFFIX}/")).map_or(path, |(solver, _)| solver)
}

/// Whether the nodes inside a group are left as they are: a group of the library has what it needs, and a copy of a solver that takes labels
/// is balanced from outside.
pub(super) fn balances_itself(node: &Node, library: &Library) -> bool {
    matches!(node.kind, NodeKind::Stage(_)) || solves(node, library)
}

/// The nodes of a level with a balancing group before each pressure solver whose fluid has walls, or a source.
pub(super) fn inserted(mut nodes: Nodes, scope: &Scope, library: &Library) -> Nodes {
    if scope.balanced {
        return nodes;
    }
    for (name, group) in groups(&nodes, scope, library) {
        let balance = format!("{name}{SUFFIX}");
        let output = |port: &str| Link { node: balance.clone(), port: port.into() };
        if let Some(solver) = nodes.get_mut(&name) {
            let takes = group_of(solver, library).is_some_and(|group| group.inputs.contains_key(PART));
            if takes && !solver.inputs.contains_key(PART) {
                solver.inputs.insert(PART.into(), output(PART));
            }
            solver.inputs.insert(DIVERGENCE.into(), output(DIVERGENCE));
        }
        nodes.insert(balance, group);
    }
    nodes
}

/// The group that belongs before each solver, by the solver's name.
fn groups(nodes: &Nodes, scope: &Scope, library: &Library) -> Vec<(String, Node)> {
    let ports = Ports::new(nodes, scope.around.clone(), library);
    let solvers = nodes.iter().filter(|(_, node)| !left_out(node) && solves(node, library));
    solvers.filter_map(|(name, node)| Some((name.clone(), before(node, &ports, scope, library)?))).collect()
}

/// The inputs of a group that carry a divergence.
pub(super) fn divergences(node: &Node, nodes: &Nodes, scope: &Scope, library: &Library) -> BTreeSet<String> {
    let carry = node.inputs.iter().filter(|(_, link)| is_divergence(link, nodes, scope, library));
    carry.map(|(port, _)| port.clone()).collect()
}

/// Whether a custom stage computes something of a flow alone: its own divergence, to which it adds no source. It is left as it is written.
fn reads_flow_alone(node: &Node, library: &Library) -> bool {
    let flow = |ty: PortType| matches!(ty, PortType::FaceGrid | PortType::Grid(Element::Fixed(ValueType::Vec)));
    let stage = stage_of(node, library).filter(|_| matches!(node.kind, NodeKind::Custom(_)));
    stage.is_some_and(|stage| {
        stage.inputs().any(|port| flow(port.ty))
            && stage.inputs().all(|port| flow(port.ty) || !matches!(port.ty, PortType::Grid(_)))
    })
}

/// Whether a wire comes from a stage that computes a divergence, perhaps through borders of groups.
fn is_divergence(link: &Link, nodes: &Nodes, scope: &Scope, library: &Library) -> bool {
    let mut link = link;
    let mut nodes = nodes;
    let mut around = Vec::new();
    for _ in 0..MAX_BORDERS {
        let next = if link.node == "in" {
            let Some((outer, group)): Option<(&Nodes, &Node)> = around.pop() else {
                return scope.divergences.contains(&link.port);
            };
            nodes = outer;
            group.inputs.get(&link.port)
        } else {
            let Some(node) = nodes.get(&link.node) else { return false };
            if matches!(&node.kind, NodeKind::Stage(name) if DIVERGENCES.contains(&name.as_str())) {
                return true;
            }
            let Some(group) = group_of(node, library) else { return reads_flow_alone(node, library) };
            around.push((nodes, node));
            nodes = &group.nodes;
            group.outputs.get(&link.port).or_else(|| {
                sole_output(group.outputs.iter().map(|(name, link)| (name.as_str(), link)))
                    .filter(|_| link.port.is_empty())
            })
        };
        let Some(next) = next else { return false };
        link = next;
    }
    false
}

/// Whether a node solves for a pressure: a sweep that says so, a solver of the library, or a copy of one that takes labels.
fn solves(node: &Node, library: &Library) -> bool {
    if matches!(&node.kind, NodeKind::Custom(text) if !text.contains("balanced")) {
        return false;
    }
    let Some(group) = group_of(node, library) else {
        return stage_of(node, library).is_some_and(|stage| stage.inputs().any(|port| port.balanced));
    };
    let copy = matches!(node.kind, NodeKind::Group(_));
    let labels = |inner: &Node| matches!(&inner.kind, NodeKind::Stage(name) if name == LABELS);
    // A group around solvers is none: they are balanced inside, as they would be without it.
    let within = |inner: &Node| !left_out(inner) && group_of(inner, library).is_some() && solves(inner, library);
    let takes = |port: &str| group.inputs.contains_key(port);
    takes(DIVERGENCE)
        && takes(PRESSURE)
        && group.outputs.contains_key(PRESSURE)
        && (!copy || takes(PART) && !group.nodes.values().any(within))
        && !group.nodes.values().any(labels)
}

/// The group that balances what a solver reads. Wires of other types are left to the solver, which reports them.
fn before(node: &Node, ports: &Ports<'_>, scope: &Scope, library: &Library) -> Option<Node> {
    let carries = |port: &str| {
        let link = node.inputs.get(port)?;
        let ty = match port {
            "weight" => PortType::FaceGrid,
            PART => PortType::Grid(Element::Fixed(ValueType::U32)),
            _ => PortType::Grid(Element::Fixed(ValueType::F32)),
        };
        (ports.output(link) == Some(ty)).then(|| (port.to_string(), link.clone()))
    };
    let divergence = carries(DIVERGENCE)?;
    let lacks = |from: &Node| matches!(&from.kind, NodeKind::Stage(name) if name == SHORTFALL);
    if ports.nodes().get(&divergence.1.node).is_some_and(lacks) {
        return None;
    }
    let balancing = |group: &str, inputs| {
        let kind = NodeKind::Stage(group.into());
        Some(Node { kind, inputs, on: node.on.clone(), ..Node::default() })
    };
    let Some((walls, group)) = GROUPS.iter().find_map(|(port, group)| Some((carries(port)?, *group))) else {
        // Solvers that are groups subtract the mean of a box themselves.
        let alone = group_of(node, library).is_none() && !is_divergence(&divergence.1, ports.nodes(), scope, library);
        return alone.then(|| balancing(BOX, [divergence].into()))?;
    };
    let source = ports.nodes().get(&walls.1.node).filter(|_| walls.0 == "weight");
    let (walls, group) = match source {
        Some(source) if matches!(&source.kind, NodeKind::Stage(name) if WEIGHTS.contains(&name.as_str())) => {
            // Without a mask there are no walls in the box.
            (("open".to_string(), source.inputs.get("open")?.clone()), "fluid/balance_open")
        }
        _ => (walls, group),
    };
    balancing(group, [divergence, walls].into())
}
