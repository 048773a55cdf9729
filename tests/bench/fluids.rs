//! Stable fluids in 2D and smoke in 3D (B1, B2), and the multigrid case.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Flow, Grid, advect, jacobi};

use super::cases::*;

/// What other programs were held to on the same work, of the largest value: `docs/performance.md`.
const BAR: f64 = 5e-6;

/// Smooth fields of a few waves, the components told apart by `k`.
fn wave(grid: &Grid, k: usize, amplitude: f64) -> Vec<f64> {
    let turn = |x: f64, n: i64, waves: f64| (std::f64::consts::TAU * waves * x / n as f64 + k as f64).sin();
    grid.fill(|x| {
        let z = if grid.dim == 3 { turn(x[2], grid.n[2], 1.0) } else { 1.0 };
        amplitude * turn(x[0], grid.n[0], 1.0) * turn(x[1], grid.n[1], 2.0) * (0.5 + 0.5 * z)
    })
}

/// As f32 holds it.
fn held(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|v| f64::from(v as f32)).collect()
}

fn divergence(grid: &Grid, velocity: &[Vec<f64>]) -> Vec<f64> {
    let across = |c: Cell| -> f64 {
        (0..grid.faces()).map(|f| sign(f) * grid.read(&velocity[f / 2], grid.neighbor(c, f))).sum()
    };
    grid.cells().map(|c| across(c) / 2.0).collect()
}

fn sign(face: usize) -> f64 {
    if face % 2 == 1 { 1.0 } else { -1.0 }
}

/// A field carried along velocities at cell centres.
fn carried(grid: &Grid, velocity: &[Vec<f64>], field: &[f64]) -> Vec<f64> {
    let at = |x: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|a| velocity.get(a).map_or(0.0, |part| grid.sample(x, |c| grid.read(part, c))))
    };
    advect(grid, field, 1.0, &Flow { velocity: &at, order: 1 })
}

/// Forty Jacobi sweeps from zero, and their gradient taken off.
fn projected(grid: &Grid, velocity: &mut [Vec<f64>]) {
    let rhs = divergence(grid, velocity);
    let mut pressure = vec![0.0; grid.cell_count()];
    (0..40).for_each(|_| jacobi(grid, &mut pressure, &rhs, 1.0));
    for (axis, part) in velocity.iter_mut().enumerate() {
        for c in grid.cells() {
            let slope = [2 * axis + 1, 2 * axis].map(|face| grid.read(&pressure, grid.neighbor(c, face)));
            part[grid.index(c)] -= (slope[0] - slope[1]) / 2.0;
        }
    }
}

fn compared(what: &str, got: &[f64], expected: &[f64], steps: usize) {
    let because = format!("{BAR:e} of the largest value a step, as for the programs it is compared with");
    within(what, max_abs(&difference(got, expected)), steps as f64 * BAR * max_abs(expected), &because);
}

const STEPS: usize = 2;

#[test]
fn b1_is_stable_fluids() {
    let grid = Grid::new(&[32, 32], 32.0, EdgeRule::Clamp);
    let mut velocity: Vec<Vec<f64>> = (0..2).map(|k| held(wave(&grid, k, 2.0))).collect();
    let mut dye: Vec<Vec<f64>> = (2..6).map(|k| held(wave(&grid, k, 1.0))).collect();
    let mut sim = ready(&case("b1", 32), &[]);
    let start: [(&str, &[f32]); 2] = [("velocity", &woven(&velocity)), ("dye", &woven(&dye))];
    let got = run(&mut sim, &start, STEPS, "velocity.value");
    for _ in 0..STEPS {
        velocity = velocity.iter().map(|part| carried(&grid, &velocity, part)).collect();
        let weight = grid.fill(|x| (-((x[0] - 16.0).powi(2) + (x[1] - 8.0).powi(2)) / 4.0).exp());
        for (part, strength) in velocity.iter_mut().zip([0.01, 0.05]).chain(dye.iter_mut().zip([1.0, 0.6, 0.2, 1.0])) {
            part.iter_mut().zip(&weight).for_each(|(q, w)| *q += strength * w);
        }
        projected(&grid, &mut velocity);
        dye = dye.iter().map(|part| carried(&grid, &velocity, part)).collect();
    }
    for (axis, expected) in velocity.iter().enumerate() {
        compared(&format!("velocity {axis}"), &part(&got, axis, 2), expected, STEPS);
    }
    let got = read(&sim, "dye.value");
    for (k, expected) in dye.iter().enumerate() {
        compared(&format!("dye {k}"), &part(&got, k, 4), expected, STEPS);
    }
}

#[test]
fn b2_is_smoke() {
    let grid = Grid::new(&[16, 16, 16], 16.0, EdgeRule::Clamp);
    let mut velocity: Vec<Vec<f64>> = (0..3).map(|k| held(wave(&grid, k, 1.0))).collect();
    let mut scalars: Vec<Vec<f64>> = (3..5).map(|k| held(wave(&grid, k, 0.5))).collect();
    let mut sim = ready(&case("b2", 16), &[]);
    let [density, temperature] = [0, 1].map(|k| f32s(&scalars[k]));
    let start: [(&str, &[f32]); 3] =
        [("velocity", &woven(&velocity)), ("density", &density), ("temperature", &temperature)];
    let got = run(&mut sim, &start, STEPS, "velocity.value");
    for _ in 0..STEPS {
        velocity = velocity.iter().map(|part| carried(&grid, &velocity, part)).collect();
        let inside: Vec<bool> = grid
            .cells()
            .map(|c| {
                let x = grid.position(c);
                (x[0] - 8.0).powi(2) + (x[1] - 2.0).powi(2) + (x[2] - 8.0).powi(2) < 1.6f64.powi(2)
            })
            .collect();
        assert!(inside.iter().filter(|i| **i).count() >= 8, "the ball holds cells");
        for part in &mut scalars {
            part.iter_mut().zip(&inside).filter(|(_, inside)| **inside).for_each(|(q, _)| *q = 1.0);
        }
        let [density, temperature] = &scalars[..] else { unreachable!() };
        for ((up, density), temperature) in velocity[1].iter_mut().zip(density).zip(temperature) {
            *up += 0.10 * temperature - 0.05 * density;
        }
        projected(&grid, &mut velocity);
        scalars = scalars.iter().map(|part| carried(&grid, &velocity, part)).collect();
    }
    for (axis, expected) in velocity.iter().enumerate() {
        compared(&format!("velocity {axis}"), &part(&got, axis, 3), expected, STEPS);
    }
    for (name, expected) in ["density", "temperature"].iter().zip(&scalars) {
        compared(name, &read(&sim, &format!("{name}.value")), expected, STEPS);
    }
}

#[test]
fn mg_solves_for_the_pressure_that_it_was_made_from() {
    let n = 128;
    let mut sim = ready(&case("mg", n), &["known.value", "residual_left"]);
    let mut residuals = Vec::new();
    for _ in 0..6 {
        step(&mut sim, 1);
        residuals.push(read(&sim, "residual_left.largest")[0]);
    }
    let factors: Vec<f64> = residuals.windows(2).map(|pair| pair[0] / pair[1]).take(3).collect();
    println!("residual {residuals:?}, times less {factors:?}");
    assert!(factors.iter().all(|f| *f >= 10.0), "each cycle leaves a tenth at most: {factors:?}");
    let exact = read(&sim, "known.value");
    let grid = Grid::new(&[n as usize, n as usize], 1.0, EdgeRule::Wall);
    let left = grid.cells().map(|c| (grid.neighbor_sum(&exact, c) - 4.0 * grid.read(&exact, c)) / (grid.h * grid.h));
    let first = max_abs(&left.collect::<Vec<f64>>());
    // Slopes between neighbours are rounded, their differences again: four of them over h^2.
    let rounding = 16.0 * U * max_abs(&exact) / (grid.h * grid.h);
    within("residual before the first cycle", (residuals[0] - first).abs(), rounding, "rounding of slopes");
    let found = read(&sim, "pressure.value");
    // Both up to a constant; the flow is minus the slope of the known one.
    let sum: Vec<f64> = exact.iter().zip(&found).map(|(a, b)| a + b).collect();
    let off: Vec<f64> = sum.iter().map(|v| v - mean(&sum)).collect();
    // The right-hand side is rounded, by 8 U of slopes over h^2; the inverse of the Laplacian takes that times 1 / pi^2 at most.
    let h = 1.0 / f64::from(n);
    let bar = 8.0 * U * max_abs(&exact) / (h * h) / std::f64::consts::PI.powi(2) + residuals[5] / 9.8;
    within("pressure", max_abs(&off), bar, "rounding of the right-hand side, and the residual left");
}
