//! Reads the points of a PLY file as an attribute of particles. Source: Turk, The PLY Polygon File Format, 1994.
//!
//! `position` is `x y z`; a vector `NAME` is `NAME_x NAME_y ..`, a number `NAME`. Velocities may be called `vx`, normals `nx`, and
//! colours `red`.

use glam::DVec3;

use super::error::Cause;
use super::volume::MAX_HELD;
use super::{AssetGrid, COUNT_AS_ZERO, Phase, Placement, Work, is_point, place};
use crate::graph::Domain;

/// Longest header \[bytes\].
const MAX_HEADER: usize = 1 << 16;
const END: &[u8] = b"end_header";
/// Particles of a workgroup, and workgroups along an axis, of dispatches whose size is the count.
const GROUP: u32 = 256;
const GROUPS: u32 = 65_535;

/// Which numbers of particles are wanted, and how they lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Numbers of a particle.
    pub components: u32,
    /// The same with padding.
    pub stride: u32,
    /// Whether they are whole.
    pub kind: Number,
    /// How many particles there is room for.
    pub capacity: u32,
}

/// What the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Numbers of 32 bits.
    Float,
    /// With a sign.
    Signed,
    /// Without one.
    Unsigned,
}

fn broken(message: impl Into<String>) -> Cause {
    Cause::Broken { kind: "PLY", message: message.into() }
}

fn cut() -> Cause {
    broken("it is cut off")
}

/// How a property is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn parse(word: &str) -> Option<Type> {
        Some(match word {
            "char" | "int8" => Type::I8,
            "uchar" | "uint8" => Type::U8,
            "short" | "int16" => Type::I16,
            "ushort" | "uint16" => Type::U16,
            "int" | "int32" => Type::I32,
            "uint" | "uint32" => Type::U32,
            "float" | "float32" => Type::F32,
            "double" | "float64" => Type::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::F64 => 8,
        }
    }

    fn read(self, bytes: &[u8], little: bool) -> f64 {
        let mut word = [0u8; 8];
        word.iter_mut().zip(bytes).take(self.bytes()).for_each(|(to, from)| *to = *from);
        if !little {
            word.get_mut(..self.bytes()).into_iter().for_each(<[u8]>::reverse);
        }
        let [a, b, c, d, ..] = word;
        match self {
            Type::I8 => f64::from(a as i8),
            Type::U8 => f64::from(a),
            Type::I16 => f64::from(i16::from_le_bytes([a, b])),
            Type::U16 => f64::from(u16::from_le_bytes([a, b])),
            Type::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Type::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Type::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Type::F64 => f64::from_le_bytes(word),
        }
    }
}

/// Rows of the file, as its header lists them.
struct Element {
    name: String,
    count: usize,
    properties: Vec<(String, Type)>,
    /// Whether rows have lists, so that they differ in length.
    lists: bool,
}

/// A file after its header.
struct Points<'a> {
    count: usize,
    properties: Vec<(String, Type)>,
    /// From the first point on.
    data: &'a [u8],
    encoding: Encoding,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Text,
    Little,
    Big,
}

/// An attribute of the points, or their number where `name` is `None`.
///
/// # Errors
/// An invalid or truncated file, more points than there is room for, points without a place; cancelling.
pub(super) fn values(
    bytes: &[u8],
    name: Option<&str>,
    column: Column,
    placement: &Placement,
    domain: &Domain,
    work: &Work,
) -> Result<AssetGrid, Cause> {
    let points = header(bytes)?;
    if points.count as u64 > u64::from(column.capacity) {
        return Err(Cause::Capacity(points.count as u64, column.capacity));
    }
    let count = points.count as u32;
    let Some(name) = name else {
        let groups = count.div_ceil(GROUP);
        let words = [count, count, 0, 0, groups.min(GROUPS), groups.div_ceil(GROUPS), 1, 0];
        return Ok(AssetGrid { values: words.map(f32::from_bits).to_vec(), warnings: vec![], frames: None });
    };
    if u64::from(count) * u64::from(column.stride) > MAX_HELD {
        return Err(Cause::Held);
    }
    work.begin(Phase::Decoding, 0)?;
    let places = places(&points.properties, name, column.components as usize);
    let mut numbers = points.numbers(&places, work)?;
    if name == "position" {
        if places.iter().take(2).any(Option::is_none) {
            return Err(broken("its points have no x and y"));
        }
        arrange(&mut numbers, column.components as usize, placement, domain)?;
    } else if name == "id" && places.iter().all(Option::is_none) {
        // Those that the file does not number.
        numbers.iter_mut().zip(0u32..).for_each(|(id, index)| *id = index.into());
    }
    let mut strange = 0usize;
    let mut values = Vec::with_capacity(points.count * column.stride as usize);
    for particle in numbers.chunks_exact((column.components as usize).max(1)) {
        for number in particle {
            strange += usize::from(!number.is_finite());
            let number = if number.is_finite() { *number } else { 0.0 };
            values.push(match column.kind {
                Number::Float => number as f32,
                Number::Signed => f32::from_bits(number as i32 as u32),
                Number::Unsigned => f32::from_bits(number as u32),
            });
        }
        values.extend((column.components..column.stride).map(|_| 0.0));
    }
    let note = (strange > 0).then(|| format!("{strange} of its numbers are infinite or none, and {COUNT_AS_ZERO}"));
    Ok(AssetGrid { values, warnings: note.into_iter().collect(), frames: None })
}

/// Columns of an attribute's components; `None` for those that the file does not have.
fn places(properties: &[(String, Type)], name: &str, components: usize) -> Vec<Option<usize>> {
    let find = |wanted: &str| properties.iter().position(|(name, _)| name == wanted);
    let letters = ["x", "y", "z", "w"];
    let other: [&str; 4] = match name {
        "position" => letters,
        "velocity" => ["vx", "vy", "vz", ""],
        "normal" => ["nx", "ny", "nz", ""],
        "color" => ["red", "green", "blue", "alpha"],
        _ => [""; 4],
    };
    let component = |(letter, other): (&str, &str)| {
        let own = if components == 1 { find(name) } else { None };
        own.or_else(|| find(&format!("{name}_{letter}"))).or_else(|| find(other))
    };
    letters.into_iter().zip(other).take(components).map(component).collect()
}

/// Moves positions to their place, in a domain of two or three dimensions.
fn arrange(positions: &mut [f64], components: usize, placement: &Placement, domain: &Domain) -> Result<(), Cause> {
    let point = |p: &[f64]| {
        let at = |axis: usize| if axis < domain.dim as usize { p.get(axis).copied().unwrap_or(0.0) } else { 0.0 };
        DVec3::new(at(0), at(1), at(2))
    };
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for position in positions.chunks_exact(components.max(1)).map(point) {
        if !is_point(position) {
            return Err(Cause::Vertex(position.to_array()));
        }
        (min, max) = (min.min(position), max.max(position));
    }
    if positions.is_empty() || *placement == Placement::InPlace {
        return Ok(());
    }
    let transform = place(placement, min, max)?;
    for position in positions.chunks_exact_mut(components.max(1)) {
        let moved = transform.transform_point3(point(position)).to_array();
        position.iter_mut().zip(moved).for_each(|(to, from)| *to = from);
    }
    Ok(())
}

fn header(bytes: &[u8]) -> Result<Points<'_>, Cause> {
    if !bytes.starts_with(b"ply") {
        return Err(broken("it does not begin as one"));
    }
    let start = bytes.get(..MAX_HEADER.min(bytes.len())).unwrap_or_default();
    let end = start.windows(END.len()).position(|window| window == END).ok_or_else(cut)? + END.len();
    let (text, rest) = bytes.split_at_checked(end).ok_or_else(cut)?;
    let line = rest.iter().position(|byte| *byte == b'\n').ok_or_else(cut)?;
    let mut data = rest.get(line + 1..).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), elements.last_mut()) {
            (["format", kind, _], _) => {
                encoding = match *kind {
                    "ascii" => Some(Encoding::Text),
                    "binary_little_endian" => Some(Encoding::Little),
                    "binary_big_endian" => Some(Encoding::Big),
                    _ => None,
                }
            }
            (["element", name, count], _) => {
                let count = count.parse().map_err(|_| broken("an element has no number"))?;
                elements.push(Element { name: name.to_string(), count, properties: Vec::new(), lists: false });
            }
            (["property", "list", ..], Some(element)) => element.lists = true,
            (["property", ty, name], Some(element)) => {
                let ty = Type::parse(ty).ok_or_else(|| broken("a property has an unknown type"))?;
                element.properties.push((name.to_string(), ty));
            }
            _ => {}
        }
    }
    let encoding = encoding.ok_or_else(|| broken("it has no known format"))?;
    for Element { name, count, properties, lists } in elements {
        if lists && (name == "vertex" || count > 0) {
            return Err(Cause::Unsupported("lists at its points or before them".into()));
        }
        let row: usize = properties.iter().map(|(_, ty)| ty.bytes()).sum();
        let fits = match encoding {
            // A digit and a space for each.
            Encoding::Text => (count as u64).saturating_mul(2 * properties.len() as u64) <= data.len() as u64 + 1,
            _ => (count as u64).saturating_mul(row as u64) <= data.len() as u64,
        };
        if !fits || properties.is_empty() && count > 0 {
            return Err(cut());
        }
        if name == "vertex" {
            return Ok(Points { count, properties, data, encoding });
        }
        // What comes before the points.
        data = match encoding {
            Encoding::Text => {
                let line = data.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(count.saturating_sub(1));
                if count == 0 { data } else { data.get(line.map_or(0, |(at, _)| at + 1)..).unwrap_or_default() }
            }
            _ => data.get(count * row..).unwrap_or_default(),
        };
    }
    Err(broken("it has no points"))
}

impl Points<'_> {
    /// The numbers of these columns, point by point; zero where there is no column. Colours of bytes are from 0 to 1.
    fn numbers(&self, places: &[Option<usize>], work: &Work) -> Result<Vec<f64>, Cause> {
        let mut numbers = Vec::with_capacity(self.count * places.len());
        let offset = |column: usize| self.properties.iter().take(column).map(|(_, ty)| ty.bytes()).sum::<usize>();
        let scale = |name: &str, ty: Type| {
            let colored = matches!(name, "red" | "green" | "blue" | "alpha") && ty == Type::U8;
            if colored { 1.0 / 255.0 } else { 1.0 }
        };
        let columns: Vec<_> = places
            .iter()
            .map(|place| {
                let (name, ty) = self.properties.get((*place)?)?;
                Some(((*place)?, offset((*place)?), *ty, scale(name, *ty)))
            })
            .collect();
        if self.encoding == Encoding::Text {
            let text = std::str::from_utf8(self.data).map_err(|_| broken("it is no text"))?;
            let mut words = text.split_whitespace();
            let mut row = vec![0.0; self.properties.len()];
            for index in 0..self.count {
                for number in &mut row {
                    let word = words.next().ok_or_else(cut)?;
                    *number = word.parse().map_err(|_| broken("a point has no number"))?;
                }
                let value =
                    |(place, _, _, scale): &(usize, usize, Type, f64)| row.get(*place).map_or(0.0, |v| v * scale);
                numbers.extend(columns.iter().map(|column| column.as_ref().map_or(0.0, value)));
                if index % 65_536 == 0 {
                    work.go_on(0)?;
                }
            }
            return Ok(numbers);
        }
        let little = self.encoding == Encoding::Little;
        let row: usize = self.properties.iter().map(|(_, ty)| ty.bytes()).sum();
        for (index, bytes) in self.data.chunks_exact(row.max(1)).take(self.count).enumerate() {
            let value = |(_, offset, ty, scale): &(usize, usize, Type, f64)| {
                ty.read(bytes.get(*offset..).unwrap_or_default(), little) * scale
            };
            numbers.extend(columns.iter().map(|column| column.as_ref().map_or(0.0, value)));
            if index % 65_536 == 0 {
                work.go_on(0)?;
            }
        }
        Ok(numbers)
    }
}
