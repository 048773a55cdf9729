//! Numbers that expressions name, while a simulation runs: what follows them, and what is refused.

use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

/// One cell and what it shows: a, b.x, b.y and an input, each from its own expression; and the same inside of a group.
const NODES: &str = r##"
    "domain": (domain: (resolution: (1, 1), width: 1, edge: "wall")),
    "spacing": (number: 0.25), "h": (number: "2 * spacing"), "push": (number: "[h, spacing] * 2"),
    "wind": (number: "frame + h"), "odd-name": (number: 8),
    "show": (custom: r#"//! Show
        //! @in one: f32 = 0
        //! @out x: Grid<vec4f>
        //! @param a: f32 = 0, 0..16
        //! @param b: Vec = 0
        fn stage(cell: Cell) -> vec4f { return vec4f(params.a, params.b, one()); }"#,
        params: {"a": "h * 4", "b": "push + [0, spacing]"}, inputs: {"one": "$one"}),
    "g": (group: (inputs: {"size": "f32", "gale": "f32"}, outputs: {"x": "show.x"}, params: {"most": ["show.a", "most.value"]}, nodes: {
        "half": (number: "size / 2"), "most": (number: 1),
        "show": (custom: r#"//! Show
            //! @in one: f32 = 0
            //! @out x: Grid<vec4f>
            //! @param a: f32 = 0, 0..16
            //! @param b: Vec = 0
            fn stage(cell: Cell) -> vec4f { return vec4f(params.a, params.b, one()); }"#,
            params: {"a": 1, "b": "[half, gale]"}, inputs: {"one": "in.size"}),
    }), inputs: {"gale": "wind"}, params: {"size": "h * 8"}),
"##;

fn simulation(one: &str) -> Simulation {
    let mut simulation = start(60.0, NODES, &[("$one", one)]);
    step(&mut simulation, 1);
    simulation
}

fn set(simulation: &mut Simulation, path: &str, value: f64) {
    simulation.set_param(path, ParamValue::Number(value)).unwrap_or_else(|e| panic!("{e}"));
}

fn text(simulation: &mut Simulation, path: &str, value: &str) {
    simulation.set_param(path, ParamValue::Expression(value.into())).unwrap_or_else(|e| panic!("{e}"));
}

fn refusal(simulation: &mut Simulation, path: &str, value: ParamValue) -> String {
    let before = (simulation.plan().clone(), read(simulation, "show.x"));
    let said = simulation.set_param(path, value).expect_err("is refused").to_string();
    step(simulation, 1);
    assert_eq!((&before.0, &before.1), (simulation.plan(), &read(simulation, "show.x")), "all is as it was: {said}");
    println!("{said}");
    said
}

#[test]
fn a_number_reaches_all_that_depends_on_it() {
    let mut sim = simulation("h");
    assert_eq!(read(&sim, "show.x"), [2.0, 1.0, 0.75, 0.5]);
    assert_eq!(read(&sim, "g.x"), [1.0, 2.0, 0.5, 4.0]);
    set(&mut sim, "spacing.value", 0.5);
    assert_eq!(read(&sim, "show.x"), [2.0, 1.0, 0.75, 0.5], "with the next frame");
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x"), [4.0, 2.0, 1.5, 1.0]);
    assert_eq!(read(&sim, "g.x"), [1.0, 4.0, 2.0, 8.0], "also inside of a group; wind is 1 + h");
    set(&mut sim, "h.value", 3.0);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x"), [12.0, 6.0, 1.5, 3.0], "an expression gives way to a constant");
    set(&mut sim, "spacing.value", 1.0);
    text(&mut sim, "h.value", "spacing * 3 + 1");
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x"), [16.0, 8.0, 3.0, 4.0]);
    text(&mut sim, "push.value", "[h, spacing, 7].z");
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x"), [16.0, 7.0, 8.0, 4.0], "one number for a vector");
}

#[test]
fn wires_follow_numbers_of_any_name() {
    let mut sim = simulation("odd-name");
    assert_eq!(read(&sim, "show.x")[3], 8.0);
    text(&mut sim, "odd-name.value", "h + 1");
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x")[3], 1.5);
    set(&mut sim, "spacing.value", 1.0);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x")[3], 3.0);
}

#[test]
fn what_goes_into_a_group_is_a_number() {
    let mut sim = simulation("h");
    set(&mut sim, "g.size", 6.0);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "g.x"), [1.0, 3.0, 1.5, 6.0]);
    text(&mut sim, "g.size", "spacing * 16");
    text(&mut sim, "g/show.a", "half + most");
    step(&mut sim, 1);
    assert_eq!(read(&sim, "g.x"), [3.0, 2.0, 2.5, 4.0]);
    // One name for a parameter and a number inside, given by what is known around the group.
    text(&mut sim, "g.most", "spacing * 40");
    step(&mut sim, 1);
    assert_eq!(read(&sim, "g.x")[0], 10.0);
    text(&mut sim, "g/show.a", "most + 1");
    set(&mut sim, "spacing.value", 0.3125);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "g.x")[0], 13.5);
}

#[test]
fn live_numbers_change_with_every_frame() {
    let mut sim = simulation("wind");
    let mut values = Vec::new();
    text(&mut sim, "show.a", "2 * wind");
    for spacing in [0.25, 0.25, 1.0, 1.0] {
        set(&mut sim, "spacing.value", spacing);
        step(&mut sim, 1);
        values.push((read(&sim, "show.x")[0], read(&sim, "show.x")[3], read(&sim, "g.x")[2]));
    }
    assert_eq!(values, [(3.0, 1.5, 1.5), (5.0, 2.5, 2.5), (10.0, 5.0, 5.0), (12.0, 6.0, 6.0)]);
    set(&mut sim, "wind.value", 0.5);
    step(&mut sim, 2);
    assert_eq!((read(&sim, "show.x")[0], read(&sim, "g.x")[2]), (1.0, 0.5), "a constant in its place");
    sim.reset();
    text(&mut sim, "wind.value", "frame");
    step(&mut sim, 3);
    assert_eq!(read(&sim, "show.x")[0], 4.0);
    assert!(sim.warnings(false).is_empty());
}

#[test]
fn a_live_number_without_a_value_keeps_the_last_good_one_and_says_so() {
    let mut sim = simulation("h");
    text(&mut sim, "show.a", "wind + spacing");
    text(&mut sim, "wind.value", "1 / (buttons - 4) + 5");
    let press = |sim: &mut Simulation, buttons| sim.step(&FrameInput { buttons, ..FrameInput::default() }).unwrap();
    press(&mut sim, 2);
    assert_eq!(read(&sim, "show.x")[0], 4.75);
    press(&mut sim, 4);
    assert_eq!(read(&sim, "show.x")[0], 4.75);
    let said = sim.warnings(false);
    println!("{said}");
    assert_eq!((said.0.len(), said.0[0].node.as_str(), said.0[0].port.as_str()), (1, "wind", "value"), "{said}");
    // Another number changes meanwhile: what is live and does not depend on it keeps its value.
    set(&mut sim, "spacing.value", 0.5);
    press(&mut sim, 4);
    assert_eq!(read(&sim, "show.x")[0], 5.0);
    // A good number may make a dependent's value bad.
    text(&mut sim, "wind.value", "buttons * 10");
    sim.warnings(false);
    press(&mut sim, 1);
    press(&mut sim, 4);
    assert_eq!(read(&sim, "show.x")[0], 10.5);
    let said = sim.warnings(false).to_string();
    assert!(said.starts_with("show.a: 40.5 is outside 0..16"), "{said}");
}

#[test]
fn a_refused_number_changes_nothing() {
    let mut sim = simulation("h");
    let number = ParamValue::Number;
    let expression = |text: &str| ParamValue::Expression(text.into());
    for (path, value, says) in [
        ("spacing.value", number(3.0), "show.a: 24 is outside 0..16 when `spacing.value` becomes 3; "),
        ("h.value", expression("9 + time"), "show.a: 36 is outside 0..16 when `h.value` becomes \"9 + time\"; "),
        (
            "spacing.value",
            ParamValue::Vector(vec![0.0, 1.0]),
            "push.value: `*` needs a vector of 1 to 4 numbers, not this list (column 14) when `spacing.value` becomes (0, 1)",
        ),
        ("h.value", ParamValue::Vector(vec![0.0, 1.0]), "not this list (column 14) when `h.value` becomes (0, 1)"),
        ("push.value", number(1e39), "show.b: 1e39 is too large for 32 bits when"),
        ("push.value", ParamValue::Vector(vec![0.0; 3]), "show.b: `+` cannot combine a vector of 2 with one of 3"),
        ("spacing.value", number(f64::NAN), "spacing.value: the value is NaN; give a finite number"),
        ("spacing.value", expression("push.x"), "the numbers form a cycle: spacing -> push -> h -> spacing"),
        ("spacing.value", expression("spacing"), "spacing.value: the numbers form a cycle: spacing -> spacing"),
        ("spacing.value", expression("1 +"), "spacing.value: a number is missing at the end"),
        (
            "h.value",
            expression("spacin"),
            "h.value: there is no variable `spacin` (column 1); did you mean `spacing`? There are h, push, spacing, wind, time",
        ),
        (
            "g/half.value",
            expression("spacing"),
            "there is no variable `spacing` (column 1); there are gale, half, most, size, time",
        ),
        ("g.most", number(17.0), "g/show.a: 17 is outside 0..16 when `g.most` becomes 17"),
        ("space.value", number(1.0), "there is no such parameter; there are: g.gale, g.most, g.size, g/half.value"),
    ] {
        let said = refusal(&mut sim, path, value);
        assert!(said.contains(says), "{said}, not {says}");
    }
    set(&mut sim, "spacing.value", 0.5);
    step(&mut sim, 1);
    assert_eq!(read(&sim, "show.x")[0], 4.0);
}

#[test]
fn a_number_that_shapes_the_plan_can_not_change_while_it_runs() {
    let nodes =
        NODES.replace("(1, 1), width: 1", "(\"2 * n\", 1), width: \"h / n\"") + "\"n\": (number: \"ceil(h / 8)\"),";
    let mut sim = start(60.0, &nodes, &[("$one", "h")]);
    step(&mut sim, 1);
    assert_eq!(sim.read("show.x").unwrap().resolution, [2, 1, 1]);
    let said = refusal(&mut sim, "spacing.value", ParamValue::Number(0.5));
    assert_eq!(
        said,
        "spacing.value: the plan depends on it (domain.resolution, domain.width), so it can't change while running; set it \
         in the graph, and compile the graph again"
    );
    assert!(refusal(&mut sim, "domain.width", ParamValue::Number(0.5)).contains("compile the graph again"));
    // The value that it has is no change.
    set(&mut sim, "spacing.value", 0.25);
    text(&mut sim, "wind.value", "2 * h");
}
