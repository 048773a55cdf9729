//! The document: what the user edits, and what a graph file contains. It may contain any error; [`crate::graph`]
//! reports them.

mod bake;
mod bookmark;
mod bytes;
mod change_error;
mod color;
mod edge;
mod expect;
mod export;
mod field_name;
mod file;
pub mod kind;
mod level;
mod read;
mod read_value;
mod salvage;
pub mod sequence;
mod variant;
mod write;

use std::collections::BTreeMap;

pub use bake::Bake;
pub use bookmark::Bookmark;
pub use change_error::ChangeError;
pub use color::Color;
pub use edge::Edge;
pub use expect::Expect;
pub use export::ExportPreset;
pub use file::{FileContent, FileOptions, FileSource};
pub use kind::{Bypass, KindPorts, Outline};
pub use level::{Level, LevelMut, Scope};
pub(crate) use read::{BAKE_FIELDS, BOOKMARK_FIELDS, DOCUMENT_FIELDS, EXPORT_FIELDS, NODE_FIELDS};
pub use read::{EXPECT_FIELDS, ReadError, VARIANT_FIELDS};
pub use salvage::{Salvaged, salvage};
pub use variant::Variant;

use crate::curve::{Curve, Gradient, Keyframes};
use crate::input::InputTrack;

/// Version of the graph file format that this build writes.
pub const FORMAT_VERSION: u32 = 1;

/// Values of a node that are set like parameters, whatever its stage is.
pub(crate) const OWN_VALUES: [&str; 2] = ["iterations", "until"];

/// Fields that this build does not know, kept as text so that saving does not lose them.
pub type Extra = BTreeMap<String, String>;

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

/// Nodes by name.
pub type Nodes = BTreeMap<String, Node>;

impl Default for Document {
    fn default() -> Document {
        Document {
            version: FORMAT_VERSION,
            name: String::new(),
            about: String::new(),
            fps: 60.0,
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

    /// The same with mutable access.
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

fn whole(value: &ParamValue) -> Option<u32> {
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
    /// The same for the outputs.
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

/// A parameter's value as in the file.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A number.
    Number(f64),
    /// The components of a vector.
    Vector(Vec<f64>),
    /// `true` or `false`.
    Bool(bool),
    /// An expression (see [`crate::expr`]).
    Expression(String),
    /// `[(0, 1), (0.5, 0.8), (1, 0)]`: points (t, value).
    Curve(Curve),
    /// `[(0, "#000000"), (1, "#ff8800")]`: stops (t, colour), a colour in sRGB or as linear (r, g, b) or (r, g, b, a).
    Gradient(Gradient),
    /// `(keys: [(0, 10), (30, 60, Linear)], expr: "keys * 2")`: keys (frame, value), and an expression of their value.
    Keys(Keyframes),
}

impl ParamValue {
    /// The keys of the value, if it has some.
    pub fn keys(&self) -> Option<&Keyframes> {
        if let ParamValue::Keys(keys) = self { Some(keys) } else { None }
    }

    /// The text of an expression, also that of keys.
    pub fn expression(&self) -> Option<&str> {
        match self {
            ParamValue::Expression(text) => Some(text),
            ParamValue::Keys(keys) => keys.expr.as_deref(),
            _ => None,
        }
    }

    /// The same, to change it.
    pub fn expression_mut(&mut self) -> Option<&mut String> {
        match self {
            ParamValue::Expression(text) => Some(text),
            ParamValue::Keys(keys) => keys.expr.as_mut(),
            _ => None,
        }
    }

    /// Parses user input: `0.5`, `1,2`, `(1, 2)`, `512x256`, `true`, a curve, a gradient or keys as in a graph file, or an
    /// expression.
    pub fn from_text(text: &str) -> ParamValue {
        let text = text.trim();
        let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
        let numbers =
            |separator: char| inner.split(separator).map(|p| p.trim().parse().ok()).collect::<Option<Vec<f64>>>();
        match text {
            "true" => return ParamValue::Bool(true),
            "false" => return ParamValue::Bool(false),
            _ => {}
        }
        if let Ok(number) = text.parse() {
            return ParamValue::Number(number);
        }
        if let Ok(drawn @ (ParamValue::Curve(_) | ParamValue::Gradient(_) | ParamValue::Keys(_))) =
            ParamValue::from_ron(text)
        {
            return drawn;
        }
        match numbers(',').or_else(|| numbers('x')) {
            Some(values) if values.len() > 1 => ParamValue::Vector(values),
            _ => ParamValue::Expression(text.to_string()),
        }
    }

    /// One number, or a vector of several.
    pub fn from_numbers(values: &[f64]) -> ParamValue {
        match values {
            [one] => ParamValue::Number(*one),
            many => ParamValue::Vector(many.to_vec()),
        }
    }

    /// Parses a value in the notation of graph files.
    ///
    /// # Errors
    /// Why the text is invalid.
    pub fn from_ron(text: &str) -> Result<ParamValue, ChangeError> {
        read::value(text)
    }

    /// The kind of value, with an article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            ParamValue::Number(_) => "a number",
            ParamValue::Vector(values) if values.is_empty() => "an empty list",
            ParamValue::Vector(_) => "a vector",
            ParamValue::Bool(_) => "a bool",
            ParamValue::Expression(_) => "an expression",
            ParamValue::Curve(_) => "a curve",
            ParamValue::Gradient(_) => "a gradient",
            ParamValue::Keys(_) => "keys",
        }
    }
}

/// Formats the value as in a graph file.
impl std::fmt::Display for ParamValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&write::param(self))
    }
}

/// Cells along each axis, from one value.
fn cells(value: &ParamValue) -> Vec<ParamValue> {
    match value {
        ParamValue::Vector(cells) => cells.iter().copied().map(ParamValue::Number).collect(),
        ParamValue::Expression(text) => parts(text),
        one => vec![one.clone()],
    }
}

/// Splits at commas outside brackets, and parses each part as user input.
fn parts(text: &str) -> Vec<ParamValue> {
    let mut depth = 0;
    let between = |c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    };
    text.split(between).map(ParamValue::from_text).collect()
}

impl Document {
    /// Parses the text of a graph file.
    ///
    /// # Errors
    /// One sentence with line and column when the text is not a graph file. Other errors are reported by
    /// [`crate::graph`].
    pub fn parse(text: &str) -> Result<Document, ReadError> {
        read::document(text)
    }

    /// The text of a graph file: sorted, one node a line, always the same bytes for the same document.
    pub fn to_text(&self) -> String {
        write::document(self)
    }

    /// The node at a path such as `substep/density`.
    pub fn node(&self, path: &str) -> Option<&Node> {
        let (scope, name) = Scope::split(path);
        self.level(&scope)?.nodes().get(name)
    }

    /// The node at a path such as `substep/density`, with mutable access.
    pub fn node_mut(&mut self, path: &str) -> Option<&mut Node> {
        let (scope, name) = Scope::split(path);
        self.level_mut(&scope)?.into_nodes().get_mut(name)
    }

    /// Sets `node.param`. Also sets `node.iterations`, the limit of `node.until`, a State's `capacity`, a domain's
    /// `resolution` and `width`, and a number's `value`.
    ///
    /// # Errors
    /// When there is no such node, or the value does not fit the field.
    pub fn set(&mut self, path: &str, param: &str, value: ParamValue) -> Result<(), ChangeError> {
        let node = self.node_mut(path).ok_or_else(|| ChangeError::NoSuchNode { path: path.into() })?;
        match (&mut node.kind, param, &value) {
            (NodeKind::Domain(domain), "resolution", ParamValue::Vector(_) | ParamValue::Expression(_)) => {
                let cells = cells(&value);
                let wrong = |n: &ParamValue| matches!(n, ParamValue::Number(_)) && whole(n).is_none();
                if cells.len() < 2 || cells.iter().any(wrong) {
                    return Err(ChangeError::Resolution { path: path.into() });
                }
                domain.resolution = cells;
            }
            (NodeKind::Domain(domain), "width", ParamValue::Number(_) | ParamValue::Expression(_)) => {
                domain.width = value;
            }
            (NodeKind::Domain(_), "width", ParamValue::Vector(_)) => {
                return Err(ChangeError::Width { path: path.into() });
            }
            (NodeKind::Domain(domain), "edge", ParamValue::Expression(edge)) => domain.edge = Edge::from_text(edge),
            (NodeKind::Domain(_), "resolution" | "width" | "edge", ParamValue::Keys(_)) => {
                return Err(ChangeError::Keys { path: path.into(), param: param.into() });
            }
            (NodeKind::Domain(_), _, _) => {
                return Err(ChangeError::NoSuchField { path: path.into(), param: param.into() });
            }
            (NodeKind::File(file), "value", _) if file.content() == FileContent::Track => {
                return Err(ChangeError::FromFile { path: path.into() });
            }
            (kind, "value", _) if kind.is_number() => {
                if let Some(number) = kind.number_mut() {
                    *number = value;
                }
                node.params.remove("value");
            }
            (_, "until", _) if node.until.is_none() => {
                return Err(ChangeError::NoStopCondition { path: path.into() });
            }
            (NodeKind::State(_), "capacity", _) => node.capacity = Some(value),
            _ => node.give(param, value),
        }
        Ok(())
    }
}
