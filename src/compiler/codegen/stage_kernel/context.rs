//! What the emitters of a kernel ask: the operation and its surroundings, read-only.

use super::bound::{self, Bound};
use super::mapping::Mapping;
use super::names;
use crate::graph::{Domain, Graph, Kind, Node};
use crate::ir::in_place::repeated_faces;
use crate::ir::workgroups::{self, workgroup};
use crate::ir::{InstanceId, OWN, Op, Part, Program, Read, ValueId, WireValue, Write, blocks, tiles};
use crate::stage::edges::Edges;
use crate::stage::header::{Change, Direction, Port};
use crate::stage::{Reach, Stage};

/// The operation that a kernel is written for.
pub(crate) struct Context<'a> {
    pub graph: &'a Graph,
    pub program: &'a Program,
    pub op: &'a Op,
    /// The node and the stage that are dispatched.
    pub node: &'a Node,
    pub stage: &'a Stage,
    /// Dimensions of the node's space.
    pub dim: u32,
    pub mapping: Mapping,
    /// Bound buffers in the order of their bindings.
    pub bound: Vec<Bound>,
    /// Whether only the blocks that it runs in are dispatched, by their list.
    pub listed: bool,
    /// Whether each write overwrites the version that it updates.
    in_place: &'a [bool],
}

/// A stage of an operation: the one that is dispatched, or one that is inlined.
#[derive(Clone, Copy)]
pub(crate) struct Instance<'a> {
    pub index: InstanceId,
    pub node: &'a Node,
    pub stage: &'a Stage,
}

/// What a stage writes.
pub(crate) struct Written<'a> {
    pub port: &'a Port,
    pub write: &'a Write,
    pub value: &'a WireValue,
    pub in_place: bool,
    /// The variable of the memory that it is written to.
    pub target: String,
}

impl<'a> Context<'a> {
    /// Context of an operation; `None` for one that dispatches no stage.
    pub(crate) fn new(graph: &'a Graph, program: &'a Program, op: &'a Op, in_place: &'a [bool]) -> Option<Context<'a>> {
        let node = graph.nodes.get(op.node)?;
        let Kind::Stage(stage) = &node.kind else { return None };
        let dim = graph.dim(node);
        let mapping = Mapping::of(op);
        let bound = bound::bound(graph, program, op, in_place);
        let listed = workgroups::listed_blocks(graph, op, in_place).is_some();
        Some(Context { graph, program, op, node, stage, dim, mapping, bound, listed, in_place })
    }

    /// Invocations of a workgroup along each axis.
    pub(crate) fn workgroup(&self) -> [u32; 3] {
        let [x, y, z] = blocks::groups(self.dim).1;
        match self.listed || workgroups::summed_blocks(self.graph, self.op).is_some() {
            true if self.leaves_other_color() => [x / 2, y, z],
            true => [x, y, z],
            false if self.leaves_other_color() => workgroups::colored(self.graph, self.node, self.op.shape),
            false => workgroup(self.graph, self.node, self.op.shape),
        }
    }

    /// Whether a dispatch has invocations for the cells of one colour alone: the others stay as they are.
    pub(crate) fn leaves_other_color(&self) -> bool {
        let stays = |written: Written<'_>| {
            let swept = written.port.direction == Direction::InOut && written.port.scatter.is_none();
            swept && written.in_place && !written.value.layout().pairs()
        };
        self.op.color.is_some()
            && self.mapping == Mapping::Single
            && self.op.inlined().is_empty()
            && !self.reduces()
            && self.writes().all(stays)
    }

    /// Cells along each axis that have an invocation: of faces that are the first ones once more it is that of the first.
    pub(crate) fn extent(&self) -> [u32; 3] {
        let (extent, repeated) = (self.graph.extent(self.node), repeated_faces(self.graph, self.op));
        [0, 1, 2].map(|axis| extent[axis] - u32::from(repeated[axis]))
    }

    /// Whether long loops are kept from the driver, which would take longer with copies of what they hold.
    pub(crate) fn is_rolled(&self) -> bool {
        self.op.edited && self.program.unrolled
    }

    /// The stage that is dispatched.
    pub(crate) fn dispatched(&self) -> Instance<'a> {
        Instance { index: OWN, node: self.node, stage: self.stage }
    }

    /// The stage that is dispatched, or one that is inlined.
    pub(crate) fn instance(&self, index: InstanceId) -> Option<Instance<'a>> {
        let node = self.graph.nodes.get(self.op.node_of(index)?)?;
        let Kind::Stage(stage) = &node.kind else { return None };
        Some(Instance { index, node, stage })
    }

    /// The stages of the operation, the dispatched one first.
    pub(crate) fn instances(&self) -> impl DoubleEndedIterator<Item = Instance<'a>> {
        self.op.stages.ids().filter_map(|index| self.instance(index))
    }

    /// The stages that are inlined.
    pub(crate) fn inlined(&self) -> impl DoubleEndedIterator<Item = Instance<'a>> {
        self.instances().filter(|of| of.index != OWN)
    }

    /// The stages that run before the one that is dispatched, over the same cells or particles, in their order.
    pub(crate) fn before(&self) -> impl Iterator<Item = Instance<'a>> {
        self.inlined().rev().filter(|of| self.op.stages.get(of.index).is_some_and(|stage| stage.before))
    }

    /// Whether a stage of the operation uses a word.
    pub(crate) fn names(&self, word: &str) -> bool {
        self.stage.names(word) || self.inlined().any(|of| of.stage.names(word))
    }

    pub(crate) fn value(&self, id: ValueId) -> Option<&'a WireValue> {
        self.program.values.get(id)
    }

    pub(crate) fn domain_of(&self, value: &WireValue) -> Option<&'a Domain> {
        value.domain.and_then(|domain| self.graph.domains.get(domain))
    }

    /// The domain of a node, or one cell where it has none.
    pub(crate) fn domain(&self, node: &Node) -> Domain {
        let empty = || Domain {
            name: String::new(),
            dim: 2,
            resolution: [1; 3],
            cell_size: 1.0,
            edge: Edges::default(),
            finer: None,
            sliced: None,
        };
        node.domain.and_then(|d| self.graph.domains.get(d)).cloned().unwrap_or_else(empty)
    }

    /// Cells of the node's own domain.
    pub(crate) fn resolution(&self) -> [i64; 3] {
        self.domain(self.node).resolution.map(i64::from)
    }

    /// What a read beyond a grid gives a port.
    pub(crate) fn edges(&self, port: &Port, value: &WireValue) -> Edges {
        port.edges(self.domain_of(value).map(|d| d.edge).unwrap_or_default())
    }
}

/// What is read.
impl<'a> Context<'a> {
    /// What a stage's ports read from memory.
    pub(crate) fn reads(&self, of: InstanceId) -> impl Iterator<Item = &'a Read> {
        self.op.reads.iter().filter(move |r| r.stage == of)
    }

    /// What a stage's ports read, from memory and from other stages of the dispatch.
    pub(crate) fn all_reads(&self, of: InstanceId) -> impl Iterator<Item = &'a Read> {
        self.op.reads.iter().chain(&self.op.forwarded).filter(move |r| r.stage == of)
    }

    /// The value that a part of a port is read from in memory.
    pub(crate) fn read_value(&self, of: InstanceId, port: usize, part: &Part) -> Option<&'a WireValue> {
        self.reads(of).find(|r| r.port == port && r.part == *part).and_then(|r| self.value(r.value))
    }

    /// The variable of its buffer. Attributes that are overwritten in place are read where they are written.
    pub(crate) fn variable(&self, of: InstanceId, port: usize, part: &Part) -> Option<&str> {
        let found = |b: &&Bound| b.reads.iter().any(|r| r.stage == of && r.port == port && r.part == *part);
        self.bound.iter().find(found).map(|b| b.variable.as_str())
    }

    /// What a port gets from another stage of the dispatch: the variable and its value.
    pub(crate) fn forwarded(&self, of: InstanceId, port: usize, part: &Part) -> Option<(String, &'a WireValue)> {
        let read = self.op.forwarded.iter().find(|r| r.stage == of && r.port == port && r.part == *part)?;
        Some((self.passed(read.value)?, self.value(read.value)?))
    }

    /// The variable through which a stage of the dispatch passes a value to another.
    pub(crate) fn passed(&self, value: ValueId) -> Option<String> {
        let write = self.op.writes.iter().find(|w| w.value == value)?;
        let port = self.instance(write.stage)?.stage.outputs().nth(write.port)?;
        Some(names::passed(write.stage, names::returned(port, &write.part)))
    }

    /// The stage that recomputes what a port reads, and the value that it recomputes.
    pub(crate) fn recomputed(&self, of: InstanceId, port: usize) -> Option<(InstanceId, &'a WireValue)> {
        self.op.stages.entries().find_map(|(index, stage)| {
            let value = stage.recomputes.filter(|_| stage.callers.contains(&(of, port)))?;
            Some((index, self.value(value)?))
        })
    }

    /// Inputs of a tile that are read at the computed cell only. They are the same in every sweep, so they wait in registers.
    pub(crate) fn held_inputs(&self) -> Vec<(&'a Port, &'a WireValue)> {
        let held = |port: usize| {
            let read = self.all_reads(OWN).find(|r| r.port == port)?;
            Some((self.stage.inputs().nth(port)?, self.value(read.value)?))
        };
        tiles::held_inputs(self.graph, self.program, self.op).into_iter().filter_map(held).collect()
    }
}

/// What is written and returned.
impl<'a> Context<'a> {
    /// What the dispatched stage writes.
    pub(crate) fn writes(&self) -> impl Iterator<Item = Written<'a>> {
        self.writes_of(OWN)
    }

    /// What one of the stages writes.
    pub(crate) fn writes_of(&self, of: InstanceId) -> impl Iterator<Item = Written<'a>> {
        let all = self.op.writes.iter().zip(self.in_place).enumerate();
        let from_stage = move |write: &Write| write.stage == of && !matches!(write.part, Part::Zeros(_));
        all.filter(move |(_, (write, _))| from_stage(write)).filter_map(|(index, (write, in_place))| {
            let port = self.instance(write.stage)?.stage.outputs().nth(write.port)?;
            let target = bound::target(self.graph, self.op, self.in_place, index)?;
            Some(Written { port, write, value: self.value(write.value)?, in_place: *in_place, target })
        })
    }

    /// The grids that the dispatch sets to zero besides, the variables of their memory, and whether it reads them there.
    pub(crate) fn zeros(&self) -> impl Iterator<Item = (&'a WireValue, String, bool)> {
        let all = self.op.writes.iter().zip(self.in_place).enumerate();
        all.filter(|(_, (write, _))| matches!(write.part, Part::Zeros(_))).filter_map(|(index, (write, in_place))| {
            Some((self.value(write.value)?, bound::target(self.graph, self.op, self.in_place, index)?, *in_place))
        })
    }

    /// What any of the stages writes, stage by stage.
    pub(crate) fn all_writes(&self) -> impl Iterator<Item = Written<'a>> {
        self.op.stages.ids().flat_map(|of| self.writes_of(of))
    }

    /// The version that a write updates; itself, where there is none.
    pub(crate) fn updated(&self, written: &Written<'a>) -> &'a WireValue {
        written.write.consumes.and_then(|before| self.value(before)).unwrap_or(written.value)
    }

    /// Whether the dispatched stage reduces to a number.
    pub(crate) fn reduces(&self) -> bool {
        self.stage.outputs().any(|p| p.reduce.is_some())
    }

    /// The port that adds particles, and the number input that says how many.
    pub(crate) fn emits(&self) -> Option<(&'a Port, &'a str)> {
        self.stage.outputs().find_map(|p| match &p.change {
            Change::Emit(amount) => Some((p, amount.as_str())),
            _ => None,
        })
    }

    /// Whether the tiles of this operation are swept in columns: its stage looks across faces only, and returns cells.
    pub(crate) fn in_columns(&self) -> bool {
        let near = |port: &Port| port.direction == Direction::InOut && self.stage.reach(&port.name) != Reach::Anywhere;
        self.mapping.is_tile() && !self.node.fills_faces() && self.writes().all(|written| near(written.port))
    }
}
