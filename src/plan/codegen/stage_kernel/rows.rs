//! Four cells of a row in one invocation. Rows are read four words at a time; what a cell's function asks for waits in variables of
//! which the shader compiler knows everything.

use super::columns::LETTERS;
use super::columns::faces;
use super::*;
use crate::plan::codegen::accessors;
use crate::plan::ir::window::{Side, Window, window};
use crate::plan::tuning::CELLS_OF_A_ROW;
use crate::stage::Reach;

impl StageKernel<'_> {
    /// Whether an invocation of this operation computes four cells of a row.
    pub(super) fn in_rows(&self) -> bool {
        self.op.sweeps == 1 && self.op.shape.is_some_and(|shape| shape.cells == CELLS_OF_A_ROW && shape.halo == 0)
    }

    /// The window of a port that is read, where there is one.
    pub(super) fn port_window(&self, port: &Port) -> Option<Window> {
        if self.in_columns() && port.writes() {
            let faces = self.stage.reach(&port.name) == Reach::Faces;
            return Some(if faces { Window::Faces } else { Window::Own });
        }
        if !self.in_rows() {
            return None;
        }
        let found = match port.direction {
            Direction::In => {
                let index = self.stage.inputs().position(|p| p.name == port.name)?;
                window(self.graph, self.program, self.op, index, Side::Input)
            }
            _ => {
                let index = self.stage.outputs().position(|p| p.name == port.name)?;
                window(self.graph, self.program, self.op, index, Side::Output)
            }
        };
        found.filter(|window| *window != Window::Narrow)
    }

    /// The accessor of a port with a window: the cell itself, or across a face.
    pub(super) fn window_accessor(&self, port: &Port, value: &Value) -> String {
        let (name, dim) = (&port.name, self.graph.dim(self.node));
        let (ty, cells) = (value.ty.value().wgsl(value.dim), prelude::cell_type(dim));
        let mut out = format!("var<private> _w_{name}: {ty};\n");
        if self.port_window(port) != Some(Window::Faces) {
            let _ = write!(out, "fn {name}(_cell: {cells}) -> {ty} {{ return _w_{name}; }}");
            return out;
        }
        let sides = faces(dim);
        for (side, ..) in sides {
            let _ = writeln!(out, "var<private> _w_{name}_{side}: {ty};");
        }
        let _ = write!(out, "fn {name}(_cell: {cells}) -> {ty} {{ let _d = _cell - _at;");
        for (side, axis, step) in sides {
            let sign = if *step < 0 { "<" } else { ">" };
            let _ = write!(out, " if (_d.{} {sign} 0) {{ return _w_{name}_{side}; }}", LETTERS[*axis]);
        }
        let _ = write!(out, " return _w_{name}; }}");
        out
    }

    /// The statements that compute four cells from `_cell` on.
    pub(super) fn rows(&self, dim: u32) -> String {
        let mut out = String::new();
        let at = self.index_of_row("_cell", dim);
        let _ = writeln!(out, "    let _row = {at};");
        let mut set = vec![String::new(); CELLS_OF_A_ROW as usize];
        for (port, value, variable, start) in self.windowed() {
            let name = &port.name;
            if let Some(constant) = start {
                let constant = value.layout().rounded(&constant);
                set[0].push_str(&format!(" _w_{name} = {constant};"));
                for (side, ..) in faces(dim).iter().filter(|_| self.port_window(port) == Some(Window::Faces)) {
                    set[0].push_str(&format!(" _w_{name}_{side} = {constant};"));
                }
                continue;
            }
            let (layout, parts) = (value.layout(), value.ty.value().components(dim));
            let numbers = layout.numbers();
            for four in 0..numbers {
                let from = layout.load_four(&variable, &format!("{numbers} * (_row >> 2u) + {four}"));
                let _ = writeln!(out, "    let _q_{name}_{four} = {from};");
            }
            let cell = |k: u32| cell_of_row(name, (numbers, parts), k);
            for k in 0..CELLS_OF_A_ROW {
                set[k as usize].push_str(&format!(" _w_{name} = {};", cell(k)));
            }
            if self.port_window(port) == Some(Window::Faces) {
                self.faces_of_row(port, value, &variable, dim, &mut out, &mut set);
            }
        }
        let several = self.returned().len() > 1;
        for (k, set) in set.iter().enumerate() {
            let step = if dim == 3 { format!("vec3i({k}, 0, 0)") } else { format!("vec2i({k}, 0)") };
            let _ = writeln!(out, "    _at = _cell + {step};{set} let _v{k} = stage(_at);");
        }
        for (port, _, value, _, target) in self.writes_of(OWN) {
            let (layout, parts) = (value.layout(), value.ty.value().components(dim));
            let numbers = layout.numbers();
            let source = |k: u32| if several { format!("_v{k}.{}", port.name) } else { format!("_v{k}") };
            for four in 0..numbers {
                let number = |lane: u32| match ((4 * four + lane) / numbers, (4 * four + lane) % numbers) {
                    (cell, _) if parts == 1 => source(cell),
                    (_, part) if part >= parts => "0.0".into(),
                    (cell, part) => format!("{}.{}", source(cell), LETTERS[part as usize]),
                };
                let [a, b, c, d] = [0, 1, 2, 3].map(number);
                let place = format!("{numbers} * (_row >> 2u) + {four}");
                let _ = writeln!(out, "    {}", layout.store_four(&target, &place, [&a, &b, &c, &d]));
            }
        }
        out
    }

    /// Loads the rows around, and the cells before and behind.
    fn faces_of_row(&self, port: &Port, value: &Value, variable: &str, dim: u32, out: &mut String, set: &mut [String]) {
        let name = &port.name;
        let [n, ..] = self.domain(self.node).resolution.map(i64::from);
        let resolution = self.domain(self.node).resolution.map(i64::from);
        let wraps = self.edge(port, value) == EdgeRule::Wrap;
        let cells = prelude::cell_type(dim);
        for (side, axis, step) in faces(dim) {
            let unit: Vec<String> = (0..dim as usize)
                .map(|d| if d == *axis { (step * if d == 0 { 4 } else { 1 }).to_string() } else { "0".into() })
                .collect();
            let moved = format!("(_cell + {cells}({}))", unit.join(", "));
            let place = match wraps {
                true => accessors::wrapped(&moved, resolution, dim),
                false => {
                    format!("clamp({moved}, {cells}(0), {})", prelude::cell_literal(resolution.map(|n| n - 1), dim))
                }
            };
            let _ = writeln!(
                out,
                "    let _p_{name}_{side} = {place};\n    let _q_{name}_{side} = {};",
                value
                    .layout()
                    .load_four(variable, &format!("({}) >> 2u", self.index_of_row(&format!("_p_{name}_{side}"), dim)))
            );
            for k in 0..CELLS_OF_A_ROW {
                let value = match (axis, step, k) {
                    // Before the first row's end there is nothing but the first cell itself.
                    (0, -1, 0) if wraps => format!("_q_{name}_{side}.w"),
                    (0, -1, 0) => format!("select(_q_{name}_{side}.w, _q_{name}_0.x, _cell.x == 0)"),
                    (0, -1, _) => cell_of_row(name, (1, 1), k - 1),
                    (0, _, 3) if wraps => format!("_q_{name}_{side}.x"),
                    (0, _, 3) => format!("select(_q_{name}_{side}.x, _q_{name}_0.w, _cell.x == {})", n - 4),
                    (0, ..) => cell_of_row(name, (1, 1), k + 1),
                    _ => format!("_q_{name}_{side}.{}", LETTERS[k as usize]),
                };
                set[k as usize].push_str(&format!(" _w_{name}_{side} = {value};"));
            }
        }
    }

    fn index_of_row(&self, cell: &str, dim: u32) -> String {
        accessors::index(cell, self.domain(self.node).resolution, dim)
    }

    /// Ports that are read through a window: value, variable of the memory, and the constant that it begins with instead.
    fn windowed(&self) -> Vec<(&Port, &Value, String, Option<String>)> {
        let mut out = Vec::new();
        for read in self.op.reads.iter().filter(|r| r.stage == OWN && r.part == Part::Whole) {
            let port = self.stage.header.ports.iter().filter(|p| p.reads()).nth(read.port);
            let (Some(port), Some(value)) = (port, self.program.values.get(read.value)) else { continue };
            if port.direction == Direction::In && self.port_window(port).is_some() {
                out.push((port, value, memory::read(port, &Part::Whole), None));
            }
        }
        for (port, write, value, in_place, target) in self.writes_of(OWN) {
            if port.direction == Direction::InOut && self.port_window(port).is_some() {
                let from = if in_place { target } else { memory::read(port, &Part::Whole) };
                out.push((port, self.before(write, value), from, write.start.as_ref().map(|_| begun(port))));
            }
        }
        out
    }
}

/// A cell of the row that is computed, of a port with so many numbers a cell and components among them.
fn cell_of_row(name: &str, (numbers, components): (u32, u32), k: u32) -> String {
    let part = |component: u32| {
        let flat = numbers * k + component;
        format!("_q_{name}_{}.{}", flat / 4, LETTERS[(flat % 4) as usize])
    };
    let parts: Vec<String> = (0..components).map(part).collect();
    if components == 1 { parts.concat() } else { format!("vec{components}f({})", parts.join(", ")) }
}
