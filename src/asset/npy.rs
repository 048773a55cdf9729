//! Reads a NumPy array as cells. Format: numpy.lib.format, versions 1 to 3.

use half::f16;

use super::error::Cause;
use super::volume::{MAX_HELD, Volume};

/// Longest header \[bytes\].
const MAX_HEADER: usize = 1 << 16;

fn broken(message: impl Into<String>) -> Cause {
    Cause::Broken { kind: "NPY", message: message.into() }
}

/// An array `[y, x]` in 2D, `[z, y, x]` in 3D; with one axis more, for 2 to 4 numbers a cell.
///
/// # Errors
/// An invalid or truncated file, other axes, too many numbers, a type that is no number; noticed before memory is allocated.
pub(super) fn read(bytes: Vec<u8>, dim: usize) -> Result<Volume, Cause> {
    let start = bytes.strip_prefix(b"\x93NUMPY").ok_or_else(|| broken("it does not begin as one"))?;
    let (version, rest) = start.split_first().ok_or_else(|| broken("it is cut off"))?;
    let wide = *version > 1;
    let rest = rest.get(1..).unwrap_or_default();
    let size = match wide {
        true => rest.first_chunk().map(|size| (u32::from_le_bytes(*size) as usize, 4)),
        false => rest.first_chunk().map(|size| (usize::from(u16::from_le_bytes(*size)), 2)),
    };
    let (size, skipped) = size.ok_or_else(|| broken("it is cut off"))?;
    if size > MAX_HEADER {
        return Err(broken("its header is too long"));
    }
    let header = rest.get(skipped..skipped + size).ok_or_else(|| broken("it is cut off"))?;
    let header = String::from_utf8_lossy(header).into_owned();
    let begin = 6 + 2 + skipped + size;
    let field = |name: &str| {
        let (_, after) = header.split_once(&format!("'{name}':"))?;
        Some(after.trim_start())
    };
    let kind = field("descr").and_then(|text| text.strip_prefix('\'')?.split('\'').next());
    let kind = kind.ok_or_else(|| Cause::Unsupported("an array of records".into()))?;
    if !field("fortran_order").is_some_and(|text| text.starts_with("False")) {
        return Err(Cause::Unsupported("Fortran order".into()));
    }
    let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
    let shape = shape.ok_or_else(|| broken("it has no shape"))?;
    let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty()).map(|axis| axis.parse().ok());
    let shape: Vec<usize> = axes.collect::<Option<_>>().ok_or_else(|| broken("its shape is none"))?;
    let (width, number) = reader(kind)?;
    let components = match shape.len().checked_sub(dim) {
        Some(0) => 1,
        Some(1) => shape.last().copied().filter(|n| (1..=4).contains(n)).ok_or(Cause::Axes(shape.len()))?,
        _ => return Err(Cause::Axes(shape.len())),
    };
    let all = shape.iter().try_fold(1u64, |all, n| all.checked_mul(*n as u64)).filter(|all| *all <= MAX_HELD);
    let all = all.ok_or(Cause::Held)?;
    if all == 0 {
        return Err(broken("it holds no numbers"));
    }
    let data = bytes.get(begin..).filter(|data| data.len() as u64 >= all * width as u64);
    let data = data.ok_or_else(|| broken("it is cut off"))?;
    let values: Vec<f32> = data.chunks_exact(width).take(all as usize).map(number).collect();
    let mut size = [1; 3];
    size.iter_mut().zip(shape.iter().take(dim).rev()).for_each(|(side, own)| *side = *own);
    let cells = move |[x, y, z]: [i64; 3], component: usize| {
        let index = (x + size[0] as i64 * (y + size[1] as i64 * z)) as usize;
        values.get(index * components + component).copied().unwrap_or_default()
    };
    Ok(Volume { components, low: [0; 3], size, place: None, background: [0.0; 3], cells: Box::new(cells) })
}

/// How a number is read.
type Read = fn(&[u8]) -> f32;

/// Bytes of a number of this type, and how they are read.
fn reader(kind: &str) -> Result<(usize, Read), Cause> {
    fn own<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.first_chunk().copied().unwrap_or([0; N])
    }
    let known: (usize, Read) = match kind {
        "<f4" => (4, |b| f32::from_le_bytes(own(b))),
        "<f8" => (8, |b| f64::from_le_bytes(own(b)) as f32),
        "<f2" => (2, |b| f16::from_le_bytes(own(b)).to_f32()),
        "<i4" => (4, |b| i32::from_le_bytes(own(b)) as f32),
        "<u4" => (4, |b| u32::from_le_bytes(own(b)) as f32),
        "<i8" => (8, |b| i64::from_le_bytes(own(b)) as f32),
        "<u8" => (8, |b| u64::from_le_bytes(own(b)) as f32),
        "<i2" => (2, |b| f32::from(i16::from_le_bytes(own(b)))),
        "<u2" => (2, |b| f32::from(u16::from_le_bytes(own(b)))),
        "|i1" => (1, |b| f32::from(i8::from_le_bytes(own(b)))),
        "|u1" | "|b1" => (1, |b| f32::from(u8::from_le_bytes(own(b)))),
        other => {
            let name: String = other.chars().take(16).collect();
            return Err(Cause::Unsupported(format!("the type `{name}`")));
        }
    };
    Ok(known)
}
