//! Graph files: readable, stable to the byte, and nothing in them is lost.

use stagewright_language::document::{Color, Document, NodeKind, ParamValue, ReadError, Scope, salvage};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

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
fn what_the_canvas_shows_is_kept() {
    let hand_written = r##"(version: 1, nodes: {
        "jet": (stage: "fluid/force_emitter", muted: true, color: "#7A5c2e", at: (10, 20)), "heard": (number: 1, muted: false),
        "dot": (reroute: (), inputs: {"value": "jet.velocity"}, at: (3, 4)),
        "odd": (number: 2, color: "teal"),
        "g": (group: (inputs: {"a": "f32"}, inputs_at: (-200, 0.5), outputs_at: (300, 0),
            frames: [(title: "Inside", at: (0, 0), size: (10, 10))], nodes: {})),
    }, frames: [
        (title: "Upper", text: "two\nlines", at: (1, 2), size: (300, 200.5), color: "#00ff10"),
        (at: (5, 6), size: (7, 8), color: (1, 2, 3), shade: "soft"),
    ])"##;
    let document = Document::parse(hand_written).expect("parses");
    assert_eq!((document.nodes["jet"].color, document.nodes["jet"].muted), (Some(Color([0x7a, 0x5c, 0x2e])), true));
    let once = document.to_text();
    assert_eq!(Document::parse(&once).as_ref(), Ok(&document), "saving loses nothing");
    assert_eq!(document.to_text(), once);
    insta::assert_snapshot!(once);
}

#[test]
fn bookmarks_are_kept_and_what_is_unknown_in_them_is_reported() {
    let text = r#"(nodes: {"a": (number: 1)}, bookmarks: {
        "2": (center: (-3.5, 8), zoom: inf, of_the_future: [1]),
        "1": (name: "Solver", level: "outer/inner", center: (120, 300.5), zoom: 0.8, select: ["a", "b"]),
    })"#;
    let document = Document::parse(text).expect("parses");
    let (first, second) = (&document.bookmarks["1"], &document.bookmarks["2"]);
    assert_eq!((first.level.as_str(), first.center, first.zoom), ("outer/inner", (120.0, 300.5), 0.8));
    assert_eq!((first.select.as_slice(), second.zoom), (["a".to_string(), "b".into()].as_slice(), 1.0));
    let once = document.to_text();
    let lines = r#"    bookmarks: {
        "1": (name: "Solver", level: "outer/inner", center: (120, 300.5), zoom: 0.8, select: ["a", "b"]),
        "2": (of_the_future: [1], center: (-3.5, 8), zoom: 1),
    },
"#;
    assert!(once.contains(lines), "{once}");
    assert_eq!(Document::parse(&once).as_ref(), Ok(&document), "saving loses nothing");
    let warnings = Graph::build(&document, Library::builtin()).map(|graph| graph.warnings.to_string());
    let warnings = warnings.unwrap_or_else(|problems| problems.to_string());
    assert!(warnings.contains("the field `of_the_future` of `bookmarks` is unknown"), "{warnings}");
    assert!(Document::parse(&text.replace("zoom: 0.8", "zoom: \"far\"")).is_err());
    let damaged = salvage(&once.replace("zoom: 0.8", "zoom: \"far\""));
    let kept = damaged.document.expect("the rest");
    assert!(kept.nodes.contains_key("a") && kept.bookmarks.is_empty(), "{kept:?}");
    assert!(damaged.lost.iter().any(|lost| lost.contains("`bookmarks`")), "{:?}", damaged.lost);
}

/// Text that does not read as a colour stays until a person gives one, and is not written beside it.
#[test]
fn a_colour_replaces_text_that_is_none() {
    let text = r##"(nodes: {"a": (number: 1, color: "teal")}, frames: [(size: (1, 1), color: ?)])"##;
    let mut document = Document::parse(&text.replace('?', "[9]")).expect("parses");
    assert_eq!((document.nodes["a"].color, document.frames[0].color), (None, None));
    let kept = document.to_text();
    assert!(kept.contains(r#"color: "teal""#) && kept.contains("color: [9]"), "{kept}");
    document.nodes.get_mut("a").unwrap().color = Some(Color([0, 128, 128]));
    document.frames[0].color = Color::parse("#010203");
    let saved = document.to_text();
    assert!(!saved.contains("teal") && !saved.contains("[9]"), "{saved}");
    let again = Document::parse(&saved).expect("every field is there once");
    assert_eq!((again.nodes["a"].color, again.frames[0].color), (Some(Color([0, 128, 128])), Some(Color([1, 2, 3]))));
    for wrong in ["7a5c2e", "#7a5c2", "#7a5c2e0", "#7a5c2g", "#+12345", "#äöü", ""] {
        assert_eq!(Color::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn scopes_lead_into_groups() {
    let text = r#"(nodes: {"a": (group: (nodes: {"b": (group: (nodes: {"c": (number: 1)})), "n": (number: 2)})), "s": (stage: "x")})"#;
    let mut document = Document::parse(text).expect("parses");
    let inner = Scope::parse("a/b");
    assert_eq!((inner.path("c"), Scope::default().path("a")), ("a/b/c".into(), "a".into()));
    assert_eq!(inner.outside(), Some((Scope::parse("a"), "b")));
    assert_eq!(Scope::parse("a").inside("b"), inner);
    assert!(Scope::parse("").is_root() && Scope::default().outside().is_none());
    let level = document.clone();
    let names = |scope: &str| level.level(&Scope::parse(scope)).map(|l| l.nodes().keys().cloned().collect::<Vec<_>>());
    assert_eq!(names(""), Some(vec!["a".into(), "s".into()]));
    assert_eq!(names("a/b"), Some(vec!["c".into()]));
    assert!(["s", "a/n", "gone", "a//b"].iter().all(|scope| names(scope).is_none()));
    assert_eq!(document.node("a/b/c").map(|node| &node.kind), Some(&NodeKind::Number(ParamValue::Number(1.0))));
    document.level_mut(&inner).expect("is a group").nodes().clear();
    assert_eq!(document.node("a/b/c"), None);
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

#[test]
fn what_a_group_waits_for_is_kept_and_set() {
    let text = r#"(nodes: {
        "g": (group: (params: {"tolerance": ["inner.until"]}, nodes: {
            "inner": (group: (nodes: {}), iterations: 9, until: (number: "left", below: 0.001)),
        }), params: {"tolerance": 0.5}, until: (number: "n", below: "h / 2", every: 3, sharp: true)),
        "h": (number: 1),
    })"#;
    let mut document = Document::parse(text).expect("parses");
    let saved = document.to_text();
    for kept in
        [r#"until: (number: "left", below: 0.001)"#, r#"until: (number: "n", below: "h / 2", every: 3, sharp: true)"#]
    {
        assert!(saved.contains(kept), "`{kept}` is lost in\n{saved}");
    }
    assert_eq!(Document::parse(&saved), Ok(document.clone()));
    document.set("g", "until", ParamValue::Number(2.0)).expect("it waits for a number");
    assert_eq!(document.node("g").and_then(|g| g.until.as_ref()).map(|u| &u.below), Some(&ParamValue::Number(2.0)));
    let refused = document.set("h", "until", ParamValue::Number(2.0)).unwrap_err();
    assert!(refused.to_string().contains("`h` has no stop condition"), "{refused}");
    // What the group's parameter was set to goes to the node inside with it.
    stagewright_language::edit::hide_param(&mut document, &Scope::default(), "g", "tolerance").expect("it is there");
    let inner = document.node("g/inner").and_then(|node| node.until.clone()).expect("is kept");
    assert_eq!((inner.below, inner.number), (ParamValue::Number(0.5), "left".to_string()));
}

#[test]
fn a_group_whose_parameter_is_called_like_the_nodes_own_repeats_warns() {
    let warnings = |name: &str| {
        let text = format!(
            r#"(nodes: {{ "g": (group: (params: {{"{name}": ["inner.iterations"]}}, nodes: {{"inner": (group: (nodes: {{}}))}})) }})"#
        );
        let document = Document::parse(&text).expect("parses");
        let graph = Graph::build(&document, Library::builtin());
        graph.unwrap_or_else(|p| panic!("{p}")).warnings.to_string()
    };
    assert!(warnings("iterations").contains("the node has its own `iterations`"), "{}", warnings("iterations"));
    assert!(!warnings("turns").contains("its own"), "{}", warnings("turns"));
}

/// Names that have to be marked as names, and comments that reach to the end of their line.
#[test]
fn unknown_fields_are_read_as_they_were_written() {
    for name in ["future", "r#type", "r#odd-name", "r#1.5", "\u{e9}t\u{e9}"] {
        for comment in ["", " /* why */", " // why\n", " // why\n // else\r\n\n"] {
            let text = format!(
                r#"({name}: 1{comment}, frames: [({name}: 2{comment})], variants: {{"v": ({name}: [3]{comment})}},
                nodes: {{"d": (domain: ({name}: "//4"{comment})), "g": (group: ({name}: (5), nodes: {{}}), {name}: 6{comment})}})"#
            );
            let document = Document::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
            assert_eq!(document.extra.len(), 1);
            assert_eq!(Document::parse(&document.to_text()).as_ref(), Ok(&document), "{}", document.to_text());
        }
    }
}

/// A list of one number is not the number in brackets, and one of none is not the unit.
#[test]
fn lists_of_any_length_are_read_as_they_were_written() {
    for list in ["[]", "[8]", "[\"n\"]", "(8, 8)", "(1, \"n\", 3, 4)"] {
        let numbers = list.replace("\"n\"", "2");
        let text = format!(
            r#"(version: 1, nodes: {{"d": (domain: (resolution: {list}, width: 1)), "v": (number: {numbers})}},
            expect: [(at: 1, of: "v", equals: {numbers})])"#
        );
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        assert_eq!(Document::parse(&document.to_text()).as_ref(), Ok(&document), "{}", document.to_text());
    }
}
