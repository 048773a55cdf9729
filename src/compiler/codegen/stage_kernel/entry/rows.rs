//! Four cells of a row in one invocation. Rows are read four words at a time; what a cell's function asks for waits in variables of
//! which the shader compiler knows everything.
//!
//! ```wgsl
//! let _row = _cell.y * 64 + _cell.x;
//! let _q_p_0 = _read_p[1 * (_row >> 2u) + 0];
//! _at = _cell + vec2i(0, 0); _w_p = _q_p_0.x; let _v0 = stage(_at);
//! _write_p[1 * (_row >> 2u) + 0] = vec4f(_v0, _v1, _v2, _v3);
//! ```

use std::fmt::Write as _;

use crate::codegen::layout::half_of;
use crate::codegen::stage_kernel::accessors::window::{self, Face, faces};
use crate::codegen::stage_kernel::context::{Context, Written};
use crate::codegen::stage_kernel::{names, results};
use crate::codegen::wgsl::{COMPONENTS, cell_literal, clamped, element, wrapped};
use crate::ir::{OWN, Part, WireValue};
use crate::stage::header::{Direction, Port};
use crate::tuning::CELLS_OF_A_ROW;

/// A port that is read through a window.
struct Windowed<'a> {
    port: &'a Port,
    value: &'a WireValue,
    /// The variable of its buffer.
    variable: String,
}

/// Statements that set the variables of windows, for each of the four cells.
type Settings = [String; CELLS_OF_A_ROW as usize];

/// The statements that compute four cells from `_cell` on.
pub(super) fn rows(cx: &Context<'_>) -> String {
    let mut out = format!("    let _row = {};\n", element_of_row(cx, "_cell"));
    let mut set = Settings::default();
    for Windowed { port, value, variable } in windowed(cx) {
        loaded(cx, (port, value), &variable, &mut out, &mut set);
    }
    for (k, set) in set.iter().enumerate() {
        let step = cell_literal([k as i64, 0, 0], cx.dim);
        let _ = writeln!(out, "    _at = _cell + {step};{set} let _v{k} = stage(_at);");
    }
    out.extend(cx.writes().map(|written| store(cx, &written)));
    out
}

/// Ports that are read through a window.
fn windowed<'a>(cx: &Context<'a>) -> Vec<Windowed<'a>> {
    let mut out = Vec::new();
    for read in cx.reads(OWN).filter(|r| r.part == Part::Whole) {
        let (Some(port), Some(value)) = (cx.stage.inputs().nth(read.port), cx.value(read.value)) else { continue };
        if port.direction == Direction::In && window::port_window(cx, port).is_some() {
            out.push(Windowed { port, value, variable: names::read(port, &Part::Whole) });
        }
    }
    for written in cx.writes() {
        let Written { port, write, in_place, .. } = written;
        // Where memory holds nothing yet, the accessor gives the constant that all cells begin with.
        if port.direction == Direction::InOut && write.start.is_none() && window::port_window(cx, port).is_some() {
            let value = cx.updated(&written);
            let variable = if in_place { written.target } else { names::read(port, &Part::Whole) };
            out.push(Windowed { port, value, variable });
        }
    }
    out
}

/// Loads a row four words at a time, and sets the window of each cell from it.
fn loaded(cx: &Context<'_>, (port, value): (&Port, &WireValue), variable: &str, out: &mut String, set: &mut Settings) {
    let (name, layout) = (&port.name, value.layout());
    let (numbers, parts) = (layout.numbers(), value.ty.value().components(cx.dim));
    for four in 0..numbers {
        let from = layout.load_four(variable, &place_of_four(numbers, four));
        let _ = writeln!(out, "    let _q_{name}_{four} = {from};");
    }
    for (k, set) in (0..).zip(set.iter_mut()) {
        let _ = write!(set, " {} = {};", names::window(port), cell_of_row(name, (numbers, parts), k));
    }
    if window::has_faces(cx, port) {
        for side in faces(cx.dim) {
            load_side_row(cx, (port, value), variable, side, (out, set));
        }
    }
}

/// Loads the row beside the cells across one of their faces; along the row, the cells before or behind.
fn load_side_row(
    cx: &Context<'_>,
    (port, value): (&Port, &WireValue),
    variable: &str,
    side: &Face,
    (out, set): (&mut String, &mut Settings),
) {
    let Face { name: side, axis, step } = side;
    let name = &port.name;
    let resolution = cx.resolution();
    let window = names::window(port);
    let wraps = cx.edges(port, value).wraps(*axis);
    let mut unit = [0; 3];
    unit[*axis] = step * if *axis == 0 { i64::from(CELLS_OF_A_ROW) } else { 1 };
    let moved = format!("(_cell + {})", cell_literal(unit, cx.dim));
    let place = match wraps {
        true => wrapped(&moved, resolution, cx.dim),
        false => clamped(&moved, resolution, cx.dim),
    };
    let at = format!("({}) >> 2u", element_of_row(cx, &format!("_p_{name}_{side}")));
    let row = value.layout().load_four(variable, &at);
    let _ = writeln!(out, "    let _p_{name}_{side} = {place};\n    let _q_{name}_{side} = {row};");
    let (first, last) = ("_cell.x == 0".to_string(), format!("_cell.x == {}", resolution[0] - 4));
    let at_end = |beyond: &str, border: &str, end: &str| match wraps {
        true => format!("_q_{name}_{side}.{beyond}"),
        // Beyond the row's end there is nothing but its last cell itself.
        false => format!("select(_q_{name}_{side}.{beyond}, _q_{name}_0.{border}, {end})"),
    };
    for (k, set) in (0..).zip(set.iter_mut()) {
        let value = match (axis, step, k) {
            (0, -1, 0) => at_end("w", "x", &first),
            (0, -1, _) => cell_of_row(name, (1, 1), k - 1),
            (0, _, 3) => at_end("x", "w", &last),
            (0, ..) => cell_of_row(name, (1, 1), k + 1),
            _ => format!("_q_{name}_{side}.{}", COMPONENTS[k as usize]),
        };
        let _ = write!(set, " {window}_{side} = {value};");
    }
}

/// The statements that store what the four calls have returned for a port.
fn store(cx: &Context<'_>, Written { port, value, target, .. }: &Written<'_>) -> String {
    let (layout, parts) = (value.layout(), value.ty.value().components(cx.dim));
    let numbers = layout.numbers();
    let source = |k: u32| results::member(cx, cx.dispatched(), &format!("_v{k}"), &port.name);
    let number = |flat: u32| {
        let (cell, part) = (flat / numbers, flat % numbers);
        let number = match parts {
            1 => source(cell),
            _ if part >= parts => return "0.0".into(),
            _ => format!("{}.{}", source(cell), COMPONENTS[part as usize]),
        };
        if value.dithered { half_of(&number, &format!("_row + {cell}"), part) } else { number }
    };
    let four = |four: u32| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|lane| number(4 * four + lane));
        format!("    {}\n", layout.store_four(target, &place_of_four(numbers, four), [&a, &b, &c, &d]))
    };
    (0..numbers).map(four).collect()
}

/// The place of four numbers of a row of cells with so many numbers each.
fn place_of_four(numbers: u32, four: u32) -> String {
    format!("{numbers} * (_row >> 2u) + {four}")
}

fn element_of_row(cx: &Context<'_>, cell: &str) -> String {
    element(cell, cx.domain(cx.node).resolution, cx.dim)
}

/// A cell of the row that is computed, of a port with so many numbers a cell and components among them.
fn cell_of_row(name: &str, (numbers, components): (u32, u32), k: u32) -> String {
    let part = |component: u32| {
        let flat = numbers * k + component;
        format!("_q_{name}_{}.{}", flat / 4, COMPONENTS[(flat % 4) as usize])
    };
    let parts: Vec<String> = (0..components).map(part).collect();
    if components == 1 { parts.concat() } else { format!("vec{components}f({})", parts.join(", ")) }
}
