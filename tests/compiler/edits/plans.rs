//! Edits that must not change what is computed.

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, NodeKind, Scope};
use stagewright_language::edit::{make_local_copy, replace_stage};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

fn plan(document: &Document) -> Plan {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
    Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|p| panic!("{p}"))
}

/// What is one's own does what the library's did: the same dispatches with the same buffers, groups and parameters.
#[test]
fn what_is_made_ones_own_computes_the_same() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/graphs/unity_fluid.ron")).unwrap();
    let mut document = Document::parse(&text).unwrap();
    let (root, library) = (Scope::default(), Library::builtin());
    let advect = document.nodes.iter().find(|(_, node)| node.kind == NodeKind::Stage("fluid/advect".into()));
    let (advect, _) = advect.map(|(name, node)| (name.clone(), node.clone())).expect("it advects");
    replace_stage(&mut document, &root, &advect, "fluid/advect_maccormack", library).unwrap();
    let before = plan(&document);
    make_local_copy(&mut document, &root, &advect, library).unwrap();
    make_local_copy(&mut document, &root.inside(&advect), "forward", library).unwrap();
    assert!(matches!(document.node(&format!("{advect}/forward")).map(|n| &n.kind), Some(NodeKind::Custom(_))));
    let after = plan(&document);
    let with_library_name = |text: String| text.replace(&format!("[{advect}/forward]"), "[fluid/advect]");
    assert_eq!(with_library_name(after.to_text()), before.to_text());
    assert_eq!(after.settings, before.settings);
}
