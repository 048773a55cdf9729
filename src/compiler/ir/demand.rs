//! Values that are needed outside the operations.

use std::collections::BTreeSet;

use crate::ir::{Program, ValueId, Write};
use crate::stage::header::Reduction;
use crate::stage::types::{Scalar, ValueType};

/// Values that are needed outside the operations.
pub(crate) fn demanded(program: &Program) -> BTreeSet<ValueId> {
    let lists = program.carries.iter().chain(&program.together).flatten();
    let watched = program.watches.iter().map(|(_, _, value)| value);
    lists.chain(&program.pinned).chain(program.next.values()).chain(watched).copied().collect()
}

/// Whether a stage's number is combined with that of other workgroups directly in memory.
pub(crate) fn at_once(write: &Write, ty: ValueType) -> bool {
    write.consumes.is_some() && matches!(ty.scalar(), Scalar::I32 | Scalar::U32)
}

/// The initial word of an integer reduction.
pub(crate) fn first_word(reduction: Reduction, value: ValueType) -> u32 {
    match (reduction, value.scalar()) {
        (Reduction::Min, Scalar::I32) => i32::MAX as u32,
        (Reduction::Max, Scalar::I32) => i32::MIN as u32,
        (Reduction::Min, _) => u32::MAX,
        _ => 0,
    }
}
