//! Remedies: each fixes its problem.

use super::*;
use stagewright_base::problem::{Problem, Severity};
use stagewright_language::edit::remedies;
use stagewright_test_support::fixture::fluid;

fn problems(document: &Document) -> Vec<Problem> {
    match Graph::build(document, library()) {
        Ok(graph) => graph.warnings.0,
        Err(problems) => problems.0,
    }
}

fn errors(problems: &[Problem]) -> usize {
    problems.iter().filter(|problem| problem.severity == Severity::Error).count()
}

/// Applies every remedy of every problem. Returns the labels of those at a place.
#[track_caller]
fn tried(document: &Document, place: &str) -> Vec<String> {
    let before = problems(document);
    let mut labels = Vec::new();
    for problem in &before {
        let at = format!("{}.{}", problem.node, problem.port);
        for remedy in remedies(document, problem, library()) {
            let mut after = document.clone();
            remedy.apply(&mut after, library()).unwrap();
            let left = problems(&after);
            assert!(!left.contains(problem), "{}: {problem}", remedy.label);
            assert!(errors(&left) <= errors(&before), "{}: {left:?}", remedy.label);
            assert_eq!(Document::parse(&after.to_text()).as_ref(), Ok(&after), "{}", remedy.label);
            if at == place {
                labels.push(remedy.label);
            }
        }
    }
    assert!(!labels.is_empty(), "nothing is offered at `{place}`: {before:#?}");
    labels
}

/// The fixture with a part of its text replaced.
#[track_caller]
fn broken(old: &str, new: &str) -> Document {
    let text = fluid().to_text();
    assert!(text.contains(old), "{text}");
    Document::parse(&text.replace(old, new)).unwrap()
}

#[track_caller]
fn offers(old: &str, new: &str, place: &str, wanted: &[&str]) {
    let labels = tried(&broken(old, new), place);
    assert!(wanted.iter().all(|wanted| labels.iter().any(|label| label == wanted)), "{labels:?}");
}

#[test]
fn a_precision_that_can_not_be_is_taken_back() {
    let document = |precision: &str| {
        broken("stage: \"fluid/divergence\"", &format!("precision: \"{precision}\", stage: \"fluid/divergence\""))
    };
    assert_eq!(tried(&document("half"), "divergence.precision"), ["Store it as f32"]);
}

#[test]
fn wires_to_nothing_are_led_right_or_removed() {
    let wire = r#""image": "look.image""#;
    offers(wire, r#""image": "lok.image""#, "screen.image", &["Connect look.image"]);
    offers(wire, r#""image": "look.imag""#, "screen.image", &["Connect look.image"]);
    offers(wire, r#""image": "look.x", "other": "look""#, "screen.image", &["Connect look.image"]);
    offers(wire, r#""image": "look.image", "other": "look""#, "screen.other", &["Remove wire"]);
    let jet = r#""jet": (stage: "fluid/force_emitter", inputs: {"velocity""#;
    offers(jet, &jet.replace("\"velocity\"", "\"velocty\""), "jet.velocty", &["Connect to velocity"]);
    offers(jet, &jet.replace("{", r#"{"radius": "density", "#), "jet.radius", &["Remove wire"]);
}

#[test]
fn an_input_without_a_wire_is_offered_what_fits() {
    offers(r#"inputs: {"image": "look.image"}"#, "", "screen.image", &["Connect look.image"]);
    let field = r#"inputs: {"velocity": "viscosity.field"}"#;
    offers(field, "", "divergence.velocity", &["Connect viscosity.field", "Connect jet.velocity"]);
    let camera = nodes(
        r#""box": (domain: (resolution: (8, 8, 8), width: 1)), "p": (domain: (resolution: (8, 8), width: 1, edge: "clamp")),
        "ball": (stage: "shape/sphere", on: "box"), "see": (stage: "view/shape", on: "p", inputs: {"shape": "ball"}), "screen": (output: (), inputs: {"image": "see.image"})"#,
    );
    assert_eq!(tried(&camera, "see.camera")[0], "Add view/camera");
    let alone = nodes(
        r#""domain": (domain: (resolution: (8, 8), width: 1)), "v": (stage: "fluid/divergence"), "look": (stage: "view/color_map", inputs: {"field": "v"}), "screen": (output: (), inputs: {"image": "look"})"#,
    );
    assert!(tried(&alone, "v.velocity").contains(&"Add a State".to_string()));
}

#[test]
fn a_wire_of_the_wrong_type_gets_what_the_compiler_names() {
    let wire = r#"{"image": "look.image"}"#;
    offers(wire, r#"{"image": "density.value"}"#, "screen.image", &["Insert view/color_map"]);
    offers(wire, r#"{"image": "velocity.value"}"#, "screen.image", &["Insert view/vector"]);
    let next = r#"{"next": "advect_density.result"}"#;
    offers(next, r#"{"next": "project.velocity"}"#, "density.next", &["Connect advect_density.result", "Remove wire"]);
    let mut idle = fluid();
    idle.nodes.extend(nodes(r#""more": (state: "Grid<f32>", inputs: {"next": "project.velocity"})"#).nodes);
    assert_eq!(tried(&idle, "more.next")[0], "Change type to Grid<Vec>");
    let signatures = nodes(
        r#""d": (domain: (resolution: (8, 8), width: 1)), "u": (state: "Grid<Vec>", inputs: {"next": "u"}), "v": (stage: "staggered/divergence", inputs: {"velocity": "u"}),
        "look": (stage: "view/color_map", inputs: {"field": "v"}), "screen": (output: (), inputs: {"image": "look"})"#,
    );
    let said = problems(&signatures)[0].remedy.clone();
    let labels = tried(&signatures, "v.velocity");
    assert_eq!(
        (labels[0].as_str(), said.as_str()),
        ("Insert staggered/center_to_face", "connect staggered/center_to_face between the two")
    );
}

#[test]
fn misspelt_names_are_put_right() {
    offers("fluid/divergence", "fluid/divergense", "divergence.", &["Use fluid/divergence"]);
    offers(
        r#""diffusivity": 0.0001"#,
        r#""difusivity": 0.0001"#,
        "viscosity.difusivity",
        &["Rename to diffusivity", "Remove value"],
    );
    offers(r#"edge: "wall""#, r#"edge: "wal""#, "domain.edge", &["Use wall"]);
    offers(r#"state: "Grid<Vec>""#, r#"state: "Grid<vec>""#, "velocity.", &["Change type to Grid<Vec>"]);
    let emitter = r#""fluid/force_emitter","#;
    offers(emitter, &format!("{emitter} on: \"domian\","), "jet.on", &["Run on domain", "Infer domain from wires"]);
    let number = broken(r#""rate": 20"#, r#""rate": "2 * spede""#);
    let mut number = number;
    number.nodes.extend(nodes(r#""speed": (number: 3)"#).nodes);
    assert_eq!(tried(&number, "jet.rate"), ["Set to 2 * speed", "Use default"]);
    let odd = nodes(r#""a/b": (number: 1), "x.y": (state: "f32"), "time": (number: 2)"#);
    assert_eq!(tried(&odd, "a/b."), ["Rename to a_b"]);
    assert_eq!(tried(&odd, "time."), ["Rename to time_value"]);
    let inside = nodes(GROUP.replace(r#""in.velocity""#, r#""in.velocty""#).as_str());
    assert!(tried(&inside, "step/jet.velocity").contains(&"Connect velocity".to_string()));
    let shown = nodes(GROUP.replace(r#""curl.vorticity""#, r#""crl.vorticity""#).as_str());
    assert!(tried(&shown, "step.spin").contains(&"Connect curl.vorticity".to_string()));
}

#[test]
fn values_are_brought_into_their_range() {
    offers("iterations: 20", "iterations: 0", "pressure.iterations", &["Set to 1", "Remove iterations"]);
    offers("iterations: 20", r#"iterations: "20 / 3""#, "pressure.iterations", &["Use ceil(20 / 3)"]);
    offers("width: 1", "width: -1", "domain.width", &["Set width to 1 m"]);
    offers("resolution: (32, 32)", "resolution: (32.4, 0)", "domain.resolution", &["Set resolution to 32 × 1"]);
    offers("size: (64, 64)", "size: (0, 64)", "screen.size", &["Use the size of the image"]);
    offers(r#""radius": 0.05, "rate": 20"#, r#""radius": -3, "rate": 20"#, "jet.radius", &["Use default"]);
    let mut fps = fluid();
    fps.fps = 0.0;
    assert_eq!(tried(&fps, "."), ["Use 60 frames per second"]);
    let set = nodes(
        r#""d": (domain: (resolution: (4, 4))), "s": (state: "Particles{position: Vec}"), "t": (state: "Particles{position: Vec}", capacity: 0.5)"#,
    );
    assert!(tried(&set, "s.capacity").contains(&"Set to 10000".to_string()));
    assert!(tried(&set, "t.capacity").contains(&"Set to 1".to_string()));
}

#[test]
fn circles_get_a_state() {
    let wire = r#"{"velocity": "velocity.value"}"#;
    let labels = tried(&broken(wire, r#"{"velocity": "advect_velocity.result"}"#), "advect_velocity.");
    assert!(labels.iter().all(|label| label.starts_with("Add State to ")), "{labels:?}");
    assert!(labels.contains(&"Add State to advect_velocity.result → jet.velocity".to_string()), "{labels:?}");
    let dots = nodes(
        r#""a": (reroute: (), inputs: {"value": "b"}), "b": (reroute: (), inputs: {"value": "a"}), "c": (stage: "fluid/dissipate", inputs: {"field": "b"})"#,
    );
    tried(&dots, "a.");
}

#[test]
fn what_is_left_out_comes_back_or_goes() {
    let mut muted = fluid();
    muted.nodes.get_mut("divergence").unwrap().muted = true;
    assert!(tried(&muted, "pressure.divergence").contains(&"Turn off bypass of divergence".to_string()));
    let mut vain = fluid();
    vain.nodes.get_mut("density").unwrap().muted = true;
    assert_eq!(tried(&vain, "density."), ["Turn off bypass"]);
    let mut dot = fluid();
    dot.nodes
        .extend(nodes(r#""dot": (reroute: ()), "more": (stage: "fluid/dissipate", inputs: {"field": "dot"})"#).nodes);
    assert!(!tried(&dot, "dot.value").is_empty());
    let mut odd = fluid();
    odd.nodes.extend(nodes(r#""t": (teapot: 1)"#).nodes);
    assert_eq!(tried(&odd, "t."), ["Remove node"]);
}

#[test]
fn what_a_graph_lacks_is_added() {
    let mut blind = fluid();
    blind.nodes.remove("screen");
    assert_eq!(tried(&blind, ".")[0], "Add an Output for look.image");
    blind.nodes.remove("look");
    assert!(tried(&blind, ".")[0].starts_with("Add an Output for "));
    let mut still = fluid();
    still.nodes.get_mut("density").unwrap().inputs.clear();
    assert_eq!(tried(&still, "density.next")[0], "Connect advect_density.result");
    let mut nowhere = fluid();
    nowhere.nodes.remove("domain");
    assert_eq!(tried(&nowhere, "velocity.on"), ["Add a Domain"]);
    let mut twice = fluid();
    twice.nodes.extend(nodes(r#""more": (domain: (resolution: (8, 8), width: 1))"#).nodes);
    assert!(tried(&twice, "velocity.on").contains(&"Run on domain".to_string()));
    let mut fork = fluid();
    fork.nodes.extend(nodes(r#""z": (stage: "fluid/force_emitter", inputs: {"velocity": "velocity.value"})"#).nodes);
    assert!(tried(&fork, "z.velocity").contains(&"Connect jet.velocity".to_string()));
    let mut repeat = fluid();
    repeat.nodes.get_mut("look").unwrap().iterations = Some(stagewright_language::document::ParamValue::Number(2.0));
    assert_eq!(tried(&repeat, "look.iterations"), ["Remove iterations"]);
}

#[test]
fn a_remedy_of_another_document_changes_nothing() {
    let document = broken(r#""image": "look.image""#, r#""image": "lok.image""#);
    let problem = problems(&document).remove(0);
    assert!(remedies(&fluid(), &problem, library()).is_empty());
    let stranger = Problem::new("screen", "image", "something else", "");
    assert!(remedies(&document, &stranger, library()).is_empty());
    let vain = broken("fluid/divergence", "fluid/divergense");
    let remedy = remedies(&vain, &problems(&vain)[0], library()).remove(0);
    let mut empty = Document::default();
    assert!(remedy.apply(&mut empty, library()).is_err() && empty == Document::default());
}

#[test]
fn a_wrong_where_is_led_right_or_removed() {
    let stage = "stage: \"fluid/divergence\"";
    let with = |wire: &str| format!("{stage}, where: \"{wire}\"");
    offers(stage, &with("densty.value"), "divergence.where", &["Connect density.value", "Remove wire"]);
    offers(stage, &with("density.vlue"), "divergence.where", &["Connect density.value", "Remove wire"]);
    offers(stage, &with("domain"), "divergence.where", &["Remove wire"]);
    // It depends on the divergence.
    tried(&broken(stage, &with("look.image")), "advect_density.");
    let state = "state: \"Grid<f32>\"";
    offers(state, &format!("{state}, where: \"velocity\""), "density.where", &["Remove wire"]);
}
