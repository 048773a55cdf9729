//! The signature of a node as drawn on the canvas: its title and its ports, also for documents with errors.

use std::collections::BTreeMap;

use super::{IN, InputEnd, OUT, Refusal, gone, no_node, source};
use crate::document::kind::KindPort;
use crate::document::{Document, Group, Link, Node, NodeKind, Nodes, Scope, WHERE, sole_output};
use crate::graph::field_samples::split;
use crate::graph::ports::{Ports, Types};
pub use crate::graph::ports::{group_of, stage_of};
use crate::graph::{bypass, fits as types, takes_where};
use crate::library::Library;
use crate::library::reference;
use crate::stage::header::{self, Change, Direction, Param, Port};
use crate::stage::types::{Element, PortType, WireType};

/// What `where` does, for tooltips.
const WHERE_DOC: &str = "The node runs only in the blocks of 8 cells a side in which this grid is not zero, and in those around them. Elsewhere its results are 0";
/// Limit of nested groups that are looked into; a library group may contain itself.
const MAX_NESTING: usize = 16;

/// A port as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PortSignature {
    /// Name of the port.
    pub name: String,
    /// Type of the port, as far as the document's text determines it. `None` when that is unknown, or the node has no
    /// such port.
    pub ty: Option<PortType>,
    /// The complete type: for particles what the stage needs and adds, or what the wire carries once that is known.
    pub carries: String,
    /// Documentation; empty if there is none.
    pub doc: String,
    /// Whether the port may stay unwired.
    pub optional: bool,
    /// What can be connected to an input.
    pub takes: Takes,
    /// Whether an output is that of a number node, which is a constant wherever it is connected.
    pub constant: bool,
}

/// What can be connected to an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// A wire of any type.
    Anything,
    /// A wire of this type, which may be generic.
    Type(PortType),
    /// A wire of the type, or a number instead.
    TypeOrNumber(PortType),
    /// A parameter.
    Number,
    /// The node has no such port.
    Nothing,
}

/// Whether an output can be connected to an input, judged by types. Cheap, so the canvas can test every port.
///
/// # Errors
/// Cause and remedy, in the compiler's words.
pub fn fits(from: &PortSignature, to: &PortSignature) -> Result<(), Refusal> {
    let ty = match to.takes {
        Takes::Anything => return Ok(()),
        Takes::Nothing => return Err(Refusal::NoSuchInput { port: to.name.clone() }),
        Takes::Number if from.constant => return Ok(()),
        Takes::Number => return Err(said(types::parameter())),
        Takes::TypeOrNumber(ty) if from.constant && types::takes_number(ty) => return Ok(()),
        Takes::TypeOrNumber(ty) | Takes::Type(ty) => ty,
    };
    let Some(source_type) = from.ty else { return Ok(()) };
    types::fits(source_type, ty).map_err(said)
}

fn said((cause, remedy): (String, String)) -> Refusal {
    Refusal::DoesNotFit { cause, remedy }
}

/// A node as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSignature {
    /// The stage's title, or the kind of node.
    pub title: String,
    /// Inputs from top to bottom.
    pub inputs: Vec<PortSignature>,
    /// Outputs from top to bottom.
    pub outputs: Vec<PortSignature>,
}

impl NodeSignature {
    /// Index of the output that a link refers to.
    pub fn output(&self, port: &str) -> Option<usize> {
        match port {
            "" => sole_output(self.outputs.iter().enumerate().map(|(place, output)| (output.name.as_str(), place))),
            name => self.outputs.iter().position(|output| output.name == name),
        }
    }
}

/// The declaration of a group's exposed parameter, from the first node inside that it sets.
pub fn exposed(group: &Group, links: &[Link], library: &Library) -> Option<Param> {
    let link = links.first()?;
    let inner = group.nodes.get(&link.node)?;
    if let Some(stage) = stage_of(inner, library) {
        return stage.param(&link.port).cloned();
    }
    let nested = group_of(inner, library)?;
    exposed(nested, nested.params.get(&link.port)?, library)
}

/// The unit of what a wire carries, by `node.port` with the whole path of the node; empty where none is declared.
pub fn unit(document: &Document, wire: &str, library: &Library) -> String {
    let (wire, _) = split(wire);
    let unit = wire.rsplit_once('.').and_then(|(path, port)| unit_of(&document.nodes, path, port, library));
    unit.unwrap_or_default()
}

fn unit_of(nodes: &Nodes, path: &str, port: &str, library: &Library) -> Option<String> {
    if let Some((outside, inside)) = path.split_once('/') {
        return unit_of(&group_of(nodes.get(outside)?, library)?.nodes, inside, port, library);
    }
    let node = nodes.get(path)?;
    if let Some(stage) = stage_of(node, library) {
        return stage.port(port).map(|port| port.unit.clone());
    }
    let group = group_of(node, library)?;
    let link = group.outputs.get(port)?;
    unit_of(&group.nodes, &link.node, &link.port, library)
}

/// The signatures of all nodes of a level; inside a group also those of its inputs (`in`) and outputs (`out`). Every
/// wire has two ends here, valid or not, unless its node does not exist.
pub fn level(document: &Document, scope: &Scope, library: &Library) -> BTreeMap<String, NodeSignature> {
    Ports::of_level(document, scope, library).map(|ports| level_signatures(&ports)).unwrap_or_default()
}

/// The signature of one node, or of `in` and `out` inside a group.
///
/// # Errors
/// When the node does not exist.
pub fn port_types(document: &Document, scope: &Scope, name: &str, library: &Library) -> Result<NodeSignature, Refusal> {
    let ports = Ports::of_level(document, scope, library).ok_or_else(|| gone(scope))?;
    let block = ports.group().and_then(|group| block(&ports, group, name));
    block.or_else(|| of_node(&ports, name)).ok_or_else(|| no_node(scope, name))
}

/// The signature of a node alone.
pub fn node(node: &Node, library: &Library) -> NodeSignature {
    let nodes = Nodes::from([(String::new(), node.clone())]);
    let signature = of_node(&Ports::new(&nodes, Types::new(), library), "");
    signature.unwrap_or_else(|| NodeSignature { title: String::new(), inputs: Vec::new(), outputs: Vec::new() })
}

pub(super) fn level_signatures(ports: &Ports<'_>) -> BTreeMap<String, NodeSignature> {
    let named = |name: &String| Some((name.clone(), of_node(ports, name)?));
    let mut signatures: BTreeMap<String, NodeSignature> = ports.nodes().keys().filter_map(named).collect();
    let group = ports.group();
    let blocks = [IN, OUT].into_iter().filter_map(|name| Some((name.to_string(), block(ports, group?, name)?)));
    signatures.extend(blocks);
    let shown = group.into_iter().flat_map(|group| group.outputs.values());
    for link in ports.nodes().values().flat_map(|node| node.inputs.values()).chain(shown) {
        if let Some(signature) = signatures.get_mut(&link.node)
            && signature.output(&link.port).is_none()
        {
            signature.outputs.push(stranger(&link.port));
        }
    }
    signatures
}

/// The inputs of the open group as outputs of a node `in`, or its outputs as inputs of a node `out`.
fn block(ports: &Ports<'_>, group: &Group, name: &str) -> Option<NodeSignature> {
    match name {
        IN => {
            let outputs = group.inputs.keys().map(|name| {
                let ty = ports.around().get(name).copied();
                PortSignature {
                    constant: ty.is_some_and(PortType::is_number),
                    ..port(name, ty, "An input of the group", true)
                }
            });
            Some(NodeSignature { title: "Inputs".into(), inputs: Vec::new(), outputs: outputs.collect() })
        }
        OUT => {
            let inputs = group.outputs.iter().map(|(name, link)| {
                let port = port(name, ports.output(link), "An output of the group", true);
                PortSignature { takes: Takes::Anything, ..port }
            });
            Some(NodeSignature { title: "Outputs".into(), inputs: inputs.collect(), outputs: Vec::new() })
        }
        _ => None,
    }
}

/// Replaces the types of generic ports and particle ports of a level by what their wires carry, which the simulation
/// knows by `node.port`.
pub fn bind(
    signatures: &mut BTreeMap<String, NodeSignature>,
    document: &Document,
    scope: &Scope,
    carried: impl Fn(&str) -> Option<WireType>,
    particles: impl Fn(&str) -> Option<String>,
) {
    let Some(level) = document.level(scope) else { return };
    let open = |port: &PortSignature| {
        matches!(port.ty, None | Some(PortType::Grid(Element::Generic(_)) | PortType::Particles))
            && port.takes != Takes::Nothing
    };
    for (name, signature) in signatures.iter_mut() {
        for port in signature.outputs.iter_mut().filter(|port| open(port)) {
            let wire = format!("{}.{}", scope.path(name), port.name);
            port.ty = carried(&wire).map(types::port_type).or(port.ty);
            port.carries = match port.ty {
                Some(PortType::Particles) => particles(&wire).unwrap_or_else(|| port.carries.clone()),
                ty => ty.map_or_else(String::new, |ty| ty.to_string()),
            };
        }
    }
    let outputs: BTreeMap<String, NodeSignature> = signatures.clone();
    for (name, signature) in signatures.iter_mut() {
        for port in signature.inputs.iter_mut().filter(|port| open(port)) {
            let Some(link) = source(level, &InputEnd { node: name.clone(), port: port.name.clone() }) else { continue };
            let source =
                outputs.get(&link.node).and_then(|signature| signature.outputs.get(signature.output(&link.port)?));
            port.ty = source.and_then(|source| source.ty).or(port.ty);
            if let Some(source) = source {
                port.carries = source.carries.clone();
            }
        }
    }
}

fn of_node(ports: &Ports<'_>, name: &str) -> Option<NodeSignature> {
    let node = ports.nodes().get(name)?;
    let link = |port: &str| Link { node: name.into(), port: port.into() };
    let stage = ports.stage(name);
    let kind = node.kind.info();
    let kind_port =
        |ports: Option<&'static [KindPort]>, name: &str| ports.into_iter().flatten().find(|p| p.name == name);
    let input = |declared: crate::graph::ports::Declared| {
        let ty = ports.input(name, &declared.name);
        let kind_port = kind_port(kind.inputs(), &declared.name);
        let takes = match ports.takes(name, &declared.name) {
            Some(ty) if kind_port.is_some() => Takes::Type(ty),
            Some(ty) => Takes::TypeOrNumber(ty),
            None => Takes::Anything,
        };
        let signature = match (stage.as_ref().and_then(|stage| stage.port(&declared.name)), kind_port) {
            (Some(declared_port), _) => stage_port(declared_port, ty),
            (None, Some(kind_port)) => port(kind_port.name, ty, kind_port.doc, kind_port.optional),
            (None, None) => {
                let unneeded =
                    || group_of(node, ports.library()).is_some_and(|g| unneeded(g, &declared.name, ports, 0));
                port(&declared.name, ty, "", declared.constant.is_some() || unneeded())
            }
        };
        PortSignature { takes, ..signature }
    };
    let mut inputs: Vec<PortSignature> = ports.inputs(name).into_iter().map(input).collect();
    // The type of an output is known only when the group is resolved. Otherwise that of the input that it feeds is
    // used, or any grid.
    let any = || group_of(node, ports.library()).map(|_| PortType::Grid(Element::Generic('T')));
    let outputs = ports.outputs(name).unwrap_or_default().to_vec().into_iter().map(|output| {
        let ty = ports.output(&link(&output));
        let signature = match stage.as_ref().and_then(|stage| stage.port(&output)) {
            Some(declared_port) => PortSignature { optional: true, ..stage_port(declared_port, ty) },
            None => port(
                &output,
                ty.or_else(any),
                kind_port(kind.outputs(), &output).map_or("", |kind_port| kind_port.doc),
                true,
            ),
        };
        let number = bypass::origin(ports, &link(&output)).is_some_and(|from| {
            let is_group_input = from.node == IN && ty.is_some_and(PortType::is_number);
            is_group_input || ports.nodes().get(&from.node).is_some_and(|node| node.kind.is_number())
        });
        PortSignature { constant: number, ..signature }
    });
    let outputs = outputs.collect();
    let params = stage.as_ref().map(|stage| stage.header.params.as_slice()).unwrap_or_default();
    let confined = node.inputs.contains_key(WHERE) && takes_where(node, ports.library());
    for name in node.inputs.keys() {
        if (confined && name == WHERE) || inputs.iter().any(|input| input.name == *name) {
            continue;
        }
        // A number can drive a parameter; while it does, the parameter is drawn as a port.
        let of_group = || {
            let group = group_of(node, ports.library())?;
            exposed(group, group.params.get(name)?, ports.library())
        };
        let driven = params.iter().find(|param| param.name == *name).cloned().or_else(of_group);
        inputs.push(match driven {
            Some(param) => {
                let ty = PortType::Number(Element::Fixed(param.ty.value()));
                PortSignature { takes: Takes::Number, ..port(name, Some(ty), &param.doc, true) }
            }
            None => stranger(name),
        });
    }
    if confined {
        let carried = node.inputs.get(WHERE).and_then(|link| ports.output(link));
        let confining = confining();
        inputs.push(PortSignature { takes: confining.takes, ..port(WHERE, carried.or(confining.ty), WHERE_DOC, true) });
    }
    let title = match (stage, &node.kind) {
        (Some(stage), _) => stage.header.title.clone(),
        // A text with errors may have a title.
        (None, NodeKind::Custom(text)) => {
            Some(header::read(text).0.title).filter(|title| !title.is_empty()).unwrap_or_else(|| node.kind.title())
        }
        (None, NodeKind::Stage(name)) => ports.library().title(name).map_or_else(|| node.kind.title(), String::from),
        _ => node.kind.title(),
    };
    Some(NodeSignature { title, inputs, outputs })
}

/// The input by which a grid says where a stage, or the stages of a group, run. Drawn while it is wired.
pub fn confining() -> PortSignature {
    port(WHERE, Some(PortType::Grid(Element::Generic('T'))), WHERE_DOC, true)
}

/// Whether all that reads an input inside a group works without it.
fn unneeded(group: &Group, input: &str, ports: &Ports<'_>, depth: usize) -> bool {
    let reads = |link: &Link| link.node == IN && link.port == input;
    let works = |node: &Node, port: &str| match (stage_of(node, ports.library()), group_of(node, ports.library())) {
        (Some(stage), _) => stage.port(port).is_none_or(|port| port.default.is_some()),
        (None, Some(inner)) => depth < MAX_NESTING && unneeded(inner, port, ports, depth + 1),
        (None, None) => {
            node.kind.info().inputs().into_iter().flatten().any(|input| input.name == port && input.optional)
        }
    };
    let inside = group.nodes.values().flat_map(|node| node.inputs.iter().map(move |(port, link)| (node, port, link)));
    !group.outputs.values().any(reads)
        && inside.filter(|(.., link)| reads(link)).all(|(node, port, _)| works(node, port))
}

/// A port of a stage; once its letters are bound, its type is complete.
fn stage_port(declared: &Port, ty: Option<PortType>) -> PortSignature {
    // An emitter can start a new set.
    let begins = matches!(declared.change, Change::Emit(_));
    let optional = declared.default.is_some() || declared.direction == Direction::Out || begins;
    let signature = port(&declared.name, ty, &declared.doc, optional);
    let bound = ty.filter(|ty| *ty != declared.ty);
    PortSignature { carries: bound.map_or_else(|| reference::port_type(declared), |ty| ty.to_string()), ..signature }
}

fn port(name: &str, ty: Option<PortType>, doc: &str, optional: bool) -> PortSignature {
    let carries = ty.map_or_else(String::new, |ty| ty.to_string());
    let takes = ty.map_or(Takes::Anything, Takes::Type);
    PortSignature { name: name.into(), ty, carries, doc: doc.into(), optional, takes, constant: false }
}

fn stranger(name: &str) -> PortSignature {
    PortSignature { takes: Takes::Nothing, ..port(name, None, "The node has no such port", true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_has_two_ends_though_the_graph_is_wrong() {
        let text = r#"(nodes: {
            "a": (stage: "fluid/divergence", inputs: {"velocity": "b.nothing", "no_port": "b.value"}),
            "b": (state: "nonsense", inputs: {"next": "gone.x"}),
            "c": (stage: "no/such", inputs: {"x": "a"}),
            "d": (teapot: 1, inputs: {"y": "c.spout"}),
        })"#;
        let signatures = level(&Document::parse(text).unwrap(), &Scope::default(), Library::builtin());
        let names = |ports: &[PortSignature]| ports.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&signatures["a"].inputs), ["velocity", "open", "motion", "no_port"]);
        assert_eq!(names(&signatures["b"].outputs), ["value", "nothing"]);
        assert_eq!(
            (names(&signatures["c"].inputs), names(&signatures["c"].outputs)),
            (vec!["x".into()], vec!["spout".into()])
        );
        assert_eq!(signatures["a"].output(""), Some(0));
        assert_eq!(names(&signatures["d"].inputs), ["y"]);
    }
}
