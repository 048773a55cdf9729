//! Adding, renaming, removing, moving, muting.

use super::*;
use stagewright_language::document::{Color, Link, Node, NodeKind, ParamValue};
use stagewright_language::edit::{
    add, bypass, comment, place, remove, rename, round_positions, set_color, set_iterations, shift,
};
use stagewright_test_support::fixture::fluid;

#[test]
fn renaming_keeps_every_wire_and_the_graph_runs() {
    let mut document = fluid();
    document.nodes.get_mut("density").unwrap().on = Some("domain".into());
    rename(&mut document, &root(), "velocity", "flow").unwrap();
    rename(&mut document, &root(), "domain", "box").unwrap();
    assert_eq!(document.nodes["jet"].inputs["velocity"].node, "flow");
    assert_eq!(document.nodes["density"].on.as_deref(), Some("box"));
    assert_eq!(builds(&document), Ok(()));
    for wrong in ["", "in", "out", "a.b", "a/b", "jet", " a", "a\n"] {
        assert!(rename(&mut document, &root(), "flow", wrong).is_err(), "{wrong}");
    }
    assert!(rename(&mut document, &root(), "gone", "new").unwrap_err().to_string().contains("no node `gone`"));
}

#[test]
fn renaming_a_number_keeps_every_expression_that_names_it() {
    let text = r#"(nodes: {"h": (number: 0.5), "k": (number: "2 * h + sin(h)"), "other": (number: "hh"), "hh": (number: 1),
        "d": (domain: (resolution: ("8 / h", 4), width: "h", edge: "wall")),
        "s": (state: "Particles{position: Vec}", capacity: "9 / h", params: {"x": "[h, 0]"}, iterations: "1 / h"),
        "g": (params: {"p": "h"}, group: (nodes: {"h": (number: 2), "inner": (number: "h")}))})"#;
    let before = Document::parse(text).unwrap();
    let mut document = before.clone();
    let refused = rename(&mut document, &root(), "h", "grid-spacing").unwrap_err();
    assert!(refused.to_string().contains("cannot use the name `grid-spacing`") && document == before, "{refused}");
    assert!(rename(&mut document, &root(), "h", "sin").is_err() && document == before);
    rename(&mut document, &root(), "h", "pitch").unwrap();
    let after = text
        .replace(r#"{"h": (number: 0.5)"#, r#"{"pitch": (number: 0.5)"#)
        .replace("2 * h + sin(h)", "2 * pitch + sin(pitch)")
        .replace("8 / h", "8 / pitch")
        .replace(r#"width: "h""#, r#"width: "pitch""#)
        .replace("9 / h", "9 / pitch")
        .replace("[h, 0]", "[pitch, 0]")
        .replace("1 / h", "1 / pitch")
        .replace(r#""p": "h""#, r#""p": "pitch""#);
    assert_eq!(document, Document::parse(&after).unwrap());
}

#[test]
fn renaming_inside_of_a_group_follows_to_what_the_group_shows_and_sets() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    rename(&mut document, &step, "calm", "fade").unwrap();
    rename(&mut document, &step, "jet", "nozzle").unwrap();
    rename(&mut document, &step, "h", "pitch").unwrap();
    let after = GROUP
        .replace(r#""calm": ("#, r#""fade": ("#)
        .replace(r#""calm""#, r#""fade""#)
        .replace("calm.", "fade.")
        .replace(r#""jet": ("#, r#""nozzle": ("#)
        .replace("jet.", "nozzle.")
        .replace(r#""h": ("#, r#""pitch": ("#)
        .replace(r#""h""#, r#""pitch""#)
        .replace("[h *", "[pitch *");
    assert_eq!(document, nodes(&after));
    assert_eq!(builds(&document), Ok(()));
    // `gain` enters the group, and an expression there means it.
    let refused = rename(&mut document, &step, "pitch", "gain").unwrap_err();
    assert!(refused.to_string().contains("the group's input") && document == nodes(&after), "{refused}");
    assert!(
        rename(&mut document, &Scope::parse("flow"), "a", "b").unwrap_err().to_string().contains("no group `flow`")
    );
}

#[test]
fn removing_a_node_leaves_no_wire_to_it() {
    let mut document = fluid();
    remove(&mut document, &root(), &names(&["project", "domain", "pressure"]), library());
    let links = document.nodes.values().flat_map(|n| n.inputs.values());
    assert!(links.clone().count() > 0 && links.into_iter().all(|link| document.nodes.contains_key(&link.node)));
}

/// As if the nodes were bypassed.
#[test]
fn wires_heal_where_types_allow() {
    let mut document = fluid();
    remove(&mut document, &root(), &names(&["jet", "viscosity", "look"]), library());
    assert_eq!(reads(&document, "divergence", "velocity").as_deref(), Some("velocity.value"), "past two in a row");
    assert_eq!(reads(&document, "project", "velocity").as_deref(), Some("velocity.value"));
    assert_eq!(reads(&document, "screen", "image"), None, "no scalar field can stand for an image");
    // Removing a State does not connect its input to its output.
    remove(&mut document, &root(), &names(&["density"]), library());
    assert_eq!(reads(&document, "smoke", "field"), None);
    let mut dot = nodes(
        r#""n": (number: 2), "dot": (reroute: (), inputs: {"value": "n"}), "s": (stage: "fluid/dissipate", inputs: {"rate": "dot"})"#,
    );
    remove(&mut dot, &root(), &names(&["dot"]), library());
    assert_eq!(reads(&dot, "s", "rate").as_deref(), Some("n"));
    let text =
        r#""jet": (stage: "fluid/force_emitter"GIVEN), "calm": (stage: "fluid/dissipate", inputs: {"field": "jet"})"#;
    let mut constant = nodes(&text.replace("GIVEN", r#", params: {"velocity": (1, 2)}"#));
    remove(&mut constant, &root(), &names(&["jet"]), library());
    assert_eq!(constant.nodes["calm"].params["field"], ParamValue::Vector(vec![1.0, 2.0]), "a constant goes along");
    let mut default = nodes(&text.replace("GIVEN", ""));
    remove(&mut default, &root(), &names(&["jet"]), library());
    assert!(default.nodes["calm"].params.is_empty() && default.nodes["calm"].inputs.is_empty());
}

#[test]
fn removing_inside_of_a_group_leaves_no_mention() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    remove(&mut document, &step, &names(&["jet", "h"]), library());
    let group = document.level(&step).unwrap().group().unwrap();
    assert_eq!(group.nodes["calm"].inputs["field"], Link::parse("in.velocity"));
    assert_eq!(
        group.params.iter().map(|(name, links)| (name.as_str(), links.len())).collect::<Vec<_>>(),
        [("both", 1)]
    );
    assert_eq!(document.nodes["step"].params.keys().collect::<Vec<_>>(), ["gain"], "`push` sets nothing any more");
    assert_eq!(builds(&document), Ok(()));
    remove(&mut document, &step, &names(&["calm", "curl"]), library());
    let group = document.level(&step).unwrap().group().unwrap();
    assert_eq!(group.outputs.iter().map(|(n, l)| format!("{n}: {l}")).collect::<Vec<_>>(), ["velocity: in.velocity"]);
    let mut document = nodes(GROUP);
    remove(&mut document, &root(), &names(&["domain"]), library());
    assert_eq!(document.node("step/jet").unwrap().on, None, "nodes in groups name the domains around");
}

#[test]
fn names_stay_unique_and_legal() {
    let mut document = fluid();
    let mut add = |wish: &str| add(&mut document, &root(), wish, Node::default()).unwrap();
    assert_eq!([add("jet"), add("jet"), add("new")], ["jet_2", "jet_3", "new"]);
    assert_eq!([add("out"), add(""), add("a/b.c"), add("in")], ["node_out", "node", "a_b_c", "node_in"]);
    let mut document = nodes(GROUP);
    assert_eq!(
        stagewright_language::edit::add(&mut document, &Scope::parse("step"), "jet", Node::default()).unwrap(),
        "jet_2"
    );
    assert!(document.node("step/jet_2").is_some());
    assert!(stagewright_language::edit::add(&mut document, &Scope::parse("gone"), "jet", Node::default()).is_err());
}

#[test]
fn places_are_of_one_level() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    let all = names(&["jet", "in", "out", "flow"]);
    place(&mut document, &step, "in", (-10.4, 5.0));
    shift(&mut document, &step, &all, (1.0, 2.6));
    let group = document.level(&step).unwrap().group().unwrap();
    assert_eq!((group.inputs_at, group.outputs_at), (Some((-9.4, 7.6)), None), "what has no place yet stays so");
    assert_eq!((group.nodes["jet"].at, document.nodes["flow"].at), ((1.0, 2.6), (0.0, 0.0)));
    round_positions(&mut document, &step);
    let group = document.level(&step).unwrap().group().unwrap();
    assert_eq!((group.inputs_at, group.nodes["jet"].at), (Some((-9.0, 8.0)), (1.0, 3.0)));
    place(&mut document, &root(), "flow", (f32::NAN, -0.2));
    round_positions(&mut document, &root());
    assert_eq!(document.nodes["flow"].at, (0.0, 0.0));
    assert!(document.nodes["flow"].at.1.is_sign_positive(), "no -0 in files");
}

#[test]
fn nodes_are_muted_coloured_noted_and_repeated() {
    let mut document = nodes(r#""a": (stage: "fluid/dissipate", color: "teal"), "n": (number: 1)"#);
    bypass(&mut document, &root(), &names(&["a", "gone"]), true);
    set_color(&mut document, &root(), &names(&["a"]), Some(Color([1, 2, 3])));
    comment(&mut document, &root(), "a", "why").unwrap();
    set_iterations(&mut document, &root(), "a", Some(ParamValue::Number(40.0))).unwrap();
    let wanted = r##""a": (stage: "fluid/dissipate", iterations: 40, muted: true, color: "#010203", comment: "why"), "n": (number: 1)"##;
    assert_eq!(document, nodes(wanted));
    assert!(
        set_iterations(&mut document, &root(), "n", Some(ParamValue::Number(2.0)))
            .unwrap_err()
            .to_string()
            .contains("cannot have iterations")
    );
    bypass(&mut document, &root(), &names(&["a"]), false);
    set_color(&mut document, &root(), &names(&["a"]), None);
    set_iterations(&mut document, &root(), "a", None).unwrap();
    assert_eq!(document.nodes["a"].kind, NodeKind::Stage("fluid/dissipate".into()));
    assert_eq!(document, nodes(r#""a": (stage: "fluid/dissipate", comment: "why"), "n": (number: 1)"#));
    assert!(comment(&mut document, &root(), "gone", "x").is_err());
}
