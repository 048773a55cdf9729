//! Graph files: readable, stable to the byte, and nothing in them is lost.

use stagewright::document::{Document, NodeKind, ParamValue, ReadError};

use super::shipped;

/// Set to rewrite the shipped graphs as they would be saved.
const BLESS: &str = "STAGEWRIGHT_BLESS";

#[test]
fn shipped_graphs_are_saved_byte_for_byte() {
    for (name, text) in shipped() {
        let saved = Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}")).to_text();
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(format!("{}/graphs/{name}.ron", env!("CARGO_MANIFEST_DIR")), &saved).unwrap();
        }
        let place = text.lines().zip(saved.lines()).position(|(a, b)| a != b);
        assert!(text == saved, "{name} differs from line {place:?} on; run the tests with {BLESS}=1 to rewrite it");
    }
}

#[test]
fn saving_again_gives_the_same_bytes() {
    let hand_written = r##"(version: 1, name: "a \"quoted\" name", fps: 30, seed: 7, nodes: {
        "z": (number: 1e-7), "b": (number: (1, 2.5, -3)), "c": (number: "sin(time) * \"no\""),
        "code": (custom: "//! Title\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; } // \"#quoted", at: (10, -20.5)),
        "outer": (iterations: 3, group: (about: "x", inputs: {"a": "Grid<f32>"}, outputs: {"a": "inner.x"}, params: {"p": ["inner.q", "inner.r"]},
            nodes: {"inner": (stage: "no/such", on: "d", comment: "line\nbreak")})),
    })"##;
    let once = Document::parse(hand_written).expect("parses").to_text();
    let twice = Document::parse(&once).expect("parses again").to_text();
    assert_eq!(once, twice);
    assert_eq!(Document::parse(hand_written), Document::parse(&once), "saving loses nothing");
    insta::assert_snapshot!(once);
}

#[test]
fn unknown_nodes_and_fields_survive() {
    let text = r#"(version: 1, name: "n", future: (a: [1, 2], b: Some("x")), nodes: {
        "new": (teleport: (to: "mars", speed: 3), at: (1, 2)),
        "old": (stage: "fluid/divergence", colour: "red", inputs: {}),
        "d": (domain: (resolution: (4, 4), width: 1, edge: "wall", tilt: 0.5)),
    })"#;
    let saved = Document::parse(text).expect("loads").to_text();
    for kept in
        [r#"future: (a: [1, 2], b: Some("x"))"#, r#"teleport: (to: "mars", speed: 3)"#, r#"colour: "red""#, "tilt: 0.5"]
    {
        assert!(saved.contains(kept), "`{kept}` is lost in\n{saved}");
    }
    assert_eq!(Document::parse(&saved), Document::parse(text));
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let refused = |text: &str| match Document::parse(text) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{text} was read"),
    };
    let twice = r#"(version: 1, nodes: {"a": (number: 1), "a": (number: 2)})"#;
    let two_kinds = r#"(version: 1, nodes: {"a": (number: 1, state: "Grid<f32>")})"#;
    let two_fields = r#"(version: 1, name: "a", name: "b", nodes: {})"#;
    let texts = [twice, two_kinds, two_fields, "(version: 1, nodes: {", "", "[1, 2]", "(version: 99, nodes: {})"];
    let all: Vec<String> = texts.iter().map(|t| refused(t)).collect();
    insta::assert_snapshot!(all.join("\n"));
    let deep = format!("(version: 1, x: {}1{}, nodes: {{}})", "(".repeat(100_000), ")".repeat(100_000));
    assert!(
        matches!(Document::parse(&deep), Err(ReadError::Syntax { .. })),
        "nesting without end is an error, not a crash"
    );
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    assert!(Document::parse("\u{feff}(version: 1, nodes: {})").is_ok());
}

#[test]
fn values_keep_their_kind() {
    let text = r#"(version: 1, nodes: {"n": (stage: "s", params: {"a": 1, "b": true, "c": (1, 2), "d": "time", "e": -0.0, "f": 1e300, "g": [5]})})"#;
    let document = Document::parse(text).expect("parses");
    let node = document.node("n").expect("is there");
    assert_eq!(node.kind, NodeKind::Stage("s".into()));
    assert_eq!(node.params["b"], ParamValue::Bool(true));
    assert_eq!(node.params["d"], ParamValue::Expression("time".into()));
    assert_eq!(node.params["g"], ParamValue::Vector(vec![5.0]));
    assert_eq!(Document::parse(&document.to_text()).expect("again").node("n"), Some(node));
}

#[test]
fn typed_values_are_read_from_text() {
    assert_eq!(ParamValue::from_text("0.5"), ParamValue::Number(0.5));
    assert_eq!(ParamValue::from_text("512x256"), ParamValue::Vector(vec![512.0, 256.0]));
    assert_eq!(ParamValue::from_text("(1, 2)"), ParamValue::Vector(vec![1.0, 2.0]));
    assert_eq!(ParamValue::from_text("sin(time)"), ParamValue::Expression("sin(time)".into()));
    assert_eq!(ParamValue::from_text("true"), ParamValue::Bool(true));
}
