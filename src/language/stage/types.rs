//! Types of ports and wires.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::language;
use crate::curve::SAMPLES;

/// The value of a cell or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ValueType {
    /// A 32-bit float.
    F32,
    /// A signed 32-bit integer.
    I32,
    /// An unsigned 32-bit integer.
    U32,
    /// `vec2f`.
    Vec2,
    /// `vec3f`.
    Vec3,
    /// `vec4f`.
    Vec4,
    /// A vector in space: two components in a 2D domain, three in 3D. Walls reverse its normal component.
    Vec,
    /// A matrix in space, by columns: `mat2x2f` in a 2D domain, `mat3x3f` in 3D. Only in cells of a grid and as an attribute.
    Mat,
    /// Several `f32`, from 2 to [`ValueType::MOST_NUMBERS`]. Only in cells of a grid.
    Array(u8),
    /// A camera: columns right, up, forward and eye; the first column's fourth number is the tangent of half the
    /// vertical angle of view. Only as a number.
    Camera,
    /// A curve over 0..1, as [`SAMPLES`] numbers. Only as a parameter.
    Curve,
    /// A colour ramp over 0..1, as [`SAMPLES`] colours. Only as a parameter.
    Gradient,
}

/// How the numbers of a grid are stored. Stages always compute with `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Precision {
    /// 32 bits.
    #[default]
    F32,
    /// IEEE 754 binary16: 11 significant bits, so each store rounds by at most 2^-11 of the value; the maximum is
    /// 65,504, beyond it infinity.
    F16,
}

impl Precision {
    /// All precisions.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::F16];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F16 => "f16",
        }
    }

    /// The precision of this name.
    pub fn parse(text: &str) -> Option<Precision> {
        Precision::ALL.into_iter().find(|p| p.name() == text)
    }
}

/// Storage scalar of a value type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// A 32-bit float.
    F32,
    /// A signed 32-bit integer.
    I32,
    /// An unsigned 32-bit integer.
    U32,
}

impl Scalar {
    /// The type's name in WGSL.
    pub fn wgsl(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
        }
    }
}

/// Names of arrays in headers and in WGSL, by their length.
static ARRAYS: LazyLock<Vec<[String; 2]>> = LazyLock::new(|| {
    (0..=ValueType::MOST_NUMBERS).map(|n| [format!("f32[{n}]"), format!("array<f32, {n}>")]).collect()
});

/// Tables in a uniform block, whose arrays consist of whole `vec4f`.
const CURVE: &str = "array<vec4f, 17>";
const GRADIENT: &str = "array<vec4f, 65>";
const _: () = assert!(SAMPLES == 65, "the arrays above hold the samples");

impl ValueType {
    /// Limit of numbers in a cell.
    pub const MOST_NUMBERS: u8 = 64;

    /// All value types but matrices and arrays.
    pub const ALL: [ValueType; 7] = [
        ValueType::F32,
        ValueType::I32,
        ValueType::U32,
        ValueType::Vec2,
        ValueType::Vec3,
        ValueType::Vec4,
        ValueType::Vec,
    ];

    /// The name in headers and in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::F32 => "f32",
            ValueType::I32 => "i32",
            ValueType::U32 => "u32",
            ValueType::Vec2 => "vec2f",
            ValueType::Vec3 => "vec3f",
            ValueType::Vec4 => "vec4f",
            ValueType::Vec => "Vec",
            ValueType::Mat => "Mat",
            ValueType::Array(n) => &ARRAYS[usize::from(n.min(ValueType::MOST_NUMBERS))][0],
            ValueType::Camera => "Camera",
            ValueType::Curve => "curve",
            ValueType::Gradient => "gradient",
        }
    }

    /// The value type of an attribute by its name: also a matrix.
    fn parse_attribute(text: &str) -> Option<ValueType> {
        ValueType::parse(text).or_else(|| (text == ValueType::Mat.name()).then_some(ValueType::Mat))
    }

    /// The type of `f32[N]`.
    fn parse_array(text: &str) -> Option<ValueType> {
        let length = text.strip_prefix("f32")?.trim_start().strip_prefix('[')?.strip_suffix(']')?.trim();
        let plain = length.starts_with(|c: char| ('1'..='9').contains(&c));
        let length = length.parse().ok().filter(|n| plain && (2..=ValueType::MOST_NUMBERS).contains(n))?;
        Some(ValueType::Array(length))
    }

    /// The type of a constant in its place: all numbers of an array are the same one, a matrix is so many times the identity.
    pub fn constant(self) -> ValueType {
        if self.is_compound() { ValueType::F32 } else { self }
    }

    /// Whether it is more than a number or a vector: an array or a matrix.
    pub fn is_compound(self) -> bool {
        matches!(self, ValueType::Array(_) | ValueType::Mat)
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        matches!(self, ValueType::Array(_))
    }

    /// The value type of a cell, a particle or a field by its name.
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
            ValueType::Mat => dim * dim,
            ValueType::Array(n) => u32::from(n),
            ValueType::Camera => 16,
            // Whole `vec4f`, so the last one is partly unused.
            ValueType::Curve => (SAMPLES as u32).next_multiple_of(4),
            ValueType::Gradient => 4 * SAMPLES as u32,
        }
    }

    /// The scalar in which its components are stored.
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
            (ValueType::Mat, 2) => "mat2x2f",
            (ValueType::Mat, _) => "mat3x3f",
            (ValueType::Array(n), _) => &ARRAYS[usize::from(n.min(ValueType::MOST_NUMBERS))][1],
            (ValueType::Camera, _) => "mat4x4f",
            (ValueType::Curve, _) => CURVE,
            (ValueType::Gradient, _) => GRADIENT,
            _ => self.name(),
        }
    }
}

/// A generic letter that stands for vectors alone.
const VECTORS: char = 'V';
/// A generic letter that stands for floats and vectors, and not for whole numbers.
const FLOATS: char = 'F';

/// A value type, or a generic letter that every port using it binds to the same value type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Element {
    /// A fixed value type.
    Fixed(ValueType),
    /// The value type that this letter is bound to.
    Generic(char),
}

impl Element {
    /// Whether the element can be this value type: itself, or what its letter may be bound to.
    pub fn takes(self, value: ValueType) -> bool {
        match self {
            Element::Fixed(fixed_type) => fixed_type == value,
            Element::Generic(_) if value.is_compound() => false,
            Element::Generic(VECTORS) => value.components(2) > 1,
            Element::Generic(FLOATS) => value.scalar() == Scalar::F32,
            Element::Generic(_) => true,
        }
    }

    /// A value type that it can be.
    pub fn example(self) -> ValueType {
        match self {
            Element::Fixed(fixed_type) => fixed_type,
            Element::Generic(VECTORS) => ValueType::Vec,
            Element::Generic(_) => ValueType::F32,
        }
    }
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
    /// A value at every position, computed where it is read.
    Field(Element),
    /// A particle set; the attributes that a stage needs are kept with the port.
    Particles,
    /// Particles sorted by cell.
    NeighborGrid,
}

/// The type a wire carries: a port type whose generics are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WireType {
    /// One value per cell.
    Grid(ValueType),
    /// One number per cell face, the component across it.
    FaceGrid,
    /// One value.
    Number(ValueType),
    /// A function of a position.
    Field(ValueType),
    /// A count and attributes.
    Particles,
    /// Particles of a set, sorted by the cells of a grid.
    NeighborGrid,
    /// One attribute of a set, as stored in memory.
    Attribute(ValueType),
}

/// Attributes by name.
pub type Attributes = BTreeMap<String, ValueType>;

impl PortType {
    /// Parses `Grid<f32>`, `Grid<f32[19]>`, `Grid<T>`, `FaceGrid`, `Image`, `vec2f`, ... `Particles{..}` with any attributes is [`PortType::Particles`].
    pub fn parse(text: &str) -> Option<PortType> {
        let element = |name: &str| {
            let mut letters = name.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) if letter.is_ascii_uppercase() => Some(Element::Generic(letter)),
                _ => ValueType::parse(name).map(Element::Fixed),
            }
        };
        let matrix = |name: &str| (name == ValueType::Mat.name()).then_some(Element::Fixed(ValueType::Mat));
        let of = |kind: &str| text.strip_prefix(kind)?.strip_prefix('<')?.strip_suffix('>').map(str::trim);
        match text {
            "FaceGrid" => Some(PortType::FaceGrid),
            "NeighborGrid" => Some(PortType::NeighborGrid),
            "Image" => Some(PortType::Grid(Element::Fixed(ValueType::Vec4))),
            "Camera" => Some(PortType::Number(Element::Fixed(ValueType::Camera))),
            "Particles" => Some(PortType::Particles),
            _ if text.starts_with("Particles{") => particles(text).ok().map(|_| PortType::Particles),
            _ => match (of("Grid"), of("Field")) {
                (Some(inner), _) => {
                    let array = || ValueType::parse_array(inner).map(Element::Fixed);
                    element(inner).or_else(array).or_else(|| matrix(inner)).map(PortType::Grid)
                }
                (_, Some(inner)) => element(inner).map(PortType::Field),
                _ => ValueType::parse(text).map(|v| PortType::Number(Element::Fixed(v))),
            },
        }
    }

    /// Whether the port has cells.
    pub fn is_grid(self) -> bool {
        matches!(self, PortType::Grid(_) | PortType::FaceGrid)
    }

    /// Whether each cell has several numbers, which are read one by one: `x(cell, i)`.
    pub fn is_array(self) -> bool {
        matches!(self, PortType::Grid(Element::Fixed(ValueType::Array(_))))
    }

    /// Whether each cell has more than a number or a vector.
    pub fn is_compound(self) -> bool {
        matches!(self, PortType::Grid(Element::Fixed(value)) if value.is_compound())
    }

    /// Whether the port is a number.
    pub fn is_number(self) -> bool {
        matches!(self, PortType::Number(_))
    }

    /// The value of one element, where it is a single one.
    pub fn element(self) -> Option<Element> {
        match self {
            PortType::Grid(e) | PortType::Number(e) | PortType::Field(e) => Some(e),
            PortType::FaceGrid => Some(Element::Fixed(ValueType::Vec)),
            PortType::Particles | PortType::NeighborGrid => None,
        }
    }
}

/// Named attributes in the order of their declaration.
pub type AttributeList = Vec<(String, ValueType)>;

/// Parses `Particles{a: f32, b: Vec} -> {c: f32}`: the attributes that are read, and those that are written.
///
/// # Errors
/// Why the text is invalid.
pub fn particles(text: &str) -> Result<(AttributeList, AttributeList), String> {
    let (reads, writes) = match text.split_once("->") {
        Some((reads, writes)) => (reads.trim(), Some(writes.trim())),
        None => (text.trim(), None),
    };
    let reads = attributes(reads.strip_prefix("Particles").unwrap_or(reads).trim())?;
    let writes = writes.map_or(Ok(Vec::new()), attributes)?;
    Ok((reads, writes))
}

fn attributes(text: &str) -> Result<AttributeList, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let form = || format!("`{text}` needs the form {{position: Vec, age: f32}}");
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or_else(form)?;
    let mut list = AttributeList::new();
    for part in inner.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, ty) = part.split_once(':').ok_or_else(form)?;
        let (name, ty) = (name.trim(), ty.trim());
        let free = language::is_snake_case(name) && !name.ends_with('_');
        if !free || language::is_member_of_particle(name) || language::is_reserved(name) {
            return Err(format!("`{name}` is not a valid attribute name; use another lower_snake_case name"));
        }
        let value = ValueType::parse_attribute(ty)
            .ok_or_else(|| format!("`{ty}` is not an attribute type; use f32, Vec, ..."))?;
        if name == "position" && value == ValueType::Mat {
            return Err("`position` is a vector, such as Vec, and no Mat".into());
        }
        if list.iter().any(|(other, _)| other == name) {
            return Err(format!("the attribute `{name}` is given twice"));
        }
        list.push((name.to_string(), value));
    }
    Ok(list)
}

/// `Particles{age: f32, position: Vec}`
pub fn particles_name(attributes: &Attributes) -> String {
    let parts: Vec<String> = attributes.iter().map(|(name, ty)| format!("{name}: {}", ty.name())).collect();
    format!("Particles{{{}}}", parts.join(", "))
}

impl WireType {
    /// Parses a type without generics, as a `State` declares it.
    pub fn parse(text: &str) -> Option<WireType> {
        let fixed = |element| match element {
            Element::Fixed(v) => Some(v),
            Element::Generic(_) => None,
        };
        match PortType::parse(text)? {
            PortType::Grid(e) => fixed(e).map(WireType::Grid),
            PortType::Number(e) => fixed(e).map(WireType::Number),
            PortType::Field(e) => fixed(e).map(WireType::Field),
            PortType::FaceGrid => Some(WireType::FaceGrid),
            PortType::Particles => Some(WireType::Particles),
            PortType::NeighborGrid => Some(WireType::NeighborGrid),
        }
    }

    /// Whether the wire has cells.
    pub fn is_grid(self) -> bool {
        matches!(self, WireType::Grid(_) | WireType::FaceGrid)
    }

    /// Whether the wire is a number.
    pub fn is_number(self) -> bool {
        matches!(self, WireType::Number(_))
    }

    /// Whether a State can hold it. A number in space (`Vec`, `Camera`) is not allowed, since its number of dimensions
    /// would be unknown.
    pub fn can_be_kept(self) -> bool {
        match self {
            WireType::Grid(_) | WireType::FaceGrid | WireType::Particles => true,
            WireType::Number(v) => !matches!(v, ValueType::Vec | ValueType::Camera),
            WireType::Field(_) | WireType::NeighborGrid | WireType::Attribute(_) => false,
        }
    }

    /// The value of one element. Particle sets and neighbour grids have no single one; they count in `u32`.
    pub fn value(self) -> ValueType {
        match self {
            WireType::Grid(v) | WireType::Number(v) | WireType::Field(v) | WireType::Attribute(v) => v,
            WireType::FaceGrid => ValueType::Vec,
            WireType::Particles | WireType::NeighborGrid => ValueType::U32,
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
            PortType::Field(e) => write!(f, "Field<{e}>"),
            PortType::Particles => f.write_str("Particles"),
            PortType::NeighborGrid => f.write_str("NeighborGrid"),
        }
    }
}

impl fmt::Display for WireType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireType::Grid(v) => write!(f, "Grid<{}>", v.name()),
            WireType::FaceGrid => f.write_str("FaceGrid"),
            WireType::Number(v) => f.write_str(v.name()),
            WireType::Field(v) => write!(f, "Field<{}>", v.name()),
            WireType::Particles => f.write_str("Particles"),
            WireType::NeighborGrid => f.write_str("NeighborGrid"),
            WireType::Attribute(v) => write!(f, "{} a particle", v.name()),
        }
    }
}

/// The result of reading outside a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeRule {
    /// The nearest cell; the component of a `Vec` normal to the wall changes sign, so nothing flows through it.
    #[default]
    Wall,
    /// The nearest cell.
    Clamp,
    /// Zero.
    Zero,
    /// Periodic.
    Wrap,
    /// Reflected at the border.
    Mirror,
    /// The nearest cell; zero for what is held at open borders, such as a pressure. Fluid flows through.
    Open,
    /// The nearest cell. Fluid flows through at the velocity that the faces of the border have.
    Inflow,
}

impl EdgeRule {
    /// All rules, in the order of the editor's list.
    pub const ALL: [EdgeRule; 7] = [
        EdgeRule::Wall,
        EdgeRule::Clamp,
        EdgeRule::Zero,
        EdgeRule::Wrap,
        EdgeRule::Mirror,
        EdgeRule::Open,
        EdgeRule::Inflow,
    ];

    /// The name in files and in the editor.
    pub fn name(self) -> &'static str {
        match self {
            EdgeRule::Wall => "wall",
            EdgeRule::Clamp => "clamp",
            EdgeRule::Zero => "zero",
            EdgeRule::Wrap => "wrap",
            EdgeRule::Mirror => "mirror",
            EdgeRule::Open => "open",
            EdgeRule::Inflow => "inflow",
        }
    }

    /// The rule of this name.
    pub fn parse(text: &str) -> Option<EdgeRule> {
        EdgeRule::ALL.into_iter().find(|rule| rule.name() == text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::stage::language::{Kind, is, words};

    #[test]
    fn types_and_rules_are_those_that_headers_are_read_with() {
        let set = |kind| words(kind).collect::<BTreeSet<_>>();
        assert_eq!(set(Kind::EdgeRule), EdgeRule::ALL.map(EdgeRule::name).into_iter().collect());
        for ty in ValueType::ALL.map(ValueType::name) {
            assert!(is(ty, Kind::ValueType) || is(ty, Kind::Alias), "{ty}");
        }
        for name in words(Kind::PortType) {
            let text = if ["Grid", "Field"].contains(&name) { format!("{name}<f32>") } else { name.to_string() };
            assert!(PortType::parse(&text).is_some(), "{name}");
        }
        for name in words(Kind::ValueType).filter(|name| *name != "bool") {
            assert!(ValueType::parse(name).is_some(), "{name}");
        }
    }
}
