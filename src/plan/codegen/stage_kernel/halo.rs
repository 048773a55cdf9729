//! Inputs in workgroup memory: loaded once, with a halo and by the edge rule, and read from there as often as a stage likes.

use super::*;
use crate::plan::codegen::accessors;
use crate::plan::ir::tiles::{self, Haloed};
use crate::plan::ir::workgroups::extent;
use crate::stage::interleave::interleave;

/// The accessor that reads an input where it lies.
fn far(port: &Port) -> String {
    format!("_far_{}", port.name)
}

impl StageKernel<'_> {
    /// The shape of this operation, where inputs come through workgroup memory.
    pub(super) fn haloed(&self) -> Option<Shape> {
        self.op.shape.filter(|shape| shape.halo > 0)
    }

    /// Cells of a row that an invocation computes in lockstep, where it takes several.
    fn in_lockstep(&self, shape: &Shape) -> Option<u32> {
        let [cells, ..] = tiles::block(self.graph, self.program, self.op, shape);
        (cells > 1 && !tiles::pairs(self.program, self.op)).then_some(cells)
    }

    /// A cell farther along the row.
    fn beside(&self, cell: &str, k: u32) -> String {
        let step = prelude::cell_literal([i64::from(k), 0, 0], self.graph.dim(self.node));
        format!("{cell} + {step}")
    }

    /// The function that computes several cells in lockstep, of a stage's text.
    pub(super) fn lockstep(&self, source: &str) -> String {
        let Some(cells) = self.haloed().and_then(|shape| self.in_lockstep(&shape)) else { return String::new() };
        let dim = self.graph.dim(self.node);
        let [x, y, z] = extent(self.graph, self.node);
        // Cells beyond the last one are it once more, for what is read at a cell of the domain is not looked after again.
        let place = |k: u32| match x.is_multiple_of(cells) {
            true => self.beside("_cell", k),
            false => format!(
                "min({}, {})",
                self.beside("_cell", k),
                prelude::cell_literal([x, y, z].map(|n| i64::from(n) - 1), dim)
            ),
        };
        interleave(source, cells, &place).unwrap_or_default()
    }

    fn tiles_of_inputs(&self) -> Vec<Haloed> {
        self.haloed().map_or_else(Vec::new, |shape| tiles::inputs(self.graph, self.program, self.op, shape.halo))
    }

    /// Whether some of it is as wide as a parameter says, so that the kernel stands there twice.
    fn depends(&self) -> bool {
        self.tiles_of_inputs().iter().any(|tile| tile.param.is_some())
    }

    /// The first cell that a workgroup computes, and whether it reads tiles.
    pub(super) fn halo_variables(&self, dim: u32) -> String {
        if self.haloed().is_none() {
            return String::new();
        }
        let tiled = if self.depends() { "var<private> _tiled: bool;\n" } else { "" };
        format!("var<private> _first: {};\n{tiled}", prelude::cell_type(dim))
    }

    /// `x(cell)` of an input that comes through workgroup memory, and its tile.
    pub(super) fn halo_accessor(&self, memory: &Memory<'_>, port: &Port) -> Option<String> {
        let shape = self.haloed()?;
        let of = |tile: &Haloed| self.stage.inputs().nth(tile.input).is_some_and(|p| p.name == port.name);
        let tile = self.tiles_of_inputs().into_iter().find(of)?;
        let dim = memory.domain.dim;
        let (cells, ty) = (prelude::cell_type(dim), memory.ty.value().wgsl(dim));
        let size = tiles::tile(tiles::inner(self.graph, self.program, self.op, &shape), tile.cells);
        let count: u32 = size.iter().product();
        let name = far(port);
        let elsewhere = Memory { name: &name, tile: None, held: None, edge: memory.edge, ..*memory }.cell();
        let held = match &memory.held {
            Some(radius) => format!("let _cell = {}; ", accessors::nearest(radius)),
            None => String::new(),
        };
        let asked = if memory.held.is_some() { "_asked" } else { "_cell" };
        let edge = prelude::cell_literal(tile.cells.map(i64::from), dim);
        let here = format!(
            "let _p = _cell - _first + {edge}; return _tile_{}[{}];",
            port.name,
            accessors::index("_p", size, dim)
        );
        let body = match self.depends() {
            true => format!("if (_tiled) {{ {here} }} return {name}(_cell);"),
            false => here,
        };
        Some(format!(
            "var<workgroup> _tile_{}: array<{ty}, {count}>;\n{elsewhere}\nfn {}({asked}: {cells}) -> {ty} {{ {held}{body} }}",
            port.name, port.name
        ))
    }

    /// The statements that load tiles and compute the cells of an invocation, and the entry point's arguments.
    pub(super) fn halos(&self, shape: &Shape, dim: u32, body: &mut String) -> String {
        let axes = if dim == 3 { "xyz" } else { "xy" };
        let (cells, vector) = (prelude::cell_type(dim), |v: [u32; 3]| prelude::cell_literal(v.map(i64::from), dim));
        let (inner, block) = (
            tiles::inner(self.graph, self.program, self.op, shape),
            tiles::block(self.graph, self.program, self.op, shape),
        );
        let _ = writeln!(
            body,
            "    _first = {cells}(_group.{axes}) * {};\n    let _own = _first + {cells}(_lane.{axes}) * {};",
            vector(inner),
            vector(block)
        );
        let lanes: u32 = shape.group.iter().product();
        let tiles = self.tiles_of_inputs();
        let mut load = String::new();
        for (tile, port) in tiles.iter().filter_map(|tile| Some((tile, self.stage.inputs().nth(tile.input)?))) {
            let size = tiles::tile(inner, tile.cells);
            let [x, y, _] = size;
            let place = match dim {
                3 => format!("vec3i(i32(_k % {x}u), i32(_k / {x}u % {y}u), i32(_k / {}u))", x * y),
                _ => format!("vec2i(i32(_k % {x}u), i32(_k / {x}u))"),
            };
            let _ = writeln!(
                load,
                "    for (var _k = _index; _k < {}u; _k += {lanes}u) {{ _tile_{}[_k] = {}(_first + {place} - {}); }}",
                size.iter().product::<u32>(),
                port.name,
                far(port),
                vector(tile.cells)
            );
        }
        load.push_str("    workgroupBarrier();\n");
        let extent = vector(extent(self.graph, self.node));
        let each = match self.in_lockstep(shape) {
            Some(cells) => {
                let store = |k: u32| {
                    let moved = self.beside("_own", k);
                    let stores = self.stores(dim, "", "");
                    format!(
                        "    {{ let _cell = {moved}; if (all(_cell < {extent})) {{ let _result = _results[{k}];{stores} }} }}\n"
                    )
                };
                let stores: String = (0..cells).map(store).collect();
                format!("    if (all(_own < {extent})) {{ let _results = _stages(_own);\n{stores}    }}\n")
            }
            None => {
                let pairs = tiles::pairs(self.program, self.op);
                let text = if pairs { self.pairs(dim) } else { format!("    {}\n", self.cell(dim, "")) };
                let step = if dim == 3 { "vec3i(0, _m, 0)" } else { "vec2i(0, _m)" };
                format!(
                    "    for (var _m = 0; _m < {}; _m++) {{ let _cell = _own + {step}; if (all(_cell < {extent})) {{\n{text}    }} }}\n",
                    block[1]
                )
            }
        };
        let within = tiles.iter().filter_map(|t| Some(format!("params.{} <= {}", t.param.as_ref()?, t.limit)));
        let within: Vec<String> = within.collect();
        // Twice the same text, so that the shader compiler knows in each where inputs are read.
        let _ = match within.is_empty() {
            true => write!(body, "{load}{each}"),
            false => writeln!(
                body,
                "    if ({}) {{\n    _tiled = true;\n{load}{each}    }} else {{\n    _tiled = false;\n{each}    }}",
                within.join(" && ")
            ),
        };
        "@builtin(workgroup_id) _group: vec3u, @builtin(local_invocation_id) _lane: vec3u, @builtin(local_invocation_index) _index: u32".into()
    }
}
