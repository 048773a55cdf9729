//! Values that something outside of the operations needs.

use crate::plan::ir::{Program, ValueId, Write};
use crate::stage::types::Scalar;
use crate::stage::types::ValueType;
use std::collections::BTreeSet;

/// Values that something outside of the operations asks for.
pub fn asked_for(program: &Program) -> BTreeSet<ValueId> {
    let lists = program.carries.iter().chain(&program.together).flatten();
    let watched = program.watches.iter().map(|(_, _, value)| value);
    lists.chain(&program.pinned).chain(program.next.values()).chain(watched).copied().collect()
}

/// Whether a stage's number is joined to that of other workgroups in memory.
pub fn at_once(write: &Write, ty: ValueType) -> bool {
    write.consumes.is_some() && matches!(ty.scalar(), Scalar::I32 | Scalar::U32)
}
