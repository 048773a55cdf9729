//! The sweeps of a tile whose stage looks across faces only. An invocation keeps its column of cells in variables, so only what lies
//! beside the column comes from workgroup memory: of five reads a cell in the plane, two.

use super::tile::Parts;
use super::*;
use crate::stage::Reach;

/// A side across which a cell is read: its name, axis and step.
type Face = (&'static str, usize, i64);

impl StageKernel<'_> {
    /// Whether the tiles of this operation are swept in columns.
    pub(super) fn in_columns(&self) -> bool {
        let near = |port: &Port| port.direction == Direction::InOut && self.stage.reach(&port.name) != Reach::Anywhere;
        self.op.sweeps > 1 && self.op.shape.is_some() && self.writes().all(|(port, ..)| near(port))
    }

    /// The loop over sweeps, in a tile that lies inside the domain (`whole`) or reaches beyond it.
    pub(super) fn columns(&self, parts: &Parts, whole: bool) -> String {
        let mut out = self.column_places(parts, whole);
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
        out
    }

    /// Places in the tile around an invocation's first cell. The tile's own border is wrong anyway, so there any place will do.
    fn column_places(&self, parts: &Parts, whole: bool) -> String {
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
        if !whole || self.op.color.is_some() {
            out.push_str("    let _f = _base + _first;\n");
        }
        out
    }

    /// `_at`, and the inputs of a cell `k` of the column.
    fn column_cell(&self, parts: &Parts, whole: bool, k: &str, inputs: &str) -> String {
        let place = format!("_base + _first + {}", parts.along(k));
        match parts.wraps && !whole {
            true => {
                format!("_at = {}; {inputs}", accessors::wrapped(&format!("({place})"), self.resolution(), parts.dim))
            }
            false => format!("_at = {place}; {inputs}"),
        }
    }

    /// Brings what the accessors of a port show of a cell where they look. `column`: a cell of the column, or none beyond its ends;
    /// `k`: the cell's number in the column; `shift`: its place's distance from that of the first.
    fn column_window(
        &self,
        (port, value): (&Port, &Value),
        (parts, whole): (&Parts, bool),
        (k, shift): (&str, &str),
        column: &dyn Fn(i64) -> String,
    ) -> String {
        let name = &port.name;
        let mut out = format!("_w_{name} = {}; ", column(0));
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
                true => column(*step),
                false => format!("_tile_{name}[_{side} + {shift}]"),
            };
            let last = if *step < 0 { 0 } else { self.resolution()[*axis] - 1 };
            let along = if *axis == parts.column() { format!(" + {k}") } else { String::new() };
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
            let mut text = self.column_cell(parts, whole, &k.to_string(), &self.inputs_of(k));
            for (port, _, value, _) in self.writes() {
                let name = &port.name;
                let column = |step: i64| match i64::from(k) + step {
                    -1 => format!("_tile_{name}[_{}]", ends(parts.dim).0),
                    j if j == i64::from(parts.cells) => format!("_tile_{name}[_{}]", ends(parts.dim).1),
                    j => format!("_r_{name}_{j}"),
                };
                text += &self.column_window((port, value), (parts, whole), (&k.to_string(), &shift), &column);
            }
            let _ = writeln!(out, "        {text}let _v{k} = stage(_at);");
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
            let mut text = self.column_cell(parts, whole, &cell, &self.inputs_of_either(k));
            for (port, _, value, _) in self.writes() {
                let name = &port.name;
                let one = |j: i64| match j {
                    -1 => format!("_tile_{name}[_{}]", ends(parts.dim).0),
                    j if j == i64::from(parts.cells) => format!("_tile_{name}[_{}]", ends(parts.dim).1),
                    j => format!("_r_{name}_{j}"),
                };
                let column = |step: i64| {
                    format!("select({}, {}, _second)", one(i64::from(k) + step), one(i64::from(k) + step + 1))
                };
                text += &self.column_window((port, value), (parts, whole), (&cell, &shift), &column);
            }
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
            let _ = writeln!(out, "        {{ {text}let _v = stage(_at);{keep} }}");
        }
        out.push_str("        workgroupBarrier();\n");
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
