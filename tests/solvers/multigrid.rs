//! Pressure by multigrid on one density: what a V-cycle leaves of the residual, where it ends, and the borders.

use std::f64::consts::PI;

use stagewright_compiler::tuning::{LANES, MAX_LANES};
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// One frame is one V-cycle.
const SOLVER: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "p": (state: "Grid<f32>", inputs: {"next": "solve.pressure"}),
    "solve": (stage: "fluid/pressure_multigrid", inputs: {"divergence": "rhs.value", "pressure": "p.value"}),
    "left": (stage: "fluid/residual", inputs: {"divergence": "rhs.value", "pressure": "solve.pressure"}),
"#;

fn cells_of(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// A solver of these cells, of 1/64 m each.
fn solver(shape: &[usize], edge: &str) -> stagewright_runtime::sim::Simulation {
    let values =
        [("$cells", cells_of(shape)), ("$width", (shape[0] as f64 / 64.0).to_string()), ("$edge", edge.to_string())];
    start(60.0, SOLVER, &pairs(&values))
}

/// Noise and some waves, not so long that f32 could not show more than a cycle. With a mean of zero, as a closed box needs it.
fn rough(shape: &[usize]) -> Vec<f32> {
    let count: usize = shape.iter().product();
    let noise = f64s(&random(count, 9));
    let mut rhs: Vec<f64> = (0..count)
        .map(|i| {
            let [x, y] = [i % shape[0], i / shape[0] % shape[1]];
            let wave = |c: usize, cells: f64| (2.0 * PI * c as f64 / cells).cos();
            noise[i] + wave(x, 100.0) + wave(y, 70.0) * wave(x, 20.0)
        })
        .collect();
    let mean = mean(&rhs);
    rhs.iter_mut().for_each(|v| *v -= mean);
    f32s(&rhs)
}

/// What each of some cycles leaves of the residual's rms, as long as f32 can show it; and where that ends, as a part of the first.
fn factors(shape: &[usize], edge: &str, cycles: usize) -> (Vec<f64>, f64) {
    let mut sim = solver(shape, edge);
    let rhs = rough(shape);
    sim.reset();
    sim.write("rhs", &rhs).unwrap();
    let first = rms(&f64s(&rhs));
    let mut before = first;
    let mut factors = Vec::new();
    let mut lowest = 0.0;
    for _ in 0..cycles {
        step(&mut sim, 1);
        let left = read(&sim, "left.residual");
        assert_eq!(read(&sim, "solve.residual")[0], max_abs(&left), "the group tells its largest residual");
        lowest = floor(2 * shape.len(), max_abs(&read(&sim, "solve.pressure")));
        factors.push(rms(&left) / before);
        before = rms(&left);
        if before < lowest {
            break;
        }
    }
    (factors, lowest / first)
}

/// Where the residual of f32 pressures stands still: a multiple of what rounding a pressure does to it.
fn floor(faces: usize, largest: f64) -> f64 {
    stalled_residual(faces, largest, 1.0 / 64.0)
}

#[test]
fn a_v_cycle_leaves_a_tenth_of_the_residual_at_any_size() {
    const ALL: &[&str] = &["wall", "zero", "wrap"];
    let cases: [(&[usize], &[&str]); 9] = [
        (&[32, 32], ALL),
        (&[128, 128], ALL),
        // A million cells take seconds.
        (&[1024, 1024], &["wall"]),
        (&[100, 60], &["zero"]),
        (&[129, 97], &["wrap"]),
        (&[31, 200], &["wall"]),
        (&[45, 77], &["zero"]),
        (&[32, 32, 32], &["zero", "wrap"]),
        (&[21, 34, 16], &["wall", "wrap"]),
    ];
    for (shape, edges) in cases {
        for edge in edges {
            let (factors, floor) = factors(shape, edge, 3);
            println!("{shape:?}, {edge}: V-cycles leave {factors:.3?} of the residual, the floor is at {floor:.0e}");
            // A border that lets through is met at wide cells for the first time; from the second on that is gone, too.
            let bar = |cycle: usize| if cycle == 0 && *edge != "wall" { 0.25 } else { 0.1 };
            for (cycle, factor) in factors.iter().enumerate() {
                within(
                    &format!("  cycle {cycle}"),
                    *factor,
                    bar(cycle),
                    "a tenth; the first a quarter where a border lets through",
                );
            }
        }
    }
}

/// What the exactly solved 5-point equations are off by, as in `poisson`.
const EXACTLY_SOLVED: [(usize, f64); 3] = [(16, 1.245784e-2), (32, 3.188039e-3), (64, 8.016430e-4)];

#[test]
fn cycles_end_at_the_solution() {
    let mut errors = Vec::new();
    for (n, exactly_solved) in EXACTLY_SOLVED {
        let wave = |i: usize| (2.0 * PI * (i as f64 + 0.5) / n as f64).cos();
        let exact: Vec<f64> = (0..n * n).map(|i| wave(i % n) * wave(i / n)).collect();
        // Cells of 1/64 m.
        let width = n as f64 / 64.0;
        let rhs = f32s(&exact.iter().map(|p| -8.0 * PI * PI * p / (width * width)).collect::<Vec<_>>());
        let mut sim = solver(&[n, n], "wall");
        let error = difference(&run(&mut sim, &[("rhs", &rhs)], 8, "p"), &exact);
        let constant = mean(&error);
        let error = max_abs(&error.iter().map(|e| e - constant).collect::<Vec<_>>());
        within(
            &format!("{n} x {n}, against the exact solve"),
            (error - exactly_solved).abs(),
            0.01 * exactly_solved,
            "1 % of the exact solve",
        );
        errors.push(error);
    }
    has_order("multigrid, 16 to 32", order(errors[0], errors[1]), 2.0);
    has_order("multigrid, 32 to 64", order(errors[1], errors[2]), 2.0);
}

#[test]
fn what_flows_into_a_closed_box_does_not_run_away_with_the_pressure() {
    let shape = [64usize, 48];
    for edge in ["wall", "wrap"] {
        let rhs: Vec<f32> = rough(&shape).iter().map(|v| v + 1.0).collect();
        let mut sim = solver(&shape, edge);
        let p = run(&mut sim, &[("rhs", &rhs)], 40, "p");
        // The mean that sweeps add on the way, h^2 / F a sweep and level of cells 2^k h wide, is all that grows.
        let levels: f64 = (0..7).map(|k| 6.0 * 1.1 * 4f64.powi(k) / 4.0).sum();
        let drift = 40.0 * levels / (64.0 * 64.0);
        let size = max_abs(&p.iter().map(|v| v - mean(&p)).collect::<Vec<_>>());
        within(
            &format!("{edge}: the constant after 40 cycles"),
            mean(&p).abs(),
            drift,
            "a sweep adds h^2 / F of the mean",
        );
        let residual = read(&sim, "left.residual");
        let rest = max_abs(&residual.iter().map(|r| r - 1.0).collect::<Vec<_>>());
        within(&format!("{edge}: residual beside the mean"), rest, floor(4, size + drift), "where f32 stands still");
    }
}

fn planned(shape: &[usize], edge: &str, tuning: Tuning) -> Plan {
    let values =
        [("$cells", cells_of(shape)), ("$width", (shape[0] as f64 / 64.0).to_string()), ("$edge", edge.to_string())];
    let graph = Graph::build(&document(60.0, SOLVER, &pairs(&values)), Library::builtin());
    let options = PlanOptions { keep: Keep::Wires(vec!["p.value".into()]), tuning, ..PlanOptions::default() };
    Plan::compile(&graph.unwrap_or_else(|e| panic!("{e}")), &options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_v_cycle_of_few_dispatches_gives_the_same_bits() {
    // Two dispatches down a level and one up; around a periodic axis and in space not every level is swept on tiles.
    let cases: [(&[usize], &str, usize, u32); 6] = [
        (&[72, 64], "wall", 27, LANES),
        (&[291, 150], "wall", 27, LANES),
        (&[100, 60], "zero", 27, LANES),
        (&[64, 32], "wrap", 103, LANES),
        (&[21, 34, 16], "wall", 93, LANES),
        (&[21, 34, 16], "wall", 93, MAX_LANES - 1),
    ];
    for (shape, edge, most, lanes) in cases {
        // Small levels by themselves too; `one_workgroup` joins those.
        let tiles = Tuning { without: vec!["one_workgroup".into()], lanes, ..Tuning::gpu() };
        let (plain, joined) = (planned(shape, edge, Tuning::default()), planned(shape, edge, tiles));
        let (before, after) = (plain.frame.len(), joined.frame.len());
        println!("{shape:?}, {edge}: {after} dispatches of {before}");
        if edge == "wall" && shape.len() == 2 {
            let text = joined.to_text_with_wgsl();
            for dispatch in
                ["restrict_1 after solve/residual_0", "smooth_again_0 red after solve/prolong_0", "48 sweeps"]
            {
                assert!(text.contains(dispatch), "{shape:?}: no `{dispatch}`");
            }
            // Inside a tile that lies in the domain no face is a border; levels wider than two tiles have such.
            assert!(text.contains("-> bool { if (_inside && "), "{shape:?}");
        }
        let outcome = |plan: Plan| {
            let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
            sim.write("rhs", &rough(shape)).unwrap();
            step(&mut sim, 2);
            words(&sim, "p.value")
        };
        let (expected, found) = (outcome(plain), outcome(joined));
        let apart = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        assert_eq!(apart, 0, "{shape:?}, {edge}: cells of {}", found.len());
        assert!(after <= most, "{shape:?}, {edge}: {after} dispatches, {most} expected");
    }
}
