//! What readers and writers of PLY files have in common.

use crate::points::Type;

/// Last line of a header.
pub(super) const END: &str = "end_header";

/// The two names that each type has in headers.
pub(super) const TYPES: [(&str, &str, Type); 8] = [
    ("char", "int8", Type::I8),
    ("uchar", "uint8", Type::U8),
    ("short", "int16", Type::I16),
    ("ushort", "uint16", Type::U16),
    ("int", "int32", Type::I32),
    ("uint", "uint32", Type::U32),
    ("float", "float32", Type::F32),
    ("double", "float64", Type::F64),
];
