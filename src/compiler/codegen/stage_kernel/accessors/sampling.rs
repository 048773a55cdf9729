//! Grids between their cells: `x_at(position)`, linear between cell centres, or between the faces of each component; and its transpose,
//! `add_x_at(position, value)`.
//!
//! ```wgsl
//! fn dye_at(_position: vec2f) -> vec4f { let _q = clamp(_position / 0.5f - 0.5, vec2f(-1.0), vec2f(65.0, 49.0)); let _o = floor(_q); .. }
//! ```

use super::grid::Grid;
use crate::codegen::sides;
use crate::codegen::wgsl::{COMPONENTS, cell_edges, cell_type, float, position_type};
use crate::stage::types::{EdgeRule, ValueType, WireType};

impl Grid<'_> {
    /// `x_at(position)`
    pub(crate) fn sample_at(&self) -> String {
        let (name, dim) = (self.name, self.dim());
        let (position, ty) = (position_type(dim), self.wgsl());
        let h = cell_edges(self.domain).unwrap_or_else(|| float(self.domain.cell_size));
        let head = format!("fn {name}_at(_position: {position}{}) -> {ty}", self.number().0);
        if self.nearest || matches!(self.ty.value(), ValueType::I32 | ValueType::U32) {
            let q = self.bounded(&format!("floor(_position / {h})"));
            return format!("{head} {{ return {name}({}({q})); }}", cell_type(dim));
        }
        if self.ty != WireType::FaceGrid {
            let q = self.bounded(&format!("_position / {h} - 0.5"));
            return format!("{head} {{ let _q = {q}; {} }}", self.blend("", "return "));
        }
        let part = |axis: usize| {
            let q = self.bounded(&format!("_position / {h} - {position}({})", self.offset(axis)));
            let component = COMPONENTS[axis];
            let sum = self.blend(&format!(".{component}"), &format!("_v.{component} = "));
            format!("{{ let _q = {q}; {sum} }}")
        };
        let parts: Vec<String> = (0..dim as usize).map(part).collect();
        format!("{head} {{ var _v: {ty}; {} return _v; }}", parts.join(" "))
    }

    /// `add_x_at(position, value)`: adds to the cells that `x_at` would read, with the same weights.
    pub(crate) fn add_at(&self) -> String {
        let name = self.name;
        let dim = self.dim();
        let ty = self.wgsl();
        let (position, cells) = (position_type(dim), cell_type(dim));
        let h = cell_edges(self.domain).unwrap_or_else(|| float(self.domain.cell_size));
        let q = self.bounded(&format!("_position / {h} - 0.5"));
        let corner: Vec<String> = (0..dim).map(|axis| format!("(_n >> {axis}u) & 1")).collect();
        let weight: Vec<String> = COMPONENTS.iter().take(dim as usize).map(|axis| format!("_w.{axis}")).collect();
        format!(
            "fn add_{name}_at(_position: {position}, _value: {ty}) {{ let _q = {q}; let _o = floor(_q); let _f = _q - _o; \
             for (var _n = 0; _n < {corners}; _n++) {{ let _u = {cells}({corner}); let _w = select(1.0 - _f, _f, _u == {cells}(1)); \
             add_{name}({cells}(_o) + _u, {weight} * _value); }} }}",
            corners = 1 << dim,
            corner = corner.join(", "),
            weight = weight.join(" * "),
        )
    }

    /// Where the faces across an axis are in their cells, as components of a position \[cells\].
    pub(super) fn offset(&self, axis: usize) -> String {
        let parts = (0..self.dim() as usize).map(|d| if d == axis { "0.0" } else { "0.5" });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Keeps a coordinate where it converts to an integer. Beyond a cell outside, and a face beyond that, nothing changes any
    /// more, or everything comes again.
    pub(super) fn bounded(&self, q: &str) -> String {
        let (dim, ty) = (self.dim(), position_type(self.dim()));
        let vector = |f: fn(i64) -> i64| {
            let parts: Vec<String> =
                self.resolution().iter().take(dim as usize).map(|n| format!("{}.0", f(*n))).collect();
            format!("{ty}({})", parts.join(", "))
        };
        let periodic = |n: String| format!("({q}) - floor(({q}) / {n}) * {n}");
        let bounded = || format!("clamp({q}, {ty}(-1.0), {})", vector(|n| n + 1));
        match self.edges.one() {
            Some(EdgeRule::Wrap) => periodic(vector(|n| n)),
            Some(EdgeRule::Mirror) => periodic(vector(|n| 2 * n)),
            Some(_) => bounded(),
            None => {
                // One mirror shows the box once more, two repeat it.
                let mirrors = self.edges.are(&[EdgeRule::Mirror]);
                let mut found = bounded();
                for (mirrored, new) in [
                    (mirrors.map(|m| m.contains(&true)), format!("clamp({q}, -{0}, {0})", vector(|n| 2 * n + 1))),
                    (mirrors.map(|m| m == [true; 2]), periodic(vector(|n| 2 * n))),
                    (sides::periodic(self.edges), periodic(vector(|n| n))),
                ] {
                    if mirrored.iter().take(dim as usize).any(|axis| *axis) {
                        found = format!("select({found}, {new}, {})", sides::mask(mirrored, dim));
                    }
                }
                found
            }
        }
    }

    /// Linear interpolation around the coordinate `_q`, from the accessor itself so that the edge rule holds.
    fn blend(&self, component: &str, result: &str) -> String {
        let name = self.name;
        let dim = self.dim();
        let cells = cell_type(self.dim());
        let number = self.number().1;
        let corner = |x: i32, y: i32, z: i32| match dim {
            3 => format!("{name}(_b + vec3i({x}, {y}, {z}){number}){component}"),
            _ => format!("{name}(_b + vec2i({x}, {y}){number}){component}"),
        };
        // WGSL mixes no matrices.
        let mix = |a: String, b: String, axis: &str| match self.ty.value() == ValueType::Mat {
            true => format!("((1.0 - _f.{axis}) * {a} + _f.{axis} * {b})"),
            false => format!("mix({a}, {b}, _f.{axis})"),
        };
        let row = |y, z| mix(corner(0, y, z), corner(1, y, z), "x");
        let plane = |z| mix(row(0, z), row(1, z), "y");
        let sum = if dim == 3 { mix(plane(0), plane(1), "z") } else { plane(0) };
        format!("let _o = floor(_q); let _f = _q - _o; let _b = {cells}(_o); {result}{sum};")
    }
}
