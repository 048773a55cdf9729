//! What the header of a stage declares: its ports and parameters.

use std::fmt;

use serde::Serialize;

use super::handle::Handle;
use crate::document::ParamValue;
use crate::stage::edges::Edges;
use crate::stage::types::{AttributeList, EdgeRule, Element, PortType, ValueType};

/// An error in a stage's text, at a line counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct HeaderError {
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Whether a port is read, written or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Direction {
    /// `@in`: read.
    In,
    /// `@out`: written.
    Out,
    /// `@inout`: updated.
    InOut,
}

/// How the values of all cells or particles become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reduction {
    /// The maximum.
    Max,
    /// The minimum.
    Min,
    /// The sum.
    Sum,
}

/// How a stage writes to any cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Scatter {
    /// Sums in fixed point with this many fraction bits.
    Sum(u32),
    /// The minimum.
    Min,
    /// The maximum.
    Max,
}

/// What a stage does to a particle set beyond changing attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Change {
    /// Changes only each particle's own attributes.
    #[default]
    Own,
    /// Adds as many particles as a number input says.
    Emit(String),
    /// Removes particles for which the function returns false.
    Filter,
    /// The function returns the index that the particle at each index comes from.
    Gather,
    /// The function returns the index that each particle moves to: a permutation of the live ones.
    Scatter,
    /// Sets attributes at any index.
    Put,
    /// Values are added to fresh attributes of particles by index, in fixed point with so many fraction bits.
    Sum(u32),
}

impl Change {
    /// Whether the set has the same particles in another order.
    pub fn reorders(&self) -> bool {
        matches!(self, Change::Gather | Change::Scatter)
    }
}

/// Limit of the distance in cells at which a stage reads a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Radius {
    /// Number of cells.
    Cells(u32),
    /// The value of this parameter.
    Param(String),
}

impl fmt::Display for Radius {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Radius::Cells(cells) => write!(f, "{cells}"),
            Radius::Param(name) => f.write_str(name),
        }
    }
}

/// A declared `@in`, `@out` or `@inout`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Port {
    /// Name in the header and in the text.
    pub name: String,
    /// Whether the port is read, written or both.
    pub direction: Direction,
    /// Type of the port, which may be generic.
    pub ty: PortType,
    /// Value when unwired: one component for all, or one each.
    pub default: Option<Vec<f64>>,
    /// The largest distance in cells at which it is read, where the header declares one.
    pub radius: Option<Radius>,
    /// What is read beyond the domain; the domain's own rule when `None`.
    pub edge: Option<EdgeRule>,
    /// `open zero`: zero beyond open borders, where it would else be the nearest cell's value.
    pub open_zero: bool,
    /// The port whose domain it takes: `like NAME`, or `half NAME`.
    pub like: Option<String>,
    /// `half NAME`: on the domain of NAME with cells twice as wide.
    pub half: bool,
    /// `slices N`: on the stage's domain with each cell cut into N slices along x.
    pub slices: Option<u32>,
    /// How the port is written at any cell; only at its own when `None`.
    pub scatter: Option<Scatter>,
    /// How the written values become one number.
    pub reduce: Option<Reduction>,
    /// Replaced by its exclusive prefix sum.
    pub scan: bool,
    /// The faces that join cells; replaced by the labels of the connected parts.
    pub connect: bool,
    /// What flows into closed parts is balanced before the port reads it.
    pub balanced: bool,
    /// The range that a number is expected to stay in.
    pub expect: Option<Range>,
    /// Whether positions read the grid without interpolation.
    pub nearest: bool,
    /// Whether the wire is a table with cells of its own, on whatever domain.
    pub table: bool,
    /// Whether positions read the wire in two dimensions, although the stage runs in three.
    pub flat: bool,
    /// `velocity of NAME ..`: the inputs that describe the bodies or walls whose velocity it is.
    pub velocity_of: Vec<String>,
    /// Attributes of a particle port that the stage reads.
    pub attributes: AttributeList,
    /// Attributes of a particle port that the stage writes.
    pub written: AttributeList,
    /// What happens to the particles of a set.
    pub change: Change,
    /// What the user reads about it.
    pub doc: String,
    /// The unit, without brackets; empty if there is none.
    pub unit: String,
    /// Line of the declaration, from 1.
    pub line: usize,
}

impl Port {
    /// Whether the warning about a number outside its range shows another output of the stage: `{name}` in the documentation.
    pub fn tells(&self, name: &str) -> bool {
        self.expect.is_some() && self.doc.contains(&format!("{{{name}}}"))
    }

    /// Whether the written values are replaced by what they mean for the whole grid.
    pub fn converted(&self) -> bool {
        self.scan || self.connect
    }

    /// What is read beyond the sides of a domain with these rules: walls, cells, zero, a period or a mirror.
    pub fn edges(&self, domain: Edges) -> Edges {
        // What is added beyond an open border has left.
        let zero = self.open_zero || self.scatter.is_some();
        self.edge.map_or(domain, Edges::uniform).map(|rule| match rule {
            EdgeRule::Open if zero => EdgeRule::Zero,
            EdgeRule::Open | EdgeRule::Inflow => EdgeRule::Clamp,
            rule => rule,
        })
    }

    /// Whether the stage reads it.
    pub fn reads(&self) -> bool {
        self.direction != Direction::Out
    }

    /// Fraction bits of what is summed in fixed point, in cells or in particles.
    pub fn sum_bits(&self) -> Option<u32> {
        match (self.scatter, &self.change) {
            (Some(Scatter::Sum(bits)), _) => Some(bits),
            (_, Change::Sum(bits)) => Some(*bits),
            _ => None,
        }
    }

    /// Whether the port is a set that a stage over another one adds to.
    pub fn is_summed_set(&self) -> bool {
        matches!(self.change, Change::Sum(_))
    }

    /// Whether the stage writes it.
    pub fn writes(&self) -> bool {
        self.direction != Direction::In
    }

    /// Types and names of the values that the function returns for the port.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        if !self.writes() || self.scatter.is_some() {
            return Vec::new();
        }
        let fixed = |value| vec![(self.name.as_str(), Element::Fixed(value))];
        match (self.ty, &self.change) {
            (PortType::Particles, Change::Filter | Change::Gather | Change::Scatter) => fixed(ValueType::U32),
            (PortType::Particles, Change::Put | Change::Sum(_)) => Vec::new(),
            (PortType::Particles, _) => self.written.iter().map(|(n, v)| (n.as_str(), Element::Fixed(*v))).collect(),
            (PortType::NeighborGrid, _) => fixed(ValueType::U32),
            (ty, _) => ty.element().map(|e| (self.name.as_str(), e)).into_iter().collect(),
        }
    }
}

/// Lower and upper bound; either may be open.
pub type Range = (Option<f64>, Option<f64>);

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ParamType {
    /// A number or a vector.
    Value(ValueType),
    /// A switch, stored as 0 or 1.
    Bool,
    /// Linear RGBA.
    Color,
    /// A function from 0..1 to a number, given by points.
    Curve,
    /// A function from 0..1 to a colour, given by stops.
    Gradient,
    /// A function of the position and of the stage's inputs, given by an expression.
    Formula(ValueType),
}

impl ParamType {
    /// How the parameter is stored for the GPU.
    pub fn value(self) -> ValueType {
        match self {
            ParamType::Value(v) => v,
            ParamType::Bool => ValueType::I32,
            ParamType::Color => ValueType::Vec4,
            ParamType::Curve => ValueType::Curve,
            ParamType::Gradient => ValueType::Gradient,
            ParamType::Formula(v) => v,
        }
    }

    /// The name in headers.
    pub fn name(self) -> &'static str {
        match self {
            ParamType::Value(v) => v.name(),
            ParamType::Bool => "bool",
            ParamType::Color => "color",
            ParamType::Curve => "curve",
            ParamType::Gradient => "gradient",
            ParamType::Formula(ValueType::Vec) => "formula<Vec>",
            ParamType::Formula(_) => "formula",
        }
    }

    /// The return type of the function by which a stage uses it; `None` if it is read as a value.
    pub fn returns(self) -> Option<ValueType> {
        match self {
            ParamType::Curve => Some(ValueType::F32),
            ParamType::Gradient => Some(ValueType::Vec4),
            ParamType::Formula(v) => Some(v),
            ParamType::Value(_) | ParamType::Bool | ParamType::Color => None,
        }
    }
}

/// A declared `@param`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Param {
    /// Name in the header and in the text.
    pub name: String,
    /// Type of the parameter.
    pub ty: ParamType,
    /// The value of new nodes.
    pub default: ParamValue,
    /// Values outside are errors.
    pub range: Range,
    /// Range of the slider.
    pub soft: Range,
    /// A constant of the plan: changing it compiles a new plan.
    pub fixed: bool,
    /// `steady` or `steady PORT`: the stage multiplies it with the time since the start, so it must not change meanwhile. The port, if there is
    /// one, takes the sum over time of a value that does.
    pub steady: Option<String>,
    /// What the parameter is in space, for views.
    pub handle: Option<Handle>,
    /// What the user reads about it.
    pub doc: String,
    /// The unit, without brackets; empty if there is none.
    pub unit: String,
    /// Line of the declaration, from 1.
    pub line: usize,
}

/// A declared `@use`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Use {
    /// Name of the shared file.
    pub name: String,
    /// Line of the declaration, from 1.
    pub line: usize,
    /// Column of the name, from 1 \[characters\].
    pub column: usize,
}

/// The header of a stage file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Header {
    /// Name in the palette.
    pub title: String,
    /// Paragraphs of documentation.
    pub doc: Vec<String>,
    /// Papers and programs that the stage follows.
    pub source: Vec<String>,
    /// Other names by which the palette finds the stage.
    pub keywords: Vec<String>,
    /// Ports in the order of the file.
    pub ports: Vec<Port>,
    /// Parameters in the order of the file.
    pub params: Vec<Param>,
    /// `@over once`
    pub once: bool,
    /// `@over NAME`
    pub over: Option<String>,
    /// `@sweep checkerboard`
    pub checkerboard: bool,
    /// `@iterations N`: how often a node that is added in the editor runs in a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// Shared files whose functions the text calls, in the order of the file.
    pub uses: Vec<Use>,
}

impl Header {
    /// The inputs whose values a formula can name, in the order of its arguments after the position: those with a value
    /// of a known type at a cell or a position.
    pub fn formula_inputs(&self) -> impl Iterator<Item = &Port> {
        let valued = |port: &&Port| {
            use ValueType::{F32, Vec, Vec2, Vec3, Vec4};
            let (PortType::Grid(Element::Fixed(value))
            | PortType::Field(Element::Fixed(value))
            | PortType::Number(Element::Fixed(value))) = port.ty
            else {
                return false;
            };
            matches!(value, F32 | Vec2 | Vec3 | Vec4 | Vec)
        };
        self.ports.iter().filter(|port| port.reads()).filter(valued)
    }

    /// Names and types of what the function returns. A stage that reorders particles returns one index each; its
    /// neighbour grid follows from that.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        let reorders = self.ports.iter().any(|p| p.change.reorders());
        let silent = |p: &&Port| reorders && p.ty == PortType::NeighborGrid;
        self.ports.iter().filter(|p| !silent(p)).flat_map(Port::returned).collect()
    }
}
