//! What a node shows to the outside: its title and its ports, whatever state the document is in.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::{Document, Group, Link, Node, NodeKind, ParamValue};
use crate::library::{Definition, Library};
use crate::stage::Stage;
use crate::stage::header::{Change, Direction, Param, ParamType, Port};
use crate::stage::reference;
use crate::stage::types::{Element, PortType, ValueType, WireType};

/// A port as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PortFace {
    pub name: String,
    /// Absent when the document names a port that the node does not have.
    pub ty: Option<PortType>,
    /// The type in full: of particles what the stage needs and adds, or what the wire carries once that is known.
    pub carries: String,
    pub doc: String,
    /// Whether it may stay unwired.
    pub optional: bool,
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

/// The stage of a node: of the library, or parsed from the node's own text.
pub fn stage_of(node: &Node, library: &Library) -> Option<Arc<Stage>> {
    match &node.kind {
        NodeKind::Stage(name) => library.stage(name).cloned(),
        NodeKind::Custom(source) => Stage::parse("custom", source).ok().map(Arc::new),
        _ => None,
    }
}

/// The group of a node: its own, or of the library.
pub fn group_of<'a>(node: &'a Node, library: &'a Library) -> Option<&'a Group> {
    match &node.kind {
        NodeKind::Group(group) => Some(group),
        NodeKind::Stage(name) => match library.get(name) {
            Some(Definition::Group(group)) => Some(group),
            _ => None,
        },
        _ => None,
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

/// The faces of all nodes. Every wire of the document has two ends here, be it right or wrong, unless its node is gone.
pub fn faces(document: &Document, library: &Library) -> BTreeMap<String, Face> {
    let mut faces: BTreeMap<String, Face> =
        document.nodes.iter().map(|(name, node)| (name.clone(), face(node, library))).collect();
    for link in document.nodes.values().flat_map(|node| node.inputs.values()) {
        if let Some(face) = faces.get_mut(&link.node)
            && face.output(&link.port).is_none()
        {
            face.outputs.push(stranger(&link.port));
        }
    }
    faces
}

/// Gives generic ports and particle ports the type that their wires carry; the simulation knows it by `node.port`.
pub fn bind(
    faces: &mut BTreeMap<String, Face>,
    document: &Document,
    carried: impl Fn(&str) -> Option<WireType>,
    particles: impl Fn(&str) -> Option<String>,
) {
    let generic = |port: &PortFace| matches!(port.ty, Some(PortType::Grid(Element::Generic(_)) | PortType::Particles));
    for (name, face) in faces.iter_mut() {
        for port in face.outputs.iter_mut().filter(|port| generic(port)) {
            let wire = format!("{name}.{}", port.name);
            port.ty = carried(&wire).map(port_type).or(port.ty);
            port.carries = match port.ty {
                Some(PortType::Particles) => particles(&wire).unwrap_or_else(|| port.carries.clone()),
                ty => ty.map_or_else(String::new, |ty| ty.to_string()),
            };
        }
    }
    let outputs: BTreeMap<String, Face> = faces.clone();
    for (name, face) in faces.iter_mut() {
        let Some(node) = document.nodes.get(name) else { continue };
        for port in face.inputs.iter_mut().filter(|port| generic(port)) {
            let Some(link) = node.inputs.get(&port.name) else { continue };
            let source = outputs.get(&link.node).and_then(|face| face.outputs.get(face.output(&link.port)?));
            port.ty = source.and_then(|source| source.ty).or(port.ty);
            if let Some(source) = source {
                port.carries = source.carries.clone();
            }
        }
    }
}

fn port_type(ty: WireType) -> PortType {
    match ty {
        WireType::Grid(value) => PortType::Grid(Element::Fixed(value)),
        WireType::FaceGrid => PortType::FaceGrid,
        WireType::Number(value) | WireType::Attribute(value) => PortType::Number(Element::Fixed(value)),
        WireType::Field(value) => PortType::Field(Element::Fixed(value)),
        WireType::Particles => PortType::Particles,
        WireType::NeighborGrid => PortType::NeighborGrid,
    }
}

/// The face of a node by itself.
pub fn face(node: &Node, library: &Library) -> Face {
    let mut face = match &node.kind {
        NodeKind::Stage(_) | NodeKind::Custom(_) | NodeKind::Group(_) => declared(node, library),
        NodeKind::State(ty) => {
            let ty = PortType::parse(ty);
            let inputs = vec![
                port("next", ty, "The value in the next frame", true),
                port("init", ty, "The value after a reset; unwired, a constant", true),
            ];
            let outputs = vec![port("value", ty, "The value that the frame before left", true)];
            Face { title: "State".into(), inputs, outputs }
        }
        NodeKind::Number(_) => {
            let ty = Some(PortType::Number(Element::Fixed(ValueType::F32)));
            Face { title: "Number".into(), inputs: Vec::new(), outputs: vec![port("value", ty, "", true)] }
        }
        NodeKind::Output(_) => {
            let image = PortType::parse("Image");
            let inputs = vec![port("image", image, "The picture that leaves the graph", false)];
            Face { title: "Output".into(), inputs, outputs: Vec::new() }
        }
        NodeKind::Domain(domain) => {
            let computed = |cells: &ParamValue| matches!(cells, ParamValue::Expression(_));
            let cells = domain.resolution.iter().map(|n| if computed(n) { "ƒ".to_string() } else { n.to_string() });
            let cells: Vec<String> = cells.collect();
            Face { title: format!("Domain {}", cells.join(" × ")), inputs: Vec::new(), outputs: Vec::new() }
        }
        NodeKind::File(_) => {
            let outputs =
                vec![port("distance", PortType::parse("Grid<f32>"), "Signed distance to the shape [m]", true)];
            Face { title: "File".into(), inputs: Vec::new(), outputs }
        }
        NodeKind::Reroute => {
            let any = Some(PortType::Grid(Element::Generic('T')));
            let inputs = vec![port("value", any, "What the wire carries", false)];
            Face { title: "Reroute".into(), inputs, outputs: vec![port("value", any, "The same", true)] }
        }
        NodeKind::Unknown => Face { title: "Unknown".into(), inputs: Vec::new(), outputs: Vec::new() },
    };
    let params = stage_of(node, library).map(|stage| stage.header.params.clone()).unwrap_or_default();
    for name in node.inputs.keys() {
        if face.inputs.iter().any(|input| input.name == *name) {
            continue;
        }
        // A number may drive a parameter; it shows as a port while it does.
        let driven = params.iter().find(|param| param.name == *name);
        face.inputs.push(match driven {
            Some(param) => port(name, Some(number(param.ty)), &param.doc, true),
            None => stranger(name),
        });
    }
    face
}

/// A stage or a group, as it declares itself.
fn declared(node: &Node, library: &Library) -> Face {
    if let Some(stage) = stage_of(node, library) {
        return Face {
            title: stage.header.title.clone(),
            inputs: stage.inputs().map(stage_port).collect(),
            outputs: stage.outputs().map(stage_port).collect(),
        };
    }
    let name = match &node.kind {
        NodeKind::Stage(name) => name.clone(),
        NodeKind::Group(_) => "Group".into(),
        _ => "Custom".into(),
    };
    let Some(group) = group_of(node, library) else {
        return Face { title: name, inputs: Vec::new(), outputs: Vec::new() };
    };
    let inputs = group.inputs.iter().map(|(name, ty)| {
        let ty = PortType::parse(ty);
        port(name, ty, "", ty.is_some_and(PortType::is_number))
    });
    // What an output carries is known only when the group is opened; the input that it feeds back to tells.
    let any = Some(PortType::Grid(Element::Generic('T')));
    let outputs = group.outputs.keys().map(|name| {
        let fed = group.inputs.get(name).and_then(|ty| PortType::parse(ty));
        port(name, fed.or(any), "", true)
    });
    Face { title: name, inputs: inputs.collect(), outputs: outputs.collect() }
}

fn stage_port(declared: &Port) -> PortFace {
    // An emitter may begin a set.
    let begins = matches!(declared.change, Change::Emit(_));
    let optional = declared.default.is_some() || declared.direction == Direction::Out || begins;
    let face = port(&declared.name, Some(declared.ty), &declared.doc, optional);
    PortFace { carries: reference::port_type(declared), ..face }
}

fn port(name: &str, ty: Option<PortType>, doc: &str, optional: bool) -> PortFace {
    let carries = ty.map_or_else(String::new, |ty| ty.to_string());
    PortFace { name: name.into(), ty, carries, doc: doc.into(), optional }
}

fn stranger(name: &str) -> PortFace {
    port(name, None, "The node has no such port", true)
}

fn number(ty: ParamType) -> PortType {
    PortType::Number(Element::Fixed(ty.value()))
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
        let faces = faces(&Document::parse(text).unwrap(), Library::builtin());
        let names = |ports: &[PortFace]| ports.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&faces["a"].inputs), ["velocity", "no_port"]);
        assert_eq!(names(&faces["b"].outputs), ["value", "nothing"]);
        assert_eq!((names(&faces["c"].inputs), names(&faces["c"].outputs)), (vec!["x".into()], vec!["spout".into()]));
        assert_eq!(faces["a"].output(""), Some(0));
        assert_eq!(names(&faces["d"].inputs), ["y"]);
    }
}
