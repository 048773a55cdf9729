//! Types of ports and wires.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What one cell, or a number, holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ValueType {
    F32,
    I32,
    U32,
    Vec2,
    Vec3,
    Vec4,
    /// A vector in space: two components in a 2D domain, three in 3D. Walls turn its normal component round.
    Vec,
}

/// Storage scalar of a value type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scalar {
    F32,
    I32,
    U32,
}

impl Scalar {
    pub fn wgsl(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
        }
    }
}

impl ValueType {
    pub const ALL: [ValueType; 7] = [
        ValueType::F32,
        ValueType::I32,
        ValueType::U32,
        ValueType::Vec2,
        ValueType::Vec3,
        ValueType::Vec4,
        ValueType::Vec,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ValueType::F32 => "f32",
            ValueType::I32 => "i32",
            ValueType::U32 => "u32",
            ValueType::Vec2 => "vec2f",
            ValueType::Vec3 => "vec3f",
            ValueType::Vec4 => "vec4f",
            ValueType::Vec => "Vec",
        }
    }

    pub fn parse(text: &str) -> Option<ValueType> {
        ValueType::ALL.into_iter().find(|v| v.name() == text)
    }

    /// Components in a domain of `dim` dimensions.
    pub fn components(self, dim: u32) -> u32 {
        match self {
            ValueType::F32 | ValueType::I32 | ValueType::U32 => 1,
            ValueType::Vec2 => 2,
            ValueType::Vec3 => 3,
            ValueType::Vec4 => 4,
            ValueType::Vec => dim,
        }
    }

    pub fn scalar(self) -> Scalar {
        match self {
            ValueType::I32 => Scalar::I32,
            ValueType::U32 => Scalar::U32,
            _ => Scalar::F32,
        }
    }

    /// The WGSL type in a domain of `dim` dimensions.
    pub fn wgsl(self, dim: u32) -> &'static str {
        match (self, dim) {
            (ValueType::Vec, 2) => "vec2f",
            (ValueType::Vec, _) => "vec3f",
            _ => self.name(),
        }
    }
}

/// A value type, or a generic letter that every port using it binds to the same value type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Element {
    Fixed(ValueType),
    Generic(char),
}

/// The type a stage declares for a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PortType {
    /// One value a cell centre.
    Grid(Element),
    /// A staggered vector: each component on the faces that it is normal to.
    FaceGrid,
    /// A single number.
    Number(Element),
}

/// The type a wire carries: a port type whose generics are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WireType {
    Grid(ValueType),
    FaceGrid,
    Number(ValueType),
}

impl PortType {
    /// Parses `Grid<f32>`, `Grid<T>`, `FaceGrid`, `Image`, `vec2f`, ...
    pub fn parse(text: &str) -> Option<PortType> {
        let element = |name: &str| {
            let mut letters = name.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) if letter.is_ascii_uppercase() => Some(Element::Generic(letter)),
                _ => ValueType::parse(name).map(Element::Fixed),
            }
        };
        match text {
            "FaceGrid" => Some(PortType::FaceGrid),
            "Image" => Some(PortType::Grid(Element::Fixed(ValueType::Vec4))),
            _ => match text.strip_prefix("Grid<").and_then(|rest| rest.strip_suffix('>')) {
                Some(inner) => element(inner.trim()).map(PortType::Grid),
                None => ValueType::parse(text).map(|v| PortType::Number(Element::Fixed(v))),
            },
        }
    }

    pub fn is_grid(self) -> bool {
        !matches!(self, PortType::Number(_))
    }
}

impl WireType {
    /// Parses a type without generics, as a `State` declares it.
    pub fn parse(text: &str) -> Option<WireType> {
        match PortType::parse(text)? {
            PortType::Grid(Element::Fixed(v)) => Some(WireType::Grid(v)),
            PortType::FaceGrid => Some(WireType::FaceGrid),
            PortType::Number(Element::Fixed(v)) => Some(WireType::Number(v)),
            _ => None,
        }
    }

    pub fn is_grid(self) -> bool {
        !matches!(self, WireType::Number(_))
    }

    /// What one element holds.
    pub fn value(self) -> ValueType {
        match self {
            WireType::Grid(v) | WireType::Number(v) => v,
            WireType::FaceGrid => ValueType::Vec,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Fixed(v) => f.write_str(v.name()),
            Element::Generic(letter) => write!(f, "{letter}"),
        }
    }
}

impl fmt::Display for PortType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortType::Grid(e) => write!(f, "Grid<{e}>"),
            PortType::FaceGrid => f.write_str("FaceGrid"),
            PortType::Number(e) => write!(f, "{e}"),
        }
    }
}

impl fmt::Display for WireType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireType::Grid(v) => write!(f, "Grid<{}>", v.name()),
            WireType::FaceGrid => f.write_str("FaceGrid"),
            WireType::Number(v) => f.write_str(v.name()),
        }
    }
}

/// What a read outside a grid gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeRule {
    /// The nearest cell; a `Vec` turns round the component through the wall, so nothing flows through it.
    #[default]
    Wall,
    /// The nearest cell.
    Clamp,
    Zero,
    /// Periodic.
    Wrap,
    /// Reflected at the border.
    Mirror,
}

impl EdgeRule {
    pub const ALL: [EdgeRule; 5] = [EdgeRule::Wall, EdgeRule::Clamp, EdgeRule::Zero, EdgeRule::Wrap, EdgeRule::Mirror];

    pub fn name(self) -> &'static str {
        match self {
            EdgeRule::Wall => "wall",
            EdgeRule::Clamp => "clamp",
            EdgeRule::Zero => "zero",
            EdgeRule::Wrap => "wrap",
            EdgeRule::Mirror => "mirror",
        }
    }

    pub fn parse(text: &str) -> Option<EdgeRule> {
        EdgeRule::ALL.into_iter().find(|rule| rule.name() == text)
    }
}
