//! What a node shows to the outside: its title and its ports, whatever state the document is in.

use std::collections::BTreeMap;

use super::{IN, InputEnd, OUT, gone, no_node, source};
use crate::document::{Document, Group, Link, Node, NodeKind, Nodes, ParamValue, Scope};
use crate::graph::ports::{Ports, Types};
pub use crate::graph::ports::{group_of, stage_of};
use crate::graph::{bypass, fits as types};
use crate::library::Library;
use crate::library::reference;
use crate::stage::header::{Change, Direction, Param, Port};
use crate::stage::types::{Element, PortType, WireType};

/// A port as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PortFace {
    pub name: String,
    /// What it carries, as far as the document's text tells. Absent when that is not known, or the node has no such port.
    pub ty: Option<PortType>,
    /// The type in full: of particles what the stage needs and adds, or what the wire carries once that is known.
    pub carries: String,
    pub doc: String,
    /// Whether it may stay unwired.
    pub optional: bool,
    /// Of an input: what may be wired to it.
    pub takes: Takes,
    /// Of an output: whether it is a number of the document, which is a constant wherever it goes.
    pub constant: bool,
}

/// What may be wired to an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    Anything,
    Type(PortType),
    /// A wire of the type, or a number in place of it.
    TypeOrNumber(PortType),
    /// A parameter.
    Number,
    /// The node has no such port.
    Nothing,
}

/// Whether a wire may go from an output to an input, as far as types tell. Cheap, so that the canvas can ask for every port.
///
/// # Errors
/// Why not and what helps, in the compiler's words.
pub fn fits(from: &PortFace, to: &PortFace) -> Result<(), String> {
    let ty = match to.takes {
        Takes::Anything => return Ok(()),
        Takes::Nothing => return Err(format!("the node has no input `{}`; remove the wire", to.name)),
        Takes::Number if from.constant => return Ok(()),
        Takes::Number => return Err(said(types::parameter())),
        Takes::TypeOrNumber(ty) if from.constant && types::takes_number(ty) => return Ok(()),
        Takes::TypeOrNumber(ty) | Takes::Type(ty) => ty,
    };
    let Some(given) = from.ty else { return Ok(()) };
    types::fits(given, ty).map_err(said)
}

fn said((cause, remedy): (String, String)) -> String {
    format!("{cause}; {remedy}")
}

/// A node as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// What the node is: its stage's title, or its kind.
    pub title: String,
    pub inputs: Vec<PortFace>,
    pub outputs: Vec<PortFace>,
}

impl Face {
    /// Position of the output that a link means.
    pub fn output(&self, port: &str) -> Option<usize> {
        match (port, self.outputs.len()) {
            ("", 1) => Some(0),
            (name, _) => self.outputs.iter().position(|output| output.name == name),
        }
    }
}

/// What a group's exposed parameter is, from the first node inside that it sets.
pub fn exposed(group: &Group, links: &[Link], library: &Library) -> Option<Param> {
    let link = links.first()?;
    let inner = group.nodes.get(&link.node)?;
    if let Some(stage) = stage_of(inner, library) {
        return stage.param(&link.port).cloned();
    }
    let nested = group_of(inner, library)?;
    exposed(nested, nested.params.get(&link.port)?, library)
}

/// The faces of all nodes of a level, and inside of a group those of its inputs (`in`) and outputs (`out`). Every wire has
/// two ends here, be it right or wrong, unless its node is gone.
pub fn faces(document: &Document, scope: &Scope, library: &Library) -> BTreeMap<String, Face> {
    Ports::of(document, scope, library).map(|ports| of(&ports)).unwrap_or_default()
}

/// The face of one node, or of `in` and `out` inside of a group.
///
/// # Errors
/// When the node is gone.
pub fn port_types(document: &Document, scope: &Scope, name: &str, library: &Library) -> Result<Face, String> {
    let ports = Ports::of(document, scope, library).ok_or_else(|| gone(scope))?;
    let block = ports.group().and_then(|group| block(&ports, group, name));
    block.or_else(|| of_node(&ports, name)).ok_or_else(|| no_node(scope, name))
}

/// The face of a node by itself.
pub fn face(node: &Node, library: &Library) -> Face {
    let nodes = Nodes::from([(String::new(), node.clone())]);
    let face = of_node(&Ports::new(&nodes, Types::new(), library), "");
    face.unwrap_or_else(|| Face { title: String::new(), inputs: Vec::new(), outputs: Vec::new() })
}

pub(super) fn of(ports: &Ports<'_>) -> BTreeMap<String, Face> {
    let named = |name: &String| Some((name.clone(), of_node(ports, name)?));
    let mut faces: BTreeMap<String, Face> = ports.nodes().keys().filter_map(named).collect();
    let group = ports.group();
    let blocks = [IN, OUT].into_iter().filter_map(|name| Some((name.to_string(), block(ports, group?, name)?)));
    faces.extend(blocks);
    let shown = group.into_iter().flat_map(|group| group.outputs.values());
    for link in ports.nodes().values().flat_map(|node| node.inputs.values()).chain(shown) {
        if let Some(face) = faces.get_mut(&link.node)
            && face.output(&link.port).is_none()
        {
            face.outputs.push(stranger(&link.port));
        }
    }
    faces
}

/// The inputs of the group that is open, as an output side; its outputs, as an input side.
fn block(ports: &Ports<'_>, group: &Group, name: &str) -> Option<Face> {
    match name {
        IN => {
            let outputs = group.inputs.keys().map(|name| {
                let ty = ports.around().get(name).copied();
                PortFace {
                    constant: ty.is_some_and(PortType::is_number),
                    ..port(name, ty, "An input of the group", true)
                }
            });
            Some(Face { title: "Inputs".into(), inputs: Vec::new(), outputs: outputs.collect() })
        }
        OUT => {
            let inputs = group.outputs.iter().map(|(name, link)| {
                let port = port(name, ports.output(link), "An output of the group", true);
                PortFace { takes: Takes::Anything, ..port }
            });
            Some(Face { title: "Outputs".into(), inputs: inputs.collect(), outputs: Vec::new() })
        }
        _ => None,
    }
}

/// Gives generic ports and particle ports of a level the type that their wires carry; the simulation knows it by `node.port`.
pub fn bind(
    faces: &mut BTreeMap<String, Face>,
    document: &Document,
    scope: &Scope,
    carried: impl Fn(&str) -> Option<WireType>,
    particles: impl Fn(&str) -> Option<String>,
) {
    let Some(level) = document.level(scope) else { return };
    let open = |port: &PortFace| {
        matches!(port.ty, None | Some(PortType::Grid(Element::Generic(_)) | PortType::Particles))
            && port.takes != Takes::Nothing
    };
    for (name, face) in faces.iter_mut() {
        for port in face.outputs.iter_mut().filter(|port| open(port)) {
            let wire = format!("{}.{}", scope.path(name), port.name);
            port.ty = carried(&wire).map(types::port_type).or(port.ty);
            port.carries = match port.ty {
                Some(PortType::Particles) => particles(&wire).unwrap_or_else(|| port.carries.clone()),
                ty => ty.map_or_else(String::new, |ty| ty.to_string()),
            };
        }
    }
    let outputs: BTreeMap<String, Face> = faces.clone();
    for (name, face) in faces.iter_mut() {
        for port in face.inputs.iter_mut().filter(|port| open(port)) {
            let Some(link) = source(level, &InputEnd { node: name.clone(), port: port.name.clone() }) else { continue };
            let source = outputs.get(&link.node).and_then(|face| face.outputs.get(face.output(&link.port)?));
            port.ty = source.and_then(|source| source.ty).or(port.ty);
            if let Some(source) = source {
                port.carries = source.carries.clone();
            }
        }
    }
}

fn of_node(ports: &Ports<'_>, name: &str) -> Option<Face> {
    let node = ports.nodes().get(name)?;
    let link = |port: &str| Link { node: name.into(), port: port.into() };
    let stage = ports.stage(name);
    let input = |declared: crate::graph::ports::Declared| {
        let ty = ports.input(name, &declared.name);
        let takes = ports.takes(name, &declared.name);
        let hosted = matches!(node.kind, NodeKind::State(_) | NodeKind::Output(_));
        let takes = match takes {
            Some(ty) if hosted => Takes::Type(ty),
            Some(ty) => Takes::TypeOrNumber(ty),
            None => Takes::Anything,
        };
        let face = match stage.as_ref().and_then(|stage| stage.port(&declared.name)) {
            Some(known) => stage_port(known, ty),
            None => port(&declared.name, ty, host_doc(&node.kind, &declared.name), optional(node, &declared)),
        };
        PortFace { takes, ..face }
    };
    let mut inputs: Vec<PortFace> = ports.inputs(name).into_iter().map(input).collect();
    // What an output carries is known only when a group is opened; the input that it feeds back to tells, or else any grid.
    let any = || group_of(node, ports.library()).map(|_| PortType::Grid(Element::Generic('T')));
    let outputs = ports.outputs(name).unwrap_or_default().to_vec().into_iter().map(|output| {
        let ty = ports.output(&link(&output));
        let face = match stage.as_ref().and_then(|stage| stage.port(&output)) {
            Some(known) => PortFace { optional: true, ..stage_port(known, ty) },
            None => port(&output, ty.or_else(any), output_doc(&node.kind), true),
        };
        let number = bypass::origin(ports, &link(&output)).is_some_and(|from| {
            let given = from.node == IN && ty.is_some_and(PortType::is_number);
            given || ports.nodes().get(&from.node).is_some_and(|node| matches!(node.kind, NodeKind::Number(_)))
        });
        PortFace { constant: number, ..face }
    });
    let outputs = outputs.collect();
    let params = stage.as_ref().map(|stage| stage.header.params.as_slice()).unwrap_or_default();
    for name in node.inputs.keys() {
        if inputs.iter().any(|input| input.name == *name) {
            continue;
        }
        // A number may drive a parameter; it shows as a port while it does.
        let driven = params.iter().find(|param| param.name == *name);
        inputs.push(match driven {
            Some(param) => {
                let ty = PortType::Number(Element::Fixed(param.ty.value()));
                PortFace { takes: Takes::Number, ..port(name, Some(ty), &param.doc, true) }
            }
            None => stranger(name),
        });
    }
    Some(Face { title: title(node, ports, name), inputs, outputs })
}

fn title(node: &Node, ports: &Ports<'_>, name: &str) -> String {
    match &node.kind {
        NodeKind::Stage(kind) => ports.stage(name).map_or_else(|| kind.clone(), |stage| stage.header.title.clone()),
        NodeKind::Custom(_) => ports.stage(name).map_or_else(|| "Custom".into(), |stage| stage.header.title.clone()),
        NodeKind::Group(_) => "Group".into(),
        NodeKind::State(_) => "State".into(),
        NodeKind::Number(_) => "Number".into(),
        NodeKind::Output(_) => "Output".into(),
        NodeKind::File(_) => "File".into(),
        NodeKind::Reroute => "Reroute".into(),
        NodeKind::Unknown => "Unknown".into(),
        NodeKind::Domain(domain) => {
            let computed = |cells: &ParamValue| matches!(cells, ParamValue::Expression(_));
            let cells = domain.resolution.iter().map(|n| if computed(n) { "ƒ".to_string() } else { n.to_string() });
            format!("Domain {}", cells.collect::<Vec<_>>().join(" × "))
        }
    }
}

fn host_doc(kind: &NodeKind, port: &str) -> &'static str {
    match (kind, port) {
        (NodeKind::State(_), "next") => "The value in the next frame",
        (NodeKind::State(_), _) => "The value after a reset; unwired, a constant",
        (NodeKind::Output(_), _) => "The picture that leaves the graph",
        (NodeKind::Reroute, _) => "What the dot passes on",
        _ => "",
    }
}

fn output_doc(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::State(_) => "The value that the frame before left",
        NodeKind::File(_) => "Signed distance to the shape [m]",
        NodeKind::Reroute => "What the dot reads",
        _ => "",
    }
}

fn optional(node: &Node, declared: &crate::graph::ports::Declared) -> bool {
    matches!(node.kind, NodeKind::State(_)) || declared.constant.is_some()
}

/// A port of a stage; with its letters bound its type says all there is to say.
fn stage_port(declared: &Port, ty: Option<PortType>) -> PortFace {
    // An emitter may begin a set.
    let begins = matches!(declared.change, Change::Emit(_));
    let optional = declared.default.is_some() || declared.direction == Direction::Out || begins;
    let face = port(&declared.name, ty, &declared.doc, optional);
    let bound = ty.filter(|ty| *ty != declared.ty);
    PortFace { carries: bound.map_or_else(|| reference::port_type(declared), |ty| ty.to_string()), ..face }
}

fn port(name: &str, ty: Option<PortType>, doc: &str, optional: bool) -> PortFace {
    let carries = ty.map_or_else(String::new, |ty| ty.to_string());
    let takes = ty.map_or(Takes::Anything, Takes::Type);
    PortFace { name: name.into(), ty, carries, doc: doc.into(), optional, takes, constant: false }
}

fn stranger(name: &str) -> PortFace {
    PortFace { takes: Takes::Nothing, ..port(name, None, "The node has no such port", true) }
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
        let faces = faces(&Document::parse(text).unwrap(), &Scope::default(), Library::builtin());
        let names = |ports: &[PortFace]| ports.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&faces["a"].inputs), ["velocity", "no_port"]);
        assert_eq!(names(&faces["b"].outputs), ["value", "nothing"]);
        assert_eq!((names(&faces["c"].inputs), names(&faces["c"].outputs)), (vec!["x".into()], vec!["spout".into()]));
        assert_eq!(faces["a"].output(""), Some(0));
        assert_eq!(names(&faces["d"].inputs), ["y"]);
    }
}
