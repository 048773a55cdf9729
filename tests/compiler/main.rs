//! The compiler without a GPU: documents, checks, plans, stage text, and what hostile input does.

mod blocks;
mod bypass;
mod check;
mod circles;
mod comments;
mod curves;
mod document;
mod documents;
mod edited;
mod edits;
mod expect;
mod groups;
mod hostile;
mod invariant;
mod keyframes;
mod language;
mod layers;
mod letters;
mod limits;
mod loops;
mod moving;
mod naming;
mod numbers;
mod particles;
mod plans;
mod precision;
mod salvage;
mod shared;
mod stored;
mod templates;
mod unneeded;
mod variants;

use stagewright_base::problem::Problems;
use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_test_support::seed;

/// Compiles the nodes of a graph, given as the inside of its `nodes` map.
fn compile(nodes: &str) -> Result<Plan, Problems> {
    Plan::compile(&built(nodes)?, &PlanOptions::default())
}

/// The checked graph of these nodes.
fn built(nodes: &str) -> Result<Graph, Problems> {
    let document = Document::parse(&format!("(version: 1, name: \"test\", nodes: {{ {nodes} }})")).expect("valid RON");
    Graph::build(&document, Library::builtin())
}

/// What is wrong with a graph, one problem a line.
fn problems(nodes: &str) -> String {
    match compile(nodes) {
        Ok(_) => "no problems".into(),
        Err(problems) => problems.to_string(),
    }
}

/// Shipped graphs by name, with their text.
fn shipped() -> Vec<(String, String)> {
    let graphs = graphs_in("graphs");
    assert!(graphs.len() >= 2, "the two grid-fluid graphs ship");
    graphs
}

/// The graphs of a folder by name, with their text.
fn graphs_in(folder: &str) -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut graphs: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("a folder of graphs")
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "ron"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    graphs.sort();
    graphs
}
