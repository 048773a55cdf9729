//! Templates and the gallery: what a user starts from works, and has a thumbnail.

use std::path::Path;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{graphs_in, shipped};

/// Set to rewrite the templates as they would be saved.
const BLESS: &str = "STAGEWRIGHT_BLESS";
/// Width and least height of a node on the canvas \[points\].
const APART: (f32, f32) = (200.0, 62.0);

#[test]
fn templates_are_small_placed_and_free_of_problems() {
    let templates = graphs_in("graphs/templates");
    assert!(templates.len() >= 4);
    for (name, text) in templates {
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let saved = document.to_text();
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(format!("{}/graphs/templates/{name}.ron", env!("CARGO_MANIFEST_DIR")), &saved).unwrap();
        }
        let blessed = std::env::var_os(BLESS).is_some();
        assert!(
            blessed || text == saved,
            "{name} is not as it would be saved; run the tests with {BLESS}=1 to rewrite it"
        );
        assert!(document.nodes.len() <= 21, "{name} has {} nodes", document.nodes.len());
        assert!(!document.name.is_empty() && !document.about.is_empty(), "{name} says what it is");
        let places: Vec<(f32, f32)> = document.nodes.values().map(|node| node.at).collect();
        for (i, a) in places.iter().enumerate() {
            let lies_on = |b: &(f32, f32)| (a.0 - b.0).abs() < APART.0 && (a.1 - b.1).abs() < APART.1;
            assert!(!places[i + 1..].iter().any(lies_on), "{name}: a node at {a:?} lies on another");
        }
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(graph.warnings.is_empty(), "{name}: {}", graph.warnings);
        Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn every_graph_of_the_gallery_has_a_thumbnail() {
    let graphs = shipped().into_iter().chain(graphs_in("graphs/templates"));
    for (name, _) in graphs {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("graphs/thumbnails/{name}.png"));
        let file =
            std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}; run scripts/thumbnails {name}", path.display()));
        let info = png::Decoder::new(std::io::Cursor::new(&file)).read_info().expect("a PNG").info().clone();
        assert_eq!((info.width, info.height), (320, 200), "{name}");
        assert!(file.len() <= 40_000, "{name} has {} bytes", file.len());
    }
}
