//! The sweeps of a tile whose stage looks across faces only. An invocation keeps its column of cells in variables, so only what lies
//! beside the column comes from workgroup memory: of five reads a cell in the plane, two.

use super::tile::Parts;
use super::tile::input;
use super::*;
use crate::plan::codegen::accessors;
use crate::stage::Reach;

/// A side across which a cell is read: its name, axis and step.
type Face = (&'static str, usize, i64);

impl StageKernel<'_> {
    /// Whether the tiles of this operation are swept in columns.
    pub(super) fn in_columns(&self) -> bool {
        let near = |port: &Port| port.direction == Direction::InOut && self.stage.reach(&port.name) != Reach::Anywhere;
        self.op.sweeps > 1 && self.op.shape.is_some() && self.writes().all(|(port, ..)| near(port))
    }

    /// What computes a cell, and the loop over sweeps, in a tile that lies inside the domain (`whole`) or reaches beyond it.
    pub(super) fn columns(&self, parts: &Parts, whole: bool) -> (String, String) {
        let mut out = self.column_places(parts);
        for (port, _, value, _) in self.writes() {
            let ty = value.ty.value().wgsl(value.dim);
            for k in 0..parts.cells {
                let place = format!("_here + {}", k * parts.stride());
                let _ = writeln!(out, "    var _r_{}_{k}: {ty} = _tile_{}[{place}];", port.name, port.name);
            }
        }
        let _ = writeln!(out, "    for (var _s = 0; _s < {}; _s++) {{", self.op.sweeps);
        out.push_str(&self.counted());
        if self.op.color.is_some() {
            self.colored(parts, whole, &mut out);
        } else {
            self.uncolored(parts, whole, &mut out);
        }
        out.push_str("    }\n");
        (self.column_cell(parts, whole), out)
    }

    /// Places in the tile around an invocation's first cell. The tile's own border is wrong anyway, so there any place will do.
    fn column_places(&self, parts: &Parts) -> String {
        let mut out = format!("    let _here = {};\n", accessors::index("_first", parts.size, parts.dim));
        let mut step = 1;
        for (axis, (letter, size)) in LETTERS.into_iter().zip(parts.size).take(parts.dim as usize).enumerate() {
            let along = if axis == parts.column() { parts.cells } else { 1 };
            for (name, ..) in faces(parts.dim).iter().filter(|(_, a, step)| *a == axis && *step < 0) {
                let _ = writeln!(out, "    let _{name} = select(_here - {step}, _here, _first.{letter} == 0);");
            }
            for (name, ..) in faces(parts.dim).iter().filter(|(_, a, step)| *a == axis && *step > 0) {
                let _ = writeln!(
                    out,
                    "    let _{name} = select(_here + {}, _here, _first.{letter} + {along} >= {size});",
                    step * along
                );
            }
            step *= size;
        }
        if self.op.color.is_some() {
            out.push_str("    let _f = _base + _first;\n");
        }
        out
    }

    /// The function that computes the cell `_k` of a column, whose place lies `_shift` behind that of the first, from what lies beside it:
    /// its inputs, and of each port the cells before and after it.
    fn column_cell(&self, parts: &Parts, whole: bool) -> String {
        let mut takes = format!("_first: {}, _k: i32, _shift: i32", prelude::cell_type(parts.dim));
        for (side, ..) in beside(parts) {
            let _ = write!(takes, ", _{side}: i32");
        }
        let place = format!("_base + _first + {}", parts.along("_k"));
        let mut text = match parts.wraps && !whole {
            true => format!("_at = {}; ", accessors::wrapped(&format!("({place})"), self.resolution(), parts.dim)),
            false => format!("_at = {place}; "),
        };
        for (index, (port, value)) in self.own_inputs().into_iter().enumerate() {
            let _ = write!(takes, ", _in{index}: {}", value.ty.value().wgsl(value.dim));
            let _ = write!(text, "{} = _in{index}; ", input(port));
        }
        if !whole {
            text += "let _f = _base + _first; ";
        }
        for (port, _, value, _) in self.writes() {
            for step in self.column_steps(port) {
                let _ = write!(takes, ", {}: {}", beside_in_column(port, step), value.ty.value().wgsl(value.dim));
            }
            text += &self.column_window((port, value), (parts, whole));
        }
        let returned = match self.returned().as_slice() {
            [(_, ty)] => ty.to_string(),
            _ => "Result".into(),
        };
        format!("fn {}({takes}) -> {returned} {{ {text}return stage(_at); }}\n", cell_function(whole))
    }

    /// Steps along the column to the cells whose values a port shows.
    fn column_steps(&self, port: &Port) -> std::ops::RangeInclusive<i64> {
        if self.stage.reach(&port.name) == Reach::Faces { -1..=1 } else { 0..=0 }
    }

    /// The call that computes a cell. `of`: the value of an input, or of a port so many steps along the column.
    fn column_call(
        &self,
        (parts, whole): (&Parts, bool),
        (k, shift): (&str, &str),
        inputs: &dyn Fn(usize) -> String,
        column: &dyn Fn(&str, i64) -> String,
    ) -> String {
        let mut gives = vec!["_first".into(), k.to_string(), shift.to_string()];
        gives.extend(beside(parts).map(|(side, ..)| format!("_{side}")));
        gives.extend((0..self.own_inputs().len()).map(inputs));
        for (port, ..) in self.writes() {
            gives.extend(self.column_steps(port).map(|step| column(&port.name, step)));
        }
        format!("{}({})", cell_function(whole), gives.join(", "))
    }

    /// Brings what the accessors of a port show of a cell where they look.
    fn column_window(&self, (port, value): (&Port, &Value), (parts, whole): (&Parts, bool)) -> String {
        let name = &port.name;
        let mut out = format!("_w_{name} = {}; ", beside_in_column(port, 0));
        if self.stage.reach(name) != Reach::Faces {
            return out;
        }
        let edge = self.edge(port, value);
        // Across a wall a velocity's part along the normal is the negative.
        let turned = |axis: usize| {
            let signs: Vec<&str> = (0..parts.dim as usize).map(|a| if a == axis { "-1.0" } else { "1.0" }).collect();
            format!("_w_{name} * {}({})", prelude::position_type(parts.dim), signs.join(", "))
        };
        let outside = |axis: usize| match edge {
            EdgeRule::Zero => format!("{}()", value.ty.value().wgsl(value.dim)),
            EdgeRule::Wall if value.ty.value() == ValueType::Vec => turned(axis),
            _ => format!("_w_{name}"),
        };
        for (side, axis, step) in faces(parts.dim) {
            let inner = match *axis == parts.column() {
                true => beside_in_column(port, *step),
                false => format!("_tile_{name}[_{side} + _shift]"),
            };
            let last = if *step < 0 { 0 } else { self.resolution()[*axis] - 1 };
            let along = if *axis == parts.column() { " + _k" } else { "" };
            let shown = match whole || edge == EdgeRule::Wrap {
                true => inner,
                false => format!("select({inner}, {}, _f.{}{along} == {last})", outside(*axis), LETTERS[*axis]),
            };
            let _ = write!(out, "_w_{name}_{side} = {shown}; ");
        }
        out
    }

    fn uncolored(&self, parts: &Parts, whole: bool, out: &mut String) {
        let several = self.returned().len() > 1;
        for k in 0..parts.cells {
            let shift = (k * parts.stride()).to_string();
            let column = |name: &str, step| in_column(parts, name, i64::from(k) + step);
            let inputs = |index| format!("_i{index}_{k}");
            let call = self.column_call((parts, whole), (&k.to_string(), &shift), &inputs, &column);
            let _ = writeln!(out, "        let _v{k} = {call};");
        }
        out.push_str("        workgroupBarrier();\n");
        for (port, ..) in self.writes() {
            let name = &port.name;
            for k in 0..parts.cells {
                let source = if several { format!("_v{k}.{name}") } else { format!("_v{k}") };
                let place = format!("_here + {}", k * parts.stride());
                let _ = writeln!(out, "        _r_{name}_{k} = {source}; _tile_{name}[{place}] = {source};");
            }
        }
        out.push_str("        workgroupBarrier();\n");
    }

    /// One colour of a checkerboard: of each two cells one. What it reads, cells of the other colour, stays as it is; so it is
    /// overwritten at once.
    fn colored(&self, parts: &Parts, whole: bool, out: &mut String) {
        let several = self.returned().len() > 1;
        let sum = if parts.dim == 3 { "_f.x + _f.y + _f.z" } else { "_f.x + _f.y" };
        let _ = writeln!(
            out,
            "        let _odd = ({sum} + _s) & 1; let _second = _odd == 1; let _shift = _odd * {};",
            parts.stride()
        );
        for k in (0..parts.cells).step_by(2) {
            let (cell, shift) = (format!("{k} + _odd"), format!("_shift + {}", k * parts.stride()));
            let either = |one: &dyn Fn(i64) -> String, at| format!("select({}, {}, _second)", one(at), one(at + 1));
            let column = |name: &str, step| either(&|at| in_column(parts, name, at), i64::from(k) + step);
            let inputs = |index| either(&|at| format!("_i{index}_{at}"), i64::from(k));
            let call = self.column_call((parts, whole), (&cell, &shift), &inputs, &column);
            let mut keep = String::new();
            for (port, ..) in self.writes() {
                let name = &port.name;
                let source = if several { format!("_v.{name}") } else { "_v".into() };
                let (first, second) = (format!("_r_{name}_{k}"), format!("_r_{name}_{}", k + 1));
                let _ = write!(
                    keep,
                    " {first} = select({source}, {first}, _second); {second} = select({second}, {source}, _second); \
                     _tile_{name}[_here + {shift}] = {source};"
                );
            }
            let _ = writeln!(out, "        {{ let _v = {call};{keep} }}");
        }
        out.push_str("        workgroupBarrier();\n");
    }
}

/// What computes a cell of a column.
fn cell_function(whole: bool) -> &'static str {
    if whole { "_cell_within" } else { "_cell_beyond" }
}

/// Faces that are not along the column.
fn beside(parts: &Parts) -> impl Iterator<Item = &'static Face> {
    let column = parts.column();
    faces(parts.dim).iter().filter(move |(_, axis, _)| *axis != column)
}

/// A port's value so many steps along the column, as what computes a cell gets it.
fn beside_in_column(port: &Port, step: i64) -> String {
    let word = ["before", "here", "after"].get((step + 1) as usize).copied().unwrap_or_default();
    format!("_{word}_{}", port.name)
}

/// A port's value at a place of the column, from a variable, or from the tile beyond its ends.
fn in_column(parts: &Parts, name: &str, at: i64) -> String {
    match at {
        -1 => format!("_tile_{name}[_{}]", ends(parts.dim).0),
        _ if at == i64::from(parts.cells) => format!("_tile_{name}[_{}]", ends(parts.dim).1),
        _ => format!("_r_{name}_{at}"),
    }
}

/// Words that a component of a vector is called by.
pub const LETTERS: [&str; 4] = ["x", "y", "z", "w"];

/// Name, axis and step of each face.
pub fn faces(dim: u32) -> &'static [Face] {
    let all: &[Face; 6] =
        &[("west", 0, -1), ("east", 0, 1), ("south", 1, -1), ("north", 1, 1), ("below", 2, -1), ("above", 2, 1)];
    &all[..2 * dim as usize]
}

/// The sides at which a column begins and ends.
fn ends(dim: u32) -> (&'static str, &'static str) {
    if dim == 3 { ("below", "above") } else { ("south", "north") }
}
