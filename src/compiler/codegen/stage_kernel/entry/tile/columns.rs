//! The sweeps of a tile whose stage looks across faces only. An invocation keeps its column of cells in variables, so only what lies
//! beside the column comes from workgroup memory: of five reads a cell in the plane, two.
//!
//! ```wgsl
//! fn _cell_within(_first: vec2i, _k: i32, _shift: i32, _west: i32, _east: i32, _in0: f32, _before_p: f32, _here_p: f32, _after_p: f32) -> f32 { .. }
//! var _r_p_0: f32 = _tile_p[_here + 0];
//! let _v0 = _cell_within(_first, 0, 0, _west, _east, _i0_0, _tile_p[_south], _r_p_0, _r_p_1);
//! _r_p_0 = _v0; _tile_p[_here + 0] = _v0;
//! ```

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::sweeps::{Sweeps, counters, outside};
use crate::codegen::stage_kernel::accessors::window::{Face, faces};
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::tiles::Tiles;
use crate::codegen::stage_kernel::{names, results};
use crate::codegen::wgsl::{COMPONENTS, cell_type, coordinate_sum, position_type};
use crate::ir::WireValue;
use crate::stage::Reach;
use crate::stage::header::Port;
use crate::stage::types::{EdgeRule, ValueType};

/// What computes a cell, and the loop over sweeps, in a tile that lies inside the domain (`whole`) or reaches beyond it.
pub(super) fn sweeps(cx: &Context<'_>, tiles: &Tiles, whole: bool) -> Sweeps {
    let columns = Columns { cx, tiles, whole };
    let sweep = if cx.op.color.is_some() { columns.colored() } else { columns.uncolored() };
    let body = format!(
        "{}{}    for (var _s = 0; _s < {}; _s++) {{\n{}{sweep}        workgroupBarrier();\n    }}\n",
        columns.places(),
        columns.registers(),
        cx.op.sweeps,
        counters(cx)
    );
    Sweeps { functions: columns.cell(), body }
}

struct Columns<'c> {
    cx: &'c Context<'c>,
    tiles: &'c Tiles,
    whole: bool,
}

impl<'c> Columns<'c> {
    /// Places in the tile around an invocation's first cell. The tile's own border is wrong anyway, so there any place will do.
    fn places(&self) -> String {
        let mut out = format!("    let _here = {};\n", self.tiles.element("_first"));
        let mut step = 1;
        for (axis, (letter, size)) in
            COMPONENTS.into_iter().zip(self.tiles.size).take(self.tiles.dim as usize).enumerate()
        {
            let along = if axis == self.tiles.column() { self.tiles.cells } else { 1 };
            for face in faces(self.tiles.dim).iter().filter(|face| face.axis == axis) {
                let (place, at_border) = match face.step < 0 {
                    true => (format!("_here - {step}"), format!("_first.{letter} == 0")),
                    false => (format!("_here + {}", step * along), format!("_first.{letter} + {along} >= {size}")),
                };
                let _ = writeln!(out, "    let _{} = select({place}, _here, {at_border});", face.name);
            }
            step *= size;
        }
        if self.cx.op.color.is_some() {
            out.push_str("    let _f = _base + _first;\n");
        }
        out
    }

    /// The variables of a column's cells.
    fn registers(&self) -> String {
        let mut out = String::new();
        for Written { port, value, .. } in self.cx.writes() {
            let (tile, ty) = (names::tile(port), value.layout().wgsl());
            for k in 0..self.tiles.cells {
                let _ = writeln!(out, "    var {}: {ty} = {tile}[{}];", register(&port.name, k), self.place(k));
            }
        }
        out
    }

    /// The place in the tile of the cell of number `k`.
    fn place(&self, k: u32) -> String {
        format!("_here + {}", k * self.tiles.stride())
    }

    /// The function that computes the cell `_k` of a column, whose place lies `_shift` behind that of the first, from what lies beside it:
    /// its inputs, and of each port the cells before and after it.
    fn cell(&self) -> String {
        let (cx, tiles) = (self.cx, self.tiles);
        let mut takes = format!("_first: {}, _k: i32, _shift: i32", cell_type(cx.dim));
        for side in self.side_faces() {
            let _ = write!(takes, ", _{}: i32", side.name);
        }
        let place = format!("_base + _first + {}", tiles.along("_k"));
        let mut text = match tiles.wrap() && !self.whole {
            true => format!("_at = {}; ", tiles.named(&format!("({place})"))),
            false => format!("_at = {place}; "),
        };
        for (index, (port, value)) in cx.held_inputs().into_iter().enumerate() {
            let _ = write!(takes, ", _in{index}: {}", value.layout().wgsl());
            let _ = write!(text, "{} = _in{index}; ", names::held(port));
        }
        if !self.whole {
            text += "let _f = _base + _first; ";
        }
        for Written { port, value, .. } in cx.writes() {
            for step in self.steps(port) {
                let _ = write!(takes, ", {}: {}", in_call(port, step), value.layout().wgsl());
            }
            text += &self.window(port, value);
        }
        let returned = results::type_name(cx);
        format!(
            "fn {}({takes}) -> {returned} {{ {text}{}return stage(_at); }}\n",
            self.function(),
            outside(cx, &returned)
        )
    }

    /// What computes a cell of a column.
    fn function(&self) -> &'static str {
        if self.whole { "_cell_within" } else { "_cell_beyond" }
    }

    /// Faces that are not along the column.
    fn side_faces(&self) -> impl Iterator<Item = &'static Face> {
        let column = self.tiles.column();
        faces(self.tiles.dim).iter().filter(move |face| face.axis != column)
    }

    /// Steps along the column to the cells whose values a port shows.
    fn steps(&self, port: &Port) -> RangeInclusive<i64> {
        if self.cx.stage.reach(&port.name) == Reach::Faces { -1..=1 } else { 0..=0 }
    }

    /// The call that computes a cell. `inputs`: the value of an input; `column`: that of a port so many steps along the column.
    fn call(
        &self,
        (k, shift): (&str, &str),
        inputs: &dyn Fn(usize) -> String,
        column: &dyn Fn(&str, i64) -> String,
    ) -> String {
        let mut gives = vec!["_first".into(), k.to_string(), shift.to_string()];
        gives.extend(self.side_faces().map(|side| format!("_{}", side.name)));
        gives.extend((0..self.cx.held_inputs().len()).map(inputs));
        for Written { port, .. } in self.cx.writes() {
            gives.extend(self.steps(port).map(|step| column(&port.name, step)));
        }
        format!("{}({})", self.function(), gives.join(", "))
    }

    /// Brings what the accessors of a port show of a cell where they look.
    fn window(&self, port: &Port, value: &WireValue) -> String {
        let window = names::window(port);
        let mut out = format!("{window} = {}; ", in_call(port, 0));
        if self.cx.stage.reach(&port.name) == Reach::Faces {
            for face in faces(self.tiles.dim) {
                let _ = write!(out, "{window}_{} = {}; ", face.name, self.across(port, value, face));
            }
        }
        out
    }

    /// The value across a face, by the edge rule where the tile reaches beyond the domain.
    fn across(&self, port: &Port, value: &WireValue, face: &Face) -> String {
        let Face { name: side, axis, step } = face;
        let in_column = *axis == self.tiles.column();
        let inner = match in_column {
            true => in_call(port, *step),
            false => format!("{}[_{side} + _shift]", names::tile(port)),
        };
        let rule = self.cx.edges(port, value).rule(*axis, usize::from(*step > 0));
        if self.whole || rule == EdgeRule::Wrap {
            return inner;
        }
        let last = if *step < 0 { 0 } else { self.tiles.resolution[*axis] - 1 };
        let along = if in_column { " + _k" } else { "" };
        format!(
            "select({inner}, {}, _f.{}{along} == {last})",
            self.outside(port, value, rule, *axis),
            COMPONENTS[*axis]
        )
    }

    /// What the cell itself shows beyond the border along an axis.
    fn outside(&self, port: &Port, value: &WireValue, rule: EdgeRule, axis: usize) -> String {
        let window = names::window(port);
        match rule {
            EdgeRule::Zero => format!("{}()", value.layout().wgsl()),
            // Across a wall a velocity's part along the normal is the negative.
            EdgeRule::Wall if value.ty.value() == ValueType::Vec => {
                let dim = self.tiles.dim;
                let signs: Vec<&str> = (0..dim as usize).map(|a| if a == axis { "-1.0" } else { "1.0" }).collect();
                format!("{window} * {}({})", position_type(dim), signs.join(", "))
            }
            _ => window,
        }
    }

    /// A port's value at a place of the column, from a variable, or from the tile beyond its ends.
    fn in_column(&self, name: &str, at: i64) -> String {
        // The sides at which a column begins and ends.
        let (first, last) = if self.tiles.dim == 3 { ("below", "above") } else { ("south", "north") };
        match at {
            -1 => format!("_tile_{name}[_{first}]"),
            _ if at == i64::from(self.tiles.cells) => format!("_tile_{name}[_{last}]"),
            _ => register(name, at),
        }
    }

    /// A whole sweep: all cells are computed before one is overwritten.
    fn uncolored(&self) -> String {
        let cx = self.cx;
        let mut out = String::new();
        for k in 0..self.tiles.cells {
            let shift = (k * self.tiles.stride()).to_string();
            let column = |name: &str, step| self.in_column(name, i64::from(k) + step);
            let call = self.call((&k.to_string(), &shift), &|index| format!("_i{index}_{k}"), &column);
            let _ = writeln!(out, "        let _v{k} = {call};");
        }
        out.push_str("        workgroupBarrier();\n");
        for Written { port, .. } in cx.writes() {
            for k in 0..self.tiles.cells {
                let source = results::member(cx, cx.dispatched(), &format!("_v{k}"), &port.name);
                let register = register(&port.name, k);
                let tile = names::tile(port);
                let place = self.place(k);
                let _ = writeln!(out, "        {register} = {source}; {tile}[{place}] = {source};");
            }
        }
        out
    }

    /// One colour of a checkerboard: of each two cells one. What it reads, cells of the other colour, stays as it is; so it is
    /// overwritten at once.
    fn colored(&self) -> String {
        let mut out = format!(
            "        let _odd = ({} + _s) & 1; let _second = _odd == 1; let _shift = _odd * {};\n",
            coordinate_sum("_f", self.tiles.dim),
            self.tiles.stride()
        );
        for k in (0..self.tiles.cells).step_by(2) {
            let (cell, shift) = (format!("{k} + _odd"), format!("_shift + {}", k * self.tiles.stride()));
            let either = |one: &dyn Fn(i64) -> String, at| format!("select({}, {}, _second)", one(at), one(at + 1));
            let column = |name: &str, step| either(&|at| self.in_column(name, at), i64::from(k) + step);
            let inputs = |index| either(&|at| format!("_i{index}_{at}"), i64::from(k));
            let call = self.call((&cell, &shift), &inputs, &column);
            let keep: String = self.cx.writes().map(|written| self.keep_either(&written, k, &shift)).collect();
            let _ = writeln!(out, "        {{ let _v = {call};{keep} }}");
        }
        out
    }

    /// Statements that keep what one of two cells has become, the one that `_second` says.
    fn keep_either(&self, Written { port, .. }: &Written<'_>, k: u32, shift: &str) -> String {
        let source = results::member(self.cx, self.cx.dispatched(), "_v", &port.name);
        let (first, second) = (register(&port.name, k), register(&port.name, k + 1));
        format!(
            " {first} = select({source}, {first}, _second); {second} = select({second}, {source}, _second); \
             {}[_here + {shift}] = {source};",
            names::tile(port)
        )
    }
}

/// The variable of a port's value at a cell of the column.
fn register(name: &str, k: impl std::fmt::Display) -> String {
    format!("_r_{name}_{k}")
}

/// A port's value so many steps along the column, as what computes a cell gets it.
fn in_call(port: &Port, step: i64) -> String {
    let word = ["before", "here", "after"].get((step + 1) as usize).copied().unwrap_or_default();
    format!("_{word}_{}", port.name)
}
