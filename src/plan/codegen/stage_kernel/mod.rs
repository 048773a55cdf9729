//! The WGSL of a stage: the user's text first and untouched, then what the compiler generates around it.

mod alarms;
mod checks;
mod columns;
mod fields;
mod fill;
mod halo;
mod main;
mod memory;
mod neighbors;
mod packs;
mod pairs;
mod rows;
mod sets;
mod tile;

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::curve::SAMPLES;
use crate::graph::{Domain, Graph, Kind, Node, Setting, Source};
use crate::plan::codegen::accessors::Memory;
use crate::plan::codegen::prelude::{self, Wanted};
use crate::plan::codegen::uniforms::{self, Block, Content, Counter};
use crate::plan::data::{Alarm, Binding, Cause, Kernel};
use crate::plan::ir::query;
use crate::plan::ir::workgroups::workgroup;
use crate::plan::ir::{InstanceId, OWN, Op, Part, Program, Read, StageInstance, Value, ValueId, Write};
use crate::plan::tuning::Shape;
use crate::stage::header::{Change, Direction, Param, Port, Radius, Scatter};
use crate::stage::types::{EdgeRule, Element, PortType, ValueType};
use crate::stage::{Bounded, IterationSource, Stage};
use alarms::Guards;

pub use memory::{Bound, bound};

/// Writes the WGSL of a stage in its surroundings.
pub struct StageKernel<'a> {
    pub graph: &'a Graph,
    pub program: &'a Program,
    pub op: &'a Op,
    pub node: &'a Node,
    pub stage: &'a Stage,
    /// By write: whether it overwrites the version that it updates.
    pub in_place: &'a [bool],
}

/// A stage of an operation: the one that is dispatched, or a field built into it.
#[derive(Clone, Copy)]
struct Instance<'a> {
    index: InstanceId,
    node: &'a Node,
    stage: &'a Stage,
}

impl StageKernel<'_> {
    /// The kernel and its uniform block; and its text with the stage's own as it was written, where loops had to be changed.
    /// What can go wrong while it runs is added to `alarms`.
    pub fn write(&self, alarms: &mut Vec<Alarm>) -> (Kernel, Block, Option<String>) {
        let dim = self.graph.dim(self.node);
        let own = Instance { index: OWN, node: self.node, stage: self.stage };
        let bound = bound(self.graph, self.program, self.op, self.in_place);
        let (source, own_finite) = self.text(own);
        let mut modules = String::new();
        let mut block = Block::default();
        self.members(own, &mut block);
        let own_accessors = self.accessors(own, &bound);
        let mut guards = vec![Guards::of(self, own, &own_accessors, own_finite)];
        for instance in self.instances().filter(|of| of.index != OWN) {
            let (text, proven) = self.module(instance, &bound);
            guards.push(Guards::of(self, instance, &text, proven));
            modules.push_str(&text);
            self.members(instance, &mut block);
        }
        let finite = guards.iter().all(|of| !of.loops);
        for (of, cause) in guards.iter().flat_map(Guards::causes) {
            let alarm = Alarm { node: of.node.path.clone(), cause };
            if !alarms.contains(&alarm) {
                alarms.push(alarm.clone());
            }
            block.push(alarms::member(of.index, cause), ValueType::I32, dim, Content::Alarm(alarm));
        }
        for (name, counter, used) in self.counters() {
            if used {
                block.push(name.into(), ValueType::I32, dim, Content::Word(counter));
            }
        }
        self.check_members(&mut block);
        let checks = self.check_functions();
        let warns = guards.iter().any(|of| of.causes().next().is_some()) || !checks.is_empty();
        let mut bindings = Vec::new();
        let mut generated = self.variables(&bound, &mut bindings);
        if warns {
            generated.push_str(&alarms::functions(bindings.len() + 2, &guards));
        }
        generated.push_str(&checks);
        generated.push_str(&self.shared());
        generated.push_str(&self.handed_variables());
        if let Some(shape) = self.op.shape.filter(|_| self.op.sweeps > 1) {
            generated.push_str(&self.tile_memory(&shape));
        } else if self.holds() || self.in_rows() {
            let _ = writeln!(generated, "var<private> _at: {};", prelude::cell_type(dim));
        }
        generated.push_str(&self.halo_variables(dim));
        generated.push_str(&own_accessors);
        generated.push_str(&self.lockstep(&source));
        generated.push_str(&self.main(&bound));
        let mut wanted = Wanted::default();
        // Bounding and unrolling add no words that anything is there for.
        wanted.add_words(self.stage.words());
        wanted.add_text(&generated);
        let mut helpers = prelude::prelude(&self.domain(self.node), &mut wanted);
        if self.op.sweeps > 1 {
            helpers = prelude::without_borders(&helpers, self.tile_ring());
        }
        wanted.add_text(&modules);
        let own_lines = source.lines().count();
        let mut out = String::from("\n\n// ---- generated ----\n");
        out.push_str(&helpers);
        for (letter, value) in &self.node.generics {
            let _ = writeln!(out, "alias {letter} = {};", value.wgsl(dim));
        }
        out.push_str(&self.result_struct(own));
        if wanted.has("frame") {
            let _ = writeln!(out, "{}\n@group(0) @binding(0) var<uniform> frame: Frame;", uniforms::FRAME_STRUCT);
        }
        out.push_str(&block.wgsl());
        for counter in ["iteration", "substep"] {
            if wanted.has(counter) {
                let _ = writeln!(out, "var<private> {counter}: i32;");
            }
        }
        out.push_str(&generated);
        out.push_str(&modules);
        let written = (source != self.stage.source).then(|| format!("{}{out}", self.stage.source.trim_end()));
        let kernel = Kernel {
            name: self.stage.name.clone(),
            node: self.node.path.clone(),
            wgsl: format!("{}{out}", source.trim_end()),
            workgroup: workgroup(self.graph, self.node, self.op.shape),
            bindings,
            finite,
            in_bounds: self.op.stages.ids().all(|k| self.instance(k).is_some_and(|of| of.stage.stays_in_bounds())),
            warns,
            own_lines,
            uniform_bytes: block.bound_bytes(),
        };
        (kernel, block, written)
    }

    /// A stage's own text as it runs here, and whether its loops are proven finite.
    fn text<'s>(&self, of: Instance<'s>) -> (Cow<'s, str>, bool) {
        let dim = self.graph.dim(of.node);
        let Bounded { source, finite } = of.stage.bounded(dim);
        let text = match self.op.shape.is_some() || self.program.unrolled {
            true => Cow::Borrowed(of.stage.unrolled(dim)),
            false => Cow::Borrowed(source.as_str()),
        };
        (self.visits(of, text), *finite)
    }

    /// The domain of a node, or one cell where it has none.
    fn domain(&self, node: &Node) -> Domain {
        let empty = || Domain {
            name: String::new(),
            dim: 2,
            resolution: [1; 3],
            cell_size: 1.0,
            edge: EdgeRule::Wall,
            finer: None,
            sliced: None,
        };
        node.domain.and_then(|d| self.graph.domains.get(d)).cloned().unwrap_or_else(empty)
    }

    /// Every stage of the operation whose text uses a word.
    fn names(&self, word: &str) -> bool {
        let field = |f: &StageInstance| match &self.graph.nodes[f.node].kind {
            Kind::Stage(stage) => stage.names(word),
            _ => false,
        };
        self.stage.names(word) || self.op.inlined().iter().any(field)
    }

    fn counters(&self) -> [(&'static str, Counter, bool); 3] {
        [
            ("_iteration", Counter::Iteration, self.names("iteration")),
            ("_substep", Counter::Substep, self.names("substep")),
            ("_color", Counter::Color, self.op.color.is_some() && self.op.sweeps == 1),
        ]
    }

    /// Adds a stage's parameters and constants to the block.
    fn members(&self, of: Instance<'_>, block: &mut Block) {
        let dim = self.graph.dim(of.node);
        let prefix = if of.index == OWN { String::new() } else { fields::prefix(of.index) };
        for setting in &of.node.params {
            let content = Content::Setting(of.node.path.clone(), setting.clone());
            block.push(format!("{prefix}{}", setting.name), setting.ty, dim, content);
        }
        let begun =
            self.op.writes.iter().filter(|w| w.stage == of.index).filter_map(|w| Some((w.port, w.start.as_ref()?)));
        for (port, setting) in begun {
            let content = Content::Setting(of.node.path.clone(), setting.clone());
            let name = of.stage.outputs().nth(port).map(start).unwrap_or_default();
            block.push(format!("{prefix}{name}"), setting.ty, dim, content);
        }
        for (port, setting) in constants(of) {
            let content = Content::Setting(of.node.path.clone(), setting.clone());
            let dim = self.width(of, port);
            block.push(format!("{prefix}_in_{}", port.name), setting.ty, dim, content);
        }
    }

    /// Dimensions of the space that an unwired port's positions live in. Of a field and of a grid that is asked by position
    /// this is the space that a camera looks into, or that of the particles; else it is that of the stage.
    fn space(&self, of: Instance<'_>, port: &Port) -> u32 {
        let own = self.graph.dim(of.node);
        if port.ty.is_number() {
            return own;
        }
        if port.flat {
            return 2;
        }
        let camera = PortType::Number(Element::Fixed(ValueType::Camera));
        if of.stage.inputs().any(|p| p.ty == camera) {
            return 3;
        }
        let set = of.node.set.as_ref().filter(|_| matches!(port.ty, PortType::Field(_)));
        set.and_then(|s| self.graph.domains.get(s.domain)).map_or(own, |d| d.dim)
    }

    /// Dimensions of an unwired port's own vectors.
    fn width(&self, of: Instance<'_>, port: &Port) -> u32 {
        if matches!(port.ty, PortType::Field(_)) { self.space(of, port) } else { self.graph.dim(of.node) }
    }

    /// What a stage's ports read from memory.
    fn reads(&self, of: InstanceId) -> impl Iterator<Item = &Read> {
        self.op.reads.iter().filter(move |r| r.stage == of)
    }

    /// The stages of the operation, its own first.
    fn instances(&self) -> impl Iterator<Item = Instance<'_>> {
        self.op.stages.ids().filter_map(|index| self.instance(index))
    }

    /// The stage itself, or one that is built in.
    fn instance(&self, index: InstanceId) -> Option<Instance<'_>> {
        let node = self.graph.nodes.get(self.op.node_of(index)?)?;
        let Kind::Stage(stage) = &node.kind else { return None };
        Some(Instance { index, node, stage })
    }

    /// Ports that the stage itself writes: port, part, value, and whether it works in place.
    fn writes(&self) -> impl Iterator<Item = (&Port, &Write, &Value, bool)> {
        self.writes_of(OWN).map(|(port, write, value, in_place, _)| (port, write, value, in_place))
    }

    /// The same of any of the stages; and the variable of the memory that it is written to.
    fn writes_of(&self, of: InstanceId) -> impl Iterator<Item = (&Port, &Write, &Value, bool, String)> {
        let all = self.op.writes.iter().zip(self.in_place).enumerate();
        all.filter(move |(_, (write, _))| write.stage == of).filter_map(|(index, (write, in_place))| {
            let port = self.instance(write.stage)?.stage.header.ports.iter().filter(|p| p.writes()).nth(write.port)?;
            let target = memory::target(self.graph, self.op, self.in_place, index)?;
            Some((port, write, self.program.values.get(write.value)?, *in_place, target))
        })
    }

    /// The version that a write updates; itself, where there is none.
    fn before<'v>(&'v self, write: &Write, value: &'v Value) -> &'v Value {
        write.consumes.and_then(|before| self.program.values.get(before)).unwrap_or(value)
    }

    /// What the stages of the dispatch hand to one another.
    fn handed_variables(&self) -> String {
        let mut out = String::new();
        for write in self.op.writes.iter().filter(|w| w.stage != OWN && w.part != Part::Found) {
            let value = self.program.values.get(write.value);
            if let (Some(name), Some(value)) = (memory::forwarded(self.graph, self.op, write.value), value) {
                let _ = writeln!(out, "var<private> {name}: {};", value.ty.value().wgsl(value.dim));
            }
        }
        out
    }

    /// The variable that a port gets its value by from a stage of the same dispatch.
    fn forwarded(&self, of: InstanceId, port: usize, part: &Part) -> Option<String> {
        let read = self.op.forwarded.iter().find(|r| r.stage == of && r.port == port && r.part == *part)?;
        memory::forwarded(self.graph, self.op, read.value)
    }

    /// The port that adds particles, and the number input that says how many.
    fn emits(&self) -> Option<(&Port, &str)> {
        self.stage.outputs().find_map(|p| match &p.change {
            Change::Emit(amount) => Some((p, amount.as_str())),
            _ => None,
        })
    }

    /// The functions through which a stage sees its inputs.
    fn accessors(&self, of: Instance<'_>, bound: &[Bound]) -> String {
        let mut parts = Vec::new();
        let variable = |port: usize, part: &Part| memory::variable(bound, of.index, port, part);
        for (index, (port, input)) in of.stage.inputs().zip(&of.node.inputs).enumerate() {
            if of.stage.names(&format!("{}_wired", port.name)) {
                let wired = !matches!(input.source, Source::Setting(_));
                parts.push(format!("const {}_wired = {wired};", port.name));
            }
            match (port.ty, &input.source) {
                (PortType::Particles, _) => parts.push(self.set_accessor(of, index, port, bound)),
                (PortType::NeighborGrid, _) => parts.push(self.neighbor_accessor(of, index, port, bound)),
                (_, Source::Setting(setting)) if port.direction == Direction::In => {
                    parts.push(constant(
                        port,
                        setting,
                        self.width(of, port),
                        (self.graph.dim(of.node), self.space(of, port)),
                    ));
                }
                (PortType::Field(_), _) => parts.push(self.field_accessor(of, index, port)),
                _ if self.recomputed(of.index, index).is_some() => {
                    parts.push(self.recomputing_accessor(of, index, port))
                }
                // What is gone on from is seen through the port that writes it, unless nothing is written.
                _ if port.direction == Direction::InOut && !self.reads(of.index).any(|r| r.port == index) => {}
                _ if self.held_input(of.index, port) => {
                    let mut all = self.op.reads.iter().chain(&self.op.forwarded);
                    let value = all.find(|r| r.stage == OWN && r.port == index).map(|r| &self.program.values[r.value]);
                    let ty = value.map_or("f32", |v| v.ty.value().wgsl(v.dim));
                    parts.push(from_variable(port, &tile::input(port), ty, self.graph.dim(of.node)));
                }
                _ if self.forwarded(of.index, index, &Part::Whole).is_some() => {
                    let variable = self.forwarded(of.index, index, &Part::Whole).unwrap_or_default();
                    let ty = self.handed_type(of.index, index);
                    parts.push(from_variable(port, &variable, ty.unwrap_or("f32"), self.graph.dim(of.node)));
                }
                _ => {
                    let value = self.reads(of.index).find(|r| r.port == index).map(|r| &self.program.values[r.value]);
                    if let (Some(value), Some(variable)) = (value, variable(index, &Part::Whole)) {
                        parts.push(self.grid_accessor(of, port, value, variable));
                    }
                }
            }
        }
        parts.extend(of.stage.header.params.iter().filter_map(drawn));
        for (port, write, value, in_place, target) in self.writes_of(of.index) {
            let grid = write.part == Part::Whole && port.ty.is_grid();
            if grid && (port.direction == Direction::InOut || port.scatter.is_some()) {
                let own = if of.index == OWN { String::new() } else { fields::prefix(of.index) };
                if write.start.is_some() && (of.index != OWN || self.op.sweeps == 1) {
                    let ty = value.ty.value().wgsl(value.dim);
                    parts.push(from_variable(port, &value.layout().rounded(&begun(port)), ty, value.dim));
                    continue;
                }
                let forwarded = write.consumes.and_then(|before| memory::forwarded(self.graph, self.op, before));
                // A tile goes on from it where it lies.
                match forwarded.filter(|_| of.index != OWN || self.op.sweeps == 1) {
                    Some(variable) => {
                        let ty = value.ty.value().wgsl(value.dim);
                        parts.push(from_variable(port, &variable, ty, value.dim));
                    }
                    None if in_place || port.scatter.is_some() => {
                        parts.push(self.grid_accessor(of, port, value, &target));
                    }
                    None => {
                        let variable = format!("{own}{}", memory::read(port, &write.part));
                        parts.push(self.grid_accessor(of, port, self.before(write, value), &variable));
                    }
                }
            }
            if port.change == Change::Put
                && let Part::Attribute(name) = &write.part
            {
                parts.push(self.put_accessor(port, name, value));
            }
        }
        parts.into_iter().map(|p| p + "\n").collect()
    }

    /// The radius that a port's accessor has to hold, for the text alone does not prove it. Around a periodic axis it is not held.
    fn held(&self, stage: &Stage, port: &Port, value: &Value) -> Option<String> {
        let (radius, proven) = match port.direction {
            Direction::In if port.radius.is_none() => return None,
            Direction::In => {
                let around = stage.footprint(&port.name, value.dim)?;
                (around.radius.clone(), around.proven)
            }
            _ => stage.radius(port).map(|(cells, proven)| (Radius::Cells(cells), proven))?,
        };
        let holds = !proven && self.edge(port, value) != EdgeRule::Wrap && stage.source() == IterationSource::Cells;
        holds.then(|| match radius {
            Radius::Cells(cells) => cells.to_string(),
            Radius::Param(name) => format!("params.{name}"),
        })
    }

    /// Whether an accessor has to know the cell that is computed.
    fn holds(&self) -> bool {
        let held = |of: Instance<'_>| {
            let read = self
                .reads(of.index)
                .filter_map(|r| Some((of.stage.inputs().nth(r.port)?, self.program.values.get(r.value)?)));
            let written = self.writes_of(of.index).map(|(port, _, value, ..)| (port, value));
            let mut grids = read.chain(written).filter(|(port, _)| port.ty.is_grid());
            grids.any(|(port, value)| self.held(of.stage, port, value).is_some())
        };
        self.instances().any(held)
    }

    /// WGSL type of a value that is forwarded to a port.
    fn handed_type(&self, of: InstanceId, port: usize) -> Option<&'static str> {
        let read = self.op.forwarded.iter().find(|r| r.stage == of && r.port == port)?;
        self.program.values.get(read.value).map(|value| value.ty.value().wgsl(value.dim))
    }

    /// The stage that makes what a port reads anew.
    fn recomputed(&self, of: InstanceId, port: usize) -> Option<(InstanceId, ValueId)> {
        let asked = |built: &StageInstance| built.callers.contains(&(of, port)).then_some(built.recomputes).flatten();
        self.op.stages.entries().find_map(|(index, stage)| Some((index, asked(stage)?)))
    }

    fn recomputing_accessor(&self, of: Instance<'_>, index: usize, port: &Port) -> String {
        let Some((instance, value)) = self.recomputed(of.index, index) else { return String::new() };
        let Some(value) = self.program.values.get(value) else { return String::new() };
        self.grid_accessor(of, port, value, &format!("{}stage()", fields::prefix(instance)))
    }

    fn grid_accessor(&self, of: Instance<'_>, port: &Port, value: &Value, variable: &str) -> String {
        let stage = of.stage;
        if of.index == OWN && self.port_window(port).is_some() {
            return self.window_accessor(port, value);
        }
        let Some(domain) = value.domain.and_then(|d| self.graph.domains.get(d)) else {
            let load = value.layout().load(variable, "0");
            let ty = value.ty.value().wgsl(value.dim);
            return format!("fn {}() -> {ty} {{ return {load}; }}", port.name);
        };
        let edge = port.edge.unwrap_or(domain.edge);
        let tile = self.tile(port).filter(|_| of.index == OWN);
        let held = self.held(stage, port, value);
        let layout = value.layout();
        let memory = Memory { name: &port.name, variable, ty: value.ty, domain, layout, edge, tile, held };
        match port.scatter {
            Some(Scatter::Sum(bits)) => return memory.add(bits, of.index == OWN && query::checked(stage, port)),
            Some(kind) => return memory.extreme(kind == Scatter::Min),
            None => {}
        }
        if let Some(accessor) = self.halo_accessor(&memory, port).filter(|_| of.index == OWN) {
            return accessor;
        }
        let calls = |suffix: &str| stage.calls(&format!("{}{suffix}", port.name));
        let mut parts = Vec::new();
        if calls("") || calls("_at") || calls("_face") {
            parts.push(memory.cell());
        }
        if calls("_face") {
            parts.push(memory.face());
        }
        if calls("_at") {
            parts.push(memory.at());
        }
        parts.join("\n")
    }
}

/// `x(t)` of a curve or a gradient: linear between the samples in the uniform block.
fn drawn(param: &Param) -> Option<String> {
    let (name, last) = (&param.name, SAMPLES - 1);
    let returned = param.ty.returns()?;
    let sample = |index: &str| match returned {
        ValueType::F32 => format!("params.{name}[{index} >> 2u][{index} & 3u]"),
        _ => format!("params.{name}[{index}]"),
    };
    // Equal samples give themselves, which `mix` does not promise.
    let (from, to) = (sample("_i"), sample("_j"));
    Some(format!(
        "fn {name}(_t: f32) -> {} {{ let _x = clamp(_t, 0.0, 1.0) * {last}.0; let _i = min(u32(_x), {last}u); let _j = min(_i + 1u, {last}u); \
         let _from = {from}; return _from + ({to} - _from) * (_x - f32(_i)); }}",
        returned.wgsl(2)
    ))
}

/// Member of the block with what all cells of a port start from.
fn start(port: &Port) -> String {
    format!("_start_{}", port.name)
}

/// What all cells of a port start from, where memory holds nothing yet.
fn begun(port: &Port) -> String {
    format!("params.{}", start(port))
}

/// `x(cell)` of what another stage of the dispatch has made for the same cell.
fn from_variable(port: &Port, variable: &str, ty: &str, dim: u32) -> String {
    format!("fn {}(_cell: {}) -> {ty} {{ return {variable}; }}", port.name, prelude::cell_type(dim))
}

/// Inputs that read a setting instead of a wire.
fn constants(of: Instance<'_>) -> impl Iterator<Item = (&Port, &Setting)> {
    of.stage.inputs().zip(&of.node.inputs).filter_map(|(port, input)| match &input.source {
        Source::Setting(setting) if port.direction == Direction::In => Some((port, setting)),
        _ => None,
    })
}

/// Accessors of an unwired input.
fn constant(port: &Port, setting: &Setting, dim: u32, (run, space): (u32, u32)) -> String {
    let (name, ty) = (&port.name, setting.ty.wgsl(dim));
    let value = format!("params._in_{name}");
    let (cell, position) = (prelude::cell_type(run), prelude::position_type(space));
    match port.ty {
        PortType::Number(_) => format!("fn {name}() -> {ty} {{ return {value}; }}"),
        PortType::Field(_) => {
            let mut out = format!("fn {name}(_position: {position}) -> {ty} {{ return {value}; }}");
            if setting.ty == ValueType::F32 {
                let _ = write!(
                    out,
                    "\nfn {name}_gradient(_position: {position}, _step: f32) -> {position} {{ return {position}(); }}"
                );
            }
            out
        }
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
