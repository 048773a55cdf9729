//! Values and operations: the form of a graph once its iterations, groups, particle sets and fields are unrolled.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use crate::arena::{Arena, Id, IdVec};
use crate::graph::{DomainId, FileOutput, NodeId, Setting};
use crate::ir::stored::Stored;
use crate::stage::header::Reduction;
use crate::stage::types::{ValueType, WireType};
use crate::tuning::Shape;

pub(crate) type ValueId = Id<WireValue>;

/// The place of an operation in its program. A pass that moves operations, or drops some, gives others to those behind.
pub(crate) type OpId = Id<Op>;

/// Which of an operation's stages.
pub(crate) type InstanceId = Id<StageInstance>;

/// The stage that an operation dispatches.
pub(crate) const OWN: InstanceId = Id::new(0);

/// One version of a wire, or of a part of it.
#[derive(Clone, Debug)]
pub(crate) struct WireValue {
    pub stored: Stored,
    /// Whether stores round up or down at random, so that they are right on average.
    pub dithered: bool,
    pub label: String,
    pub bytes: u64,
    /// The table of the blocks that it has memory for, where it has none for all cells (pass `block_pool`).
    pub pooled: Option<ValueId>,
}

impl WireValue {
    /// A value without a domain and without a particle set.
    pub(crate) fn new(ty: WireType, label: String, bytes: u64) -> WireValue {
        WireValue { stored: Stored::number(ty), dithered: false, label, bytes, pooled: None }
    }
}

impl Deref for WireValue {
    type Target = Stored;

    fn deref(&self) -> &Stored {
        &self.stored
    }
}

/// A part of a port's wire. Grids and numbers have one; particle sets and neighbour grids consist of several values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    Whole,
    Attribute(Arc<str>),
    /// The number of live particles, the number ever emitted, and the workgroups of an indirect dispatch.
    Count,
    /// First entry of each cell.
    Start,
    /// The particle of each entry; absent where the set itself is in that order.
    Order,
    /// Attributes stored together for readers of other particles (pass `attribute_packing`): their names joined by `+`.
    Packed(Arc<str>),
    /// The result of the search around each particle (pass `neighbor_cache`).
    Found,
    /// The particles of each bin of cells (pass `scatter_tiles`).
    Bins,
    /// The blocks of cells that the operation runs in; or, written by a stage, those in which its grid is not zero (pass `block_marks`).
    Blocks,
    /// The blocks that the operation runs in, for cells of another width: tiles of so many cells along each axis.
    Covered(u32),
    /// The blocks that grids in a pool have memory for, by a table that the operation does not go by, and which of several.
    Slots(u32),
    /// A grid that is only set to zero, and which of several (pass `fill_fusion`).
    Zeros(u32),
    /// A part of the wire of an output, whose value comes from outside before each frame.
    Outside(usize, Box<Part>),
}

impl Part {
    /// Whether it is a table of blocks, which no port names.
    pub(crate) fn is_blocks(&self) -> bool {
        matches!(self, Part::Blocks | Part::Covered(_) | Part::Slots(_))
    }

    /// The part of a file's node that holds one of its outputs.
    pub(crate) fn of_file(output: FileOutput) -> Part {
        match output {
            FileOutput::Distance => Part::Whole,
            _ => Part::Attribute(output.name().into()),
        }
    }
}

/// The work of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Stage,
    /// Sets every component of every element to the setting, or to zero.
    Fill(Option<Setting>),
    /// Sets every word.
    FillWord(u32),
    /// Sets every word of each value to that value's word.
    Clear(Vec<u32>),
    /// Copies a value, possibly between precisions.
    Copy,
    /// Converts floats to fixed point with this many fraction bits, in place, and back.
    ToFixed(u32),
    FromFixed(u32),
    /// Converts floats to integers with the same order, in place, and back.
    FromOrdered,
    /// Reduces the partial results of a stage's workgroups to one.
    Reduce(Reduction, ValueType),
    /// The steps of a prefix sum: of each block in place, of the blocks' sums, and adding the latter to the former.
    ScanBlocks,
    ScanSums,
    ScanAdd,
    /// The last two steps in one: each workgroup sums the blocks before its own.
    ScanEnd,
    /// The steps of labelling connected parts: within each tile, across the borders of tiles, and every cell's label.
    ConnectTiles,
    ConnectBorders,
    ConnectEnd,
    /// The steps of listing particles by bins of cells: counting those of each bin, and writing the list.
    BinCount(DomainId),
    BinList(DomainId),
    /// Which blocks of cells hold anything but zero, and those with their neighbours.
    FindBlocks,
    WidenBlocks,
    /// Gives blocks places in memory, of which there are so many.
    PlaceBlocks(u32),
    CoverBlocks,
    /// Moves particles for which the prefix sum increases to the position that it gives.
    Compact,
    /// The count after that.
    CompactCount,
    /// Fetches particles from the positions in an index.
    Gather,
    /// Moves particles to the positions in an index.
    Scatter,
    /// Copies attributes into a pack.
    Pack,
    /// Decides whether a group continues after this many more iterations: unless its number is below the setting.
    Test {
        below: Setting,
        every: u32,
    },
    /// The number of iterations that a group has made: those until it stopped, or this many.
    Repeats(u32),
    /// Converts an Image to bytes.
    Present {
        width: u32,
        height: u32,
    },
}

/// What an operation reads from memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Read {
    pub stage: InstanceId,
    /// Input port of the stage.
    pub port: usize,
    pub part: Part,
    pub value: ValueId,
}

/// A stage of an operation.
#[derive(Clone, Debug)]
pub(crate) struct StageInstance {
    pub node: NodeId,
    /// The stages that call it, and by which input port: for a field, and for what is recomputed where it is read.
    pub callers: Vec<(InstanceId, usize)>,
    /// Runs over the same elements as the operation's own stage, before it; of several, the last one first.
    pub before: bool,
    /// The grid whose cells it recomputes wherever a caller reads them, instead of loading them.
    pub recomputes: Option<ValueId>,
}

impl StageInstance {
    /// The stage that an operation dispatches.
    pub(crate) fn own(node: NodeId) -> StageInstance {
        StageInstance { node, callers: Vec::new(), before: false, recomputes: None }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub stage: InstanceId,
    /// Output port of the stage.
    pub port: usize,
    pub part: Part,
    pub value: ValueId,
    /// Previous SSA version that it updates.
    pub consumes: Option<ValueId>,
    /// Reuses the buffer of that version and ignores its contents.
    pub overwrites: bool,
    /// Stays in registers: only stages of the same operation read it.
    pub transient: bool,
    /// Whether the consumed version is zero wherever the operation does not run (pass `active_blocks`).
    pub settled: bool,
    /// Whether its value has memory for blocks alone (pass `block_pool`).
    pub pooled: bool,
    /// The value of all cells of the consumed version, where that is not in memory.
    pub start: Option<Setting>,
}

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub task: Task,
    pub node: NodeId,
    /// What the operation reads from memory, without settings and consumed versions.
    pub reads: Vec<Read>,
    /// What the operation's stages read in registers from what other stages have just written.
    pub forwarded: Vec<Read>,
    /// The operation's own stage, followed by inlined ones: fields, and stages that [`crate::passes`] fused or
    /// recompute. A built-in task has only the node that it belongs to.
    pub stages: Arena<StageInstance>,
    pub writes: Vec<Write>,
    /// The iteration of its first sweep.
    pub iteration: u32,
    pub substep: u32,
    pub color: Option<u32>,
    /// Sweeps that it makes in sequence: the colours of an iteration, and iterations. One unless they were joined.
    pub sweeps: u32,
    /// Shape of its dispatch, unless it is the plain one.
    pub shape: Option<Shape>,
    /// Whether the operation's results are the same in every frame, so that it runs once.
    pub invariant: bool,
    /// The gate that decides whether it runs, in an iteration of a group that may have stopped.
    pub gate: Option<ValueId>,
    /// Whether the text of one of its stages is being edited: it shares no dispatch and has the plain shape.
    pub edited: bool,
    /// How invocations share what a particle does (pass `lanes`).
    pub lanes: Lanes,
    /// Whether one workgroup may do its work, together with that of operations next to it (pass `one_workgroup`).
    pub small: bool,
}

/// Invocations that share what a particle does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Lanes {
    /// Each particle has one.
    One,
    /// Each goes through its part of a loop over rows of pixels.
    Rows(u32),
    /// Each does all of it, and adds its component of the vectors.
    Components(u32),
}

impl Lanes {
    /// Invocations of a particle.
    pub(crate) fn count(self) -> u32 {
        match self {
            Lanes::One => 1,
            Lanes::Rows(count) | Lanes::Components(count) => count,
        }
    }
}

impl Write {
    /// The first output port's complete value, written by the operation's own stage without a consumed version.
    pub(crate) fn whole(value: ValueId) -> Write {
        Write {
            stage: OWN,
            port: 0,
            part: Part::Whole,
            value,
            consumes: None,
            overwrites: false,
            transient: false,
            settled: false,
            pooled: false,
            start: None,
        }
    }
}

impl Op {
    /// An operation that runs once and in its plain shape.
    pub(crate) fn new(
        task: Task,
        node: NodeId,
        reads: Vec<Read>,
        stages: Arena<StageInstance>,
        writes: Vec<Write>,
    ) -> Op {
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
            edited: false,
            lanes: Lanes::One,
            small: false,
        }
    }

    /// Every value that it reads, including consumed ones, except those that it makes itself.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = ValueId> + '_ {
        let made = |value: &ValueId| self.writes.iter().any(|w| w.value == *value);
        let consumed = self.writes.iter().filter_map(|w| w.consumes).filter(move |v| !made(v));
        self.reads.iter().map(|r| r.value).chain(consumed)
    }

    /// Every value that must be computed before it, including its gate.
    pub(crate) fn needs(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.inputs().chain(self.gate)
    }

    /// The node of one of its stages.
    pub(crate) fn node_of(&self, stage: InstanceId) -> Option<NodeId> {
        self.stages.get(stage).map(|stage| stage.node)
    }

    /// The inlined stages.
    pub(crate) fn inlined(&self) -> &[StageInstance] {
        self.stages.as_slice().split_first().map_or(&[], |(_, inlined)| inlined)
    }

    /// Whether a stage runs once for each of the operation's cells or particles: its own, or one that runs before it.
    pub(crate) fn runs_itself(&self, stage: InstanceId) -> bool {
        stage == OWN || self.stages.get(stage).is_some_and(|stage| stage.before)
    }
}

/// A State, and the part of it: each has its own memory.
pub(crate) type StateKey = (NodeId, Part);

/// What an Output makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PictureValue {
    pub node: NodeId,
    pub value: ValueId,
    /// \[pixels\]
    pub width: u32,
    pub height: u32,
}

/// The operations of a frame, or of a reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub values: Arena<WireValue>,
    pub ops: Arena<Op>,
    /// Fields as separate operations, only to be validated.
    pub field_checks: Vec<Op>,
    /// Last frame's value of each State that is needed.
    pub states: BTreeMap<StateKey, ValueId>,
    /// The next value of each State.
    pub next: BTreeMap<StateKey, ValueId>,
    /// Values by `node.port`, parts of sets by `node.port.attribute`; the last version where a node repeats.
    pub wires: BTreeMap<String, ValueId>,
    pub pictures: Vec<PictureValue>,
    /// Watched numbers: node, output port and value.
    pub watches: Vec<(NodeId, usize, ValueId)>,
    /// Tables of blocks for which there may be more than memory has places for, with this number, and the node that they were first asked for.
    pub crowded: Vec<(NodeId, ValueId, u32)>,
    /// Values that must outlive the frame.
    pub pinned: Vec<ValueId>,
    /// The wires among them, and those that show the next value of a State.
    pub kept: BTreeSet<String>,
    /// Outputs of groups that may stop: the versions of each wire, one for every iteration that can be the last.
    pub carries: Vec<Vec<ValueId>>,
    /// Versions of one wire that must share a buffer, in the order in which they are written.
    pub together: Vec<Vec<ValueId>>,
    /// The workgroups of the dispatches that each gate controls.
    pub tables: BTreeMap<ValueId, Vec<[u32; 3]>>,
    /// The group whose test writes each gate.
    pub testers: BTreeMap<ValueId, NodeId>,
    /// Limit of storage buffers that the kernel of fused operations may bind.
    pub buffer_budget: usize,
    /// Whether short loops of its stages are unrolled, which is faster on GPU drivers.
    pub unrolled: bool,
    /// Whether each version of a wire stays in memory until the next one is written, and the last one to the end of the frame.
    pub versions: bool,
    /// Why the pass that runs has left operations as they are, for reports.
    pub notes: Vec<String>,
}

impl Program {
    /// The operation that writes each value.
    pub(crate) fn writers(&self) -> IdVec<WireValue, Option<OpId>> {
        let mut writers = self.values.table(None);
        for (id, op) in self.ops.entries() {
            op.writes.iter().for_each(|write| writers[write.value] = Some(id));
        }
        writers
    }

    /// Where the frame begins, once operations are in order: behind those that are invariant.
    pub(crate) fn frame_begins(&self) -> OpId {
        OpId::new(self.invariant_count())
    }

    /// How many operations are invariant; once scheduled, they come first.
    pub(crate) fn invariant_count(&self) -> usize {
        self.ops.iter().filter(|op| op.invariant).count()
    }
}
