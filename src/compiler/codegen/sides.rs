//! Pieces of generated WGSL for domains whose sides have different edge rules: vectors with a component for each axis.
//!
//! ```wgsl
//! select(clamp(_cell, vec2i(0), vec2i(63, 47)), (_cell & vec2i(63, 47)), vec2<bool>(true, false))
//! ```

use super::wgsl::{cell_literal, cell_type, wrapped};
use crate::stage::edges::Edges;
use crate::stage::types::EdgeRule;

/// A flag for each axis and side.
type Sides = [[bool; 2]; 3];

/// `vec2<bool>(true, false)`: by axis, whether it is one of these.
pub(super) fn mask(axes: [bool; 3], dim: u32) -> String {
    let parts: Vec<String> = axes.iter().take(dim as usize).map(bool::to_string).collect();
    format!("vec{dim}<bool>({})", parts.join(", "))
}

/// The axes that are periodic.
pub(super) fn periodic(edges: Edges) -> [bool; 3] {
    [0, 1, 2].map(|axis| edges.wraps(axis))
}

/// What the cells of a grid are, or the faces along one axis.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// Cells along each axis.
    pub n: [i64; 3],
    pub dim: u32,
    /// The axis whose faces they are; it has one more of them than cells.
    pub faces: Option<usize>,
}

impl Places {
    /// A literal with a number for each axis that is one greater along that of the faces.
    fn literal(&self, of: impl Fn(i64) -> i64) -> String {
        let mut all = self.n.map(of);
        if let Some(count) = self.faces.and_then(|axis| all.get_mut(axis)) {
            *count += 1;
        }
        cell_literal(all, self.dim)
    }

    fn some(&self, axes: [bool; 3]) -> bool {
        axes.iter().take(self.dim as usize).any(|axis| *axis)
    }

    /// Whether, by component, `_cell` lies beyond one of these sides.
    pub(super) fn beyond(&self, sides: Sides) -> String {
        let (lower, upper) = (sides.map(|[lower, _]| lower), sides.map(|[_, upper]| upper));
        let zero = format!("{}(0)", cell_type(self.dim));
        let part = |compared: String, axes| format!("(({compared}) & {})", mask(axes, self.dim));
        match (self.some(lower), self.some(upper)) {
            (false, false) => mask([false; 3], self.dim),
            (true, false) => part(format!("_cell < {zero}"), lower),
            (false, true) => part(format!("_cell > {}", self.literal(|n| n - 1)), upper),
            (true, true) => {
                let upper = part(format!("_cell > {}", self.literal(|n| n - 1)), upper);
                format!("({} | {upper})", part(format!("_cell < {zero}"), lower))
            }
        }
    }

    /// The place inside that `cell` shows: the nearest, around a period, or in a mirror at the border.
    pub(super) fn shown(&self, cell: &str, edges: Edges) -> String {
        let mirrors = edges.are(&[EdgeRule::Mirror]);
        let (lower, upper) = (mirrors.map(|m| m == [true, false]), mirrors.map(|m| m == [false, true]));
        let (both, wraps) = (mirrors.map(|m| m == [true; 2]), periodic(edges));
        let zero = format!("{}(0)", cell_type(self.dim));
        let mut found = cell.to_string();
        // Where one side is a mirror, what it shows may lie beyond the other. Face -k is face k, cell -1 is cell 0.
        if self.some(lower) {
            let across = format!("{} - {found}", self.literal(|_| -1));
            found = format!("select({found}, {across}, ({found} < {zero}) & {})", mask(lower, self.dim));
        }
        if self.some(upper) {
            let (across, last) = (format!("{} - {found}", self.literal(|n| 2 * n - 1)), self.literal(|n| n - 1));
            found = format!("select({found}, {across}, ({found} > {last}) & {})", mask(upper, self.dim));
        }
        found = format!("clamp({found}, {zero}, {})", self.literal(|n| n - 1));
        if self.some(both) {
            let p = wrapped(cell, self.n.map(|n| 2 * n), self.dim);
            let folded = format!("min({p}, {} - {p})", self.literal(|n| 2 * n - 1));
            found = format!("select({found}, {folded}, {})", mask(both, self.dim));
        }
        if self.some(wraps) {
            found = format!("select({found}, {}, {})", wrapped(cell, self.n, self.dim), mask(wraps, self.dim));
        }
        found
    }
}
