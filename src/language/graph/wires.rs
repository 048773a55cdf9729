//! What a wire carries, by its name: for whoever reads wires of a running graph.

use super::expect::{Fault, carried, port};
use super::{Graph, Kind, NodeId, Source};
use crate::problem::Problem;
use crate::stage::types::WireType;

/// What a wire carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The name under which a plan keeps it: `node.port`, for a field `node.port@domain` where a domain is named.
    pub wire: String,
    /// Type of the wire; for a field that of the grid that it is evaluated on.
    pub ty: WireType,
    /// Dimensions of space, 2 or 3.
    pub dim: u32,
    /// The unit that the stage declares for its values; empty where there is none.
    pub unit: String,
    /// Attributes of particles, `position` first.
    pub attributes: Vec<String>,
    /// Cells along x, y and z of a grid's domain; z is 1 in 2D. Zeros for everything else.
    pub cells: [u32; 3],
    /// Size of all values at 32 bits a number \[bytes\]; of particles the most that the set may hold.
    pub bytes: u64,
}

impl Graph {
    /// What a wire carries, by `node.port`, `node` where it has one output, or `node.port@domain` for a field.
    ///
    /// # Errors
    /// A node or a port that does not exist, or one that carries a constant.
    pub fn carried(&self, name: &str) -> Result<Carried, Problem> {
        let (wire, on) = name.split_once('@').map_or((name, None), |(wire, on)| (wire, Some(on)));
        let (path, text) = wire.split_once('.').unwrap_or((wire, ""));
        let problem = |Fault { cause, remedy, .. }: Fault| Problem::new(path, text, cause, remedy);
        let index = self.named(path)?;
        let (number, attribute) = port(self, index, text).map_err(problem)?;
        if let Some(attribute) = attribute {
            let remedy = format!("name the set alone, `{path}`; its files have all attributes");
            return Err(Problem::new(path, text, format!("`{attribute}` is not a wire of its own"), remedy));
        }
        let source = Source::Wire { node: index, port: number };
        let constant = || Problem::new(path, text, "it carries a constant", "name a wire that the graph computes");
        let (ty, holder) = carried(self, &source, 0).ok_or_else(constant)?;
        let holder_domain = self.nodes.get(holder).and_then(|node| node.domain);
        let mut space = holder_domain.and_then(|domain| self.domains.get(domain));
        let mut full = format!("{path}.{}", self.port_name(index, number));
        let mut ty = ty;
        if let WireType::Field(value) = ty {
            let fields = self.fields();
            let field = fields.get(&full);
            let around = field.map(|field| field.domain);
            let named = on.map(|on| self.domains.position(|domain| domain.name == on));
            let Some(domain) = named.unwrap_or(around).and_then(|id| self.domains.get(id)) else {
                let remedy = "name the domain to evaluate it on: node.port@domain";
                return Err(Problem::new(path, text, "a field has no values without a domain", remedy));
            };
            if let Some(field) = field.filter(|field| field.dim != domain.dim) {
                let fitting = self.domains.iter().filter(|other| !other.derived() && other.dim == field.dim);
                let names: Vec<&str> = fitting.map(|other| other.name.as_str()).collect();
                let (here, there) = (field.dim, domain.dim);
                let cause = format!("it is a field in {here}D, and the domain `{}` is in {there}D", domain.name);
                let remedy = format!("name a domain in {here}D after the @: {}", names.join(", "));
                return Err(Problem::new(path, text, cause, remedy));
            }
            (ty, space) = (WireType::Grid(value), Some(domain));
            full = on.map_or_else(|| full.clone(), |on| format!("{full}@{on}"));
        } else if on.is_some() {
            return Err(Problem::new(path, text, "it is not a field, so it has a domain of its own", "remove the `@`"));
        }
        let set = match source {
            Source::Wire { node, port } if ty == WireType::Particles => self.particles_on(node, port),
            _ => None,
        };
        let mut attributes: Vec<String> = set.into_iter().flat_map(|set| set.attributes.keys().cloned()).collect();
        attributes.sort_by_key(|name| (name != "position", name.clone()));
        let dim = space.map_or(2, |domain| domain.dim);
        let components = if ty == WireType::FaceGrid { dim } else { ty.value().components(dim) };
        let (cells, numbers) = match (ty, space, set) {
            (WireType::Grid(_) | WireType::FaceGrid, Some(domain), _) => {
                (domain.resolution, domain.cells() * u64::from(components))
            }
            (WireType::Particles, _, Some(set)) => {
                let one: u32 = set.attributes.values().map(|value| value.components(dim)).sum();
                ([0; 3], u64::from(set.capacity) * u64::from(one))
            }
            _ => ([0; 3], u64::from(components)),
        };
        let unit = self.unit(&source, 0);
        Ok(Carried { wire: full, ty, dim, unit, attributes, cells, bytes: 4 * numbers })
    }

    /// Checks that there are a node and an output of this name: `node.port`, `node.port.attribute`, `node` or `node.port@domain`.
    ///
    /// # Errors
    /// Which of the two does not exist, and names like it.
    pub fn names_wire(&self, name: &str) -> Result<(), Problem> {
        let wire = name.split_once('@').map_or(name, |(wire, _)| wire);
        let (path, text) = wire.split_once('.').unwrap_or((wire, ""));
        let node = self.named(path)?;
        let problem = |Fault { cause, remedy, .. }: Fault| Problem::new(path, text, cause, remedy);
        port(self, node, text).map(drop).map_err(problem)
    }

    /// The node with this path.
    fn named(&self, path: &str) -> Result<NodeId, Problem> {
        self.node(path).ok_or_else(|| {
            let Fault { cause, remedy, .. } = self.no_node(path);
            Problem::new(path, "", cause, remedy)
        })
    }

    /// Why no node of the graph has this path.
    pub(super) fn no_node(&self, path: &str) -> Fault {
        match self.left_out.get(path) {
            Some(cause) => Fault::new(*cause, "name the node that computes the value"),
            None => Fault::new("there is no such node", self.close_to(path)),
        }
    }

    /// The remedy for the path of a node that does not exist.
    fn close_to(&self, path: &str) -> String {
        let close = crate::library::close_names(path, self.nodes.iter().map(|node| node.path.as_str()));
        close.first().map_or("name a node of the graph".into(), |close| format!("did you mean `{close}`?"))
    }

    /// The unit of what a wire carries, looking into groups; a State has that of what feeds it.
    fn unit(&self, source: &Source, depth: usize) -> String {
        if depth > self.nodes.len() {
            return String::new();
        }
        let (node, port) = match source {
            Source::Wire { node, port } => (*node, *port),
            Source::GroupInput { group, input } => {
                let outside = self.nodes.get(*group).and_then(|group| group.inputs.get(*input));
                return outside.map_or_else(String::new, |input| self.unit(&input.source, depth + 1));
            }
            Source::Setting(_) | Source::Nothing => return String::new(),
        };
        let Some(entry) = self.nodes.get(node) else { return String::new() };
        match &entry.kind {
            Kind::Stage(stage) => stage.outputs().nth(port).map_or_else(String::new, |port| port.unit.clone()),
            Kind::Group(group) => {
                group.outputs.get(port).map_or_else(String::new, |(_, source)| self.unit(source, depth + 1))
            }
            Kind::State(_) => entry.inputs.first().map_or_else(String::new, |next| self.unit(&next.source, depth + 1)),
            _ => String::new(),
        }
    }

    /// The wire of the image that an Output shows.
    pub fn shown_by(&self, output: NodeId) -> Option<String> {
        let mut source = &self.nodes.get(output)?.inputs.first()?.source;
        // A group passes each wire on at most once.
        for _ in 0..=self.nodes.len() {
            match source {
                Source::Wire { node, port } => return Some(self.wire_name(*node, *port)),
                Source::GroupInput { group, input } => source = &self.nodes.get(*group)?.inputs.get(*input)?.source,
                Source::Setting(_) | Source::Nothing => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::library::Library;
    use crate::stage::types::ValueType;

    #[test]
    fn names_give_types_units_and_attributes() {
        let text = r#"(version: 1, name: "a", nodes: {
            "box": (domain: (resolution: (4, 4, 4), width: 1)),
            "velocity": (state: "Grid<Vec>", on: "box"),
            "outflow": (stage: "fluid/divergence", inputs: {"velocity": "velocity.value"}),
            "kept": (state: "Grid<f32>", on: "box", inputs: {"next": "outflow.divergence"}),
            "drops": (state: "Particles{position: Vec, age: f32, velocity: Vec}", on: "box", capacity: 9),
            "sheet": (domain: (resolution: (4, 4), width: 1)),
            "ball": (stage: "shape/sphere", on: "box"),
            "camera": (stage: "view/camera"),
            "show": (stage: "view/shape", on: "sheet", inputs: {"camera": "camera.camera", "shape": "ball.distance"}),
        })"#;
        let graph = Graph::build(&Document::parse(text).unwrap(), Library::builtin()).unwrap();
        let outflow = graph.carried("outflow").unwrap();
        assert_eq!((outflow.wire.as_str(), outflow.dim), ("outflow.divergence", 3));
        assert_eq!((outflow.ty, outflow.unit.as_str()), (WireType::Grid(ValueType::F32), "1/s"));
        assert_eq!((outflow.cells, outflow.bytes), ([4; 3], 256));
        assert_eq!(graph.carried("kept").unwrap().unit, "1/s", "that of what feeds the State");
        let drops = graph.carried("drops").unwrap();
        assert_eq!((drops.ty, drops.attributes.join(" ")), (WireType::Particles, "position age velocity".into()));
        assert_eq!(drops.bytes, 9 * 7 * 4);
        let ball = graph.carried("ball.distance@box").unwrap();
        assert_eq!((ball.wire.as_str(), ball.ty), ("ball.distance@box", WireType::Grid(ValueType::F32)));
        // What reads it makes an image in 2D of a shape in 3D.
        let around = graph.carried("ball").unwrap();
        assert_eq!((around.wire.as_str(), around.dim, around.cells), ("ball.distance", 3, [4; 3]));
        for (name, cause) in [
            (
                "ball@sheet",
                "it is a field in 3D, and the domain `sheet` is in 2D; name a domain in 3D after the @: box",
            ),
            ("velocty", "did you mean `velocity`?"),
            ("outflow.flow", "the node has no output `flow`"),
            ("drops.age", "name the set alone, `drops`"),
            ("velocity@box", "it is not a field"),
            ("ball@cellar", "without a domain"),
        ] {
            let error = graph.carried(name).unwrap_err().to_string();
            assert!(error.contains(cause), "{name}: {error}");
        }
    }
}
