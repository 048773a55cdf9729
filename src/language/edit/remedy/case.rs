//! The place of a problem in the document, and what remedies ask about it.

use std::collections::BTreeMap;

use crate::document::{Document, Link, Node, NodeKind, Scope};
use crate::edit::signature::{self, NodeSignature};
use crate::edit::{InputEnd, OUT};
use crate::graph::ports::Ports;
use crate::library::Library;

/// The place of a problem in the document.
pub(super) struct Case<'a> {
    document: &'a Document,
    pub(super) library: &'a Library,
    pub(super) scope: Scope,
    /// The node; `out` for an output of the group.
    pub(super) name: String,
    pub(super) port: &'a str,
    pub(super) ports: Ports<'a>,
    pub(super) signatures: BTreeMap<String, NodeSignature>,
}

impl<'a> Case<'a> {
    pub(super) fn locate(document: &'a Document, path: &str, port: &'a str, library: &'a Library) -> Option<Case<'a>> {
        let (scope, name) = place(document, path)?;
        let ports = Ports::of_level(document, &scope, library)?;
        let signatures = signature::level_signatures(&ports);
        Some(Case { document, library, scope, name, port, ports, signatures })
    }

    pub(super) fn node(&self) -> Option<&'a Node> {
        self.ports.nodes().get(&self.name)
    }

    pub(super) fn end(&self) -> InputEnd {
        InputEnd { node: self.name.clone(), port: self.port.to_string() }
    }

    pub(super) fn source(&self) -> Option<&'a Link> {
        crate::edit::source(self.document.level(&self.scope)?, &self.end())
    }

    /// Domains that nodes of the level can use.
    pub(super) fn domains(&self) -> Vec<&'a str> {
        let levels = (0..=self.scope.0.len()).map(|depth| Scope(self.scope.0.iter().take(depth).cloned().collect()));
        let nodes = levels.filter_map(|scope| self.document.level(&scope)).flat_map(|level| level.nodes());
        nodes.filter(|(_, node)| matches!(node.kind, NodeKind::Domain(_))).map(|(name, _)| name.as_str()).collect()
    }
}

/// The level of a node and its name there, which may contain a `/` by mistake.
fn place(document: &Document, path: &str) -> Option<(Scope, String)> {
    let mut scope = Scope::default();
    let mut rest = path;
    loop {
        let level = document.level(&scope)?;
        if level.nodes().contains_key(rest) || (rest == OUT && !scope.is_root()) {
            return Some((scope, rest.to_string()));
        }
        let (group, inner) = rest.split_once('/')?;
        scope = scope.inside(group);
        rest = inner;
    }
}
