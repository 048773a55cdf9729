//! What wires carry, and what is known about it while the graph is resolved.

use std::collections::{BTreeSet, HashMap};

use super::numbers::Table;
use super::{DomainId, Graph, Node, NodeId, ParticleSet};
use crate::arena::IdVec;
use crate::problem::Problems;
use crate::stage::types::{WireType, particles_name};

/// What a wire carries. `None` when the cause has been reported already.
pub(super) type Carried = Option<Carry>;

/// A wire's type; its domain, unless it is a number; and for particles the set.
#[derive(Clone, Debug)]
pub(super) struct Carry {
    pub ty: WireType,
    pub domain: Option<DomainId>,
    pub set: Option<ParticleSet>,
}

impl Carry {
    /// The name of the type for messages.
    pub(super) fn name(&self) -> String {
        self.set.as_ref().map_or_else(|| self.ty.to_string(), |set| particles_name(&set.attributes))
    }
}

/// An input or an output of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Border {
    Input(NodeId, usize),
    Output(NodeId, usize),
}

/// Determines what every wire carries. Its methods are in the modules of their topics.
pub(super) struct Resolver<'a> {
    pub graph: &'a mut Graph,
    pub numbers: &'a Table,
    pub problems: &'a mut Problems,
    /// Whether the outputs of each node are known; `Some(false)` if they cannot be, for a reason that was reported.
    pub done: IdVec<Node, Option<bool>>,
    /// Nodes being resolved, outermost first; reaching one again is a cycle.
    pub open: Vec<NodeId>,
    pub opened: IdVec<Node, bool>,
    /// What inputs and outputs of groups carry, once it is known.
    pub carries: HashMap<Border, Carried>,
    /// Inputs and outputs of groups being followed; reaching one again is a cycle too.
    pub followed: BTreeSet<Border>,
}
