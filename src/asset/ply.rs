//! The points of a PLY file. Source: Turk, The PLY Polygon File Format, 1994.

use super::Work;
use super::error::Cause;
use super::particles::{Points, Property, Type};
use super::volume::MAX_HELD;

/// Longest header \[bytes\].
const MAX_HEADER: usize = 1 << 16;
const END: &[u8] = b"end_header";

fn broken(message: impl Into<String>) -> Cause {
    Cause::Broken { kind: "PLY", message: message.into() }
}

fn cut() -> Cause {
    broken("it is cut off")
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
struct Header {
    count: usize,
    properties: Vec<(String, Type)>,
    /// Where the first point is \[bytes\].
    begin: usize,
    encoding: Encoding,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Text,
    Little,
    Big,
}

fn type_of(word: &str) -> Option<Type> {
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

/// Reads the points.
///
/// # Errors
/// An invalid or truncated file, noticed before memory is allocated for its points; cancelling.
pub(super) fn read(bytes: Vec<u8>, work: &Work) -> Result<Points, Cause> {
    let Header { count, properties, begin, encoding } = header(&bytes)?;
    let (bytes, begin, little) = match encoding {
        Encoding::Text => (numbers(bytes.get(begin..).unwrap_or_default(), count, properties.len(), work)?, 0, true),
        _ => (bytes, begin, encoding == Encoding::Little),
    };
    let text = encoding == Encoding::Text;
    let size = |ty: Type| if text { Type::F64.bytes() } else { ty.bytes() };
    let stride = properties.iter().map(|(_, ty)| size(*ty)).sum();
    let mut offset = begin;
    let property = |(name, ty): (String, Type)| {
        let own = offset;
        offset += size(ty);
        let colored = matches!(name.as_str(), "red" | "green" | "blue" | "alpha") && ty == Type::U8;
        let scale = if colored { 1.0 / 255.0 } else { 1.0 };
        Property { name, ty: if text { Type::F64 } else { ty }, scale, block: 0, offset: own, stride }
    };
    let properties = properties.into_iter().map(property).collect();
    Ok(Points { kind: "PLY", count, properties, blocks: vec![bytes], little })
}

fn header(bytes: &[u8]) -> Result<Header, Cause> {
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
                let ty = type_of(ty).ok_or_else(|| broken("a property has an unknown type"))?;
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
            return Ok(Header { count, properties, begin: bytes.len() - data.len(), encoding });
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

/// The numbers of a text, as the bytes of `f64`.
fn numbers(text: &[u8], points: usize, each: usize, work: &Work) -> Result<Vec<u8>, Cause> {
    let text = std::str::from_utf8(text).map_err(|_| broken("it is no text"))?;
    let count = points.checked_mul(each).filter(|count| *count as u64 <= MAX_HELD).ok_or(Cause::Held)?;
    let mut words = text.split_whitespace();
    let mut bytes = Vec::with_capacity(count * Type::F64.bytes());
    for index in 0..count {
        let word = words.next().ok_or_else(cut)?;
        let number: f64 = word.parse().map_err(|_| broken("a point has no number"))?;
        bytes.extend(number.to_le_bytes());
        if index % 65_536 == 0 {
            work.go_on(0)?;
        }
    }
    Ok(bytes)
}
