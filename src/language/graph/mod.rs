//! The graph: a document flattened, typed and checked. A `Graph` is always valid, so later steps need not check again.

pub mod aside;
pub mod balance;
mod borders;
pub mod bypass;
pub mod carried;
mod carry;
pub mod dynamics;
mod edges;
pub mod expect;
pub mod fits;
mod fixed;
mod flatten;
pub mod formula;
mod groups;
pub mod limits;
mod links;
mod looped;
pub mod measurement;
mod moving;
pub mod numbers;
pub mod outputs;
mod particle_count;
pub mod ports;
pub mod precision;
mod resolve;
pub mod sampled;
mod scope;
mod sequence;
mod sets;
mod specialize;
pub mod starts;
mod track;
mod track_file;
mod unread;
pub mod upstream;
pub mod values;
pub mod variants;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::arena::{Arena, Id};
use crate::document::{Bake, Document, FileContent};
use crate::input::InputTrack;
use crate::library::Library;
use crate::problem::{Problem, Problems};
use crate::stage::Stage;
use crate::stage::edges::Edges;
use crate::stage::types::{Attributes, PortType, Precision, ValueType, WireType};

pub use crate::document::sequence::Pattern;
pub use edges::edges;
pub use fixed::Shapes;
pub use numbers::{NamedNumber, Table};
pub use particle_count::{COUNT_NUMBERS, COUNT_WORDS, count_words};
pub use sequence::{Beyond, Sequence};
pub use track::Track;
pub use values::{Setting, fit};

/// Which node of a graph, and which domain.
pub type NodeId = Id<Node>;
/// The id of a domain.
pub type DomainId = Id<Domain>;

/// A box in space, cut into cubic cells, or into slices of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Path of the domain node.
    pub name: String,
    /// Number of dimensions, 2 or 3.
    pub dim: u32,
    /// Cells along x, y, z; z is 1 in 2D.
    pub resolution: [u32; 3],
    /// Cell size \[m\]; the size along y where cells are cut into slices.
    pub cell_size: f64,
    /// What is read beyond the box.
    pub edge: Edges,
    /// For a domain that a stage requested by `half`: the finer domain.
    pub finer: Option<Finer>,
    /// For a domain that a stage requested by `slices`: the domain whose cells are cut.
    pub sliced: Option<Sliced>,
}

/// How the cells of a domain were cut into slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sliced {
    /// The domain whose cells are cut.
    pub domain: DomainId,
    /// Slices of a cell, side by side along x.
    pub into: u32,
}

/// The finer version of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finer {
    /// The domain whose cells are half as wide.
    pub domain: DomainId,
    /// Cells along x, y, z of the finest domain.
    pub finest: [u32; 3],
    /// The width of a cell in cells of the finest domain.
    pub widening: u32,
}

impl Domain {
    /// Whether a periodic axis has an odd number of cells, so that two cells of one colour of a checkerboard meet.
    pub fn wraps_oddly(&self, edges: Edges) -> bool {
        self.resolution.iter().take(self.dim as usize).enumerate().any(|(axis, n)| edges.wraps(axis) && n % 2 == 1)
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.resolution.iter().map(|n| u64::from(*n)).product()
    }

    /// Slices of a cell along x; 1 where cells are not cut.
    pub fn slices(&self) -> u32 {
        self.sliced.map_or(1, |sliced| sliced.into)
    }

    /// Lengths of a cell's edges along x, y, z \[m\].
    pub fn edges(&self) -> [f64; 3] {
        [self.cell_size / f64::from(self.slices()), self.cell_size, self.cell_size]
    }

    /// Size of the box along x, y, z \[m\].
    pub fn size(&self) -> [f64; 3] {
        let ([nx, ny, nz], [x, y, z]) = (self.resolution.map(f64::from), self.edges());
        [nx * x, ny * y, nz * z]
    }

    /// Whether a stage requested it, rather than a Domain node.
    pub fn derived(&self) -> bool {
        self.finer.is_some() || self.sliced.is_some()
    }

    /// Elements of a wire on this domain: its cells, with one more layer along each axis where faces are stored.
    pub fn elements(&self, ty: WireType) -> u64 {
        match ty {
            WireType::Grid(_) => self.cells(),
            WireType::FaceGrid => self.face_resolution().iter().map(|n| u64::from(*n)).product(),
            _ => 1,
        }
    }

    /// Resolution with the additional layer for upper faces.
    pub fn face_resolution(&self) -> [u32; 3] {
        let [x, y, z] = self.resolution;
        [x.saturating_add(1), y.saturating_add(1), if self.dim == 3 { z.saturating_add(1) } else { z }]
    }
}

/// A checked graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Title of the graph.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// Seed of `random` and `frame.seed`.
    pub seed: u32,
    /// Recorded input, used while there is no user input.
    pub input: Option<InputTrack>,
    /// Domains, with those that stages requested.
    pub domains: Arena<Domain>,
    /// Nodes; a group stands before the nodes inside it.
    pub nodes: Arena<Node>,
    /// Nodes of the document that are not part of the graph, by path, and why they have no value.
    pub left_out: BTreeMap<String, &'static str>,
    /// Numbers that expressions name, each after those that it names itself.
    pub numbers: Vec<NamedNumber>,
    /// Paths that shape the plan: changing a value compiles a new plan.
    pub shapes: Shapes,
    /// Values that the plan is compiled with, by `node.param`.
    pub made_with: BTreeMap<String, Vec<f64>>,
    /// What is baked, by name.
    pub bakes: BTreeMap<String, Bake>,
    /// The expectations in the document's order, with a warning in place of an invalid one.
    pub expectations: Vec<Result<expect::Expectation, Problem>>,
    /// Warnings; they do not keep the graph from running.
    pub warnings: Problems,
}

impl Graph {
    /// Dimensions of the space that a node runs in, 2 or 3; 2 where it has no domain.
    pub fn dim(&self, node: &Node) -> u32 {
        node.domain.and_then(|domain| self.domains.get(domain)).map_or(2, |domain| domain.dim)
    }

    /// Computes everything that the compiler needs to know about the text of a node's stage; the results are cached.
    /// Returns whether there is such a node.
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

    /// The domain with cells twice as wide. With an odd number of cells, the last cell extends beyond the box.
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

    /// The domain with each cell cut into slices along x.
    fn slices(&mut self, domain: DomainId, into: u32) -> Option<DomainId> {
        let sliced = Some(Sliced { domain, into });
        let whole = self.domains.get(domain).filter(|d| d.sliced.is_none())?.clone();
        // Half of a sliced domain has the same name as half of the whole one.
        if let Some(known) = self.domains.position(|d| d.sliced == sliced && d.finer == whole.finer) {
            return Some(known);
        }
        let [x, y, z] = whole.resolution;
        let resolution = [x.saturating_mul(into), y, z];
        Some(self.domains.push(Domain { name: format!("{} in slices", whole.name), resolution, sliced, ..whole }))
    }

    /// Dimensions of the space around a node; for one without a domain, those that all domains share.
    ///
    /// `None` where domains differ.
    pub fn dim_around(&self, node: NodeId) -> Option<u32> {
        let own = self.nodes.get(node).and_then(|node| node.domain).and_then(|domain| self.domains.get(domain));
        let Some(any) = own.or(self.domains.iter().next()) else { return Some(2) };
        (own.is_some() || self.domains.iter().all(|domain| domain.dim == any.dim)).then_some(any.dim)
    }

    /// A domain that a node sees, where all that it sees have as many dimensions.
    fn any_domain(&self, path: &str) -> Option<DomainId> {
        let (id, any) = self.domains_seen(path).next()?;
        self.domains_seen(path).all(|(_, domain)| domain.dim == any.dim).then_some(id)
    }

    /// The only domain that a node sees; domains that stages requested do not count.
    fn single_domain(&self, path: &str) -> Option<DomainId> {
        let mut own = self.domains_seen(path).filter(|(_, domain)| !domain.derived());
        own.next().filter(|_| own.next().is_none()).map(|(id, _)| id)
    }

    /// The domains beside a node and around it. Those inside other groups are theirs alone, unless there are no others.
    fn domains_seen(&self, path: &str) -> impl Iterator<Item = (DomainId, &Domain)> {
        let beside = |domain: &Domain| {
            let level = domain.name.rfind('/').map_or("", |end| &domain.name[..=end]);
            path.starts_with(level)
        };
        let any = self.domains.iter().any(beside);
        self.domains.entries().filter(move |(_, domain)| !any || beside(domain))
    }
}

/// The output of a group with a stop condition that says how many iterations it has made, unless one of its own has this name. It
/// follows the others.
pub const REPEATS: &str = "repeats";

/// A flattened node: its name is its path through the groups.
#[derive(Clone, Debug)]
pub struct Node {
    /// Names of the groups around it and its own, separated by slashes.
    pub path: String,
    /// Kind of the node.
    pub kind: Kind,
    /// The group around it.
    pub group: Option<NodeId>,
    /// In the order of the kind's ports.
    pub inputs: Vec<Input>,
    /// How often it runs in a frame.
    pub iterations: u32,
    /// The convergence criterion of a group.
    pub until: Option<Until>,
    /// Storage format of the float grids that it writes or holds.
    pub precision: Precision,
    /// The domain that it runs over or is stored on.
    pub domain: Option<DomainId>,
    /// Values of its parameters.
    pub params: Vec<Setting>,
    /// What the generic letters of its stage stand for.
    pub generics: BTreeMap<char, ValueType>,
    /// Types of its outputs, in the order of the kind's ports.
    pub outputs: Vec<WireType>,
    /// The particle set that it holds or changes.
    pub set: Option<ParticleSet>,
    /// The file that its value comes from.
    pub file: Option<File>,
}

/// The convergence criterion of a group.
#[derive(Clone, Debug)]
pub struct Until {
    /// The output that is compared; it is a number.
    pub port: usize,
    /// The limit that it must fall below.
    pub below: Setting,
    /// Number of iterations between two checks.
    pub every: u32,
}

/// A file, and its placement in the domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct File {
    /// As in the document: relative to the graph's own file.
    pub path: String,
    /// Centre \[m\] and longest side \[m\]; those of the file when `None`.
    pub place: Option<([f64; 3], f64)>,
    /// How an image's colours fill the domain where they have no place.
    #[serde(default)]
    pub fit: ImageFit,
    /// Whether an image's colours are taken as linear, and not as sRGB.
    #[serde(default)]
    pub linear: bool,
    /// The layer of an EXR file; its colours when `None`. One of several sets of particles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Content that the file provides.
    #[serde(default)]
    pub content: FileContent,
    /// Which points of a mesh are its particles.
    #[serde(default)]
    pub points: MeshPoints,
    /// Which file of a sequence a frame shows, where the path is that of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Sequence>,
}

/// The outputs of a file node, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileOutput {
    /// Signed distances to its shape.
    #[default]
    Distance,
    /// The colours of an image.
    Image,
    /// The velocity of a mesh that moves.
    Velocity,
    /// The numbers of a grid.
    Value,
    /// The same where each is a vector.
    Vector,
    /// Particles.
    Particles,
}

impl File {
    /// The outputs of its node, from top to bottom.
    pub fn outputs(&self) -> &'static [FileOutput] {
        FileOutput::of(self.content)
    }
}

impl FileOutput {
    /// All of them.
    pub const ALL: [FileOutput; 6] = [
        FileOutput::Distance,
        FileOutput::Image,
        FileOutput::Velocity,
        FileOutput::Value,
        FileOutput::Vector,
        FileOutput::Particles,
    ];

    /// Outputs of a file with this content.
    pub fn of(content: FileContent) -> &'static [FileOutput] {
        match content {
            FileContent::Shape => &[FileOutput::Distance, FileOutput::Image, FileOutput::Velocity],
            FileContent::Grid => &[FileOutput::Value, FileOutput::Vector],
            FileContent::Points => &[FileOutput::Particles],
            // It is a number, and no part of a plan's memory.
            FileContent::Track => &[],
        }
    }

    /// Name of the output.
    pub fn name(self) -> &'static str {
        match self {
            FileOutput::Distance => "distance",
            FileOutput::Image => "image",
            FileOutput::Velocity => "velocity",
            FileOutput::Value => "value",
            FileOutput::Vector => "vector",
            FileOutput::Particles => "particles",
        }
    }

    /// Type of the output's wire.
    pub fn ty(self) -> WireType {
        WireType::Grid(match self {
            FileOutput::Distance | FileOutput::Value => ValueType::F32,
            FileOutput::Image => ValueType::Vec4,
            FileOutput::Vector | FileOutput::Velocity => ValueType::Vec,
            FileOutput::Particles => return WireType::Particles,
        })
    }
}

/// Limit of points of a mesh.
pub const MAX_POINTS: u32 = 15_000_000;

/// Which points of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeshPoints {
    /// Vertices of the mesh, each position once.
    #[default]
    Vertices,
    /// Points spread evenly over the mesh's surface; the same in every run with the same seed.
    Surface {
        /// How many.
        count: u32,
        /// Chooses among all such sets of points.
        seed: u64,
    },
}

/// How an image fills a domain of other proportions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageFit {
    /// The image covers the domain; what is beyond it is cut off.
    #[default]
    Cover,
    /// The domain contains the whole image.
    Contain,
    /// The image takes the proportions of the domain.
    Stretch,
}

/// A particle set on a wire.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSet {
    /// Maximum number of particles.
    pub capacity: u32,
    /// The domain that the particles are in.
    pub domain: DomainId,
    /// What each particle holds.
    pub attributes: Attributes,
}

/// What a flattened node is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Runs on the GPU.
    Stage(Arc<Stage>),
    /// Keeps a value from frame to frame.
    State(WireType),
    /// Becomes a setting of whatever reads it.
    Number,
    /// A graph inside the graph.
    Group(Group),
    /// An image that the graph outputs.
    Output {
        /// \[pixels\]; that of the grid when `None`.
        size: Option<(u32, u32)>,
        /// Position on the canvas.
        at: (f32, f32),
    },
    /// Invalid; the reason is among the problems, and a checked graph contains none.
    Broken,
}

/// The ports of a group.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Names and types of the inputs; a generic one takes the type of its wire.
    pub inputs: Vec<(String, PortType)>,
    /// Names of the outputs and the wires that they pass on, sorted by name.
    pub outputs: Vec<(String, Source)>,
    /// For each input, whether it is a number node that iterations change: the first iteration reads that number, each
    /// further one the result of the one before.
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
    /// Name of the port.
    pub name: String,
    /// What the input reads.
    pub source: Source,
    /// The input of the group around it to which it is linked, where nothing is wired to that: by group and position.
    pub outer: Option<(NodeId, usize)>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// An output of a node.
    Wire {
        /// The node.
        node: NodeId,
        /// Output of the node, by position.
        port: usize,
    },
    /// An input of the enclosing group.
    GroupInput {
        /// The group.
        group: NodeId,
        /// Input of the group, by position.
        input: usize,
    },
    /// An unwired port's constant, or a number.
    Setting(Setting),
    /// Nothing: an unwired optional port.
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
            let library = library.with_shared_of(document);
            let (mut graph, numbers) = flatten::flatten(document, &library, &mut problems);
            resolve::resolve(&mut graph, &numbers, &mut problems);
            if problems.has_errors() {
                return Err(problems);
            }
            moving::check(&graph, &numbers, &mut problems);
            graph.expectations = expect::check(document, &graph);
            graph.expectations.iter().filter_map(|e| e.as_ref().err()).for_each(|e| problems.push(e.clone()));
            graph.warnings = problems;
            Ok(graph)
        })
    }

    /// The numbers of a document, which may contain errors, with their values at time zero.
    pub fn numbers_of(document: &Document, library: &Library) -> Table {
        crate::threads::deep_stack(|| {
            flatten::flatten(document, &library.with_shared_of(document), &mut Problems::default()).1
        })
    }

    /// The node with this path.
    pub fn node(&self, path: &str) -> Option<NodeId> {
        self.nodes.position(|node| node.path == path)
    }

    /// Whether a source is the output [`REPEATS`] of a group with a stop condition.
    pub fn counts_repeats(&self, source: &Source) -> bool {
        let Source::Wire { node, port } = source else { return false };
        self.nodes.get(*node).is_some_and(|node| match &node.kind {
            Kind::Group(group) => {
                node.until.is_some()
                    && *port == group.outputs.len()
                    && group.outputs.iter().all(|(name, _)| name != REPEATS)
            }
            _ => false,
        })
    }

    /// Name of an output port.
    pub fn port_name(&self, id: NodeId, port: usize) -> String {
        let node = self.nodes.get(id);
        if let Some(file) = node.and_then(|node| node.file.as_ref()) {
            return file.outputs().get(port).map_or("", |output| output.name()).into();
        }
        match node.map(|n| &n.kind) {
            Some(Kind::Stage(stage)) => stage.outputs().nth(port).map_or_else(String::new, |p| p.name.clone()),
            Some(Kind::Group(_)) if self.counts_repeats(&Source::Wire { node: id, port }) => REPEATS.into(),
            Some(Kind::Group(group)) => group.outputs.get(port).map_or_else(String::new, |(name, _)| name.clone()),
            Some(_) => "value".into(),
            None => String::new(),
        }
    }
}
