//! The cells of a neighbour grid: that of a position, and the ranges of entries around it.
//!
//! ```wgsl
//! let _o = (*_near)._cell.y + _r - 1; let _p = (*_near)._at; .. _first = _read_grid__start_[_i + ..]; _last = _read_grid__start_[_i + .. + 1];
//! ```

use crate::codegen::sides::{mask, periodic};
use crate::codegen::wgsl::{cell_literal, cell_type, element, float, position_type};
use crate::graph::Domain;
use crate::ir::packs;
use crate::stage::types::EdgeRule;

pub(super) struct Cells<'a> {
    pub domain: &'a Domain,
    /// Whole cells along each axis.
    whole: [i64; 3],
    pub slices: i64,
    /// The buffer of each cell's first entry.
    pub start: &'a str,
}

impl<'a> Cells<'a> {
    pub(super) fn new(domain: &'a Domain, start: &'a str) -> Cells<'a> {
        let slices = i64::from(domain.slices());
        let [x, y, z] = domain.resolution.map(i64::from);
        Cells { domain, whole: [x / slices, y, z], slices, start }
    }

    pub(super) fn dim(&self) -> u32 {
        self.domain.dim
    }

    /// Whether some axis is periodic.
    pub(super) fn wraps(&self) -> bool {
        self.domain.edge.has(EdgeRule::Wrap)
    }

    /// A vector of what holds along periodic axes, `around`, and along others.
    fn along(&self, around: String, others: String) -> String {
        match self.domain.edge.one() {
            Some(EdgeRule::Wrap) => around,
            _ if !self.wraps() => others,
            _ => format!("select({others}, {around}, {})", mask(periodic(self.domain.edge), self.dim())),
        }
    }

    /// The cell inside the domain that a cell `_p` shows.
    pub(super) fn inside(&self) -> String {
        let resolution = cell_literal(self.whole, self.dim());
        self.along(
            format!("((_p % {resolution}) + {resolution}) % {resolution}"),
            format!("clamp(_p, {}(0), {resolution} - 1)", cell_type(self.dim())),
        )
    }

    /// The place of the first slice of a cell `_c` among all slices.
    pub(super) fn first_slice(&self) -> String {
        let at = element("_c", self.whole.map(|n| n as u32), self.dim());
        if self.slices > 1 { format!("{} * ({at})", self.slices) } else { at }
    }

    /// `let _q = ..; let _p = ..`: the cell of a position, in cells and whole. Far away a position does not convert to a cell.
    pub(super) fn cell_of_position(&self) -> String {
        let (cells, position) = (cell_type(self.dim()), position_type(self.dim()));
        let h = float(self.domain.cell_size);
        let resolution = cell_literal(self.whole, self.dim());
        let near = format!("clamp(_position / {h}, {position}(0.0), {position}({resolution}))");
        if !self.wraps() {
            return format!("let _q = {near}; let _p = {cells}(_q);");
        }
        let size: Vec<String> = self.whole.iter().take(self.dim() as usize).map(|n| format!("{n}.0")).collect();
        let size = format!("{position}({})", size.join(", "));
        let place = self.along(format!("_q - floor(_q / {size}) * {size}"), near);
        format!("let _q = _position / {h}; let _p = {cells}(floor({place}));")
    }

    /// How many ranges there are around a cell, and the statements that begin the one of number `_r`.
    pub(super) fn ranges(&self) -> (i64, String) {
        if self.wraps() { self.cells_around() } else { self.rows() }
    }

    /// How many cells there are around one, and the statements that begin the range of the one of number `_r`.
    fn cells_around(&self) -> (i64, String) {
        let start = self.start;
        let slices = self.slices;
        let dim = self.dim();
        let resolution = cell_literal(self.whole, dim);
        // A cell that is its own neighbour, or its neighbour's on both sides, counts once.
        let mut axis = 0..;
        let width =
            self.whole.map(|n| if axis.next().is_some_and(|axis| self.domain.edge.wraps(axis)) { n.min(3) } else { 3 });
        let first = cell_literal(width.map(|w| i64::from(w == 3)), dim);
        let [x, y, z] = width;
        let (count, offset) = match dim {
            3 => (x * y * z, format!("vec3i(_r % {x}, (_r / {x}) % {y}, _r / {})", x * y)),
            _ => (x * y, format!("vec2i(_r % {x}, _r / {x})")),
        };
        let around = format!("((*_near)._cell + {offset} - {first} + {resolution}) % {resolution}");
        let entries = format!("let _i = {}; _first = {start}[_i]; _last = {start}[_i + {slices}];", self.first_slice());
        let range = match self.domain.edge.one() {
            Some(_) => format!("let _c = {around}; {entries}"),
            // Along the other axes there is nothing beyond the border.
            None => {
                let around = format!("select(_o, {around}, {})", mask(periodic(self.domain.edge), dim));
                let zero = format!("{}(0)", cell_type(dim));
                format!(
                    "let _o = (*_near)._cell + {offset} - {first}; let _c = {around}; \
                     if (all(_c >= {zero}) && all(_c < {resolution})) {{ {entries} }}"
                )
            }
        };
        (count, range)
    }

    /// How many rows there are around a cell, and the statements that begin the range of the one of number `_r`: what of it lies no
    /// farther than a cell's width from the position, rounded out to whole slices. Places are in cells; what lies outside counts as on
    /// the border, for that is how it was sorted.
    fn rows(&self) -> (i64, String) {
        let (start, slices) = (self.start, self.slices);
        let [x, y, z] = self.domain.resolution.map(i64::from);
        // Distances are as exact as places are.
        let most = self.domain.resolution.map(f64::from).into_iter().fold(1.0, f64::max);
        let slack = 1e-5 + 4.0 * f64::from(f32::EPSILON) * most;
        let (reach, slack) = (float((1.0 + slack).powi(2)), float(slack));
        let (place, outside, row) = match self.dim() {
            3 => (
                "(*_near)._cell.yz + vec2i(_r % 3, _r / 3) - 1",
                format!("any(_o < vec2i(0)) || any(_o >= vec2i({y}, {z}))"),
                format!("(_o.y * {y} + _o.x) * {x}"),
            ),
            _ => ("(*_near)._cell.y + _r - 1", format!("_o < 0 || _o >= {y}"), format!("_o * {x}")),
        };
        let (across, float, square) = match self.dim() {
            3 => ("yz", "vec2f", "dot(_d, _d)"),
            _ => ("y", "f32", "_d * _d"),
        };
        let slice = |at: &str| format!("clamp(i32(({at}) * {slices}.0), 0, {x} - 1)");
        let range = format!(
            "let _o = {place}; let _p = (*_near)._at; let _l = {float}(_o) - _p.{across}; \
             let _d = max(max(_l, -_l - 1.0) - {slack}, {float}(0.0)); let _w2 = {reach} - {square}; \
             if (_w2 > 0.0 && !({outside})) {{ let _w = sqrt(_w2) + {slack}; let _i = {row}; \
             _first = {start}[_i + {}]; _last = {start}[_i + {} + 1]; }}",
            slice("_p.x - _w"),
            slice("_p.x + _w")
        );
        (packs::rows(self.dim()).into(), range)
    }
}
