//! Operations become dispatches: the kernel's WGSL, its buffers, its uniform block.

use crate::check::validate::{Checks, Text};
use crate::codegen::kernel_table::KernelTable;
use crate::codegen::one_workgroup::{Joined, Module, Phase, Run};
use crate::codegen::task::{self, TaskKernel};
use crate::codegen::uniform_layout::{NO_BLOCK, UniformLayout};
use crate::codegen::uniforms::Block;
use crate::codegen::variants::{self, Field, ValuePlace, Variants, Wanted, Writers, Written};
use crate::data::{Alarm, Binding, BufferId, Dispatch, Indirect, Kernel, KernelId, Over};
use crate::ir::bindings::MAX_BUFFERS;
use crate::ir::workgroups::{self, block_groups, colored_groups, op_groups, shaped_groups, source, task_groups};
use crate::ir::{Lanes, OWN, Op, Part, Program, Task, ValueId, WireValue, bins, blocks};
use crate::passes::allocate::Placement;
use crate::scatter::ScatterCheck;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::graph::{Graph, Kind, Node};
use crate::problem::{Problem, Problems};
use crate::stage::header::Change;
use crate::stage::types::{Scalar, ValueType};
use crate::stage::{IterationSource, Stage};

/// A variant whose text is there.
struct VariantKernel {
    kernel: Kernel,
    /// The kernel's place among those that are checked; none where it is only a part of others.
    place: Option<usize>,
    /// The kernel's text as a part of others; none where it can't be one.
    module: OnceCell<Option<Module>>,
    /// Whether it goes through a list of blocks.
    listed: bool,
    /// Whether its invocations have the cells of one colour alone.
    colored: bool,
    block: Block,
    bound: Vec<ValuePlace>,
}

impl VariantKernel {
    /// The buffers of an operation, by binding.
    fn buffers(&self, op: &Op, memory: &Placement) -> Vec<BufferId> {
        self.bound.iter().filter_map(|place| memory[place.value(op)?]).collect()
    }
}

/// A dispatch that one workgroup may do among others.
struct OwnPhase {
    variant_kernel: Rc<VariantKernel>,
    buffers: Vec<BufferId>,
    groups: [u32; 3],
    cells: [u32; 3],
}

impl OwnPhase {
    /// The phase of a run; `None` where the kernel can't be in one.
    fn borrowed(&self) -> Option<Phase<'_>> {
        let OwnPhase { variant_kernel, buffers, groups, cells } = self;
        let VariantKernel { kernel, block, .. } = &**variant_kernel;
        let module = variant_kernel.module.get_or_init(|| Module::read(kernel)).as_ref()?;
        Some(Phase { kernel, module, block, buffers, groups: *groups, cells: *cells })
    }
}

/// Lays out the dispatches of a plan.
pub(crate) struct Writer<'a, 'g> {
    pub(super) graph: &'g Graph,
    writers: &'a Writers<'g>,
    pub(super) kernels: KernelTable,
    variants: Variants,
    /// Texts of variants that nothing has needed yet, with their places among those that are checked.
    written: HashMap<usize, (variants::Text, usize)>,
    /// Kernels of variants that have been met, with their blocks and what they are bound to.
    variant_kernels: HashMap<usize, Rc<VariantKernel>>,
    pub(super) uniforms: UniformLayout<'g>,
    pub(super) alarms: Vec<Alarm>,
    pub(super) scatters: Vec<ScatterCheck>,
    /// Storage buffers of a kernel of several small dispatches.
    joined_buffers: usize,
    /// Stages whose own text is being checked as it was written.
    checked_texts: HashSet<StageText>,
}

/// A stage's own text, by its address, and what it is checked in: dimensions and what its generic letters stand for.
type StageText = (*const Stage, u32, Vec<(char, ValueType)>);

/// The lists of a plan.
pub(crate) struct Dispatches {
    pub reset: Vec<Dispatch>,
    pub invariant: Vec<Dispatch>,
    pub frame: Vec<Dispatch>,
    /// The dispatch of each operation, through `invariant` and then `frame`.
    pub of_operations: Vec<usize>,
}

/// The dispatches of a program, and the one of each operation.
type Listed = (Vec<Dispatch>, Vec<usize>);

impl<'a, 'g> Writer<'a, 'g> {
    /// Every kernel goes to `checks` as soon as it is written. `joined_buffers`: that a kernel of several small dispatches may bind.
    pub(crate) fn new(
        graph: &'g Graph,
        writers: &'a Writers<'g>,
        checks: Checks,
        joined_buffers: u32,
    ) -> Writer<'a, 'g> {
        Writer {
            graph,
            writers,
            kernels: KernelTable::new(checks),
            variants: Variants::default(),
            written: HashMap::new(),
            variant_kernels: HashMap::new(),
            uniforms: UniformLayout::new(graph),
            alarms: Vec::new(),
            scatters: Vec::new(),
            joined_buffers: (joined_buffers as usize).max(MAX_BUFFERS),
            checked_texts: HashSet::new(),
        }
    }

    /// The dispatches of two programs, each with the buffers of its values. `fields`: those that are checked by themselves.
    pub(crate) fn dispatches(
        &mut self,
        of: [(&Arc<Program>, &Placement); 2],
        fields: Vec<Field>,
    ) -> Result<[Listed; 2], Problems> {
        let (graph, mut wanted) = (self.graph, Vec::new());
        let variants = of.map(|(program, memory)| {
            let of = |op| self.variants.variant_of(graph, (program, op), memory, &mut wanted);
            program.ops.ids().map(of).collect::<Vec<_>>()
        });
        self.write(fields, wanted);
        if self.writers.cancel.is_cancelled() {
            return Err(crate::options::cancelled());
        }
        let ([first, second], [frame, reset]) = (variants, of);
        Ok([self.list((frame.0, frame.1), first)?, self.list((reset.0, reset.1), second)?])
    }

    /// Has texts written, and each checked as soon as it is there: this goes on while the dispatches are laid out.
    fn write(&mut self, fields: Vec<Field>, wanted: Vec<Wanted<'g>>) {
        let graph = self.graph;
        // Of those with the same text of the user's, the first is checked as it was written.
        let again = wanted.iter().map(|wanted| {
            let generics = wanted.node.generics.iter().map(|(letter, ty)| (*letter, *ty)).collect();
            !self.checked_texts.insert((std::ptr::from_ref(wanted.stage), graph.dim(wanted.node), generics))
        });
        let again: Vec<bool> = again.collect();
        let first = wanted.first().map_or(0, |wanted| wanted.variant);
        for written in self.writers.write(fields, wanted) {
            if self.writers.cancel.is_cancelled() {
                return;
            }
            let (variant, mut text) = match written {
                Written::Variant(variant, text) => (variant, text),
                Written::Field(number, text) => {
                    self.kernels.checks.add_field(number, text);
                    continue;
                }
            };
            let again = again.get(variant - first).is_some_and(|again| *again);
            let (kernel, used) = (text.kernel.clone(), text.used.clone());
            let place = self.kernels.check(variant, Text { kernel, written: text.written.take(), used, again });
            self.written.insert(variant, (text, place));
        }
    }

    fn list(
        &mut self,
        (program, memory): (&Program, &Placement),
        variants: Vec<Option<usize>>,
    ) -> Result<Listed, Problems> {
        let ops: Vec<(&Op, Option<usize>)> = program.ops.iter().zip(variants).collect();
        let (mut list, mut places) = (Vec::new(), Vec::with_capacity(ops.len()));
        while let Some((op, variant)) = ops.get(places.len()) {
            let (dispatch, count) = match self.together(program, &ops[places.len()..], memory) {
                Some(together) => together,
                None => (self.dispatch(program, op, *variant, memory)?, 1),
            };
            places.extend(std::iter::repeat_n(list.len(), count));
            list.push(dispatch);
        }
        Ok((list, places))
    }

    /// One dispatch for as many of the first operations as one workgroup can do, and how many these are; `None` where it is not even two.
    fn together(
        &mut self,
        program: &Program,
        ops: &[(&Op, Option<usize>)],
        memory: &Placement,
    ) -> Option<(Dispatch, usize)> {
        let (mut run, mut phases) = (Run::default(), Vec::new());
        for (op, variant) in ops.iter().take_while(|(op, _)| op.small) {
            let Some(phase) = self.phase(program, op, *variant, memory) else { break };
            if !phase.borrowed().is_some_and(|phase| run.take(&phase, self.joined_buffers)) {
                break;
            }
            phases.push((*op, phase));
        }
        let (last, _) = phases.last().filter(|_| phases.len() > 1)?;
        let node = self.graph.nodes.get(last.node)?;
        let mut before: Vec<String> = Vec::new();
        for (op, _) in &phases {
            let path = self.graph.nodes.get(op.node).map(|node| node.path.clone());
            let new =
                self.with(op).into_iter().chain(path).filter(|added| *added != node.path && !before.contains(added));
            let new: Vec<String> = new.collect();
            before.extend(new);
        }
        let Joined { kernel, block, buffers } = run.finish(&node.path);
        let blocks: Vec<(&Op, &Block)> = phases.iter().map(|(op, phase)| (*op, &phase.variant_kernel.block)).collect();
        let uniform = self.uniforms.blocks(&blocks, &block, &self.alarms);
        let dispatch = Dispatch {
            kernel: self.checked(kernel),
            node: node.path.clone(),
            part: String::new(),
            with: before,
            buffers,
            over: Over::Turns(phases.len() as u32),
            shape: None,
            groups: [1; 3],
            indirect: None,
            uniform,
        };
        Some((dispatch, phases.len()))
    }

    /// An operation as one workgroup would do it among others.
    fn phase(&mut self, program: &Program, op: &Op, variant: Option<usize>, memory: &Placement) -> Option<OwnPhase> {
        let node = self.graph.nodes.get(op.node)?;
        if let (Kind::Stage(stage), Some(variant)) = (&node.kind, variant) {
            let variant_kernel = self.variant_kernel(variant).filter(|variant_kernel| !variant_kernel.listed)?;
            let reduces = stage.outputs().any(|port| port.reduce.is_some());
            let each = op.shape.is_none() && !reduces;
            let [x, y, z] = if each { self.graph.extent(node) } else { [0; 3] };
            let (cells, groups) = match variant_kernel.colored {
                true => ([x.div_ceil(2), y, z], colored_groups(self.graph, node, op.shape)),
                false => ([x, y, z], shaped_groups(self.graph, program, op, node)),
            };
            let buffers = variant_kernel.buffers(op, memory);
            return Some(OwnPhase { variant_kernel, buffers, groups, cells });
        }
        let (kernel, buffers, _) = self.task_kernel(program, op, node, memory);
        let variant_kernel = Rc::new(VariantKernel {
            kernel,
            place: None,
            module: OnceCell::new(),
            listed: false,
            colored: false,
            block: Block::default(),
            bound: Vec::new(),
        });
        Some(OwnPhase { variant_kernel, buffers, groups: task_groups(self.graph, program, op), cells: [0; 3] })
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
            (Kind::Stage(stage), Some(variant)) => self
                .variant_kernel(variant)
                .and_then(|variant_kernel| self.stage(program, op, (node, stage), &variant_kernel, memory)),
            _ => self.task(program, op, node, memory),
        };
        dispatch.ok_or_else(|| Problem::new(&node.path, "", "the text of a kernel was not written", "").into())
    }

    /// The kernel of a variant.
    fn variant_kernel(&mut self, variant: usize) -> Option<Rc<VariantKernel>> {
        if let Some(variant_kernel) = self.variant_kernels.get(&variant) {
            return Some(variant_kernel.clone());
        }
        let (text, place) = self.written.remove(&variant)?;
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
        let variants::Text { kernel, listed, colored, block, bound, .. } = text;
        let (place, module) = (Some(place), OnceCell::new());
        let variant_kernel = Rc::new(VariantKernel { kernel, place, module, listed, colored, block, bound });
        self.variant_kernels.insert(variant, variant_kernel.clone());
        Some(variant_kernel)
    }

    fn stage(
        &mut self,
        program: &Program,
        op: &Op,
        (node, stage): (&Node, &Stage),
        variant_kernel: &VariantKernel,
        memory: &Placement,
    ) -> Option<Dispatch> {
        let kernel = self.kernels.kernel(variant_kernel.place?, || variant_kernel.kernel.clone());
        let buffers = variant_kernel.buffers(op, memory);
        Some(Dispatch {
            kernel,
            node: node.path.clone(),
            part: part(op, node),
            with: self.with(op),
            shape: op.shape.map(|shape| (shape, op.sweeps)),
            buffers,
            over: over(node),
            groups: match (variant_kernel.listed, variant_kernel.colored) {
                (true, _) => block_groups(self.graph, node),
                (false, true) => colored_groups(self.graph, node, op.shape),
                (false, false) => shaped_groups(self.graph, program, op, node),
            },
            indirect: match blocks::table(op).filter(|_| variant_kernel.listed) {
                Some(table) => {
                    memory[table].map(|buffer| Indirect { buffer, offset: 4 * blocks::GROUPS, living: true })
                }
                None => self.gated(program, op, memory).or_else(|| {
                    // The count says how many workgroups there are where each particle has one invocation.
                    let counts = bins::table(op).is_none() && op.lanes == Lanes::One;
                    living(stage, op).filter(|_| counts).and_then(|count| memory[count]).map(counted)
                }),
            },
            uniform: self.uniforms.block(op, &variant_kernel.block, &self.alarms),
        })
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
        let (kernel, buffers, over) = self.task_kernel(program, op, node, memory);
        let value = op.writes.first().and_then(|w| program.values.get(w.value));
        let uniform = self.task_uniform(op, node, value, kernel.warns);
        let groups = task_groups(self.graph, program, op);
        let part = kernel.name.clone();
        let kernel = self.checked(kernel);
        // The count is the last thing that a move or a pack reads.
        let living = matches!(op.task, Task::Gather | Task::Scatter | Task::Pack);
        let count = op.reads.last().filter(|_| living).and_then(|r| memory[r.value]).map(counted);
        let indirect = self.gated(program, op, memory).or(count);
        let (node, with) = (node.path.clone(), Vec::new());
        Some(Dispatch { kernel, node, part, with, buffers, over, shape: None, groups, indirect, uniform })
    }

    /// The kernel of a built-in task, what it is bound to, and what it runs over.
    fn task_kernel(
        &self,
        program: &Program,
        op: &Op,
        node: &Node,
        memory: &Placement,
    ) -> (Kernel, Vec<BufferId>, Over) {
        let TaskKernel { name, wgsl, over } = task::kernel(self.graph, program, op, node, memory);
        let value = op.writes.first().and_then(|w| program.values.get(w.value));
        let warns = matches!(op.task, Task::ToFixed(_)) && value.is_some_and(|v| v.ty.value().scalar() == Scalar::F32);
        let workgroup = if let Task::Present { .. } = op.task { [32, 8, 1] } else { [workgroups::LANES, 1, 1] };
        let (bindings, buffers) = task_buffers(op, memory);
        let kernel = Kernel {
            name: name.into(),
            node: node.path.clone(),
            wgsl,
            workgroup,
            bindings,
            finite: true,
            in_bounds: false,
            warns,
            own_lines: 0,
            uniform_bytes: 16,
        };
        (kernel, buffers, over)
    }

    /// Has a kernel checked in which no line is a user's, and returns its number in the plan.
    fn checked(&mut self, kernel: Kernel) -> KernelId {
        let text = Text { kernel: kernel.clone(), written: None, used: Arc::default(), again: false };
        let place = self.kernels.check(usize::MAX, text);
        self.kernels.kernel(place, || kernel)
    }

    /// The block of one of the compiler's own tasks. `value`: what it writes; `checked`: whether what does not fit is noted.
    fn task_uniform(&mut self, op: &Op, node: &Node, value: Option<&WireValue>, checked: bool) -> u32 {
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
pub(crate) fn field_checks(frame: &Arc<Program>, reset: &Arc<Program>) -> Vec<Field> {
    let mut seen = BTreeSet::new();
    let all = [frame, reset].into_iter().flat_map(|p| p.field_checks.iter().enumerate().map(move |op| (p, op)));
    all.filter(|(_, (_, op))| seen.insert(op.node))
        .map(|(program, (op, _))| Field { program: program.clone(), op })
        .collect()
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
        (_, Some(domain)) if node.fills_faces() => Over::Faces(domain),
        (_, Some(domain)) => Over::Cells(domain),
    }
}
