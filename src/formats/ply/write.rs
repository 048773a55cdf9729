//! Writes PLY point clouds in binary: one vertex a point. Source: Turk, The PLY Polygon File Format, 1994.

use std::fmt::Write as _;

use super::layout::{END, TYPES};
use crate::points::Type;

/// A file of points whose columns have these names and types of 32 bits; `word` has the bits of a point's column, zero for `None`.
pub fn points(
    comments: &[String],
    columns: &[(&str, Type)],
    count: usize,
    word: impl Fn(usize, usize) -> Option<u32>,
) -> Vec<u8> {
    let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
    for comment in comments {
        let _ = writeln!(header, "comment {comment}");
    }
    let _ = writeln!(header, "element vertex {count}");
    for (name, ty) in columns {
        let ty = TYPES.iter().find(|(_, _, candidate)| candidate == ty).map_or("float", |(ty, ..)| ty);
        let _ = writeln!(header, "property {ty} {name}");
    }
    header += END;
    header.push('\n');
    let mut file = header.into_bytes();
    file.reserve(4 * columns.len() * count);
    for index in 0..count {
        for column in 0..columns.len() {
            file.extend(word(index, column).unwrap_or_default().to_le_bytes());
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ply::read;
    use crate::work::Work;

    #[test]
    fn what_is_written_is_read() {
        let columns = [("x", Type::F32), ("id", Type::U32), ("layer", Type::I32)];
        let word =
            |index: usize, column: usize| [Some(1.5f32.to_bits()), Some(index as u32), None].get(column)?.to_owned();
        let bytes = points(&["frame 3".into()], &columns, 2, word);
        let header = "ply\nformat binary_little_endian 1.0\ncomment frame 3\nelement vertex 2\nproperty float x\n\
                      property uint id\nproperty int layer\nend_header\n";
        assert!(bytes.starts_with(header.as_bytes()) && bytes.len() == header.len() + 2 * 12);
        let found = read::points(bytes, &Work::default()).unwrap();
        let value = |index: usize| {
            found
                .properties
                .iter()
                .map(move |p| (p.name.as_str(), p.offset + index * p.stride, p))
                .map(|(name, at, p)| (name, p.ty.read(found.blocks[0].get(at..).unwrap(), p.little)))
        };
        assert_eq!(value(1).collect::<Vec<_>>(), [("x", 1.5), ("id", 1.0), ("layer", 0.0)]);
    }
}
