//! The graph: a document flattened, typed and checked. It can't be had unchecked, so what follows need not doubt it.

mod borders;
pub mod bypass;
mod carry;
pub mod expect;
pub mod fits;
mod fixed;
mod flatten;
mod groups;
pub mod limits;
mod links;
mod looped;
pub mod numbers;
pub mod outputs;
pub mod ports;
pub mod precision;
mod resolve;
mod scope;
mod sets;
mod settle;
pub mod starts;
mod unread;
pub mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::arena::{Arena, Id};
use crate::document::Document;
use crate::input::InputTrack;
use crate::library::Library;
use crate::problem::{Problem, Problems};
use crate::stage::Stage;
use crate::stage::types::{Attributes, EdgeRule, PortType, Precision, ValueType, WireType};

pub use fixed::Shapes;
pub use numbers::{NamedNumber, Table};
pub use values::{Setting, fit};

/// Which node of a graph, and which domain.
pub type NodeId = Id<Node>;
pub type DomainId = Id<Domain>;

/// A box in space, cut into cubic cells, or into slices of such.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    pub name: String,
    /// 2 or 3.
    pub dim: u32,
    /// Cells along x, y, z; z is 1 in 2D.
    pub resolution: [u32; 3],
    /// Cell size \[m\], along y where cells are cut into slices.
    pub cell_size: f64,
    pub edge: EdgeRule,
    /// Of one that a stage asked for by `half`: what it has wider cells of.
    pub finer: Option<Finer>,
    /// Of one that a stage asked for by `slices`: what its cells are cut from.
    pub sliced: Option<Sliced>,
}

/// What the cells of a domain are slices of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sliced {
    pub domain: DomainId,
    /// Slices of a cell, side by side along x.
    pub into: u32,
}

/// What a domain is the coarser version of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finer {
    /// The domain whose cells are half as wide.
    pub domain: DomainId,
    /// Cells along x, y, z of the finest domain.
    pub finest: [u32; 3],
    /// How many of its cells one is wide.
    pub widening: u32,
}

impl Domain {
    pub fn cells(&self) -> u64 {
        self.resolution.iter().map(|n| u64::from(*n)).product()
    }

    /// Slices that a cell is cut into along x; 1 where it is whole.
    pub fn slices(&self) -> u32 {
        self.sliced.map_or(1, |sliced| sliced.into)
    }

    /// Edges of a cell along x, y, z \[m\].
    pub fn edges(&self) -> [f64; 3] {
        [self.cell_size / f64::from(self.slices()), self.cell_size, self.cell_size]
    }

    /// Of the box, along x, y, z \[m\].
    pub fn size(&self) -> [f64; 3] {
        let ([nx, ny, nz], [x, y, z]) = (self.resolution.map(f64::from), self.edges());
        [nx * x, ny * y, nz * z]
    }

    /// Whether stages asked for it, and no Domain node.
    pub fn derived(&self) -> bool {
        self.finer.is_some() || self.sliced.is_some()
    }

    /// Elements that a wire on this domain holds: its cells, with one more layer where faces are stored.
    pub fn elements(&self, ty: WireType) -> u64 {
        match ty {
            WireType::Grid(_) => self.cells(),
            WireType::FaceGrid => self.face_resolution().iter().map(|n| u64::from(*n)).product(),
            _ => 1,
        }
    }

    /// Resolution with the layer of upper faces.
    pub fn face_resolution(&self) -> [u32; 3] {
        let [x, y, z] = self.resolution;
        [x.saturating_add(1), y.saturating_add(1), if self.dim == 3 { z.saturating_add(1) } else { z }]
    }
}

/// A checked graph.
#[derive(Clone, Debug)]
pub struct Graph {
    pub name: String,
    /// Frames a second.
    pub fps: f64,
    pub seed: u32,
    /// What plays when nobody is at the controls.
    pub input: Option<InputTrack>,
    pub domains: Arena<Domain>,
    pub nodes: Arena<Node>,
    /// Numbers that expressions name, each behind those that it names itself.
    pub numbers: Vec<NamedNumber>,
    /// Paths that the plan follows from, so that another value makes another plan.
    pub shapes: Shapes,
    /// Values that the plan is made with, by `node.param`.
    pub made_with: BTreeMap<String, Vec<f64>>,
    /// What its author states about its results, in the document's order; a warning in place of what makes no sense.
    pub expectations: Vec<Result<expect::Expectation, Problem>>,
    /// What is worth knowing though the graph runs.
    pub warnings: Problems,
}

impl Graph {
    /// Dimensions of the space that a node runs in, 2 or 3; 2 where it has no domain.
    pub fn dim(&self, node: &Node) -> u32 {
        node.domain.and_then(|domain| self.domains.get(domain)).map_or(2, |domain| domain.dim)
    }

    /// Has the text of a node's stage tell what a compiler asks of it; what it has told it knows from then on. Returns whether there
    /// is such a node.
    pub fn read_stage(&self, node: NodeId) -> bool {
        let Some(node) = self.nodes.get(node) else { return false };
        if let Kind::Stage(stage) = &node.kind {
            let dim = node.domain.and_then(|domain| self.domains.get(domain)).map_or(2, |domain| domain.dim);
            stage.bounded(dim);
            stage.search(dim);
            if stage.has_wide_footprint(dim) {
                stage.interleaves(dim);
            }
        }
        true
    }

    /// The domain with cells twice as wide as those of another; an odd row ends in a cell that reaches beyond.
    fn half(&mut self, finer: DomainId) -> Option<DomainId> {
        if let Some(known) = self.domains.position(|d| d.finer.is_some_and(|f| f.domain == finer)) {
            return Some(known);
        }
        let Domain { name, dim, resolution, cell_size, edge, finer: above, sliced } = self.domains.get(finer)?.clone();
        let (finest, widening) = above.map_or((resolution, 1), |above| (above.finest, above.widening));
        let resolution = resolution.map(|cells| cells.div_ceil(2));
        let (name, cell_size) = (format!("{name} / 2"), 2.0 * cell_size);
        let finer = Some(Finer { domain: finer, finest, widening: widening.saturating_mul(2) });
        Some(self.domains.push(Domain { name, dim, resolution, cell_size, edge, finer, sliced }))
    }

    /// The domain whose cells are those of another, cut along x.
    fn slices(&mut self, domain: DomainId, into: u32) -> Option<DomainId> {
        let sliced = Some(Sliced { domain, into });
        let whole = self.domains.get(domain).filter(|d| d.sliced.is_none())?.clone();
        // Half of a sliced domain names the same whole one.
        if let Some(known) = self.domains.position(|d| d.sliced == sliced && d.finer == whole.finer) {
            return Some(known);
        }
        let [x, y, z] = whole.resolution;
        let resolution = [x.saturating_mul(into), y, z];
        Some(self.domains.push(Domain { name: format!("{} in slices", whole.name), resolution, sliced, ..whole }))
    }

    /// Dimensions of the space around a node, for one without a domain those that all domains have.
    ///
    /// `None` where domains differ.
    pub fn dim_around(&self, node: NodeId) -> Option<u32> {
        let own = self.nodes.get(node).and_then(|node| node.domain).and_then(|domain| self.domains.get(domain));
        let Some(any) = own.or(self.domains.iter().next()) else { return Some(2) };
        (own.is_some() || self.domains.iter().all(|domain| domain.dim == any.dim)).then_some(any.dim)
    }

    /// A domain of a graph whose domains all have as many dimensions.
    fn any_domain(&self) -> Option<DomainId> {
        let (id, any) = self.domains.entries().next()?;
        self.domains.iter().all(|domain| domain.dim == any.dim).then_some(id)
    }

    /// The domain of a graph that has one; those that stages ask for do not count.
    fn single_domain(&self) -> Option<DomainId> {
        let mut own = self.domains.entries().filter(|(_, domain)| !domain.derived());
        own.next().filter(|_| own.next().is_none()).map(|(id, _)| id)
    }
}

/// A node, flattened: its name is its path through the groups.
#[derive(Clone, Debug)]
pub struct Node {
    pub path: String,
    pub kind: Kind,
    /// The group around it.
    pub group: Option<NodeId>,
    /// In the order of the kind's ports.
    pub inputs: Vec<Input>,
    pub iterations: u32,
    /// When fewer repeats are enough.
    pub until: Option<Until>,
    /// How the grids of floats that it writes, or holds, are stored.
    pub precision: Precision,
    /// The domain that it runs over, or lives on.
    pub domain: Option<DomainId>,
    pub params: Vec<Setting>,
    pub generics: BTreeMap<char, ValueType>,
    /// Types of its outputs, in the order of the kind's ports.
    pub outputs: Vec<WireType>,
    /// What the set carries that it holds or changes.
    pub set: Option<ParticleSet>,
    /// Where its value comes from, if not from the graph.
    pub file: Option<File>,
}

/// When the repeats of a group are enough.
#[derive(Clone, Debug)]
pub struct Until {
    /// The output that is a number.
    pub port: usize,
    /// What it has to fall below.
    pub below: Setting,
    /// After how many repeats it is looked at each time.
    pub every: u32,
}

/// A shape in a file, and where it goes in the domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// As the document has it: beside the graph's own file.
    pub path: String,
    /// Middle \[m\] and longest side \[m\]; as the file says where absent.
    pub fit: Option<([f64; 3], f64)>,
}

/// What a wire of particles carries.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSet {
    /// Most that it can hold.
    pub capacity: u32,
    /// The space that it is in.
    pub domain: DomainId,
    pub attributes: Attributes,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Stage(Arc<Stage>),
    State(WireType),
    /// Becomes a setting of whatever reads it.
    Number,
    Group(Group),
    Output {
        size: Option<(u32, u32)>,
        /// Where it stands on its canvas.
        at: (f32, f32),
    },
    /// Could not be made out; what is wrong is among the problems, and no checked graph holds one.
    Broken,
}

#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Names and types of the inputs; a generic one is whatever the wire carries.
    pub inputs: Vec<(String, PortType)>,
    /// Names of the outputs and the wires they show, in the order of the names.
    pub outputs: Vec<(String, Source)>,
    /// For each input whether it is a number of the document that a repeat changes: the first repeat reads that number, each further
    /// one what the repeat before has computed.
    pub looped: Vec<bool>,
}

impl Group {
    /// The output that feeds an input when the group repeats.
    pub fn feedback(&self, input: usize) -> Option<&Source> {
        let (name, _) = self.inputs.get(input)?;
        let port = self.outputs.binary_search_by(|(output, _)| output.cmp(name)).ok()?;
        self.outputs.get(port).map(|(_, source)| source)
    }
}

/// An input port and what it reads.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub source: Source,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// An output of a node.
    Wire { node: NodeId, port: usize },
    /// An input of the group around.
    GroupInput { group: NodeId, input: usize },
    /// An unwired port's constant, or a number.
    Setting(Setting),
    /// Nothing: an optional port of a host node.
    Nothing,
}

impl Graph {
    /// Flattens and checks a document.
    ///
    /// # Errors
    /// Every problem found, each with node, port, cause and remedy.
    pub fn build(document: &Document, library: &Library) -> Result<Graph, Problems> {
        crate::threads::deep_stack(|| {
            let mut problems = Problems::default();
            let (mut graph, numbers) = flatten::flatten(document, library, &mut problems);
            resolve::resolve(&mut graph, &numbers, &mut problems);
            if problems.has_errors() {
                return Err(problems);
            }
            graph.expectations = expect::check(document, &graph);
            graph.expectations.iter().filter_map(|e| e.as_ref().err()).for_each(|e| problems.push(e.clone()));
            graph.warnings = problems;
            Ok(graph)
        })
    }

    /// The numbers of a document that is perhaps wrong, with their values at time zero.
    pub fn numbers_of(document: &Document, library: &Library) -> Table {
        crate::threads::deep_stack(|| flatten::flatten(document, library, &mut Problems::default()).1)
    }

    pub fn node(&self, path: &str) -> Option<NodeId> {
        self.nodes.position(|node| node.path == path)
    }

    /// Name of an output port.
    pub fn port_name(&self, node: NodeId, port: usize) -> String {
        match self.nodes.get(node).map(|n| &n.kind) {
            Some(Kind::Stage(stage)) => stage.outputs().nth(port).map_or_else(String::new, |p| p.name.clone()),
            Some(Kind::Group(group)) => group.outputs.get(port).map_or_else(String::new, |(name, _)| name.clone()),
            Some(_) => "value".into(),
            None => String::new(),
        }
    }
}
