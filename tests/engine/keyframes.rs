//! Keys while a simulation runs.

use super::*;
use stagewright_base::curve::Keyframes;

const GRAPH: &str = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "s": (state: "Grid<f32>", inputs: {"next": "c.x"}),
    "c": (custom: "//! T\n//! @inout x: Grid<f32>\n//! @param rate: f32 = 1, 0..100\n//! @param push: Vec = 0\n//! @param count: u32 = 1\nfn stage(cell: Cell) -> f32 { return x(cell) + params.rate + params.push.x * f32(params.count); }",
        inputs: {"x": "s.value"}, params: {"rate": RATE, "push": "[speed, 2 * speed]", "count": (keys: [(0, 1), (6, 4)])}),
    "speed": (number: (keys: [(2, 0), (5, 1.5, Linear), (9, 4, Free(0.5, 0))])),
    "look": (stage: "view/color_map", inputs: {"field": "c.x"}), "screen": (output: (), inputs: {"image": "look.image"}),"#;

const RATE: &str = r#"(keys: [(0, 10), (4, 40), (8, 20, Step), (10, 1)], expr: "keys * 2 + speed")"#;

fn graph(rate: &str) -> String {
    GRAPH.replace("RATE", rate)
}

fn keys(text: &str) -> Keyframes {
    match ParamValue::from_ron(text).unwrap() {
        ParamValue::Keys(keys) => keys,
        other => panic!("{other}"),
    }
}

#[test]
fn every_frame_has_the_value_of_the_curve() {
    let rate = keys("(keys: [(0, 10), (4, 40), (8, 20, Step), (10, 1)])");
    let speed = keys("(keys: [(2, 0), (5, 1.5, Linear), (9, 4, Free(0.5, 0))])");
    let count = keys("(keys: [(0, 1), (6, 4)])");
    let mut simulation = Simulation::new(gpu(), plan(&graph(RATE)).expect("compiles")).expect("runs");
    let mut sum = 0.0_f32;
    for frame in 0..12 {
        let at = |keys: &Keyframes| keys.component(0, f64::from(frame));
        let (fast, many) = (at(&speed), at(&count).round());
        simulation.step(&FrameInput::default()).expect("steps");
        let now = |path: &str| simulation.value(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(now("speed.value"), [fast], "frame {frame}");
        assert_eq!(now("c.rate"), [2.0 * at(&rate) + fast], "frame {frame}");
        assert_eq!(now("c.push"), [fast, 2.0 * fast], "frame {frame}");
        assert_eq!(now("c.count"), [many], "frame {frame}: whole numbers between the keys");
        sum = sum + (2.0 * at(&rate) + fast) as f32 + fast as f32 * many as f32;
        let error = (value(&simulation) - sum).abs();
        assert!(error <= sum.abs() * 1e-5, "frame {frame}: {} is not {sum}", value(&simulation));
    }
    assert!(simulation.warnings(true).is_empty());
    let once = value(&simulation);
    simulation.reset();
    for _ in 0..12 {
        simulation.step(&FrameInput::default()).expect("steps");
    }
    assert_eq!(value(&simulation), once, "the same bits again");
}

#[test]
fn changed_keys_apply_to_all_frames_and_keep_the_checkpoints_before_them() {
    use stagewright_runtime::sim::timeline::Budget;
    let start = |rate: &str| {
        let mut simulation = Simulation::new(gpu(), plan(&graph(rate)).expect("compiles")).expect("runs");
        simulation.keep_timeline(Budget::default());
        simulation
    };
    let go = |simulation: &mut Simulation, frame: u64| {
        let left = simulation.seek(frame).expect("a device");
        (0..left).for_each(|_| simulation.step(&simulation.next_input()).expect("steps"));
        (left, value(simulation))
    };
    let fresh = |rate: &str, frame: u64| go(&mut start(rate), frame).1;
    let mut simulation = start("2");
    go(&mut simulation, 100);
    // The first key has the value that the constant had, so no frame becomes another.
    let set = |simulation: &mut Simulation, keys: &str| {
        simulation.set_param("c.rate", ParamValue::from_ron(keys).unwrap()).expect("is valid");
    };
    set(&mut simulation, "(keys: [(30, 2)])");
    assert_eq!(simulation.timeline().unwrap().journal().changes().count(), 0);
    assert!(go(&mut simulation, 64).0 <= 16, "from a checkpoint");
    let (before, after) = ("(keys: [(40, 2, Linear), (80, 4, Linear)])", "(keys: [(40, 2, Linear), (80, 60, Linear)])");
    set(&mut simulation, before);
    assert_eq!(
        go(&mut simulation, 100).1,
        fresh(before, 100),
        "also the frames before the one at which it was changed"
    );
    set(&mut simulation, after);
    let (left, there) = go(&mut simulation, 40);
    assert!(left <= 16 && there == fresh(after, 40), "{left} frames: what is before the change is still known");
    assert_eq!(go(&mut simulation, 70).1, fresh(after, 70));
    set(&mut simulation, before);
    let (left, there) = go(&mut simulation, 99);
    assert!(left <= 16 && there == fresh(before, 99), "{left} frames: taken back, the old frames are known again");
}

#[test]
fn keys_change_while_it_runs() {
    let mut simulation = Simulation::new(gpu(), plan(&graph("3")).expect("compiles")).expect("runs");
    let steps = |simulation: &mut Simulation| {
        simulation.step(&FrameInput::default()).expect("steps");
        simulation.value("c.rate")
    };
    assert_eq!(steps(&mut simulation), Some(vec![3.0]));
    let line = ParamValue::from_ron("(keys: [(0, 0, Linear), (10, 50, Linear)])").unwrap();
    simulation.set_param("c.rate", line).expect("a constant becomes keys");
    assert_eq!(steps(&mut simulation), Some(vec![5.0]), "frame 1");
    let wrong = ParamValue::from_ron("(keys: [(0, 0), (10, 500)])").unwrap();
    let said = simulation.set_param("c.rate", wrong).expect_err("outside 0..100").to_string();
    assert!(said.starts_with("c.rate: the key at frame 10: 500 is outside 0..100"), "{said}");
    assert_eq!(steps(&mut simulation), Some(vec![10.0]), "the old keys are in force");
    simulation.set_param("speed.value", ParamValue::from_ron("(keys: [(0, 7)])").unwrap()).expect("a number has keys");
    steps(&mut simulation);
    assert_eq!(simulation.value("c.push"), Some(vec![7.0, 14.0]));
    simulation.set_param("c.rate", ParamValue::Number(4.0)).expect("keys become a constant");
    assert_eq!(steps(&mut simulation), Some(vec![4.0]));
    simulation
        .set_param("c.rate", ParamValue::from_ron("(keys: [(0, 9, Free(0, 200)), (9, 9)])").unwrap())
        .expect("is valid");
    assert_eq!(steps(&mut simulation), Some(vec![9.0]), "beyond its range between the keys, it keeps its last value");
    let said = simulation.warnings(true).to_string();
    assert!(said.contains("c.rate: ") && said.contains("is outside 0..100"), "{said}");
}
