//! What readers and writers of NumPy arrays have in common.

use crate::points::Type;

/// First bytes of a file.
pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Names of the types of numbers, behind the letter for their byte order.
pub(super) const TYPES: [(&str, Type); 12] = [
    ("f4", Type::F32),
    ("f8", Type::F64),
    ("f2", Type::F16),
    ("i4", Type::I32),
    ("u4", Type::U32),
    ("i8", Type::I64),
    ("u8", Type::U64),
    ("i2", Type::I16),
    ("u2", Type::U16),
    ("i1", Type::I8),
    ("u1", Type::U8),
    ("b1", Type::U8),
];
