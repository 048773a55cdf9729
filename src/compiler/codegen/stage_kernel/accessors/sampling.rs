//! Grids between their cells: `x_at(position)`, linear between cell centres, or between the faces of each component; and its transpose,
//! `add_x_at(position, value)`.
//!
//! Where a border shows its nearest cell, perhaps scaled, the coordinate is kept inside instead of each of the four or eight cells, and these
//! are loaded at constant distances from the first.
//!
//! ```wgsl
//! fn dye_at(_position: vec2f) -> vec4f { let _u = _position / 0.5f - 0.5; let _q = clamp(_u, vec2f(0.0), vec2f(63.0, 47.0)); .. }
//! fn tile_at(_position: vec2f) -> vec4f { let _q = (_position / 0.5f - 0.5) - floor(..) * vec2f(64.0, 48.0); let _o = floor(_q); .. }
//! ```

use super::grid::{Grid, Source};
use crate::codegen::sides;
use crate::codegen::wgsl::{COMPONENTS, cell_edges, cell_literal, cell_type, element, float, position_type};
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
            let blend = self.blend(&format!("_position / {h} - 0.5"), None);
            return format!("{head} {{ {} return {}; }}", blend.before, blend.value);
        }
        let part = |axis: usize| {
            let blend = self.blend(&format!("_position / {h} - {position}({})", self.offset(axis)), Some(axis));
            format!("{{ {} _v.{} = {}; }}", blend.before, COMPONENTS[axis], blend.value)
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

    /// Linear interpolation around a coordinate. `faces`: of the faces across this axis.
    fn blend(&self, coordinate: &str, faces: Option<usize>) -> Blend {
        if let Some(inside) = self.blend_inside(coordinate, faces) {
            return inside;
        }
        let cells = cell_type(self.dim());
        let q = self.bounded(coordinate);
        Blend {
            before: format!("let _q = {q}; let _o = floor(_q); let _f = _q - _o; let _b = {cells}(_o);"),
            value: self.mixed(|corner| self.corner(self.name, corner, faces)),
        }
    }

    /// Interpolation at the nearest coordinate inside, where that and a factor is all that a border does; `None` where it does more, or a grid
    /// is so narrow that there is nothing between its cells. Which of the two it is depends on nothing that a plan chooses.
    fn blend_inside(&self, coordinate: &str, faces: Option<usize>) -> Option<Blend> {
        let (dim, cells, ty) = (self.dim(), cell_type(self.dim()), position_type(self.dim()));
        let mut last = self.resolution().map(|n| n - 1);
        faces.and_then(|axis| last.get_mut(axis)).into_iter().for_each(|last| *last += 1);
        let other = self.edges.has(EdgeRule::Wrap) || self.edges.has(EdgeRule::Mirror);
        if other || last.iter().take(dim as usize).any(|last| *last < 1) {
            return None;
        }
        let ends: Vec<String> = last.iter().take(dim as usize).map(|last| format!("{last}.0")).collect();
        let mut before = format!("let _u = {coordinate}; let _q = clamp(_u, {ty}(0.0), {ty}({})); ", ends.join(", "));
        let (zero, below) = (format!("{cells}(0)"), cell_literal(last.map(|last| last - 1), dim));
        before += &format!("let _b = clamp({cells}(_q), {zero}, {below}); let _f = _q - {ty}(_b);");
        let mut value = match (self.source, &self.pooled, &self.held) {
            (Source::Buffer(variable), None, None) if !self.ty.value().is_array() && self.layout.fixed.is_none() => {
                let size = match faces {
                    Some(_) => self.domain.face_resolution(),
                    None => self.domain.resolution,
                };
                before += &format!(" let _e = {};", element("_b", size, dim));
                self.mixed(|[x, y, z]| {
                    let [along, deep, _] = size;
                    let place = match x + along * (y + deep * z) {
                        0 => "_e".to_string(),
                        apart => format!("(_e + {apart})"),
                    };
                    match (faces, dim) {
                        (Some(axis), 3) => format!("{variable}[3 * {place} + {axis}]"),
                        (Some(axis), _) => format!("{variable}[{place}].{}", COMPONENTS[axis]),
                        (None, _) => self.layout.load(variable, &place),
                    }
                })
            }
            (Source::Function(function), None, None) => self.mixed(|corner| self.corner(function, corner, faces)),
            _ => self.mixed(|corner| self.corner(self.name, corner, faces)),
        };
        let turns = faces.is_none() && self.ty.value() == ValueType::Vec && self.edges.has(EdgeRule::Wall);
        let fades = self.edges.has(EdgeRule::Zero);
        if turns || fades {
            // Infinity times zero would be no number.
            before += &format!(" let _d = clamp(_u - _q, {ty}(-1.0), {ty}(1.0));");
        }
        if turns {
            // What is turned round at a wall goes from one cell to its image.
            value = format!("{value} * ({ty}(1.0) - 2.0 * {})", self.beyond(EdgeRule::Wall));
        }
        if fades {
            before += &format!(" let _z = {ty}(1.0) - {};", self.beyond(EdgeRule::Zero));
            let parts: Vec<String> = COMPONENTS.iter().take(dim as usize).map(|axis| format!("_z.{axis}")).collect();
            value = format!("({}) * ({value})", parts.join(" * "));
        }
        Some(Blend { before, value })
    }

    /// How far beyond the nearest coordinate inside, up to a cell, a coordinate lies along each axis on the sides with this rule.
    fn beyond(&self, rule: EdgeRule) -> String {
        let (dim, ty) = (self.dim(), position_type(self.dim()));
        let sides = self.edges.are(&[rule]);
        let mask = |side: usize| {
            let parts = sides.iter().take(dim as usize).map(|sides| if sides[side] { "1.0" } else { "0.0" });
            format!("{ty}({})", parts.collect::<Vec<_>>().join(", "))
        };
        match sides.iter().take(dim as usize).all(|sides| *sides == [true; 2]) {
            true => "abs(_d)".to_string(),
            false => format!("max(_d * {}, -_d * {})", mask(1), mask(0)),
        }
    }

    /// The value of a cell, or of its face across an axis, by the accessor, so that the edge rule holds, or by another function of a cell.
    fn corner(&self, function: &str, corner: [u32; 3], faces: Option<usize>) -> String {
        let (cell, number) = (cell_literal(corner.map(i64::from), self.dim()), self.number().1);
        let component = faces.map_or(String::new(), |axis| format!(".{}", COMPONENTS[axis]));
        format!("{function}(_b + {cell}{number}){component}")
    }

    /// The values of four or eight cells, mixed by `_f`.
    fn mixed(&self, corner: impl Fn([u32; 3]) -> String) -> String {
        // WGSL mixes no matrices.
        let mix = |a: String, b: String, axis: &str| match self.ty.value() == ValueType::Mat {
            true => format!("((1.0 - _f.{axis}) * {a} + _f.{axis} * {b})"),
            false => format!("mix({a}, {b}, _f.{axis})"),
        };
        let row = |y, z| mix(corner([0, y, z]), corner([1, y, z]), "x");
        let plane = |z| mix(row(0, z), row(1, z), "y");
        if self.dim() == 3 { mix(plane(0), plane(1), "z") } else { plane(0) }
    }
}

/// Interpolation between cells.
struct Blend {
    /// Statements before the value.
    before: String,
    value: String,
}
