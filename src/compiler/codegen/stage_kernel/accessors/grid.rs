//! Grids in memory: the functions by which a stage reads cells and faces. Stages never see storage, so layout and edge rule are decided
//! here alone.
//!
//! ```wgsl
//! fn pressure(_cell: vec2i) -> f32 { let _c = clamp(_cell, vec2i(0), vec2i(63, 47)); return _read_pressure[_c.y * 64 + _c.x]; }
//! fn velocity_face(_cell: vec2i, _face: i32) -> f32 { let _axis = _face >> 1u; .. }
//! ```

use super::radius;
use crate::codegen::sides::{Places, mask, periodic};
use crate::codegen::wgsl::{
    COMPONENTS, cell_literal, cell_type, clamped, component, element, float, mirrored, position_type, wrapped,
};
use crate::graph::Domain;
use crate::ir::layout::Layout;
use crate::stage::edges::Edges;
use crate::stage::types::{EdgeRule, ValueType, WireType};

/// A grid, as its accessors see it.
pub(crate) struct Grid<'a> {
    /// Port.
    pub name: &'a str,
    pub source: Source<'a>,
    pub ty: WireType,
    pub domain: &'a Domain,
    pub layout: Layout,
    pub edges: Edges,
    /// Read at positions without interpolation.
    pub nearest: bool,
    /// The function that says where a cell, or a face, lies in memory that there is for blocks alone.
    pub pooled: Option<String>,
    /// Cells farther than this many from `_at` are not read but the nearest that are not.
    pub held: Option<String>,
}

/// Where the cells of a grid are.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A buffer, by its variable.
    Buffer(&'a str),
    /// Recomputed by a function of a cell inside the domain.
    Function(&'a str),
    /// Workgroup memory: by the tile's first cell `_base`, or, where cells have several names, by the place of the computed cell `_at`
    /// in the tile, `_spot`.
    Tile {
        variable: &'a str,
        /// Cells along each axis.
        size: [u32; 3],
        /// Cells outside the domain hold what the edge rule says.
        ghosts: bool,
    },
}

impl Source<'_> {
    /// The value of an element of a buffer.
    pub(crate) fn load(self, layout: Layout, element: &str) -> String {
        match self {
            Source::Buffer(variable) | Source::Function(variable) | Source::Tile { variable, .. } => {
                layout.load(variable, element)
            }
        }
    }
}

impl Grid<'_> {
    pub(crate) fn dim(&self) -> u32 {
        self.domain.dim
    }

    pub(crate) fn resolution(&self) -> [i64; 3] {
        self.domain.resolution.map(i64::from)
    }

    /// WGSL type of what is read of a cell.
    pub(crate) fn wgsl(&self) -> &'static str {
        if self.ty.value().is_array() { "f32" } else { self.ty.value().wgsl(self.dim()) }
    }

    /// The further parameter of functions that read one number of several, and its argument.
    pub(crate) fn number(&self) -> (&'static str, &'static str) {
        if self.ty.value().is_array() { (", _i: i32", ", _i") } else { ("", "") }
    }

    /// `x(cell)`
    pub(crate) fn cell(&self) -> String {
        match self.ty {
            WireType::FaceGrid => self.faces(),
            _ => self.center(),
        }
    }

    fn center(&self) -> String {
        let name = self.name;
        let ty = self.wgsl();
        let cells = cell_type(self.dim());
        let number = self.number().0;
        let mut body = match self.source {
            Source::Tile { variable, size, ghosts } => self.tiled(variable, size, ghosts),
            _ => self.by_edge(),
        };
        if !number.is_empty() {
            body = format!("let _n = clamp(_i, 0, {}); {body}", self.layout.components() - 1);
        }
        match &self.held {
            Some(radius) => {
                let near = radius::nearest(radius);
                format!("fn {name}(_asked: {cells}{number}) -> {ty} {{ let _cell = {near}; {body} }}")
            }
            None => format!("fn {name}(_cell: {cells}{number}) -> {ty} {{ {body} }}"),
        }
    }

    /// Statements that return the value of any cell `_cell`, by the edge rule.
    fn by_edge(&self) -> String {
        let (value, place) = (self.value("_c"), self.clamped());
        let Some(edge) = self.edges.one() else { return self.by_sides(&value) };
        match edge {
            EdgeRule::Wall if self.ty.value() == ValueType::Vec => {
                format!("{place} let _v = {value}; return select(_v, -_v, _c != _cell);")
            }
            EdgeRule::Zero if self.ty.value() == ValueType::Mat => {
                format!("{place} if (any(_c != _cell)) {{ return {}(); }} return {value};", self.wgsl())
            }
            EdgeRule::Zero => {
                let ty = self.wgsl();
                format!("{place} let _v = {value}; return select(_v, {ty}(), any(_c != _cell));")
            }
            EdgeRule::Wrap => format!("{} return {value};", self.wrapped()),
            EdgeRule::Mirror => format!("{} return {value};", self.mirrored()),
            _ => format!("{place} return {value};"),
        }
    }

    /// The body of an accessor where the rules of the sides differ.
    fn by_sides(&self, value: &str) -> String {
        let places = self.places(None);
        let (walls, zeros) = (self.edges.are(&[EdgeRule::Wall]), self.edges.are(&[EdgeRule::Zero]));
        let mut out = format!("{} var _v = {value};", self.shown());
        if self.ty.value() == ValueType::Vec && self.edges.has(EdgeRule::Wall) {
            out += &format!(" _v = select(_v, -_v, {});", places.beyond(walls));
        }
        if self.edges.has(EdgeRule::Zero) {
            out += &format!(" if (any({})) {{ _v = {}(); }}", places.beyond(zeros), self.wgsl());
        }
        out + " return _v;"
    }

    /// The cells of the grid, or its faces along an axis.
    pub(crate) fn places(&self, faces: Option<usize>) -> Places {
        Places { n: self.resolution(), dim: self.dim(), faces }
    }

    /// `let _c = ..`: the cell inside the domain that `_cell` shows, where sides differ.
    pub(crate) fn shown(&self) -> String {
        format!("let _c = {};", self.places(None).shown("_cell", self.edges))
    }

    /// The value of a cell inside the domain.
    fn value(&self, cell: &str) -> String {
        let dim = self.dim();
        match self.source {
            Source::Buffer(variable) => {
                let element = match &self.pooled {
                    Some(place) => format!("{place}({cell})"),
                    None => element(cell, self.domain.resolution, dim),
                };
                match self.ty.value().is_array() {
                    true => self.layout.load_number(variable, &element, "_n", self.domain.cells()),
                    false => self.layout.load(variable, &element),
                }
            }
            Source::Function(function) => format!("{function}({cell})"),
            Source::Tile { variable, size, .. } => {
                // Mirrored, a cell that nothing needs may lie anywhere.
                let top = cell_literal(size.map(|n| i64::from(n) - 1), dim);
                let mut place = format!("{cell} - _base");
                if self.edges.has(EdgeRule::Wrap) {
                    place = format!("select({place}, _spot + (_cell - _at), {})", mask(periodic(self.edges), dim));
                }
                let place = format!("clamp({place}, {}(0), {top})", cell_type(dim));
                format!("{variable}[{}]", element(&place, size, dim))
            }
        }
    }

    /// Statements that return the value of a cell from a tile: at its own place, where the tile lies inside the domain.
    fn tiled(&self, variable: &str, size: [u32; 3], ghosts: bool) -> String {
        let here = format!("{variable}[{}]", element("(_cell - _base)", size, self.dim()));
        match (self.edges.one(), ghosts) {
            // Around a periodic axis a cell has several names, so it is found from the one that is computed.
            (Some(EdgeRule::Wrap), _) => {
                let place = element("(_spot + (_cell - _at))", size, self.dim());
                format!("if (_inside) {{ return {here}; }} return {variable}[{place}];")
            }
            (_, true) => format!("return {here};"),
            (_, false) => format!("if (_inside) {{ return {here}; }} {}", self.by_edge()),
        }
    }

    /// `let _c = ..`: the nearest cell inside the domain.
    pub(crate) fn clamped(&self) -> String {
        format!("let _c = {};", clamped("_cell", self.resolution(), self.dim()))
    }

    /// `let _c = ..`: the cell of a periodic domain.
    pub(crate) fn wrapped(&self) -> String {
        format!("let _c = {};", wrapped("_cell", self.resolution(), self.dim()))
    }

    /// `let _c = ..`: the cell of a domain whose sides are mirrors.
    pub(crate) fn mirrored(&self) -> String {
        mirrored("_cell", self.resolution(), self.dim())
    }

    /// Lower faces of a cell.
    fn faces(&self) -> String {
        let (name, dim) = (self.name, self.dim());
        let (cells, ty) = (cell_type(dim), position_type(dim));
        let parts: Vec<String> = (0..dim as usize).map(|axis| self.face_component(axis)).collect();
        let inside = match self.source {
            Source::Tile { variable, size, .. } => {
                format!("if (_inside) {{ return {variable}[{}]; }} ", element("(_cell - _base)", size, dim))
            }
            _ => String::new(),
        };
        format!("fn {name}(_cell: {cells}) -> {ty} {{ {inside}var _v: {ty}; {} return _v; }}", parts.join(" "))
    }

    /// `let _c = ..`: the place inside the domain of the lower face of `_cell` across an axis. Along this axis there is one face more than cells;
    /// face -k mirrors face k, cell -1 mirrors cell 0.
    pub(super) fn face_place(&self, axis: usize) -> String {
        let (dim, n) = (self.dim(), self.resolution());
        let last = |of_cells: [i64; 3], of_faces: i64| {
            let mut last = of_cells.map(|n| n - 1);
            last[axis] = of_faces;
            cell_literal(last, dim)
        };
        match self.edges.one() {
            None => format!("let _c = {};", self.places(Some(axis)).shown("_cell", self.edges)),
            Some(EdgeRule::Wrap) => self.wrapped(),
            Some(EdgeRule::Mirror) => {
                let period = n.map(|n| 2 * n);
                let p = wrapped("_cell", period, dim);
                format!("let _p = {p}; let _c = min(_p, {} - _p);", last(period, period[axis]))
            }
            _ => format!("let _c = clamp(_cell, {}(0), {});", cell_type(dim), last(n, n[axis])),
        }
    }

    /// The statements that set one component of `_v`.
    fn face_component(&self, axis: usize) -> String {
        let dim = self.dim();
        let name = COMPONENTS[axis];
        let place = self.face_place(axis);
        let value = match (self.source, dim) {
            (Source::Buffer(variable), 3) => format!("{variable}[3 * ({}) + {axis}]", self.face_element()),
            (Source::Buffer(variable), _) => format!("{variable}[{}].{name}", self.face_element()),
            _ => format!("{}.{name}", self.value("_c")),
        };
        let value = match (self.source, self.layout.fixed) {
            (Source::Buffer(_), Some(bits)) => format!("(f32({value}) / {})", float(f64::from(1u32 << bits))),
            _ => value,
        };
        let value = match self.edges.one() {
            Some(EdgeRule::Zero) => format!("select({value}, 0.0, any(_c != _cell))"),
            None if self.edges.has(EdgeRule::Zero) => {
                let beyond = self.places(Some(axis)).beyond(self.edges.are(&[EdgeRule::Zero]));
                format!("select({value}, 0.0, any({beyond}))")
            }
            _ => value,
        };
        format!("{{ {place} _v.{name} = {value}; }}")
    }

    fn face_element(&self) -> String {
        match &self.pooled {
            Some(place) => format!("{place}(_c)"),
            None => element("_c", self.domain.face_resolution(), self.dim()),
        }
    }

    /// `x_face(cell, face)`
    pub(crate) fn face(&self) -> String {
        let (name, cells) = (self.name, cell_type(self.dim()));
        let picked = component("_v", "_axis", self.dim());
        format!(
            "fn {name}_face(_cell: {cells}, _face: i32) -> f32 {{ let _axis = _face >> 1u; let _v = {name}(_cell + unit(_axis) * (_face & 1)); return {picked}; }}"
        )
    }
}
