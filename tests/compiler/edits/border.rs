//! Ports and parameters of a group.

use super::*;
use stagewright_language::document::Link;
use stagewright_language::edit::{Refusal, Side, expose_param, hide_param, remove_port, rename_port};

fn expose(document: &mut Document, inner: &str, name: &str) -> Result<(), Refusal> {
    expose_param(document, &root(), "step", &Link::parse(inner), name, library())
}

#[test]
fn a_parameter_is_exposed_and_hidden_again() {
    let before = nodes(GROUP);
    let mut document = before.clone();
    expose(&mut document, "jet.jet", "speed").unwrap();
    expose(&mut document, "calm.iterations", "times").unwrap();
    expose(&mut document, "h.value", "speed").unwrap();
    document.set("step", "times", stagewright_language::document::ParamValue::Number(3.0)).unwrap();
    assert_eq!(builds(&document), Ok(()));
    let written = document.clone();
    for (inner, name, said) in [
        ("jet.jet", "again", "already exposed as `speed`"),
        ("jet.gone", "x", "no parameter `gone`"),
        ("gone.x", "x", "no node `step/gone`"),
        ("curl.iterations", "velocity", "already uses the name"),
        ("curl.iterations", "a.b", "is not a valid port name"),
        ("h.iterations", "x", "no parameter"),
    ] {
        let refused = expose(&mut document, inner, name).unwrap_err();
        assert!(refused.to_string().contains(said) && document == written, "{refused}");
    }
    hide_param(&mut document, &root(), "step", "speed").unwrap();
    hide_param(&mut document, &root(), "step", "times").unwrap();
    let calm = document.node_mut("step/calm").unwrap();
    assert_eq!(
        calm.iterations.take(),
        Some(stagewright_language::document::ParamValue::Number(3.0)),
        "the value stays in force"
    );
    assert_eq!(document, before);
    document.set("step", "push", stagewright_language::document::ParamValue::Expression("w".into())).unwrap();
    assert!(hide_param(&mut document, &root(), "step", "push").unwrap_err().to_string().contains("uses `w`"));
    assert!(hide_param(&mut document, &root(), "step", "gone").unwrap_err().to_string().contains("no parameter"));
    assert!(hide_param(&mut document, &root(), "look", "x").unwrap_err().to_string().contains("library"));
}

#[test]
fn a_port_is_renamed_on_both_sides() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    rename_port(&mut document, &step, Side::In, "gain", "boost").unwrap();
    rename_port(&mut document, &step, Side::In, "velocity", "flow").unwrap();
    rename_port(&mut document, &step, Side::Out, "velocity", "flow").unwrap();
    let after = GROUP
        .replace("gain", "boost")
        .replace("step.velocity", "step.flow")
        .replace("in.velocity", "in.flow")
        .replace(r#"inputs: {"velocity": "flow.value"}, group"#, r#"inputs: {"flow": "flow.value"}, group"#)
        .replace(r#""velocity": "Grid<Vec>""#, r#""flow": "Grid<Vec>""#)
        .replace(r#"outputs: {"velocity""#, r#"outputs: {"flow""#);
    assert_eq!((document.to_text(), builds(&document)), (nodes(&after).to_text(), Ok(())));
    for (side, old, new, said) in [
        (Side::In, "gone", "x", "no input `gone`"),
        (Side::Out, "gone", "x", "no output `gone`"),
        (Side::In, "boost", "flow", "already uses the name"),
        (Side::In, "boost", "push", "already uses the name"),
        (Side::In, "boost", "h", "expressions inside use `boost`"),
        (Side::In, "boost", "sin", "expressions inside use `boost`"),
        (Side::Out, "spin", "flow", "already uses the name"),
        (Side::Out, "spin", "", "is not a valid port name"),
    ] {
        let refused = rename_port(&mut document, &step, side, old, new).unwrap_err();
        assert!(refused.to_string().contains(said), "{refused}");
    }
    assert_eq!(document, nodes(&after));
    assert!(rename_port(&mut document, &root(), Side::In, "a", "b").unwrap_err().to_string().contains("open a group"));
}

#[test]
fn a_removed_port_leaves_no_wire() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    remove_port(&mut document, &step, Side::Out, "velocity").unwrap();
    assert_eq!((reads(&document, "flow", "next"), reads(&document, "look", "velocity")), (None, None));
    remove_port(&mut document, &step, Side::In, "velocity").unwrap();
    assert_eq!((reads(&document, "step", "velocity"), reads(&document, "step/jet", "velocity")), (None, None));
    assert!(remove_port(&mut document, &step, Side::In, "gain").unwrap_err().to_string().contains("`jet`"));
    assert!(remove_port(&mut document, &step, Side::In, "velocity").unwrap_err().to_string().contains("no input"));
    assert!(remove_port(&mut document, &step, Side::Out, "velocity").unwrap_err().to_string().contains("no output"));
}
