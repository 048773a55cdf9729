//! Operations become dispatches: the kernel's WGSL, its buffers, its uniform block.

use crate::plan::check::validate::{Checks, Text};
use crate::plan::codegen::stage_kernel::StageKernel;
use crate::plan::codegen::uniforms::{self, Block, Content, Counter};
use crate::plan::codegen::variants::{self, Place, Variants, Wanted, Writers};
use crate::plan::codegen::{builtin, early_exit};
use crate::plan::data::{
    Alarm, Binding, Dispatch, FileGrid, Indirect, Kernel, Over, PLAN_VERSION, Picture, Plan, Slot, State, Watch, Wire,
};
use crate::plan::ir::workgroups::{self, elements, op_groups, shaped_groups, source, task_groups};
use crate::plan::ir::{Op, Part, Program, Task, Value, ValueId};
use crate::plan::options::PlanOptions;
use crate::plan::passes::allocate::Allocation;
use crate::plan::scatter::{Places, ScatterCheck};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::graph::{Graph, Kind, Node, Setting};
use crate::problem::{Problem, Problems};
use crate::stage::header::Change;
use crate::stage::types::{Element, Precision, Scalar, ValueType, WireType, particles_name};
use crate::stage::{IterationSource, Stage};

/// A variant whose text is there.
struct Known {
    kernel: usize,
    block: Block,
    bound: Vec<Place>,
}

pub struct Writer<'a, 'g> {
    graph: &'g Graph,
    writers: &'a Writers<'g>,
    kernels: Vec<Kernel>,
    by_text: HashMap<(String, Vec<Binding>), Checked>,
    variants: Variants,
    /// Texts of variants that nothing has needed yet.
    written: HashMap<usize, variants::Text>,
    /// Kernels of variants that have been met, with their blocks and what they are bound to.
    known: HashMap<usize, Arc<Known>>,
    /// Uniform blocks already placed, by node, fields built in, and counters.
    placed: BTreeMap<Placed, u32>,
    slots: Vec<Slot>,
    words: Vec<(u32, i32)>,
    bytes: u32,
    alarms: Vec<Alarm>,
    scatters: Vec<ScatterCheck>,
    check_words: Vec<CheckWord>,
    checks: Checks,
    /// Stages whose own text is being checked as it was written.
    own: HashSet<Own>,
}

/// A kernel that is being checked: its number there, and among the plan's kernels once something is dispatched that needs it.
struct Checked {
    check: usize,
    kernel: Option<usize>,
}

/// A stage's own text, by its address, and what it is checked in: dimensions and what its generic letters stand for.
type Own = (*const Stage, u32, Vec<(char, ValueType)>);

/// What sets uniform blocks apart: node, what is built in, constants begun with, and the counters that the text uses.
type Placed = (usize, Vec<usize>, Vec<bool>, [u32; 3]);

/// A word of a uniform block that says where the counts of a scatter port begin, or its marks.
struct CheckWord {
    /// \[bytes\]
    at: u32,
    node: String,
    port: String,
    marks: bool,
}

/// The lists of a plan.
pub struct Dispatches {
    pub reset: Vec<Dispatch>,
    pub still: Vec<Dispatch>,
    pub frame: Vec<Dispatch>,
}

/// Uniform offset of kernels that take nothing.
const NO_BLOCK: u32 = uniforms::FRAME_BYTES;

impl<'a, 'g> Writer<'a, 'g> {
    /// Every kernel goes to `checks` as soon as it is written.
    pub fn new(graph: &'g Graph, writers: &'a Writers<'g>, checks: Checks) -> Writer<'a, 'g> {
        Writer {
            graph,
            writers,
            kernels: Vec::new(),
            by_text: HashMap::new(),
            variants: Variants::default(),
            written: HashMap::new(),
            known: HashMap::new(),
            placed: BTreeMap::new(),
            slots: Vec::new(),
            words: Vec::new(),
            bytes: 2 * uniforms::FRAME_BYTES,
            alarms: Vec::new(),
            scatters: Vec::new(),
            check_words: Vec::new(),
            checks,
            own: HashSet::new(),
        }
    }

    /// The dispatches of two programs, each with the buffers of its values.
    pub fn dispatches(&mut self, of: [(&Arc<Program>, &[usize]); 2]) -> Result<[Vec<Dispatch>; 2], Problems> {
        let (graph, mut wanted) = (self.graph, Vec::new());
        let variants = of.map(|(program, memory)| {
            let of = |op| self.variants.of(graph, (program, op), memory, &mut wanted);
            (0..program.ops.len()).map(of).collect::<Vec<_>>()
        });
        self.write(wanted);
        if self.writers.cancel.is_cancelled() {
            return Err(crate::plan::options::cancelled());
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
            self.check(variant, Text { kernel: text.kernel.clone(), written: text.written.take(), again });
            self.written.insert(variant, text);
        }
    }

    fn list(
        &mut self,
        (program, memory): (&Program, &[usize]),
        variants: Vec<Option<usize>>,
    ) -> Result<Vec<Dispatch>, Problems> {
        program.ops.iter().zip(variants).map(|(op, variant)| self.dispatch(program, op, variant, memory)).collect()
    }

    fn dispatch(
        &mut self,
        program: &Program,
        op: &Op,
        variant: Option<usize>,
        memory: &[usize],
    ) -> Result<Dispatch, Problems> {
        if self.writers.cancel.is_cancelled() {
            return Err(crate::plan::options::cancelled());
        }
        let node = self.graph.nodes.get(op.node).ok_or_else(|| Problem::new("", "", "an operation has no node", ""))?;
        match (&node.kind, variant) {
            (Kind::Stage(stage), Some(variant)) => {
                let lost = || Problem::new(&node.path, "", "the text of a kernel was not written", "");
                let known = self.known(variant).ok_or_else(lost)?;
                Ok(self.stage(program, op, (node, stage), &known, memory))
            }
            _ => Ok(self.task(program, op, node, memory)),
        }
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
        let kernel = self.kernel(text.kernel)?;
        let known = Arc::new(Known { kernel, block: text.block, bound: text.bound });
        self.known.insert(variant, known.clone());
        Some(known)
    }

    fn stage(
        &mut self,
        program: &Program,
        op: &Op,
        (node, stage): (&Node, &Stage),
        known: &Known,
        memory: &[usize],
    ) -> Dispatch {
        let buffers = known.bound.iter().filter_map(|place| memory.get(place.value(op)?).copied()).collect();
        Dispatch {
            kernel: known.kernel,
            node: node.path.clone(),
            part: part(op, node),
            with: self.with(op),
            shape: op.shape.map(|shape| (shape, op.sweeps)),
            buffers,
            over: over(node),
            groups: shaped_groups(self.graph, program, op, node),
            indirect: self.gated(program, op, memory).or_else(|| living(stage, op).map(|count| counted(memory[count]))),
            uniform: self.block(op, &known.block),
        }
    }

    /// Nodes whose stages run before an operation's own.
    fn with(&self, op: &Op) -> Vec<String> {
        let before = op.inlined().iter().rev().filter(|b| b.before || b.recomputes.is_some());
        before.filter_map(|b| self.graph.nodes.get(b.node)).map(|node| node.path.clone()).collect()
    }

    /// Places a stage's uniform block; repeats share one unless they can tell each other apart.
    fn block(&mut self, op: &Op, block: &Block) -> u32 {
        if block.members.is_empty() {
            return NO_BLOCK;
        }
        let used = |counter, value| if block.uses(counter) { value } else { 0 };
        let color = op.color.unwrap_or(0);
        let counters =
            [used(Counter::Iteration, op.iteration), used(Counter::Substep, op.substep), used(Counter::Color, color)];
        let starts = op.writes.iter().map(|w| w.start.is_some()).collect();
        let key = (op.node, op.inlined().iter().map(|f| f.node).collect(), starts, counters);
        if let Some(offset) = self.placed.get(&key) {
            return *offset;
        }
        let offset = self.reserve(block.bound_bytes());
        for member in &block.members {
            let at = offset + member.offset;
            match &member.content {
                Content::Setting(path, setting) => uniforms::place(&mut self.slots, path, setting, member.dim, at),
                Content::Word(Counter::Iteration) => self.words.push((at, op.iteration as i32)),
                Content::Word(Counter::Substep) => self.words.push((at, op.substep as i32)),
                Content::Word(Counter::Color) => self.words.push((at, color as i32)),
                Content::Alarm(alarm) => {
                    let alarm = self.alarms.iter().position(|known| known == alarm);
                    self.words.push((at, alarm.unwrap_or(0) as i32));
                }
                Content::Check { port, marks } => {
                    let node = self.graph.nodes.get(op.node).map(|node| node.path.clone()).unwrap_or_default();
                    self.check_words.push(CheckWord { at, node, port: port.clone(), marks: *marks });
                }
            }
        }
        self.placed.insert(key, offset);
        offset
    }

    /// Where the number stands that a group waits to fall below; all its tests share it.
    fn tolerance(&mut self, node: usize, path: &str, below: &Setting) -> u32 {
        let key = (node, Vec::new(), Vec::new(), [0; 3]);
        if let Some(offset) = self.placed.get(&key) {
            return *offset;
        }
        let offset = self.reserve(16);
        uniforms::place(&mut self.slots, path, below, 2, offset);
        self.placed.insert(key, offset);
        offset
    }

    fn reserve(&mut self, bytes: u32) -> u32 {
        let offset = self.bytes;
        self.bytes = (offset + bytes).next_multiple_of(uniforms::FRAME_BYTES);
        offset
    }

    /// Where the gate that an operation waits for says how many of its groups run.
    fn gated(&self, program: &Program, op: &Op, memory: &[usize]) -> Option<Indirect> {
        let gate = op.gate?;
        let groups = op_groups(self.graph, program, op);
        let entry = program.tables.get(&gate)?.iter().position(|g| *g == groups)?;
        let offset = crate::plan::data::COUNT_GROUPS + crate::plan::data::GATE_ENTRY * entry as u64;
        Some(Indirect { buffer: memory[gate], offset, living: false })
    }

    /// One of the compiler's own tasks.
    fn task(&mut self, program: &Program, op: &Op, node: &Node, memory: &[usize]) -> Dispatch {
        let none = Value {
            ty: WireType::Number(ValueType::F32),
            domain: None,
            dim: 2,
            capacity: 0,
            space: None,
            precision: Precision::F32,
            label: String::new(),
            bytes: 0,
        };
        let value = |id: Option<ValueId>| id.and_then(|v| program.values.get(v)).unwrap_or(&none);
        let written = op.writes.first();
        let target = value(written.map(|w| w.value));
        let source = value(op.reads.first().map(|r| r.value));
        let (ty, dim) = (target.ty.value(), target.dim);
        let in_place = written.is_some_and(|w| w.consumes.is_some_and(|v| memory[w.value] == memory[v]));
        let (words, elements) = (target.bytes / 4, elements(self.graph, target));
        let moved: Vec<u32> = op.writes.iter().map(|w| value(Some(w.value)).layout().numbers()).collect();
        let mut uniform = NO_BLOCK;
        let (name, wgsl) = match &op.task {
            Task::Fill(None) => ("fill", builtin::fill_word(words, 0)),
            Task::Fill(Some(setting)) => {
                uniform = self.reserve(16);
                uniforms::place(&mut self.slots, &node.path, setting, dim, uniform);
                ("fill", builtin::fill(words, target.layout()))
            }
            Task::FillWord(word) => ("fill", builtin::fill_word(words, *word)),
            Task::Clear(all) => {
                let sizes = op.writes.iter().map(|w| value(Some(w.value)).bytes / 4);
                ("clear", builtin::clear(&sizes.zip(all.iter().copied()).collect::<Vec<_>>()))
            }
            Task::Copy if source.precision != target.precision => {
                ("copy", builtin::convert_precision(elements, source.layout(), target.layout()))
            }
            Task::Copy | Task::Stage => ("copy", builtin::copy(words)),
            Task::ToFixed(bits) if ty.scalar() == Scalar::F32 => {
                uniform = self.reserve(16);
                let stage = if let Kind::Stage(stage) = &node.kind { Some(stage) } else { None };
                let port = stage.zip(written).and_then(|(stage, written)| stage.outputs().nth(written.port));
                let port = port.map(|port| port.name.clone()).unwrap_or_default();
                let word = |at, marks| CheckWord { at, node: node.path.clone(), port: port.clone(), marks };
                self.check_words.extend([word(uniform, false), word(uniform + 4, true)]);
                ("to fixed point", builtin::to_fixed_checked(words, ty.components(dim), *bits, in_place))
            }
            Task::ToFixed(bits) => ("to fixed point", builtin::convert(words, ty.scalar(), *bits, true, in_place)),
            Task::FromFixed(bits) => ("from fixed point", builtin::convert(words, ty.scalar(), *bits, false, in_place)),
            Task::FromOrdered => ("from ordered", builtin::from_ordered(words, in_place)),
            Task::Reduce(kind, ty) => ("reduce", builtin::reduce(source.bytes / 16, *kind, *ty, dim)),
            Task::ScanBlocks => ("scan blocks", builtin::scan_blocks(elements, in_place)),
            Task::ScanSums => ("scan sums", builtin::scan_sums(elements, in_place)),
            Task::ScanAdd => ("scan add", builtin::scan_add(elements, in_place)),
            Task::ScanEnd => ("scan end", builtin::scan_end(elements, in_place)),
            Task::Compact => ("compact", builtin::compact(elements, &moved)),
            Task::CompactCount => {
                let capacity = node.set.as_ref().map_or(0, |s| s.capacity);
                ("count", builtin::compact_count(capacity))
            }
            Task::Gather => ("gather", builtin::gather(elements, &moved)),
            Task::Scatter => ("scatter", builtin::scatter(elements, &moved)),
            Task::Pack => {
                let attributes = op.reads.iter().map(|r| value(Some(r.value)).layout());
                ("pack", builtin::pack(&attributes.take(op.reads.len() - 1).collect::<Vec<_>>(), target.layout()))
            }
            Task::Test { below, every } => {
                uniform = self.tolerance(op.node, &node.path, below);
                let table = written.and_then(|w| program.tables.get(&w.value)).map_or(&[][..], Vec::as_slice);
                ("test", early_exit::test(early_exit::before(program, op), *every, table))
            }
            Task::Repeats(rest) => ("repeats", early_exit::repeats(*rest)),
            Task::Present { width, height } => {
                let domain = node.domain.and_then(|d| self.graph.domains.get(d));
                ("present", domain.map(|d| builtin::present(d, source.layout(), *width, *height)).unwrap_or_default())
            }
        };
        let each = match (target.capacity, target.domain) {
            (0, Some(domain)) if target.ty == WireType::FaceGrid => Over::Faces(domain),
            (0, Some(domain)) => Over::Cells(domain),
            (capacity, _) => Over::Particles(capacity),
        };
        let over = match op.task {
            Task::Reduce(..) => Over::Partials(source.bytes / 16),
            Task::ScanSums => Over::Partials(elements.div_ceil(4 * u64::from(workgroups::LANES))),
            Task::ScanBlocks | Task::ScanAdd | Task::ScanEnd | Task::Compact => each,
            Task::Gather | Task::Scatter | Task::Pack => each,
            Task::CompactCount | Task::Test { .. } | Task::Repeats(_) => Over::Once,
            Task::Present { width, height } => Over::Pixels(width, height),
            _ => Over::Words(words),
        };
        let workgroup = if let Task::Present { .. } = op.task { [32, 8, 1] } else { [workgroups::LANES, 1, 1] };
        let groups = task_groups(self.graph, program, op);
        let mut bindings = Vec::new();
        let mut buffers = Vec::new();
        let mut bind = |name: &str, writes: bool, value: ValueId| {
            bindings.push(Binding { name: name.into(), writes });
            buffers.push(memory[value]);
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
        let kernel = Kernel {
            name: name.into(),
            node: node.path.clone(),
            wgsl,
            workgroup,
            bindings,
            finite: true,
            in_bounds: false,
            warns: matches!(op.task, Task::ToFixed(_)) && ty.scalar() == Scalar::F32,
            own_lines: 0,
            uniform_bytes: 16,
        };
        self.check(usize::MAX, Text { kernel: kernel.clone(), written: None, again: false });
        let kernel = self.kernel(kernel).unwrap_or_default();
        // The count is the last thing that a move or a pack reads.
        let living = matches!(op.task, Task::Gather | Task::Scatter | Task::Pack);
        let count = op.reads.last().filter(|_| living).map(|r| counted(memory[r.value]));
        let indirect = self.gated(program, op, memory).or(count);
        let (node, part, with) = (node.path.clone(), name.into(), Vec::new());
        Dispatch { kernel, node, part, with, buffers, over, shape: None, groups, indirect, uniform }
    }

    /// Has a kernel checked, unless one with the same text is.
    fn check(&mut self, rank: usize, text: Text) {
        match self.by_text.entry((text.kernel.wgsl.clone(), text.kernel.bindings.clone())) {
            Entry::Occupied(known) => self.checks.same(known.get().check, rank, &text.kernel.node),
            Entry::Vacant(entry) => drop(entry.insert(Checked { check: self.checks.add(rank, text), kernel: None })),
        }
    }

    /// Kernels with the same text are one.
    fn kernel(&mut self, kernel: Kernel) -> Option<usize> {
        let known = self.by_text.get_mut(&(kernel.wgsl.clone(), kernel.bindings.clone()))?;
        Some(*known.kernel.get_or_insert_with(|| {
            self.kernels.push(kernel);
            self.kernels.len() - 1
        }))
    }

    /// The plan, and the kernels that are still being checked.
    pub fn finish(mut self, layout: Allocation, dispatches: Dispatches, options: &PlanOptions) -> (Plan, Checks) {
        let graph = self.graph;
        let Dispatches { reset, still, frame } = dispatches;
        // Only now it is known how many alarms stand in front.
        let places = Places::new(self.alarms.len(), &self.scatters);
        self.words.extend(self.check_words.iter().filter_map(|word| {
            let check = self.scatters.iter().position(|c| c.node == word.node && c.port == word.port)?;
            let place = match word.marks {
                true => *places.marks.get(check)?,
                false => u64::from(*places.counts.get(check)?),
            };
            Some((word.at, place as i32))
        }));
        let files = layout.states.iter().filter_map(|((node, _), buffer)| {
            let node = &graph.nodes[*node];
            let (file, domain) = (node.file.clone()?, node.domain?);
            let (folder, anywhere) = (options.folder.clone(), options.allow_files);
            Some(FileGrid { node: node.path.clone(), file, folder, anywhere, domain, buffer: *buffer })
        });
        let files = files.collect();
        let memory = layout.buffers.iter().map(|b| b.bytes).sum();
        let states = layout.states.iter().map(|((node, part), buffer)| {
            let node = &graph.nodes[*node];
            let name = match part {
                Part::Attribute(name) => format!("{}.{name}", node.path),
                Part::Count => format!("{}.count", node.path),
                _ => node.path.clone(),
            };
            State { node: name, buffer: *buffer, description: describe(graph, node) }
        });
        let watches = layout.watches.iter().filter_map(|(node, port, buffer)| {
            let node = &graph.nodes[*node];
            let Kind::Stage(stage) = &node.kind else { return None };
            let port = stage.outputs().nth(*port)?;
            let (name, doc) = (port.name.clone(), port.doc.clone());
            let scalar = port.ty.element().map_or(Scalar::F32, |e| match e {
                Element::Fixed(value) => value.scalar(),
                Element::Generic(_) => Scalar::F32,
            });
            Some(Watch { node: node.path.clone(), port: name, buffer: *buffer, scalar, range: port.expect?, doc })
        });
        let wires = layout.wires.into_iter().map(|(name, m)| {
            (
                name,
                Wire {
                    ty: m.value.ty,
                    domain: m.value.domain,
                    dim: m.value.dim,
                    capacity: m.value.capacity,
                    space: m.value.space,
                    precision: m.value.precision,
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
        let plan = Plan {
            version: PLAN_VERSION,
            name: graph.name.clone(),
            fps: graph.fps,
            seed: graph.seed,
            input: graph.input.clone(),
            domains: graph.domains.clone(),
            kernels: self.kernels,
            reset,
            still,
            frame,
            swaps: layout.swaps,
            states: states.collect(),
            wires: wires.collect(),
            outputs: outputs.collect(),
            settings: self.slots,
            numbers: graph.numbers.clone(),
            shapes: graph.shapes.clone(),
            made_with: graph.made_with.clone(),
            words: self.words,
            uniform_bytes: self.bytes,
            memory,
            alarms: self.alarms,
            scatters: self.scatters,
            watches: watches.collect(),
            files,
            apart: None,
            buffers: layout.buffers,
        };
        (plan, self.checks)
    }
}

/// Fields on their own, so that each one's text is validated where it stands.
pub fn field_checks(graph: &Graph, frame: &Program, reset: &Program) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (program, op) in [frame, reset].into_iter().flat_map(|p| p.field_checks.iter().map(move |op| (p, op))) {
        let Some(node) = graph.nodes.get(op.node) else { continue };
        let Kind::Stage(stage) = &node.kind else { continue };
        if seen.insert(op.node) {
            let text = StageKernel { graph, program, op, node, stage, in_place: &[] };
            let (kernel, _, written) = text.write(&mut Vec::new());
            out.push(Text { kernel, written, again: false });
        }
    }
    out
}

/// A dispatch for the living of a set.
fn counted(buffer: usize) -> Indirect {
    Indirect { buffer, offset: crate::plan::data::COUNT_GROUPS, living: true }
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
    let set = node.set.as_ref().map(|s| format!(" {} up to {}", particles_name(&s.attributes), s.capacity));
    let file = node.file.as_ref().map(|f| format!(" {f:?}"));
    let stored = if node.precision == Precision::F32 { String::new() } else { format!(" {}", node.precision.name()) };
    format!("{ty} {resolution:?} {value}{}{}{stored}", set.unwrap_or_default(), file.unwrap_or_default())
}

/// The count of the set that a stage runs over, where only the living matter. New particles, flags of a filter and partial results
/// of a reduction are written beyond it.
fn living(stage: &Stage, op: &Op) -> Option<ValueId> {
    let set = stage.set().filter(|_| stage.source() == IterationSource::Particles)?;
    let partial = |w: &crate::plan::ir::Write| {
        w.consumes.is_none() && stage.outputs().nth(w.port).is_some_and(|p| p.reduce.is_some())
    };
    let beyond = matches!(set.change, Change::Emit(_) | Change::Filter) || op.writes.iter().any(partial);
    let input = stage.inputs().position(|p| p.name == set.name).filter(|_| !beyond)?;
    op.reads.iter().find(|r| r.stage == 0 && r.port == input && r.part == Part::Count).map(|r| r.value)
}

/// What a stage runs over.
fn over(node: &Node) -> Over {
    match (source(node), node.domain) {
        (Some(IterationSource::Particles), _) => Over::Particles(node.set.as_ref().map_or(1, |s| s.capacity)),
        (Some(IterationSource::Once | IterationSource::Positions), _) | (_, None) => Over::Once,
        (_, Some(domain)) if node.outputs.contains(&WireType::FaceGrid) => Over::Faces(domain),
        (_, Some(domain)) => Over::Cells(domain),
    }
}
