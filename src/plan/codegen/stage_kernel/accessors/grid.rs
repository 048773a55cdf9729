//! Grids in memory: the functions by which a stage reads cells, faces and positions. Stages never see storage, so layout, edge rule and
//! interpolation are decided here alone.
//!
//! ```wgsl
//! fn pressure(_cell: vec2i) -> f32 { let _c = clamp(_cell, vec2i(0), vec2i(63, 47)); return _read_pressure[_c.y * 64 + _c.x]; }
//! fn velocity_face(_cell: vec2i, _face: i32) -> f32 { let _axis = _face >> 1u; .. }
//! fn dye_at(_position: vec2f) -> vec4f { let _q = clamp(_position / 0.5f - 0.5, vec2f(-1.0), vec2f(65.0, 49.0)); .. }
//! ```

use super::super::context::{Context, Instance};
use super::super::names;
use super::super::tiles::Tiles;
use super::{halo, scatter, window};
use crate::graph::Domain;
use crate::plan::codegen::wgsl::{
    COMPONENTS, cell_edges, cell_literal, cell_type, clamped, component, element, float, mirrored, position_type,
    wrapped,
};
use crate::plan::ir::layout::Layout;
use crate::plan::ir::{OWN, Value};
use crate::stage::header::{Direction, Port, Radius};
use crate::stage::types::{EdgeRule, ValueType, WireType};
use crate::stage::{IterationSource, Stage};

/// A grid, as its accessors see it.
pub struct Grid<'a> {
    /// Port.
    pub name: &'a str,
    pub source: Source<'a>,
    pub ty: WireType,
    pub domain: &'a Domain,
    pub layout: Layout,
    pub edge: EdgeRule,
    /// Cells farther than this many from `_at` are not read but the nearest that are not.
    pub held: Option<String>,
}

/// Where the cells of a grid are.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// In a buffer: its variable.
    Buffer(&'a str),
    /// Recomputed by a function of a cell inside the domain.
    Function(&'a str),
    /// In workgroup memory: by the tile's first cell `_base`, or, where cells have several names, by the place of the computed cell `_at`
    /// in the tile, `_spot`.
    Tile {
        variable: &'a str,
        /// Cells along each axis.
        size: [u32; 3],
        /// Cells outside the domain hold what the edge rule says.
        ghosts: bool,
    },
}

/// The functions of a port whose cells are in memory or are recomputed: those that read it, or the one that adds to it.
pub fn accessor(cx: &Context<'_>, of: Instance<'_>, port: &Port, value: &Value, source: Source<'_>) -> String {
    if of.index == OWN && window::of(cx, port).is_some() {
        return window::accessor(cx, port, value);
    }
    let (name, layout) = (&port.name, value.layout());
    let Some(domain) = cx.domain_of(value) else {
        return format!("fn {name}() -> {} {{ return {}; }}", layout.wgsl(), source.load(layout, "0"));
    };
    let (edge, held) = (port.edge.unwrap_or(domain.edge), held_radius(cx, of.stage, port, value));
    let grid = Grid { name, source, ty: value.ty, domain, layout, edge, held };
    if let (Some(kind), Source::Buffer(variable)) = (port.scatter, source) {
        return scatter::writer(cx, of, port, &grid, (variable, kind));
    }
    if of.index == OWN
        && let Some(accessor) = halo::accessor(cx, &grid, port)
    {
        return accessor;
    }
    let tile = names::tile(port);
    let swept = Tiles::of(cx).filter(|_| of.index == OWN && port.direction == Direction::InOut);
    let source = swept.map_or(source, |t| Source::Tile { variable: &tile, size: t.size, ghosts: t.ghosts });
    Grid { source, ..grid }.readers(&|suffix| of.stage.calls(&format!("{name}{suffix}")))
}

/// The radius that a port's accessor has to hold, for the text alone does not prove it. Around a periodic axis it is not held.
pub fn held_radius(cx: &Context<'_>, stage: &Stage, port: &Port, value: &Value) -> Option<String> {
    let (radius, proven) = match port.direction {
        Direction::In if port.radius.is_none() => return None,
        Direction::In => {
            let around = stage.footprint(&port.name, value.dim)?;
            (around.radius.clone(), around.proven)
        }
        _ => stage.radius(port).map(|(cells, proven)| (Radius::Cells(cells), proven))?,
    };
    let holds = !proven && cx.edge(port, value) != EdgeRule::Wrap && stage.source() == IterationSource::Cells;
    holds.then(|| match radius {
        Radius::Cells(cells) => cells.to_string(),
        Radius::Param(name) => format!("params.{name}"),
    })
}

/// Whether an accessor has to know the cell that is computed.
pub fn holds_radius(cx: &Context<'_>) -> bool {
    let held = |of: Instance<'_>| {
        let read = cx.reads(of.index).filter_map(|r| Some((of.stage.inputs().nth(r.port)?, cx.value(r.value)?)));
        let written = cx.writes_of(of.index).map(|written| (written.port, written.value));
        let mut grids = read.chain(written).filter(|(port, _)| port.ty.is_grid());
        grids.any(|(port, value)| held_radius(cx, of.stage, port, value).is_some())
    };
    cx.instances().any(held)
}

/// The cell nearest to the one that is asked for, no more than a radius from the computed one.
pub fn nearest(radius: &str) -> String {
    format!("clamp(_asked, _at - {radius}, _at + {radius})")
}

impl Source<'_> {
    /// The value of an element of a buffer.
    fn load(self, layout: Layout, element: &str) -> String {
        match self {
            Source::Buffer(variable) | Source::Function(variable) | Source::Tile { variable, .. } => {
                layout.load(variable, element)
            }
        }
    }
}

impl Grid<'_> {
    pub fn dim(&self) -> u32 {
        self.domain.dim
    }

    pub fn resolution(&self) -> [i64; 3] {
        self.domain.resolution.map(i64::from)
    }

    /// WGSL type of a cell.
    pub fn wgsl(&self) -> &'static str {
        self.ty.value().wgsl(self.dim())
    }

    /// The functions that a stage calls to read it: `x`, which the others call, `x_face` and `x_at`.
    fn readers(&self, calls: &dyn Fn(&str) -> bool) -> String {
        let mut parts = Vec::new();
        if calls("") || calls("_at") || calls("_face") {
            parts.push(self.cell());
        }
        if calls("_face") {
            parts.push(self.face());
        }
        if calls("_at") {
            parts.push(self.at());
        }
        parts.join("\n")
    }

    /// `x(cell)`
    pub fn cell(&self) -> String {
        match self.ty {
            WireType::FaceGrid => self.faces(),
            _ => self.center(),
        }
    }

    fn center(&self) -> String {
        let (name, ty, cells) = (self.name, self.wgsl(), cell_type(self.dim()));
        let body = match self.source {
            Source::Tile { variable, size, ghosts } => self.tiled(variable, size, ghosts),
            _ => self.by_edge(),
        };
        match &self.held {
            Some(radius) => {
                let near = nearest(radius);
                format!("fn {name}(_asked: {cells}) -> {ty} {{ let _cell = {near}; {body} }}")
            }
            None => format!("fn {name}(_cell: {cells}) -> {ty} {{ {body} }}"),
        }
    }

    /// Statements that return the value of any cell `_cell`, by the edge rule.
    fn by_edge(&self) -> String {
        let (value, place) = (self.value("_c"), self.clamped());
        match self.edge {
            EdgeRule::Wall if self.ty.value() == ValueType::Vec => {
                format!("{place} let _v = {value}; return select(_v, -_v, _c != _cell);")
            }
            EdgeRule::Wall | EdgeRule::Clamp => format!("{place} return {value};"),
            EdgeRule::Zero => {
                let ty = self.wgsl();
                format!("{place} let _v = {value}; return select(_v, {ty}(), any(_c != _cell));")
            }
            EdgeRule::Wrap => format!("{} return {value};", self.wrapped()),
            EdgeRule::Mirror => format!("{} return {value};", self.mirrored()),
        }
    }

    /// The value of a cell inside the domain.
    fn value(&self, cell: &str) -> String {
        let dim = self.dim();
        match self.source {
            Source::Buffer(variable) => self.layout.load(variable, &element(cell, self.domain.resolution, dim)),
            Source::Function(function) => format!("{function}({cell})"),
            Source::Tile { variable, size, .. } => {
                // Mirrored, a cell that nothing needs may lie anywhere.
                let top = cell_literal(size.map(|n| i64::from(n) - 1), dim);
                let place = format!("clamp({cell} - _base, {}(0), {top})", cell_type(dim));
                format!("{variable}[{}]", element(&place, size, dim))
            }
        }
    }

    /// Statements that return the value of a cell from a tile: at its own place, where the tile lies inside the domain.
    fn tiled(&self, variable: &str, size: [u32; 3], ghosts: bool) -> String {
        let here = format!("{variable}[{}]", element("(_cell - _base)", size, self.dim()));
        match (self.edge, ghosts) {
            // Around a periodic axis a cell has several names, so it is found from the one that is computed.
            (EdgeRule::Wrap, _) => {
                let place = element("(_spot + (_cell - _at))", size, self.dim());
                format!("if (_inside) {{ return {here}; }} return {variable}[{place}];")
            }
            (_, true) => format!("return {here};"),
            (_, false) => format!("if (_inside) {{ return {here}; }} {}", self.by_edge()),
        }
    }

    /// `let _c = ..`: the nearest cell inside the domain.
    pub fn clamped(&self) -> String {
        format!("let _c = {};", clamped("_cell", self.resolution(), self.dim()))
    }

    /// The same of a periodic domain.
    pub fn wrapped(&self) -> String {
        format!("let _c = {};", wrapped("_cell", self.resolution(), self.dim()))
    }

    /// The same of a mirror.
    pub fn mirrored(&self) -> String {
        mirrored("_cell", self.resolution(), self.dim())
    }

    /// Lower faces of a cell.
    fn faces(&self) -> String {
        let (name, dim) = (self.name, self.dim());
        let (cells, ty) = (cell_type(dim), position_type(dim));
        let parts: Vec<String> = (0..dim as usize).map(|axis| self.face_component(axis)).collect();
        format!("fn {name}(_cell: {cells}) -> {ty} {{ var _v: {ty}; {} return _v; }}", parts.join(" "))
    }

    /// The statements that set one component of `_v`. Along its own axis a component has one face more than there are cells; face -k
    /// mirrors face k, cell -1 mirrors cell 0.
    fn face_component(&self, axis: usize) -> String {
        let (dim, n, name) = (self.dim(), self.resolution(), COMPONENTS[axis]);
        let last = |of_cells: [i64; 3], of_faces: i64| {
            let mut last = of_cells.map(|n| n - 1);
            last[axis] = of_faces;
            cell_literal(last, dim)
        };
        let place = match self.edge {
            EdgeRule::Wrap => self.wrapped(),
            EdgeRule::Mirror => {
                let period = n.map(|n| 2 * n);
                let p = wrapped("_cell", period, dim);
                format!("let _p = {p}; let _c = min(_p, {} - _p);", last(period, period[axis]))
            }
            _ => format!("let _c = clamp(_cell, {}(0), {});", cell_type(dim), last(n, n[axis])),
        };
        let value = match (self.source, dim) {
            (Source::Buffer(variable), 3) => format!("{variable}[3 * ({}) + {axis}]", self.face_element()),
            (Source::Buffer(variable), _) => format!("{variable}[{}].{name}", self.face_element()),
            _ => format!("{}.{name}", self.value("_c")),
        };
        let value = match self.edge {
            EdgeRule::Zero => format!("select({value}, 0.0, any(_c != _cell))"),
            _ => value,
        };
        format!("{{ {place} _v.{name} = {value}; }}")
    }

    fn face_element(&self) -> String {
        element("_c", self.domain.face_resolution(), self.dim())
    }

    /// `x_face(cell, face)`
    fn face(&self) -> String {
        let (name, cells) = (self.name, cell_type(self.dim()));
        let picked = component("_v", "_axis", self.dim());
        format!(
            "fn {name}_face(_cell: {cells}, _face: i32) -> f32 {{ let _axis = _face >> 1u; let _v = {name}(_cell + unit(_axis) * (_face & 1)); return {picked}; }}"
        )
    }

    /// `x_at(position)`: linear between cell centres, or between the faces of each component.
    fn at(&self) -> String {
        let (name, dim) = (self.name, self.dim());
        let (position, ty) = (position_type(dim), self.wgsl());
        let h = cell_edges(self.domain).unwrap_or_else(|| float(self.domain.cell_size));
        let head = format!("fn {name}_at(_position: {position}) -> {ty}");
        if matches!(self.ty.value(), ValueType::I32 | ValueType::U32) {
            let q = self.bounded(&format!("floor(_position / {h})"));
            return format!("{head} {{ return {name}({}({q})); }}", cell_type(dim));
        }
        if self.ty != WireType::FaceGrid {
            let q = self.bounded(&format!("_position / {h} - 0.5"));
            return format!("{head} {{ let _q = {q}; {} }}", self.blend("", "return "));
        }
        let part = |axis: usize| {
            let offset: Vec<&str> = (0..dim as usize).map(|d| if d == axis { "0.0" } else { "0.5" }).collect();
            let q = self.bounded(&format!("_position / {h} - {position}({})", offset.join(", ")));
            let component = COMPONENTS[axis];
            let sum = self.blend(&format!(".{component}"), &format!("_v.{component} = "));
            format!("{{ let _q = {q}; {sum} }}")
        };
        let parts: Vec<String> = (0..dim as usize).map(part).collect();
        format!("{head} {{ var _v: {ty}; {} return _v; }}", parts.join(" "))
    }

    /// Keeps a coordinate where it converts to an integer. Beyond a cell outside, and a face beyond that, nothing changes any
    /// more, or everything comes again.
    fn bounded(&self, q: &str) -> String {
        let (dim, ty) = (self.dim(), position_type(self.dim()));
        let vector = |f: fn(i64) -> i64| {
            let parts: Vec<String> =
                self.resolution().iter().take(dim as usize).map(|n| format!("{}.0", f(*n))).collect();
            format!("{ty}({})", parts.join(", "))
        };
        let periodic = |n: String| format!("({q}) - floor(({q}) / {n}) * {n}");
        match self.edge {
            EdgeRule::Wrap => periodic(vector(|n| n)),
            EdgeRule::Mirror => periodic(vector(|n| 2 * n)),
            _ => format!("clamp({q}, {ty}(-1.0), {})", vector(|n| n + 1)),
        }
    }

    /// Linear interpolation around the coordinate `_q`, from the accessor itself so that the edge rule holds.
    fn blend(&self, component: &str, result: &str) -> String {
        let (name, dim, cells) = (self.name, self.dim(), cell_type(self.dim()));
        let corner = |x: i32, y: i32, z: i32| match dim {
            3 => format!("{name}(_b + vec3i({x}, {y}, {z})){component}"),
            _ => format!("{name}(_b + vec2i({x}, {y})){component}"),
        };
        let row = |y, z| format!("mix({}, {}, _f.x)", corner(0, y, z), corner(1, y, z));
        let plane = |z| format!("mix({}, {}, _f.y)", row(0, z), row(1, z));
        let sum = if dim == 3 { format!("mix({}, {}, _f.z)", plane(0), plane(1)) } else { plane(0) };
        format!("let _o = floor(_q); let _f = _q - _o; let _b = {cells}(_o); {result}{sum};")
    }
}
