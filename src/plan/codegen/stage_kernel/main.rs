//! The entry point: from invocation to element, the call, and what becomes of the result.

use super::*;
use crate::plan::codegen::{accessors, builtin};
use crate::plan::ir::demand;
use crate::plan::ir::workgroups::{self, extent};
use crate::stage::types::{Element, WireType};

/// The place of an invocation in a row of workgroups that may be too long for one axis.
const PLACE: &str = "    let _i = (_group.y * _groups.x + _group.x) * 256u + _lane;\n";
const PLACE_BUILTINS: &str = "@builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_index) _lane: u32";

impl StageKernel<'_> {
    /// The declarations of the kernel's buffers.
    pub(super) fn variables(&self, bound: &[Bound], bindings: &mut Vec<Binding>) -> String {
        let mut out = String::new();
        for buffer in bound {
            let access = if buffer.writes { "read_write" } else { "read" };
            let (binding, name, ty) = (bindings.len() + 2, &buffer.variable, &buffer.ty);
            let _ = writeln!(out, "@group(0) @binding({binding}) var<storage, {access}> {name}: {ty};");
            bindings.push(Binding { name: buffer.name.clone(), writes: buffer.writes });
        }
        out
    }

    /// Workgroup memory of reductions.
    pub(super) fn shared(&self) -> String {
        let reducing = self.writes().filter(|(port, ..)| port.reduce.is_some());
        let line = |(port, _, value, _): (&Port, _, &Value, _)| {
            let ty = value.ty.value().wgsl(value.dim);
            format!("var<workgroup> _shared_{}: array<{ty}, {}>;\n", port.name, workgroups::LANES)
        };
        reducing.map(line).collect()
    }

    /// What the function returns: name and WGSL type.
    pub(super) fn returned(&self) -> Vec<(String, &'static str)> {
        self.returned_by(Instance { index: OWN, node: self.node, stage: self.stage })
    }

    fn returned_by(&self, of: Instance<'_>) -> Vec<(String, &'static str)> {
        let mut out = Vec::new();
        for (port, ty) in of.stage.outputs().zip(&of.node.outputs) {
            let dim = self.graph.dim(of.node);
            let set = of.node.set.as_ref().and_then(|s| self.graph.domains.get(s.domain)).map_or(dim, |d| d.dim);
            let silent = port.ty == PortType::NeighborGrid && self.reorders();
            for (name, element) in port.returned().into_iter().filter(|_| !silent) {
                let wgsl = match (port.ty, element) {
                    (PortType::Particles, _) if port.change == Change::Filter => "bool",
                    (PortType::Particles, Element::Fixed(value)) => value.wgsl(set),
                    (PortType::NeighborGrid, _) => "u32",
                    _ => ty.value().wgsl(dim),
                };
                out.push((name.to_string(), wgsl));
            }
        }
        out
    }

    fn reorders(&self) -> bool {
        self.stage.outputs().any(|p| p.change.reorders())
    }

    /// The function's result for a name that it returns.
    pub(super) fn result(&self, name: &str) -> String {
        if self.returned().len() > 1 { format!("_result.{name}") } else { "_result".into() }
    }

    pub(super) fn result_struct(&self, of: Instance<'_>) -> String {
        if of.stage.source() == IterationSource::Positions {
            return String::new();
        }
        let fields: Vec<String> = self.returned_by(of).iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        if fields.len() < 2 { String::new() } else { format!("struct Result {{ {} }}\n", fields.join(", ")) }
    }

    pub(super) fn main(&self, bound: &[Bound]) -> String {
        let dim = self.graph.dim(self.node);
        let mut body = String::new();
        let [wx, wy, wz] = workgroup(self.graph, self.node, self.op.shape);
        if let Some(shape) = self.op.shape.filter(|_| self.op.sweeps > 1) {
            let (functions, body, builtins) = self.tiles(&shape);
            return format!(
                "{functions}@compute @workgroup_size({wx}, {wy}, {wz})\nfn _main({builtins}) {{\n{body}}}\n"
            );
        }
        for (member, _, _) in self.counters().into_iter().filter(|(name, _, used)| *used && *name != "_color") {
            let _ = writeln!(body, "    {} = params.{member};", member.trim_start_matches('_'));
        }
        let builtins = match self.stage.source() {
            IterationSource::Once => {
                let _ = writeln!(body, "    {}{}", self.call(""), self.stores(dim, "0", ""));
                String::new()
            }
            IterationSource::Cells => self.cells(dim, &mut body),
            IterationSource::Particles => self.particles(dim, bound, &mut body),
            IterationSource::Positions => {
                // Never dispatched; there to be validated.
                let position = prelude::position_type(dim);
                let _ = writeln!(body, "    let _result = stage({position}());");
                String::new()
            }
        };
        format!("@compute @workgroup_size({wx}, {wy}, {wz})\nfn _main({builtins}) {{\n{body}}}\n")
    }

    fn cells(&self, dim: u32, body: &mut String) -> String {
        let axes = if dim == 3 { "xyz" } else { "xy" };
        if let Some(shape) = self.haloed() {
            return self.halos(&shape, dim, body);
        }
        let several = self.op.shape.filter(|_| self.in_rows() || self.in_pairs());
        let step = several.map_or_else(String::new, |shape| {
            format!(" * {}", prelude::cell_literal([i64::from(shape.cells), 1, 1], dim))
        });
        let _ = writeln!(body, "    let _cell = {}(_id.{axes}){step};", prelude::cell_type(dim));
        let [ex, ey, ez] = extent(self.graph, self.node).map(i64::from);
        let outside = format!("any(_cell >= {})", prelude::cell_literal([ex, ey, ez], dim));
        if self.reduces() {
            let run = format!("{}{}", self.run_before(dim, "_cell", Some("")), self.call("_cell"));
            body.push_str(&self.reduced(dim, &outside, &run, &self.stores(dim, "", "")));
            return format!("@builtin(global_invocation_id) _id: vec3u, {PLACE_BUILTINS}");
        }
        let _ = writeln!(body, "    if ({outside}) {{ return; }}");
        if self.in_rows() {
            body.push_str(&self.rows(dim));
            return "@builtin(global_invocation_id) _id: vec3u".into();
        }
        if self.in_pairs() {
            body.push_str(&self.pairs(dim));
            return "@builtin(global_invocation_id) _id: vec3u".into();
        }
        if let Some((other, keep)) = self.other_color(dim, "") {
            let _ = writeln!(body, "    if ({other}) {{ {keep}return; }}");
        }
        let _ = writeln!(body, "    {}", self.cell(dim, ""));
        "@builtin(global_invocation_id) _id: vec3u".into()
    }

    /// The statements that compute `_cell`, the one of its pair that `lane` says.
    pub(super) fn cell(&self, dim: u32, lane: &str) -> String {
        let at = if self.holds() { "_at = _cell; " } else { "" };
        let (run, call) = (self.run_before(dim, "_cell", Some(lane)), self.call("_cell"));
        format!("{at}{run}{call}{}", self.stores(dim, "", lane))
    }

    /// A statement that stores a cell's number; where it shares a word with another, to the lane of the pair.
    fn store(&self, value: &Value, target: &str, (dim, lane): (u32, &str), source: &str) -> String {
        match lane.is_empty() || !value.layout().pairs() {
            true => value.layout().store(target, &self.element(value, dim), source),
            false => format!("{}.{lane} = {source};", pairs::pair(target)),
        }
    }

    fn reduces(&self) -> bool {
        self.stage.outputs().any(|p| p.reduce.is_some())
    }

    fn particles(&self, dim: u32, bound: &[Bound], body: &mut String) -> String {
        body.push_str(PLACE);
        let Some(set) = self.stage.set() else { return String::new() };
        let input = self.stage.inputs().position(|p| p.name == set.name).unwrap_or(0);
        let count = memory::variable(bound, OWN, input, &Part::Count).unwrap_or_default();
        let capacity = self.node.set.as_ref().map_or(0, |s| s.capacity);
        let stores = format!("{}{}", self.stores(dim, "_i", ""), self.scattered(bound, input, capacity));
        let call = self.call(&format!("{}(_i)", set.name));
        let living = format!("_i >= min({count}[0], {capacity}u)");
        match (&set.change, self.reduces()) {
            (Change::Emit(amount), _) => self.emission(dim, (set, amount), (count, capacity), body),
            (_, true) => body.push_str(&self.reduced(dim, &living, &call, &stores)),
            (Change::Filter, _) => {
                let flags = memory::written(set, &Part::Whole);
                let _ = writeln!(body, "    if (_i >= {capacity}u) {{ return; }}");
                let _ = writeln!(body, "    if ({living}) {{ {flags}[_i] = 0u; return; }}");
                let _ = writeln!(body, "    {call}{stores}");
            }
            _ => {
                let run = self.run_before(dim, "_i", Some(""));
                let packs = self.packs(bound, input);
                let _ = writeln!(body, "    if ({living}) {{ return; }}\n    {run}{call}{stores}{packs}");
            }
        }
        PLACE_BUILTINS.into()
    }

    /// New particles behind the living. What goes on in a buffer of its own takes the old ones along.
    fn emission(&self, dim: u32, (set, amount): (&Port, &str), (count, capacity): (&str, u32), body: &mut String) {
        let ty = "Particle";
        let _ = writeln!(
            body,
            "    let _before = min({count}[0], {capacity}u); let _born = {count}[1];\n    \
             let _wanted = {amount}(); let _added = min(_wanted, {capacity}u - _before);"
        );
        let mut copies = String::new();
        for (port, write, value, in_place) in self.writes() {
            if matches!(write.part, Part::Attribute(_)) && !in_place {
                let old = value.layout().load(&memory::read(port, &write.part), "_i");
                let new = memory::written(port, &write.part);
                let _ = write!(copies, "{{ let _old = {old}; {} }} ", value.layout().store(&new, "_i", "_old"));
            }
        }
        if !copies.is_empty() {
            let _ = writeln!(body, "    if (_i < _before) {{ {copies}}}");
        }
        let number = memory::written(set, &Part::Count);
        let _ = writeln!(
            body,
            "    if (_i == 0u) {{\n        \
                 let _n = _before + _added; let _g = (_n + 255u) / 256u;\n        \
                 {number}[0] = _n; {number}[1] = _born + _added; {number}[4] = min(_g, 65535u); {number}[5] = (_g + 65534u) / 65535u; {number}[6] = 1u;\n        \
                 if (_added < _wanted) {{ atomicStore(&_alarms[params.{}], frame.index + 1u); }}\n    \
             }}\n    \
             if (_i >= _added) {{ return; }}\n    \
             let _place = _before + _i;\n    \
             let _new = {ty}(_place, _born + _i);",
            Cause::Capacity.member()
        );
        let _ = writeln!(body, "    {}{}", self.call("_new"), self.stores(dim, "_place", ""));
    }

    /// The calls of the stages that run before; `place` is the cell or the particle. What they make is stored too if there is a `lane` to
    /// store it to: that of a pair, or none.
    pub(super) fn run_before(&self, dim: u32, place: &str, lane: Option<&str>) -> String {
        let mut out = String::new();
        let before = self.op.stages.entries().rev().filter(|(_, stage)| stage.before);
        for of in before.filter_map(|(index, _)| self.instance(index)) {
            let (k, prefix) = (of.index, super::fields::prefix(of.index));
            let argument = match of.stage.set() {
                Some(set) if of.stage.source() == IterationSource::Particles => {
                    format!("{prefix}{}({place})", set.name)
                }
                _ => place.to_string(),
            };
            let _ = write!(out, "let _r{k} = {prefix}stage({argument});");
            let several = self.returned_by(of).len() > 1;
            for (port, write, value, _, target) in self.writes_of(k).filter(|(_, write, ..)| write.part != Part::Found)
            {
                let name = if let Part::Attribute(name) = &write.part { &**name } else { port.name.as_str() };
                let Some(variable) = memory::forwarded(self.graph, self.op, write.value) else { continue };
                let source = if several { format!("_r{k}.{name}") } else { format!("_r{k}") };
                // As if it had been stored and read.
                let _ = write!(out, " {variable} = {};", value.layout().rounded(&source));
                if let Some(lane) = lane.filter(|_| !write.transient) {
                    let store = match write.part {
                        Part::Whole => self.store(value, &target, (dim, lane), &variable),
                        _ => value.layout().store(&target, place, &variable),
                    };
                    let _ = write!(out, " {store}");
                }
            }
            out.push_str("\n    ");
        }
        out
    }

    fn call(&self, argument: &str) -> String {
        let keep = if self.returned().is_empty() { "" } else { "let _result = " };
        let (begin, end) = self.sampled(argument).unwrap_or_default();
        format!("{begin}{keep}stage({argument});{end}")
    }

    /// Whether a cell is of the other colour, and what keeps it as it is.
    pub(super) fn other_color(&self, dim: u32, lane: &str) -> Option<(String, String)> {
        self.op.color?;
        let sum = if dim == 3 { "_cell.x + _cell.y + _cell.z" } else { "_cell.x + _cell.y" };
        let mut keep = String::new();
        for (port, write, value, in_place) in self.writes() {
            // In place it is kept by leaving it alone, unless the other of its pair is stored with it.
            let stays = in_place && !value.layout().pairs();
            if port.direction == Direction::InOut && !stays && port.scatter.is_none() {
                let (from, to) = (memory::read(port, &write.part), memory::written(port, &write.part));
                let from = if in_place { &to } else { &from };
                let old = self.before(write, value).layout().load(from, &self.element(value, dim));
                let store = self.store(value, &to, (dim, lane), "_old");
                let _ = write!(keep, "{{ let _old = {old}; {store} }} ");
            }
        }
        Some((format!("(({sum}) & 1) != params._color"), keep))
    }

    fn element(&self, value: &Value, dim: u32) -> String {
        self.element_of("_cell", value, dim)
    }

    /// The element of a cell that is named so.
    pub(super) fn element_of(&self, cell: &str, value: &Value, dim: u32) -> String {
        let Some(domain) = value.domain.and_then(|d| self.graph.domains.get(d)) else { return "0".into() };
        let resolution = if value.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution };
        accessors::index(cell, resolution, dim)
    }

    /// Stores the result: grids at the cell, or in its lane of a pair; attributes at `place`.
    pub(super) fn stores(&self, dim: u32, place: &str, lane: &str) -> String {
        let layered = self.node.outputs.contains(&WireType::FaceGrid);
        let mut out = String::new();
        for (port, write, value, _) in self.writes() {
            let variable = memory::written(port, &write.part);
            let store = match &write.part {
                _ if port.scatter.is_some() || port.reduce.is_some() || port.change == Change::Put => continue,
                Part::Count | Part::Start | Part::Packed(_) | Part::Found => continue,
                _ if write.transient => continue,
                Part::Attribute(_) if port.change == Change::Scatter => continue,
                Part::Order => format!("{variable}[{place}] = {};", self.result(&port.name)),
                Part::Attribute(name) => {
                    // An emitter writes every attribute, zero where it has nothing to say.
                    let ty = value.ty.value().wgsl(value.dim);
                    let says = port.written.iter().any(|(n, _)| **n == **name);
                    let source = if says { self.result(name) } else { "_zero".into() };
                    let store = value.layout().store(&variable, place, &source);
                    if says { store } else { format!("{{ let _zero = {ty}(); {store} }}") }
                }
                Part::Whole if port.ty == PortType::Particles && port.change == Change::Filter => {
                    format!("{variable}[{place}] = select(0u, 1u, {});", self.result(&port.name))
                }
                Part::Whole if port.ty == PortType::Particles => {
                    format!("{variable}[{place}] = {};", self.result(&port.name))
                }
                Part::Whole => {
                    let source = self.result(&port.name);
                    let (source, mask) = match value.ty {
                        WireType::FaceGrid => ("_faces".to_string(), self.existing_faces(dim, &source)),
                        _ => (source, String::new()),
                    };
                    let store = self.store(value, &variable, (dim, lane), &source);
                    let store = if mask.is_empty() { store } else { format!("{{ {mask} {store} }}") };
                    let guarded = layered && matches!(port.ty, PortType::Grid(_));
                    if guarded { format!("if (inside(_cell)) {{ {store} }}") } else { store }
                }
            };
            let _ = write!(out, " {store}");
        }
        out
    }

    /// Zeroes the components in the layer beyond the cells that belong to no face, so that what is stored is repeatable.
    fn existing_faces(&self, dim: u32, source: &str) -> String {
        let axes = ["x", "y", "z"];
        let exists = |axis: usize| {
            let others = (0..dim as usize).filter(|d| *d != axis);
            others.map(|d| format!("_cell.{0} < RESOLUTION.{0}", axes[d])).collect::<Vec<_>>().join(" && ")
        };
        let mask: Vec<String> = (0..dim as usize).map(exists).collect();
        format!("let _faces = select(Vec(), {source}, vec{dim}<bool>({}));", mask.join(", "))
    }

    /// The body of a stage that reduces: every lane takes part, cells outside with the neutral value.
    fn reduced(&self, dim: u32, outside: &str, call: &str, stores: &str) -> String {
        let several = self.returned().len() > 1;
        let mut out = String::new();
        let reducing = || self.writes().filter_map(|(port, write, value, _)| Some((port, write, value, port.reduce?)));
        for (port, _, value, kind) in reducing() {
            let (start, _) = builtin::reduction(kind, value.ty.value().scalar());
            let _ = writeln!(out, "    var _v_{} = {}({start});", port.name, value.ty.value().wgsl(dim));
        }
        let mut keep = String::new();
        for (port, ..) in reducing() {
            let source = if several { format!("_result.{}", port.name) } else { "_result".into() };
            let _ = write!(keep, " _v_{} = {source};", port.name);
        }
        let _ = writeln!(out, "    if (!({outside})) {{ {call}{stores}{keep} }}");
        for (port, write, value, kind) in reducing() {
            let (_, join) = builtin::reduction(kind, value.ty.value().scalar());
            let shared = format!("_shared_{}", port.name);
            let _ = writeln!(out, "    {shared}[_lane] = _v_{};\n    {}", port.name, builtin::tree(&shared, join));
            let target = memory::written(port, &Part::Whole);
            let end = match demand::at_once(write, value.ty.value()) {
                true => format!("{}(&{target}[0], {shared}[0]);", builtin::atomic(kind)),
                false => {
                    format!("{target}[(_group.z * _groups.y + _group.y) * _groups.x + _group.x] = {shared}[0];")
                }
            };
            let _ = writeln!(out, "    if (_lane == 0u) {{ {end} }}");
        }
        out
    }
}
