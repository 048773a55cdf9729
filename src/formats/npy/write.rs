//! Writes NumPy arrays. Format: numpy.lib.format, version 1.0.

use super::layout::{MAGIC, TYPES};
use crate::points::Type;

/// The magic bytes and the version.
const START: [u8; MAGIC.len() + 2] = {
    let [a, b, c, d, e, f] = *MAGIC;
    [a, b, c, d, e, f, 1, 0]
};
/// Alignment of the beginning of the data.
const ALIGNMENT: usize = 64;

/// A file with an array of this type in C order, from its bytes.
pub fn numbers(shape: &[usize], ty: Type, data: impl Iterator<Item = u8>, length: usize) -> Vec<u8> {
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // A tuple of one has a comma.
    let axes = if shape.len() == 1 { axes.trim_end() } else { axes.trim_end_matches(", ") };
    let name = TYPES.iter().find(|(_, candidate)| *candidate == ty).map_or("f4", |(name, _)| name);
    let mut header = format!("{{'descr': '<{name}', 'fortran_order': False, 'shape': ({axes}), }}");
    while !(START.len() + 2 + header.len() + 1).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = Vec::with_capacity(START.len() + 2 + header.len() + length);
    file.extend(START);
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
        let array = |shape: &[usize], ty: Type, words: &[u32]| {
            numbers(shape, ty, words.iter().flat_map(|word| word.to_le_bytes()), 4 * words.len())
        };
        let bytes = array(&[2, 3], Type::F32, &words);
        assert_eq!(bytes.len() % 8, 0);
        let (header, data) = bytes.split_at(bytes.len() - 24);
        assert_eq!(header.len() % ALIGNMENT, 0);
        let text = String::from_utf8_lossy(&header[10..]).trim_end().to_string();
        assert_eq!(text, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        assert_eq!(data[20..], 5f32.to_le_bytes());
        assert!(
            String::from_utf8_lossy(&array(&[4], Type::U32, &[0; 4]))
                .contains("'<u4', 'fortran_order': False, 'shape': (4,), ")
        );
    }
}
