//! Warns of changes from frame to frame that a stage cannot follow. A wall or a body that changes needs its velocity: a
//! piston without one displaces no fluid. A speed that is multiplied with the time since the start has to be constant.

use std::collections::HashMap;

use super::numbers::Table;
use super::{Graph, Input, Kind, Node, NodeId, Source};
use crate::document::ParamValue;
use crate::problem::{Problem, Problems};
use crate::stage::Stage;
use crate::stage::header::Port;
use crate::stage::types::{Element, PortType, ValueType};

/// What a stage can read of a frame that another frame has not.
const PASSING: [&str; 6] = ["time", "index", "mouse", "mouse_velocity", "buttons", "keys"];

/// Adds a warning for every such port of a checked graph.
pub(super) fn check(graph: &Graph, numbers: &Table, problems: &mut Problems) {
    let mut search = Search { graph, numbers, movers: HashMap::new() };
    for node in graph.nodes.iter() {
        let Kind::Stage(stage) = &node.kind else { continue };
        for param in &stage.header.params {
            let Some(port) = param.steady.as_deref() else { continue };
            let Some(setting) = node.params.iter().find(|setting| setting.name == param.name) else { continue };
            if !setting.is_constant(numbers) && !input(node, port).is_some_and(|input| is_wired(&input.source)) {
                problems.push(unsteady(&node.path, &param.name, port));
            }
        }
        for port in stage.inputs().filter(|port| !port.velocity_of.is_empty() && is_velocity(node, port)) {
            let Some((path, name)) = graph.unwired(node, port) else { continue };
            let mut bodies = port.velocity_of.iter();
            let Some((body, cause)) = bodies.find_map(|body| Some((body, search.port(node, body)?))) else { continue };
            let what = if cause.is_empty() { String::new() } else { format!(" with `{cause}`") };
            let cause = format!(
                "the shape of the walls or bodies (`{body}`) changes from frame to frame{what}, but `{name}`, their velocity, is not wired"
            );
            let remedy = format!(
                "connect their velocity to `{name}`, such as that of shape/rigid_velocity, or give it the constant (0, 0) if they stay in place"
            );
            problems.push(Problem::new(path, name, cause, remedy).warning());
        }
    }
}

fn is_wired(source: &Source) -> bool {
    matches!(source, Source::Wire { .. } | Source::GroupInput { .. })
}

fn unsteady(path: &str, param: &str, port: &str) -> Problem {
    let cause = format!(
        "`{param}` changes from frame to frame, but the stage multiplies it with the time since the start, so its result jumps"
    );
    let remedy = match port {
        "" => "give a constant".to_string(),
        port => format!("give a constant, or connect what it adds up to (number/integral) to `{port}`"),
    };
    Problem::new(path, param, cause, remedy).warning()
}

/// Whether a port has a vector: a stage that diffuses a flow also diffuses other fields, for which it is no velocity.
fn is_velocity(node: &Node, port: &Port) -> bool {
    match port.ty.element() {
        Some(Element::Generic(letter)) => node.generics.get(&letter) == Some(&ValueType::Vec),
        Some(Element::Fixed(ty)) => ty == ValueType::Vec,
        None => port.ty == PortType::FaceGrid,
    }
}

impl Graph {
    /// The node and the input at which a port could be wired, its own or one of a group around it; `None` where it is wired or
    /// has a value of its own.
    fn unwired<'a>(&'a self, node: &'a Node, port: &Port) -> Option<(&'a str, &'a str)> {
        let mut place = (node.path.as_str(), input(node, &port.name)?);
        loop {
            let outer = match &place.1.source {
                Source::GroupInput { group, input } => Some((*group, *input)),
                Source::Nothing => place.1.outer,
                Source::Setting(setting) => {
                    let default = port.default.as_deref().map(ParamValue::from_numbers)?;
                    if default != setting.value {
                        return None;
                    }
                    place.1.outer
                }
                Source::Wire { .. } => return None,
            };
            let Some((group, input)) = outer else { return Some((place.0, &place.1.name)) };
            let group = self.nodes.get(group)?;
            place = (&group.path, group.inputs.get(input)?);
        }
    }
}

fn input<'a>(node: &'a Node, name: &str) -> Option<&'a Input> {
    node.inputs.iter().find(|input| input.name == name)
}

/// Finds out what changes from frame to frame.
struct Search<'a> {
    graph: &'a Graph,
    numbers: &'a Table,
    /// The path of the node that makes an output of a node change.
    movers: HashMap<(NodeId, usize), Option<String>>,
}

impl Search<'_> {
    fn port(&mut self, node: &Node, name: &str) -> Option<String> {
        self.source(&input(node, name)?.source, &node.path)
    }

    /// The path of a node that makes a source change from frame to frame, if any. A constant belongs to the node at `owner`.
    fn source(&mut self, source: &Source, owner: &str) -> Option<String> {
        match source {
            Source::Nothing => None,
            Source::Setting(setting) => (!setting.is_constant(self.numbers)).then(|| owner.to_string()),
            Source::GroupInput { group, input } => {
                let graph = self.graph;
                let group = graph.nodes.get(*group)?;
                let outer = self.source(&group.inputs.get(*input)?.source, &group.path);
                let Kind::Group(kind) = &group.kind else { return outer };
                let again = kind.feedback(*input).filter(|_| group.iterations > 1);
                outer.or_else(|| self.source(again?, &group.path))
            }
            Source::Wire { node, port } => {
                if let Some(mover) = self.movers.get(&(*node, *port)) {
                    return mover.clone();
                }
                // In a cycle through a State the State decides.
                self.movers.insert((*node, *port), None);
                let found = self.output(*node, *port);
                self.movers.insert((*node, *port), found.clone());
                found
            }
        }
    }

    fn output(&mut self, id: NodeId, port: usize) -> Option<String> {
        let graph = self.graph;
        let node = graph.nodes.get(id)?;
        let own_path = || Some(node.path.clone());
        match &node.kind {
            Kind::Group(group) => self.source(&group.outputs.get(port)?.1, &node.path),
            Kind::State(_) => match (&node.file, input(node, "next").map(|next| &next.source)) {
                (Some(file), _) => file.sequence.as_ref().and_then(|_| own_path()),
                (None, Some(Source::Wire { node: next, .. })) if *next == id => None,
                (None, None | Some(Source::Nothing)) => None,
                (None, Some(_)) => own_path(),
            },
            Kind::Stage(stage) => {
                let passes = stage.names("frame") && PASSING.iter().any(|member| stage.names(member));
                if passes || node.params.iter().any(|param| !param.is_constant(self.numbers)) {
                    return own_path();
                }
                self.inputs(node, stage)
            }
            Kind::Number | Kind::Output { .. } | Kind::Broken => None,
        }
    }

    /// A velocity does not change the shape that a stage passes on. Where it is not wired, a stage that moves a shape by it leaves it as it is.
    fn inputs(&mut self, node: &Node, stage: &Stage) -> Option<String> {
        let velocity = stage.inputs().find(|port| !port.velocity_of.is_empty());
        let rests = velocity.filter(|port| self.graph.unwired(node, port).is_some());
        let counts = |name: &String| match (rests, velocity) {
            (Some(rests), _) => rests.velocity_of.contains(name),
            (None, Some(velocity)) => velocity.name != *name,
            (None, None) => true,
        };
        node.inputs.iter().filter(|input| counts(&input.name)).find_map(|input| self.source(&input.source, &node.path))
    }
}
