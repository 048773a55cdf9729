//! The functions through which a stage reads and writes its ports. Stages never see storage, so layout, edge rule and
//! interpolation are decided here alone.

use crate::graph::Domain;
use crate::plan::codegen::prelude::{cell_literal, cell_type, edges, float, position_type};
use crate::plan::ir::layout::Layout;
use crate::stage::types::{EdgeRule, ValueType, WireType};

/// A grid in memory, as accessors see it.
pub struct Memory<'a> {
    /// Port.
    pub name: &'a str,
    /// Variable of the buffer; or `f()`, a function that gives the value of a cell inside the domain.
    pub variable: &'a str,
    pub ty: WireType,
    pub domain: &'a Domain,
    pub layout: Layout,
    pub edge: EdgeRule,
    /// Where it is read from instead: by the tile's first cell `_base`, or, where cells have several names, by the place of the
    /// computed cell `_at` in the tile, `_spot`.
    pub tile: Option<Tile>,
    /// Cells farther than this many from `_at` are not read but the nearest that are not.
    pub held: Option<String>,
}

/// A part of a grid in workgroup memory.
pub struct Tile {
    pub variable: String,
    /// Cells along each axis.
    pub size: [u32; 3],
    /// Cells outside the domain hold what the edge rule says.
    pub ghosts: bool,
}

/// The cell nearest to the one that is asked for, no more than a radius from the computed one.
pub fn nearest(radius: &str) -> String {
    format!("clamp(_asked, _at - {radius}, _at + {radius})")
}

/// WGSL type of a buffer that holds such values: vectors of three as three scalars, since `vec3f` would pad.
pub fn storage_type(value: ValueType, dim: u32) -> String {
    match value.components(dim) {
        1 | 3 => format!("array<{}>", value.scalar().wgsl()),
        16 => "array<mat4x4f>".into(),
        n => format!("array<vec{n}f>"),
    }
}

/// An expression that loads element `index`.
pub fn load(variable: &str, value: ValueType, dim: u32, index: &str) -> String {
    match value.components(dim) {
        3 => format!("vec3f({variable}[3 * ({index})], {variable}[3 * ({index}) + 1], {variable}[3 * ({index}) + 2])"),
        _ => format!("{variable}[{index}]"),
    }
}

/// Statements that store `source` to element `index`.
pub fn store(variable: &str, value: ValueType, dim: u32, index: &str, source: &str) -> String {
    match value.components(dim) {
        3 => format!(
            "{variable}[3 * ({index})] = {source}.x; {variable}[3 * ({index}) + 1] = {source}.y; {variable}[3 * ({index}) + 2] = {source}.z;"
        ),
        _ => format!("{variable}[{index}] = {source};"),
    }
}

/// An expression for the element of a cell (`c` names a cell) in a grid of so many cells.
pub fn index(cell: &str, resolution: [u32; 3], dim: u32) -> String {
    let [x, y, _] = resolution;
    match dim {
        3 => format!("({cell}.z * {y} + {cell}.y) * {x} + {cell}.x"),
        _ => format!("{cell}.y * {x} + {cell}.x"),
    }
}

impl Memory<'_> {
    fn dim(&self) -> u32 {
        self.domain.dim
    }

    fn resolution(&self) -> [i64; 3] {
        self.domain.resolution.map(i64::from)
    }

    /// `x(cell)`
    pub fn cell(&self) -> String {
        match self.ty {
            WireType::FaceGrid => self.faces(),
            _ => self.center(),
        }
    }

    fn center(&self) -> String {
        let (name, dim, cells) = (self.name, self.dim(), cell_type(self.dim()));
        let value = self.ty.value();
        let ty = value.wgsl(dim);
        let at = |cell: &str| match &self.tile {
            // A cell that is made anew: a call and no memory.
            None if self.variable.ends_with("()") => format!("{}({cell})", self.variable.trim_end_matches("()")),
            None => self.layout.load(self.variable, &index(cell, self.domain.resolution, dim)),
            Some(tile) => {
                // Mirrored, a cell that nothing needs may lie anywhere.
                let top = cell_literal(tile.size.map(|n| i64::from(n) - 1), dim);
                let place = format!("clamp({cell} - _base, {cells}(0), {top})");
                format!("{}[{}]", tile.variable, index(&place, tile.size, dim))
            }
        };
        let body = match self.edge {
            EdgeRule::Wall if value == ValueType::Vec => {
                format!("let _c = {}; let _v = {}; return select(_v, -_v, _c != _cell);", self.clamped(), at("_c"))
            }
            EdgeRule::Wall | EdgeRule::Clamp => format!("let _c = {}; return {};", self.clamped(), at("_c")),
            EdgeRule::Zero => {
                format!(
                    "let _c = {}; let _v = {}; return select(_v, {ty}(), any(_c != _cell));",
                    self.clamped(),
                    at("_c")
                )
            }
            EdgeRule::Wrap => format!("let _c = {}; return {};", wrapped("_cell", self.resolution(), dim), at("_c")),
            EdgeRule::Mirror => {
                format!("{} return {};", self.mirrored(), at("_c"))
            }
        };
        let body = match &self.tile {
            None => body,
            Some(tile) => {
                let here = format!("{}[{}]", tile.variable, index("(_cell - _base)", tile.size, dim));
                match (self.edge, tile.ghosts) {
                    // Around a periodic axis a cell has several names, so it is found from the one that is computed.
                    (EdgeRule::Wrap, _) => {
                        let place = index("(_spot + (_cell - _at))", tile.size, dim);
                        format!("if (_inside) {{ return {here}; }} return {}[{place}];", tile.variable)
                    }
                    (_, true) => format!("return {here};"),
                    (_, false) => format!("if (_inside) {{ return {here}; }} {body}"),
                }
            }
        };
        match &self.held {
            Some(radius) => {
                let near = nearest(radius);
                format!("fn {name}(_asked: {cells}) -> {ty} {{ let _cell = {near}; {body} }}")
            }
            None => format!("fn {name}(_cell: {cells}) -> {ty} {{ {body} }}"),
        }
    }

    fn clamped(&self) -> String {
        let top = cell_literal(self.resolution().map(|n| n - 1), self.dim());
        format!("clamp(_cell, {}(0), {top})", cell_type(self.dim()))
    }

    fn mirrored(&self) -> String {
        let dim = self.dim();
        let period = self.resolution().map(|n| 2 * n);
        let top = cell_literal(period.map(|n| n - 1), dim);
        let p = wrapped("_cell", period, dim);
        format!("let _p = {p}; let _c = min(_p, {top} - _p);")
    }

    /// Lower faces of a cell. Along its own axis a component has one face more than there are cells.
    fn faces(&self) -> String {
        let (name, dim, cells) = (self.name, self.dim(), cell_type(self.dim()));
        let n = self.resolution();
        let stored = self.domain.face_resolution();
        let mut parts = Vec::new();
        for axis in 0..dim as usize {
            let component = ["x", "y", "z"][axis];
            // Along its own axis a component has a face more than cells; face -k mirrors face k, cell -1 mirrors cell 0.
            let mut top = n.map(|n| n - 1);
            top[axis] = n[axis];
            let mut period = n.map(|n| 2 * n - 1);
            period[axis] = 2 * n[axis];
            let place = match self.edge {
                EdgeRule::Wrap => format!("let _c = {};", wrapped("_cell", n, dim)),
                EdgeRule::Mirror => {
                    let p = wrapped("_cell", n.map(|n| 2 * n), dim);
                    format!("let _p = {p}; let _c = min(_p, {} - _p);", cell_literal(period, dim))
                }
                _ => format!("let _c = clamp(_cell, {cells}(0), {});", cell_literal(top, dim)),
            };
            let value = match dim {
                3 => format!("{}[3 * ({}) + {axis}]", self.variable, index("_c", stored, dim)),
                _ => format!("{}[{}].{component}", self.variable, index("_c", stored, dim)),
            };
            let value = match self.edge {
                EdgeRule::Zero => format!("select({value}, 0.0, any(_c != _cell))"),
                _ => value,
            };
            parts.push(format!("{{ {place} _v.{component} = {value}; }}"));
        }
        let ty = position_type(dim);
        format!("fn {name}(_cell: {cells}) -> {ty} {{ var _v: {ty}; {} return _v; }}", parts.join(" "))
    }

    /// `x_face(cell, face)`
    pub fn face(&self) -> String {
        let (name, cells) = (self.name, cell_type(self.dim()));
        let pick = match self.dim() {
            3 => "select(select(_v.x, _v.y, _axis == 1), _v.z, _axis == 2)",
            _ => "select(_v.x, _v.y, _axis == 1)",
        };
        format!(
            "fn {name}_face(_cell: {cells}, _face: i32) -> f32 {{ let _axis = _face >> 1u; let _v = {name}(_cell + unit(_axis) * (_face & 1)); return {pick}; }}"
        )
    }

    /// `x_at(position)`: linear between cell centres, or between the faces of each component.
    pub fn at(&self) -> String {
        let (name, dim) = (self.name, self.dim());
        let (position, value) = (position_type(dim), self.ty.value());
        let h = edges(self.domain).unwrap_or_else(|| float(self.domain.cell_size));
        let ty = value.wgsl(dim);
        let head = format!("fn {name}_at(_position: {position}) -> {ty}");
        if matches!(value, ValueType::I32 | ValueType::U32) {
            let q = self.bounded(&format!("floor(_position / {h})"));
            return format!("{head} {{ return {name}({}({q})); }}", cell_type(dim));
        }
        if self.ty != WireType::FaceGrid {
            let q = self.bounded(&format!("_position / {h} - 0.5"));
            return format!("{head} {{ let _q = {q}; {} }}", blend(name, "", dim, "return "));
        }
        let mut parts = Vec::new();
        for axis in 0..dim as usize {
            let offset: Vec<&str> = (0..dim as usize).map(|d| if d == axis { "0.0" } else { "0.5" }).collect();
            let component = ["x", "y", "z"][axis];
            let q = self.bounded(&format!("_position / {h} - {position}({})", offset.join(", ")));
            let sum = blend(name, &format!(".{component}"), dim, &format!("_v.{component} = "));
            parts.push(format!("{{ let _q = {q}; {sum} }}"));
        }
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

    /// `add_x(cell, value)`. `checked`: every sum is checked by the functions of `stage_kernel::checks`.
    pub fn add(&self, bits: u32, checked: bool) -> String {
        let (name, dim, cells) = (self.name, self.dim(), cell_type(self.dim()));
        let value = self.ty.value();
        let ty = value.wgsl(dim);
        let n = value.components(dim);
        let place = match self.edge {
            EdgeRule::Zero => format!("let _c = {}; if (any(_c != _cell)) {{ return; }}", self.clamped()),
            EdgeRule::Wrap => format!("let _c = {};", wrapped("_cell", self.resolution(), dim)),
            EdgeRule::Mirror => self.mirrored(),
            EdgeRule::Wall | EdgeRule::Clamp => format!("let _c = {};", self.clamped()),
        };
        let scale = float(f64::from(1u32 << bits));
        let element = index("_c", self.domain.resolution, dim);
        let whole = matches!(value, ValueType::I32 | ValueType::U32);
        let adds: Vec<String> = (0..n)
            .map(|i| {
                let part =
                    if n == 1 { "_value".to_string() } else { format!("_value.{}", ["x", "y", "z", "w"][i as usize]) };
                if checked && !whole {
                    return format!(
                        "{{ let _r = round({part} * {scale}); let _q = i32(_r); let _o = atomicAdd(&{}[{n} * ({element}) + {i}], _q); \
                         _check_{name}({element}, {i}, {part}, _r, _q, _o); }}",
                        self.variable
                    );
                }
                let amount = match value {
                    ValueType::I32 => part,
                    ValueType::U32 => format!("i32({part})"),
                    _ => format!("i32(round({part} * {scale}))"),
                };
                format!("atomicAdd(&{}[{n} * ({element}) + {i}], {amount})", self.variable)
            })
            .collect();
        // A whole number's sum before is of use: it numbers what was added.
        if whole {
            let place = place.replace("return;", &format!("return {ty}(0);"));
            if checked {
                return format!(
                    "fn add_{name}(_cell: {cells}, _value: {ty}) -> {ty} {{ {place} let _o = {ty}({}); _check_{name}({element}, _value, _o); return _o; }}",
                    adds.join(" ")
                );
            }
            return format!(
                "fn add_{name}(_cell: {cells}, _value: {ty}) -> {ty} {{ {place} return {ty}({}); }}",
                adds.join(" ")
            );
        }
        if checked {
            return format!("fn add_{name}(_cell: {cells}, _value: {ty}) {{ {place} {} }}", adds.join(" "));
        }
        format!("fn add_{name}(_cell: {cells}, _value: {ty}) {{ {place} {}; }}", adds.join("; "))
    }

    /// `min_x(cell, value)` or `max_x(cell, value)`. Floats go in as integers of the same order.
    pub fn extreme(&self, min: bool) -> String {
        let (name, dim, cells) = (self.name, self.dim(), cell_type(self.dim()));
        let value = self.ty.value();
        let word = if min { "min" } else { "max" };
        let place = match self.edge {
            EdgeRule::Wrap => format!("let _c = {};", wrapped("_cell", self.resolution(), dim)),
            EdgeRule::Mirror => self.mirrored(),
            // What lies outside a picture is not at its border.
            _ => format!("let _c = {}; if (any(_c != _cell)) {{ return; }}", self.clamped()),
        };
        let key = match value {
            ValueType::F32 => "let _b = bitcast<i32>(_value); let _k = select(_b, _b ^ 0x7fffffff, _b < 0);",
            _ => "let _k = _value;",
        };
        let element = index("_c", self.domain.resolution, dim);
        format!(
            "fn {word}_{name}(_cell: {cells}, _value: {}) {{ {place} {key} atomic{}(&{}[{element}], _k); }}",
            value.wgsl(dim),
            if min { "Min" } else { "Max" },
            self.variable
        )
    }
}

/// Linear interpolation around the coordinate `q`, from the accessor itself so that the edge rule holds.
fn blend(name: &str, component: &str, dim: u32, result: &str) -> String {
    let cells = cell_type(dim);
    let corner = |x: i32, y: i32, z: i32| match dim {
        3 => format!("{name}(_b + vec3i({x}, {y}, {z})){component}"),
        _ => format!("{name}(_b + vec2i({x}, {y})){component}"),
    };
    let row = |y, z| format!("mix({}, {}, _f.x)", corner(0, y, z), corner(1, y, z));
    let plane = |z| format!("mix({}, {}, _f.y)", row(0, z), row(1, z));
    let sum = if dim == 3 { format!("mix({}, {}, _f.z)", plane(0), plane(1)) } else { plane(0) };
    format!("let _o = floor(_q); let _f = _q - _o; let _b = {cells}(_o); {result}{sum};")
}

/// A periodic cell: a mask for powers of two. SPIR-V leaves the remainder of a negative number open, and NVIDIA's is wrong, so
/// what lies below zero is mirrored to what does not, by the bits of its sign, and back.
pub fn wrapped(cell: &str, n: [i64; 3], dim: u32) -> String {
    let whole = cell_literal(n, dim);
    if n.iter().take(dim as usize).all(|n| n.count_ones() == 1) {
        format!("({cell} & {})", cell_literal(n.map(|n| n - 1), dim))
    } else {
        let sign = format!("({cell} >> vec{dim}u(31u))");
        format!("(((({cell} ^ {sign}) % {whole}) ^ {sign}) + ({whole} & {sign}))")
    }
}
