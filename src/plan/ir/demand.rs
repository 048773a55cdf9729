//! Values that something outside of the operations needs.

use std::collections::BTreeSet;

use crate::plan::ir::{Program, ValueId, Write};
use crate::stage::header::Reduction;
use crate::stage::types::{Scalar, ValueType};

/// Values that something outside of the operations asks for.
pub fn demanded(program: &Program) -> BTreeSet<ValueId> {
    let lists = program.carries.iter().chain(&program.together).flatten();
    let watched = program.watches.iter().map(|(_, _, value)| value);
    lists.chain(&program.pinned).chain(program.next.values()).chain(watched).copied().collect()
}

/// Whether a stage's number is joined to that of other workgroups in memory.
pub fn at_once(write: &Write, ty: ValueType) -> bool {
    write.consumes.is_some() && matches!(ty.scalar(), Scalar::I32 | Scalar::U32)
}

/// The word that a reduction of whole numbers starts from.
pub fn first_word(reduction: Reduction, value: ValueType) -> u32 {
    match (reduction, value.scalar()) {
        (Reduction::Min, Scalar::I32) => i32::MAX as u32,
        (Reduction::Max, Scalar::I32) => i32::MIN as u32,
        (Reduction::Min, _) => u32::MAX,
        _ => 0,
    }
}
