//! The WGSL of a stage: the user's text first and untouched, then what the compiler generates around it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::accessors::{self, Memory};
use super::builtin;
use super::expand::{Op, Program, Value};
use super::kernel::{dim, extent, workgroup};
use super::prelude;
use super::uniforms::{self, Block, Content, Counter};
use super::{Binding, Kernel};
use crate::graph::{Domain, Graph, Node, Setting, Source};
use crate::stage::Stage;
use crate::stage::header::{Direction, ParamType, Port};
use crate::stage::loops;
use crate::stage::types::{EdgeRule, PortType, ValueType, WireType};

/// Writes the WGSL of a stage in its surroundings.
pub struct StageKernel<'a> {
    pub graph: &'a Graph,
    pub program: &'a Program,
    pub op: &'a Op,
    pub node: &'a Node,
    pub stage: &'a Stage,
    /// By written port: whether it overwrites the version that it goes on from.
    pub in_place: &'a [bool],
}

impl StageKernel<'_> {
    /// The kernel and its uniform block. A node with unproven loops is added to `budgets`.
    pub fn write(&self, budgets: &mut Vec<String>) -> (Kernel, Block) {
        let dim = dim(self.graph, self.node);
        let (source, finite) = self.bounded_source(dim);
        if !finite && !budgets.contains(&self.node.path) {
            budgets.push(self.node.path.clone());
        }
        let block = self.block(dim, finite);
        let mut bindings = Vec::new();
        let variables = self.variables(dim, finite, &mut bindings);
        let accessors = self.accessors(dim);
        let main = self.main(dim);
        let mut wanted = BTreeSet::new();
        [&source, &accessors, &main].into_iter().for_each(|text| prelude::collect_words(text, &mut wanted));
        let empty = Domain { name: String::new(), dim: 2, resolution: [1; 3], cell_size: 1.0, edge: EdgeRule::Wall };
        let domain = self.node.domain.and_then(|d| self.graph.domains.get(d)).unwrap_or(&empty);
        let helpers = prelude::prelude(domain, &mut wanted);
        let mut out = source;
        if !out.ends_with('\n') {
            out.push('\n');
        }
        let own_lines = out.lines().count();
        out.push_str("\n// ---- generated ----\n");
        out.push_str(&helpers);
        for (letter, value) in &self.node.generics {
            let _ = writeln!(out, "alias {letter} = {};", value.wgsl(dim));
        }
        out.push_str(&self.result_struct(dim));
        if wanted.contains("frame") {
            let _ = writeln!(out, "{}\n@group(0) @binding(0) var<uniform> frame: Frame;", uniforms::FRAME_STRUCT);
        }
        out.push_str(&block.wgsl(dim));
        for counter in ["iteration", "substep"] {
            if wanted.contains(counter) {
                let _ = writeln!(out, "var<private> {counter}: i32;");
            }
        }
        out.push_str(&variables);
        out.push_str(&accessors);
        out.push_str(&main);
        let kernel = Kernel {
            name: self.stage.name.clone(),
            node: self.node.path.clone(),
            wgsl: out,
            workgroup: workgroup(self.graph, self.node),
            bindings,
            finite,
            own_lines,
            uniform_bytes: block.bound_bytes(),
        };
        (kernel, block)
    }

    /// The user's text, with a budget in loops that are not proven finite.
    fn bounded_source(&self, dim: u32) -> (String, bool) {
        let constants = |name: &str| match name {
            "DIM" => Some(i64::from(dim)),
            "FACES" => Some(2 * i64::from(dim)),
            _ => None,
        };
        let params = |name: &str| {
            let param = self.stage.param(name)?;
            let (low, high) = param.range;
            matches!(param.ty, ParamType::Value(ValueType::I32 | ValueType::U32)).then_some(())?;
            let low = if param.ty == ParamType::Value(ValueType::U32) { low.unwrap_or(0.0) } else { low? };
            Some((low.ceil() as i64, high?.floor() as i64))
        };
        let report = loops::bound_loops(&self.stage.source, &constants, &params);
        let finite = report.unproven.is_empty();
        (report.source, finite)
    }

    fn block(&self, dim: u32, finite: bool) -> Block {
        let mut block = Block::default();
        for setting in &self.node.params {
            block.push(setting.name.clone(), setting.ty, dim, Content::Setting(setting.clone()));
        }
        for (port, setting) in self.constants() {
            block.push(format!("_in_{}", port.name), setting.ty, dim, Content::Setting(setting.clone()));
        }
        let counters = [
            ("_iteration", Counter::Iteration, self.stage.names("iteration")),
            ("_substep", Counter::Substep, self.stage.names("substep")),
            ("_color", Counter::Color, self.op.color.is_some()),
            ("_node", Counter::Node, !finite),
        ];
        for (name, counter, _) in counters.into_iter().filter(|(.., used)| *used) {
            block.push(name.into(), ValueType::I32, dim, Content::Word(counter));
        }
        block
    }

    /// Inputs that read a setting instead of a wire.
    fn constants(&self) -> impl Iterator<Item = (&Port, &Setting)> {
        self.stage.inputs().zip(&self.node.inputs).filter_map(|(port, input)| match &input.source {
            Source::Setting(setting) if port.direction == Direction::In => Some((port, setting)),
            _ => None,
        })
    }

    /// Inputs in memory: port, value type and domain.
    fn reads(&self) -> impl Iterator<Item = (&Port, &Value)> {
        self.op
            .reads
            .iter()
            .filter_map(|(index, value)| Some((self.stage.inputs().nth(*index)?, self.program.values.get(*value)?)))
    }

    /// Written ports: port, value, and whether it works in place.
    fn writes(&self) -> impl Iterator<Item = (&Port, &Value, bool)> {
        self.op.writes.iter().zip(self.in_place).filter_map(|(write, in_place)| {
            let port = self.stage.outputs().nth(write.port)?;
            Some((port, self.program.values.get(write.value)?, *in_place))
        })
    }

    fn variables(&self, dim: u32, finite: bool, bindings: &mut Vec<Binding>) -> String {
        let mut out = String::new();
        let mut declare = |name: &str, ty: &str, writes: bool| {
            let access = if writes { "read_write" } else { "read" };
            let binding = bindings.len() + 2;
            let _ = writeln!(out, "@group(0) @binding({binding}) var<storage, {access}> {name}: {ty};");
            let port = name.trim_start_matches("_read_").trim_start_matches("_write_");
            bindings.push(Binding { name: port.to_string(), writes });
        };
        for (port, value) in self.reads() {
            declare(&read(port), &accessors::storage_type(value.ty.value(), value.dim), false);
        }
        for (port, value, in_place) in self.writes() {
            let ty = value.ty.value();
            if port.scatter.is_some() {
                declare(&written(port), "array<atomic<i32>>", true);
            } else if port.reduce.is_some() {
                declare(&written(port), &format!("array<{}>", ty.wgsl(dim)), true);
            } else {
                if port.direction == Direction::InOut && !in_place {
                    declare(&read(port), &accessors::storage_type(ty, dim), false);
                }
                declare(&written(port), &accessors::storage_type(ty, dim), true);
            }
        }
        if !finite {
            // The engine binds the flags behind the stage's own buffers.
            let binding = bindings.len() + 2;
            let _ = writeln!(
                out,
                "@group(0) @binding({binding}) var<storage, read_write> _spent: array<atomic<u32>>;\n\
                 var<private> _rounds: i32 = {LOOP_BUDGET};\n\
                 fn _loop_spent() -> bool {{ _rounds -= 1; if (_rounds >= 0) {{ return false; }} atomicStore(&_spent[params._node], 1u); return true; }}"
            );
        }
        for (port, value, _) in self.writes() {
            if port.reduce.is_some() {
                let ty = value.ty.value().wgsl(dim);
                let _ = writeln!(out, "var<workgroup> _shared_{}: array<{ty}, {}>;", port.name, builtin::LANES);
            }
        }
        out
    }

    fn accessors(&self, dim: u32) -> String {
        let mut parts = Vec::new();
        let inouts = self.writes().filter(|(p, ..)| p.direction == Direction::InOut || p.scatter.is_some());
        let inouts = inouts.map(|(p, v, in_place)| {
            let overwrites = in_place || p.scatter.is_some();
            (p, v, if overwrites { written(p) } else { read(p) })
        });
        for (port, value, variable) in self.reads().map(|(p, v)| (p, v, read(p))).chain(inouts) {
            let Some(domain) = value.domain.and_then(|d| self.graph.domains.get(d)) else {
                let load = accessors::load(&variable, value.ty.value(), value.dim, "0");
                let ty = value.ty.value().wgsl(value.dim);
                parts.push(format!("fn {}() -> {ty} {{ return {load}; }}", port.name));
                continue;
            };
            let edge = port.edge.unwrap_or(domain.edge);
            let memory = Memory { name: &port.name, variable: &variable, ty: value.ty, domain, edge };
            if let Some(bits) = port.scatter {
                parts.push(memory.add(bits));
                continue;
            }
            let calls = |suffix: &str| self.stage.calls(&format!("{}{suffix}", port.name));
            if calls("") || calls("_at") || calls("_face") {
                parts.push(memory.cell());
            }
            if calls("_face") {
                parts.push(memory.face());
            }
            if calls("_at") {
                parts.push(memory.at());
            }
        }
        for (port, setting) in self.constants() {
            parts.push(constant(port, setting, dim));
        }
        for (port, input) in self.stage.inputs().zip(&self.node.inputs) {
            if !self.stage.names(&format!("{}_wired", port.name)) {
                continue;
            }
            let wired = !matches!(input.source, Source::Setting(_));
            parts.push(format!("const {}_wired = {wired};", port.name));
        }
        parts.into_iter().map(|p| p + "\n").collect()
    }

    /// Ports whose values the function returns.
    fn returned(&self) -> Vec<&Port> {
        self.stage.outputs().filter(|p| p.scatter.is_none()).collect()
    }

    fn result_struct(&self, dim: u32) -> String {
        let returned = self.returned();
        if returned.len() < 2 {
            return String::new();
        }
        let fields = self.stage.outputs().zip(&self.node.outputs).filter(|(p, _)| p.scatter.is_none());
        let fields: Vec<String> = fields.map(|(p, ty)| format!("{}: {}", p.name, ty.value().wgsl(dim))).collect();
        format!("struct Result {{ {} }}\n", fields.join(", "))
    }

    fn main(&self, dim: u32) -> String {
        let [wx, wy, wz] = workgroup(self.graph, self.node);
        let mut body = String::new();
        for counter in ["iteration", "substep"] {
            if self.stage.names(counter) {
                let _ = writeln!(body, "    {counter} = params._{counter};");
            }
        }
        let reduces = self.stage.outputs().any(|p| p.reduce.is_some());
        let reduce_builtins = match reduces {
            true => {
                ", @builtin(workgroup_id) _group: vec3u, @builtin(num_workgroups) _groups: vec3u, @builtin(local_invocation_index) _lane: u32"
            }
            false => "",
        };
        let (builtins, inner) = match self.stage.header.once {
            true => (String::new(), self.call("")),
            false => {
                let _ = writeln!(
                    body,
                    "    let _cell = {}(_id.{});",
                    prelude::cell_type(dim),
                    if dim == 3 { "xyz" } else { "xy" }
                );
                (format!("@builtin(global_invocation_id) _id: vec3u{reduce_builtins}"), self.call("_cell"))
            }
        };
        let [ex, ey, ez] = extent(self.graph, self.node).map(i64::from);
        let outside = format!("any(_cell >= {})", prelude::cell_literal([ex, ey, ez], dim));
        let stores = self.stores(dim);
        if reduces {
            let _ = write!(body, "{}", self.reduced(dim, &outside, &inner, &stores));
        } else {
            if !self.stage.header.once {
                let _ = writeln!(body, "    if ({outside}) {{ return; }}");
            }
            body.push_str(&self.other_color(dim));
            let _ = writeln!(body, "    {inner}{stores}");
        }
        format!("@compute @workgroup_size({wx}, {wy}, {wz})\nfn _main({builtins}) {{\n{body}}}\n")
    }

    fn call(&self, argument: &str) -> String {
        let keep = if self.returned().is_empty() { "" } else { "let _result = " };
        format!("{keep}stage({argument});")
    }

    /// A cell of the other colour stays as it is.
    fn other_color(&self, dim: u32) -> String {
        if self.op.color.is_none() {
            return String::new();
        }
        let sum = if dim == 3 { "_cell.x + _cell.y + _cell.z" } else { "_cell.x + _cell.y" };
        let mut keep = String::new();
        for (port, value, in_place) in self.writes() {
            if port.direction == Direction::InOut && !in_place && port.scatter.is_none() {
                let index = self.element(value, dim);
                let old = accessors::load(&read(port), value.ty.value(), dim, &index);
                let _ = write!(
                    keep,
                    "let _old = {old}; {} ",
                    accessors::store(&written(port), value.ty.value(), dim, &index, "_old")
                );
            }
        }
        format!("    if ((({sum}) & 1) != params._color) {{ {keep}return; }}\n")
    }

    fn element(&self, value: &Value, dim: u32) -> String {
        let Some(domain) = value.domain.and_then(|d| self.graph.domains.get(d)) else { return "0".into() };
        let resolution = if value.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution };
        accessors::index("_cell", resolution, dim)
    }

    fn stores(&self, dim: u32) -> String {
        let returned = self.returned();
        let several = returned.len() > 1;
        let layered = self.node.outputs.contains(&WireType::FaceGrid);
        let mut out = String::new();
        for (port, value, _) in self.writes() {
            if port.scatter.is_some() || port.reduce.is_some() {
                continue;
            }
            let variable = written(port);
            let source = if several { format!("_result.{}", port.name) } else { "_result".into() };
            let (source, mask) = match value.ty {
                WireType::FaceGrid => ("_faces".to_string(), self.existing_faces(dim, &source)),
                _ => (source, String::new()),
            };
            let store = accessors::store(&variable, value.ty.value(), dim, &self.element(value, dim), &source);
            let store = if mask.is_empty() { store } else { format!("{{ {mask} {store} }}") };
            let guarded = layered && matches!(port.ty, PortType::Grid(_));
            let store = if guarded { format!("if (inside(_cell)) {{ {store} }}") } else { store };
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
        let reducing = || self.writes().filter_map(|(port, value, _)| Some((port, value, port.reduce?)));
        for (port, value, kind) in reducing() {
            let (start, _) = builtin::reduction(kind, value.ty.value().scalar());
            let _ = writeln!(out, "    var _v_{} = {}({start});", port.name, value.ty.value().wgsl(dim));
        }
        let mut keep = String::new();
        for (port, ..) in reducing() {
            let source = if several { format!("_result.{}", port.name) } else { "_result".into() };
            let _ = write!(keep, " _v_{} = {source};", port.name);
        }
        let _ = writeln!(out, "    if (!({outside})) {{ {call}{stores}{keep} }}");
        for (port, value, kind) in reducing() {
            let (_, join) = builtin::reduction(kind, value.ty.value().scalar());
            let shared = format!("_shared_{}", port.name);
            let _ = writeln!(out, "    {shared}[_lane] = _v_{};\n    {}", port.name, builtin::tree(&shared, join));
            let _ = writeln!(
                out,
                "    if (_lane == 0u) {{ {}[(_group.z * _groups.y + _group.y) * _groups.x + _group.x] = {shared}[0]; }}",
                written(port)
            );
        }
        out
    }
}

/// Rounds that all loops of an invocation may make together when they are not proven finite. Below the 65,535 at which
/// lavapipe would stop them silently.
const LOOP_BUDGET: u32 = 60_000;

/// Variable of the buffer that a port is read from, and of the one that it is written to. Neither can meet a name of the
/// user's, nor one port's the other's.
fn read(port: &Port) -> String {
    format!("_read_{}", port.name)
}

fn written(port: &Port) -> String {
    format!("_write_{}", port.name)
}

/// Accessors of an unwired input.
fn constant(port: &Port, setting: &Setting, dim: u32) -> String {
    let (name, ty) = (&port.name, setting.ty.wgsl(dim));
    let value = format!("params._in_{name}");
    let (cell, position) = (prelude::cell_type(dim), prelude::position_type(dim));
    match port.ty {
        PortType::Number(_) => format!("fn {name}() -> {ty} {{ return {value}; }}"),
        _ => {
            let mut out = format!(
                "fn {name}(cell: {cell}) -> {ty} {{ return {value}; }}\nfn {name}_at(position: {position}) -> {ty} {{ return {value}; }}"
            );
            if port.ty == PortType::FaceGrid {
                let pick = if dim == 3 {
                    "select(select(v.x, v.y, axis == 1), v.z, axis == 2)"
                } else {
                    "select(v.x, v.y, axis == 1)"
                };
                let _ = write!(
                    out,
                    "\nfn {name}_face(cell: {cell}, face: i32) -> f32 {{ let axis = face >> 1u; let v = {value}; return {pick}; }}"
                );
            }
            out
        }
    }
}
