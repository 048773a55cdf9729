//! Conservative advection: sums, bounds, order, walls. And what the semi-Lagrangian methods do to a sum.

use std::f64::consts::{PI, TAU};

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const CARRY: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "u": (state: "$flow"),
    "open": (state: "Grid<f32>", params: {"value": 1}),
    "q": (state: "Grid<$type>", inputs: {"next": "carry.result"}),
    "carry": (stage: "$stage", inputs: {"field": "q.value", "velocity": "u.value"$walls}, params: {"substeps": $substeps}),
"#;

const CELLS: &str = "fluid/advect_conservative";
const FACES: &str = "staggered/advect_conservative";

/// A simulation that carries `q` along `u`.
fn carrier(
    grid: &Grid,
    stage: &str,
    fps: f64,
    substeps: u32,
    ty: &str,
    walls: bool,
) -> stagewright_runtime::sim::Simulation {
    let values = [
        ("$cells", grid.resolution()),
        ("$edge", grid.edge.name().into()),
        ("$flow", if stage == FACES { "FaceGrid" } else { "Grid<Vec>" }.into()),
        ("$type", ty.into()),
        ("$stage", stage.into()),
        ("$walls", if walls { r#", "open": "open.value""# } else { "" }.into()),
        ("$substeps", substeps.to_string()),
    ];
    start(fps, CARRY, &pairs(&values))
}

/// A vortex in a box of width 1, at rest on its walls: the stream function is sin^2 sin^2 / pi. In 3D, LeVeque's flow.
fn vortex(at: [f64; 3], dim: usize) -> [f64; 3] {
    let [x, y, z] = at.map(|v| PI * v);
    if dim == 2 {
        return [x.sin().powi(2) * (2.0 * y).sin(), -(2.0 * x).sin() * y.sin().powi(2), 0.0];
    }
    [
        2.0 * x.sin().powi(2) * (2.0 * y).sin() * (2.0 * z).sin(),
        -(2.0 * x).sin() * y.sin().powi(2) * (2.0 * z).sin(),
        -(2.0 * x).sin() * (2.0 * y).sin() * z.sin().powi(2),
    ]
}

/// The vortex at cell centres.
fn centered(grid: &Grid) -> Vec<f32> {
    grid.cells().flat_map(|c| vortex(grid.position(c), grid.dim)[..grid.dim].to_vec()).map(|v| v as f32).collect()
}

/// The same in 2D on faces, as differences of the stream function between the corners: without divergence.
fn staggered(grid: &Grid) -> Vec<f32> {
    let corner = |x: i64, y: i64| {
        let [x, y] = [x, y].map(|i| (PI * i as f64 * grid.h).sin().powi(2));
        x * y / PI
    };
    let faces = |c: [i64; 3]| {
        let [x, y] = [c[0], c[1]];
        [corner(x, y + 1) - corner(x, y), corner(x, y) - corner(x + 1, y)]
    };
    grid.layered().cells().flat_map(|c| faces(c).map(|v| (v / grid.h) as f32)).collect()
}

/// Something with a step, on a background.
fn ball(grid: &Grid) -> Vec<f32> {
    let center = [0.35, 0.6, if grid.dim == 3 { 0.4 } else { 0.0 }];
    let away = |at: [f64; 3]| (0..3).map(|a| (at[a] - center[a]).powi(2)).sum::<f64>().sqrt();
    f32s(&grid.fill(|at| if away(at) < 0.25 { 1.0 } else { 0.1 }))
}

fn keeps_sum_and_range(grid: &Grid, stage: &str, flow: &[f32]) {
    let before = ball(grid);
    let mut sim = carrier(grid, stage, 20.0, 1, "f32", false);
    let after = run(&mut sim, &[("u", flow), ("q", &before)], 40, "q");
    let what = format!("{stage} on {}, 2 s", grid.resolution());
    let (sum, was) = (after.iter().sum::<f64>(), f64s(&before).iter().sum::<f64>());
    within(&format!("{what}: sum"), (sum / was - 1.0).abs(), 1e-6, "kept to rounding");
    let beyond = after.iter().map(|q| (q - 1.0).max(0.1 - q)).fold(0.0, f64::max);
    // A cell's volume is off by the roundings of its faces' flow in each sweep.
    let bar = 40.0 * grid.faces() as f64 * U;
    within(&format!("{what}: beyond the range"), beyond, bar, "roundings of 40 steps");
    let moved = rms(&difference(&after, &f64s(&before)));
    assert!(moved > 0.05, "{what}: it moves, by {moved}");
}

#[test]
fn a_closed_vortex_keeps_the_sum_and_the_range() {
    let square = Grid::new(&[40, 40], 1.0, EdgeRule::Wall);
    keeps_sum_and_range(&square, CELLS, &centered(&square));
    keeps_sum_and_range(&square, FACES, &staggered(&square));
    let cube = Grid::new(&[12, 12, 12], 1.0, EdgeRule::Wall);
    keeps_sum_and_range(&cube, CELLS, &centered(&cube));
}

const SEMI: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "u": (state: "Grid<Vec>"),
    "q": (state: "Grid<f32>", inputs: {"next": "$method.result"}),
    "plain": (stage: "fluid/advect", inputs: {"field": "q.value", "velocity": "u.value"}, params: {"order": 2}),
    "corrected": (stage: "fluid/advect_maccormack", inputs: {"field": "q.value", "velocity": "u.value"}, params: {"order": 2}),
"#;

/// The drift that the documentation of MacCormack Correction states, and that of Advect: a Gaussian of width .05 on no
/// background, 2 s in the vortex.
#[test]
fn semi_lagrangian_sums_drift_as_documented() {
    for (method, cells, stated) in [("plain", 64, 0.010), ("corrected", 64, 0.37), ("corrected", 128, 0.24)] {
        let grid = Grid::new(&[cells, cells], 1.0, EdgeRule::Wall);
        let away = |at: [f64; 3]| (at[0] - 0.3).powi(2) + (at[1] - 0.5).powi(2);
        let before = f32s(&grid.fill(|at| (-away(at) / 0.0025).exp()));
        let mut sim = start(60.0, SEMI, &[("$cells", &grid.resolution()), ("$method", method)]);
        let after = run(&mut sim, &[("u", &centered(&grid)), ("q", &before)], 120, "q");
        let drift = after.iter().sum::<f64>() / f64s(&before).iter().sum::<f64>() - 1.0;
        within(&format!("{method} on {cells}: {:+.2} %", 100.0 * drift), (drift - stated).abs(), 0.01, "as documented");
    }
}

fn bump(center: [f64; 3]) -> impl Fn([f64; 3]) -> f64 {
    move |at| (0..3).map(|a| ((TAU * (at[a] - center[a])).cos() - 1.0) / 0.395).sum::<f64>().exp()
}

/// A product of sines.
fn wave(center: [f64; 3]) -> impl Fn([f64; 3]) -> f64 {
    move |at| (0..3).map(|a| if at[a] == 0.0 { 1.0 } else { (TAU * (at[a] - center[a])).cos() }).product()
}

/// Mean and root-mean-square error after a wave has moved by (.40625, .203125, ..) at so many cells a frame.
fn errors(resolution: &[usize], cells: f64, stage: &str) -> [f64; 2] {
    let grid = Grid::new(resolution, 1.0, EdgeRule::Wrap);
    let (n, dim) = (resolution[0], resolution.len());
    let way = [0.40625, 0.203125, if dim == 3 { -0.203125 } else { 0.0 }];
    let steps = (way[0] * n as f64 / cells).round() as usize;
    let flow: Vec<f32> = (0..grid.layered().cell_count()).flat_map(|_| f32s(&way[..dim])).collect();
    let flow = if stage == FACES { flow } else { flow[..grid.cell_count() * dim].to_vec() };
    let from = [0.3, 0.4, if dim == 3 { 0.6 } else { 0.0 }];
    let mut sim = carrier(&grid, stage, steps as f64, 1, "f32", false);
    let carried = run(&mut sim, &[("u", &flow), ("q", &f32s(&grid.fill(wave(from))))], steps, "q");
    let exact = grid.fill(wave(std::array::from_fn(|a| from[a] + way[a])));
    let e: Vec<f64> = difference(&carried, &exact).iter().map(|e| e.abs()).collect();
    [mean(&e), rms(&e)]
}

#[test]
fn smooth_data_is_carried_with_second_order() {
    for (what, stage, sizes) in [
        ("2D", FACES, [&[64usize, 64] as &[usize], &[128, 128]]),
        ("2D, centred flow", CELLS, [&[32, 32], &[64, 64]]),
        ("3D", FACES, [&[24, 24, 24], &[48, 48, 48]]),
    ] {
        let e = sizes.map(|n| errors(n, 2.6, stage));
        let orders = [0, 1].map(|k| order(e[0][k], e[1][k]));
        println!("{what}: mean errors {:.2e}, {:.2e}, orders {orders:.2?} (mean, rms)", e[0][0], e[1][0]);
        assert!(orders[0] >= 1.9, "{what}: {orders:?}");
        assert!(orders[1] >= 1.8, "{what}: {orders:?}; the limiter flattens tops");
    }
}

/// A second of the vortex, half of it backwards: what came must have gone.
fn there_and_back(n: usize) -> f64 {
    let grid = Grid::new(&[n, n], 1.0, EdgeRule::Wall);
    let before = grid.fill(bump([0.4, 0.6, 0.0]));
    let [flow, back] = [1.0, -1.0].map(|sign| staggered(&grid).iter().map(|v| sign * v).collect::<Vec<f32>>());
    let steps = n / 2;
    let mut sim = carrier(&grid, FACES, 2.0 * steps as f64, 1, "f32", false);
    run(&mut sim, &[("u", &flow), ("q", &f32s(&before))], steps, "q");
    sim.write("u", &back).unwrap();
    step(&mut sim, steps);
    mean(&difference(&read(&sim, "q"), &before).iter().map(|e| e.abs()).collect::<Vec<_>>())
}

#[test]
fn a_vortex_and_back_is_of_second_order() {
    let e = [32, 64].map(there_and_back);
    println!("there and back: mean errors {e:?}, order {:.2}", order(e[0], e[1]));
    assert!(order(e[0], e[1]) >= 1.9);
}

#[test]
fn substeps_divide_the_step() {
    let grid = Grid::new(&[24, 24], 1.0, EdgeRule::Wall);
    let (flow, before) = (staggered(&grid), ball(&grid));
    let carried = |fps: f64, substeps: u32, frames: usize| {
        run(&mut carrier(&grid, FACES, fps, substeps, "f32", false), &[("u", &flow), ("q", &before)], frames, "q")
    };
    let error = max_abs(&difference(&carried(15.0, 4, 3), &carried(60.0, 1, 12)));
    within("4 substeps of 1/15 s and 4 frames of 1/60 s", error, 200.0 * U, "roundings of 12 steps");
}

#[test]
fn every_component_is_carried_like_a_number() {
    let grid = Grid::new(&[24, 20], 1.0, EdgeRule::Wrap);
    let q = f32s(&grid.fill(bump([0.3, 0.4, 0.0])));
    let flow = staggered(&grid);
    let carried =
        |ty: &str, q: &[f32]| run(&mut carrier(&grid, FACES, 60.0, 1, ty, false), &[("u", &flow), ("q", q)], 8, "q");
    let alone = carried("f32", &q);
    for (ty, scales) in [("Vec", &[1.0f32, -2.0] as &[f32]), ("vec4f", &[1.0, -2.0, 0.5, 4.0])] {
        let together: Vec<f32> = q.iter().flat_map(|v| scales.iter().map(move |s| s * v)).collect();
        let expected: Vec<f64> = alone.iter().flat_map(|v| scales.iter().map(move |s| f64::from(*s) * v)).collect();
        let error = max_abs(&difference(&carried(ty, &together), &expected));
        within(&format!("Grid<{ty}> against Grid<f32>"), error, 4.0 * 200.0 * U, "roundings of 8 steps, times 4");
    }
}

/// A wall inside: the flow is blown against it, and it takes and gives nothing.
#[test]
fn nothing_passes_a_wall_inside() {
    let grid = Grid::new(&[32, 32], 1.0, EdgeRule::Wall);
    let solid = |at: [f64; 3]| (at[0] - 0.5).abs() < 0.1 && (at[1] - 0.45).abs() < 0.2;
    let open = grid.fill(|at| if solid(at) { 0.0 } else { 1.0 });
    let before = grid.fill(|at| if solid(at) { 5.0 } else { 1.0 + 0.5 * (9.0 * at[0]).sin() });
    let states = [("open", f32s(&open)), ("q", f32s(&before)), ("u", centered(&grid))];
    let states: Vec<(&str, &[f32])> = states.iter().map(|(name, v)| (*name, v.as_slice())).collect();
    let after = run(&mut carrier(&grid, CELLS, 20.0, 1, "f32", true), &states, 40, "q");
    let before = f64s(&f32s(&before));
    let part =
        |q: &[f64], of: f64| -> Vec<f64> { q.iter().zip(&open).filter(|(_, o)| **o == of).map(|(q, _)| *q).collect() };
    assert_eq!(part(&after, 0.0), part(&before, 0.0), "the wall holds what it held");
    let [sum, was] = [&after, &before].map(|q| part(q, 1.0).iter().sum::<f64>());
    within("sum around a wall", (sum / was - 1.0).abs(), 1e-6, "kept to rounding");
    let fluid = part(&after, 1.0);
    let beyond = fluid.iter().map(|q| (q - 1.5).max(0.5 - q)).fold(0.0, f64::max);
    within("beyond the range", beyond, 1e-3, "two cycles a frame leave a divergence");
}

/// A disc whose centre crosses the border after half a second, and which is gone after one.
#[test]
fn what_reaches_an_open_border_leaves() {
    let grid = Grid::new(&[32, 32], 1.0, EdgeRule::Zero);
    let away = |at: [f64; 3]| ((at[0] - 0.5).powi(2) + (at[1] - 0.5).powi(2)).sqrt();
    let disc = f32s(&grid.fill(|at| if away(at) < 0.2 { 1.0 } else { 0.0 }));
    let flow: Vec<f32> = (0..grid.cell_count()).flat_map(|_| [1.0, 0.25]).collect();
    let mut sim = carrier(&grid, CELLS, 60.0, 1, "f32", false);
    let sum = |q: &[f64]| q.iter().sum::<f64>() / f64s(&disc).iter().sum::<f64>();
    let half = run(&mut sim, &[("u", &flow), ("q", &disc)], 30, "q");
    within("what is left when the centre leaves", (sum(&half) - 0.5).abs(), 0.01, "as much is ahead as behind");
    within("and below zero", half.iter().fold(0.0, |m: f64, q| m.max(-q)), 30.0 * U, "roundings of 30 steps");
    step(&mut sim, 30);
    within("what is left in the end", sum(&read(&sim, "q")).abs(), 1e-5, "nothing but a smooth tail");
}
