//! What the header of a stage declares: its ports and parameters.

use std::fmt;

use serde::Serialize;

use crate::document::ParamValue;
use crate::stage::types::{AttributeList, EdgeRule, Element, PortType, ValueType};

/// An error in a stage's text, at a line counted from 1.
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

/// How a stage writes to any cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Scatter {
    /// Sums in fixed point with this many fraction bits.
    Sum(u32),
    Min,
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
    pub name: String,
    pub direction: Direction,
    pub ty: PortType,
    /// Value when unwired: one component for all, or one each.
    pub default: Option<Vec<f64>>,
    pub radius: Option<Radius>,
    pub edge: Option<EdgeRule>,
    pub like: Option<String>,
    /// `half NAME`: on the domain of NAME with cells twice as wide.
    pub half: bool,
    /// `slices N`: on the stage's domain with each cell cut into N slices along x.
    pub slices: Option<u32>,
    pub scatter: Option<Scatter>,
    pub reduce: Option<Reduction>,
    /// Replaced by its exclusive prefix sum.
    pub scan: bool,
    /// The range that a number is expected to stay in.
    pub expect: Option<Range>,
    /// Read at positions in two dimensions, although the stage runs in three.
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

    /// Types and names of the values that the function returns for the port.
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

/// Lower and upper bound; either may be open.
pub type Range = (Option<f64>, Option<f64>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ParamType {
    Value(ValueType),
    Bool,
    /// Linear RGBA.
    Color,
    /// A function from 0..1 to a number, given by points.
    Curve,
    /// A function from 0..1 to a colour, given by stops.
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

    /// The return type of the function by which a stage uses it; `None` if it is read as a value.
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
    /// Values outside are errors.
    pub range: Range,
    /// Range of the slider.
    pub soft: Range,
    /// A constant of the plan: changing it compiles a new plan.
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
    /// Names and types of what the function returns. A stage that reorders particles returns one index each; its
    /// neighbour grid follows from that.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        let reorders = self.ports.iter().any(|p| p.change.reorders());
        let silent = |p: &&Port| reorders && p.ty == PortType::NeighborGrid;
        self.ports.iter().filter(|p| !silent(p)).flat_map(Port::returned).collect()
    }
}
