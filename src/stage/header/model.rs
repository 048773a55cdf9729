//! What the header of a stage declares: its ports and parameters.

use std::fmt;

use serde::Serialize;

use crate::document::ParamValue;
use crate::stage::types::{AttributeList, EdgeRule, Element, PortType, ValueType};

/// One thing wrong with a stage's text, at a line (from 1) of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct HeaderError {
    pub line: usize,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Direction {
    In,
    Out,
    InOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reduction {
    Max,
    Min,
    Sum,
}

/// How a stage writes into a grid from anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Scatter {
    /// Sums in fixed point with so many fraction bits.
    Sum(u32),
    Min,
    Max,
}

/// What a stage does to a set of particles beyond changing attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Change {
    /// Each particle's own attributes.
    #[default]
    Own,
    /// Adds as many as a number input says.
    Emit(String),
    /// Removes those for which the function returns false.
    Filter,
    /// The function returns the index from which the particle at each index comes.
    Gather,
    /// The function returns the index to which each particle moves: a permutation of the living.
    Scatter,
    /// Attributes are set at any index.
    Put,
}

impl Change {
    /// Whether the particles of the set are the same, in another order.
    pub fn reorders(&self) -> bool {
        matches!(self, Change::Gather | Change::Scatter)
    }
}

/// How many cells away from its own a stage reads a port at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Radius {
    Cells(u32),
    /// As many as this parameter says.
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
    pub name: String,
    pub direction: Direction,
    pub ty: PortType,
    /// Value when unwired: one component (given to all) or one for each.
    pub default: Option<Vec<f64>>,
    pub radius: Option<Radius>,
    pub edge: Option<EdgeRule>,
    pub like: Option<String>,
    /// `half NAME`: on the domain like NAME, with cells twice as wide.
    pub half: bool,
    /// `slices N`: on the stage's domain with each cell cut into so many along x.
    pub slices: Option<u32>,
    pub scatter: Option<Scatter>,
    pub reduce: Option<Reduction>,
    /// Replaced by the sum over all cells before.
    pub scan: bool,
    /// The range that a number is expected to stay in.
    pub expect: Option<Range>,
    /// Read at positions of two dimensions, though the stage looks into three.
    pub flat: bool,
    /// Attributes of a particle port that the stage reads, and that it writes.
    pub attributes: AttributeList,
    pub written: AttributeList,
    pub change: Change,
    pub doc: String,
    pub unit: String,
    pub line: usize,
}

impl Port {
    pub fn reads(&self) -> bool {
        self.direction != Direction::Out
    }

    pub fn writes(&self) -> bool {
        self.direction != Direction::In
    }

    /// Types of the values that the function returns for the port, each with its name.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        if !self.writes() || self.scatter.is_some() {
            return Vec::new();
        }
        let fixed = |value| vec![(self.name.as_str(), Element::Fixed(value))];
        match (self.ty, &self.change) {
            (PortType::Particles, Change::Filter | Change::Gather | Change::Scatter) => fixed(ValueType::U32),
            (PortType::Particles, Change::Put) => Vec::new(),
            (PortType::Particles, _) => self.written.iter().map(|(n, v)| (n.as_str(), Element::Fixed(*v))).collect(),
            (PortType::NeighborGrid, _) => fixed(ValueType::U32),
            (ty, _) => ty.element().map(|e| (self.name.as_str(), e)).into_iter().collect(),
        }
    }
}

/// Lower and upper bound, either may be open.
pub type Range = (Option<f64>, Option<f64>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ParamType {
    Value(ValueType),
    Bool,
    /// Linear RGBA.
    Color,
    /// A function of 0..1 to a number, drawn by points.
    Curve,
    /// A function of 0..1 to a colour, drawn by stops.
    Gradient,
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
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            ParamType::Value(v) => v.name(),
            ParamType::Bool => "bool",
            ParamType::Color => "color",
            ParamType::Curve => "curve",
            ParamType::Gradient => "gradient",
        }
    }

    /// Whether a stage calls it instead of reading it: what its function returns.
    pub fn returns(self) -> Option<ValueType> {
        match self {
            ParamType::Curve => Some(ValueType::F32),
            ParamType::Gradient => Some(ValueType::Vec4),
            ParamType::Value(_) | ParamType::Bool | ParamType::Color => None,
        }
    }
}

/// A declared `@param`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Param {
    pub name: String,
    pub ty: ParamType,
    pub default: ParamValue,
    /// Values outside are refused.
    pub range: Range,
    /// Where a slider starts.
    pub soft: Range,
    /// A constant of the plan: another value needs another plan.
    pub fixed: bool,
    pub doc: String,
    pub unit: String,
    pub line: usize,
}

/// The header of a stage file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Header {
    pub title: String,
    pub doc: Vec<String>,
    pub source: Vec<String>,
    pub ports: Vec<Port>,
    pub params: Vec<Param>,
    /// `@over once`
    pub once: bool,
    /// `@over NAME`
    pub over: Option<String>,
    /// `@sweep checkerboard`
    pub checkerboard: bool,
}

impl Header {
    /// Names and types of what the function returns. A stage that reorders particles returns one index for each; its neighbour grid follows
    /// from that.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        let reorders = self.ports.iter().any(|p| p.change.reorders());
        let silent = |p: &&Port| reorders && p.ty == PortType::NeighborGrid;
        self.ports.iter().filter(|p| !silent(p)).flat_map(Port::returned).collect()
    }
}
