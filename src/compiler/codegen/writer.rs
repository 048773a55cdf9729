//! Operations become dispatches: the kernel's WGSL, its buffers, its uniform block.

use crate::check::validate::{Checks, Text};
use crate::codegen::kernel_table::KernelTable;
use crate::codegen::stage_kernel::{self, Context, StageKernel};
use crate::codegen::task::{self, TaskKernel};
use crate::codegen::uniform_layout::{NO_BLOCK, UniformLayout};
use crate::codegen::uniforms::Block;
use crate::codegen::variants::{self, ValuePlace, Variants, Wanted, Writers};
use crate::data::{Alarm, Binding, BufferId, Dispatch, Indirect, Kernel, KernelId, Over};
use crate::ir::workgroups::{self, block_groups, op_groups, shaped_groups, source, task_groups};
use crate::ir::{OWN, Op, Part, Program, Task, Value, ValueId, bins, blocks};
use crate::passes::allocate::Placement;
use crate::scatter::ScatterCheck;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::graph::{Graph, Kind, Node};
use crate::problem::{Problem, Problems};
use crate::stage::header::Change;
use crate::stage::types::{Scalar, ValueType};
use crate::stage::{IterationSource, Stage};

/// A variant whose text is there.
struct Known {
    kernel: KernelId,
    /// Whether it goes through a list of blocks.
    listed: bool,
    block: Block,
    bound: Vec<ValuePlace>,
}

/// Lays out the dispatches of a plan.
pub(crate) struct Writer<'a, 'g> {
    pub(super) graph: &'g Graph,
    writers: &'a Writers<'g>,
    pub(super) kernels: KernelTable,
    variants: Variants,
    /// Texts of variants that nothing has needed yet.
    written: HashMap<usize, variants::Text>,
    /// Kernels of variants that have been met, with their blocks and what they are bound to.
    known: HashMap<usize, Arc<Known>>,
    pub(super) uniforms: UniformLayout<'g>,
    pub(super) alarms: Vec<Alarm>,
    pub(super) scatters: Vec<ScatterCheck>,
    /// Stages whose own text is being checked as it was written.
    own: HashSet<Own>,
}

/// A stage's own text, by its address, and what it is checked in: dimensions and what its generic letters stand for.
type Own = (*const Stage, u32, Vec<(char, ValueType)>);

/// The lists of a plan.
pub(crate) struct Dispatches {
    pub reset: Vec<Dispatch>,
    pub invariant: Vec<Dispatch>,
    pub frame: Vec<Dispatch>,
}

impl<'a, 'g> Writer<'a, 'g> {
    /// Every kernel goes to `checks` as soon as it is written.
    pub(crate) fn new(graph: &'g Graph, writers: &'a Writers<'g>, checks: Checks) -> Writer<'a, 'g> {
        Writer {
            graph,
            writers,
            kernels: KernelTable::new(checks),
            variants: Variants::default(),
            written: HashMap::new(),
            known: HashMap::new(),
            uniforms: UniformLayout::new(graph),
            alarms: Vec::new(),
            scatters: Vec::new(),
            own: HashSet::new(),
        }
    }

    /// The dispatches of two programs, each with the buffers of its values.
    pub(crate) fn dispatches(&mut self, of: [(&Arc<Program>, &Placement); 2]) -> Result<[Vec<Dispatch>; 2], Problems> {
        let (graph, mut wanted) = (self.graph, Vec::new());
        let variants = of.map(|(program, memory)| {
            let of = |op| self.variants.of(graph, (program, op), memory, &mut wanted);
            program.ops.ids().map(of).collect::<Vec<_>>()
        });
        self.write(wanted);
        if self.writers.cancel.is_cancelled() {
            return Err(crate::options::cancelled());
        }
        let ([first, second], [frame, reset]) = (variants, of);
        Ok([self.list((frame.0, frame.1), first)?, self.list((reset.0, reset.1), second)?])
    }

    /// Has texts written, and each checked as soon as it is there: this goes on while the dispatches are laid out.
    fn write(&mut self, wanted: Vec<Wanted<'g>>) {
        let graph = self.graph;
        // Of those with the same text of the user's, the first is checked as it was written.
        let again = wanted.iter().map(|wanted| {
            let generics = wanted.node.generics.iter().map(|(letter, ty)| (*letter, *ty)).collect();
            !self.own.insert((std::ptr::from_ref(wanted.stage), graph.dim(wanted.node), generics))
        });
        let again: Vec<bool> = again.collect();
        let first = wanted.first().map_or(0, |wanted| wanted.variant);
        for (variant, mut text) in self.writers.write(wanted) {
            if self.writers.cancel.is_cancelled() {
                return;
            }
            let again = again.get(variant - first).is_some_and(|again| *again);
            let (kernel, used) = (text.kernel.clone(), text.used.clone());
            self.kernels.check(variant, Text { kernel, written: text.written.take(), used, again });
            self.written.insert(variant, text);
        }
    }

    fn list(
        &mut self,
        (program, memory): (&Program, &Placement),
        variants: Vec<Option<usize>>,
    ) -> Result<Vec<Dispatch>, Problems> {
        program.ops.iter().zip(variants).map(|(op, variant)| self.dispatch(program, op, variant, memory)).collect()
    }

    fn dispatch(
        &mut self,
        program: &Program,
        op: &Op,
        variant: Option<usize>,
        memory: &Placement,
    ) -> Result<Dispatch, Problems> {
        if self.writers.cancel.is_cancelled() {
            return Err(crate::options::cancelled());
        }
        let node = self.graph.nodes.get(op.node).ok_or_else(|| Problem::new("", "", "an operation has no node", ""))?;
        let dispatch = match (&node.kind, variant) {
            (Kind::Stage(stage), Some(variant)) => {
                self.known(variant).map(|known| self.stage(program, op, (node, stage), &known, memory))
            }
            _ => self.task(program, op, node, memory),
        };
        dispatch.ok_or_else(|| Problem::new(&node.path, "", "the text of a kernel was not written", "").into())
    }

    /// The kernel of a variant.
    fn known(&mut self, variant: usize) -> Option<Arc<Known>> {
        if let Some(known) = self.known.get(&variant) {
            return Some(known.clone());
        }
        let text = self.written.remove(&variant)?;
        for alarm in text.alarms {
            if !self.alarms.contains(&alarm) {
                self.alarms.push(alarm);
            }
        }
        for check in text.scatters {
            if !self.scatters.contains(&check) {
                self.scatters.push(check);
            }
        }
        let kernel = self.kernels.kernel(text.kernel)?;
        let known = Arc::new(Known { kernel, listed: text.listed, block: text.block, bound: text.bound });
        self.known.insert(variant, known.clone());
        Some(known)
    }

    fn stage(
        &mut self,
        program: &Program,
        op: &Op,
        (node, stage): (&Node, &Stage),
        known: &Known,
        memory: &Placement,
    ) -> Dispatch {
        let buffers = known.bound.iter().filter_map(|place| memory[place.value(op)?]).collect();
        Dispatch {
            kernel: known.kernel,
            node: node.path.clone(),
            part: part(op, node),
            with: self.with(op),
            shape: op.shape.map(|shape| (shape, op.sweeps)),
            buffers,
            over: over(node),
            groups: if known.listed {
                block_groups(self.graph, node)
            } else {
                shaped_groups(self.graph, program, op, node)
            },
            indirect: match blocks::table(op).filter(|_| known.listed) {
                Some(table) => {
                    memory[table].map(|buffer| Indirect { buffer, offset: 4 * blocks::GROUPS, living: true })
                }
                None => self.gated(program, op, memory).or_else(|| {
                    living(stage, op).filter(|_| bins::table(op).is_none()).and_then(|count| memory[count]).map(counted)
                }),
            },
            uniform: self.uniforms.block(op, &known.block, &self.alarms),
        }
    }

    /// Nodes whose stages run before an operation's own.
    fn with(&self, op: &Op) -> Vec<String> {
        let before = op.inlined().iter().rev().filter(|b| b.before || b.recomputes.is_some());
        before.filter_map(|b| self.graph.nodes.get(b.node)).map(|node| node.path.clone()).collect()
    }

    /// Where the gate that an operation waits for says how many of its groups run.
    fn gated(&self, program: &Program, op: &Op, memory: &Placement) -> Option<Indirect> {
        let gate = op.gate?;
        let groups = op_groups(self.graph, program, op);
        let entry = program.tables.get(&gate)?.iter().position(|g| *g == groups)?;
        let offset = crate::data::COUNT_GROUPS + crate::data::GATE_ENTRY * entry as u64;
        Some(Indirect { buffer: memory[gate]?, offset, living: false })
    }

    /// Dispatch of a built-in task of the compiler.
    fn task(&mut self, program: &Program, op: &Op, node: &Node, memory: &Placement) -> Option<Dispatch> {
        let TaskKernel { name, wgsl, over } = task::kernel(self.graph, program, op, node, memory);
        let written = op.writes.first();
        let value = written.and_then(|w| program.values.get(w.value));
        let checked =
            matches!(op.task, Task::ToFixed(_)) && value.is_some_and(|v| v.ty.value().scalar() == Scalar::F32);
        let uniform = self.task_uniform(op, node, value, checked);
        let workgroup = if let Task::Present { .. } = op.task { [32, 8, 1] } else { [workgroups::LANES, 1, 1] };
        let groups = task_groups(self.graph, program, op);
        let (bindings, buffers) = task_buffers(op, memory);
        let kernel = Kernel {
            name: name.into(),
            node: node.path.clone(),
            wgsl,
            workgroup,
            bindings,
            finite: true,
            in_bounds: false,
            warns: checked,
            own_lines: 0,
            uniform_bytes: 16,
        };
        self.kernels
            .check(usize::MAX, Text { kernel: kernel.clone(), written: None, used: Arc::default(), again: false });
        let kernel = self.kernels.kernel(kernel)?;
        // The count is the last thing that a move or a pack reads.
        let living = matches!(op.task, Task::Gather | Task::Scatter | Task::Pack);
        let count = op.reads.last().filter(|_| living).and_then(|r| memory[r.value]).map(counted);
        let indirect = self.gated(program, op, memory).or(count);
        let (node, part, with) = (node.path.clone(), name.into(), Vec::new());
        Some(Dispatch { kernel, node, part, with, buffers, over, shape: None, groups, indirect, uniform })
    }

    /// The block of one of the compiler's own tasks. `value`: what it writes; `checked`: whether what does not fit is noted.
    fn task_uniform(&mut self, op: &Op, node: &Node, value: Option<&Value>, checked: bool) -> u32 {
        match &op.task {
            Task::Fill(Some(setting)) => self.uniforms.setting(&node.path, setting, value.map_or(2, |v| v.dim)),
            Task::ToFixed(_) if checked => {
                let stage = if let Kind::Stage(stage) = &node.kind { Some(stage) } else { None };
                let port = stage.zip(op.writes.first()).and_then(|(stage, written)| stage.outputs().nth(written.port));
                self.uniforms.scatter_check(&node.path, port.map_or("", |port| &port.name))
            }
            Task::Test { below, .. } => self.uniforms.tolerance(op.node, &node.path, below),
            _ => NO_BLOCK,
        }
    }
}

/// What one of the compiler's own tasks is bound to: what it reads, and what it writes behind the version that it goes on from elsewhere.
fn task_buffers(op: &Op, memory: &Placement) -> (Vec<Binding>, Vec<BufferId>) {
    let mut bindings = Vec::new();
    let mut buffers = Vec::new();
    let mut bind = |name: &str, writes: bool, value: ValueId| {
        bindings.push(Binding { name: name.into(), writes });
        buffers.extend(memory[value]);
    };
    for read in &op.reads {
        bind("in", false, read.value);
    }
    for write in &op.writes {
        if let Some(before) = write.consumes.filter(|v| memory[*v] != memory[write.value]) {
            bind("in", false, before);
        }
        bind("out", true, write.value);
    }
    (bindings, buffers)
}

/// Fields on their own, so that each one's text is validated where it stands.
pub(crate) fn field_checks(graph: &Graph, frame: &Program, reset: &Program) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (program, op) in [frame, reset].into_iter().flat_map(|p| p.field_checks.iter().map(move |op| (p, op))) {
        let Some(cx) = Context::new(graph, program, op, &[]).filter(|_| seen.insert(op.node)) else { continue };
        let StageKernel { kernel, as_written: written, used, .. } = stage_kernel::write(&cx);
        out.push(Text { kernel, written, used, again: false });
    }
    out
}

/// A dispatch for the living of a set.
fn counted(buffer: BufferId) -> Indirect {
    Indirect { buffer, offset: crate::data::COUNT_GROUPS, living: true }
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

/// The count of the set that a stage runs over, where only the living matter. New particles, flags of a filter and partial results
/// of a reduction are written beyond it.
fn living(stage: &Stage, op: &Op) -> Option<ValueId> {
    let set = stage.set().filter(|_| stage.source() == IterationSource::Particles)?;
    let partial =
        |w: &crate::ir::Write| w.consumes.is_none() && stage.outputs().nth(w.port).is_some_and(|p| p.reduce.is_some());
    let beyond = matches!(set.change, Change::Emit(_) | Change::Filter) || op.writes.iter().any(partial);
    let input = stage.inputs().position(|p| p.name == set.name).filter(|_| !beyond)?;
    op.reads.iter().find(|r| r.stage == OWN && r.port == input && r.part == Part::Count).map(|r| r.value)
}

/// What a stage runs over.
fn over(node: &Node) -> Over {
    match (source(node), node.domain) {
        (Some(IterationSource::Particles), _) => Over::Particles(node.set.as_ref().map_or(1, |s| s.capacity)),
        (Some(IterationSource::Once | IterationSource::Positions), _) | (_, None) => Over::Once,
        (_, Some(domain)) if workgroups::fills_faces(node) => Over::Faces(domain),
        (_, Some(domain)) => Over::Cells(domain),
    }
}
