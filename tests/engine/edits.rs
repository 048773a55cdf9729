//! Edits of a graph that runs.

use super::*;

#[test]
fn a_bad_edit_leaves_the_last_good_plan_running() {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    let bad = plan(&counter("return x(cell) + params.rate * nonsense;")).expect_err("does not compile").to_string();
    assert!(bad.starts_with("c (4:"), "the node and line are named: {bad}");
    let huge = plan(
        &counter(ADD)
            .replace("(16, 16)", "(20000, 20000)")
            .replace("Grid<f32>", "Grid<vec4f>")
            .replace("-> f32", "-> vec4f")
            .replace("\"look\": (stage: \"view/color_map\", inputs: {\"field\": \"c.x\"}),", "")
            .replace("look.image", "c.x"),
    );
    let refused = simulation.replace(huge.expect("compiles with that budget")).expect_err("no adapter binds that much");
    println!("{refused}");
    assert!(refused.to_string().contains("6103.5 MiB") && refused.to_string().contains("offers"), "{refused}");
    simulation.step(&FrameInput::default()).expect("still steps");
    assert_eq!(value(&simulation), 2.0);
}

#[test]
fn an_edit_keeps_states_that_did_not_change() {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).expect("compiles")).expect("runs");
    (0..3).for_each(|_| simulation.step(&FrameInput::default()).expect("steps"));
    simulation.replace(plan(&counter("return x(cell) + 10.0 * params.rate;")).expect("compiles")).expect("replaces");
    assert_eq!((value(&simulation), simulation.frame()), (3.0, 3), "contents and clock go on");
    simulation.step(&FrameInput::default()).expect("steps");
    assert_eq!(value(&simulation), 13.0);
    simulation.replace(plan(&counter(ADD).replace("(16, 16)", "(16, 8)")).expect("compiles")).expect("replaces");
    assert_eq!((value(&simulation), simulation.frame()), (0.0, 0), "another size starts from the beginning");
}

#[test]
fn parameters_change_without_recompiling_and_wrong_ones_are_refused() {
    let mut simulation = Simulation::new(gpu(), plan(&counter(ADD)).expect("compiles")).expect("runs");
    simulation.step(&FrameInput::default()).expect("steps");
    simulation.set_param("c.rate", ParamValue::Number(5.0)).expect("in range");
    simulation.step(&FrameInput::default()).expect("steps");
    assert_eq!(value(&simulation), 6.0);
    let wrong = [
        ("c.rate", ParamValue::Number(11.0), "outside 0..10"),
        ("c.rate", ParamValue::Number(f64::NAN), "NaN"),
        ("c.rate", ParamValue::Expression("1 +".into()), "c.rate"),
        ("c.speed", ParamValue::Number(1.0), "no such parameter"),
    ];
    for (path, bad, says) in wrong {
        let error = simulation.set_param(path, bad).expect_err("is refused").to_string();
        assert!(error.contains(says), "{error}");
    }
    simulation.step(&FrameInput::default()).expect("steps");
    assert_eq!(value(&simulation), 11.0, "the last good value is in force");
}
