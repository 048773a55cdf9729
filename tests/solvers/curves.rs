//! Curves and gradients on the GPU, held against their f64 selves.

use stagewright_base::curve::{Color, Curve, Gradient, SAMPLES};
use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// A row of cells whose values run from a little below 0 to a little above 1, through a curve and a gradient: in a stage, in a field,
/// in a group that exposes them, and in an operation that runs in every frame.
const NODES: &str = r###"
    "row": (domain: (resolution: ($n, 1), width: 1, edge: "clamp")),
    "x": (custom: r#"//! X
        //! @out x: Grid<f32>
        fn stage(cell: Cell) -> f32 { return f32(cell.x - 8) / f32(RESOLUTION.x - 17); }"#, on: "row"),
    "still": (custom: r##"$stage"##, inputs: {"x": "x.x"}, params: {"falloff": $curve, "ramp": $ramp}),
    "live": (custom: r##"$stage"##, inputs: {"x": "x.x"}, params: {"falloff": $curve, "ramp": $ramp, "offset": "0 * frame"}),
    "group": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"y": "inner.y", "color": "inner.color"}, params: {"shape": ["inner.falloff"]}, nodes: {
        "inner": (custom: r##"$stage"##, inputs: {"x": "in.x"}, params: {"ramp": $ramp}),
    }), inputs: {"x": "x.x"}, params: {"shape": $curve}),
    "field": (stage: "field/from_grid", inputs: {"grid": "x.x"}),
    "first": (stage: "field/remap", inputs: {"source": "field.field"}, params: {"shape": $curve, "scale": 2}),
    "second": (stage: "field/remap", inputs: {"source": "first.result"}, params: {"shape": [(0, 0), (1, 1)], "low": -1, "high": 9, "scale": 10}),
    "asked": (stage: "grid/from_field", on: "row", inputs: {"field": "second.result"}),
    "grid": (stage: "grid/remap", inputs: {"field": "x.x"}, params: {"shape": $curve, "low": 1, "high": 0, "scale": -3}),
    "seen": (stage: "view/gradient", inputs: {"field": "grid.result"}, params: {"ramp": $ramp, "low": -3, "high": 0}),
    "screen": (output: (), inputs: {"image": "seen.image"}),
"###;

const STAGE: &str = "//! Shaped
//! @in    x: Grid<f32>          Place
//! @out   y: Grid<f32>          Value
//! @out   color: Grid<vec4f>    Colour
//! @param falloff: curve = [(0, 1), (1, 0)]    Curve
//! @param ramp: gradient = [(0, \"#000000\"), (1, \"#ffffff\")]    Gradient
//! @param offset: f32 = 0       Added
fn stage(cell: Cell) -> Result { return Result(falloff(x(cell)) + params.offset, ramp(x(cell))); }";

const CELLS: usize = 1017;

fn simulation(curve: &Curve, ramp: &Gradient) -> Simulation {
    let (curve, ramp) = (ParamValue::Curve(curve.clone()), ParamValue::Gradient(ramp.clone()));
    let values = [
        ("$n", CELLS.to_string()),
        ("$stage", STAGE.into()),
        ("$curve", curve.to_string()),
        ("$ramp", ramp.to_string()),
    ];
    start(60.0, NODES, &pairs(&values))
}

/// Where a cell stands, as the GPU has it.
fn place(cell: usize) -> f64 {
    f64::from((cell as f32 - 8.0) / (CELLS as f32 - 17.0))
}

fn values(of: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..CELLS).map(|cell| of(place(cell))).collect()
}

/// Largest value, and how steep it gets: what 32 bits lose at t and in two sums.
fn rounding(curve: &Curve) -> f64 {
    let samples = curve.samples();
    let steep = samples.windows(2).map(|s| (s[1] - s[0]).abs()).fold(0.0, f64::max) * (SAMPLES - 1) as f64;
    8.0 * U * (max_abs(&samples) + steep)
}

fn curves() -> Vec<Curve> {
    let shapes: [&[(f64, f64)]; 4] = [
        &[(0.0, 1.0), (0.5, 0.8), (1.0, 0.0)],
        &[(0.0, 0.0), (0.1, 0.9), (0.6, 1.0), (0.7, -3.0), (1.0, 2.0)],
        &[(0.3, 2.5)],
        &[(0.0, 0.0), (0.5, 0.25), (0.5, 1.0), (1.0, 0.75)],
    ];
    shapes.iter().map(|points| Curve { points: points.to_vec() }).collect()
}

fn gradient() -> Gradient {
    let (black, red, white) = ([0.0, 0.0, 0.0, 1.0], [3.0, 0.1, 0.0, 0.25], [1.0; 4]);
    Gradient { stops: vec![(0.1, black), (0.4, red), (1.0, white)] }
}

/// Linear interpolation between samples.
fn between(samples: &[f64], t: f64) -> f64 {
    let x = t.clamp(0.0, 1.0) * (SAMPLES - 1) as f64;
    let i = (x as usize).min(SAMPLES - 2);
    let f = x - i as f64;
    samples[i] * (1.0 - f) + samples[i + 1] * f
}

#[test]
fn a_curve_on_the_gpu_is_the_curve() {
    for curve in curves() {
        let mut sim = simulation(&curve, &gradient());
        step(&mut sim, 2);
        let (bar, because) = (curve.table_error() + rounding(&curve), "the table's own bound, and 8 roundings");
        let expected = values(|t| curve.at(t));
        for wire in ["still.y", "live.y", "group.y"] {
            within(
                &format!("{wire}, {:?}", curve.points),
                max_abs(&difference(&read(&sim, wire), &expected)),
                bar,
                because,
            );
        }
        // Against its own table there are but roundings.
        let (samples, bar_of_table) = (curve.samples(), rounding(&curve));
        let error = max_abs(&difference(&read(&sim, "still.y"), &values(|t| between(&samples, t))));
        within("the table", error, bar_of_table, "8 roundings of t and of the values");
        let mirrored = values(|t| -3.0 * curve.at(1.0 - t));
        let error = max_abs(&difference(&read(&sim, "grid.result"), &mirrored));
        within("grid/remap", error, 3.0 * bar, "the same, three times as large and turned round");
        let twice = values(|t| (2.0 * curve.at(t) + 1.0).clamp(0.0, 10.0));
        let error = max_abs(&difference(&read(&sim, "asked.result"), &twice));
        within("field/remap in field/remap", error, 2.0 * bar + 64.0 * U * 10.0, "doubled; a table of 0..10 on top");
    }
}

#[test]
fn a_gradient_on_the_gpu_is_the_gradient() {
    let (curve, ramp) = (curves().remove(0), gradient());
    let mut sim = simulation(&curve, &ramp);
    step(&mut sim, 2);
    // A table of h misses h / 4 of a slope's jump where a stop lies between two samples.
    let slopes = |c: usize| ramp.stops.windows(2).map(move |s| (s[1].1[c] - s[0].1[c]) / (s[1].0 - s[0].0));
    let jump = (0..4).flat_map(slopes).map(f64::abs).fold(0.0, f64::max) * 2.0;
    let (bar, because) =
        (jump / 4.0 / (SAMPLES - 1) as f64 + 32.0 * U * jump, "h / 4 of the largest jump of slope, and rounding");
    let colors = |of: &dyn Fn(f64) -> Color| (0..CELLS).flat_map(|cell| of(place(cell))).collect::<Vec<f64>>();
    let expected = colors(&|t| ramp.at(t));
    for wire in ["still.color", "live.color", "group.color"] {
        within(wire, max_abs(&difference(&read(&sim, wire), &expected)), bar, because);
    }
    let seen = read(&sim, "grid.result");
    let expected: Vec<f64> = seen.iter().flat_map(|v| ramp.at((v + 3.0) / 3.0)).collect();
    within("view/gradient", max_abs(&difference(&read(&sim, "seen.image"), &expected)), bar, because);
}

#[test]
fn wild_values_are_magenta_in_a_gradient() {
    let nodes = r##"
        "row": (domain: (resolution: (4, 1), width: 1, edge: "clamp")), "x": (state: "Grid<f32>", on: "row"),
        "seen": (stage: "view/gradient", inputs: {"field": "x.value"}, params: {"low": 2, "high": 2}),"##;
    let seen = run(&mut start(60.0, nodes, &[]), &[("x", &[f32::NAN, f32::INFINITY, 1.0, 3.0])], 1, "seen.image");
    assert_eq!(seen[..8], [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(seen[8..12], [0.0, 0.0, 0.0, 1.0], "an empty range: what lies below has the first colour");
    assert!(seen[12] == 1.0 && seen[15] == 1.0, "and what lies above the last");
}

#[test]
fn curves_change_while_the_simulation_runs() {
    let (before, after) = (curves().remove(0), curves().remove(1));
    let mut sim = simulation(&before, &gradient());
    step(&mut sim, 2);
    let (old, nodes) = (read(&sim, "still.y"), sim.plan().invariant_nodes());
    assert!(nodes.contains("still") && !nodes.contains("live"), "{nodes:?}");
    for path in ["still.falloff", "live.falloff", "group.shape", "first.shape"] {
        sim.set_param(path, ParamValue::Curve(after.clone())).unwrap_or_else(|e| panic!("{e}"));
    }
    step(&mut sim, 1);
    let bar = after.table_error() + rounding(&after);
    let shows = |sim: &Simulation, wire: &str| {
        let error = max_abs(&difference(&read(sim, wire), &values(|t| after.at(t))));
        within(wire, error, bar, "the table's own bound, and 8 roundings");
    };
    ["still.y", "live.y", "group.y"].iter().for_each(|wire| shows(&sim, wire));
    assert_ne!(read(&sim, "still.y"), old);
    assert_eq!(read(&sim, "still.color"), read(&sim, "live.color"), "the gradient is as it was");
    sim.reset();
    step(&mut sim, 1);
    ["still.y", "live.y", "group.y"].iter().for_each(|wire| shows(&sim, wire));
    let red = Gradient { stops: vec![(0.5, [1.0, 0.0, 0.0, 0.5])] };
    sim.set_param("still.ramp", ParamValue::Gradient(red)).unwrap();
    step(&mut sim, 1);
    assert!(read(&sim, "still.color").chunks(4).all(|c| c == [1.0, 0.0, 0.0, 0.5]), "one stop is one colour");
    shows(&sim, "still.y");
}

#[test]
fn wrong_curves_leave_the_old_one_in_force() {
    let mut sim = simulation(&curves().remove(0), &gradient());
    step(&mut sim, 1);
    let (plan, seen) = (sim.plan().clone(), read(&sim, "still.y"));
    let curve = |points: &[(f64, f64)]| ParamValue::Curve(Curve { points: points.to_vec() });
    for (path, value, says) in [
        ("still.falloff", curve(&[]), "no points"),
        ("still.falloff", curve(&[(0.0, f64::NAN)]), "NaN"),
        ("still.falloff", curve(&[(0.7, 1.0), (0.2, 1.0)]), "sort the points by t"),
        ("still.falloff", ParamValue::Number(1.0), "a number was given for a curve"),
        ("still.falloff", ParamValue::Expression("time".into()), "an expression was given for a curve"),
        ("still.falloff", ParamValue::Gradient(gradient()), "a gradient was given for a curve"),
        ("group.shape", curve(&[(2.0, 1.0)]), "t = 2"),
        ("still.ramp", curve(&[(0.0, 1.0)]), "a curve was given for a gradient"),
        ("still.ramp", ParamValue::Gradient(Gradient::default()), "no stops"),
        ("still.offset", curve(&[(0.0, 1.0)]), "a curve was given for a number"),
    ] {
        let said = sim.set_param(path, value).expect_err(says).to_string();
        println!("{said}");
        assert!(said.contains(says), "{said}");
    }
    step(&mut sim, 1);
    assert_eq!((&plan, seen), (sim.plan(), read(&sim, "still.y")));
    // Ten thousand points are more than the table can show, and are one curve all the same.
    let many: Vec<(f64, f64)> = (0..10_000).map(|i| (f64::from(i) / 9999.0, f64::from(i) / 9999.0)).collect();
    sim.set_param("still.falloff", curve(&many)).unwrap();
    step(&mut sim, 1);
    let error = max_abs(&difference(&read(&sim, "still.y"), &values(|t| t.clamp(0.0, 1.0))));
    within("10,000 points on a line", error, 16.0 * U, "8 roundings of t and of values up to 1");
}
