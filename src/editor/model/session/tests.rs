use std::collections::BTreeSet;

use super::*;
use crate::document::{Link, ParamValue};
use crate::edit::{self, InputEnd};
use crate::gpu::GpuOptions;
use crate::sim::FrameInput;
use stagewright_test_support::fixture::fluid;

/// A session with its graph running.
fn running() -> Session {
    let mut session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
    session.open(fluid(), None);
    wait_until_compiled(&mut session);
    session
}

fn wait_until_compiled(session: &mut Session) {
    while session.compiling() {
        std::thread::sleep(std::time::Duration::from_millis(2));
        session.poll();
    }
}

fn value(session: &Session, path: &str) -> ParamValue {
    let plan = session.running_simulation().unwrap().plan();
    plan.settings.iter().find(|slot| slot.paths.iter().any(|p| p == path)).unwrap().value.clone()
}

#[test]
fn the_last_good_plan_runs_on_while_the_graph_is_broken() {
    let mut session = running();
    session.simulation().unwrap().step(&FrameInput::default()).unwrap();
    let end = InputEnd { node: "project".into(), port: "velocity".into() };
    session.edit("wire", |document| {
        edit::connect(document, &crate::document::Scope::default(), crate::document::Link::parse("gone"), &end)
    });
    wait_until_compiled(&mut session);
    assert_eq!(session.problems().next().map(|p| p.node.as_str()), Some("project"));
    session.simulation().unwrap().step(&FrameInput::default()).unwrap();
    session.undo();
    wait_until_compiled(&mut session);
    assert_eq!(session.problems().count(), 0);
    assert_eq!(session.running_simulation().unwrap().frame(), 2, "the States carried on");
    assert!(!session.modified());
}

#[test]
fn errors_of_a_node_that_no_image_needs_stop_nothing_else() {
    let mut session = running();
    // One fails in the graph, the other in its shader, which only its thumbnail needs.
    for kind in [
        crate::document::NodeKind::Stage("view/color_map".into()),
        crate::document::NodeKind::Custom(
            "//! Own\n//! @out field: Grid<f32>\n\nfn stage(cell: Cell) -> f32 { return no_such(1.0); }\n".into(),
        ),
    ] {
        session.look_at(BTreeSet::new(), true);
        session.edit("add", |document| {
            document.nodes.insert("lost".into(), crate::document::Node { kind: kind.clone(), ..Default::default() });
        });
        wait_until_compiled(&mut session);
        let plans = session.plans();
        session.edit("iterations", |document| document.set("pressure", "iterations", ParamValue::Number(3.0)).unwrap());
        wait_until_compiled(&mut session);
        assert_eq!((session.plans(), session.broken()), (plans + 1, false));
        let sweeps = |session: &Session| {
            let plan = session.running_simulation().unwrap().plan();
            plan.frame.iter().filter(|dispatch| dispatch.node == "pressure").count() / 2
        };
        assert_eq!(sweeps(&session), 3, "the image shows the new edit");
        let errors = session.problems().filter(|problem| problem.severity == crate::problem::Severity::Error);
        assert_eq!(errors.map(|problem| problem.node.as_str()).collect::<Vec<_>>(), ["lost"]);
        session.undo();
        session.undo();
        wait_until_compiled(&mut session);
        assert_eq!(session.problems().count(), 0);
    }
}

#[test]
fn a_parameter_is_live_without_a_recompile_and_survives_one() {
    let mut session = running();
    let plans = session.plans();
    session.set_params(&["jet".to_string()], "rate", &ParamValue::Number(7.0)).unwrap();
    assert!(!session.compiling() && value(&session, "jet.rate") == ParamValue::Number(7.0));
    session.edit("iterations", |document| document.set("pressure", "iterations", ParamValue::Number(3.0)).unwrap());
    session.set_params(&["jet".to_string()], "rate", &ParamValue::Number(9.0)).unwrap();
    wait_until_compiled(&mut session);
    assert_eq!((session.plans(), value(&session, "jet.rate")), (plans + 1, ParamValue::Number(9.0)));
    session.reset_params(&["jet".to_string()], "rate", &ParamValue::Number(10.0));
    assert_eq!(value(&session, "jet.rate"), ParamValue::Number(10.0));
    assert!(!session.document().nodes["jet"].params.contains_key("rate"));
}

#[test]
fn a_wrong_value_is_a_problem_and_the_right_one_takes_it_away() {
    let mut session = running();
    session.set_params(&["jet".to_string()], "radius", &ParamValue::Expression("1 +".into())).unwrap();
    wait_until_compiled(&mut session);
    assert_eq!(session.problems().map(|p| p.port.as_str()).collect::<Vec<_>>(), ["radius"]);
    session.set_params(&["jet".to_string()], "radius", &ParamValue::Number(0.1)).unwrap();
    wait_until_compiled(&mut session);
    assert_eq!(session.problems().count(), 0);
}

#[test]
fn a_number_is_live_and_one_that_shapes_the_plan_makes_another() {
    let mut session = running();
    session.edit("add", |document| {
        let number =
            |value| crate::document::Node { kind: crate::document::NodeKind::Number(value), ..Default::default() };
        document.nodes.insert("h".into(), number(ParamValue::Number(0.5)));
        document.nodes.insert("sweeps".into(), number(ParamValue::Expression("8 * h".into())));
        document.set("jet", "rate", ParamValue::Expression("20 * h".into())).unwrap();
    });
    wait_until_compiled(&mut session);
    assert_eq!(session.problems().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    let plans = session.plans();
    session.set_params(&["h".to_string()], "value", &ParamValue::Number(0.25)).unwrap();
    assert!(!session.compiling(), "nothing of the plan follows from it");
    session.edit("iterations", |document| {
        document.set("pressure", "iterations", ParamValue::Expression("sweeps".into())).unwrap();
    });
    wait_until_compiled(&mut session);
    let sweeps = |session: &Session| {
        let plan = session.running_simulation().unwrap().plan();
        // Red and black.
        plan.frame.iter().filter(|dispatch| dispatch.node == "pressure").count() / 2
    };
    assert_eq!((session.plans(), sweeps(&session)), (plans + 1, 2));
    // As a slider does: values that are set while a plan is compiled are not lost.
    for h in [0.5, 0.75] {
        session.set_params(&["h".to_string()], "value", &ParamValue::Number(h)).unwrap();
        assert!(session.compiling());
    }
    wait_until_compiled(&mut session);
    assert_eq!(sweeps(&session), 6);
    assert_eq!(value(&session, "jet.rate"), ParamValue::Expression("20 * h".into()));
    session.set_params(&["h".to_string()], "value", &ParamValue::Expression("time + 1".into())).unwrap();
    wait_until_compiled(&mut session);
    assert_eq!(
        session.problems().map(|p| (p.node.as_str(), p.port.as_str())).collect::<Vec<_>>(),
        [("pressure", "iterations")]
    );
    assert_eq!(sweeps(&session), 6, "the last good plan runs on");
}

#[test]
fn a_stage_that_is_being_written_keeps_its_ports() {
    const FADE: &str = "//! Fade\n//! @inout field: Grid<f32> = 1   What fades\n\nfn stage(cell: Cell) -> f32 {\n    return field(cell);\n}\n";
    let mut session = running();
    let write = |session: &mut Session, text: String| {
        session.edit("write", |document| {
            let kind = crate::document::NodeKind::Custom(text.clone());
            document.nodes.entry("own".into()).or_default().kind = kind;
        });
    };
    write(&mut session, FADE.into());
    let whole = session.signatures();
    assert_eq!(whole["own"].outputs.len(), 1);
    // A header that does not parse, and a body that uses no port.
    for (from, to) in [("@inout field: Grid<f32>", "@inout field: Grid<"), ("field(cell)", "1.0")] {
        write(&mut session, FADE.replace(from, to));
        assert_eq!(session.signatures()["own"], whole["own"], "{to}");
    }
    // A text that parses takes effect at once.
    write(&mut session, FADE.replace("field", "smoke"));
    assert_eq!(session.signatures()["own"].outputs[0].name, "smoke");
    session.edit("rename", |document| {
        let node = document.nodes.remove("own").unwrap();
        document.nodes.insert("other".into(), node);
    });
    assert_eq!(session.signatures()["other"].outputs[0].name, "smoke");
}

#[test]
fn another_start_of_a_state_takes_effect_at_the_reset_and_says_so() {
    let mut session = running();
    let ones = r#"(version: 1, nodes: {"ones": (custom: "//! Ones\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }", on: "domain")})"#;
    let ones = Document::parse(ones).unwrap().nodes["ones"].clone();
    let wire = |session: &mut Session, wired: bool| {
        session.edit("init", |document| {
            document.nodes.insert("ones".into(), ones.clone());
            let inputs = &mut document.nodes.get_mut("density").unwrap().inputs;
            match wired {
                true => inputs.insert("init".into(), Link::parse("ones")),
                false => inputs.remove("init"),
            };
        });
        wait_until_compiled(session);
        session.problems().map(|p| format!("{}.{}", p.node, p.port)).collect::<Vec<_>>()
    };
    assert_eq!(wire(&mut session, true), ["density.init"]);
    assert!(wire(&mut session, false).is_empty(), "what it began with is back");
    assert_eq!(wire(&mut session, true), ["density.init"]);
    session.reset();
    assert_eq!(session.problems().count(), 0, "it has begun with it");
    assert!(session.simulation().unwrap().read("density").unwrap().data.iter().all(|v| *v == 1.0));
    assert_eq!(wire(&mut session, false), ["density.init"]);
}

#[test]
fn a_state_that_breaks_is_reported_with_the_node_where_it_began() {
    let mut session = running();
    let breaks = r#"(version: 1, nodes: {"breaks": (custom: "//! Breaks\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell) + log(0.05 - frame.time); }", inputs: {"x": "density"})})"#;
    let breaks = Document::parse(breaks).unwrap().nodes["breaks"].clone();
    session.edit("break", |document| {
        document.nodes.insert("breaks".into(), breaks);
        document.nodes.get_mut("smoke").unwrap().inputs.insert("field".into(), Link::parse("breaks"));
    });
    wait_until_compiled(&mut session);
    for _ in 0..40 {
        let simulation = session.simulation().unwrap();
        simulation.step(&FrameInput::default()).unwrap();
        simulation.gpu().wait();
        if let Some(bad) = simulation.bad_values(false) {
            session.trace(bad);
        }
    }
    let since = std::time::Instant::now();
    while session.problems().count() == 0 {
        assert!(since.elapsed().as_secs() < 60, "nothing is reported");
        std::thread::sleep(std::time::Duration::from_millis(5));
        session.poll();
    }
    let problems: Vec<String> = session.problems().map(|p| p.to_string()).collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("breaks.y: NaN or infinity began here in frame 4"), "{problems:?}");
}

/// The nodes that the running plan keeps apart.
fn kept_apart(session: &Session) -> Vec<String> {
    session.running_simulation().unwrap().plan().edited.clone()
}

/// Waits until a plan runs that joins all nodes.
fn pause(session: &mut Session) {
    let begun = std::time::Instant::now();
    while !kept_apart(session).is_empty() {
        assert!(begun.elapsed().as_secs() < 60, "the nodes stay apart");
        std::thread::sleep(std::time::Duration::from_millis(5));
        session.poll();
    }
}

/// A session whose node `smoke` has a text of its own, which is open; and the text.
fn with_open_text() -> (Session, String) {
    let mut session = running();
    session.keep_edited_apart(true);
    session.edit("make local copy", |document| {
        edit::make_local_copy(document, &Default::default(), "smoke", stagewright_test_support::fixture::library())
            .unwrap();
    });
    session.end_gesture();
    wait_until_compiled(&mut session);
    session.open_text(Some(EditedText::Node("smoke".into())));
    assert_eq!((kept_apart(&session), session.compiling()), (vec![], false), "what is prepared does not run");
    let text = EditedText::Node("smoke".into()).text(session.document(), session.library()).unwrap().to_string();
    (session, text)
}

fn type_text(session: &mut Session, text: &str) {
    session.edit("text of smoke", |document| {
        document.nodes.get_mut("smoke").unwrap().kind = crate::document::NodeKind::Custom(text.to_string());
    });
    wait_until_compiled(session);
}

#[test]
fn nodes_are_apart_while_their_text_is_edited_and_joined_when_typing_pauses() {
    let (mut session, text) = with_open_text();
    session.simulation().unwrap().step(&FrameInput::default()).unwrap();
    let joined = session.running_simulation().unwrap().plan().to_text();
    for edit in 0..3 {
        type_text(&mut session, &format!("{text}// {edit}\n"));
        assert_eq!(kept_apart(&session), ["smoke"]);
        session.simulation().unwrap().step(&FrameInput::default()).unwrap();
    }
    // The plan that follows does not know it.
    session.set_params(&["jet".to_string()], "rate", &ParamValue::Number(7.0)).unwrap();
    let plans = session.plans();
    pause(&mut session);
    assert_eq!((session.plans(), session.problems().count()), (plans + 1, 0));
    assert_eq!(value(&session, "jet.rate"), ParamValue::Number(7.0));
    assert_eq!(session.running_simulation().unwrap().plan().to_text(), joined);
    assert_eq!(session.running_simulation().unwrap().frame(), 4, "the States carried on");
    // Undone and redone text is edited text; other edits are not.
    session.end_gesture();
    session.undo();
    session.undo();
    wait_until_compiled(&mut session);
    assert_eq!(kept_apart(&session), ["smoke"]);
    session.redo();
    wait_until_compiled(&mut session);
    assert_eq!(kept_apart(&session), ["smoke"]);
    session.edit("iterations", |document| document.set("pressure", "iterations", ParamValue::Number(3.0)).unwrap());
    wait_until_compiled(&mut session);
    assert_eq!(kept_apart(&session), [""; 0]);
}

#[test]
fn an_error_in_edited_text_is_at_its_line_and_loses_nothing() {
    let (mut session, text) = with_open_text();
    type_text(&mut session, &format!("{text}// a\n"));
    session.simulation().unwrap().step(&FrameInput::default()).unwrap();
    let wrong = format!("{text}\nfn more() -> f32 {{ return none_such; }}\n");
    type_text(&mut session, &wrong);
    let place = |session: &Session| session.problems().next().map(|p| (p.node.clone(), p.place.map(|at| at.line)));
    assert_eq!(place(&session), Some(("smoke".into(), Some(text.lines().count() + 2))));
    assert!(session.broken());
    session.simulation().unwrap().step(&FrameInput::default()).unwrap();
    assert_eq!(kept_apart(&session), ["smoke"], "the last valid version runs on");
    type_text(&mut session, &text);
    assert_eq!((place(&session), session.broken(), kept_apart(&session)), (None, false, vec!["smoke".to_string()]));
    pause(&mut session);
    assert_eq!(session.running_simulation().unwrap().frame(), 2);
}

#[test]
fn edited_text_is_kept_apart_on_another_device_too() {
    let (mut session, text) = with_open_text();
    type_text(&mut session, &format!("{text}// a\n"));
    session.rebuild(Gpu::new(&GpuOptions::default()).unwrap());
    wait_until_compiled(&mut session);
    assert_eq!((kept_apart(&session), session.problems().count()), (vec![], 0), "the document runs as it is");
    type_text(&mut session, &format!("{text}// b\n"));
    assert_eq!(kept_apart(&session), ["smoke"]);
    pause(&mut session);
}
