//! Two cells in one invocation: in half precision two numbers share a word, and what is stored at once can't be half written.

use super::*;
use crate::plan::tuning::CELLS_OF_A_WORD;

/// The components of a pair.
const LANES: [&str; CELLS_OF_A_WORD as usize] = ["x", "y"];

/// The variable in which the numbers of both cells wait to be stored.
pub(super) fn pair(target: &str) -> String {
    format!("_two{target}")
}

impl StageKernel<'_> {
    /// Whether an invocation of this operation computes two cells.
    pub(super) fn in_pairs(&self) -> bool {
        self.op.sweeps == 1 && self.op.shape.is_some_and(|shape| shape.cells == CELLS_OF_A_WORD && shape.halo == 0)
    }

    /// The statements that compute two cells from `_cell` on, an even one.
    pub(super) fn pairs(&self, dim: u32) -> String {
        let writes = self.op.stages.ids().flat_map(|of| self.writes_of(of));
        let stored = writes.filter(|(_, write, value, ..)| !write.transient && value.layout().pairs());
        let stored: Vec<(&Value, String)> = stored.map(|(_, _, value, _, target)| (value, target)).collect();
        let mut out = String::from("    let _even = _cell;\n");
        for (_, target) in &stored {
            let _ = writeln!(out, "    var {}: vec2f;", pair(target));
        }
        for (lane, k) in LANES.into_iter().zip(0..) {
            let place = format!("let _cell = _even + {};", prelude::cell_literal([k, 0, 0], dim));
            let cell = self.cell(dim, lane);
            let _ = match self.other_color(dim, lane) {
                Some((other, keep)) => {
                    writeln!(out, "    {{ {place} if ({other}) {{ {keep}}} else {{ {cell} }} }}")
                }
                None => writeln!(out, "    {{ {place} {cell} }}"),
            };
        }
        for (value, target) in &stored {
            let (two, element) = (pair(target), self.element_of("_even", value, dim));
            let store = value.layout().store_pair(target, &element, &format!("{two}.x"), &format!("{two}.y"));
            let _ = writeln!(out, "    {store}");
        }
        out
    }
}
