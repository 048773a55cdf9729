//! Copy, paste, duplicate.

use super::*;
use stagewright_language::document::Frame;
use stagewright_language::edit::PasteInputs::{Drop, Keep};
use stagewright_language::edit::{add_frame, copy, duplicate, paste};
use stagewright_test_support::fixture::fluid;

#[test]
fn a_copy_is_a_graph_file_at_the_origin() {
    let mut document = nodes(
        r#""a": (number: 1, at: (30, 70)), "b": (stage: "fluid/dissipate", inputs: {"field": "c.value", "rate": "a"}, at: (130, 50)), "c": (state: "Grid<f32>", at: (500, 0))"#,
    );
    let frame = |title: &str, at, size| Frame { title: title.into(), at, size, ..Frame::default() };
    for (title, at, size) in [
        ("around", (20.0, 40.0), (200.0, 100.0)),
        ("more", (20.0, 0.0), (600.0, 200.0)),
        ("empty", (0.0, 900.0), (5.0, 5.0)),
    ] {
        add_frame(&mut document, &root(), frame(title, at, size)).unwrap();
    }
    let text = copy(&document, &root(), &names(&["a", "b"]), &BTreeSet::new());
    let wanted = r#"(frames: [(title: "around", at: (0, 0), size: (200, 100))], nodes: {"a": (number: 1, at: (10, 30)),
        "b": (stage: "fluid/dissipate", inputs: {"field": "c.value", "rate": "a"}, at: (110, 10))})"#;
    assert_eq!(Document::parse(&text), Document::parse(wanted), "wires from outside stay in the text");
    let text = copy(&document, &root(), &BTreeSet::new(), &BTreeSet::from([2]));
    assert_eq!(Document::parse(&text).unwrap().frames, [frame("empty", (0.0, 0.0), (5.0, 5.0))]);
}

#[test]
fn pasted_nodes_get_free_names_and_keep_what_they_mean_to_each_other() {
    let text = r#"(frames: [(title: "F", at: (10, 0), size: (50, 50))], nodes: {"h": (number: 0.5, at: (20, 10)), "k": (number: "h + h_2"), "h_2": (number: 3), "box": (domain: (resolution: (4, 4), width: "h")),
        "s": (state: "Grid<f32>", on: "box", inputs: {"next": "f.field"}), "f": (stage: "fluid/dissipate", inputs: {"field": "s", "rate": "other.value"}),
        "g": (group: (nodes: {"i": (state: "f32", on: "box"), "j": (state: "f32", on: "nowhere"), "own": (domain: ()), "k": (state: "f32", on: "own")}), inputs: {"x": "in.x"})})"#;
    let mut document = nodes(r#""h": (number: 9), "box": (state: "f32"), "other": (number: 2), "s": (number: 1)"#);
    let pasted = paste(&mut document, &root(), text, (100.0, 200.0), Keep, library()).unwrap();
    assert_eq!(pasted, names(&["h_3", "k", "h_2", "box_2", "s_2", "f", "g"]));
    let wanted = r#"(frames: [(title: "F", at: (110, 200), size: (50, 50))], nodes: {"h": (number: 9), "box": (state: "f32"), "other": (number: 2), "s": (number: 1),
        "h_3": (number: 0.5, at: (120, 210)), "k": (number: "h_3 + h_2", at: (100, 200)), "h_2": (number: 3, at: (100, 200)), "box_2": (domain: (resolution: (4, 4), width: "h_3"), at: (100, 200)),
        "s_2": (state: "Grid<f32>", on: "box_2", inputs: {"next": "f.field"}, at: (100, 200)), "f": (stage: "fluid/dissipate", inputs: {"field": "s_2", "rate": "other.value"}, at: (100, 200)),
        "g": (group: (nodes: {"i": (state: "f32", on: "box_2"), "j": (state: "f32"), "own": (domain: ()), "k": (state: "f32", on: "own")}), at: (100, 200))})"#;
    assert_eq!(document.to_text(), Document::parse(wanted).unwrap().to_text());
    let mut document = nodes(r#""other": (number: 2)"#);
    paste(&mut document, &root(), text, (0.0, 0.0), Drop, library()).unwrap();
    assert_eq!(reads(&document, "f", "rate"), None);
}

#[test]
fn wires_are_kept_where_the_level_has_what_they_read() {
    let text = r#"(nodes: {"x": (stage: "fluid/add", inputs: {"field": "in.velocity", "source": "jet.velocity"}), "y": (stage: "fluid/add", inputs: {"field": "in.gone", "source": "jet.gone"}, on: "domain"), "z": (stage: "fluid/add", inputs: {"field": "jet", "source": "nobody"}, on: "gone")})"#;
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    paste(&mut document, &step, text, (0.0, 0.0), Keep, library()).unwrap();
    let inputs = |name: &str| document.node(name).unwrap().inputs.values().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (inputs("step/x"), inputs("step/y"), inputs("step/z")),
        (vec!["in.velocity".into(), "jet.velocity".into()], vec![], vec!["jet".into()])
    );
    assert_eq!(document.node("step/y").unwrap().on.as_deref(), Some("domain"), "domains around are known");
    assert_eq!(document.node("step/z").unwrap().on, None);
}

#[test]
fn what_can_not_be_pasted_is_said_and_changes_nothing() {
    let mut document = fluid();
    for text in [
        "",
        "hello",
        "(version: 99, nodes: {})",
        "(nodes: {})",
        r#"(nodes: {"a": (number: 1), "a": (number: 2)})"#,
        "((((((",
        "\u{0}",
    ] {
        let said = paste(&mut document, &root(), text, (0.0, 0.0), Keep, library()).unwrap_err();
        assert!(said.to_string().contains("copy nodes first"), "{said}");
        assert_eq!(document, fluid());
    }
    assert!(
        paste(&mut document, &Scope::parse("jet"), "(nodes: {\"a\": (number: 1)})", (0.0, 0.0), Keep, library())
            .is_err()
    );
    let odd = r#"(nodes: {"in": (number: 1, at: (inf, NaN)), "a.b": (number: 1), "a_b": (number: 2)})"#;
    let pasted = paste(&mut document, &root(), odd, (0.0, 0.0), Keep, library()).unwrap();
    assert_eq!(pasted, names(&["node_in", "a_b_2", "a_b"]), "names that no node may have are made legal");
}

#[test]
fn a_duplicate_reads_what_the_original_reads() {
    let mut document = fluid();
    let pair = names(&["smoke", "diffuse_density"]);
    let new = duplicate(&mut document, &root(), &pair, (10.0, 20.0), Keep, library()).unwrap();
    assert_eq!(new, names(&["smoke_2", "diffuse_density_2"]));
    assert_eq!(reads(&document, "smoke_2", "field").as_deref(), Some("density.value"));
    assert_eq!(reads(&document, "diffuse_density_2", "field").as_deref(), Some("smoke_2.field"));
    assert_eq!(document.nodes["smoke_2"].at, (10.0, 20.0));
    assert_eq!(builds(&document), Ok(()));
    assert!(duplicate(&mut document, &root(), &names(&["gone"]), (0.0, 0.0), Keep, library()).is_err());
}

/// A complete shipped graph can be pasted and runs.
#[test]
fn every_graph_file_can_be_pasted() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "ron")).collect();
    assert!(files.len() > 5);
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut document = Document::default();
        paste(&mut document, &root(), &text, (7.0, 8.0), Drop, library()).unwrap();
        let names = document.nodes.keys().cloned().collect();
        let again = copy(&document, &root(), &names, &BTreeSet::new());
        let mut twice = Document::default();
        paste(&mut twice, &root(), &again, (7.0, 8.0), Drop, library()).unwrap();
        assert_eq!((twice.nodes.len(), builds(&twice)), (document.nodes.len(), Ok(())), "{}", path.display());
    }
}
