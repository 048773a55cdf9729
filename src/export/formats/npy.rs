//! NumPy arrays, one a file. Format: numpy.lib.format, version 1.0.

use crate::sequence::{Encoding, Sequence};
use crate::sink::{Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{Grid, Value};

pub(crate) const FORMAT: Format = Format {
    name: "npy",
    title: "NPY",
    about: "NumPy arrays of grids, [y, x] or [z, y, x], with a last axis for the components of vectors",
    takes: &[Kind::Grid2, Kind::Grid3],
    joins: false,
    beside: &[],
    single: false,
    bytes_per_pixel: 16.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "npy", encode, half: false, index: None };
const MAGIC: [u8; 8] = *b"\x93NUMPY\x01\x00";
/// Where the data begins is a multiple of this.
const ALIGNMENT: usize = 64;

fn encode(frame: &Frame, _: &Target) -> Result<Vec<u8>, String> {
    let Some(Value::Grid(grid)) = frame.layers()?.first().map(|layer| layer.value()) else {
        return Err("NPY files hold grids alone".into());
    };
    Ok(array(&shape(&grid), grid.scalar, &grid.words))
}

/// The axes of a grid's array, slowest first; vectors have one more, for their components.
pub(super) fn shape(grid: &Grid<'_>) -> Vec<usize> {
    let axes = grid.elements.iter().take(grid.dim as usize).rev().map(|n| *n as usize);
    axes.chain((grid.components > 1).then_some(grid.components)).collect()
}

/// A file with an array in C order.
pub(super) fn array(shape: &[usize], scalar: Scalar, words: &[u32]) -> Vec<u8> {
    let kind = match scalar {
        Scalar::F32 => "<f4",
        Scalar::I32 => "<i4",
        Scalar::U32 => "<u4",
    };
    numbers(shape, kind, words.iter().flat_map(|word| word.to_le_bytes()), 4 * words.len())
}

/// A file with an array of this type, from its bytes.
pub(super) fn numbers(shape: &[usize], kind: &str, data: impl Iterator<Item = u8>, length: usize) -> Vec<u8> {
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one has a comma.
    let axes = if shape.len() == 1 { axes.trim_end() } else { axes.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({axes}), }}");
    while !(MAGIC.len() + 2 + header.len() + 1).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = Vec::with_capacity(MAGIC.len() + 2 + header.len() + length);
    file.extend(MAGIC);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_as_numpy_reads_them_and_only_whole_ones_count() {
        let words: Vec<u32> = (0..6u32).map(|n| (n as f32).to_bits()).collect();
        let bytes = array(&[2, 3], Scalar::F32, &words);
        assert_eq!(bytes.len() % 8, 0);
        let (header, data) = bytes.split_at(bytes.len() - 24);
        assert_eq!(header.len() % ALIGNMENT, 0);
        let text = String::from_utf8_lossy(&header[10..]).trim_end().to_string();
        assert_eq!(text, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        assert_eq!(data[20..], 5f32.to_le_bytes());
        assert!(
            String::from_utf8_lossy(&array(&[4], Scalar::U32, &[0; 4]))
                .contains("'<u4', 'fortran_order': False, 'shape': (4,), ")
        );
    }
}
