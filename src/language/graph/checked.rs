//! The checked graph: nodes, wires, groups and particle sets, with every name resolved.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::domain::{Domain, DomainId, Finer, Sliced};
use super::expect;
use super::file::File;
use super::numbers::NamedNumber;
use super::values::Setting;
use crate::arena::{Arena, Id};
use crate::document::{Bake, Substeps};
use crate::input::InputTrack;
use crate::problem::{Problem, Problems};
use crate::stage::Stage;
use crate::stage::header::Port;
use crate::stage::types::{Attributes, PortType, Precision, ValueType, WireType};

/// Index of a node of a graph, and of a domain.
pub type NodeId = Id<Node>;

/// A checked graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Title of the graph.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// Steps that a frame is divided into.
    pub substeps: Substeps,
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

    /// Cells along each axis that a node's stage runs over: with one layer more where it returns values on faces.
    pub fn extent(&self, node: &Node) -> [u32; 3] {
        let Some(domain) = node.domain.and_then(|domain| self.domains.get(domain)) else { return [1; 3] };
        match &node.kind {
            Kind::Stage(stage) if stage.header.once => [1; 3],
            _ if node.fills_faces() => domain.face_resolution(),
            _ => domain.resolution,
        }
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
    pub(super) fn half(&mut self, finer: DomainId) -> Option<DomainId> {
        if let Some(half_domain) = self.domains.position(|d| d.finer.is_some_and(|f| f.domain == finer)) {
            return Some(half_domain);
        }
        let Domain { name, dim, resolution, cell_size, edge, finer: above, sliced } = self.domains.get(finer)?.clone();
        let (finest, widening) = above.map_or((resolution, 1), |above| (above.finest, above.widening));
        let resolution = resolution.map(|cells| cells.div_ceil(2));
        let (name, cell_size) = (format!("{name} / 2"), 2.0 * cell_size);
        let finer = Some(Finer { domain: finer, finest, widening: widening.saturating_mul(2) });
        Some(self.domains.push(Domain { name, dim, resolution, cell_size, edge, finer, sliced }))
    }

    /// Whether a domain belongs to the inside of the group whose `on` a node has: the group contains it, or `half` made it of the group's.
    pub(super) fn inside(&self, node: NodeId, domain: DomainId) -> bool {
        let around = |id: &NodeId| self.nodes.get(*id)?.group;
        let named = std::iter::successors(Some(node), around).find(|id| self.nodes[*id].names_domain);
        let Some(group) = named.filter(|group| *group != node) else { return false };
        let get = |id: DomainId| self.domains.get(id);
        let whole = |id: DomainId| get(id).and_then(|domain| Some(domain.sliced?.domain)).unwrap_or(id);
        let finer = |id: &DomainId| Some(whole(get(*id)?.finer?.domain));
        let coarser =
            std::iter::successors(finer(&whole(domain)), finer).any(|id| Some(id) == self.nodes[group].domain);
        let finest = std::iter::successors(Some(whole(domain)), finer).last().and_then(get);
        let prefix = format!("{}/", self.nodes[group].path);
        coarser || finest.is_some_and(|domain| domain.name.starts_with(&prefix))
    }

    /// The domain with each cell cut into slices along x.
    pub(super) fn slices(&mut self, domain: DomainId, into: u32) -> Option<DomainId> {
        let sliced = Some(Sliced { domain, into });
        let whole = self.domains.get(domain).filter(|d| d.sliced.is_none())?.clone();
        // Half of a sliced domain has the same name as half of the whole one.
        if let Some(existing_domain) = self.domains.position(|d| d.sliced == sliced && d.finer == whole.finer) {
            return Some(existing_domain);
        }
        let [x, y, z] = whole.resolution;
        let resolution = [x.saturating_mul(into), y, z];
        Some(self.domains.push(Domain { name: format!("{} in slices", whole.name), resolution, sliced, ..whole }))
    }

    /// Dimensions of the space around a node; for one without a domain, those that all domains share.
    ///
    /// `None` where domains differ.
    pub fn dim_around(&self, node: NodeId) -> Option<u32> {
        let domain_of_node =
            self.nodes.get(node).and_then(|node| node.domain).and_then(|domain| self.domains.get(domain));
        let Some(any) = domain_of_node.or(self.domains.iter().next()) else { return Some(2) };
        (domain_of_node.is_some() || self.domains.iter().all(|domain| domain.dim == any.dim)).then_some(any.dim)
    }

    /// A domain that a node sees, where all that it sees have as many dimensions.
    pub(super) fn any_domain(&self, path: &str) -> Option<DomainId> {
        let (id, any) = self.domains_seen(path).next()?;
        self.domains_seen(path).all(|(_, domain)| domain.dim == any.dim).then_some(id)
    }

    /// The only domain that a node sees; domains that stages requested do not count.
    pub(super) fn single_domain(&self, path: &str) -> Option<DomainId> {
        let mut candidates = self.domains_seen(path).filter(|(_, domain)| !domain.derived());
        candidates.next().filter(|_| candidates.next().is_none()).map(|(id, _)| id)
    }

    /// The domains beside a node and around it. Those inside other groups are theirs alone, unless there are no others.
    pub(super) fn domains_seen(&self, path: &str) -> impl Iterator<Item = (DomainId, &Domain)> {
        let surrounds = |domain: &Domain| {
            let level = domain.name.rfind('/').map_or("", |end| &domain.name[..=end]);
            path.starts_with(level)
        };
        let any = self.domains.iter().any(surrounds);
        self.domains.entries().filter(move |(_, domain)| !any || surrounds(domain))
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
    /// Inputs in the order of the kind's ports.
    pub inputs: Vec<Input>,
    /// The grid that decides in which blocks of cells the stage runs, where it does not run in all.
    pub blocks: Option<Blocks>,
    /// How often it runs in a frame.
    pub iterations: u32,
    /// The convergence criterion of a group.
    pub until: Option<Until>,
    /// Storage format of the float grids that it writes or holds.
    pub precision: Precision,
    /// The domain that it runs over or is stored on.
    pub domain: Option<DomainId>,
    /// Whether it names that domain itself, rather than a group around it.
    pub names_domain: bool,
    /// Values of its parameters.
    pub params: Vec<Setting>,
    /// What the generic letters of its stage stand for.
    pub generics: BTreeMap<char, ValueType>,
    /// Types of its outputs, in the order of the kind's ports.
    pub outputs: Vec<WireType>,
    /// The particle set that it holds or changes.
    pub set: Option<ParticleSet>,
    /// The set that a stage over another one adds to.
    pub summed: Option<ParticleSet>,
    /// The file that its value comes from.
    pub file: Option<File>,
}

/// What decides where a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The input that the grid is wired to; it follows the declared ones.
    pub input: usize,
    /// Groups around the node, up to the one that names the grid; 0 where the node itself does.
    pub outward: usize,
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

impl Node {
    /// Whether its stage returns the value of each face, which needs a layer of cells more. A sum on faces needs none.
    pub fn fills_faces(&self) -> bool {
        let summed = |port: usize| match &self.kind {
            Kind::Stage(stage) => stage.outputs().nth(port).is_some_and(|port| port.scatter.is_some()),
            _ => false,
        };
        self.outputs.iter().enumerate().any(|(port, ty)| *ty == WireType::FaceGrid && !summed(port))
    }

    /// The particle set of an output.
    pub fn set_of(&self, port: usize) -> Option<&ParticleSet> {
        let summed = match &self.kind {
            Kind::Stage(stage) => stage.outputs().nth(port).is_some_and(Port::is_summed_set),
            _ => false,
        };
        if summed { self.summed.as_ref() } else { self.set.as_ref() }
    }
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
    /// Whether each input is a number node that iterations change: the first iteration reads that number, each
    /// further one the result of the one before.
    pub looped: Vec<bool>,
    /// Whether the group names a grid for where the stages inside run.
    pub confines: bool,
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

/// Source of a value.
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

/// What the plan depends on, by the path that sets it: `spacing.value` determines `domain.resolution`.
pub type Shapes = BTreeMap<String, Vec<String>>;
