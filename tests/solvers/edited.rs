//! Nodes that are kept apart while their text is edited compute the same bits.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::{Graph, Kind};
use stagewright_language::library::Library;
use stagewright_test_support::seed::today;

use super::shipped::{assert_same, graphs, planned, played, small_tiles};

/// Frames that are compared.
const FRAMES: usize = 3;

fn stages(document: &Document) -> Vec<String> {
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let stages = graph.nodes.iter().filter(|node| matches!(node.kind, Kind::Stage(_)));
    stages.map(|node| node.path.clone()).collect()
}

fn with_edited(document: &Document, edited: Vec<String>) -> Plan {
    planned(
        document,
        PlanOptions { edited, tuning: small_tiles(document), keep: Keep::Needed, ..PlanOptions::default() },
    )
}

/// Every other node, the others, and all: a node meets neighbours that are apart and such that are not.
#[test]
fn keeping_edited_nodes_apart_changes_no_bit() {
    for (name, document) in graphs(48.0) {
        let plain = planned(&document, PlanOptions { tuning: Tuning::default(), ..PlanOptions::default() });
        let (plain, joined) = (played(plain, FRAMES), played(with_edited(&document, Vec::new()), FRAMES));
        assert_same(&name, &joined, &plain);
        let all = stages(&document);
        for part in today(0..3, 3) {
            let edited: Vec<String> = all
                .iter()
                .enumerate()
                .filter(|(at, _)| part == 2 || at % 2 == part)
                .map(|(_, path)| path.clone())
                .collect();
            println!("{name}: {} of {} nodes apart", edited.len(), all.len());
            let plan = with_edited(&document, edited);
            assert_eq!(plan.apart, None, "{name}");
            assert_same(&name, &played(plan, FRAMES), &plain);
        }
    }
}

/// A node at a time, of the graph with the deepest fields.
#[test]
fn keeping_any_node_apart_changes_no_bit() {
    let (name, document) = graphs(32.0).into_iter().find(|(name, _)| name == "curl_noise_2d.ron").unwrap();
    let joined = played(with_edited(&document, Vec::new()), 2);
    for path in stages(&document) {
        let apart = played(with_edited(&document, vec![path.clone()]), 2);
        assert_same(&format!("{name}, {path}"), &apart, &joined);
    }
}
