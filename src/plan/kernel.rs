//! Operations become dispatches: the kernel's WGSL, its buffers, its uniform block.

use std::collections::{BTreeMap, HashMap};

use super::allocate::Layout;
use super::builtin;
use super::expand::{Op, Program, Task, Value};
use super::stage_kernel::StageKernel;
use super::uniforms::{self, Block, Content, Counter};
use super::{Binding, Dispatch, Kernel, PLAN_VERSION, Picture, Plan, Slot, State, Wire};
use crate::graph::{Graph, Kind, Node};
use crate::problem::{Problem, Problems};
use crate::stage::Stage;
use crate::stage::types::{ValueType, WireType};

/// Kernel variant of a node: which of its written ports work in place.
type Variant = (usize, Vec<bool>);

pub struct Writer<'a> {
    graph: &'a Graph,
    kernels: Vec<Kernel>,
    by_text: HashMap<(String, Vec<Binding>), usize>,
    variants: HashMap<Variant, (usize, Block)>,
    /// Uniform blocks already placed, by node and counters.
    placed: BTreeMap<(usize, u32, u32, u32), u32>,
    slots: Vec<Slot>,
    words: Vec<(u32, i32)>,
    bytes: u32,
    budgets: Vec<String>,
}

/// Uniform offset of kernels that take nothing.
const NO_BLOCK: u32 = uniforms::FRAME_BYTES;

impl<'a> Writer<'a> {
    pub fn new(graph: &'a Graph) -> Writer<'a> {
        Writer {
            graph,
            kernels: Vec::new(),
            by_text: HashMap::new(),
            variants: HashMap::new(),
            placed: BTreeMap::new(),
            slots: Vec::new(),
            words: Vec::new(),
            bytes: 2 * uniforms::FRAME_BYTES,
            budgets: Vec::new(),
        }
    }

    pub fn dispatches(&mut self, program: &Program, memory: &[usize]) -> Result<Vec<Dispatch>, Problems> {
        program.ops.iter().map(|op| self.dispatch(program, op, memory)).collect()
    }

    fn dispatch(&mut self, program: &Program, op: &Op, memory: &[usize]) -> Result<Dispatch, Problems> {
        let node = self.graph.nodes.get(op.node).ok_or_else(|| Problem::new("", "", "an operation has no node", ""))?;
        match (&op.task, &node.kind) {
            (Task::Stage, Kind::Stage(stage)) => self.stage(program, op, node, stage, memory),
            _ => Ok(self.task(program, op, node, memory)),
        }
    }

    fn stage(
        &mut self,
        program: &Program,
        op: &Op,
        node: &Node,
        stage: &Stage,
        memory: &[usize],
    ) -> Result<Dispatch, Problems> {
        let in_place = |w: &super::expand::Write| w.consumes.is_some_and(|v| memory[v] == memory[w.value]);
        let key: Variant = (op.node, op.writes.iter().map(in_place).collect());
        let (kernel, block) = match self.variants.get(&key) {
            Some(known) => known.clone(),
            None => {
                let text = StageKernel { graph: self.graph, program, op, node, stage, in_place: &key.1 };
                let (kernel, block) = text.write(&mut self.budgets);
                let entry = (self.kernel(kernel), block);
                self.variants.insert(key.clone(), entry.clone());
                entry
            }
        };
        let mut buffers: Vec<usize> = op.reads.iter().map(|(_, v)| memory[*v]).collect();
        for (write, in_place) in op.writes.iter().zip(&key.1) {
            buffers.extend(write.consumes.filter(|_| !in_place).map(|v| memory[v]));
            buffers.push(memory[write.value]);
        }
        Ok(Dispatch {
            kernel,
            node: node.path.clone(),
            part: part(op, node),
            buffers,
            groups: groups(self.graph, op.node),
            uniform: self.block(op, node, &block),
        })
    }

    /// Places a stage's uniform block; repeats share one unless they can tell each other apart.
    fn block(&mut self, op: &Op, node: &Node, block: &Block) -> u32 {
        if block.members.is_empty() {
            return NO_BLOCK;
        }
        let used = |counter, value| if block.uses(counter) { value } else { 0 };
        let color = op.color.unwrap_or(0);
        let key = (
            op.node,
            used(Counter::Iteration, op.iteration),
            used(Counter::Substep, op.substep),
            used(Counter::Color, color),
        );
        if let Some(offset) = self.placed.get(&key) {
            return *offset;
        }
        let offset = self.reserve(block.bound_bytes());
        let dim = dim(self.graph, node);
        let budget = self.budgets.iter().position(|b| *b == node.path).unwrap_or(0);
        for member in &block.members {
            let at = offset + member.offset;
            match &member.content {
                Content::Setting(setting) => uniforms::place(&mut self.slots, &node.path, setting, dim, at),
                Content::Word(Counter::Iteration) => self.words.push((at, op.iteration as i32)),
                Content::Word(Counter::Substep) => self.words.push((at, op.substep as i32)),
                Content::Word(Counter::Color) => self.words.push((at, color as i32)),
                Content::Word(Counter::Node) => self.words.push((at, budget as i32)),
            }
        }
        self.placed.insert(key, offset);
        offset
    }

    fn reserve(&mut self, bytes: u32) -> u32 {
        let offset = self.bytes;
        self.bytes = (offset + bytes).next_multiple_of(uniforms::FRAME_BYTES);
        offset
    }

    /// One of the compiler's own tasks.
    fn task(&mut self, program: &Program, op: &Op, node: &Node, memory: &[usize]) -> Dispatch {
        let dim = dim(self.graph, node);
        let none = Value { ty: WireType::Number(ValueType::F32), domain: None, dim: 2, label: String::new(), bytes: 0 };
        let written = op.writes.first();
        let target = written.and_then(|w| program.values.get(w.value)).unwrap_or(&none);
        let value = target.ty.value();
        let read = op.reads.first().map(|(_, v)| *v).or(written.and_then(|w| w.consumes));
        let in_place = written.zip(read).is_some_and(|(w, r)| memory[w.value] == memory[r]);
        let words = target.bytes / 4;
        let mut uniform = NO_BLOCK;
        let (name, wgsl) = match &op.task {
            Task::Fill(setting) => {
                uniform = self.reserve(16);
                if let Some(setting) = setting {
                    uniforms::place(&mut self.slots, &node.path, setting, dim, uniform);
                }
                ("fill", builtin::fill(words, value.components(dim)))
            }
            Task::Copy | Task::Stage => ("copy", builtin::copy(words)),
            Task::ToFixed(bits) => ("to fixed point", builtin::convert(words, value.scalar(), *bits, true, in_place)),
            Task::FromFixed(bits) => {
                ("from fixed point", builtin::convert(words, value.scalar(), *bits, false, in_place))
            }
            Task::Reduce(kind, ty) => {
                let partials = read.and_then(|r| program.values.get(r)).map_or(1, |v| v.bytes / 16);
                ("reduce", builtin::reduce(partials, *kind, *ty, dim))
            }
            Task::Present { width, height } => {
                let domain = node.domain.and_then(|d| self.graph.domains.get(d));
                ("present", domain.map(|d| builtin::present(d, *width, *height)).unwrap_or_default())
            }
        };
        let (workgroup, groups) = match op.task {
            Task::Present { width, height } => ([32, 8, 1], [width.div_ceil(32), height.div_ceil(8), 1]),
            Task::Reduce(..) => ([builtin::LANES, 1, 1], [1; 3]),
            _ => ([builtin::LANES, 1, 1], builtin::word_groups(words)),
        };
        let mut bindings = Vec::new();
        let mut buffers = Vec::new();
        if let Some(read) = read.filter(|_| !in_place) {
            bindings.push(Binding { name: "in".into(), writes: false });
            buffers.push(memory[read]);
        }
        if let Some(write) = written {
            bindings.push(Binding { name: "out".into(), writes: true });
            buffers.push(memory[write.value]);
        }
        let kernel = self.kernel(Kernel {
            name: name.into(),
            node: node.path.clone(),
            wgsl,
            workgroup,
            bindings,
            finite: true,
            own_lines: 0,
            uniform_bytes: 16,
        });
        Dispatch { kernel, node: node.path.clone(), part: name.into(), buffers, groups, uniform }
    }

    /// Kernels with the same text are one.
    fn kernel(&mut self, kernel: Kernel) -> usize {
        let key = (kernel.wgsl.clone(), kernel.bindings.clone());
        let next = self.kernels.len();
        let index = *self.by_text.entry(key).or_insert(next);
        if index == next {
            self.kernels.push(kernel);
        }
        index
    }

    pub fn finish(self, layout: Layout, frame: Vec<Dispatch>, reset: Vec<Dispatch>) -> Plan {
        let graph = self.graph;
        let memory = layout.buffers.iter().map(|b| b.bytes).sum();
        let states = layout.states.iter().map(|(node, buffer)| {
            let node = &graph.nodes[*node];
            State { node: node.path.clone(), buffer: *buffer, description: describe(graph, node) }
        });
        let wires = layout.wires.into_iter().map(|(name, m)| {
            (
                name,
                Wire {
                    ty: m.value.ty,
                    domain: m.value.domain,
                    dim: m.value.dim,
                    buffer: m.buffer,
                    kept: m.kept,
                    state: m.state,
                },
            )
        });
        let outputs = layout.pictures.iter().map(|(node, buffer, width, height)| Picture {
            node: graph.nodes[*node].path.clone(),
            buffer: *buffer,
            width: *width,
            height: *height,
        });
        Plan {
            version: PLAN_VERSION,
            name: graph.name.clone(),
            fps: graph.fps,
            seed: graph.seed,
            input: graph.input.clone(),
            domains: graph.domains.clone(),
            kernels: self.kernels,
            reset,
            frame,
            swaps: layout.swaps,
            states: states.collect(),
            wires: wires.collect(),
            outputs: outputs.collect(),
            settings: self.slots,
            words: self.words,
            uniform_bytes: self.bytes,
            memory,
            budgets: self.budgets,
            buffers: layout.buffers,
        }
    }
}

fn part(op: &Op, node: &Node) -> String {
    let mut parts = Vec::new();
    if node.iterations > 1 {
        parts.push(format!("{}/{}", op.iteration + 1, node.iterations));
    }
    if let Some(color) = op.color {
        parts.push(if color == 0 { "red".into() } else { "black".to_string() });
    }
    parts.join(" ")
}

/// What a State is: while it reads the same, the contents stay over a recompile.
fn describe(graph: &Graph, node: &Node) -> String {
    let ty = node.outputs.first().map(WireType::to_string).unwrap_or_default();
    let domain = node.domain.and_then(|d| graph.domains.get(d));
    let resolution = domain.map_or([0; 3], |d| d.resolution);
    let value = node.params.first().map(|s| format!("{:?}", s.value)).unwrap_or_default();
    format!("{ty} {resolution:?} {value}")
}

pub fn dim(graph: &Graph, node: &Node) -> u32 {
    node.domain.and_then(|d| graph.domains.get(d)).map_or(2, |d| d.dim)
}

/// Cells that a stage runs over.
pub fn extent(graph: &Graph, node: &Node) -> [u32; 3] {
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return [1; 3] };
    match &node.kind {
        Kind::Stage(stage) if stage.header.once => [1; 3],
        _ if node.outputs.contains(&WireType::FaceGrid) => domain.face_resolution(),
        _ => domain.resolution,
    }
}

pub fn workgroup(graph: &Graph, node: &Node) -> [u32; 3] {
    match &node.kind {
        Kind::Stage(stage) if stage.header.once => [1; 3],
        // Wide in x, where memory is contiguous: 8x8 costs 1.8 times as much (docs/performance.md).
        _ if dim(graph, node) == 3 => [32, 4, 2],
        _ => [32, 8, 1],
    }
}

/// Workgroups of a stage's dispatch.
pub fn groups(graph: &Graph, node: usize) -> [u32; 3] {
    let Some(node) = graph.nodes.get(node) else { return [1; 3] };
    let (extent, workgroup) = (extent(graph, node), workgroup(graph, node));
    [0, 1, 2].map(|i| extent[i].div_ceil(workgroup[i]))
}
