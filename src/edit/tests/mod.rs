//! Results of edits. The documents are small, so that complete results can be compared.

mod bookmark;
mod border;
mod clipboard;
mod frames;
mod group;
mod nodes;
pub(crate) mod random;
mod remedy;
mod swap;
mod wires;

use std::collections::BTreeSet;

use super::InputEnd;
use crate::document::{Document, Scope};
use crate::graph::Graph;
use crate::library::Library;

fn library() -> &'static Library {
    Library::builtin()
}

fn root() -> Scope {
    Scope::default()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

fn end(node: &str, port: &str) -> InputEnd {
    InputEnd { node: node.into(), port: port.into() }
}

/// A document with the given `nodes` map.
fn nodes(text: &str) -> Document {
    Document::parse(&format!("(nodes: {{ {text} }})")).unwrap()
}

/// The wire that a node's port reads.
fn reads(document: &Document, node: &str, port: &str) -> Option<String> {
    document.node(node)?.inputs.get(port).map(ToString::to_string)
}

fn builds(document: &Document) -> Result<(), String> {
    Graph::build(document, library()).map(drop).map_err(|problems| problems.to_string())
}

/// A fluid's step as a group that repeats, with a domain, a number and an exposed parameter inside.
const GROUP: &str = r#""domain": (domain: (resolution: (8, 8), width: 1)),
    "flow": (state: "Grid<Vec>", inputs: {"next": "step.velocity"}),
    "step": (iterations: 2, params: {"push": 3, "gain": 2}, inputs: {"velocity": "flow.value"}, group: (
        inputs: {"gain": "f32", "velocity": "Grid<Vec>"}, outputs: {"velocity": "calm.field", "spin": "curl.vorticity"},
        params: {"push": ["jet.rate"], "both": ["jet.radius", "calm.rate"]},
        nodes: {
            "jet": (stage: "fluid/force_emitter", inputs: {"velocity": "in.velocity"}, params: {"radius": "h", "center": "[h * gain, 0]"}, on: "domain"),
            "calm": (stage: "fluid/dissipate", inputs: {"field": "jet.velocity"}),
            "curl": (stage: "fluid/vorticity", inputs: {"velocity": "calm"}),
            "h": (number: 0.25),
        })),
    "look": (stage: "view/vector", inputs: {"velocity": "step.velocity"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"#;

#[test]
fn the_fixture_runs() {
    assert_eq!(builds(&nodes(GROUP)), Ok(()));
}
