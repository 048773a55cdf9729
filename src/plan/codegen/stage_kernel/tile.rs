//! Several sweeps in one dispatch. A workgroup loads a tile with a halo, sweeps it in its own memory, and stores the inner part,
//! which is right: what the tile's border lacks moves inwards by a radius with each sweep.

use crate::plan::codegen::accessors::{self, Tile};
use crate::plan::ir::tiles::{halo, held_inputs, holds_domain, ring, tile_inner, tile_size};
use crate::plan::tuning::Shape;
use std::collections::BTreeSet;

use super::*;

/// The variable that an input's value for the computed cell is in.
pub fn input(port: &Port) -> String {
    format!("_in_{}", port.name)
}

/// What the parts of a tile's text have in common.
pub(super) struct Parts {
    pub dim: u32,
    pub size: [u32; 3],
    halo: u32,
    ring: u32,
    /// Cells of an invocation, one behind the other along the last axis.
    pub cells: u32,
    pub wraps: bool,
}

impl Parts {
    /// The axis along which an invocation's cells lie.
    pub fn column(&self) -> usize {
        self.dim as usize - 1
    }

    /// Words of a tile between a cell of a column and the next.
    pub fn stride(&self) -> u32 {
        self.size.iter().take(self.column()).product()
    }

    /// The vector from an invocation's first cell to one of its others.
    pub fn along(&self, k: &str) -> String {
        if self.dim == 3 { format!("vec3i(0, 0, {k})") } else { format!("vec2i(0, {k})") }
    }
}

impl StageKernel<'_> {
    fn parts(&self, shape: &Shape) -> Parts {
        Parts {
            dim: self.graph.dim(self.node),
            size: tile_size(self.graph, self.op, shape),
            halo: halo(self.graph, self.op),
            ring: ring(self.graph, self.op),
            cells: shape.cells,
            wraps: self.writes().any(|(port, _, value, _)| self.edge(port, value) == EdgeRule::Wrap),
        }
    }

    /// How far one sweep looks.
    pub(super) fn tile_ring(&self) -> u32 {
        ring(self.graph, self.op)
    }

    pub(super) fn edge(&self, port: &Port, value: &Value) -> EdgeRule {
        let domain = value.domain.and_then(|d| self.graph.domains.get(d));
        port.edge.or(domain.map(|d| d.edge)).unwrap_or(EdgeRule::Wall)
    }

    /// The tile that a written port is read from, where there is one.
    pub(super) fn tile(&self, port: &Port) -> Option<Tile> {
        let shape = self.op.shape.filter(|_| self.op.sweeps > 1 && port.direction == Direction::InOut)?;
        Some(Tile {
            variable: format!("_tile_{}", port.name),
            size: tile_size(self.graph, self.op, &shape),
            ghosts: self.has_ghosts(),
        })
    }

    /// The tiles, and the function that computes a cell of them.
    pub(super) fn tile_memory(&self, shape: &Shape) -> String {
        let parts = self.parts(shape);
        let mut out = String::new();
        let count: u32 = parts.size.iter().product();
        for (port, _, value, _) in self.writes() {
            let ty = value.ty.value().wgsl(value.dim);
            let _ = writeln!(out, "var<workgroup> _tile_{}: array<{ty}, {count}>;", port.name);
        }
        let cells = prelude::cell_type(parts.dim);
        let _ = writeln!(out, "var<private> _base: {cells};\nvar<private> _at: {cells};\nvar<private> _inside: bool;");
        for (port, value) in self.own_inputs() {
            let _ = writeln!(out, "var<private> {}: {};", input(port), value.ty.value().wgsl(value.dim));
        }
        if self.in_columns() {
            return out;
        }
        let returned = match self.returned().as_slice() {
            [(_, ty)] => ty.to_string(),
            _ => "Result".into(),
        };
        let at = match (parts.wraps, self.has_ghosts()) {
            (true, _) => {
                format!("_spot = _l; _at = {};", accessors::wrapped("(_base + _l)", self.resolution(), parts.dim))
            }
            // What a cell outside shows is a cell inside, sweep by sweep.
            (_, true) => format!("{} _at = _c;", self.near(parts.dim)),
            _ => "_at = _base + _l;".into(),
        };
        let spot = if parts.wraps { format!("var<private> _spot: {cells};\n") } else { String::new() };
        let _ = writeln!(
            out,
            "{spot}fn _sweep(_l: {cells}) -> {returned} {{\n    \
                 if (_inside) {{ _at = _base + _l; }} else {{ {at} }}\n    \
                 return stage(_at);\n\
             }}"
        );
        out
    }

    /// Inputs that are read at the computed cell only. They are the same in every sweep, so they wait in registers.
    pub(super) fn own_inputs(&self) -> Vec<(&Port, &Value)> {
        let found = held_inputs(self.graph, self.program, self.op).into_iter().filter_map(|port| {
            let all = self.op.reads.iter().chain(&self.op.forwarded);
            let value = all.filter(|r| r.stage == OWN).find(|r| r.port == port)?.value;
            Some((self.stage.inputs().nth(port)?, self.program.values.get(value)?))
        });
        found.collect()
    }

    /// Whether an input waits in registers.
    pub(super) fn held_input(&self, of: InstanceId, port: &Port) -> bool {
        of == OWN && self.op.sweeps > 1 && self.own_inputs().iter().any(|(p, _)| p.name == port.name)
    }

    pub(super) fn resolution(&self) -> [i64; 3] {
        self.domain(self.node).resolution.map(i64::from)
    }

    /// Functions, the body of the entry point that calls them, and its arguments. They are several, for naga takes time that grows
    /// with the square of a function's length.
    pub(super) fn tiles(&self, shape: &Shape) -> (String, String, String) {
        let parts = self.parts(shape);
        let (dim, cells, vector) = (parts.dim, prelude::cell_type(parts.dim), |v: [u32; 3]| {
            prelude::cell_literal(v.map(i64::from), parts.dim)
        });
        let axes = if dim == 3 { "xyz" } else { "xy" };
        let inner = tile_inner(self.graph, self.op, shape);
        let own = if dim == 3 { [1, 1, parts.cells] } else { [1, parts.cells, 1] };
        let index = |l: &str| accessors::index(l, parts.size, dim);
        let mut out = format!(
            "    _base = {cells}(_group.{axes}) * {} - {};\n    let _first = {cells}(_lane.{axes}) * {};\n",
            vector(inner),
            vector([parts.halo; 3]),
            vector(own)
        );
        let near = match parts.wraps {
            true => format!("let _c = {};", accessors::wrapped("(_base + _l)", self.resolution(), dim)),
            false => self.near(dim),
        };
        let mut store = String::new();
        for (port, write, value, _) in self.writes() {
            let tile = |place: &str| format!("_tile_{}[{}]", port.name, index(place));
            let (layout, element) = (value.layout(), self.element_of("_c", value, dim));
            let to = memory::written(port, &write.part);
            let _ = match layout.pairs() {
                // A tile's inner part begins and ends between pairs, since halos lie on both sides of an even number of cells.
                true => {
                    let next = format!("(_l + {})", prelude::cell_literal([1, 0, 0], dim));
                    let both = layout.store_pair(&to, &element, &tile("_l"), &tile(&next));
                    write!(store, " if ((_c.x & 1) == 0) {{ {both} }}")
                }
                false => write!(store, " {}", layout.store(&to, &element, &tile("_l"))),
            };
        }
        let inside = format!(
            "all(_l >= {}) && all(_l < {}) && all(_c < {})",
            vector([parts.halo; 3]),
            vector(parts.size.map(|n| n.saturating_sub(parts.halo))),
            prelude::cell_literal(self.resolution(), dim)
        );
        let mut functions = self.fill(&parts, &near, &inside);
        let sweeps = |whole: bool| match self.in_columns() {
            true => self.columns(&parts, whole),
            false => (String::new(), self.sweeps(&parts)),
        };
        // Twice the same text: where the whole tile lies inside the domain, the shader compiler drops all that edges need.
        let whole = format!(
            "all(_base >= {cells}(0)) && all(_base + {} <= {})",
            vector(parts.size),
            prelude::cell_literal(self.resolution(), dim)
        );
        let (cell, body) = sweeps(false);
        let _ = writeln!(
            functions,
            "{cell}fn _beyond(_first: {cells}) {{\n    _inside = false;\n{body}}}\n\
             fn _keep(_l: {cells}) {{ let _c = _base + _l; if ({inside}) {{{store} }} }}"
        );
        out.push_str("    _fill(_first);\n    workgroupBarrier();\n");
        // A tile that holds the domain ends where that does, so every read has to know its edge.
        if parts.ring == 0 {
            out.push_str("    _beyond(_first);\n");
        } else {
            let (cell, body) = sweeps(true);
            let _ = writeln!(functions, "{cell}fn _within(_first: {cells}) {{\n    _inside = true;\n{body}}}");
            let _ = writeln!(out, "    if ({whole}) {{ _within(_first); }} else {{ _beyond(_first); }}");
        }
        for k in 0..parts.cells {
            let _ = writeln!(out, "    _keep(_first + {});", parts.along(&k.to_string()));
        }
        let arguments = "@builtin(workgroup_id) _group: vec3u, @builtin(local_invocation_id) _lane: vec3u";
        (functions, out, arguments.into())
    }

    /// Whether cells outside the domain can be computed like the cell that they show: by a rule that shows one, in whole sweeps.
    fn has_ghosts(&self) -> bool {
        let shows = |(port, _, value, _): (&Port, _, &Value, _)| match self.edge(port, value) {
            EdgeRule::Clamp | EdgeRule::Mirror => true,
            EdgeRule::Wall => value.ty.value() != ValueType::Vec,
            EdgeRule::Zero | EdgeRule::Wrap => false,
        };
        let rules: BTreeSet<&str> = self.writes().map(|(port, _, value, _)| self.shown(port, value)).collect();
        let whole = self.op.shape.is_some_and(|shape| holds_domain(self.graph, self.op, &shape));
        !whole && self.op.color.is_none() && rules.len() == 1 && self.writes().all(shows)
    }

    /// Which cell a cell outside shows: ports that differ in it have no common one.
    fn shown(&self, port: &Port, value: &Value) -> &'static str {
        if self.edge(port, value) == EdgeRule::Mirror { "mirrored" } else { "nearest" }
    }

    /// `let _c = ..`: the cell inside the domain that the place `_l` of a tile shows.
    fn near(&self, dim: u32) -> String {
        let mirrored = self.writes().any(|(port, _, value, _)| self.edge(port, value) == EdgeRule::Mirror);
        let (cells, n) = (prelude::cell_type(dim), self.resolution());
        if mirrored {
            let period = n.map(|n| 2 * n);
            let p = accessors::wrapped("(_base + _l)", period, dim);
            return format!(
                "let _p = {p}; let _c = min(_p, {} - _p);",
                prelude::cell_literal(period.map(|n| n - 1), dim)
            );
        }
        format!("let _c = clamp(_base + _l, {cells}(0), {});", prelude::cell_literal(n.map(|n| n - 1), dim))
    }

    /// Statements that bring the inputs of an invocation's cell where the accessors read them.
    pub(super) fn inputs_of(&self, k: u32) -> String {
        self.own_inputs().iter().enumerate().map(|(i, (port, _))| format!("{} = _i{i}_{k}; ", input(port))).collect()
    }

    /// The same where the colour decides between a cell and the next.
    pub(super) fn inputs_of_either(&self, k: u32) -> String {
        let one = |(i, (port, _)): (usize, &(&Port, &Value))| {
            format!("{} = select(_i{i}_{k}, _i{i}_{}, _odd == 1); ", input(port), k + 1)
        };
        self.own_inputs().iter().enumerate().map(one).collect()
    }

    /// The counters that a stage may name, in a sweep.
    pub(super) fn counted(&self) -> String {
        let mut out = String::new();
        if self.names("iteration") {
            let done = if self.op.color.is_some() { "(_s >> 1u)" } else { "_s" };
            let _ = writeln!(out, "        iteration = params._iteration + {done};");
        }
        if self.names("substep") {
            out.push_str("        substep = params._substep;\n");
        }
        out
    }

    /// The loop over sweeps. Its body is written out cell by cell, so that values stay in registers.
    fn sweeps(&self, parts: &Parts) -> String {
        let Parts { dim, size, ring, cells, .. } = *parts;
        let mut out = format!("    for (var _s = 0; _s < {}; _s++) {{\n{}", self.op.sweeps, self.counted());
        let (last, across) = if dim == 3 { ("z", "xy") } else { ("y", "x") };
        let inside: Vec<String> = across
            .chars()
            .enumerate()
            .map(|(axis, letter)| format!("_first.{letter} >= {ring} && _first.{letter} < {}", size[axis] - ring))
            .collect();
        let inside = inside.join(" && ");
        let along = |k: &str| parts.along(k);
        let whole = size[if dim == 3 { 2 } else { 1 }];
        // Only the first and the last cells of an invocation can be near the border.
        let guard = |low: u32, high: u32, text: String| match (low < ring, high + ring >= cells) {
            (false, false) => text,
            _ => format!("if (_l.{last} >= {ring} && _l.{last} < {}) {{ {text} }}", whole - ring),
        };
        let index = accessors::index("_l", size, dim);
        let set = |from: &dyn Fn(&str) -> String| -> String {
            self.writes()
                .map(|(port, ..)| format!("_tile_{0}[{index}] = {1};", port.name, from(&port.name)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let result =
            |k: u32| move |name: &str, several: bool| if several { format!("_v{k}.{name}") } else { format!("_v{k}") };
        let several = self.returned().len() > 1;
        if self.op.color.is_some() {
            // What a cell of a colour reads, cells of the other colour, stays as it is; so it is overwritten at once.
            let sum = if dim == 3 { "_f.x + _f.y + _f.z" } else { "_f.x + _f.y" };
            let _ = writeln!(
                out,
                "        let _f = _base + _first; let _odd = ({sum} + _s) & 1;\n        if ({inside}) {{"
            );
            for k in (0..cells).step_by(2) {
                let text = format!(
                    "{}let _v{k} = _sweep(_l); {}",
                    self.inputs_of_either(k),
                    set(&|name| result(k)(name, several))
                );
                let text = guard(k, k + 1, text);
                let _ = writeln!(out, "            {{ let _l = _first + {}; {text} }}", along(&format!("{k} + _odd")));
            }
            let _ = writeln!(out, "        }}\n        workgroupBarrier();\n    }}");
            return out;
        }
        let returned = match self.returned().as_slice() {
            [(_, ty)] => ty.to_string(),
            _ => "Result".into(),
        };
        let (mut compute, mut keep) = (String::new(), String::new());
        for k in 0..cells {
            let _ = writeln!(out, "        var _v{k}: {returned};");
            let place = format!("let _l = _first + {};", along(&k.to_string()));
            let _ = writeln!(
                compute,
                "            {{ {place} {} }}",
                guard(k, k, format!("{}_v{k} = _sweep(_l);", self.inputs_of(k)))
            );
            let _ = writeln!(keep, "            {{ {place} {} }}", guard(k, k, set(&|name| result(k)(name, several))));
        }
        let _ = writeln!(out, "        if ({inside}) {{\n{compute}        }}\n        workgroupBarrier();");
        let _ = writeln!(out, "        if ({inside}) {{\n{keep}        }}\n        workgroupBarrier();\n    }}");
        out
    }
}
