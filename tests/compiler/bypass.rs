//! Muted nodes and reroutes: the graph is the one in which the wires go past them.

use stagewright_compiler::Plan;
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{compile, problems};

/// A smoke solver whose middle is left open: `?` is what the last stage reads.
const SOLVER: &str = r#""domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
    "velocity": (state: "Grid<Vec>", inputs: {"next": "advect.result"}),
    "density": (state: "Grid<f32>", inputs: {"next": "smoke.field"}),
    "smoke": (stage: "fluid/add_source", inputs: {"field": "density.value"}),
    "advect": (stage: "fluid/advect", inputs: {"field": "?", "velocity": "?"}),
    "look": (stage: "view/vector", inputs: {"velocity": "velocity.value"}),
    "screen": (output: (), inputs: {"image": "look.image"}),"#;

/// The plan of the solver with nodes in its middle.
fn plan(read: &str, nodes: &str) -> Plan {
    compile(&(SOLVER.replace('?', read) + nodes)).unwrap_or_else(|p| panic!("{p}"))
}

fn wrong(read: &str, nodes: &str) -> String {
    problems(&(SOLVER.replace('?', read) + nodes))
}

fn warnings(nodes: &str) -> String {
    let document = Document::parse(&format!("(nodes: {{ {nodes} }})")).expect("valid RON");
    Graph::build(&document, Library::builtin()).unwrap_or_else(|p| panic!("{p}")).warnings.to_string()
}

const JET: &str = r#""jet": (stage: "fluid/force_emitter", inputs: {"velocity": "velocity.value"}MUTED),"#;

fn muted(nodes: &str) -> String {
    nodes.replace("MUTED", ", muted: true")
}

#[test]
fn a_muted_stage_leaves_the_plan_as_if_the_wire_went_past() {
    let past = plan("velocity.value", "");
    assert!(plan("jet.velocity", &muted(JET)) == past);
    assert!(plan("jet", &muted(JET)) == past, "the port may be left out");
    assert!(plan("jet.velocity", &JET.replace("MUTED", "")) != past, "the jet does something");
    // Two in a row, and one that does not read as a stage: whatever has the output's name is passed on.
    let row = r#""more": (stage: "fluid/force_emitter", inputs: {"velocity": "jet"}, muted: true),"#;
    assert!(plan("more", &(muted(JET) + row)) == past);
    let broken = r#""broken": (custom: "half a sta", inputs: {"x": "velocity.value"}, muted: true),"#;
    assert!(plan("broken.x", broken) == past);
}

#[test]
fn without_an_input_of_its_name_an_output_passes_the_first_wire_of_its_type() {
    let other = r#""other": (state: "Grid<Vec>", inputs: {"next": "jet.velocity"}),
        "jet": (stage: "fluid/force_emitter", inputs: {"velocity": "other.value"}),"#;
    // `field: Grid<T>` is what `result: Grid<T>` continues from, though `velocity` has the same type here and comes first.
    let carried = r#""carried": (stage: "fluid/advect", inputs: {"velocity": "velocity.value", "field": "other.value"}, muted: true),"#;
    assert!(plan("carried.result", &format!("{other}{carried}")) == plan("other.value", other));
    let group = r#""carried": (stage: "fluid/advect_maccormack", inputs: {"velocity": "velocity.value", "field": "other.value"}, muted: true),"#;
    assert!(plan("carried.result", &format!("{other}{group}")) == plan("other.value", other));
    let repeated = r#""g": (muted: true, iterations: 3, inputs: {"s": "density.value", "v": "other.value"}, group: (inputs: {"s": "Grid<f32>", "v": "Grid<Vec>"},
        outputs: {"flow": "j.velocity"}, nodes: {"j": (stage: "fluid/force_emitter", inputs: {"velocity": "in.v"})})),"#;
    assert!(plan("g.flow", &format!("{other}{repeated}")) == plan("other.value", other));
}

#[test]
fn what_can_not_be_passed_on_is_said_where_it_is_read() {
    let muted = r#""d": (stage: "fluid/divergence", inputs: {"velocity": "velocity.value"}, muted: true),
        "p": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "d.divergence"}),
        "show": (stage: "view/color_map", inputs: {"field": "velocity.value"}, muted: true),
        "second": (output: (), inputs: {"image": "show.image"}),
        "bare": (stage: "fluid/dissipate", muted: true), "last": (stage: "fluid/advect", inputs: {"velocity": "velocity", "field": "bare"}),"#;
    insta::assert_snapshot!(wrong("velocity.value", muted));
}

#[test]
fn the_constant_of_an_unwired_input_is_passed_on() {
    let nodes = |params: &str| {
        format!(
            r#""base": (number: 2), "jet": (stage: "fluid/force_emitter", muted: true{params}),
            "more": (stage: "fluid/force_emitter", inputs: {{"velocity": "jet.velocity"}}),
            "start": (state: "Grid<Vec>", inputs: {{"next": "more", "init": "jet"}}),"#
        )
    };
    let by_hand = |value: &str| {
        format!(
            r#""base": (number: 2), "more": (stage: "fluid/force_emitter", params: {{"velocity": {value}}}),
            "start": (state: "Grid<Vec>", inputs: {{"next": "more"}}, params: {{"value": {value}}}),"#
        )
    };
    for (params, value) in [
        ("", "0"),
        (r#", params: {"velocity": (1, 2)}"#, "(1, 2)"),
        (r#", params: {"velocity": "base * time"}"#, r#""base * time""#),
    ] {
        let (passed, wanted) = (plan("start", &nodes(params)), plan("start", &by_hand(value)));
        // The muted node's own parameter still sets it, so slots have one more name; all else is the same.
        assert_eq!(
            passed.to_text().replace("jet.velocity, ", "").replace(", set by jet.velocity", ""),
            wanted.to_text(),
            "{params}"
        );
        let values = |plan: &Plan| plan.settings.iter().map(|slot| slot.value.clone()).collect::<Vec<_>>();
        assert_eq!(values(&passed), values(&wanted));
        let sets = |plan: &Plan, path: &str| plan.settings.iter().any(|slot| slot.paths.iter().any(|p| p == path));
        assert!(sets(&passed, "jet.velocity") && sets(&passed, "more.velocity") && !sets(&wanted, "jet.velocity"));
    }
}

#[test]
fn reroutes_are_not_there() {
    let dots = r#""a": (reroute: (), inputs: {"value": "velocity.value"}), "b": (reroute: (), inputs: {"value": "a"}, muted: true),
        "c": (reroute: (), inputs: {"value": "b.value"}), "free": (reroute: ()),
        "n": (number: 0.5), "dot": (reroute: (), inputs: {"value": "n"}),
        "two": (stage: "fluid/dissipate", inputs: {"field": "density.value", "rate": "dot"}),"#;
    let straight =
        r#""n": (number: 0.5), "two": (stage: "fluid/dissipate", inputs: {"field": "density.value", "rate": "n"}),"#;
    assert!(plan("c.value", dots) == plan("velocity.value", straight));
    let through = format!("{}{}", muted(JET), r#""dot": (reroute: (), inputs: {"value": "jet"}),"#);
    assert!(plan("dot", &through) == plan("velocity.value", ""));
}

#[test]
fn groups_pass_through_reroutes_and_muted_nodes_inside() {
    let group = |outputs: &str, nodes: &str| {
        format!(
            r#""g": (inputs: {{"v": "velocity.value"}}, group: (inputs: {{"v": "Grid<T>", "none": "Grid<f32>"}}, outputs: {{{outputs}}},
            nodes: {{"jet": (stage: "fluid/force_emitter", inputs: {{"velocity": "in.v"}}), {nodes}}})),"#
        )
    };
    let straight = plan("g.out", &group(r#""out": "jet.velocity""#, ""));
    let dots = r#""dot": (reroute: (), inputs: {"value": "jet.velocity"}), "before": (reroute: (), inputs: {"value": "in.v"}),"#;
    assert!(plan("g.out", &group(r#""out": "dot""#, dots)) == straight);
    let same = r#""calm": (stage: "fluid/dissipate", inputs: {"field": "dot"}, muted: true), "dot": (reroute: (), inputs: {"value": "jet"}),"#;
    assert!(plan("g.out", &group(r#""out": "calm.field""#, same)) == straight);
    // A letter inside is what the wire outside carries: `result` continues from `in.v`.
    let letter = r#""m": (stage: "fluid/advect", inputs: {"velocity": "jet.velocity", "field": "in.v"}, muted: true),"#;
    assert!(
        plan("g.out", &group(r#""out": "m.result""#, letter)).to_text()
            == plan("g.out", &group(r#""out": "in.v""#, "")).to_text()
    );
    let wrong = wrong(
        "g.out",
        &group(
            r#""out": "lost.value", "x": "d.divergence""#,
            r#""lost": (reroute: ()), "d": (stage: "fluid/divergence", inputs: {"velocity": "in.v"}, muted: true),"#,
        ),
    );
    insta::assert_snapshot!(wrong);
}

#[test]
fn reroutes_that_lead_nowhere_are_reported_once() {
    let loose = r#""dot": (reroute: ()), "far": (reroute: (), inputs: {"value": "dot"}), "x": (stage: "fluid/divergence", inputs: {"velocity": "far"}),"#;
    insta::assert_snapshot!("loose", wrong("dot", loose));
    let round = r#""a": (reroute: (), inputs: {"value": "b"}), "b": (reroute: (), inputs: {"value": "c"}), "c": (reroute: (), inputs: {"value": "a"}),
        "x": (reroute: (), inputs: {"value": "y"}), "y": (stage: "fluid/dissipate", inputs: {"field": "x"}, muted: true),
        "gone": (reroute: (), inputs: {"value": "nobody"}),"#;
    insta::assert_snapshot!("round", wrong("b", round));
    insta::assert_snapshot!("gone", wrong("gone", r#""gone": (reroute: (), inputs: {"value": "nobody"}),"#));
}

#[test]
fn muting_what_can_not_be_left_out_warns_and_changes_nothing() {
    let nodes =
        SOLVER.replace('?', "velocity.value").replace("state: \"Grid<f32>\"", "state: \"Grid<f32>\", muted: true");
    let nodes = nodes.replace(r#"edge: "wall")"#, r#"edge: "wall"), muted: true"#);
    let more = r#""n": (number: 1, muted: true), "f": (file: "x.png", muted: true),"#;
    insta::assert_snapshot!(warnings(&format!("{nodes}{more}")));
    assert!(compile(&nodes).unwrap() == plan("velocity.value", ""));
}

#[test]
fn a_bypassed_output_makes_no_image() {
    let second = r#""second": (output: (), inputs: {"image": "look.image"}, muted: true),"#;
    assert!(plan("velocity.value", second) == plan("velocity.value", ""));
    let unwired = second.replace("look.image", "velocity.value");
    assert_eq!(wrong("velocity.value", &unwired), "no problems", "what is left out is not checked");
}
