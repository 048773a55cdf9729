//! What parameters and numbers are while a simulation runs.

use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

const NODES: &str = r##"
    "box": (domain: (resolution: ("8 * rows", 4), width: "2 * spacing", edge: "wall")),
    "rows": (number: 2), "spacing": (number: 0.1), "wind": (number: "[frame, spacing]"), "unread": (number: "frame + 1"), "rise": (number: "frame / 2"),
    "x": (state: "Grid<f32>", inputs: {"next": "solve.x"}, on: "box", params: {"value": 0.3}),
    "solve": (custom: r#"//! Solve
        //! @in one: f32 = 0
        //! @inout x: Grid<f32>
        //! @param gain: f32 = 0.1, 0..10
        //! @param push: Vec = 0
        //! @param on: bool = true
        //! @param shape: curve = [(0, 0), (1, 1)]
        fn stage(cell: Cell) -> f32 { return x(cell) + shape(params.gain) + params.push.x + one() * f32(params.on); }"#,
        inputs: {"one": "rise", "x": "outer.x"}, params: {"gain": "time + mouse.x", "push": "wind * 2"}, iterations: "rows + 1"),
    "outer": (group: (inputs: {"x": "Grid<f32>", "size": "f32"}, outputs: {"x": "inner.x"}, params: {"most": ["inner.gain"], "rounds": ["inner.iterations"]}, nodes: {
        "inner": (custom: r#"//! Inner
            //! @inout x: Grid<f32>
            //! @param gain: f32 = 1
            //! @param other: f32 = 0
            fn stage(cell: Cell) -> f32 { return x(cell) * params.gain + params.other; }"#,
            inputs: {"x": "in.x"}, params: {"other": "size * 2"}),
    }), inputs: {"x": "x.value"}, params: {"size": "frame", "most": "1 / (frame + 1)", "rounds": "2 * rows"}),
"##;

fn wind(sim: &mut Simulation, mouse: f32) {
    sim.step(&FrameInput { mouse: [mouse, 0.0], ..FrameInput::default() }).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn every_value_is_that_of_the_last_frame() {
    let mut sim = start(64.0, NODES, &[]);
    let value = |sim: &Simulation, path: &str| sim.value(path).unwrap_or_else(|| panic!("{path} is known"));
    assert_eq!(value(&sim, "solve.gain"), [0.5], "as at time zero with the pointer at rest, before the first frame");
    assert_eq!(value(&sim, "outer.most"), [1.0]);
    (0..3).for_each(|_| wind(&mut sim, 0.25));
    // The last frame was number 2, at 1/32 s. Parameters that are constant have their digits, not those of 32 bits.
    assert_eq!(value(&sim, "solve.gain"), [0.03125 + 0.25]);
    assert_eq!(value(&sim, "solve.push"), [4.0, 0.2]);
    assert_eq!((value(&sim, "solve.on"), value(&sim, "x.value")), (vec![1.0], vec![0.3]));
    assert_eq!((value(&sim, "wind.value"), value(&sim, "unread.value")), (vec![2.0, 0.1], vec![3.0]));
    assert_eq!(value(&sim, "solve.one"), [1.0], "a wire from a number");
    assert_eq!((value(&sim, "outer/inner.gain"), value(&sim, "outer.most")), (vec![1.0 / 3.0], vec![1.0 / 3.0]));
    assert_eq!((value(&sim, "outer.size"), value(&sim, "outer/inner.other")), (vec![2.0], vec![4.0]));
    // What the plan was made with.
    assert_eq!((value(&sim, "solve.iterations"), value(&sim, "box.resolution")), (vec![3.0], vec![16.0, 4.0]));
    assert_eq!(value(&sim, "box.width"), [0.2]);
    assert_eq!((value(&sim, "outer/inner.iterations"), value(&sim, "outer.rounds")), (vec![4.0], vec![4.0]));
    for nothing in ["solve.shape", "solve.x", "solve", "", "nobody.gain", "outer/inner.iteration"] {
        assert_eq!(sim.value(nothing), None, "{nothing}");
    }
}

#[test]
fn values_follow_what_is_set_and_stay_where_an_expression_fails() {
    let mut sim = start(64.0, NODES, &[]);
    wind(&mut sim, 0.0);
    sim.set_param("solve.gain", ParamValue::Expression("9 + frame".into())).unwrap();
    assert_eq!(sim.value("solve.gain"), Some(vec![9.0]), "at time zero until the next frame");
    wind(&mut sim, 0.0);
    assert_eq!(sim.value("solve.gain"), Some(vec![10.0]));
    wind(&mut sim, 0.0);
    assert_eq!(sim.value("solve.gain"), Some(vec![10.0]), "11 is outside of 0..10, so the last good value is in force");
    sim.set_param("outer.most", ParamValue::Number(0.1)).unwrap();
    sim.set_param("spacing.value", ParamValue::Number(0.5)).expect_err("the domain follows from it");
    wind(&mut sim, 0.0);
    assert_eq!((sim.value("outer/inner.gain"), sim.value("spacing.value")), (Some(vec![0.1]), Some(vec![0.1])));
    sim.reset();
    assert_eq!((sim.value("wind.value"), sim.value("solve.gain")), (Some(vec![0.0, 0.1]), Some(vec![9.0])));
}
