//! Values and operations: what a graph is once its iterations, groups, sets and fields are unrolled.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::arena::{Arena, Id, IdVec};
use crate::graph::{DomainId, NodeId, Setting};
use crate::plan::ir::layout::Layout;
use crate::plan::tuning::Shape;
use crate::stage::header::Reduction;
use crate::stage::types::{Precision, ValueType, WireType};

pub type ValueId = Id<Value>;

/// The place of an operation in its program. A pass that moves operations, or drops some, gives others to those behind.
pub type OpId = Id<Op>;

/// Which of an operation's stages.
pub type InstanceId = Id<StageInstance>;

/// The stage that an operation dispatches.
pub const OWN: InstanceId = Id::new(0);

/// One version of a wire, or of one part of it.
#[derive(Clone, Debug)]
pub struct Value {
    pub ty: WireType,
    pub domain: Option<DomainId>,
    /// Dimensions of the space that a `Vec` of it lives in.
    pub dim: u32,
    /// Particles that it has room for, where it is an attribute.
    pub capacity: u32,
    /// The domain in whose space its particles are, where it is an attribute.
    pub space: Option<DomainId>,
    /// How its numbers are stored.
    pub precision: Precision,
    pub label: String,
    pub bytes: u64,
}

impl Value {
    /// A value that belongs to no domain and to no set.
    pub fn new(ty: WireType, label: String, bytes: u64) -> Value {
        Value { ty, domain: None, dim: 2, capacity: 0, space: None, precision: Precision::F32, label, bytes }
    }

    /// How its elements lie in memory.
    pub fn layout(&self) -> Layout {
        Layout::new(self.ty, self.dim, self.precision)
    }
}

/// Which part of a port's wire. Grids and numbers are whole, sets and neighbour grids are made of several values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Whole,
    Attribute(Arc<str>),
    /// How many live, how many there ever were, and the groups of an indirect dispatch.
    Count,
    /// First entry of each cell.
    Start,
    /// Which particle each entry is; absent where the set itself is in that order.
    Order,
    /// Attributes that lie together for those who read other particles' (pass `attribute_packing`): their names with `+` between.
    Packed(Arc<str>),
    /// What a search around each particle has found (pass `neighbor_cache`).
    Found,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub enum Task {
    Stage,
    /// Every component of every element becomes the setting, or zero.
    Fill(Option<Setting>),
    /// Every word becomes this one.
    FillWord(u32),
    /// Every word of each value becomes the one that stands for it.
    Clear(Vec<u32>),
    /// From one place to another, or from one precision to another.
    Copy,
    /// Floats to fixed point with so many fraction bits, in place, and back.
    ToFixed(u32),
    FromFixed(u32),
    /// Floats to integers of the same order, in place, and back.
    FromOrdered,
    /// Partial results of a stage's workgroups to one.
    Reduce(Reduction, ValueType),
    /// Prefix sum: of each block in place, of the blocks' sums, and the latter added to the former.
    ScanBlocks,
    ScanSums,
    ScanAdd,
    /// The latter two in one: each workgroup sums up the blocks before its own.
    ScanEnd,
    /// Particles for which the prefix sum grows, to the place that it says.
    Compact,
    /// The count after that.
    CompactCount,
    /// Particles from the places that an index says.
    Gather,
    /// Particles to the places that an index says.
    Scatter,
    /// Attributes to where they lie together.
    Pack,
    /// Whether a group goes on, after so many more repeats: unless its number is below the setting.
    Test {
        below: Setting,
        every: u32,
    },
    /// How many repeats a group has made: those until it stopped, or so many.
    Repeats(u32),
    /// An Image to a picture of bytes.
    Present {
        width: u32,
        height: u32,
    },
}

/// What an operation reads from memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    pub stage: InstanceId,
    /// Its input port.
    pub port: usize,
    pub part: Part,
    pub value: ValueId,
}

/// A stage of an operation.
#[derive(Clone, Debug)]
pub struct StageInstance {
    pub node: NodeId,
    /// Who calls it, and by which input port: of a field, and of what is recomputed where it is read.
    pub callers: Vec<(InstanceId, usize)>,
    /// It runs over the same as the operation's own stage, before it; of several, the last one first.
    pub before: bool,
    /// The grid whose cells it recomputes wherever a caller reads them, instead of loading them.
    pub recomputes: Option<ValueId>,
}

impl StageInstance {
    /// The stage that an operation dispatches.
    pub fn own(node: NodeId) -> StageInstance {
        StageInstance { node, callers: Vec::new(), before: false, recomputes: None }
    }
}

#[derive(Clone, Debug)]
pub struct Write {
    pub stage: InstanceId,
    /// Its output port.
    pub port: usize,
    pub part: Part,
    pub value: ValueId,
    /// Previous SSA version that it updates.
    pub consumes: Option<ValueId>,
    /// It reuses the buffer of that version and ignores its contents.
    pub overwrites: bool,
    /// It stays in registers: only stages of the same operation read it.
    pub transient: bool,
    /// What all cells of the version before hold, where that is not in memory.
    pub start: Option<Setting>,
}

#[derive(Clone, Debug)]
pub struct Op {
    pub task: Task,
    pub node: NodeId,
    /// What it reads from memory. Settings and consumed versions are not among it.
    pub reads: Vec<Read>,
    /// What one of its stages reads of what another has just written, in registers.
    pub forwarded: Vec<Read>,
    /// Its own stage, and behind it those that are inlined: fields, and what [`crate::plan::passes`] fused or recomputes. A task of the
    /// compiler has none but the node that it belongs to.
    pub stages: Arena<StageInstance>,
    pub writes: Vec<Write>,
    /// Of its first sweep.
    pub iteration: u32,
    pub substep: u32,
    pub color: Option<u32>,
    /// Sweeps that it makes one after the other: the colours of an iteration, and iterations. One unless they were joined.
    pub sweeps: u32,
    /// Shape of its dispatch, where it is not the plain one.
    pub shape: Option<Shape>,
    /// Its results are the same in every frame, so that it runs once.
    pub invariant: bool,
    /// What says whether it runs at all: it belongs to a repeat of a group that may have stopped.
    pub gate: Option<ValueId>,
}

impl Write {
    /// The first output port's whole value, written by the operation's own stage from nothing before it.
    pub fn whole(value: ValueId) -> Write {
        let (part, consumes, start) = (Part::Whole, None, None);
        Write { stage: OWN, port: 0, part, value, consumes, overwrites: false, transient: false, start }
    }
}

impl Op {
    /// An operation that runs once and in its plain shape.
    pub fn new(task: Task, node: NodeId, reads: Vec<Read>, stages: Arena<StageInstance>, writes: Vec<Write>) -> Op {
        Op {
            task,
            node,
            reads,
            forwarded: Vec::new(),
            stages,
            writes,
            iteration: 0,
            substep: 0,
            color: None,
            sweeps: 1,
            shape: None,
            invariant: false,
            gate: None,
        }
    }

    /// Every value it reads, consumed ones included. What it makes and goes on from itself is not among them.
    pub fn inputs(&self) -> impl Iterator<Item = ValueId> + '_ {
        let made = |value: &ValueId| self.writes.iter().any(|w| w.value == *value);
        let consumed = self.writes.iter().filter_map(|w| w.consumes).filter(move |v| !made(v));
        self.reads.iter().map(|r| r.value).chain(consumed)
    }

    /// Every value that has to be there before it, or it does not run.
    pub fn needs(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.inputs().chain(self.gate)
    }

    /// The node of one of its stages.
    pub fn node_of(&self, stage: InstanceId) -> Option<NodeId> {
        self.stages.get(stage).map(|stage| stage.node)
    }

    /// The stages that run as part of its own.
    pub fn inlined(&self) -> &[StageInstance] {
        self.stages.as_slice().split_first().map_or(&[], |(_, inlined)| inlined)
    }

    /// Whether a stage runs once for each of the operation's cells or particles: its own, or one that runs before it.
    pub fn runs_itself(&self, stage: InstanceId) -> bool {
        stage == OWN || self.stages.get(stage).is_some_and(|stage| stage.before)
    }
}

/// A State, and which part of it: each has memory of its own.
pub type StateKey = (NodeId, Part);

/// What an Output makes.
#[derive(Clone, Copy, Debug)]
pub struct PictureValue {
    pub node: NodeId,
    pub value: ValueId,
    /// \[pixels\]
    pub width: u32,
    pub height: u32,
}

/// The operations of a frame, or of a reset.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub values: Arena<Value>,
    pub ops: Arena<Op>,
    /// Fields as if they were dispatched: only to be validated.
    pub field_checks: Vec<Op>,
    /// Last frame's value of each State that matters.
    pub states: BTreeMap<StateKey, ValueId>,
    /// What each State becomes.
    pub next: BTreeMap<StateKey, ValueId>,
    /// Values by `node.port`, parts of sets by `node.port.attribute`; the last version where a node repeats.
    pub wires: BTreeMap<String, ValueId>,
    pub pictures: Vec<PictureValue>,
    /// Numbers that are watched: node, output port and value.
    pub watches: Vec<(NodeId, usize, ValueId)>,
    /// Values that must outlive the frame.
    pub pinned: Vec<ValueId>,
    /// What leaves groups that may stop: the versions of each wire, one for every repeat that can be the last.
    pub carries: Vec<Vec<ValueId>>,
    /// Versions of one wire that have to share a buffer, in the order in which they are written.
    pub together: Vec<Vec<ValueId>>,
    /// For each gate the workgroups of the dispatches behind it.
    pub tables: BTreeMap<ValueId, Vec<[u32; 3]>>,
    /// The group whose test writes each gate.
    pub testers: BTreeMap<ValueId, NodeId>,
    /// Storage buffers that the kernel of joined operations may bind.
    pub buffer_budget: usize,
    /// Whether short loops of its stages are written out, as the driver of a GPU likes it.
    pub unrolled: bool,
}

impl Program {
    /// The operation that writes each value.
    pub fn writers(&self) -> IdVec<Value, Option<OpId>> {
        let mut writers = self.values.table(None);
        for (id, op) in self.ops.entries() {
            op.writes.iter().for_each(|write| writers[write.value] = Some(id));
        }
        writers
    }

    /// Where the frame begins, once operations are in order: behind those that are invariant.
    pub fn frame_begins(&self) -> OpId {
        OpId::new(self.invariant_count())
    }

    /// How many operations are invariant; once scheduled, they come first.
    pub fn invariant_count(&self) -> usize {
        self.ops.iter().filter(|op| op.invariant).count()
    }
}
