//! Heat of two fluids: conduction against f64 and exact solutions, heated walls, heat that the flow carries, and weight
//! that depends on it.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid};

use super::stages::{FPS, WIDTH, agrees, boxes, dt, name, parts, walls};
use super::stages_reference::{Near, Vessel};

const NODES: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "open": (state: "Grid<f32>"),
    "shares": (state: "Grid<vec2f>"),
    "before": (state: "Grid<f32>"),
    "t": (state: "Grid<f32>"),
    "plate": (state: "Grid<f32>"),
    "contact": (state: "Grid<f32>"),
    "heat": (stage: "two_phase/heat", inputs: {"before": "before", "temperature": "t", "shares": "shares", "open": "open",
        "plate": "plate", "contact": "contact"}, params: {"diffusivity_f": $f, "diffusivity_g": $g}, iterations: $sweeps),
    "gravity": (stage: "two_phase/gravity", inputs: {"shares": "shares", "temperature": "t"}, params: {
        "gravity_f": (0.5, -9.81$z), "gravity_g": (-1.3, 0.6$z), "expansion_f": 0.03, "expansion_g": 0.004, "reference": 295}),
"#;

fn begin(
    grid: &Grid,
    [f, g]: [f64; 2],
    sweeps: usize,
    states: &[(&str, &[f64])],
) -> stagewright_runtime::sim::Simulation {
    let values = [
        ("$cells", grid.resolution()),
        ("$width", WIDTH.to_string()),
        ("$edge", grid.edge.name().to_string()),
        ("$f", f.to_string()),
        ("$g", g.to_string()),
        ("$sweeps", sweeps.to_string()),
        ("$z", if grid.dim == 3 { ", 2.7".into() } else { String::new() }),
    ];
    let mut sim = start(FPS, NODES, &pairs(&values));
    states.iter().for_each(|(state, values)| sim.write(state, &f32s(values)).unwrap());
    step(&mut sim, 1);
    sim
}

/// Kelvins as f32 holds them.
fn kelvins(grid: &Grid, seed: u32) -> Vec<f64> {
    parts(grid.cell_count(), seed).iter().map(|r| f64::from((290.0 + 60.0 * r) as f32)).collect()
}

#[test]
fn a_sweep_of_conduction_and_warm_weight_are_those_of_f64() {
    let d = [0.03, 0.4];
    for grid in boxes() {
        let open = walls(&grid, 1);
        let shares: Vec<f64> = parts(grid.cell_count(), 3).iter().flat_map(|f| [*f, 1.0 - f]).collect();
        let [before, t, wall] = [4, 5, 6].map(|seed| kelvins(&grid, seed));
        let contact: Vec<f64> = parts(grid.cell_count(), 7).iter().map(|r| f64::from(u8::from(*r > 0.5))).collect();
        let states: [(&str, &[f64]); 6] = [
            ("open", &open),
            ("shares", &shares),
            ("before", &before),
            ("t", &t),
            ("plate", &wall),
            ("contact", &contact),
        ];
        let sim = begin(&grid, d, 1, &states);
        let vessel = Vessel { grid: &grid, open: &open };
        let expected = vessel.conducted([&before, &t], &shares, [&wall, &contact], d);
        agrees(&format!("heat, {}", name(&grid)), &read(&sim, "heat.temperature"), &expected);

        let g = [[0.5, -9.81, 2.7], [-1.3, 0.6, 2.7]];
        let weight = |fluid: usize, c: Cell, axis: usize| {
            let warmer = Near::exact(t[grid.index(c)]) - Near::exact(295.0);
            (Near::exact(1.0) - Near::real([0.03, 0.004][fluid]) * warmer) * Near::real(g[fluid][axis])
        };
        let expected = vessel.shared(&shares, grid.dim, weight);
        agrees(&format!("gravity, {}", name(&grid)), &read(&sim, "gravity.acceleration"), &expected);
    }
}

#[test]
fn a_wave_of_heat_decays_as_an_implicit_step_has_it() {
    let grid = Grid::new(&[32, 8], WIDTH, EdgeRule::Wall);
    let d = 0.1;
    let wave = grid.fill(|p| (PI * p[0] / WIDTH).cos());
    let t: Vec<f64> = wave.iter().map(|w| f64::from((300.0 + 20.0 * w) as f32)).collect();
    let (ones, shares) = (vec![1.0; grid.cell_count()], [0.25, 0.75].repeat(grid.cell_count()));
    let sim = begin(&grid, [d, d], 400, &[("open", &ones), ("shares", &shares), ("before", &t), ("t", &t)]);
    // The eigenvalue of the difference over two cells, exactly: the borders insulate.
    let lambda = 4.0 / grid.h.powi(2) * (0.5 * PI * grid.h / WIDTH).sin().powi(2);
    let kept = 1.0 / (1.0 + dt() * d * lambda);
    let error = read(&sim, "heat.temperature")
        .iter()
        .zip(&wave)
        .fold(0.0, |m: f64, (t, w)| m.max((t - 300.0 - 20.0 * kept * w).abs()));
    println!("the wave keeps {kept:.4} of its height in a step");
    assert!(kept < 0.9, "the step is long enough to tell");
    // A sweep rounds 300 K half a dozen times; errors of the smoothest mode add up over 1 / (1 - kept) sweeps.
    within("what is left of a wave [K]", error, 6.0 * 300.0 * U / (1.0 - kept), "roundings of 300 K over the sweeps");
}

#[test]
fn two_layers_between_plates_have_the_flux_of_both() {
    // Walls in the first and last row: hot below, cold above; f in the lower half. Cells 1 to n - 2 are open.
    let n = 18;
    let grid = Grid::new(&[6, n], WIDTH, EdgeRule::Wall);
    let rows = |value: &dyn Fn(usize) -> f64| -> Vec<f64> { grid.cells().map(|c| value(c[1] as usize)).collect() };
    let open = rows(&|y| f64::from(u8::from(y > 0 && y < n - 1)));
    let wall = rows(&|y| if y == 0 { 350.0 } else { 290.0 });
    let shares: Vec<f64> =
        grid.cells().flat_map(|c| if (c[1] as usize) < n / 2 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
    let (f, g) = (0.3, 1.2);
    let half = (n / 2 - 1) as f64;
    // Two resistances in a row.
    let flux = 60.0 / (half / f + half / g);
    let exact = rows(&|y| match y {
        y if y < n / 2 => 350.0 - flux / f * (y as f64 - 0.5),
        y => 290.0 + flux / g * (n as f64 - 2.0 - y as f64 + 0.5),
    });
    let ones = vec![1.0; grid.cell_count()];
    let states: [(&str, &[f64]); 5] =
        [("open", &open), ("shares", &shares), ("plate", &wall), ("contact", &ones), ("before", &exact)];
    let sim = begin(&grid, [f, g], 1, &[&states[..], &[("t", &exact)]].concat());
    let error = read(&sim, "heat.temperature")
        .iter()
        .zip(&exact)
        .zip(&open)
        .fold(0.0, |m: f64, ((t, e), o)| m.max((t - e).abs() * o));
    within("steady temperature after a sweep [K]", error, 16.0 * 350.0 * U, "roundings of 350 K; it is a fixed point");
    let start = vec![300.0; grid.cell_count()];
    let states = [&states[..4], &[("before", &start[..]), ("t", &start)]].concat();
    let sim = begin(&grid, [f, g], 200, &states);
    let t = read(&sim, "heat.temperature");
    assert!(t.iter().all(|t| (290.0..=350.0).contains(t)), "no sweep makes new extrema");
}

#[test]
fn plates_are_below_and_above_however_the_vessel_is_turned() {
    for down in [[0.0, -1.0], [0.6, -0.8], [0.0, 2.0]] {
        let nodes = format!(
            r#""domain": (domain: (resolution: (20, 32), width: 0.1, edge: "wall")),
            "plates": (stage: "two_phase/plates", on: "domain", params: {{"down": ({}, {}), "center": (0.05, 0.08), "heated": -0.0373, "cooled": 0.0173, "hot": 350, "cold": 290}}),"#,
            down[0], down[1]
        );
        let mut sim = start(60.0, &nodes, &[]);
        step(&mut sim, 1);
        let grid = Grid::new(&[20, 32], 0.1, EdgeRule::Wall);
        let length = f64::hypot(down[0], down[1]);
        let heights = grid.fill(|p| -((p[0] - 0.05) * down[0] + (p[1] - 0.08) * down[1]) / length);
        let [wall, contact] = ["plates.plate", "plates.contact"].map(|wire| read(&sim, wire));
        for ((height, wall), contact) in heights.iter().zip(wall).zip(contact) {
            if (height + 0.0373).abs() > 1e-6 && (height - 0.0173).abs() > 1e-6 {
                let expected =
                    if *height < -0.0373 { [350.0, 1.0] } else { [290.0, f64::from(u8::from(*height > 0.0173))] };
                assert_eq!([wall, contact], expected, "at the height {height}");
            }
        }
    }
}

const CARRY: &str = r#"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "open": (state: "Grid<f32>"),
    "t": (state: "Grid<f32>"),
    "u": (state: "FaceGrid"),
    "carry": (stage: "staggered/advect_value", inputs: {"field": "t", "open": "open", "velocity": "u"}),
"#;

#[test]
fn a_value_is_carried_and_walls_neither_give_nor_take() {
    for grid in boxes() {
        let open = walls(&grid, 1);
        let values =
            [("$cells", grid.resolution()), ("$width", WIDTH.to_string()), ("$edge", grid.edge.name().to_string())];
        let mut sim = start(FPS, CARRY, &pairs(&values));
        // Up to two cells a step, in any direction; walls are hot.
        let u: Vec<f32> =
            random(grid.dim * grid.layered().cell_count(), 9).iter().map(|u| u * 2.0 * (grid.h * FPS) as f32).collect();
        let t: Vec<f64> =
            kelvins(&grid, 5).iter().zip(&open).map(|(t, o)| if *o > 0.5 { *t } else { 9000.0 }).collect();
        let states = [("open", f32s(&open)), ("t", f32s(&t)), ("u", u)];
        let got = run(&mut sim, &states.each_ref().map(|(s, v)| (*s, &v[..])), 1, "carry.result");
        let opened = || got.iter().zip(&t).zip(&open).filter(|(_, open)| **open > 0.5);
        let (low, high) = opened().fold((f64::MAX, 0f64), |(a, b), ((t, _), _)| (a.min(*t), b.max(*t)));
        println!("{}: {low:.1} to {high:.1} K", name(&grid));
        assert!(low > 290.0 - 0.01 && high < 350.0 + 0.01, "no new extrema, and nothing of the walls");
        assert!(opened().any(|((new, old), _)| (new - old).abs() > 1.0), "something moved");

        // In a uniform flow, what rises linearly is shifted by the way: 0.3 cells along x, 0.7 back along y.
        let way = [0.3, -0.7, 0.2];
        let u: Vec<f32> = (0..grid.layered().cell_count())
            .flat_map(|_| way[..grid.dim].iter().map(|w| (w * grid.h * FPS) as f32))
            .collect();
        let slope = |c: [f64; 3]| 300.0 + 2.0 * c[0] - 1.5 * c[1] + 0.5 * c[2];
        let linear: Vec<f64> = grid.cells().map(|c| slope(c.map(|x| x as f64))).collect();
        let ones = vec![1f32; grid.cell_count()];
        let got = run(&mut sim, &[("open", &ones), ("t", &f32s(&linear)), ("u", &u)], 1, "carry.result");
        let mut worst = 0f64;
        for (c, t) in grid.cells().zip(got) {
            if (0..grid.dim).all(|a| (2..grid.n[a] - 2).contains(&c[a])) {
                let from = std::array::from_fn(|a| if a < grid.dim { c[a] as f64 - way[a] } else { 0.0 });
                worst = worst.max((t - slope(from)).abs());
            }
        }
        within("a slope shifted [K]", worst, 32.0 * 350.0 * U, "roundings of 350 K and of places");
    }
}
