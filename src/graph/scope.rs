//! What flattening carries with it: all that is found so far, what a level of nesting knows, and a node in its surroundings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::numbers::{Names, Table, Unfit};
use super::ports::{Ports, Types};
use super::{DomainId, Graph, NodeId};
use crate::document::{self, Link, Nodes};
use crate::library::Library;
use crate::problem::Problems;

/// Builds the graph; its methods stand where their subject is.
pub struct Flattener<'a> {
    pub library: &'a Library,
    pub graph: Graph,
    pub problems: &'a mut Problems,
    pub numbers: Table,
    /// How much has been noted so far of what the plan follows from.
    pub shaped: usize,
}

/// A parameter of a node of the level: node, param.
type Param = (String, String);

/// What a level of nesting knows.
#[derive(Clone, Default)]
pub struct Scope {
    pub prefix: String,
    pub group: Option<NodeId>,
    pub domains: BTreeMap<String, DomainId>,
    /// Exposed parameters: to the outer names that set them.
    pub aliases: BTreeMap<Param, Vec<String>>,
    /// Exposed parameters that were given around the group: to what their expressions may name.
    pub given: BTreeMap<Param, Arc<Names>>,
    /// What the expressions of the level may name.
    pub names: Arc<Names>,
    /// Where nodes run that don't say it: the `on` of the group around.
    pub domain: Option<DomainId>,
    pub depth: usize,
    /// Types of the inputs of the group around.
    pub around: Types,
    /// Wires of nodes that are left out and pass nothing on, with what is wrong; nothing where that is reported.
    pub stuck: Arc<BTreeMap<Link, Option<Unfit>>>,
}

/// A node of the document in its surroundings.
pub struct Place<'a> {
    pub path: &'a str,
    pub name: &'a str,
    pub node: &'a document::Node,
    pub siblings: &'a Nodes,
    /// The ports of the level.
    pub ports: &'a Ports<'a>,
    pub names: &'a BTreeMap<String, NodeId>,
    pub scope: &'a Scope,
}

impl Place<'_> {
    /// Outer names that set a parameter of this node.
    pub fn aliases(&self, param: &str) -> Vec<String> {
        self.scope.aliases.get(&(self.name.to_string(), param.to_string())).cloned().unwrap_or_default()
    }

    /// What the expression of a parameter of this node may name: where it was written decides.
    pub fn names(&self, param: &str) -> Arc<Names> {
        let given = self.scope.given.get(&(self.name.to_string(), param.to_string()));
        given.unwrap_or(&self.scope.names).clone()
    }
}
