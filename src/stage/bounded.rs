//! A stage's own text as it may run: with a budget in the loops that are not proven finite.

use std::sync::OnceLock;

use super::header::ParamType;
use super::types::{PortType, ValueType};
use super::{Stage, loops};

/// A stage's text, and whether all its loops are proven finite.
#[derive(Clone, Debug)]
pub struct Bounded {
    pub source: String,
    pub finite: bool,
}

/// The same for two and three dimensions, worked out when first asked for. It follows from the stage's text alone, so no two stages
/// differ by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cached([OnceLock<Bounded>; 2]);

impl PartialEq for Cached {
    fn eq(&self, _: &Cached) -> bool {
        true
    }
}

impl Stage {
    /// The text with a budget in each loop that is not proven to end, in a space of `dim` dimensions (2 or 3).
    pub fn bounded(&self, dim: u32) -> &Bounded {
        let [flat, deep] = &self.bounded.0;
        let (kept, dim) = if dim == 3 { (deep, 3) } else { (flat, 2) };
        kept.get_or_init(|| self.bound(dim))
    }

    fn bound(&self, dim: u32) -> Bounded {
        let constants = |name: &str| known(name, dim);
        let params = |name: &str| self.whole_range(name);
        let grids: Vec<String> =
            self.inputs().filter(|p| p.ty == PortType::NeighborGrid).map(|p| format!("{}_next", p.name)).collect();
        let report = loops::bound_loops(&self.source, &constants, &params, &|name| grids.iter().any(|g| g == name));
        Bounded { source: report.source, finite: report.unproven.is_empty() }
    }

    /// The least and the largest value of a whole-number parameter, where its range says.
    pub(super) fn whole_range(&self, name: &str) -> Option<(i64, i64)> {
        let param = self.param(name)?;
        let (low, high) = param.range;
        matches!(param.ty, ParamType::Value(ValueType::I32 | ValueType::U32)).then_some(())?;
        let low = if param.ty == ParamType::Value(ValueType::U32) { low.unwrap_or(0.0) } else { low? };
        Some((low.ceil() as i64, high?.floor() as i64))
    }
}

/// What the names that follow the domain stand for.
pub fn known(name: &str, dim: u32) -> Option<i64> {
    match name {
        "DIM" => Some(i64::from(dim)),
        "FACES" => Some(2 * i64::from(dim)),
        _ => None,
    }
}
