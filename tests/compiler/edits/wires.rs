//! Wires, refusals, reroutes, and which types fit.

use super::*;
use stagewright_language::document::Link;
use stagewright_language::edit::signature::Takes;
use stagewright_language::edit::{
    NodeSignature, PortSignature, add_reroute, add_reroute_shared, bypass, connect, disconnect, feeds, fits,
    insert_on_wire, origin, port_types, refusal, remove,
};
use stagewright_test_support::fixture::fluid;

fn refused(before: &Document, scope: &Scope, from: &str, to: &InputEnd) -> Option<String> {
    let mut after = before.clone();
    connect(&mut after, scope, Link::parse(from), to);
    refusal(before, &after, scope, to, library()).map(|problem| problem.to_string())
}

#[test]
fn a_wire_that_does_not_fit_is_refused_with_a_remedy() {
    let before = fluid();
    let problem = refused(&before, &root(), "density.value", &end("screen", "image")).unwrap();
    assert!(problem.contains("view/color_map"), "{problem}");
    assert!(refused(&before, &root(), "project.velocity", &end("jet", "velocity")).unwrap().contains("cycle"));
}

#[test]
fn a_wire_that_fits_is_not_refused_though_the_graph_is_incomplete() {
    let mut before = fluid();
    remove(&mut before, &root(), &names(&["viscosity", "smoke", "density"]), library());
    assert!(builds(&before).is_err());
    assert_eq!(refused(&before, &root(), "jet.velocity", &end("divergence", "velocity")), None);
}

#[test]
fn wires_inside_of_a_group_go_to_its_ports() {
    let (mut document, step) = (nodes(GROUP), Scope::parse("step"));
    assert_eq!(refused(&document, &step, "in.velocity", &end("out", "before")), None);
    connect(&mut document, &step, Link::parse("in.velocity"), &end("out", "before"));
    connect(&mut document, &step, Link::parse("in.velocity"), &end("calm", "field"));
    let group = document.level(&step).unwrap().group().unwrap();
    assert_eq!(
        (group.outputs["before"].to_string(), group.nodes["calm"].inputs["field"].to_string()),
        ("in.velocity".into(), "in.velocity".into())
    );
    assert_eq!(builds(&document), Ok(()));
    let wrong = refused(&document, &step, "in.gone", &end("out", "before")).unwrap();
    assert!(wrong.starts_with("step.before: the group has no input `gone`"), "{wrong}");
    let wrong = refused(&document, &step, "curl.vorticity", &end("calm", "nothing")).unwrap();
    assert!(wrong.starts_with("step/calm.nothing: the node has no input"), "{wrong}");
    disconnect(&mut document, &step, &end("out", "before"));
    connect(&mut document, &step, Link::parse("jet.velocity"), &end("calm", "field"));
    assert_eq!(document, nodes(GROUP));
    // The root level is not in a group, so it has no `out`; a level that does not exist is ignored.
    connect(&mut document, &root(), Link::parse("flow"), &end("out", "x"));
    connect(&mut document, &Scope::parse("gone"), Link::parse("flow"), &end("look", "velocity"));
    assert_eq!(document, nodes(GROUP));
}

#[test]
fn a_node_goes_into_a_wire_where_its_types_fit() {
    let mut document = fluid();
    let mut add = |kind: &str| {
        let node = nodes(&format!(r#""n": (stage: "{kind}")"#)).nodes["n"].clone();
        stagewright_language::edit::add(&mut document, &root(), "new", node).unwrap()
    };
    let (fade, divergence) = (add("fluid/dissipate"), add("fluid/divergence"));
    let wire = end("divergence", "velocity");
    insert_on_wire(&mut document, &root(), &fade, &wire, library()).unwrap();
    assert_eq!(reads(&document, &fade, "field").as_deref(), Some("viscosity.field"));
    assert_eq!(reads(&document, "divergence", "velocity"), Some(format!("{fade}.field")));
    assert!(builds(&document).is_err(), "`{divergence}` is not wired yet");
    let before = document.clone();
    let mut wrong =
        |node: &str, wire: &InputEnd| insert_on_wire(&mut document, &root(), node, wire, library()).unwrap_err();
    assert_eq!(wrong(&divergence, &wire).to_string(), format!("no output of `{divergence}` gives Grid<Vec>"));
    assert_eq!(
        wrong(&divergence, &end("screen", "image")).to_string(),
        format!("`{divergence}` has no free input that takes a wire of Grid<vec4f>")
    );
    assert!(wrong("divergence", &wire).to_string().contains("already ends at"));
    assert!(wrong("project", &end("pressure", "divergence")).to_string().contains("cycle"));
    assert!(wrong(&fade, &end("jet", "nothing")).to_string().contains("is not connected"));
    assert!(wrong("gone", &wire).to_string().contains("no node `gone`"));
    assert_eq!(document, before, "what is refused changes nothing");
    // Into the wire to a group's output: the node must give the same type.
    let (mut inside, step) = (nodes(GROUP), Scope::parse("step"));
    let node = inside.node("step/calm").unwrap().clone();
    let calm = stagewright_language::edit::add(&mut inside, &step, "more", node).unwrap();
    disconnect(&mut inside, &step, &end(&calm, "field"));
    insert_on_wire(&mut inside, &step, &calm, &end("out", "velocity"), library()).unwrap();
    assert_eq!(inside.level(&step).unwrap().group().unwrap().outputs["velocity"].to_string(), "more.field");
    assert_eq!(builds(&inside), Ok(()));
    let node = inside.node("step/curl").unwrap().clone();
    let curl = stagewright_language::edit::add(&mut inside, &step, "curl_2", node).unwrap();
    disconnect(&mut inside, &step, &end(&curl, "velocity"));
    assert!(
        insert_on_wire(&mut inside, &step, &curl, &end("out", "velocity"), library())
            .unwrap_err()
            .to_string()
            .contains("no output")
    );
}

#[test]
fn one_dot_serves_several_wires_and_changes_nothing() {
    let mut document = fluid();
    let dot = add_reroute(&mut document, &root(), &end("divergence", "velocity"), (5.0, 6.0)).unwrap();
    assert_eq!((dot.as_str(), document.nodes["reroute"].at), ("reroute", (5.0, 6.0)));
    assert_eq!(reads(&document, "divergence", "velocity").as_deref(), Some("reroute.value"));
    let ends = [end("advect_velocity", "field"), end("advect_velocity", "velocity"), end("advect_density", "velocity")];
    let shared =
        add_reroute_shared(&mut document, &root(), Link::parse("project.velocity"), &ends, (0.0, 0.0)).unwrap();
    assert_eq!(shared, "reroute_2");
    assert!(ends.iter().all(|end| reads(&document, &end.node, &end.port).as_deref() == Some("reroute_2.value")));
    assert_eq!(builds(&document), Ok(()));
    let from = |link: &str| origin(&document, &root(), &Link::parse(link), library()).map(|link| link.to_string());
    assert_eq!(from("reroute_2.value").as_deref(), Some("project.velocity"));
    assert_eq!(from("project").as_deref(), Some("project"));
    let mut muted = document.clone();
    bypass(&mut muted, &root(), &names(&["project", "look"]), true);
    let from = |link: &str| origin(&muted, &root(), &Link::parse(link), library()).map(|link| link.to_string());
    assert_eq!((from("reroute_2").as_deref(), from("look.image")), (Some("viscosity.field"), None));
    assert!(add_reroute(&mut document, &root(), &end("density", "init"), (0.0, 0.0)).is_err());
    let (mut inside, step) = (nodes(GROUP), Scope::parse("step"));
    add_reroute(&mut inside, &step, &end("out", "spin"), (0.0, 0.0)).unwrap();
    assert_eq!(inside.level(&step).unwrap().group().unwrap().outputs["spin"].to_string(), "reroute.value");
    assert_eq!(builds(&inside), Ok(()));
}

#[test]
fn what_feeds_what_ends_at_states() {
    let nodes = fluid().nodes;
    assert!(feeds(&nodes, "jet", "screen") && feeds(&nodes, "density", "screen") && !feeds(&nodes, "screen", "jet"));
    assert!(
        feeds(&nodes, "jet", "advect_density")
            && !feeds(&nodes, "advect_velocity", "jet")
            && feeds(&nodes, "jet", "jet")
    );
}

fn signature(document: &Document, scope: &str, name: &str) -> NodeSignature {
    port_types(document, &Scope::parse(scope), name, library()).unwrap()
}

fn types(ports: &[PortSignature]) -> String {
    let ports = ports.iter().map(|p| format!("{}: {}", p.name, p.ty.map_or_else(|| "?".into(), |ty| ty.to_string())));
    ports.collect::<Vec<_>>().join(", ")
}

#[test]
fn types_follow_the_wires() {
    let document = nodes(&format!(
        r#"{GROUP} "dot": (reroute: (), inputs: {{"value": "fast"}}), "fast": (stage: "fluid/advect_maccormack", inputs: {{"field": "step.spin", "velocity": "flow"}}),
        "n": (number: 1), "loose": (reroute: ()), "open": (stage: "fluid/advect"), "image": (stage: "grid/from_field"),
        "a": (reroute: (), inputs: {{"value": "b"}}), "b": (reroute: (), inputs: {{"value": "a"}}),
        "number": (reroute: (), inputs: {{"value": "n"}}), "driven": (stage: "fluid/dissipate", inputs: {{"rate": "number", "field": "dot"}})"#
    ));
    let both = |scope: &str, name: &str| {
        let signature = signature(&document, scope, name);
        format!("{} -> {}", types(&signature.inputs), types(&signature.outputs))
    };
    assert_eq!(both("", "step"), "gain: f32, velocity: Grid<Vec> -> spin: Grid<vec3f>, velocity: Grid<Vec>");
    assert_eq!(
        both("", "fast"),
        "field: Grid<vec3f>, open: Grid<f32>, velocity: Grid<Vec> -> courant: f32, result: Grid<vec3f>"
    );
    assert_eq!(both("", "dot"), "value: Grid<vec3f> -> value: Grid<vec3f>");
    assert_eq!(both("", "driven"), "field: Grid<vec3f>, rate: f32 -> field: Grid<vec3f>");
    assert_eq!(both("", "loose"), "value: ? -> value: ?");
    assert_eq!(both("", "a"), "value: ? -> value: ?");
    assert_eq!(both("", "open"), "velocity: Grid<Vec>, field: Grid<F>, open: Grid<f32> -> result: Grid<F>");
    assert_eq!(both("", "image"), "field: Field<T> -> result: Grid<T>");
    assert_eq!(both("step", "calm"), "field: Grid<Vec> -> field: Grid<Vec>");
    assert_eq!(both("step", "in"), " -> gain: f32, velocity: Grid<Vec>");
    assert_eq!(both("step", "out"), "spin: Grid<vec3f>, velocity: Grid<Vec> -> ");
    let number = signature(&document, "", "number");
    assert!(number.outputs[0].constant && signature(&document, "step", "in").outputs[0].constant);
    assert_eq!(signature(&document, "", "driven").inputs[1].takes, Takes::Number);
    assert!(port_types(&document, &root(), "in", library()).unwrap_err().to_string().contains("no node `in`"));
}

#[test]
fn an_input_of_a_group_is_optional_where_nothing_inside_needs_it() {
    let document = nodes(
        r#""fast": (stage: "fluid/advect_maccormack"), "cycle": (stage: "fluid/pressure_multigrid"), "solve": (stage: "fluid/pressure_cg"), "exact": (stage: "fluid/advect_conservative"),
        "own": (group: (inputs: {"a": "Grid<f32>", "b": "Grid<f32>"}, outputs: {"b": "in.b", "c": "fade.field"},
            nodes: {"fade": (stage: "fluid/dissipate", inputs: {"field": "in.a"})}))"#,
    );
    let optional = |name: &str| {
        let inputs = signature(&document, "", name).inputs;
        inputs.into_iter().filter(|port| port.optional).map(|port| port.name).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(optional("fast"), "open");
    assert_eq!(optional("exact"), "open", "through a group inside");
    assert_eq!(optional("own"), "a", "b is an output");
    assert_eq!(optional("cycle"), "pressure");
    assert_eq!(optional("solve"), "pressure", "it starts from zero");
}

/// For every output and input of the fixture: where types fit, the compiler does not complain about them, and where
/// they do not, it does.
#[test]
fn what_fits_is_what_the_compiler_takes() {
    let before = nodes(
        r#""domain": (domain: (resolution: (8, 8), width: 1)), "flow": (state: "Grid<Vec>"), "signatures": (state: "FaceGrid"), "dye": (state: "Grid<vec4f>"), "heat": (state: "Grid<f32>"),
        "n": (number: 1), "dot": (reroute: (), inputs: {"value": "n"}), "noise": (stage: "field/constant"), "set": (state: "Particles{position: Vec, velocity: Vec}", capacity: 9),
        "advect": (stage: "fluid/advect", inputs: {"velocity": "flow", "field": "dye"}), "max": (stage: "two_phase/plic_courant", inputs: {"flow": "signatures"}),
        "split": (stage: "staggered/face_to_center", inputs: {"velocity": "signatures"}), "add": (stage: "fluid/add", inputs: {"field": "heat"}),
        "sample": (stage: "grid/from_field", inputs: {"field": "noise"}), "push": (stage: "particles/force", inputs: {"particles": "set", "acceleration": "n"}),
        "fade": (stage: "fluid/dissipate", inputs: {"field": "heat", "rate": "n"}), "screen": (output: (), inputs: {"image": "dye"}),
        "g": (inputs: {"a": "heat"}, group: (inputs: {"a": "Grid<T>", "v": "FaceGrid", "n": "f32"}, outputs: {"a": "in.a"}))"#,
    );
    let signatures = stagewright_language::edit::signature::level(&before, &root(), library());
    let (mut fit, mut not) = (0, 0);
    for (from, output) in
        signatures.iter().flat_map(|(name, signature)| signature.outputs.iter().map(move |port| (name, port)))
    {
        for (to, input) in
            signatures.iter().flat_map(|(name, signature)| signature.inputs.iter().map(move |port| (name, port)))
        {
            // The initial value of a State has a rule of its own.
            if from == to || input.name == "init" || feeds(&before.nodes, to, from) {
                continue;
            }
            let wire = Link { node: from.clone(), port: output.name.clone() };
            let end = InputEnd { node: to.clone(), port: input.name.clone() };
            let mut after = before.clone();
            disconnect(&mut after, &root(), &end);
            let empty = after.clone();
            connect(&mut after, &root(), wire.clone(), &end);
            let problem = refusal(&empty, &after, &root(), &end, library());
            match (fits(output, input), problem) {
                (Ok(()), problem) => {
                    fit += 1;
                    let ty = problem.filter(|p| p.cause.starts_with("the wire carries") && !p.cause.contains("domain"));
                    // A letter that two inputs share is bound by the first one, even if the other reports it.
                    assert!(ty.as_ref().is_none_or(|p| p.node != *to), "{wire} fits {end:?}, but: {ty:?}");
                }
                (Err(reason), problem) => {
                    not += 1;
                    let problem = problem.unwrap_or_else(|| panic!("{wire} to {end:?} is taken, but: {reason}"));
                    let same =
                        problem.cause.split_once(", ").map(|(mismatch, _)| mismatch.to_string()).unwrap_or_default();
                    let same = same.split('{').next().unwrap_or_default().to_string();
                    // An Output mentions images where no conversion helps.
                    let helps = to == "screen" || reason.to_string().contains(&problem.remedy);
                    assert!(reason.to_string().contains(&same) && helps, "{reason}\n{problem}");
                }
            }
        }
    }
    println!("{fit} wires fit, {not} do not");
    assert!(fit > 50 && not > 100);
}
