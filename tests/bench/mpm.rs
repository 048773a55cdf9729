//! The substeps of the material point method (MPM).

use stagewright_solver_support::harness::*;

use super::cases::{case, ready};

/// Cells of a side for 512 particles, the substep, and the bulk modulus by density.
const N: usize = 12;
const H: f64 = 1.0 / 500.0 / 20.0;
const STIFFNESS: f64 = 50.0;

struct Particle {
    x: [f64; 3],
    v: [f64; 3],
    /// Affine velocity, by columns.
    c: [[f64; 3]; 3],
    ratio: f64,
}

/// The cells around a particle, the weight of each, and the way from the particle to its centre \[m\].
fn around(x: [f64; 3]) -> Vec<(usize, f64, [f64; 3])> {
    let dx = 1.0 / N as f64;
    let place = x.map(|x| x / dx - 0.5);
    let base = place.map(|p| (p - 0.5).floor());
    let f: [f64; 3] = std::array::from_fn(|a| place[a] - base[a]);
    let weight = |a: usize, k: usize| match k {
        0 => 0.5 * (1.5 - f[a]).powi(2),
        1 => 0.75 - (f[a] - 1.0).powi(2),
        _ => 0.5 * (f[a] - 0.5).powi(2),
    };
    let cells = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9]);
    let of = |at: [usize; 3]| {
        let [i, j, k]: [usize; 3] = std::array::from_fn(|a| base[a] as usize + at[a]);
        let w = (0..3).map(|a| weight(a, at[a])).product();
        ((k * N + j) * N + i, w, std::array::from_fn(|a| (at[a] as f64 - f[a]) * dx))
    };
    cells.map(of).collect()
}

/// MLS-MPM of a weakly compressible fluid (Hu et al. 2018), and the number of particles that add to a cell.
fn substep(particles: &mut [Particle]) {
    let dx = 1.0 / N as f64;
    let mut grid = vec![[0.0; 4]; N * N * N];
    for p in particles.iter_mut() {
        p.ratio *= 1.0 + H * (p.c[0][0] + p.c[1][1] + p.c[2][2]);
        let stress = 4.0 * H * STIFFNESS * (p.ratio - 1.0) / (dx * dx);
        for (cell, w, away) in around(p.x) {
            for a in 0..3 {
                let affine: f64 = (0..3).map(|b| p.c[b][a] * away[b]).sum::<f64>() - stress * away[a];
                grid[cell][a] += w * (p.v[a] + affine);
            }
            grid[cell][3] += w;
        }
    }
    for (index, cell) in grid.iter_mut().enumerate().filter(|(_, cell)| cell[3] > 0.0) {
        let at = [index % N, index / N % N, index / (N * N)];
        let mass = cell[3];
        for (v, at) in cell.iter_mut().zip(at) {
            *v /= mass;
            *v = if at < 3 { v.max(0.0) } else { *v };
            *v = if at >= N - 3 { v.min(0.0) } else { *v };
        }
    }
    for p in particles {
        (p.v, p.c) = ([0.0; 3], [[0.0; 3]; 3]);
        for (cell, w, away) in around(p.x) {
            for (a, v) in grid[cell].into_iter().take(3).enumerate() {
                p.v[a] += w * v;
                (0..3).for_each(|b| p.c[b][a] += w * v * away[b] * 4.0 / (dx * dx));
            }
        }
        (0..3).for_each(|a| p.x[a] += H * p.v[a]);
    }
}

#[test]
fn mpm_is_twenty_substeps_of_mls_mpm() {
    let mut sim = ready(&case("mpm", 500), &[]);
    sim.reset();
    let three = |values: &[f64]| values.chunks(3).map(|v| [v[0], v[1], v[2]]).collect::<Vec<_>>();
    let places = three(&read(&sim, "set.position"));
    assert_eq!(places.len(), 512, "8 of a side");
    // Fast enough that pressures matter.
    let velocities: Vec<f32> = random(3 * 512, 7);
    sim.write("set.velocity", &velocities).unwrap();
    step(&mut sim, 1);
    let (positions, found) = (three(&read(&sim, "set.position")), three(&read(&sim, "set.velocity")));
    let begin = |(x, v): ([f64; 3], [f64; 3])| Particle { x, v, c: [[0.0; 3]; 3], ratio: 1.0 };
    let mut particles: Vec<Particle> = places.into_iter().zip(three(&f64s(&velocities))).map(begin).collect();
    (0..20).for_each(|_| substep(&mut particles));
    let apart = |a: &[[f64; 3]], b: &dyn Fn(usize) -> [f64; 3]| {
        let all = a.iter().enumerate().flat_map(|(i, a)| (0..3).map(move |k| (a[k], i, k)));
        all.map(|(a, i, k)| (a - b(i)[k]).abs()).fold(0.0, f64::max)
    };
    let moved = particles.iter().map(|p| (p.ratio - 1.0).abs()).fold(0.0, f64::max);
    assert!(moved > 1e-3, "the fluid is pressed together and apart by {moved}");
    // A cell of eight particles gets some 216 additions, each rounded by half of 2^-18, in twenty substeps.
    within("velocity [m/s]", apart(&found, &|i| particles[i].v), 1e-4, "steps of 2^-18 masses");
    within("position [m]", apart(&positions, &|i| particles[i].x), 1e-6, "the same for 2 ms, and rounding of f32");
}
