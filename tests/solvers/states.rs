//! States: what survives a frame, a reset, an edit.

use stagewright_compiler::Keep;
use stagewright_runtime::sim::{FrameInput, Simulation};
use stagewright_solver_support::harness::*;

const DOMAIN: &str = r#"
    "domain": (domain: (resolution: (7, 5), width: 7, edge: "wrap")),
"#;

/// Counts up in place, and counts up while moving by a cell, for which two buffers take turns.
const COUNT: &str = r##"
    "a": (state: "Grid<f32>", inputs: {"next": "up.x"}, params: {"value": $a}),
    "up": (custom: r#"//! Up
        //! @inout x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return x(cell) + 1.0; }"#, inputs: {"x": "a.value"}),
    "b": (state: "$type", inputs: {"next": "move.x"}, params: {"value": $b}),
    "move": (custom: r#"//! Move
        //! @inout x: Grid<T>
        fn stage(cell: Cell) -> T { return x(cell - unit(0)) + T(1.0); }"#, inputs: {"x": "b.value"}),
"##;

fn count(a: &str, ty: &str, b: &str) -> stagewright_language::document::Document {
    document(60.0, &[DOMAIN, COUNT].concat(), &[("$a", a), ("$type", ty), ("$b", b)])
}

const INIT: &str = r##"
    "start": (custom: r#"//! Start
        //! @out x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return f32(10 * cell.x) + f32(frame.index); }"#),
    "a": (state: "Grid<f32>", inputs: {"init": "start.x", "next": "up.x"}),
    "up": (custom: r#"//! Up
        //! @inout x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return x(cell) + 1.0; }"#, inputs: {"x": "a.value"}),
"##;

#[test]
fn init_runs_on_reset_only() {
    let document = document(60.0, &[DOMAIN, INIT].concat(), &[]);
    let plan = compile(&document, Keep::Wires(vec!["up.x".into()]));
    assert!(plan.frame.iter().all(|d| d.node != "start"), "the frame does not run the start");
    assert!(plan.reset.iter().any(|d| d.node == "start"), "the reset does");
    let mut sim = Simulation::new(gpu(), plan).unwrap();
    let ramp = |steps: i32| (0..35).map(|i| f64::from(10 * (i % 7) + steps)).collect::<Vec<_>>();
    for _ in 0..2 {
        step(&mut sim, 3);
        assert_eq!(read(&sim, "a"), ramp(3));
        sim.reset();
        assert_eq!(read(&sim, "a"), ramp(0), "anew, with frame 0");
    }
}

#[test]
fn every_state_reads_back_what_the_next_frame_starts_from() {
    let mut sim = simulation(&count("0", "Grid<f32>", "0"));
    let marked: Vec<f32> = (0..35).map(|i| if i % 7 == 0 { 100.0 } else { 0.0 }).collect();
    for frames in 0..5 {
        let moved = run(&mut sim, &[("b", &marked)], frames, "b");
        let expected = |i: usize| frames as f64 + if i % 7 == frames { 100.0 } else { 0.0 };
        assert_eq!(moved, (0..35).map(expected).collect::<Vec<_>>(), "after {frames} frames");
        assert_eq!(read(&sim, "a"), vec![frames as f64; 35]);
        if frames > 0 {
            assert_eq!(read(&sim, "move.x"), moved, "the wire that feeds it holds the same");
        }
    }
}

/// c is what b was, b what a was; d and e change places.
const DELAY: &str = r##"
    "a": (state: "Grid<f32>", inputs: {"next": "up.x"}),
    "up": (custom: r#"//! Up
        //! @inout x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return x(cell) + 1.0; }"#, inputs: {"x": "a.value"}),
    "b": (state: "Grid<f32>", inputs: {"next": "a.value"}, params: {"value": -1}),
    "c": (state: "Grid<f32>", inputs: {"next": "b.value"}, params: {"value": -2}),
    "same": (state: "Grid<f32>", inputs: {"next": "up.x"}),
    "d": (state: "Grid<f32>", inputs: {"next": "e.value"}, params: {"value": 4}),
    "e": (state: "Grid<f32>", inputs: {"next": "d.value"}, params: {"value": 5}),
"##;

#[test]
fn states_that_feed_states_delay_and_exchange() {
    for keep in [Keep::All, Keep::Wires(["a", "b", "c", "d", "e", "same"].map(|s| format!("{s}.value")).into())] {
        let document = document(60.0, &[DOMAIN, DELAY].concat(), &[]);
        let mut sim = Simulation::new(gpu(), compile(&document, keep)).unwrap();
        for frame in 1..6 {
            step(&mut sim, 1);
            let values = ["a", "b", "c", "same", "d", "e"].map(|s| read(&sim, s)[9]);
            let n = f64::from(frame);
            let exchanged = if frame % 2 == 1 { [5.0, 4.0] } else { [4.0, 5.0] };
            assert_eq!(values, [n, n - 1.0, n - 2.0, n, exchanged[0], exchanged[1]], "after {frame} frames");
        }
    }
}

#[test]
fn replace_keeps_what_did_not_change_and_restarts_what_did() {
    for (frames, (ty, value, restarted)) in
        [3, 4].into_iter().flat_map(|n| [("Grid<f32>", "50", 50.0), ("Grid<vec4f>", "20", 20.0)].map(|c| (n, c)))
    {
        let mut sim = simulation(&count("10", "Grid<f32>", "20"));
        step(&mut sim, frames);
        sim.replace(compile(&count("10", ty, value), Keep::All)).unwrap();
        let [kept, new] = [read(&sim, "a")[0], read(&sim, "b")[0]];
        println!("{frames} frames, then b became {ty} = {value}: a {kept}, b {new}");
        assert_eq!([kept, new], [10.0 + frames as f64, restarted]);
        assert_eq!(sim.frame(), frames as u64, "time goes on");
        step(&mut sim, 2);
        assert_eq!([read(&sim, "a")[0], read(&sim, "b")[0]], [12.0 + frames as f64, restarted + 2.0]);
    }
}

#[test]
fn replace_by_the_same_changes_nothing_and_by_all_else_starts_again() {
    for frames in [3, 4] {
        let mut sim = simulation(&count("10", "Grid<f32>", "20"));
        step(&mut sim, frames);
        let states = Keep::Wires(vec!["a.value".into(), "b.value".into()]);
        sim.replace(compile(&count("10", "Grid<f32>", "20"), states)).unwrap();
        step(&mut sim, 1);
        let n = frames as f64;
        assert_eq!([read(&sim, "a")[0], read(&sim, "b")[0]], [11.0 + n, 21.0 + n]);
        sim.replace(compile(&count("11", "Grid<f32>", "21"), Keep::All)).unwrap();
        assert_eq!([read(&sim, "a")[0], read(&sim, "b")[0], sim.time()], [11.0, 21.0, 0.0], "nothing carries on");
    }
}

/// After an edit a State may live in one buffer that had two, or the other way round.
#[test]
fn replace_keeps_a_state_whose_memory_is_laid_out_again() {
    let shifting = count("0", "Grid<f32>", "0");
    let mut resting = shifting.clone();
    let still = shifting.node("up").unwrap().clone();
    *resting.node_mut("move").unwrap() = still;
    let input = stagewright_language::document::Link::parse("b.value");
    resting.node_mut("move").unwrap().inputs.insert("x".into(), input);
    for frames in [1, 2, 3] {
        for (first, second) in [(&shifting, &resting), (&resting, &shifting)] {
            let mut sim = simulation(first);
            let rows: Vec<f32> = (0..35).map(|i| (i / 7 * 10) as f32).collect();
            run(&mut sim, &[("b", &rows)], frames, "b");
            sim.replace(compile(second, Keep::All)).unwrap();
            step(&mut sim, 2);
            let expected: Vec<f64> = rows.iter().map(|v| f64::from(*v) + frames as f64 + 2.0).collect();
            assert_eq!(read(&sim, "b"), expected, "{frames} frames before");
        }
    }
}

#[test]
fn a_plan_that_fails_leaves_the_old_one_running() {
    let mut sim = simulation(&count("10", "Grid<f32>", "20"));
    step(&mut sim, 3);
    let mut broken = compile(&count("10", "Grid<f32>", "20"), Keep::All);
    broken.kernels.iter_mut().for_each(|k| k.wgsl = "fn nonsense(".into());
    let problems = sim.replace(broken).unwrap_err();
    println!("refused: {}", problems.to_string().lines().next().unwrap_or(""));
    assert!(gpu().take_faults().is_empty(), "the driver has nothing to add");
    step(&mut sim, 1);
    assert_eq!([read(&sim, "a")[0], read(&sim, "b")[0]], [14.0, 24.0]);
}

#[test]
fn time_and_frame_count_as_the_stages_see_them() {
    let nodes = r##"
        "clock": (custom: r#"//! Clock
            //! @out now: Grid<vec4f>
            fn stage(cell: Cell) -> vec4f { return vec4f(frame.time, frame.dt, f32(frame.index), f32(frame.seed)); }"#),
    "##;
    let mut sim = start(50.0, &[DOMAIN, nodes].concat(), &[]);
    for (dt, expected) in
        [(None, [0.0, 0.02, 0.0, 7.0]), (Some(0.5), [0.02, 0.5, 1.0, 7.0]), (None, [0.52, 0.02, 2.0, 7.0])]
    {
        sim.step(&FrameInput { dt, ..FrameInput::default() }).unwrap();
        let now = read(&sim, "clock.now");
        within("time, dt, frame, seed", max_abs(&difference(&now[..4], &expected)), U, "rounding of a time below 1 s");
    }
}
