//! Grids that any invocation may add to: sums in fixed point, and extremes.
//!
//! ```wgsl
//! fn add_mass(_cell: vec2i, _value: f32) { let _c = ..; atomicAdd(&_write_mass[1 * (_c.y * 64 + _c.x) + 0], i32(round(_value * 65536.0f))); }
//! fn max_depth(_cell: vec2i, _value: u32) { let _c = ..; if (any(_c != _cell)) { return; } let _k = _value; atomicMax(..); }
//! ```

use super::grid::Grid;
use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::codegen::wgsl::{COMPONENTS, cell_type, element, float};
use crate::ir::{OWN, query};
use crate::stage::header::{Port, Scatter};
use crate::stage::types::{EdgeRule, ValueType};

/// The function that writes a scatter port, whose cells are in the buffer of this variable.
pub(super) fn writer(
    cx: &Context<'_>,
    of: Instance<'_>,
    port: &Port,
    grid: &Grid<'_>,
    (variable, kind): (&str, Scatter),
) -> String {
    let checked = of.index == OWN && query::checked(cx.stage, port);
    let whole = matches!(grid.ty.value(), ValueType::I32 | ValueType::U32);
    match kind {
        Scatter::Sum(_) if whole => grid.add_whole(variable, checked),
        Scatter::Sum(bits) => grid.add_fixed(variable, bits, checked),
        Scatter::Min => grid.extreme(variable, "min", "Min"),
        Scatter::Max => grid.extreme(variable, "max", "Max"),
    }
}

impl Grid<'_> {
    /// `let _c = ..`: the cell that a cell shows by the edge rule. `leave`: what ends the function outside the grid, where there is
    /// nothing to write to; where sides differ, outside those with these rules.
    fn written_cell(&self, leave: Option<&str>, leaves: &[EdgeRule]) -> String {
        match (self.edges.one(), leave) {
            (Some(EdgeRule::Wrap), _) => self.wrapped(),
            (Some(EdgeRule::Mirror), _) => self.mirrored(),
            (None, Some(leave)) => {
                format!("{} if (any({})) {{ {leave} }}", self.shown(), self.places(None).beyond(self.edges.are(leaves)))
            }
            (None, None) => self.shown(),
            (_, Some(leave)) => format!("{} if (any(_c != _cell)) {{ {leave} }}", self.clamped()),
            (_, None) => self.clamped(),
        }
    }

    /// What ends the function of a sum outside the grid: only there where cells outside are zero.
    fn leaving<'l>(&self, leave: &'l str) -> Option<&'l str> {
        self.edges.has(EdgeRule::Zero).then_some(leave)
    }

    fn written_element(&self) -> String {
        element("_c", self.domain.resolution, self.dim())
    }

    /// `add_x(cell, value)` of whole numbers. The sum before is of use: it numbers what was added.
    fn add_whole(&self, variable: &str, checked: bool) -> String {
        let (name, ty, cells) = (self.name, self.wgsl(), cell_type(self.dim()));
        let leave = format!("return {ty}(0);");
        let (place, element) = (self.written_cell(self.leaving(&leave), &[EdgeRule::Zero]), self.written_element());
        let amount = if self.ty.value() == ValueType::U32 { "i32(_value)" } else { "_value" };
        let before = format!("{ty}(atomicAdd(&{variable}[1 * ({element}) + 0], {amount}))");
        let sum = match checked {
            true => format!("let _o = {before}; _check_{name}({element}, _value, _o); return _o;"),
            false => format!("return {before};"),
        };
        format!("fn add_{name}(_cell: {cells}, _value: {ty}) -> {ty} {{ {place} {sum} }}")
    }

    /// `add_x(cell, value)` of floats, in fixed point. `checked`: every sum is checked by the functions of [`crate::codegen::stage_kernel::checks`].
    fn add_fixed(&self, variable: &str, bits: u32, checked: bool) -> String {
        let (name, ty, cells) = (self.name, self.wgsl(), cell_type(self.dim()));
        let (place, element) = (self.written_cell(self.leaving("return;"), &[EdgeRule::Zero]), self.written_element());
        let (n, scale) = (self.ty.value().components(self.dim()), float(f64::from(1u32 << bits)));
        let add = |i: u32| {
            let part = if n == 1 { "_value".to_string() } else { format!("_value.{}", COMPONENTS[i as usize]) };
            let sum = format!("&{variable}[{n} * ({element}) + {i}]");
            match checked {
                true => format!(
                    "{{ let _r = round({part} * {scale}); let _q = i32(_r); let _o = atomicAdd({sum}, _q); \
                     _check_{name}({element}, {i}, {part}, _r, _q, _o); }}"
                ),
                false => format!("atomicAdd({sum}, i32(round({part} * {scale})));"),
            }
        };
        let adds: Vec<String> = (0..n).map(add).collect();
        format!("fn add_{name}(_cell: {cells}, _value: {ty}) {{ {place} {} }}", adds.join(" "))
    }

    /// `min_x(cell, value)` or `max_x(cell, value)`. Floats go in as integers of the same order.
    fn extreme(&self, variable: &str, word: &str, function: &str) -> String {
        let (name, ty, cells) = (self.name, self.wgsl(), cell_type(self.dim()));
        // What lies outside a picture is not at its border.
        let (place, element) = (
            self.written_cell(Some("return;"), &[EdgeRule::Zero, EdgeRule::Wall, EdgeRule::Clamp]),
            self.written_element(),
        );
        let key = match self.ty.value() {
            ValueType::F32 => "let _b = bitcast<i32>(_value); let _k = select(_b, _b ^ 0x7fffffff, _b < 0);",
            _ => "let _k = _value;",
        };
        format!(
            "fn {word}_{name}(_cell: {cells}, _value: {ty}) {{ {place} {key} atomic{function}(&{variable}[{element}], _k); }}"
        )
    }
}
