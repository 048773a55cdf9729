//! What one search leaves for the next ones: for each row of cells its first entry, and a bitmask of those that were near.
//!
//! ```wgsl
//! if ((*_near)._row > 0) { _write_found[..] = (*_near)._found; _write_found[..] = (*_near)._first; }
//! fn _kept_grid(_near: ptr<function, _Near_grid>, _r: u32) -> bool { .. }
//! ```

use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::ir::{Part, WireValue, Write, packs};
use crate::stage::header::Port;

/// A search that keeps what it finds, or goes by what another has found.
pub(super) struct Kept<'a> {
    /// The variable that it is in.
    variable: &'a str,
    /// Particles that there is room for.
    capacity: u32,
    /// Rows of cells around one.
    rows: u32,
    pub leaves: bool,
}

impl<'a> Kept<'a> {
    pub(super) fn new(cx: &'a Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<Kept<'a>> {
        let kept = |variable, value: &WireValue, leaves| Kept {
            variable,
            capacity: value.capacity,
            rows: packs::rows(value.dim),
            leaves,
        };
        let leaves = |w: &&Write| w.stage == of.index && w.part == Part::Found;
        if let Some(write) = cx.op.writes.iter().find(leaves) {
            of.stage.search(cx.graph.dim(of.node)).filter(|search| search.grid == port.name)?;
            let buffer = cx.bound.iter().find(|b| b.writes && b.value == write.value)?;
            return Some(kept(&buffer.variable, cx.value(write.value)?, true));
        }
        let value = cx.read_value(of.index, index, &Part::Found)?;
        Some(kept(cx.variable(of.index, index, &Part::Found)?, value, false))
    }

    /// What a row has left: its marks, or its first entry.
    fn marks(&self, row: &str) -> String {
        format!("{}[({row}) * {}u + (*_near)._own]", self.variable, self.capacity)
    }

    fn first(&self, row: &str) -> String {
        self.marks(&format!("{}u + {row}", self.rows))
    }

    /// What a row begins and ends with, where the row before is left for others. A row of more entries than can be marked is left by
    /// its end, which the topmost bit of the first entry tells.
    pub(super) fn leaving(&self) -> (String, &'static str) {
        let row = "u32((*_near)._row - 1)";
        let (marks, first) = (self.marks(row), self.first(row));
        let before =
            format!("if ((*_near)._row > 0) {{ {marks} = (*_near)._found; {first} = (*_near)._first; }}\n    ");
        let after = "(*_near)._first = _first; (*_near)._found = 0u; (*_near)._bit = 1u;\n    \
             if (_last - _first > 32u) { (*_near)._first |= 0x80000000u; (*_near)._found = _last; (*_near)._bit = 0u; }\n    ";
        (before, after)
    }

    /// The function that begins a row of what another search has left; false where it has to be searched.
    pub(super) fn following(&self, name: &str) -> String {
        format!(
            "const _ROWS_{name} = {}u;\n\
             fn _kept_{name}(_near: ptr<function, _Near_{name}>, _r: u32) -> bool {{\n    \
                 let _first = {}; (*_near)._from = _first; (*_near)._marks = {};\n    \
                 if (_first < 0x80000000u) {{ return true; }}\n    \
                 let _last = (*_near)._marks; (*_near)._marks = 0u;\n    \
                 (*_near)._entry = (_first & 0x7fffffffu) - 1u; (*_near)._end = _last;\n    \
                 if (_too_many(2u * (_last - (*_near)._entry - 1u))) {{ (*_near)._end = (*_near)._entry + 1u; }}\n    \
                 return false;\n\
             }}\n",
            self.rows,
            self.first("_r"),
            self.marks("_r"),
        )
    }
}
