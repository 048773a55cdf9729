//! Groups from selections, and back.

use super::*;
use stagewright_language::document::{Frame, Node, NodeKind, ParamValue};
use stagewright_language::edit::{make_group, place, ungroup};
use stagewright_test_support::fixture::fluid;

fn group<'a>(document: &'a Document, path: &str) -> &'a stagewright_language::document::Group {
    match &document.node(path).unwrap().kind {
        NodeKind::Group(group) => group,
        other => panic!("{other:?}"),
    }
}

fn texts<'a, V: ToString + 'a>(map: &'a std::collections::BTreeMap<String, V>) -> Vec<(&'a str, String)> {
    map.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect()
}

#[test]
fn a_selection_becomes_a_group_with_the_ports_that_cross_its_border() {
    let mut document = fluid();
    for (index, name) in ["divergence", "pressure", "project"].into_iter().enumerate() {
        place(&mut document, &root(), name, (100.0 + 200.0 * index as f32, 50.0 * index as f32));
    }
    for (title, size) in [("solve", (450.0, 200.0)), ("more", (9000.0, 9000.0))] {
        let frame = Frame { title: title.into(), at: (90.0, -10.0), size, ..Frame::default() };
        stagewright_language::edit::add_frame(&mut document, &root(), frame).unwrap();
    }
    place(&mut document, &root(), "jet", (800.0, 800.0));
    document.frames.reverse();
    let before = document.clone();
    let solve = names(&["divergence", "pressure", "project"]);
    let name = make_group(&mut document, &root(), &solve, "solve", library()).unwrap();
    assert_eq!(name, "solve");
    let solve = group(&document, "solve");
    assert_eq!(texts(&solve.inputs), [("velocity", "Grid<Vec>".into())], "one wire, though two ports read it");
    assert_eq!(texts(&solve.outputs), [("velocity", "project.velocity".into())], "it goes on from that input");
    assert_eq!(texts(&document.nodes["solve"].inputs), [("velocity", "viscosity.field".into())]);
    assert_eq!(texts(&solve.nodes["project"].inputs)[1], ("velocity", "in.velocity".into()));
    assert_eq!(reads(&document, "advect_density", "velocity").as_deref(), Some("solve.velocity"));
    assert_eq!((document.nodes["solve"].at, solve.nodes["project"].at), ((300.0, 50.0), (400.0, 100.0)));
    assert_eq!((solve.inputs_at, solve.outputs_at), (Some((-260.0, 50.0)), Some((660.0, 50.0))));
    assert_eq!((solve.frames.len(), solve.frames[0].at), (1, (-10.0, -10.0)), "a frame of these nodes comes along");
    assert_eq!((document.frames.len(), document.frames[0].title.as_str()), (1, "more"));
    assert_eq!(builds(&document), Ok(()));
    document.nodes.get_mut("solve").unwrap().iterations = Some(ParamValue::Number(2.0));
    assert_eq!(builds(&document), Ok(()), "it can be repeated");
    document.nodes.get_mut("solve").unwrap().iterations = None;
    ungroup(&mut document, &root(), "solve", library()).unwrap();
    assert_eq!(document, before);
}

#[test]
fn an_output_has_an_inputs_name_only_where_it_goes_on_from_it() {
    let mut document = fluid();
    // `advect_density.result` goes on from nothing, and `smoke.field` is not read outside.
    let names = names(&["smoke", "diffuse_density"]);
    make_group(&mut document, &root(), &names, "dye", library()).unwrap();
    let dye = group(&document, "dye");
    assert_eq!(texts(&dye.outputs), [("field", "diffuse_density.field".into())]);
    // Both write a velocity; only one of them goes on from the wire that comes in as `velocity`.
    let mut document = nodes(
        r#""flow": (state: "Grid<Vec>", inputs: {"next": "b.velocity"}), "domain": (domain: (resolution: (8, 8))),
            "s": (state: "Grid<f32>", inputs: {"init": "c.vorticity"}),
            "a": (stage: "fluid/vorticity", inputs: {"velocity": "flow.value"}),
            "c": (stage: "fluid/vorticity", inputs: {"velocity": "flow.value"}),
            "b": (stage: "fluid/force_emitter", inputs: {"velocity": "c2.field"}),
            "c2": (stage: "fluid/dissipate", inputs: {"field": "flow"}),
            "look": (stage: "view/color_map", inputs: {"field": "a"}), "screen": (output: (), inputs: {"image": "look"})"#,
    );
    make_group(&mut document, &root(), &super::names(&["a", "b", "c2"]), "g", library()).unwrap();
    let g = group(&document, "g");
    assert_eq!(texts(&g.inputs), [("velocity", "Grid<Vec>".into())]);
    assert_eq!(texts(&g.outputs), [("velocity", "b.velocity".into()), ("vorticity", "a".into())]);
}

#[test]
fn a_way_out_and_back_is_refused_unless_a_state_is_in_it() {
    let before = fluid();
    let mut document = before.clone();
    let said = make_group(&mut document, &root(), &names(&["viscosity", "project"]), "g", library()).unwrap_err();
    assert!(said.to_string().contains("`divergence`, `pressure`") && document == before, "{said}");
    // The initial value of the State does not depend on its next value.
    make_group(&mut document, &root(), &names(&["velocity", "advect_velocity"]), "g", library()).unwrap();
    assert_eq!(builds(&document), Ok(()));
    assert!(
        make_group(&mut document, &root(), &names(&["gone"]), "g", library())
            .unwrap_err()
            .to_string()
            .contains("`gone`")
    );
    assert!(
        make_group(&mut document, &root(), &names(&["domain"]), "g", library())
            .unwrap_err()
            .to_string()
            .contains("domains")
    );
    assert!(make_group(&mut document, &Scope::parse("g/x"), &names(&[]), "g", library()).is_err());
}

#[test]
fn numbers_go_in_by_name_by_wire_or_along() {
    let text = r#""domain": (domain: (resolution: (8, 8), width: "w")), "w": (number: 2), "h": (number: "[w, 0.5]"), "own": (number: "2 * h.x"),
        "rate": (number: 3), "dot": (reroute: (), inputs: {"value": "rate"}),
        "v": (state: "Grid<Vec>", inputs: {"next": "j.velocity"}),
        "j": (stage: "fluid/force_emitter", inputs: {"velocity": "v", "rate": "dot"}, params: {"center": "h", "radius": "own * 0.01", "jet": "[0, rate + time]"}),
        "k": (stage: "view/vector", inputs: {"velocity": "j.velocity"}), "screen": (output: (), inputs: {"image": "k"})"#;
    let before = nodes(text);
    assert_eq!(builds(&before), Ok(()));
    let mut document = before.clone();
    let picked = names(&["j", "h", "own", "w", "domain", "rate", "dot"]);
    make_group(&mut document, &root(), &picked, "jet", library()).unwrap();
    let jet = group(&document, "jet");
    assert_eq!(jet.nodes.keys().collect::<Vec<_>>(), ["dot", "h", "j", "own", "rate"]);
    assert_eq!(texts(&jet.inputs), [("velocity", "Grid<Vec>".into()), ("w", "f32".into())]);
    assert_eq!(builds(&document), Ok(()));
    ungroup(&mut document, &root(), "jet", library()).unwrap();
    assert_eq!(document, before);
    // All of them stay outside, and one is a vector.
    make_group(&mut document, &root(), &names(&["j"]), "jet", library()).unwrap();
    let jet = group(&document, "jet");
    let inputs = [("h", "vec2f"), ("own", "f32"), ("rate", "f32"), ("rate_2", "f32"), ("velocity", "Grid<Vec>")];
    assert_eq!(texts(&jet.inputs), inputs.map(|(name, ty)| (name, ty.to_string())));
    assert_eq!(builds(&document), Ok(()));
    // A group inside of the group reads its inputs.
    make_group(&mut document, &Scope::parse("jet"), &names(&["j"]), "deep", library()).unwrap();
    assert_eq!(document.node("jet/deep").unwrap().inputs["h"].to_string(), "in.h");
    assert_eq!(builds(&document), Ok(()));
    ungroup(&mut document, &Scope::parse("jet"), "deep", library()).unwrap();
    ungroup(&mut document, &root(), "jet", library()).unwrap();
    assert_eq!(document, before);
}

#[test]
fn parameters_of_the_group_around_go_on_to_what_they_set() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    let before = document.clone();
    make_group(&mut document, &step, &names(&["jet", "h"]), "nozzle", library()).unwrap();
    let around = group(&document, "step");
    let targets = |name: &str| around.params[name].iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (targets("push"), targets("both")),
        (vec!["nozzle.push".into()], vec!["calm.rate".into(), "nozzle.both".into()])
    );
    let inner = group(&document, "step/nozzle");
    assert_eq!(texts(&inner.inputs), [("gain", "f32".into()), ("velocity", "Grid<Vec>".into())]);
    assert_eq!(inner.params["both"][0].to_string(), "jet.radius");
    assert_eq!(builds(&document), Ok(()));
    ungroup(&mut document, &step, "nozzle", library()).unwrap();
    let NodeKind::Group(group) = &mut document.nodes.get_mut("step").unwrap().kind else { panic!() };
    group.params.get_mut("both").unwrap().reverse();
    assert_eq!(document, before);
}

#[test]
fn a_dissolved_group_hands_its_values_domain_and_constants_on() {
    let mut document = nodes(
        r#""box": (domain: (resolution: (8, 8), width: 1)), "other": (domain: (resolution: (4, 4), width: 1)), "h": (number: 7), "w": (number: 2),
        "g": (on: "other", params: {"gain": 0.5, "push": "3 * w"}, inputs: {"size": "w"}, comment: "x", at: (50, 60), group: (
            inputs: {"gain": "f32", "size": "f32", "field": "Grid<f32>"}, outputs: {"out": "s", "same": "in.field"},
            params: {"push": "a.rate", "times": "a.iterations"},
            nodes: {"h": (number: "gain + size", at: (0, 20)), "box": (domain: (resolution: (2, 2), width: "h")),
                "s": (state: "Grid<f32>", on: "box", params: {"value": "h"}), "a": (stage: "fluid/dissipate", inputs: {"field": "in.field"}, params: {"rate": 1})})),
        "r": (stage: "fluid/dissipate", inputs: {"field": "g.same"}, on: "box"), "look": (stage: "view/color_map", inputs: {"field": "g.out"}), "screen": (output: (), inputs: {"image": "look"})"#,
    );
    assert_eq!(builds(&document), Ok(()));
    let come = ungroup(&mut document, &root(), "g", library()).unwrap();
    assert_eq!(come, names(&["a", "box_2", "gain", "h_2", "s"]));
    let wanted = nodes(
        r#""box": (domain: (resolution: (8, 8), width: 1)), "other": (domain: (resolution: (4, 4), width: 1)), "h": (number: 7), "w": (number: 2),
        "h_2": (number: "gain + w", at: (50, 75)), "gain": (number: 0.5, at: (50, 60)), "box_2": (domain: (resolution: (2, 2), width: "h_2"), at: (50, 55)),
        "s": (state: "Grid<f32>", on: "box_2", params: {"value": "h_2"}, at: (50, 55)), "a": (stage: "fluid/dissipate", params: {"rate": "3 * w"}, on: "other", at: (50, 55)),
        "r": (stage: "fluid/dissipate", on: "box"), "look": (stage: "view/color_map", inputs: {"field": "s"}), "screen": (output: (), inputs: {"image": "look"})"#,
    );
    assert_eq!(document.to_text(), wanted.to_text());
    assert_eq!(builds(&document), Ok(()));
}

#[test]
fn what_can_not_be_dissolved_is_said_and_changes_nothing() {
    let mut document = nodes(GROUP);
    let before = document.clone();
    let said = ungroup(&mut document, &root(), "step", library()).unwrap_err();
    assert!(said.to_string().contains("has iterations"), "{said}");
    assert!(ungroup(&mut document, &root(), "look", library()).unwrap_err().to_string().contains("not a group"));
    assert!(ungroup(&mut document, &root(), "gone", library()).unwrap_err().to_string().contains("no node"));
    assert_eq!(document, before);
    // A number that expressions cannot name.
    let mut odd = nodes(
        r#""a-b": (number: 1), "g": (inputs: {"x": "a-b"}, group: (inputs: {"x": "f32"}, nodes: {"n": (number: "x")}))"#,
    );
    assert!(ungroup(&mut odd, &root(), "g", library()).unwrap_err().to_string().contains("`a-b`"));
}

#[test]
fn a_group_of_the_library_is_dissolved_into_its_stages() {
    let mut document = fluid();
    stagewright_language::edit::replace_stage(
        &mut document,
        &root(),
        "advect_density",
        "fluid/advect_maccormack",
        library(),
    )
    .unwrap();
    let come = ungroup(&mut document, &root(), "advect_density", library()).unwrap();
    assert_eq!((come, builds(&document)), (names(&["correct", "courant", "forward"]), Ok(())));
    assert_eq!(reads(&document, "density", "next").as_deref(), Some("correct.result"));
    let group = Node { kind: NodeKind::Stage("no/such".into()), ..Node::default() };
    document.nodes.insert("odd".into(), group);
    assert!(ungroup(&mut document, &root(), "odd", library()).is_err());
}
