//! The description of a value, whatever node it belongs to.

use crate::document::ParamValue;
use crate::stage::header::{ParamType, Range};
use crate::stage::types::ValueType;

/// Description of a value that can be edited.
pub(super) struct Field<'a> {
    pub name: &'a str,
    pub ty: ParamType,
    /// Dimensions of the domain, for vectors in space.
    pub dim: u32,
    pub default: ParamValue,
    pub range: Range,
    pub soft: Range,
    pub unit: &'a str,
    pub doc: &'a str,
    /// A constant of the plan, which can't have keys.
    pub fixed: bool,
}

/// A number without a range or a unit, and with zero as its default.
pub(super) fn plain<'a>(name: &'a str, ty: ValueType, doc: &'a str) -> Field<'a> {
    let default = ParamValue::Number(0.0);
    let open = (None, None);
    Field { name, ty: ParamType::Value(ty), dim: 2, default, range: open, soft: open, unit: "", doc, fixed: false }
}
