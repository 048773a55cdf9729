//! Ports whose cells come into registers before the stage runs: its accessor shows the computed cell, or the one across a face.
//!
//! ```wgsl
//! var<private> _w_pressure: f32;
//! var<private> _w_pressure_west: f32;
//! fn pressure(_cell: vec2i) -> f32 { let _d = _cell - _at; if (_d.x < 0) { return _w_pressure_west; } .. return _w_pressure; }
//! ```

use std::fmt::Write as _;

use crate::codegen::stage_kernel::context::Context;
use crate::codegen::stage_kernel::names;
use crate::codegen::wgsl::{COMPONENTS, cell_type};
use crate::ir::WireValue;
use crate::ir::window::{Side, Window, window};
use crate::stage::Reach;
use crate::stage::header::{Direction, Port};

/// A side across which a cell is read.
pub(crate) struct Face {
    pub name: &'static str,
    pub axis: usize,
    pub step: i64,
}

/// The faces of a cell.
pub(crate) fn faces(dim: u32) -> &'static [Face] {
    const ALL: [Face; 6] = [
        Face { name: "west", axis: 0, step: -1 },
        Face { name: "east", axis: 0, step: 1 },
        Face { name: "south", axis: 1, step: -1 },
        Face { name: "north", axis: 1, step: 1 },
        Face { name: "below", axis: 2, step: -1 },
        Face { name: "above", axis: 2, step: 1 },
    ];
    &ALL[..2 * dim as usize]
}

/// The window of a port of the dispatched stage, where there is one.
pub(crate) fn port_window(cx: &Context<'_>, port: &Port) -> Option<Window> {
    if cx.in_columns() && port.writes() {
        let faces = cx.stage.reach(&port.name) == Reach::Faces;
        return Some(if faces { Window::Faces } else { Window::Own });
    }
    if !cx.mapping.is_row() {
        return None;
    }
    let side = if port.direction == Direction::In { Side::Input } else { Side::Output };
    let index = match side {
        Side::Input => cx.stage.inputs().position(|p| p.name == port.name)?,
        Side::Output => cx.stage.outputs().position(|p| p.name == port.name)?,
    };
    window(cx.graph, cx.program, cx.op, index, side).filter(|window| *window != Window::Narrow)
}

/// Whether a port shows what is across the faces of a cell, too.
pub(crate) fn has_faces(cx: &Context<'_>, port: &Port) -> bool {
    port_window(cx, port) == Some(Window::Faces)
}

/// The variables of a port with a window, and the function that shows them.
pub(crate) fn accessor(cx: &Context<'_>, port: &Port, value: &WireValue) -> String {
    let (name, window) = (&port.name, names::window(port));
    let (ty, cells) = (value.layout().wgsl(), cell_type(cx.dim));
    let mut out = format!("var<private> {window}: {ty};\n");
    if !has_faces(cx, port) {
        let _ = write!(out, "fn {name}(_cell: {cells}) -> {ty} {{ return {window}; }}");
        return out;
    }
    let sides = faces(cx.dim);
    for side in sides {
        let _ = writeln!(out, "var<private> {window}_{}: {ty};", side.name);
    }
    let _ = write!(out, "fn {name}(_cell: {cells}) -> {ty} {{ let _d = _cell - _at;");
    for Face { name: side, axis, step } in sides {
        let sign = if *step < 0 { "<" } else { ">" };
        let _ = write!(out, " if (_d.{} {sign} 0) {{ return {window}_{side}; }}", COMPONENTS[*axis]);
    }
    let _ = write!(out, " return {window}; }}");
    out
}
