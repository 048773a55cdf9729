//! The text of a stage in each of its variants. Operations of one node mostly differ by nothing that their text shows, and no text needs
//! another, so each is written once, on all cores, before the operations are gone through in their order.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, Scope, available_parallelism};

use super::expand::{Op, Part, Program, Task, ValueId, Write};
use super::stage_kernel::{self, StageKernel};
use super::tuning::Shape;
use super::uniforms::Block;
use super::validate::MOST_THREADS;
use super::{Alarm, Kernel};
use crate::graph::{Graph, Kind, Node};
use crate::stage::Stage;
use crate::stage::types::Precision;

/// Kernel variant of a node: which of its writes work in place, what is built in where, what is read and which of it is the same, how many sweeps it makes,
/// which of its writes are not stored or begin with a constant, how its inputs are stored, and which parts it writes.
type Variant = (
    usize,
    Vec<bool>,
    Vec<(usize, Vec<(usize, usize)>)>,
    Vec<(usize, usize, Part, usize)>,
    Option<Shape>,
    u32,
    Vec<(bool, bool)>,
    Vec<Precision>,
    Vec<Part>,
);

/// Variants by what sets them apart, numbered as they come.
#[derive(Default)]
pub struct Variants(HashMap<Variant, usize>);

/// A text that is still to be written: its variant, and the first operation that needs it.
pub struct Wanted<'p> {
    pub variant: usize,
    pub node: &'p Node,
    pub stage: &'p Stage,
    program: &'p Program,
    op: &'p Op,
    in_place: Vec<bool>,
}

/// A stage's kernel as it was written.
pub struct Text {
    pub kernel: Kernel,
    pub block: Block,
    /// The text with the user's own as it was written, where the two differ.
    pub written: Option<String>,
    /// What can go wrong while it runs.
    pub alarms: Vec<Alarm>,
    /// What is bound, in the order of the bindings.
    pub bound: Vec<Place>,
}

/// Where an operation names a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// What it reads, by the place among its reads.
    Read(usize),
    /// What one of its writes goes on from.
    Before(usize),
    Write(usize),
}

impl Place {
    pub fn value(self, op: &Op) -> Option<ValueId> {
        match self {
            Place::Read(read) => op.reads.get(read).map(|r| r.value),
            Place::Before(write) => op.writes.get(write).and_then(|w| w.consumes),
            Place::Write(write) => op.writes.get(write).map(|w| w.value),
        }
    }

    fn of(bound: &stage_kernel::Bound, op: &Op) -> Option<Place> {
        let value = bound.value;
        match (bound.writes, bound.reads.is_empty()) {
            (true, _) => op.writes.iter().position(|w| w.value == value).map(Place::Write),
            (false, false) => op.reads.iter().position(|r| r.value == value).map(Place::Read),
            (false, true) => op.writes.iter().position(|w| w.consumes == Some(value)).map(Place::Before),
        }
    }
}

impl Variants {
    /// The number of an operation's variant, where it is a stage's; new ones are added to `wanted`. `memory`: buffers by value.
    pub fn of<'p>(
        &mut self,
        graph: &'p Graph,
        program: &'p Program,
        op: &'p Op,
        memory: &[usize],
        wanted: &mut Vec<Wanted<'p>>,
    ) -> Option<usize> {
        let node = graph.nodes.get(op.node)?;
        let (Task::Stage, Kind::Stage(stage)) = (&op.task, &node.kind) else { return None };
        let there = |v: ValueId| memory.get(v).copied().filter(|buffer| *buffer != usize::MAX);
        let in_place = |w: &Write| w.consumes.and_then(there).is_some_and(|b| there(w.value) == Some(b));
        let asked = op.built_in.iter().map(|f| (f.node, f.askers.clone())).collect();
        let first = |value: ValueId| op.reads.iter().position(|r| r.value == value).unwrap_or(0);
        let read = op.reads.iter().map(|r| (r.field, r.port, r.part.clone(), first(r.value))).collect();
        let in_place: Vec<bool> = op.writes.iter().map(in_place).collect();
        let key: Variant = (
            op.node,
            in_place.clone(),
            asked,
            read,
            op.shape,
            op.sweeps,
            op.writes.iter().map(|w| (w.passed, w.start.is_some())).collect(),
            op.inputs().filter_map(|v| program.values.get(v)).map(|v| v.precision).collect(),
            op.writes.iter().map(|w| w.part.clone()).collect(),
        );
        let next = self.0.len();
        let variant = *self.0.entry(key).or_insert(next);
        if variant == next {
            wanted.push(Wanted { variant, node, stage, program, op, in_place });
        }
        Some(variant)
    }
}

impl Wanted<'_> {
    /// Bytes of all texts that go into it.
    fn length(&self, graph: &Graph) -> usize {
        let of = |node: usize| match &graph.nodes.get(node)?.kind {
            Kind::Stage(stage) => Some(stage.text_length()),
            _ => None,
        };
        self.stage.text_length() + self.op.built_in.iter().filter_map(|built_in| of(built_in.node)).sum::<usize>()
    }

    fn write(&self, graph: &Graph) -> Text {
        let Wanted { program, op, node, stage, in_place, .. } = self;
        let mut alarms = Vec::new();
        let (kernel, block, written) = StageKernel { graph, program, op, node, stage, in_place }.write(&mut alarms);
        let bound = stage_kernel::bound(graph, program, op, in_place);
        let bound = bound.iter().filter_map(|bound| Place::of(bound, op)).collect();
        Text { kernel, block, written, alarms, bound }
    }
}

/// Texts that are being written.
pub struct Texts<'p> {
    graph: &'p Graph,
    wanted: Arc<Vec<Wanted<'p>>>,
    /// The place among the wanted of the next that nobody has begun with.
    next: Arc<AtomicUsize>,
    ready: mpsc::Receiver<(usize, Text)>,
}

/// Texts for which a thread is worth its start.
const WORTH: usize = 4;

impl<'p> Texts<'p> {
    pub fn begin<'s>(scope: &'s Scope<'s, '_>, graph: &'p Graph, mut wanted: Vec<Wanted<'p>>) -> Texts<'p>
    where
        'p: 's,
    {
        let threads = available_parallelism().map_or(1, |n| n.get()).min(MOST_THREADS).min(wanted.len() / WORTH);
        // What takes longest comes first.
        wanted.sort_by_cached_key(|wanted| std::cmp::Reverse(wanted.length(graph)));
        let (wanted, next) = (Arc::new(wanted), Arc::new(AtomicUsize::new(0)));
        let (sender, ready) = mpsc::channel();
        for _ in 0..threads {
            let (wanted, next, sender) = (wanted.clone(), next.clone(), sender.clone());
            let write = move || {
                while let Some(text) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send((text.variant, text.write(graph))).is_err() {
                        break;
                    }
                }
            };
            // Where there is no thread, whoever asks for the texts writes them.
            let _ = Builder::new().name("write".into()).spawn_scoped(scope, write);
        }
        Texts { graph, wanted, next, ready }
    }
}

/// Variants and their texts, as they come.
impl Iterator for Texts<'_> {
    type Item = (usize, Text);

    fn next(&mut self) -> Option<(usize, Text)> {
        self.ready.recv().ok().or_else(|| {
            let wanted = self.wanted.get(self.next.fetch_add(1, Ordering::Relaxed))?;
            Some((wanted.variant, wanted.write(self.graph)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::library::Library;
    use crate::plan::{PlanOptions, expand};

    /// What the operations of the smoke of `stable_fluids` want, each with memory of its own, and how many stages they dispatch.
    fn with_wanted(work: impl FnOnce(&Graph, Vec<Wanted<'_>>, usize)) {
        let document = Document::parse(include_str!("../../graphs/stable_fluids.ron")).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        let program = expand::frame(&graph, &PlanOptions::default()).unwrap();
        let memory: Vec<usize> = (0..program.values.len()).collect();
        let (mut variants, mut wanted) = (Variants::default(), Vec::new());
        let of = |op| variants.of(&graph, &program, op, &memory, &mut wanted).is_some();
        let stages = program.ops.iter().map(of).filter(|stage| *stage).count();
        work(&graph, wanted, stages);
    }

    #[test]
    fn sweeps_of_one_stage_want_one_text() {
        with_wanted(|_, wanted, stages| {
            println!("{stages} dispatches of stages want {} texts", wanted.len());
            assert!(stages > 100 && wanted.len() < stages / 4);
        });
    }

    #[test]
    fn texts_of_other_threads_are_what_the_compiler_itself_would_write() {
        with_wanted(|graph, wanted, _| {
            let mut expected: HashMap<usize, Text> = wanted.iter().map(|w| (w.variant, w.write(graph))).collect();
            std::thread::scope(|scope| {
                for (variant, text) in Texts::begin(scope, graph, wanted) {
                    let expected = expected.remove(&variant).unwrap_or_else(|| panic!("a text came twice"));
                    assert_eq!((text.kernel, text.written), (expected.kernel, expected.written));
                    assert_eq!((text.alarms, text.bound), (expected.alarms, expected.bound));
                }
            });
            assert!(expected.is_empty(), "a text is missing");
        });
    }
}
