//! The uniform buffer: where each stage's block lies, which parameters go there, and the words that never change.

use std::collections::HashMap;

use super::uniforms::{self, Block, Content, Counter, Member};
use crate::data::{Alarm, ParamSlot};
use crate::graph::{Graph, NodeId, Setting};
use crate::ir::Op;
use crate::scatter::{Places, ScatterCheck};

/// What sets uniform blocks apart.
#[derive(PartialEq, Eq, Hash)]
struct BlockKey {
    node: NodeId,
    inlined: Vec<NodeId>,
    /// Whether each write begins with a constant.
    starts: Vec<bool>,
    /// Iteration, substep and colour; zero where the text does not use them.
    counters: [u32; 3],
}

/// A word of a uniform block that says where the counts of a scatter port begin, or its marks.
struct CheckWord {
    /// \[bytes\]
    at: u32,
    node: String,
    port: String,
    marks: bool,
}

/// Uniform offset of kernels that take nothing.
pub(super) const NO_BLOCK: u32 = uniforms::FRAME_BYTES;

/// The uniform buffer as it fills.
pub(super) struct UniformLayout<'g> {
    graph: &'g Graph,
    /// Blocks already placed.
    placed: HashMap<Vec<BlockKey>, u32>,
    pub slots: Vec<ParamSlot>,
    pub words: Vec<(u32, i32)>,
    pub bytes: u32,
    check_words: Vec<CheckWord>,
}

impl<'g> UniformLayout<'g> {
    pub(super) fn new(graph: &'g Graph) -> UniformLayout<'g> {
        let bytes = 2 * uniforms::FRAME_BYTES;
        UniformLayout {
            graph,
            placed: HashMap::new(),
            slots: Vec::new(),
            words: Vec::new(),
            bytes,
            check_words: Vec::new(),
        }
    }

    /// Places a stage's uniform block; repeats share one unless they can tell each other apart.
    pub(super) fn block(&mut self, op: &Op, block: &Block, alarms: &[Alarm]) -> u32 {
        self.blocks(&[(op, block)], block, alarms)
    }

    /// Places the block of several operations that share a dispatch: `block` has the members of theirs, one after the other.
    pub(super) fn blocks(&mut self, of: &[(&Op, &Block)], block: &Block, alarms: &[Alarm]) -> u32 {
        if block.members.is_empty() {
            return NO_BLOCK;
        }
        let key: Vec<BlockKey> = of.iter().map(|(op, block)| block_key(op, block)).collect();
        if let Some(offset) = self.placed.get(&key) {
            return *offset;
        }
        let offset = self.reserve(block.bound_bytes());
        let owners = of.iter().flat_map(|(op, block)| block.members.iter().map(|_| *op));
        for (op, member) in owners.zip(&block.members) {
            self.place(op, member, offset + member.offset, alarms);
        }
        self.placed.insert(key, offset);
        offset
    }

    fn place(&mut self, op: &Op, member: &Member, at: u32, alarms: &[Alarm]) {
        match &member.content {
            Content::Setting(path, setting) => uniforms::place(&mut self.slots, path, setting, member.dim, at),
            Content::Word(Counter::Iteration) => self.words.push((at, op.iteration as i32)),
            Content::Word(Counter::Substep) => self.words.push((at, op.substep as i32)),
            Content::Word(Counter::Color) => self.words.push((at, op.color.unwrap_or(0) as i32)),
            Content::Alarm(alarm) => {
                let alarm = alarms.iter().position(|listed| listed == alarm);
                self.words.push((at, alarm.unwrap_or(0) as i32));
            }
            Content::Check { port, marks } => {
                let node = self.graph.nodes.get(op.node).map(|node| node.path.clone()).unwrap_or_default();
                self.check_words.push(CheckWord { at, node, port: port.clone(), marks: *marks });
            }
        }
    }

    /// Where the number stands that a group waits to fall below; all its tests share it.
    pub(super) fn tolerance(&mut self, node: NodeId, path: &str, below: &Setting) -> u32 {
        let key = vec![BlockKey { node, inlined: Vec::new(), starts: Vec::new(), counters: [0; 3] }];
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

    /// A block of one setting.
    pub(super) fn setting(&mut self, path: &str, setting: &Setting, dim: u32) -> u32 {
        let offset = self.reserve(16);
        uniforms::place(&mut self.slots, path, setting, dim, offset);
        offset
    }

    /// A block that says where the counts of a scatter port begin, and its marks.
    pub(super) fn scatter_check(&mut self, node: &str, port: &str) -> u32 {
        let offset = self.reserve(16);
        let word = |at, marks| CheckWord { at, node: node.into(), port: port.into(), marks };
        self.check_words.extend([word(offset, false), word(offset + 4, true)]);
        offset
    }

    /// Fills in where counts and marks lie, once it is known how many alarms stand before them.
    pub(super) fn place_checks(&mut self, places: &Places, checks: &[ScatterCheck]) {
        self.words.extend(self.check_words.iter().filter_map(|word| {
            let check = checks.iter().position(|check| check.node == word.node && check.port == word.port)?;
            let place = match word.marks {
                true => *places.marks.get(check)?,
                false => u64::from(*places.counts.get(check)?),
            };
            Some((word.at, place as i32))
        }));
    }
}

fn block_key(op: &Op, block: &Block) -> BlockKey {
    let used = |counter, value| if block.uses(counter) { value } else { 0 };
    let color = op.color.unwrap_or(0);
    BlockKey {
        node: op.node,
        inlined: op.inlined().iter().map(|stage| stage.node).collect(),
        starts: op.writes.iter().map(|w| w.start.is_some()).collect(),
        counters: [
            used(Counter::Iteration, op.iteration),
            used(Counter::Substep, op.substep),
            used(Counter::Color, color),
        ],
    }
}
