//! Expectations of a graph: read, written, kept from damaged files, and checked against the graph.

use std::collections::BTreeSet;

use stagewright_language::document::{Document, ReadError, Scope, salvage};
use stagewright_language::edit;
use stagewright_language::graph::Graph;
use stagewright_language::graph::expect::{ExpectSubject, Statistic};
use stagewright_language::library::Library;

/// A graph with every kind of wire, and these expectations.
fn document(expectations: &str) -> Document {
    let text = format!(
        r#"(version: 1, expect: [{expectations}], nodes: {{
        "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "flow": (state: "Grid<Vec>", on: "box", inputs: {{"next": "solve.velocity"}}),
        "solve": (group: (inputs: {{"velocity": "Grid<Vec>"}}, outputs: {{"velocity": "fade.field"}}, nodes: {{
            "fade": (stage: "fluid/dissipate", inputs: {{"field": "in.velocity"}}, params: {{"rate": "rate"}}),
            "rate": (number: 0.5),
        }}), inputs: {{"velocity": "flow.value"}}),
        "drops": (state: "Particles{{position: Vec, velocity: Vec}}", capacity: 9, on: "box", inputs: {{"init": "fill.particles", "next": "fall.particles"}}),
        "fill": (stage: "particles/fill_box", on: "box", params: {{"spacing": 0.5}}),
        "fall": (stage: "particles/integrate", inputs: {{"particles": "drops"}}),
        "off": (stage: "fluid/vorticity", inputs: {{"velocity": "flow.value"}}, muted: true),
        "shape": (stage: "shape/sphere", on: "box"),
        "speed": (number: "time"),
        "look": (stage: "view/vector", inputs: {{"velocity": "solve.velocity"}}),
        "screen": (output: (size: (8, 8)), inputs: {{"image": "look.image"}}),
    }})"#
    );
    Document::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

fn graph(document: &Document) -> Graph {
    Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_field_is_saved_and_what_is_not_known_is_kept() {
    let hand_written = r#"(version: 1, nodes: {}, expect: [
        (of: "a.b", at: 60, below: 1e-3),
        (of: "group/a.b", at: [1, 60], statistic: "mean", component: 2, equals: (1, 2.5), tolerance: 0.1, relative: 1e-6),
        (of: "screen", hash: "00112233445566778899aabbccddeeff", at: 3, adapter: "llvmpipe", color: "teal", comment: "a \"b\""),
        (every: 10, to: 60, of: "c", statistic: "sum", unchanged_since: 1),
        (at: 1, of: "c", within: (-1, inf), above: 2),
    ])"#;
    let document = Document::parse(hand_written).expect("parses");
    let once = document.to_text();
    assert_eq!(Document::parse(&once).as_ref(), Ok(&document), "saving loses nothing");
    let lines: Vec<&str> = once.lines().filter(|line| line.contains("of: ")).map(str::trim).collect();
    assert_eq!(
        lines,
        [
            r#"(at: 60, of: "a.b", below: 0.001),"#,
            r#"(at: [1, 60], of: "group/a.b", statistic: "mean", component: 2, equals: (1, 2.5), tolerance: 0.1, relative: 1e-6),"#,
            r#"(color: "teal", at: 3, of: "screen", hash: "00112233445566778899aabbccddeeff", adapter: "llvmpipe", comment: "a \"b\""),"#,
            r#"(every: 10, to: 60, of: "c", statistic: "sum", unchanged_since: 1),"#,
            r#"(at: 1, of: "c", within: (-1, inf), above: 2),"#,
        ]
    );
}

#[test]
fn a_value_of_another_type_is_reported_with_its_place() {
    let error = |line: &str| match Document::parse(&format!("(version: 1,\nexpect: [\n{line}\n], nodes: {{}})")) {
        Err(ReadError::Syntax { line, column, message }) => format!("{line}:{column} {message}"),
        other => panic!("{other:?}"),
    };
    let places = [error("(at: -1, of: \"a\"),"), error("(at: 1, of: 5),"), error("(at: 1, at: 2, of: \"a\"),")];
    assert!(places.iter().all(|text| text.starts_with("3:")), "{places:?}");
    assert!(places[0].contains("a frame such as 60, or a list of frames such as [1, 60]"), "{places:?}");
    assert!(places[2].contains("`at` is given twice"), "{places:?}");
}

#[test]
fn damage_of_one_expectation_loses_that_one() {
    let lines = ["(at: 1, of: \"a\", below: 1),", "(at: 2, of: \"b\", below: 2),", "(at: 3, of: \"c\", below: 3),"];
    let text = |second: &str| {
        let list = [lines[0], second, lines[2]].map(|line| format!("        {line}\n")).concat();
        format!(
            "(\n    version: 1,\n    expect: [\n{list}    ],\n    nodes: {{\n        \"n\": (number: 1),\n    }},\n)\n"
        )
    };
    assert_eq!(salvage(&text(lines[1])).document.unwrap().expect.len(), 3);
    for damage in ["(at: -2, of: \"b\", below: 2),", "(at: 2, of: \"b\", below: 2", "(at: 2, of: b, \"below: 2),"] {
        let salvaged = salvage(&text(damage));
        let kept = salvaged.document.expect("the rest");
        let of: Vec<&str> = kept.expect.iter().map(|expect| expect.of.as_str()).collect();
        assert!(of.first() == Some(&"a") && of.len() < 3 && kept.nodes.len() == 1, "{damage}: {of:?} {kept:?}");
        assert!(salvaged.lost.iter().any(|line| line.starts_with("line 5: ")), "{damage}: {:?}", salvaged.lost);
    }
    // Where its brackets match, those behind it are kept too.
    assert_eq!(salvage(&text("(at: -2, of: \"b\"),")).document.unwrap().expect.len(), 2);
}

#[test]
fn wires_are_found_by_their_names() {
    let document = document(
        r#"(at: 1, of: "flow", statistic: "max", below: 1), (at: 1, of: "solve/fade.field", statistic: "rms", below: 1),
        (at: 1, of: "solve", statistic: "max", below: 1), (at: 1, of: "drops.position", statistic: "min", component: 1, above: 0),
        (at: 1, of: "fall.particles.velocity", statistic: "max", below: 1), (at: 1, of: "drops.count", equals: 4),
        (at: 1, of: "speed", equals: 1), (at: 1, of: "screen", statistic: "mean", equals: (1, 1, 1))"#,
    );
    let graph = graph(&document);
    assert_eq!(graph.warnings.0, []);
    let found: Vec<ExpectSubject> = graph.expectations.into_iter().map(|e| e.unwrap().subject).collect();
    let attribute = |set: &str, attribute: &str| ExpectSubject::Attribute(set.into(), attribute.into());
    assert_eq!(
        found,
        [
            ExpectSubject::Wire("flow.value".into()),
            ExpectSubject::Wire("solve/fade.field".into()),
            ExpectSubject::Wire("solve.velocity".into()),
            attribute("drops.value", "position"),
            attribute("fall.particles", "velocity"),
            attribute("drops.value", "count"),
            ExpectSubject::Number("speed.value".into()),
            ExpectSubject::Image("screen".into()),
        ]
    );
}

/// What is wrong with an expectation keeps no graph from running.
#[test]
fn expectations_that_make_no_sense_are_warnings_with_a_remedy() {
    let wrong = [
        r#"(at: 1, below: 1)"#,
        r#"(at: 1, of: "gone.wire", statistic: "max", below: 1)"#,
        r#"(at: 1, of: "off.vorticity", statistic: "max", below: 1)"#,
        r#"(at: 1, of: "box", below: 1)"#,
        r#"(at: 1, of: "flow.speed", statistic: "max", below: 1)"#,
        r#"(at: 1, of: "flow", below: 1)"#,
        r#"(at: 1, of: "flow", statistic: "median", below: 1)"#,
        r#"(at: 1, of: "flow", statistic: "max")"#,
        r#"(at: 1, of: "flow", statistic: "max", below: 1, above: 0)"#,
        r#"(at: 1, of: "flow", statistic: "max", below: 1, tolerance: 1)"#,
        r#"(at: 1, of: "flow", statistic: "max", equals: 1, relative: -1)"#,
        r#"(at: 1, of: "flow", statistic: "max", equals: NaN)"#,
        r#"(at: 1, of: "flow", statistic: "max", equals: (1, 2))"#,
        r#"(at: 1, of: "flow", statistic: "max", within: (2, 1))"#,
        r#"(at: 1, of: "flow", statistic: "max", component: 2, below: 1)"#,
        r#"(at: 0, of: "flow", statistic: "max", below: 1)"#,
        r#"(of: "flow", statistic: "max", below: 1)"#,
        r#"(every: 10, of: "flow", statistic: "max", below: 1)"#,
        r#"(every: 10, to: 5, of: "flow", statistic: "max", below: 1)"#,
        r#"(at: 99999999, of: "flow", statistic: "max", below: 1)"#,
        r#"(at: 5, of: "flow", statistic: "max", unchanged_since: 5)"#,
        r#"(at: 1, of: "drops", statistic: "max", below: 1)"#,
        r#"(at: 1, of: "drops.weight", statistic: "max", below: 1)"#,
        r#"(at: 1, of: "shape", statistic: "max", below: 1)"#,
        r#"(at: 1, of: "screen", statistic: "nan", equals: 0)"#,
        r#"(at: 1, of: "screen", hash: "123")"#,
        r#"(at: 1, of: "speed", hash: "00112233445566778899aabbccddeeff")"#,
    ];
    let graph = graph(&document(&wrong.join(", ")));
    assert_eq!(graph.warnings.0.len(), wrong.len());
    assert!(!graph.warnings.has_errors(), "the graph runs");
    assert!(graph.expectations.iter().all(Result::is_err));
    assert!(graph.warnings.0.iter().all(|problem| !problem.remedy.is_empty()));
    insta::assert_snapshot!(graph.warnings.to_string());
}

#[test]
fn frames_are_those_that_are_named() {
    let document = document(r#"(at: [7, 20], every: 10, to: 35, of: "flow", statistic: "max", below: 1)"#);
    let expectation = graph(&document).expectations.remove(0).unwrap();
    let frames: Vec<u64> = (0..50).filter(|frame| expectation.frames.contains(*frame)).collect();
    assert_eq!(frames, [7, 10, 20, 30]);
    assert_eq!((expectation.frames.first(), expectation.frames.last(), expectation.frames.count()), (7, 30, 4));
    assert_eq!((expectation.statistic, expectation.claim().as_str()), (Statistic::Max, "flow.value max below 1"));
}

/// What the expectations are about after an edit.
fn about(document: &Document) -> Vec<&str> {
    document.expect.iter().map(|expect| expect.of.as_str()).collect()
}

#[test]
fn expectations_follow_what_they_are_about() {
    let (root, library) = (Scope::default(), Library::builtin());
    let mut document = document(
        r#"(at: 1, of: "flow", statistic: "max", below: 1), (at: 1, of: "solve/fade.field", statistic: "max", below: 1),
        (at: 1, of: "solve.velocity", statistic: "max", below: 1), (at: 1, of: "drops.position", statistic: "max", below: 1)"#,
    );
    let before = document.clone();
    edit::rename(&mut document, &root, "solve", "step").unwrap();
    edit::rename(&mut document, &root, "flow", "wind").unwrap();
    edit::rename(&mut document, &root, "drops", "rain").unwrap();
    edit::rename(&mut document, &Scope::parse("step"), "fade", "slow").unwrap();
    edit::rename_port(&mut document, &Scope::parse("step"), edit::Side::Out, "velocity", "out_flow").unwrap();
    assert_eq!(about(&document), ["wind", "step/slow.field", "step.out_flow", "rain.position"]);
    assert_eq!(graph(&document).warnings.0, []);
    let group = edit::make_group(&mut document, &root, &BTreeSet::from(["step".into()]), "outer", library).unwrap();
    assert_eq!(about(&document), ["wind", "outer/step/slow.field", "outer/step.out_flow", "rain.position"]);
    assert_eq!(graph(&document).warnings.0, []);
    edit::ungroup(&mut document, &root, &group, library).unwrap();
    assert_eq!(about(&document), ["wind", "step/slow.field", "step.out_flow", "rain.position"]);
    edit::ungroup(&mut document, &root, "step", library).unwrap();
    assert_eq!(about(&document), ["wind", "slow.field", "slow.field", "rain.position"], "an output is what it showed");
    assert_eq!(graph(&document).warnings.0, []);
    // One of a removed node stays, and says so.
    let mut document = before;
    edit::remove(&mut document, &root, &BTreeSet::from(["solve".into()]), library);
    assert_eq!(about(&document), ["flow", "solve/fade.field", "solve.velocity", "drops.position"]);
    let warnings = graph(&document).warnings.to_string();
    assert!(warnings.contains("expectation 2: there is no node `solve/fade`"), "{warnings}");
}
