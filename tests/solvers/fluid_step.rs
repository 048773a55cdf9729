//! `staggered/fluid_step`, a whole step on faces: Taylor and Green's vortex, convergence in time alone, a shear layer that
//! rolls up without viscosity, and forces against walls.

use std::f64::consts::{PI, TAU};

use stagewright_solver_support::harness::*;

use super::face_advection::{on_faces, once};

const STEP: &str = r#"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "$edge")),
    "u": (state: "FaceGrid", inputs: {"next": "step.velocity"}),
    "p": (state: "Grid<f32>", inputs: {"next": "step.pressure"}),
    "step": (stage: "staggered/fluid_step", inputs: {"velocity": "u", "pressure": "p"}, params: {"viscosity": $viscosity, "sweeps": $sweeps}),
"#;

/// The flow after so many steps of dt.
fn after(n: usize, viscosity: f64, flow: impl Fn([f64; 2]) -> [f64; 2], dt: f64, steps: usize) -> Vec<f64> {
    let sweeps = if viscosity == 0.0 { 1 } else { 8 };
    let values = [
        ("$n", n.to_string()),
        ("$edge", "wrap".into()),
        ("$viscosity", viscosity.to_string()),
        ("$sweeps", sweeps.to_string()),
    ];
    let mut sim = start(1.0 / dt, STEP, &pairs(&values));
    once(n, &run(&mut sim, &[("u", &on_faces(n, flow))], steps, "u"))
}

fn energy(u: &[f64]) -> f64 {
    u.iter().map(|u| u * u).sum::<f64>() / u.len() as f64
}

fn vortex(at: [f64; 2]) -> [f64; 2] {
    let [x, y] = at.map(|x| TAU * x);
    [-x.cos() * y.sin(), x.sin() * y.cos()]
}

#[test]
fn taylor_green_is_of_second_order_in_space_and_time() {
    let (viscosity, time) = (0.01, 0.125);
    let left = (-8.0 * PI * PI * viscosity * time).exp();
    let errors = [32usize, 64, 128].map(|n| {
        let u = after(n, viscosity, vortex, 0.5 / n as f64, (2.0 * time * n as f64) as usize);
        let exact = once(n, &f64s(&on_faces(n, |at| vortex(at).map(|u| left * u))));
        let error = rms(&difference(&u, &exact)) / rms(&exact);
        println!("{n}: {error:.2e} of the flow, energy {:+.3} %", 100.0 * (energy(&u) / energy(&exact) - 1.0));
        within(&format!("energy, {n} cells"), (energy(&u) / energy(&exact) - 1.0).abs(), 0.005, "asked for at 128");
        error
    });
    // What is left is advection, between h^2 and h^3. Five-point viscosity would add h^2 of the opposite sign, and hide the order.
    for pair in errors.windows(2) {
        let measured = order(pair[0], pair[1]);
        println!("order {measured:.3}");
        assert!(measured > 1.8, "order {measured}, 1.8 asked for");
    }
}

/// No symmetry, so that what carries the flow changes in time.
fn waves(at: [f64; 2]) -> [f64; 2] {
    let [x, y] = at.map(|x| TAU * x);
    [y.sin() + 0.4 * (2.0 * y + 1.0).cos(), 0.6 * (x + 0.5).sin() + 0.3 * (2.0 * x).cos()]
}

#[test]
fn a_step_is_of_second_order_in_time() {
    let runs = [4usize, 8, 16].map(|steps| after(64, 0.002, waves, 0.25 / steps as f64, steps));
    let [first, second] = [0, 1].map(|i| rms(&difference(&runs[i], &runs[i + 1])));
    println!("4 to 8 and 8 to 16 steps differ by {first:.2e} and {second:.2e} m/s");
    let measured = order(first, second);
    println!("order {measured:.3}");
    assert!(measured > 1.8, "order {measured}, 1.8 asked for");
}

/// Bell, Colella and Glaz 1989: two layers of a thickness that 32 cells resolve, a wave across them, no viscosity.
fn layers([x, y]: [f64; 2]) -> [f64; 2] {
    let along = if y < 0.5 { 15.0 * (y - 0.25) } else { 15.0 * (0.75 - y) };
    [along.tanh(), 0.05 * (TAU * x).sin()]
}

#[test]
fn a_shear_layer_rolls_up_once_and_keeps_its_energy() {
    let n = 32;
    let u = after(n, 0.0, layers, 0.5 / n as f64, 2 * n);
    let kept = energy(&u) / energy(&once(n, &f64s(&on_faces(n, layers))));
    println!("energy after a second: {kept:.5}");
    within("energy lost", 1.0 - kept, 0.01, "asked for at 128 cells");
    // Across the middle of a layer the flow turns up once and down once; each false vortex would add two turns.
    let row: Vec<f64> = (0..n).map(|x| u[2 * (n / 4 * n + x) + 1]).collect();
    let height = max_abs(&row);
    let strong: Vec<f64> = row.iter().copied().filter(|v| v.abs() > 0.1 * height).collect();
    let turns = (0..strong.len()).filter(|i| strong[*i].signum() != strong[(i + 1) % strong.len()].signum()).count();
    assert!(height > 0.2, "it rolls up: {height}");
    assert_eq!(turns, 2, "one vortex a layer: {row:.3?}");
}

/// A force that a gradient balances, in a closed box: nothing moves, and the pressure carries it.
#[test]
fn a_fluid_at_rest_under_a_force_stays_at_rest() {
    let nodes = STEP.replace(r#""pressure": "p"}"#, r#""pressure": "p", "acceleration": "weight"}"#)
        + r##""weight": (custom: r#"//! Weight
            //! @out acceleration: Grid<Vec>
            fn stage(cell: Cell) -> Vec { return vec2f(0.0, -9.81); }"#, on: "domain"),"##;
    let values = [("$n", "16"), ("$edge", "wall"), ("$viscosity", "0.001"), ("$sweeps", "8")];
    let mut sim = start(60.0, &nodes, &values);
    let u = run(&mut sim, &[], 30, "u");
    within("speed", max_abs(&u), 1e-4 * 9.81 * 0.5, "what two cycles leave of 9.81 m/s^2 for half a second");
    let p = read(&sim, "p");
    // x dt / 2 of the whole step.
    let slope = (p[16 * 15] - p[0]) * 120.0 / (15.0 / 16.0);
    within("slope of the pressure", (slope / -9.81 - 1.0).abs(), 1e-3, "rho g, as far as cycles go");
}
