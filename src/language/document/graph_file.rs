//! The document: nodes, groups and everything else that a graph file holds.

use std::collections::BTreeMap;

use super::bake::Bake;
use super::bookmark::Bookmark;
use super::color::Color;
use super::edge::Edge;
use super::expect::Expect;
use super::export::ExportPreset;
use super::extra::Extra;
use super::file::FileSource;
use super::substeps::Substeps;
use super::value::ParamValue;
use crate::input::InputTrack;

/// Version of the graph file format that this build writes.
pub const FORMAT_VERSION: u32 = 1;

/// The input of stages and groups that says where they run: in blocks of cells in which the grid that is wired to it is not zero. It
/// stands beside the declared ones, unless one of these has its name; in a file it is a field of the node.
pub const WHERE: &str = "where";

/// Values of a node that are set like parameters, whatever its stage is.
pub(crate) const OWN_VALUES: [&str; 2] = ["iterations", "until"];

/// A graph file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Version of the file format.
    pub version: u32,
    /// Title of the graph.
    pub name: String,
    /// Description for users, in several lines.
    pub about: String,
    /// Frames per second; the time step is its inverse.
    pub fps: f64,
    /// Steps that a frame is divided into.
    pub substeps: Substeps,
    /// Seed of `random` and `frame.seed`.
    pub seed: u32,
    /// Recorded pointer and keys, used while there is no user input.
    pub input: Option<InputTrack>,
    /// Comment frames, from back to front.
    pub frames: Vec<Frame>,
    /// Saved views of the canvas, by their numbers.
    pub bookmarks: BTreeMap<String, Bookmark>,
    /// Wires that are kept on disk, by the name of the bake.
    pub bakes: BTreeMap<String, Bake>,
    /// Expected results.
    pub expect: Vec<Expect>,
    /// Presets of exports, by name.
    pub exports: BTreeMap<String, ExportPreset>,
    /// Named sets of values that replace those of the default.
    pub variants: BTreeMap<String, Variant>,
    /// The variant that is chosen, whose values the nodes hold. Only [`Document::choose`] changes it.
    pub variant: Option<String>,
    /// WGSL of functions that the graph's Custom stages share, by the name after `@use`.
    pub shared: BTreeMap<String, String>,
    /// The nodes of the root level, by name.
    pub nodes: Nodes,
    /// Fields that this build does not know.
    pub extra: Extra,
}

/// Outputs by which stages report on their work beside what they compute.
const REPORTS: [&str; 1] = ["courant"];

/// The output that a link without a port reads: the only one, or the only one that is no report. So files stay what they are where a
/// stage begins to report.
pub fn sole_output<'a, T>(outputs: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    let mut all: Vec<(&str, T)> = outputs.into_iter().collect();
    if all.len() > 1 {
        all.retain(|(name, _)| !REPORTS.contains(name));
    }
    all.pop().filter(|_| all.is_empty()).map(|(_, value)| value)
}

/// Nodes by name.
pub type Nodes = BTreeMap<String, Node>;

impl Default for Document {
    fn default() -> Document {
        Document {
            version: FORMAT_VERSION,
            name: String::new(),
            about: String::new(),
            fps: 60.0,
            substeps: Substeps::default(),
            seed: 0,
            input: None,
            frames: Vec::new(),
            bookmarks: BTreeMap::new(),
            bakes: BTreeMap::new(),
            expect: Vec::new(),
            exports: BTreeMap::new(),
            variants: BTreeMap::new(),
            variant: None,
            shared: BTreeMap::new(),
            nodes: Nodes::new(),
            extra: Extra::new(),
        }
    }
}

/// What a node is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NodeKind {
    /// A stage or a library group, by name.
    Stage(String),
    /// A stage whose WGSL is part of the graph.
    Custom(String),
    /// A box of cells on which stages run.
    Domain(Domain),
    /// What survives a frame; holds its type, for example `Grid<Vec>`.
    State(String),
    /// A number: a constant or an expression, evaluated every frame.
    Number(ParamValue),
    /// A graph inside the graph.
    Group(Box<Group>),
    /// An image that the graph outputs.
    Output(Output),
    /// A file beside the graph: the shape of a mesh in 3D; the shape or the colours of an image in 2D.
    File(FileSource),
    /// A dot on a wire: its output `value` is what its input `value` reads.
    Reroute,
    /// A kind that this build does not know; its text is in [`Node::extra`].
    #[default]
    Unknown,
}

/// Anything on the canvas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The kind of node and its own fields.
    pub kind: NodeKind,
    /// The wire that each input port reads.
    pub inputs: BTreeMap<String, Link>,
    /// Values of parameters and of unwired inputs.
    pub params: BTreeMap<String, ParamValue>,
    /// How often the node runs in a frame: an integer, or an expression of constants and constant numbers. 1 when
    /// `None`.
    pub iterations: Option<ParamValue>,
    /// The convergence criterion of a group.
    pub until: Option<Until>,
    /// The domain that it runs over, where this cannot be inferred from the wires.
    pub on: Option<String>,
    /// Maximum number of particles in a State of particles; an expression as for `iterations`.
    pub capacity: Option<ParamValue>,
    /// Storage of the grids that it writes or holds: `f32`, or `f16` for half the memory. `f32` when `None`.
    pub precision: Option<String>,
    /// Bypassed: its outputs pass on the matching inputs.
    pub muted: bool,
    /// Position on the canvas \[points\].
    pub at: (f32, f32),
    /// Colour of the node on the canvas; the default of its kind when `None`.
    pub color: Option<Color>,
    /// The user's note.
    pub comment: String,
    /// Fields that this build does not know.
    pub extra: Extra,
}

/// The convergence criterion of a group: iterations stop as soon as one of its numbers is small enough. Decided on the
/// GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// The output that is compared; it must be a number.
    pub number: String,
    /// The limit that it must fall below. May change while a simulation runs.
    pub below: ParamValue,
    /// Number of iterations between two checks.
    pub every: u32,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Default for Until {
    fn default() -> Until {
        Until { number: String::new(), below: ParamValue::Number(0.0), every: 1, extra: Extra::new() }
    }
}

/// A comment on the canvas, drawn behind the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Text in the title bar.
    pub title: String,
    /// Text below it, in several lines.
    pub text: String,
    /// Upper left corner \[points\].
    pub at: (f32, f32),
    /// Size \[points\].
    pub size: (f32, f32),
    /// Colour of the frame; the editor's default when `None`.
    pub color: Option<Color>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Node {
    /// All values of the node, which may be expressions. Those inside a group are not included.
    pub fn values(&self) -> impl Iterator<Item = &ParamValue> {
        let until = self.until.iter().map(|until| &until.below);
        let run = self.iterations.iter().chain(until).chain(&self.capacity);
        self.kind.values().chain(run).chain(self.params.values())
    }

    /// All values of the node, with mutable access. Those inside a group are not included.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut ParamValue> {
        let until = self.until.iter_mut().map(|until| &mut until.below);
        let run = self.iterations.iter_mut().chain(until).chain(&mut self.capacity);
        self.kind.values_mut().chain(run).chain(self.params.values_mut())
    }

    /// Sets a parameter, or another value that a group's parameter can expose: `iterations`, and the limit of `until`.
    pub fn give(&mut self, param: &str, value: ParamValue) {
        match (param, &mut self.until) {
            ("iterations", _) => self.iterations = Some(value),
            ("until", Some(until)) => until.below = value,
            _ => drop(self.params.insert(param.to_string(), value)),
        }
    }
}

/// A box in space, cut into cubic cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Cells along each of two or three axes; expressions as for [`Node::iterations`].
    pub resolution: Vec<ParamValue>,
    /// Extent along x \[m\]. The others follow from it, since cells are cubic.
    pub width: ParamValue,
    /// What is beyond its sides.
    pub edge: Edge,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Default for Domain {
    fn default() -> Domain {
        let (cells, width) = (ParamValue::Number(256.0), ParamValue::Number(1.0));
        Domain { resolution: vec![cells.clone(), cells], width, edge: Edge::All("wall".into()), extra: Extra::new() }
    }
}

impl Domain {
    /// Cells along each axis; `None` where one is an expression or not a valid number of cells.
    pub fn cells(&self) -> Option<Vec<u32>> {
        self.resolution.iter().map(whole).collect()
    }
}

pub(super) fn whole(value: &ParamValue) -> Option<u32> {
    match value {
        ParamValue::Number(n) if *n >= 1.0 && *n <= f64::from(u32::MAX) && n.fract() == 0.0 => Some(*n as u32),
        _ => None,
    }
}

/// An image that the graph outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Size \[pixels\]; the resolution of the image's grid when `None`.
    pub size: Option<(u32, u32)>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

/// A graph inside a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Description for users, in several lines.
    pub about: String,
    /// Input ports and their types. Nodes inside read them as `in.NAME`.
    pub inputs: BTreeMap<String, String>,
    /// Output ports and the wires that they pass on.
    pub outputs: BTreeMap<String, Link>,
    /// Exposed parameters, each with the `node.param` that it sets (`node.iterations` for a count).
    pub params: BTreeMap<String, Vec<Link>>,
    /// Position of the inputs on the canvas inside the group \[points\]; placed automatically when `None`.
    pub inputs_at: Option<(f32, f32)>,
    /// Position of the outputs on the canvas inside the group \[points\]; placed automatically when `None`.
    pub outputs_at: Option<(f32, f32)>,
    /// Comment frames, from back to front.
    pub frames: Vec<Frame>,
    /// The nodes inside, by name.
    pub nodes: Nodes,
    /// Fields that this build does not know.
    pub extra: Extra,
}

/// A reference `node.port`. The port may be omitted where the node has only one output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// Name of the node.
    pub node: String,
    /// Name of its port; empty when omitted.
    pub port: String,
}

impl Link {
    /// Splits `node.port` at the first dot.
    pub fn parse(text: &str) -> Link {
        let (node, port) = text.split_once('.').unwrap_or((text, ""));
        Link { node: node.trim().to_string(), port: port.trim().to_string() }
    }
}

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.port.is_empty() { f.write_str(&self.node) } else { write!(f, "{}.{}", self.node, self.port) }
    }
}

/// What a variant replaces. While it is chosen, what the default has there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// What the variant is for, in one sentence.
    pub about: String,
    /// Values by `node.param`, as [`Document::set`] takes them; `None` is the stage's own default.
    pub set: BTreeMap<String, Option<ParamValue>>,
    /// Whether nodes are bypassed, by path.
    pub muted: BTreeMap<String, bool>,
    /// The stage or group that a node is, by path.
    pub stages: BTreeMap<String, NodeKind>,
    /// What inputs read, by `node.port`; `None` where nothing is wired.
    pub inputs: BTreeMap<String, Option<Link>>,
    /// Notes of nodes, by path.
    pub comments: BTreeMap<String, String>,
    /// Frames per second.
    pub fps: Option<f64>,
    /// Steps that a frame is divided into.
    pub substeps: Option<Substeps>,
    /// Seed of `random` and `frame.seed`.
    pub seed: Option<u32>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Variant {
    /// Whether the variant replaces nothing.
    pub fn is_empty(&self) -> bool {
        *self == Variant { about: self.about.clone(), extra: self.extra.clone(), ..Variant::default() }
    }
}
