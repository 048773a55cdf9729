//! Grids that any invocation may add to: sums in fixed point, and extremes.
//!
//! ```wgsl
//! fn add_mass(_cell: vec2i, _value: f32) { let _c = ..; atomicAdd(&_write_mass[1 * (_c.y * 64 + _c.x) + 0], i32(round(_value * 65536.0f))); }
//! fn max_depth(_cell: vec2i, _value: u32) { let _c = ..; if (any(_c != _cell)) { return; } let _k = _value; atomicMax(..); }
//! ```

use super::grid::Grid;
use crate::codegen::stage_kernel::bins::Bins;
use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::codegen::wgsl::{COMPONENTS, cell_type, cells_literal, element, float};
use crate::ir::workgroups::LANES;
use crate::ir::{Lanes, OWN, query};
use crate::stage::header::{Port, Scatter};
use crate::stage::types::{EdgeRule, ValueType, WireType};

/// Limit of all that an invocation adds to a tile \[steps\], half of what cannot leave 32 bits with all lanes of a workgroup: the other half is
/// for rounding. So no sum in a tile has to be checked. What is beyond is added to the grid itself.
pub(super) const MOST_STEPS: u32 = 1 << 22;
const _: () = assert!(2 * MOST_STEPS as u64 * LANES as u64 <= 1 << 31);
/// A number below the limit and this one add up to a float whose last bits are the rounded number.
pub(super) const ROUNDER: f64 = 1.5 * (1 << 23) as f64;
pub(super) const ROUNDER_BITS: u32 = 0x4b40_0000;

/// Steps of a unit.
pub(super) fn scale(bits: u32) -> String {
    float(f64::from(1u32 << bits))
}

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
    let faces = grid.ty == WireType::FaceGrid;
    let at = match of.stage.calls(&format!("add_{}_at", port.name)) {
        true if faces => grid.add_at_faces() + "\n",
        true => grid.add_at() + "\n",
        false => String::new(),
    };
    let bins = Bins::of(cx).filter(|_| of.index == OWN);
    at + &match kind {
        Scatter::Sum(bits) if faces => match bins {
            Some(bins) => grid.add_to_face_tiled(variable, bits, bins.tile()),
            None => grid.add_to_face(variable, bits),
        },
        Scatter::Sum(_) if whole => grid.add_whole(variable, checked),
        Scatter::Sum(bits) => match (bins, cx.op.lanes) {
            (Some(bins), _) => grid.add_tiled(variable, bits, bins.tile()),
            (None, Lanes::Components(_)) if of.index == OWN => grid.add_component(variable, bits, checked),
            (None, _) => grid.add_fixed(variable, bits, checked),
        },
        Scatter::Min => grid.extreme(variable, "min", "Min"),
        Scatter::Max => grid.extreme(variable, "max", "Max"),
    }
}

/// Statements that add `_value`, a number or a vector, to sums in fixed point, and then check all of them: the sums are asked for at once,
/// and memory answers them together. Of vectors, many components are zero. `at`: the element; `sums`: the places of its sums.
pub(super) fn checked_sums(name: &str, at: &str, sums: &[String], scale: &str) -> String {
    let (integers, part) = match sums.len() {
        1 => ("i32".to_string(), "0, "),
        n => (format!("vec{n}i"), ""),
    };
    let ask = |(i, sum): (usize, &String)| {
        let part = if sums.len() == 1 { String::new() } else { format!(".{}", COMPONENTS[i]) };
        format!("if (_q{part} != 0) {{ _o{part} = atomicAdd({sum}, _q{part}); }} ")
    };
    format!(
        "let _r = round(_value * {scale}); let _q = {integers}(_r); var _o = {integers}(); {}_check_{name}({at}, {part}_value, _r, _q, _o); ",
        sums.iter().enumerate().map(ask).collect::<String>()
    )
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
        let name = self.name;
        let ty = self.wgsl();
        let cells = cell_type(self.dim());
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

    /// `add_x(cell, value)` of floats, in fixed point. `checked`: every sum is checked by the functions of
    /// [`crate::codegen::stage_kernel::checks`].
    fn add_fixed(&self, variable: &str, bits: u32, checked: bool) -> String {
        let name = self.name;
        let ty = self.wgsl();
        let cells = cell_type(self.dim());
        let (place, element) = (self.written_cell(self.leaving("return;"), &[EdgeRule::Zero]), self.written_element());
        let (n, scale) = (self.ty.value().components(self.dim()), scale(bits));
        let part = |i: u32| if n == 1 { "_value".to_string() } else { format!("_value.{}", COMPONENTS[i as usize]) };
        let sum = |i: u32| format!("&{variable}[{n} * _at + {i}]");
        let each = |text: &dyn Fn(u32) -> String| (0..n).map(text).collect::<String>();
        let adds = match checked {
            true => checked_sums(name, "_at", &(0..n).map(sum).collect::<Vec<_>>(), &scale),
            false => each(&|i| format!("atomicAdd({}, i32(round({} * {scale}))); ", sum(i), part(i))),
        };
        format!("fn add_{name}(_cell: {cells}, _value: {ty}) {{ {place} let _at = {element}; {adds}}}")
    }

    /// `add_x` of one component, that of the invocation. Neighbouring invocations add to neighbouring words, which memory takes together.
    fn add_component(&self, variable: &str, bits: u32, checked: bool) -> String {
        let (name, ty, cells) = (self.name, self.wgsl(), cell_type(self.dim()));
        let (place, element) = (self.written_cell(self.leaving("return;"), &[EdgeRule::Zero]), self.written_element());
        let (n, scale) = (self.ty.value().components(self.dim()), scale(bits));
        let sum = format!("&{variable}[{n} * _at + _share]");
        let adds = match checked {
            true => checked_sums(name, "_at", &[sum], &scale),
            false => format!("atomicAdd({sum}, i32(round(_value * {scale}))); "),
        };
        format!(
            "fn add_{name}(_cell: {cells}, _vector: {ty}) {{ {place} let _at = {element}; let _value = _vector[_share]; {adds}}}"
        )
    }

    /// `add_x` where a tile of workgroup memory adds up first, with `size` cells along each axis; and `_flush_x(cell, part, sum)`, which adds
    /// what the tile holds to the grid, and returns the element with what it held before, or -1. A tile has one component behind the other, so
    /// that lanes meet in fewer banks of its memory.
    fn add_tiled(&self, variable: &str, bits: u32, size: [u32; 3]) -> String {
        let name = self.name;
        let ty = self.wgsl();
        let cells = cell_type(self.dim());
        let dim = self.dim();
        let (place, element_of_c) =
            (self.written_cell(self.leaving("return;"), &[EdgeRule::Zero]), self.written_element());
        let n = self.ty.value().components(dim);
        let scale = scale(bits);
        let count = size.iter().product::<u32>();
        let component = |i: u32| if n == 1 { String::new() } else { format!(".{}", COMPONENTS[i as usize]) };
        let each =
            |text: &dyn Fn(u32, String) -> String| -> Vec<String> { (0..n).map(|i| text(i, component(i))).collect() };
        let sizes = each(&|_, part| format!("abs(_steps{part})"));
        let in_tile = each(&|i, part| {
            let rounded = format!("bitcast<i32>(_steps{part} + {}) - {ROUNDER_BITS}", float(ROUNDER));
            format!("atomicAdd(&_tile_{name}[_k + {}], {rounded}); ", i * count)
        });
        // In scalars, and nothing lives on: registers of the way around the tile are not there for the way into it.
        let rounded = |part: &str| format!("i32(round(_steps{part}))");
        let ask = each(&|i, part| format!("let _o{i} = atomicAdd(&{variable}[{n} * _at + {i}], {}); ", rounded(&part)));
        let look = each(&|i, part| format!("_added_around_{name}(_at, _steps{part}, {}, _o{i}); ", rounded(&part)));
        // The sum of all sizes bounds each of them, and is no number where one of them is none.
        format!(
            "fn add_{name}(_cell: {cells}, _value: {ty}) {{\n    \
                 let _steps = _value * {scale}; let _t = _cell - _corner; let _all = _added_{name} + ({sum});\n    \
                 let _in = all(bitcast<vec{dim}u>(_t) < vec{dim}u({tile})) && _all < {most};\n    \
                 if (_in) {{ _added_{name} = _all; let _k = {in_tile_element}; {in_tile}}}\n    \
                 if (!_in || _sampled) {{ if (_sampled) {{ _sample_{name}(_steps); }} if (!_in) {{ {place} let _at = {element_of_c}; {ask}{look}}} }}\n\
             }}\n\
             fn _flush_{name}(_cell: {cells}, _part: i32, _q: i32) -> vec2i {{\n    \
                 if (_q == 0) {{ return vec2i(-1, 0); }}\n    \
                 {flushed} let _at = {element_of_c}; return vec2i(_at, atomicAdd(&{variable}[{n} * _at + _part], _q));\n\
             }}",
            flushed = self.written_cell(self.leaving("return vec2i(-1, 0);"), &[EdgeRule::Zero]),
            sum = sizes.join(" + "),
            tile = cells_literal(size, dim),
            most = float(f64::from(MOST_STEPS)),
            in_tile_element = element("_t", size, dim),
            in_tile = in_tile.concat(),
            ask = ask.concat(),
            look = look.concat(),
        )
    }

    /// `min_x(cell, value)` or `max_x(cell, value)`. Floats go in as integers of the same order.
    fn extreme(&self, variable: &str, word: &str, function: &str) -> String {
        let name = self.name;
        let ty = self.wgsl();
        let cells = cell_type(self.dim());
        // What lies outside a picture is not at its border.
        let (place, element) = (
            self.written_cell(Some("return;"), &[EdgeRule::Zero, EdgeRule::Wall, EdgeRule::Clamp]),
            self.written_element(),
        );
        let key = match self.ty.value() {
            ValueType::F32 => "let _b = bitcast<i32>(_value); let _k = select(_b, _b ^ 0x7fffffff, _b < 0);",
            _ => "let _k = _value;",
        };
        // Most of what is hidden behind something else only looks.
        let nearer = if word == "min" { "<" } else { ">" };
        format!(
            "fn {word}_{name}(_cell: {cells}, _value: {ty}) {{ {place} {key} let _at = {element}; \
             if (_k {nearer} atomicLoad(&{variable}[_at])) {{ atomic{function}(&{variable}[_at], _k); }} }}"
        )
    }
}
