//! Reads a NumPy array as cells, or as points. Format: numpy.lib.format, versions 1 to 3.

use super::layout::{MAGIC, TYPES};
use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::limits::MAX_HELD;
use crate::malformed::FormatName;
use crate::points::{Points, Property, Type, component_name};
use crate::volume::Volume;

/// Longest header \[bytes\].
const MAX_HEADER: usize = 1 << 16;
/// Limit of the fields of a record.
const MAX_FIELDS: usize = 256;

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("NPY");

/// Reads a file.
///
/// # Errors
/// Errors of [`volume`] and [`points`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    match file.is_points() {
        true => points(file.bytes).map(Content::Points),
        false => volume(file.bytes, file.dim).map(Content::Volume),
    }
}

/// What an array says about itself.
pub(crate) struct Header {
    /// The type of its elements, as Python writes it.
    descr: String,
    pub shape: Vec<usize>,
    /// Whether the first axis is the one whose elements are next to each other, and not the last.
    fortran: bool,
    /// Position of the first element \[bytes\].
    begin: usize,
}

impl Header {
    /// # Errors
    /// An invalid or truncated header.
    pub(crate) fn read(bytes: &[u8]) -> Result<Header, Cause> {
        let mut start = Cursor::new(NAME, bytes);
        if !start.begins_with(MAGIC) {
            return Err(NAME.malformed("it does not begin as one"));
        }
        let [version, _] = start.array()?;
        let size = if version > 1 { start.u32()? as usize } else { usize::from(start.u16()?) };
        if size > MAX_HEADER {
            return Err(NAME.malformed("its header is too long"));
        }
        let header = String::from_utf8_lossy(start.take(size)?).into_owned();
        let begin = start.position();
        let field = |name: &str| {
            let (_, after) = header.split_once(&format!("'{name}':"))?;
            Some(after.trim_start())
        };
        let descr = field("descr").ok_or_else(|| NAME.malformed("it does not say its type"))?.to_string();
        let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
        let shape = shape.ok_or_else(|| NAME.malformed("it has no shape"))?;
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty()).map(|axis| axis.parse().ok());
        let shape: Vec<usize> = axes.collect::<Option<_>>().ok_or_else(|| NAME.malformed("its shape is none"))?;
        let fortran =
            field("fortran_order").ok_or_else(|| NAME.malformed("it does not say its order"))?.starts_with("True");
        Ok(Header { descr, shape, fortran, begin })
    }

    /// Distance from one element to the next along each axis \[elements\].
    fn strides(&self) -> Vec<usize> {
        let axes = self.shape.len();
        let mut strides = vec![1; axes];
        let mut next = 1usize;
        for at in 0..axes {
            let axis = if self.fortran { at } else { axes - 1 - at };
            strides[axis] = next;
            next = next.saturating_mul(self.shape[axis]);
        }
        strides
    }

    /// The type of its elements where they are numbers.
    fn kind(&self) -> Option<&str> {
        self.descr.strip_prefix('\'')?.split('\'').next()
    }

    /// How many numbers or records there are.
    fn count(&self) -> Result<u64, Cause> {
        let count = self.shape.iter().try_fold(1u64, |all, n| all.checked_mul(*n as u64));
        count.filter(|count| *count <= MAX_HELD).ok_or(Cause::Held)
    }
}

/// An array `[y, x]` in 2D, `[z, y, x]` in 3D; with one axis more, for 2 to 4 numbers a cell.
///
/// # Errors
/// An invalid or truncated file, other axes, too many numbers, a type that is no number; noticed before memory is allocated.
pub(crate) fn volume(bytes: Vec<u8>, dim: usize) -> Result<Volume, Cause> {
    let header = Header::read(&bytes)?;
    let kind = header.kind().ok_or_else(|| {
        Cause::Unfit(
            "it holds records of several numbers".into(),
            "set `as` to points for particles, or save one array",
        )
    })?;
    let shape = &header.shape;
    let (ty, little) = stored(kind).ok_or_else(|| unknown(kind))?;
    let width = ty.bytes();
    let components = match shape.len().checked_sub(dim) {
        Some(0) => 1,
        Some(1) => shape.last().copied().filter(|n| (1..=4).contains(n)).ok_or(Cause::Axes(shape.len()))?,
        _ => return Err(Cause::Axes(shape.len())),
    };
    let all = header.count()?;
    if all == 0 {
        return Err(NAME.malformed("it holds no numbers"));
    }
    let data = bytes.len().saturating_sub(header.begin) as u64;
    if data < all * width as u64 {
        return Err(NAME.cut_off());
    }
    let mut size = [1; 3];
    size.iter_mut().zip(shape.iter().take(dim).rev()).for_each(|(side, cells)| *side = *cells);
    // Along x, y, z and the components.
    let strides = header.strides();
    let mut steps = [0; 4];
    steps.iter_mut().zip(strides.iter().take(dim).rev()).for_each(|(step, stride)| *step = *stride);
    steps[3] = strides.get(dim).copied().unwrap_or(0);
    let cells = move |[x, y, z]: [i64; 3], component: usize| {
        let index = x as usize * steps[0] + y as usize * steps[1] + z as usize * steps[2] + component * steps[3];
        let number = header.begin + index * width;
        ty.single(bytes.get(number..).unwrap_or_default(), little)
    };
    Ok(Volume { components, low: [0; 3], size, place: None, background: [0.0; 3], cells: Box::new(cells) })
}

/// Positions `[point, 2 or 3]`, or records `[point]` with a field for each attribute.
///
/// # Errors
/// An invalid or truncated file, other axes, too many numbers, other types; noticed before memory is allocated.
pub(crate) fn points(bytes: Vec<u8>) -> Result<Points, Cause> {
    let header = Header::read(&bytes)?;
    let mut points = Points { kind: NAME, count: 0, properties: Vec::new(), blocks: Vec::new(), warnings: Vec::new() };
    if header.kind().is_some() {
        let [count, 2..=4] = header.shape[..] else { return Err(Cause::PointAxes(header.shape.len())) };
        points.count = count;
        add(&mut points, "position", &header, bytes)?;
        return Ok(points);
    }
    let [count] = header.shape[..] else { return Err(Cause::PointAxes(header.shape.len())) };
    let (fields, stride) = fields(&header.descr)?;
    let data = bytes.len().saturating_sub(header.begin);
    header.count()?;
    if count.checked_mul(stride).is_none_or(|needed| needed > data) {
        return Err(NAME.cut_off());
    }
    for Field { name, ty, little, components, offset } in fields {
        for component in 0..components {
            let Some(name) = component_name(&name, components, component) else { continue };
            let offset = header.begin + offset + component * ty.bytes();
            points.properties.push(Property { name, ty, scale: 1.0, block: 0, offset, stride, little });
        }
    }
    (points.count, points.blocks) = (count, vec![bytes]);
    Ok(points)
}

/// Adds a whole array `[point]` or `[point, component]` as an attribute. Others are left out, with a warning unless they hold one
/// number, such as a time.
///
/// # Errors
/// Errors of [`points`].
pub(crate) fn add(points: &mut Points, name: &str, header: &Header, bytes: Vec<u8>) -> Result<(), Cause> {
    let components = match header.shape[..] {
        [count] if count == points.count => 1,
        [count, components @ 1..=4] if count == points.count => components,
        _ => {
            if header.count()? > 1 {
                let shape: Vec<String> = header.shape.iter().map(usize::to_string).collect();
                points.warnings.push(format!(
                    "the array `{name}` of the shape ({}) is left out; save 1 to 4 numbers for each of the {} points",
                    shape.join(", "),
                    points.count
                ));
            }
            return Ok(());
        }
    };
    let kind = header.kind().ok_or_else(|| Cause::Unsupported(format!("records in the array `{name}`").into()))?;
    let (ty, little) = stored(kind).ok_or_else(|| unknown(kind))?;
    let data = bytes.len().saturating_sub(header.begin) as u64;
    if header.count()?.checked_mul(ty.bytes() as u64).is_none_or(|needed| needed > data) {
        return Err(NAME.cut_off());
    }
    let block = points.blocks.len();
    // A number for each point has no second axis.
    let strides: Vec<usize> = header.strides().into_iter().map(|stride| stride * ty.bytes()).collect();
    let (stride, step) = (strides.first().copied().unwrap_or(0), strides.get(1).copied().unwrap_or(0));
    for component in 0..components {
        let Some(name) = component_name(name, components, component) else { break };
        let offset = header.begin + component * step;
        points.properties.push(Property { name, ty, scale: 1.0, block, offset, stride, little });
    }
    points.blocks.push(bytes);
    Ok(())
}

/// A field of a record.
struct Field {
    name: String,
    ty: Type,
    little: bool,
    components: usize,
    /// Offset from the record's begin \[bytes\].
    offset: usize,
}

/// The fields of records, `[('position', '<f4', (3,)), ('id', '<u4')]`, and the size of a record \[bytes\].
fn fields(descr: &str) -> Result<(Vec<Field>, usize), Cause> {
    let unfit = || NAME.malformed("its records are described in an unknown way");
    let mut rest = descr.strip_prefix('[').ok_or_else(unfit)?.trim_start();
    let (mut found, mut offset) = (Vec::new(), 0usize);
    while let Some(inner) = rest.strip_prefix('(') {
        let (name, after) = quoted(inner).ok_or_else(unfit)?;
        let after = after.trim_start().strip_prefix(',').ok_or_else(unfit)?.trim_start();
        if after.starts_with('[') {
            return Err(Cause::Unsupported("records within records".into()));
        }
        let (kind, after) = quoted(after).ok_or_else(unfit)?;
        let after = after.trim_start();
        let (components, after) = match after.strip_prefix(',').map(|after| after.trim_start()) {
            Some(shape) => {
                let (axes, after) = shape.strip_prefix('(').and_then(|text| text.split_once(')')).ok_or_else(unfit)?;
                let mut axes = axes.split(',').map(str::trim).filter(|axis| !axis.is_empty());
                let components: usize = axes.next().and_then(|axis| axis.parse().ok()).ok_or_else(unfit)?;
                // Matrices have no place in an attribute.
                let rest = axes.try_fold(1usize, |all, axis| all.checked_mul(axis.parse().ok()?)).ok_or_else(unfit)?;
                (components.checked_mul(rest).ok_or_else(unfit)?, after)
            }
            None => (1, after),
        };
        rest = after.trim_start().strip_prefix(')').ok_or_else(unfit)?.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        // Space between fields, and texts.
        let plain = kind.strip_prefix('|').and_then(|kind| kind.strip_prefix(['V', 'S']));
        let width = match (stored(kind), plain) {
            (Some((ty, _)), _) => ty.bytes(),
            (None, Some(width)) => width.parse().map_err(|_| unfit())?,
            _ => return Err(unknown(kind)),
        };
        let size = components.checked_mul(width).and_then(|size| size.checked_add(offset));
        let end = size.filter(|end| *end <= MAX_HEADER << 8).ok_or_else(unfit)?;
        if let Some((ty, little)) = stored(kind) {
            found.push(Field { name: name.into(), ty, little, components, offset });
        }
        offset = end;
        if found.len() > MAX_FIELDS {
            return Err(Cause::Parts("fields", MAX_FIELDS));
        }
    }
    if offset == 0 || !rest.starts_with(']') { Err(unfit()) } else { Ok((found, offset)) }
}

/// A text in quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    text.get(1..)?.split_once(quote)
}

fn unknown(kind: &str) -> Cause {
    let name: String = kind.chars().take(16).collect();
    Cause::Unfit(
        format!("its numbers have the type `{name}`, which is not read").into(),
        "convert them in NumPy with array.astype('float32'), and save them again",
    )
}

/// How numbers of a type are stored, and whether their lowest byte comes first.
fn stored(kind: &str) -> Option<(Type, bool)> {
    let (order, name) = kind.split_at_checked(1)?;
    let (_, ty) = TYPES.into_iter().find(|(type_name, _)| *type_name == name)?;
    let little = match order {
        "<" => true,
        ">" => false,
        "|" if ty.bytes() == 1 => true,
        _ => return None,
    };
    Some((ty, little))
}
