//! Groups, repeats and numbers.

use stagewright_compiler::Keep;
use stagewright_language::document::{Document, ParamValue, Scope};
use stagewright_language::edit::make_group;
use stagewright_language::library::Library;
use stagewright_solver_support::harness::*;

const DOMAIN: &str = r#"
    "domain": (domain: (resolution: (5, 3), width: 1, edge: "wall")),
"#;

/// Runs one frame and gives the single value that all cells of a wire hold.
#[track_caller]
fn uniform(nodes: &str, wire: &str) -> f64 {
    let mut sim = start(60.0, &[DOMAIN, nodes].concat(), &[]);
    step(&mut sim, 1);
    let values = read(&sim, wire);
    assert!(values.iter().all(|v| *v == values[0]), "{wire} is the same everywhere: {values:?}");
    values[0]
}

const NESTED: &str = r##"
    "x": (state: "Grid<f32>", inputs: {"next": "outer.x"}),
    "outer": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "inner.x"}, nodes: {
        "inner": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x"}, nodes: {
            "add": (custom: r#"//! Add
                //! @inout x: Grid<f32>
                fn stage(cell: Cell) -> f32 { return x(cell) + 1.0; }"#, inputs: {"x": "in.x"}, iterations: $stage),
        }), inputs: {"x": "in.x"}, iterations: $inner),
    }), inputs: {"x": "x.value"}, iterations: $outer),
"##;

#[test]
fn repeats_of_nested_groups_multiply() {
    for (stage, inner, outer) in [(1, 3, 4), (1, 1, 1), (2, 3, 4), (5, 1, 2), (1, 7, 1)] {
        let nodes = NESTED.replace("$stage", &stage.to_string()).replace("$inner", &inner.to_string());
        let added = uniform(&nodes.replace("$outer", &outer.to_string()), "outer.x");
        println!("+1 repeated {stage} times in a group x{inner} in a group x{outer}: +{added}");
        assert_eq!(added, f64::from(stage * inner * outer));
    }
}

/// Two values that feed each other: (a, b) becomes (b, a + b).
const FIBONACCI: &str = r##"
    "a": (state: "Grid<f32>", inputs: {"next": "steps.a"}, params: {"value": 0}),
    "b": (state: "Grid<f32>", inputs: {"next": "steps.b"}, params: {"value": 1}),
    "steps": (group: (inputs: {"a": "Grid<f32>", "b": "Grid<f32>"}, outputs: {"a": "in.b", "b": "sum.result"}, nodes: {
        "sum": (custom: r#"//! Sum
            //! @in x: Grid<f32>
            //! @in y: Grid<f32>
            //! @out result: Grid<f32>
            fn stage(cell: Cell) -> f32 { return x(cell) + y(cell); }"#, inputs: {"x": "in.a", "y": "in.b"}),
    }), inputs: {"a": "a.value", "b": "b.value"}, iterations: 10),
"##;

#[test]
fn outputs_of_a_repeat_feed_all_inputs_of_the_next_at_once() {
    let nodes = [DOMAIN, FIBONACCI].concat();
    let mut sim = start(60.0, &nodes, &[]);
    step(&mut sim, 2);
    assert_eq!([read(&sim, "a")[0], read(&sim, "b")[0]], [6765.0, 10946.0], "Fibonacci numbers 20 and 21");
}

/// Appends two digits, the group's repeat and the stage's own.
const COUNTERS: &str = r##"
    "x": (state: "Grid<u32>", inputs: {"next": "outer.x"}),
    "outer": (group: (inputs: {"x": "Grid<u32>"}, outputs: {"x": "after.x"}, nodes: {
        "inner": (group: (inputs: {"x": "Grid<u32>"}, outputs: {"x": "log.x"}, nodes: {
            "log": (custom: r#"//! Log
                //! @inout x: Grid<u32>
                fn stage(cell: Cell) -> u32 { return x(cell) * 100u + u32(10 * (substep + 1) + iteration + 1); }"#,
                inputs: {"x": "in.x"}, iterations: $stage),
        }), inputs: {"x": "in.x"}, iterations: $inner),
        "after": (custom: r#"//! Log the outer repeat
            //! @inout x: Grid<u32>
            fn stage(cell: Cell) -> u32 { return x(cell) * 10u + u32(substep + 1); }"#, inputs: {"x": "inner.x"}),
    }), inputs: {"x": "x.value"}, iterations: $outer),
"##;

#[test]
fn iteration_is_the_stages_own_repeat_and_substep_that_of_the_group_around_it() {
    for (stage, inner, outer, log) in [("2", "2", "1", 111_221_221_u32), ("1", "2", "2", 1_121_111_212)] {
        // 11 12 21 22, then 1; and 11 21, 1, 11 21, 2.
        let nodes = COUNTERS.replace("$stage", stage).replace("$inner", inner).replace("$outer", outer);
        let mut sim = start(60.0, &[DOMAIN, &nodes].concat(), &[]);
        step(&mut sim, 1);
        let got = words(&sim, "outer.x")[0];
        println!("stage x{stage} in group x{inner} in group x{outer}: {got}");
        assert_eq!(got, log);
    }
}

/// x = factor * 10 + count, `factor` and the count exposed through two groups.
const EXPOSED: &str = r##"
    "x": (state: "Grid<f32>", inputs: {"next": "outer.x"}),
    "outer": (group: (outputs: {"x": "middle.x"}, params: {"strength": "middle.amount", "repeats": "middle.turns"}, nodes: {
        "middle": (group: (outputs: {"x": "add.x"}, params: {"amount": ["scale.factor", "add.start"], "turns": "add.iterations"},
            nodes: {
            "scale": (custom: r#"//! Scale
                //! @out x: Grid<f32>
                //! @param factor: f32 = 1
                fn stage(cell: Cell) -> f32 { return 10.0 * params.factor; }"#),
            "add": (custom: r#"//! Add
                //! @inout x: Grid<f32>
                //! @param start: f32 = 0
                fn stage(cell: Cell) -> f32 { return x(cell) + 1.0 + 0.0 * params.start; }"#, inputs: {"x": "scale.x"}),
        })$middle),
    })$outer),
"##;

#[test]
fn exposed_parameters_set_what_they_name_and_outer_values_win() {
    let value =
        |middle: &str, outer: &str| uniform(&EXPOSED.replace("$middle", middle).replace("$outer", outer), "outer.x");
    assert_eq!(value("", ""), 11.0, "the stage's own");
    assert_eq!(value(r#", params: {"amount": 3, "turns": 2}"#, ""), 32.0, "set by the group");
    assert_eq!(value("", r#", params: {"strength": 4, "repeats": 5}"#), 45.0, "set through both");
    assert_eq!(
        value(r#", params: {"amount": 3, "turns": 2}"#, r#", params: {"strength": 4}"#),
        42.0,
        "the outer one wins"
    );
}

#[test]
fn every_name_of_a_parameter_sets_it_while_running() {
    let nodes = [DOMAIN, &EXPOSED.replace("$middle", "").replace("$outer", "")].concat();
    let mut sim = start(60.0, &nodes, &[]);
    for (name, value) in [("outer/middle/scale.factor", 2.0), ("outer/middle.amount", 3.0), ("outer.strength", 4.0)] {
        sim.set_param(name, ParamValue::Number(value)).unwrap_or_else(|e| panic!("{e}"));
        step(&mut sim, 1);
        assert_eq!(read(&sim, "outer.x")[0], 10.0 * value + 1.0, "{name}");
    }
}

/// Numbers as a parameter, as an input and as a whole field.
const NUMBERS: &str = r##"
    "five": (number: 5),
    "wave": (number: "frame + 0.25"),
    "mix": (custom: r#"//! Mix
        //! @in field: Grid<f32> = 0
        //! @in one: f32 = 0
        //! @in $extra
        //! @out result: Grid<f32>
        //! @param two: f32 = 0
        fn stage(cell: Cell) -> f32 { return field(cell) + 100.0 * one() + 10000.0 * params.two + $term; }"#,
        inputs: {$inputs}),
"##;

fn numbers(extra: &str, term: &str, inputs: &str) -> f64 {
    let nodes = NUMBERS.replace("$extra", extra).replace("$term", term).replace("$inputs", inputs);
    uniform(&nodes, "mix.result")
}

#[test]
fn a_number_sets_a_parameter_an_input_or_a_field() {
    let run = |inputs| numbers("three: f32 = 0", "0.0 * three()", inputs);
    assert_eq!(run(r#""field": "five""#), 5.0);
    assert_eq!(run(r#""one": "five""#), 500.0);
    assert_eq!(run(r#""two": "five""#), 50000.0);
    assert_eq!(run(r#""one": "five", "two": "five", "field": "five""#), 50505.0);
    assert_eq!(run(r#""two": "wave""#), 2500.0, "an expression, in frame 0");
}

#[test]
fn two_numbers_into_one_stage_stay_two() {
    let run = |inputs| numbers("three: f32 = 0", "0.0 * three()", inputs);
    assert_eq!(run(r#""one": "five", "field": "wave""#), 500.25);
    assert_eq!(run(r#""one": "wave", "two": "five""#), 50025.0);
}

#[test]
fn a_number_sets_an_input_of_another_type() {
    let run = |extra, term| numbers(extra, term, r#""three": "five""#);
    assert_eq!(run("three: i32 = 0", "f32(three() / 2)"), 2.0);
    assert_eq!(run("three: u32 = 0", "f32(three() / 2u)"), 2.0);
    assert_eq!(run("three: Vec = 0", "three().y"), 5.0);
    assert_eq!(run("three: Grid<Vec> = 0", "three(cell).y"), 5.0);
}

#[test]
fn a_wire_of_a_group_can_be_kept() {
    let nodes = EXPOSED.replace("$middle", "").replace("$outer", "");
    let unread = |line: &&str| !line.contains("state");
    let nodes = nodes.lines().filter(unread).collect::<Vec<_>>().join("\n");
    let document = document(60.0, &[DOMAIN, &nodes].concat(), &[]);
    let mut missing = Vec::new();
    for keep in [Keep::All, Keep::Wires(vec!["outer.x".into()])] {
        let plan = compile(&document, keep.clone());
        let kept = plan.wires.get("outer.x").is_some_and(|wire| wire.kept);
        missing.extend((!kept).then_some(keep));
    }
    assert!(missing.is_empty(), "not kept with {missing:?}");
}

/// The same pixels, though the solver is a group, and within it the pressure solve another.
#[test]
fn a_graph_draws_the_same_image_when_its_nodes_are_grouped() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/graphs/stable_fluids.ron")).unwrap();
    let mut document = Document::parse(&text).unwrap();
    document.set("domain", "resolution", ParamValue::Vector(vec![48.0, 48.0])).unwrap();
    let picture = |document: &Document| {
        let mut sim = simulation(document);
        step(&mut sim, 6);
        sim.image(None).unwrap().rgba
    };
    let before = picture(&document);
    let (root, library) = (Scope::default(), Library::builtin());
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let solver = names(&[
        "velocity",
        "drag",
        "jet",
        "jet_blue",
        "jet_rose",
        "vorticity",
        "confinement",
        "viscosity",
        "divergence",
        "pressure",
        "pressure_before",
        "project",
        "advect_velocity",
    ]);
    let solver = make_group(&mut document, &root, &solver, "solver", library).unwrap();
    let inner = names(&["divergence", "pressure", "project"]);
    make_group(&mut document, &root.inside(&solver), &inner, "solve", library).unwrap();
    let after = picture(&document);
    assert!(before == after, "the pictures differ");
    assert!(before.chunks(4).any(|pixel| pixel[..3] != before[..3]), "there is something to see");
}
