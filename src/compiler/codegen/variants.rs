//! The text of a stage in each of its variants. Operations of one node mostly differ by nothing that their text shows, and no text needs
//! another, so each is written once, on several cores, before the operations are gone through in their order.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{Builder, Scope, available_parallelism};

use crate::cancel::Cancel;
use crate::check::validate;
use crate::codegen::stage_kernel::{self, Bound, Context, StageKernel};
use crate::codegen::uniforms::Block;
use crate::data::{Alarm, Kernel};
use crate::graph::{Graph, Kind, Node, NodeId};
use crate::ir::{InstanceId, Lanes, Op, OpId, Part, Program, Task, ValueId, Write, workgroups};
use crate::passes::allocate::Placement;
use crate::scatter::ScatterCheck;
use crate::stage::types::Precision;
use crate::stage::{Stage, UsedLines};
use crate::tuning::Shape;

/// All that the text of an operation's kernel depends on. Values themselves are not among it: sweeps of one stage share a text.
#[derive(PartialEq, Eq, Hash)]
struct Variant {
    node: NodeId,
    inlined: Vec<InlinedKey>,
    reads: Vec<ReadKey>,
    /// How what it needs is stored: reads, then consumed versions.
    stored: Vec<(Precision, Option<u32>, bool, Option<usize>)>,
    writes: Vec<WriteKey>,
    shape: Option<Shape>,
    sweeps: u32,
    lanes: Lanes,
    /// Whether it is dispatched block by block.
    listed: bool,
}

/// What a kernel's text shows of a stage that is inlined.
#[derive(PartialEq, Eq, Hash)]
struct InlinedKey {
    node: NodeId,
    callers: Vec<(InstanceId, usize)>,
}

/// What a kernel's text shows of a read.
#[derive(PartialEq, Eq, Hash)]
struct ReadKey {
    stage: InstanceId,
    port: usize,
    part: Part,
    /// The first of the reads that has the same value, with which it shares a binding.
    first: usize,
}

/// What a kernel's text shows of a write.
#[derive(PartialEq, Eq, Hash)]
struct WriteKey {
    part: Part,
    in_place: bool,
    transient: bool,
    /// Whether it begins with a constant.
    starts: bool,
    settled: bool,
    pooled: bool,
    /// Whether its vectors of three take three words.
    dense: bool,
    /// Size of a grid that is set to zero \[bytes\].
    zeroed: u64,
}

impl Variant {
    fn new(graph: &Graph, program: &Program, op: &Op, in_place: &[bool]) -> Variant {
        let first = |value: ValueId| op.reads.iter().position(|r| r.value == value).unwrap_or(0);
        let inlined = op.inlined().iter().map(|stage| InlinedKey { node: stage.node, callers: stage.callers.clone() });
        let reads = op.reads.iter().map(|read| ReadKey {
            stage: read.stage,
            port: read.port,
            part: read.part.clone(),
            first: first(read.value),
        });
        let writes = op.writes.iter().zip(in_place).map(|(write, in_place)| WriteKey {
            part: write.part.clone(),
            in_place: *in_place,
            transient: write.transient,
            starts: write.start.is_some(),
            settled: write.settled,
            pooled: write.pooled,
            dense: program.values.get(write.value).is_some_and(|value| value.dense || value.gathered),
            zeroed: match write.part {
                Part::Zeros(_) => program.values.get(write.value).map_or(0, |value| value.bytes),
                _ => 0,
            },
        });
        Variant {
            node: op.node,
            inlined: inlined.collect(),
            reads: reads.collect(),
            stored: op
                .inputs()
                .filter_map(|v| program.values.get(v))
                .map(|v| (v.precision, v.fixed, v.dense || v.gathered, v.pooled.map(first)))
                .collect(),
            writes: writes.collect(),
            shape: op.shape,
            sweeps: op.sweeps,
            lanes: op.lanes,
            listed: workgroups::listed_blocks(graph, op, in_place).is_some(),
        }
    }
}

/// Variants by what sets them apart, numbered as they come.
#[derive(Default)]
pub(crate) struct Variants(HashMap<Variant, usize>);

/// A text that is still to be written: its variant, and the first operation that needs it.
pub(crate) struct Wanted<'g> {
    pub variant: usize,
    pub node: &'g Node,
    pub stage: &'g Stage,
    program: Arc<Program>,
    /// The operation, by its place in the program.
    op: OpId,
    in_place: Vec<bool>,
}

/// A stage's kernel as it was written.
pub(crate) struct Text {
    pub kernel: Kernel,
    /// Whether it goes through a list of blocks.
    pub listed: bool,
    /// Whether its invocations have the cells of one colour alone.
    pub colored: bool,
    pub block: Block,
    /// The text with the user's own as it was written, where the two differ.
    pub written: Option<String>,
    /// Lines of the stage's text that come from shared files.
    pub used: Arc<[UsedLines]>,
    /// What can go wrong while it runs.
    pub alarms: Vec<Alarm>,
    /// What is counted about the ports that it adds to.
    pub scatters: Vec<ScatterCheck>,
    /// What is bound, in the order of the bindings.
    pub bound: Vec<ValuePlace>,
}

/// Where an operation names a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValuePlace {
    /// A value that the operation reads, by its place among the reads.
    Read(usize),
    /// What one of its writes goes on from.
    Before(usize),
    Write(usize),
}

impl ValuePlace {
    pub(crate) fn value(self, op: &Op) -> Option<ValueId> {
        match self {
            ValuePlace::Read(read) => op.reads.get(read).map(|r| r.value),
            ValuePlace::Before(write) => op.writes.get(write).and_then(|w| w.consumes),
            ValuePlace::Write(write) => op.writes.get(write).map(|w| w.value),
        }
    }

    fn find(bound: &Bound, op: &Op) -> Option<ValuePlace> {
        let value = bound.value;
        match (bound.writes, bound.reads.is_empty()) {
            (true, _) => op.writes.iter().position(|w| w.value == value).map(ValuePlace::Write),
            (false, false) => op.reads.iter().position(|r| r.value == value).map(ValuePlace::Read),
            (false, true) => op.writes.iter().position(|w| w.consumes == Some(value)).map(ValuePlace::Before),
        }
    }
}

impl Variants {
    /// The number of an operation's variant, where it is a stage's; new ones are added to `wanted`. `memory`: buffers by value.
    pub(crate) fn variant_of<'g>(
        &mut self,
        graph: &'g Graph,
        (program, op): (&Arc<Program>, OpId),
        memory: &Placement,
        wanted: &mut Vec<Wanted<'g>>,
    ) -> Option<usize> {
        let place = op;
        let op = program.ops.get(place)?;
        let node = graph.nodes.get(op.node)?;
        let (Task::Stage, Kind::Stage(stage)) = (&op.task, &node.kind) else { return None };
        let same = |w: &Write| w.consumes.is_some_and(|v| memory[v].is_some() && memory[v] == memory[w.value]);
        // What is passed on goes where a later write of the operation puts it; where none does, nothing is overwritten.
        let mut in_place: Vec<bool> = op.writes.iter().map(same).collect();
        for (at, write) in op.writes.iter().enumerate().rev().filter(|(_, write)| write.transient) {
            let goes_on = |(next, stays): (&Write, &bool)| *stays && next.consumes == Some(write.value);
            in_place[at] &= op.writes.iter().zip(&in_place).skip(at + 1).any(goes_on);
        }
        let next = self.0.len();
        let variant = *self.0.entry(Variant::new(graph, program, op, &in_place)).or_insert(next);
        if variant == next {
            wanted.push(Wanted { variant, node, stage, program: program.clone(), op: place, in_place });
        }
        Some(variant)
    }
}

impl Wanted<'_> {
    /// Bytes of all texts that go into it.
    fn length(&self, graph: &Graph) -> usize {
        let of = |node: NodeId| match &graph.nodes.get(node)?.kind {
            Kind::Stage(stage) => Some(stage.text_length()),
            _ => None,
        };
        let inlined = self.program.ops.get(self.op).into_iter().flat_map(|op| op.inlined());
        self.stage.text_length() + inlined.filter_map(|stage| of(stage.node)).sum::<usize>()
    }

    /// Writes the kernel's text; `None` where there is no such operation.
    fn write(&self, graph: &Graph) -> Option<Text> {
        let op = self.program.ops.get(self.op)?;
        let cx = Context::new(graph, &self.program, op, &self.in_place)?;
        let StageKernel { kernel, block, as_written: written, used, alarms, scatters } = stage_kernel::write(&cx);
        let bound = cx.bound.iter().filter_map(|bound| ValuePlace::find(bound, op)).collect();
        let colored = cx.leaves_other_color();
        Some(Text { kernel, listed: cx.listed, colored, block, written, used, alarms, scatters, bound })
    }
}

/// Threads that write, at most: a graph's longest text takes as long as all others on so many.
const MOST_WRITERS: usize = 8;

/// A field by itself, whose text is written to be checked: the place of its operation among those of a program.
pub(crate) struct Field {
    pub program: Arc<Program>,
    pub op: usize,
}

impl Field {
    fn write(&self, graph: &Graph) -> Option<validate::Text> {
        let cx = Context::new(graph, &self.program, self.program.field_checks.get(self.op)?, &[])?;
        let StageKernel { kernel, as_written: written, used, .. } = stage_kernel::write(&cx);
        Some(validate::Text { kernel, written, used, again: false })
    }
}

/// What a thread has written.
pub(crate) enum Written {
    /// A variant, and its text.
    Variant(usize, Text),
    /// The number of a field, and its text.
    Field(usize, validate::Text),
}

type WriteText<'g> = dyn FnOnce(&Graph) -> Option<Written> + Send + 'g;

/// A text that somebody waits for.
struct Order<'g> {
    write: Box<WriteText<'g>>,
    done: mpsc::Sender<Written>,
}

impl Order<'_> {
    fn carry_out(self, graph: &Graph) {
        if let Some(written) = (self.write)(graph) {
            // Where nobody listens any more, that is as well.
            let _ = self.done.send(written);
        }
    }
}

/// Threads that write texts. They begin while operations are laid out, and look through the texts of stages before there is anything
/// to write.
pub(crate) struct Writers<'g> {
    graph: &'g Graph,
    orders: mpsc::Sender<Order<'g>>,
    threads: usize,
    pub cancel: Cancel,
}

impl<'g> Writers<'g> {
    /// Starts the threads. They end when the returned writers are dropped; once the work is cancelled they leave the
    /// rest alone.
    pub(crate) fn begin<'s>(scope: &'s Scope<'s, '_>, graph: &'g Graph, cancel: &Cancel) -> Writers<'g>
    where
        'g: 's,
    {
        let (orders, waiting) = mpsc::channel::<Order<'g>>();
        let (waiting, next) = (Arc::new(Mutex::new(waiting)), Arc::new(AtomicUsize::new(0)));
        let threads = (0..available_parallelism().map_or(1, |n| n.get()).min(MOST_WRITERS)).filter(|_| {
            let waiting = waiting.clone();
            let next = next.clone();
            let cancel = cancel.clone();
            let work = move || {
                while !cancel.is_cancelled() && graph.read_stage(NodeId::new(next.fetch_add(1, Ordering::Relaxed))) {}
                let order = || waiting.lock().ok()?.recv().ok();
                while let Some(order) = order() {
                    if !cancel.is_cancelled() {
                        order.carry_out(graph);
                    }
                }
            };
            Builder::new().name("write".into()).spawn_scoped(scope, work).is_ok()
        });
        let threads = threads.count();
        Writers { graph, orders, threads, cancel: cancel.clone() }
    }

    /// Texts of fields and of variants, as they come.
    pub(crate) fn write(&self, fields: Vec<Field>, mut wanted: Vec<Wanted<'g>>) -> impl Iterator<Item = Written> {
        // What takes longest comes first.
        wanted.sort_by_cached_key(|wanted| std::cmp::Reverse(wanted.length(self.graph)));
        let (done, ready) = mpsc::channel();
        let fields = fields.into_iter().enumerate().map(|(number, field)| {
            Box::new(move |graph: &Graph| Some(Written::Field(number, field.write(graph)?))) as Box<WriteText<'g>>
        });
        let variants = wanted.into_iter().map(|wanted| {
            Box::new(move |graph: &Graph| Some(Written::Variant(wanted.variant, wanted.write(graph)?)))
                as Box<WriteText<'g>>
        });
        for write in fields.chain(variants) {
            let order = Order { write, done: done.clone() };
            match self.threads {
                0 => order.carry_out(self.graph),
                _ => drop(self.orders.send(order)),
            }
        }
        ready.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::BufferId;
    use crate::document::Document;
    use crate::library::Library;
    use crate::{PlanOptions, lower};

    /// What the operations of the smoke of `stable_fluids` want, each with memory of its own, and how many stages they dispatch.
    fn with_wanted(work: impl for<'g> FnOnce(&Writers<'g>, Vec<Wanted<'g>>, usize)) {
        let document = Document::parse(&stagewright_graphs::EXAMPLES.text("stable_fluids.ron").unwrap()).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        let program = Arc::new(lower::frame(&graph, &PlanOptions::default()).unwrap());
        let memory: Placement = program.values.ids().map(|value| Some(BufferId::new(value.index()))).collect();
        let (mut variants, mut wanted) = (Variants::default(), Vec::new());
        let of = |op: &OpId| variants.variant_of(&graph, (&program, *op), &memory, &mut wanted).is_some();
        let stages = program.ops.ids().filter(of).count();
        std::thread::scope(|scope| work(&Writers::begin(scope, &graph, &Cancel::default()), wanted, stages));
    }

    #[test]
    fn sweeps_of_one_stage_want_one_text() {
        with_wanted(|_, wanted, stages| {
            println!("{stages} dispatches of stages want {} texts", wanted.len());
            assert!(stages > 100 && wanted.len() < stages / 3);
        });
    }

    #[test]
    fn texts_of_other_threads_are_what_the_compiler_itself_would_write() {
        with_wanted(|writers, wanted, _| {
            let written = wanted.iter().map(|w| (w.variant, w.write(writers.graph).unwrap()));
            let mut expected: HashMap<usize, Text> = written.collect();
            for written in writers.write(Vec::new(), wanted) {
                let Written::Variant(variant, text) = written else { panic!("a text of a field") };
                let expected = expected.remove(&variant).unwrap_or_else(|| panic!("a text came twice"));
                assert_eq!((text.kernel, text.written), (expected.kernel, expected.written));
                assert_eq!((text.alarms, text.bound), (expected.alarms, expected.bound));
            }
            assert!(expected.is_empty(), "a text is missing");
        });
    }

    #[test]
    fn without_a_thread_texts_are_written_all_the_same() {
        with_wanted(|writers, wanted, _| {
            let alone =
                Writers { graph: writers.graph, orders: mpsc::channel().0, threads: 0, cancel: Cancel::default() };
            let count = wanted.len();
            assert_eq!(alone.write(Vec::new(), wanted).count(), count);
        });
    }
}
