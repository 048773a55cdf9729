//! The result of memory allocation: buffers, and what each of them stores.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::{Arena, IdVec};
use crate::data::{Buffer, BufferId, Wire};
use crate::graph::NodeId;
use crate::ir::{PictureValue, StateKey, WireValue};

/// The buffer of each value; none where it stays in registers, or nothing needs it.
pub(crate) type Placement = IdVec<WireValue, Option<BufferId>>;

/// Buffers of a plan, and of each value.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    pub buffers: Arena<Buffer>,
    pub frame: Placement,
    pub reset: Placement,
    pub swaps: Vec<(BufferId, BufferId)>,
    /// Node, output port and buffer of each watched number.
    pub watches: Vec<(NodeId, usize, BufferId)>,
    /// Node, buffer and largest value of each number of blocks.
    pub crowded: Vec<(NodeId, BufferId, u32)>,
    /// Buffer of each State's value.
    pub states: BTreeMap<StateKey, BufferId>,
    /// States whose vectors of three take three words.
    pub dense: BTreeSet<StateKey>,
    /// States that have memory for blocks alone.
    pub pooled: BTreeSet<StateKey>,
    pub wires: BTreeMap<String, Wire>,
    pub pictures: Vec<(PictureValue, BufferId)>,
}

/// The wire that a value is a version of; intermediate values of a scatter belong to its result.
pub(super) fn wire(label: &str) -> &str {
    label.strip_suffix(" (scatter)").unwrap_or(label)
}
