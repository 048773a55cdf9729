//! Results of edits. The documents are small, so that complete results can be compared.

mod blocks;
mod bookmark;
mod border;
mod clipboard;
mod frames;
mod group;
mod nodes;
mod plans;
mod random;
mod remedy;
mod swap;
mod wires;

use std::collections::BTreeSet;

use stagewright_language::document::{Document, Scope};
use stagewright_language::edit::InputEnd;
use stagewright_language::graph::Graph;
use stagewright_test_support::fixture::{GROUP, end, library, nodes, root};

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

/// The wire that a node's port reads.
fn reads(document: &Document, node: &str, port: &str) -> Option<String> {
    document.node(node)?.inputs.get(port).map(ToString::to_string)
}

fn builds(document: &Document) -> Result<(), String> {
    Graph::build(document, library()).map(drop).map_err(|problems| problems.to_string())
}

#[test]
fn the_fixture_runs() {
    assert_eq!(builds(&nodes(GROUP)), Ok(()));
}
