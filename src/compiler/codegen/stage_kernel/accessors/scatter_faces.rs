//! Sums on faces, in fixed point: `add_x(cell, axis, value)` adds to the lower face of a cell across an axis, and `add_x_at(position, value)`
//! adds each component of a vector to the faces around a position.
//!
//! ```wgsl
//! fn _put_flow(_cell: vec2i, _axis: i32, _q: i32) -> vec2i { var _w = -1; switch (_axis) { case 0: { let _c = ..; _w = 2 * (..) + 0; } .. } .. }
//! fn add_flow(_cell: vec2i, _axis: i32, _value: f32) { let _q = i32(round(_value * 65536.0f)); let _p = _put_flow(_cell, _axis, _q); .. }
//! ```

use super::grid::Grid;
use super::scatter::{MOST_STEPS, ROUNDER, ROUNDER_BITS, scale};
use crate::codegen::wgsl::{COMPONENTS, cell_edges, cell_type, cells_literal, element, float, position_type};
use crate::stage::types::EdgeRule;

impl Grid<'_> {
    /// `_put_x(cell, axis, steps)`: adds to the face that the edge rule gives, and returns its word, -1 where there is none, and the sum before.
    fn put_on_face(&self, variable: &str) -> String {
        let name = self.name;
        let dim = self.dim();
        let cells = cell_type(self.dim());
        let case = |axis: usize| {
            let label = if axis as u32 + 1 == dim { "default".to_string() } else { format!("case {axis}") };
            let leave = match self.edges.one() {
                Some(EdgeRule::Zero) => Some("any(_c != _cell)".to_string()),
                None if self.edges.has(EdgeRule::Zero) => {
                    let beyond = self.places(Some(axis)).beyond(self.edges.are(&[EdgeRule::Zero]));
                    Some(format!("any({beyond})"))
                }
                _ => None,
            };
            let leave = leave.map_or(String::new(), |outside| format!("if ({outside}) {{ return vec2i(-1, 0); }} "));
            // Around a period the first face is the last one too.
            let twin = match self.edges.wraps(axis) {
                true => format!(
                    " if (_c.{} == 0 && _q != 0) {{ atomicAdd(&{variable}[_w + {}], _q); }}",
                    COMPONENTS[axis],
                    self.around(axis)
                ),
                false => String::new(),
            };
            format!(
                "{label}: {{ {} {leave}_w = {dim} * ({}) + {axis};{twin} }}",
                self.face_place(axis),
                element("_c", self.domain.face_resolution(), dim)
            )
        };
        let cases: Vec<String> = (0..dim as usize).map(case).collect();
        format!(
            "fn _put_{name}(_cell: {cells}, _axis: i32, _q: i32) -> vec2i {{ var _w = -1; switch (_axis) {{ {} }} \
             var _o = 0; if (_q != 0) {{ _o = atomicAdd(&{variable}[_w], _q); }} return vec2i(_w, _o); }}",
            cases.join(" ")
        )
    }

    /// Words from the first face along an axis to the last.
    fn around(&self, axis: usize) -> u64 {
        let before: u64 = self.domain.face_resolution().iter().take(axis).map(|n| u64::from(*n)).product();
        u64::from(self.dim()) * before * u64::from(self.domain.resolution[axis])
    }

    /// `add_x(cell, axis, value)`, where every sum is checked.
    pub(super) fn add_to_face(&self, variable: &str, bits: u32) -> String {
        let name = self.name;
        let dim = self.dim();
        let cells = cell_type(self.dim());
        let scale = scale(bits);
        format!(
            "{}\nfn add_{name}(_cell: {cells}, _axis: i32, _value: f32) {{ let _r = round(_value * {scale}); let _q = i32(_r); \
             let _a = clamp(_axis, 0, {last}); let _p = _put_{name}(_cell, _a, _q); if (_p.x < 0) {{ return; }} \
             _check_{name}(_p.x / {dim}, _a, _value, _r, _q, _p.y); }}",
            self.put_on_face(variable),
            last = dim - 1
        )
    }

    /// `add_x` where a tile of workgroup memory adds up first, and `_flush_x(cell, axis, sum)`, which adds what the tile holds to the grid.
    pub(super) fn add_to_face_tiled(&self, variable: &str, bits: u32, size: [u32; 3]) -> String {
        let name = self.name;
        let dim = self.dim();
        let cells = cell_type(self.dim());
        let scale = scale(bits);
        let parts: Vec<String> = (0..dim).map(|axis| axis.to_string()).collect();
        format!(
            "{put}
fn add_{name}(_cell: {cells}, _axis: i32, _value: f32) {{
    let _a = clamp(_axis, 0, {last});
    let _steps = _value * {scale};
    if (_sampled) {{ _sample_{name}(select(vec{dim}f(), vec{dim}f(_steps), vec{dim}i({parts}) == vec{dim}i(_a))); }}
    let _t = _cell - _corner; let _most = abs(_steps); let _all = _added_{name} + _most;
    if (all(bitcast<vec{dim}u>(_t) < vec{dim}u({tile})) && _all < {most}) {{
        _added_{name} = _all;
        atomicAdd(&_tile_{name}[{in_tile} + _a * {count}], bitcast<i32>(_steps + {rounder}) - {ROUNDER_BITS}); return;
    }}
    let _q = i32(round(_steps)); let _p = _put_{name}(_cell, _a, _q); if (_p.x < 0) {{ return; }}
    _added_around_{name}(_p.x / {dim}, _steps, _q, _p.y);
}}
fn _flush_{name}(_cell: {cells}, _part: i32, _q: i32) -> vec2i {{
    if (_q == 0) {{ return vec2i(-1, 0); }}
    let _p = _put_{name}(_cell, _part, _q); return vec2i(select(_p.x / {dim}, -1, _p.x < 0), _p.y);
}}",
            put = self.put_on_face(variable),
            last = dim - 1,
            parts = parts.join(", "),
            tile = cells_literal(size, dim),
            most = float(f64::from(MOST_STEPS)),
            in_tile = element("_t", size, dim),
            count = size.iter().product::<u32>(),
            rounder = float(ROUNDER),
        )
    }

    /// `add_x_at(position, value)`: adds each component to the faces that `x_at` would read it from, with the same weights.
    pub(super) fn add_at_faces(&self) -> String {
        let (name, dim) = (self.name, self.dim());
        let (position, cells) = (position_type(dim), cell_type(dim));
        let h = cell_edges(self.domain).unwrap_or_else(|| float(self.domain.cell_size));
        let corner: Vec<String> = (0..dim).map(|axis| format!("(_n >> {axis}u) & 1")).collect();
        let weight: Vec<String> = COMPONENTS.iter().take(dim as usize).map(|axis| format!("_u.{axis}")).collect();
        let part = |axis: usize| {
            let q = self.bounded(&format!("_position / {h} - {position}({})", self.offset(axis)));
            format!(
                "{{ let _q = {q}; let _o = floor(_q); let _f = _q - _o; for (var _n = 0; _n < {corners}; _n++) {{ let _k = {cells}({corner}); \
                 let _u = select(1.0 - _f, _f, _k == {cells}(1)); add_{name}({cells}(_o) + _k, {axis}, {weight} * _value.{component}); }} }}",
                corners = 1 << dim,
                corner = corner.join(", "),
                weight = weight.join(" * "),
                component = COMPONENTS[axis],
            )
        };
        let parts: Vec<String> = (0..dim as usize).map(part).collect();
        format!("fn add_{name}_at(_position: {position}, _value: {position}) {{ {} }}", parts.join(" "))
    }
}
