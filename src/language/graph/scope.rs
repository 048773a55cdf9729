//! The state of flattening: everything found so far, the names of a nesting level, and a node with its surroundings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::numbers::{Names, Table, Unfit};
use super::ports::{Ports, Types};
use super::{DomainId, Graph, NodeId, Source};
use crate::document::{self, Link, Nodes};
use crate::library::Library;
use crate::problem::Problems;

/// Builds the graph. Its methods are in the modules of their topics.
pub(super) struct Flattener<'a> {
    pub library: &'a Library,
    pub graph: Graph,
    pub problems: &'a mut Problems,
    pub numbers: Table,
    /// Number of recorded dependencies of the plan so far.
    pub shaped: usize,
}

/// A parameter of a node of the level: node, param.
type Param = (String, String);

/// What is known about a nesting level.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub prefix: String,
    pub group: Option<NodeId>,
    pub domains: BTreeMap<String, DomainId>,
    /// Exposed parameters, with the outer paths that set them.
    pub aliases: BTreeMap<Param, Vec<String>>,
    /// Exposed parameters that were set outside the group, with the names that their expressions may use.
    pub outer_names: BTreeMap<Param, Arc<Names>>,
    /// The names that expressions of the level may use.
    pub names: Arc<Names>,
    /// The default domain of nodes: the `on` of the enclosing group.
    pub domain: Option<DomainId>,
    pub depth: usize,
    /// The grid that an enclosing group names for where its stages run, and the depth of that group's own level.
    pub blocks: Option<(Source, usize)>,
    /// The level balances what its pressure solvers read itself.
    pub balanced: bool,
    /// Types of the inputs of the enclosing group.
    pub around: Types,
    /// Inputs of the enclosing group that carry a divergence.
    pub divergences: BTreeSet<String>,
    /// Wires of nodes that are left out and pass nothing on, with the error; `None` where it has been reported.
    pub stuck: Arc<BTreeMap<Link, Option<Unfit>>>,
}

/// A node of the document with its surroundings.
pub(super) struct NodePlace<'a> {
    pub path: &'a str,
    pub name: &'a str,
    pub node: &'a document::Node,
    pub siblings: &'a Nodes,
    /// The ports of the level.
    pub ports: &'a Ports<'a>,
    pub names: &'a BTreeMap<String, NodeId>,
    pub scope: &'a Scope,
}

impl NodePlace<'_> {
    /// Outer paths that set a parameter of this node.
    pub(super) fn aliases(&self, param: &str) -> Vec<String> {
        self.scope.aliases.get(&(self.name.to_string(), param.to_string())).cloned().unwrap_or_default()
    }

    /// The names that the expression of a parameter may use, which depend on where it was written.
    pub(super) fn names(&self, param: &str) -> Arc<Names> {
        let names = self.scope.outer_names.get(&(self.name.to_string(), param.to_string()));
        names.unwrap_or(&self.scope.names).clone()
    }
}
