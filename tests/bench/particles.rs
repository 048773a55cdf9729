//! The SPH substep and the curl noise step (B3, B4).

use std::f64::consts::PI;

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::noise::Noise;

use super::cases::{case, ready};

fn points(values: &[f64]) -> Vec<Point> {
    values.chunks(3).map(|p| [p[0], p[1], p[2]]).collect()
}

const H: f64 = 0.04;
const MASS: f64 = 0.008;
const STIFFNESS: f64 = 200.0;
const VISCOSITY: f64 = 10.0;
const DT: f64 = 1.0 / 2000.0;

/// Densities and accelerations by comparing all pairs, and how large the terms of each acceleration are.
fn accelerations(places: &[Point], velocities: &[Point]) -> Vec<(Point, f64)> {
    let near = |p: Point, q: Point| norm(less(p, q)) < H;
    let poly6 = |r: f64| 315.0 / (64.0 * PI * H.powi(9)) * (H * H - r * r).powi(3);
    let density: Vec<f64> = places
        .iter()
        .map(|p| places.iter().filter(|q| near(*p, **q)).map(|q| MASS * poly6(norm(less(*p, *q)))).sum())
        .collect();
    let pressure: Vec<f64> = density.iter().map(|rho| STIFFNESS * (rho - 1000.0).max(0.0)).collect();
    let of = |i: usize| {
        let (mut sum, mut terms) = ([0.0; 3], 0.0);
        for j in (0..places.len()).filter(|j| *j != i && near(places[i], places[*j])) {
            let apart = less(places[i], places[j]);
            let r = norm(apart);
            let both = density[i] * density[j];
            let push = MASS * (pressure[i] + pressure[j]) / (2.0 * both) * 45.0 / (PI * H.powi(6)) * (H - r).powi(2);
            let drag = VISCOSITY * MASS / both * 45.0 / (PI * H.powi(6)) * (H - r);
            sum = added(sum, added(scaled(apart, push / r), scaled(less(velocities[j], velocities[i]), drag)));
            // A density carries an error of its own size, whatever is left when the rest density is taken off.
            terms += MASS * STIFFNESS * (density[i] + density[j] + 2000.0) / (2.0 * both) * 45.0 / (PI * H.powi(6))
                * (H - r).powi(2)
                + drag * (norm(velocities[i]) + norm(velocities[j]));
        }
        (sum, terms)
    };
    (0..places.len()).map(of).collect()
}

#[test]
fn b3_is_a_substep_of_sph() {
    let mut sim = ready(&case("b3", 500), &[]);
    sim.reset();
    let places = points(&read(&sim, "water.position"));
    assert_eq!(places.len(), 500, "10 x 10 x 5 of them");
    // Fast enough that some reach the walls.
    let velocities: Vec<f32> = random(1500, 4).into_iter().map(|v| 30.0 * v).collect();
    sim.write("water.velocity", &velocities).unwrap();
    step(&mut sim, 1);
    let velocities = points(&f64s(&velocities));
    // A stable sort by quarters of cells, x fastest.
    let cell = |p: &Point| [4.0 * p[0], p[1], p[2]].map(|x| (x / H).floor() as i64);
    let mut order: Vec<usize> = (0..500).collect();
    order.sort_by_key(|i| cell(&places[*i]).into_iter().rev().collect::<Vec<i64>>());
    let forces = accelerations(&places, &velocities);
    let size = [0.2, 0.2, 0.12];
    let (got_places, got_velocities) = (points(&read(&sim, "water.position")), points(&read(&sim, "water.velocity")));
    let mut worst = [0.0f64; 2];
    let mut bar = 0.0f64;
    let mut bounced = 0;
    for (rank, i) in order.into_iter().enumerate() {
        let mut velocity = added(velocities[i], scaled(forces[i].0, DT));
        let mut place = added(places[i], scaled(velocity, DT));
        for axis in 0..3 {
            let (low, high) = (place[axis] < 0.0, place[axis] > size[axis]);
            if low || high {
                place[axis] = place[axis].clamp(0.0, size[axis]);
                bounced += 1;
                if (velocity[axis] < 0.0) == low {
                    velocity[axis] *= -0.3;
                }
            }
        }
        worst[0] = worst[0].max(norm(less(got_places[rank], place)));
        worst[1] = worst[1].max(norm(less(got_velocities[rank], velocity)));
        bar = bar.max(DT * 64.0 * U * forces[i].1 + 4.0 * U * norm(velocity));
    }
    println!("{bounced} hit a wall");
    assert!(bounced > 20);
    within("velocity", worst[1], bar, "sums of some 40 terms, densities among them");
    within("position", worst[0], DT * bar + 2.0 * U * 0.2, "the same times dt, and its own rounding");
}

#[test]
fn b4_is_a_step_in_curl_noise() {
    let mut document = case("b4", 2000);
    document.seed = 7; // the reference's
    let mut sim = ready(&document, &[]);
    sim.reset();
    let places = points(&read(&sim, "smoke.position"));
    step(&mut sim, 1);
    let got = points(&read(&sim, "smoke.position"));
    let noise = Noise { scale: [0.3, 0.15, 0.075, 0.05], gain: [1.0, 0.5, 0.25, 0.0], speed: 0.0, seed: 0, time: 0.0 };
    let center = [2.0; 3];
    let radius = 0.4;
    let dt = 1.0 / 60.0;
    let psi = |at: Point| {
        let away = less(at, center);
        noise.potential(at, norm(away) - radius, scaled(away, 1.0 / norm(away)))
    };
    let mut far = 0.0f64;
    let mut near = 0.0f64;
    let mut pushed = 0;
    for (from, got) in places.iter().zip(&got).filter(|(from, _)| norm(less(**from, center)) > 0.15) {
        let mut expected = added(*from, scaled(curl(psi, *from, 2e-4), dt));
        let away = less(expected, center);
        if norm(away) < radius {
            expected = added(center, scaled(away, radius / norm(away)));
            pushed += 1;
        }
        let off = norm(less(*got, expected));
        let is_near = norm(less(*from, center)) < radius + 0.3 || norm(away) < radius;
        if is_near { near = near.max(off) } else { far = far.max(off) }
    }
    println!("{} particles, {pushed} pushed out", places.len());
    assert!(pushed > 5);
    // A place of up to 4 m is rounded as a lattice coordinate, times a second derivative of up to 20 gain / scale^2; and some sums.
    let octaves = || noise.gain.iter().zip(noise.scale);
    let rounded = 4.0 * U * octaves().map(|(g, s)| 20.0 * g / (s * s)).sum::<f64>()
        + 64.0 * U * octaves().map(|(g, s)| 20.0 * g / s).sum::<f64>();
    within("away from the sphere", far, dt * rounded + 4.0 * U * 4.0, "rounding of places");
    // The normal and its change by differences over 0.002 m of a distance that is rounded to U: U / 0.002^2 of what they carry.
    let bent = 8.0 * U / (0.002 * 0.002) * noise.gain.iter().sum::<f64>();
    // The way out by differences over a tenth of a cell.
    let out = 0.4 * 8.0 * U / 0.00625;
    within("beside the sphere", near, dt * (rounded + bent) + out, "rounding of its distance over the steps");
}
