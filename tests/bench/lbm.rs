//! The steps of the lattice Boltzmann method.

use stagewright_solver_support::harness::*;

use super::cases::{case, ready};

const Q: usize = 19;
const E: [[i64; 3]; Q] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, -1],
    [0, 1, -1],
    [0, -1, 1],
];

/// Cells of a side; no power of two, and not as many as a row of a workgroup has.
const N: usize = 10;

fn equilibrium(density: f64, u: [f64; 3]) -> [f64; Q] {
    let dot = |a: [f64; 3], b: [f64; 3]| -> f64 { (0..3).map(|k| a[k] * b[k]).sum() };
    std::array::from_fn(|i| {
        let speed: i64 = E[i].iter().map(|e| e * e).sum();
        let weight = [1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0][speed as usize];
        let eu = dot(E[i].map(|e| e as f64), u);
        weight * density * (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * dot(u, u))
    })
}

/// BGK: streaming from the neighbours, then relaxation with one time.
fn step_of(f: &[[f64; Q]], viscosity: f64) -> Vec<[f64; Q]> {
    let rate = 1.0 / (3.0 * viscosity + 0.5);
    let at = |cell: usize| [cell % N, cell / N % N, cell / (N * N)].map(|c| c as i64);
    let wrapped = |c: i64| c.rem_euclid(N as i64) as usize;
    let moved = |cell: usize, i: usize| {
        let [x, y, z] = std::array::from_fn(|a| wrapped(at(cell)[a] - E[i][a]));
        f[(z * N + y) * N + x][i]
    };
    let cells = 0..f.len();
    cells
        .map(|cell| {
            let g: [f64; Q] = std::array::from_fn(|i| moved(cell, i));
            let density: f64 = g.iter().sum();
            let u = std::array::from_fn(|a| (0..Q).map(|i| g[i] * E[i][a] as f64).sum::<f64>() / density);
            let rest = equilibrium(density, u);
            std::array::from_fn(|i| g[i] + rate * (rest[i] - g[i]))
        })
        .collect()
}

#[test]
fn lbm_is_ten_steps_of_d3q19() {
    let mut sim = ready(&case("lbm", N as u32), &[]);
    sim.reset();
    // Away from equilibrium, so that a population that came from elsewhere is seen.
    let noise = random(Q * N * N * N, 5);
    let base = equilibrium(1.0, [0.02, -0.03, 0.01]);
    let start: Vec<f32> = noise.iter().enumerate().map(|(k, r)| base[k % Q] as f32 * (1.0 + 0.1 * r)).collect();
    sim.write("f", &start).unwrap();
    step(&mut sim, 1);
    let mut f: Vec<[f64; Q]> = f64s(&start).chunks(Q).map(|c| std::array::from_fn(|i| c[i])).collect();
    (0..10).for_each(|_| f = step_of(&f, 0.02));
    let found = read(&sim, "f");
    let apart = found.iter().zip(f.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert_eq!(found.len(), f.len() * Q);
    // A population is 1/3 at most and a sum of 19; each of ten steps rounds some forty times.
    within("population", apart, 400.0 / 3.0 * f64::from(f32::EPSILON) / 2.0, "400 roundings of 1/3 or less");
    let mass: f64 = f64s(&start).iter().sum();
    within("mass", (found.iter().sum::<f64>() / mass - 1.0).abs(), 1e-6, "kept by streaming and relaxation");
}
