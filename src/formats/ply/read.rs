//! The points of a PLY file. Source: Turk, The PLY Polygon File Format, 1994.

use super::layout::{END, TYPES};
use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::limits::MAX_HELD;
use crate::malformed::FormatName;
use crate::points::{Points, Property, Type};
use crate::warnings::listed;
use crate::work::Work;

/// Longest header \[bytes\].
const MAX_HEADER: usize = 1 << 16;
/// Rows that are read between two checks for cancelling.
const MANY: usize = 1 << 16;
/// Remedy of the warning about lists.
const SINGLE: &str = "export what particles need as single numbers";

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("PLY");

/// Reads a file.
///
/// # Errors
/// Errors of [`points`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    points(file.bytes, file.work).map(Content::Points)
}

/// Rows of the file, as its header lists them.
struct Element {
    name: String,
    count: usize,
    fields: Vec<Field>,
}

impl Element {
    fn has_lists(&self) -> bool {
        self.fields.iter().any(|field| field.length.is_some())
    }

    /// The fewest bytes of a row.
    fn least(&self, encoding: Encoding) -> u64 {
        match encoding {
            // A digit and a space for each.
            Encoding::Text => 2 * self.fields.len() as u64,
            _ => self.fields.iter().map(|field| field.length.unwrap_or(field.ty).bytes() as u64).sum(),
        }
    }
}

/// A number of each row, or a list of numbers.
struct Field {
    name: String,
    ty: Type,
    /// The type of a list's length.
    length: Option<Type>,
}

/// A file after its header.
struct Header {
    points: Element,
    /// Position of the first point \[bytes\].
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
    TYPES.iter().find(|(one, other, _)| [*one, *other].contains(&word)).map(|(.., ty)| *ty)
}

/// Reads the points, without the lists that they may have.
///
/// # Errors
/// An invalid or truncated file, noticed before memory is allocated for its points; cancelling.
pub(crate) fn points(bytes: Vec<u8>, work: &Work) -> Result<Points, Cause> {
    let Header { points, begin, encoding } = header(&bytes, work)?;
    let little = encoding != Encoding::Big;
    let data = bytes.get(begin..).unwrap_or_default();
    let (bytes, begin) = match encoding {
        Encoding::Text => (numbers(data, &points, work)?, 0),
        _ if points.has_lists() => (without_lists(data, &points, little, work)?, 0),
        _ => (bytes, begin),
    };
    let text = encoding == Encoding::Text;
    let size = |ty: Type| if text { Type::F64.bytes() } else { ty.bytes() };
    let (plain, lists): (Vec<Field>, Vec<Field>) = points.fields.into_iter().partition(|field| field.length.is_none());
    let stride = plain.iter().map(|field| size(field.ty)).sum();
    let mut offset = begin;
    let property = |Field { name, ty, .. }| {
        let start = offset;
        offset += size(ty);
        let colored = matches!(name.as_str(), "red" | "green" | "blue" | "alpha") && ty == Type::U8;
        let scale = if colored { 1.0 / 255.0 } else { 1.0 };
        Property { name, ty: if text { Type::F64 } else { ty }, scale, block: 0, offset: start, stride, little }
    };
    let properties = plain.into_iter().map(property).collect();
    let names: Vec<&str> = lists.iter().map(|field| field.name.as_str()).collect();
    let warning = (!names.is_empty())
        .then(|| format!("the lists that its points have ({}) are left out; {SINGLE}", listed(&names)));
    let warnings = warning.into_iter().collect();
    Ok(Points { kind: NAME, count: points.count, properties, blocks: vec![bytes], warnings })
}

fn header(bytes: &[u8], work: &Work) -> Result<Header, Cause> {
    if !bytes.starts_with(b"ply") {
        return Err(NAME.malformed("it does not begin as one"));
    }
    let start = bytes.get(..MAX_HEADER.min(bytes.len())).unwrap_or_default();
    let end =
        start.windows(END.len()).position(|window| window == END.as_bytes()).ok_or_else(|| NAME.cut_off())? + END.len();
    let (text, rest) = bytes.split_at_checked(end).ok_or_else(|| NAME.cut_off())?;
    let line = rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| NAME.cut_off())?;
    let mut data = rest.get(line + 1..).unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let unknown = || NAME.malformed("a property has an unknown type");
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
                let count = count.parse().map_err(|_| NAME.malformed("an element has no number"))?;
                elements.push(Element { name: name.to_string(), count, fields: Vec::new() });
            }
            (["property", "list", length, ty, name], Some(element)) => {
                let (length, ty) = type_of(length).zip(type_of(ty)).ok_or_else(unknown)?;
                element.fields.push(Field { name: name.to_string(), ty, length: Some(length) });
            }
            (["property", ty, name], Some(element)) => {
                let ty = type_of(ty).ok_or_else(unknown)?;
                element.fields.push(Field { name: name.to_string(), ty, length: None });
            }
            _ => {}
        }
    }
    let encoding = encoding.ok_or_else(|| NAME.malformed("it has no known format"))?;
    for element in elements {
        // The last number of a text needs no space after it.
        let room = data.len() as u64 + u64::from(encoding == Encoding::Text);
        let least = (element.count as u64).saturating_mul(element.least(encoding));
        let fits = least <= room;
        if !fits || element.fields.is_empty() && element.count > 0 {
            return Err(NAME.cut_off());
        }
        if element.name == "vertex" {
            return Ok(Header { points: element, begin: bytes.len() - data.len(), encoding });
        }
        // What comes before the points.
        data = match encoding {
            Encoding::Text => {
                let count = element.count;
                let line = data.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(count.saturating_sub(1));
                if count == 0 { data } else { data.get(line.map_or(0, |(at, _)| at + 1)..).unwrap_or_default() }
            }
            _ if !element.has_lists() => data.get(least as usize..).unwrap_or_default(),
            _ => {
                let little = encoding == Encoding::Little;
                let mut rest = Cursor::new(NAME, data);
                for index in 0..element.count {
                    row(&mut rest, &element, little, |_| ())?;
                    if index % MANY == 0 {
                        work.go_on(0)?;
                    }
                }
                rest.rest()
            }
        };
    }
    Err(NAME.malformed("it has no points"))
}

/// Gives the bytes of the numbers of a row, without its lists.
fn row<'a>(
    rest: &mut Cursor<'a>,
    element: &Element,
    little: bool,
    mut number: impl FnMut(&'a [u8]),
) -> Result<(), Cause> {
    for field in &element.fields {
        let bytes = rest.take(field.length.unwrap_or(field.ty).bytes())?;
        let Some(length) = field.length else {
            number(bytes);
            continue;
        };
        let count = length.read(bytes, little);
        if count.is_nan() || count < 0.0 {
            return Err(NAME.malformed("a list has no length"));
        }
        rest.take((count as usize).saturating_mul(field.ty.bytes()))?;
    }
    Ok(())
}

/// The points of a binary file without their lists.
fn without_lists(data: &[u8], points: &Element, little: bool, work: &Work) -> Result<Vec<u8>, Cause> {
    let (mut rest, mut bytes) = (Cursor::new(NAME, data), Vec::new());
    for index in 0..points.count {
        row(&mut rest, points, little, |number| bytes.extend_from_slice(number))?;
        if index % MANY == 0 {
            work.go_on(0)?;
        }
    }
    Ok(bytes)
}

/// The numbers of a text without its lists, as the bytes of `f64`.
fn numbers(text: &[u8], points: &Element, work: &Work) -> Result<Vec<u8>, Cause> {
    let text = std::str::from_utf8(text).map_err(|_| NAME.malformed("it is no text"))?;
    let each = points.fields.iter().filter(|field| field.length.is_none()).count();
    let count = points.count.checked_mul(each).filter(|count| *count as u64 <= MAX_HELD).ok_or(Cause::Held)?;
    let mut words = text.split_whitespace();
    let mut number = || {
        let word = words.next().ok_or_else(|| NAME.cut_off())?;
        word.parse::<f64>().map_err(|_| NAME.malformed("a point has no number"))
    };
    let mut bytes = Vec::with_capacity(count * Type::F64.bytes());
    for index in 0..points.count {
        for field in &points.fields {
            let value = number()?;
            if field.length.is_none() {
                bytes.extend(value.to_le_bytes());
                continue;
            }
            if value.is_nan() || value < 0.0 {
                return Err(NAME.malformed("a list has no length"));
            }
            // A length beyond the text ends with it.
            for _ in 0..value as u64 {
                number()?;
            }
        }
        if index % MANY == 0 {
            work.go_on(0)?;
        }
    }
    Ok(bytes)
}
