//! The built-in cases: graphs that are comparable with well-known benchmarks, of shipped stages but for `lbm` and `mpm`, which hold their own.

use crate::document::{Document, NodeKind, ParamValue, ReadError};

/// The cases by name, sorted.
const CASES: [(&str, &str); 9] = [
    ("b1", include_str!("cases/b1.ron")),
    ("b2", include_str!("cases/b2.ron")),
    ("b3", include_str!("cases/b3.ron")),
    ("b4", include_str!("cases/b4.ron")),
    ("b5", include_str!("cases/b5.ron")),
    ("b6", include_str!("cases/b6.ron")),
    ("lbm", include_str!("cases/lbm.ron")),
    ("mg", include_str!("cases/mg.ron")),
    ("mpm", include_str!("cases/mpm.ron")),
];

/// The number of a case that all its sizes follow from.
const SIZE: &str = "size";

/// The names of all cases, sorted.
pub fn names() -> Vec<String> {
    CASES.iter().map(|(name, _)| (*name).to_string()).collect()
}

/// A case by name, with its default size. `None` where there is no such case.
///
/// # Errors
/// A file that cannot be parsed.
pub fn case(name: &str) -> Option<Result<Document, ReadError>> {
    let (_, text) = CASES.iter().find(|(case, _)| *case == name)?;
    Some(Document::parse(text))
}

/// The size of a case: cells of its longest side, particles, rows of an image.
pub fn size(case: &Document) -> Option<u32> {
    match case.node(SIZE).map(|node| &node.kind) {
        Some(NodeKind::Number(ParamValue::Number(size))) => Some(*size as u32),
        _ => None,
    }
}

/// Changes the size of a case.
pub fn resize(case: &mut Document, size: u32) {
    if let Some(node) = case.node_mut(SIZE) {
        node.kind = NodeKind::Number(ParamValue::Number(size.into()));
    }
}
