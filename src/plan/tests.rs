//! What generated text must keep to, tried on all shipped graphs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::graph::Graph;
use crate::library::Library;
use crate::plan::check::{cost, module};
use crate::plan::data::{Kernel, Plan};
use crate::plan::options::PlanOptions;
use crate::plan::tuning::Tuning;
use crate::stage::lex::{TokenKind, tokens};
use crate::stage::names;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|found| found == ending) {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// Kernels of all shipped graphs, as they run on a software adapter and on a GPU.
fn shipped() -> Vec<(String, Kernel)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs");
    let graphs = files("graphs", "ron").into_iter().filter(|path| path.parent() == Some(&folder));
    let mut kernels = Vec::new();
    for path in graphs {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let document = Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        for tuning in [Tuning::default(), Tuning::gpu()] {
            let plan = Plan::compile(&graph, &PlanOptions { folder: folder.clone(), tuning, ..PlanOptions::default() });
            kernels.extend(plan.unwrap().kernels.into_iter().map(|kernel| (name.clone(), kernel)));
        }
    }
    kernels
}

/// The limits are for what no sensible stage comes near.
#[test]
fn shipped_kernels_cost_a_fraction_of_the_limits() {
    let (mut instructions, mut bytes) = ((0, String::new()), (0, String::new()));
    for (graph, kernel) in shipped() {
        let cost = cost::measure(&module::read(&kernel.wgsl).unwrap()).unwrap();
        let name = format!("{graph}: {} at {}", kernel.name, kernel.node);
        instructions = instructions.max((cost.instructions, name.clone()));
        bytes = bytes.max((cost.bytes, name));
    }
    println!("most instructions: {instructions:?}; most private bytes: {bytes:?}");
    assert!(instructions.0 * 4 <= cost::MAX_INSTRUCTIONS, "{instructions:?}");
    assert!(bytes.0 * 4 <= cost::MAX_PRIVATE_BYTES, "{bytes:?}");
}

/// An accessor hides the function of WGSL that has its port's name, so no port may be named like one that generated text calls.
#[test]
fn no_port_hides_a_function_that_generated_text_calls() {
    let mut called = BTreeSet::new();
    for path in files("src/plan", "rs")
        .iter()
        .filter(|path| !["tests.rs", "validate.rs"].iter().any(|other| path.ends_with(other)))
    {
        let source = std::fs::read_to_string(path).unwrap();
        // Tests name what they please.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        // Text stands in strings; Rust's own functions are methods or have paths.
        let text = source.replace('"', " ").replace("{{", " ").replace("}}", " ");
        let tokens = tokens(&text);
        for window in tokens.windows(3) {
            let [before, word, after] = window else { continue };
            let call = word.kind == TokenKind::Word && after.text == "(";
            if call && !matches!(before.text, "." | ":" | "fn") && names::is_predeclared(word.text) {
                called.insert(word.text.to_string());
            }
        }
    }
    println!("{called:?}");
    assert!(called.contains("clamp") && called.contains("dot"), "the scan finds what there is");
    let free: Vec<&String> = called.iter().filter(|name| !names::is_taken(name)).collect();
    assert!(free.is_empty(), "ports could hide {free:?}; name them in `stage::names`");
}
