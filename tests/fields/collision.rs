//! Particles carried past an obstacle: none gets in beyond what a step of time is off by.

use stagewright_solver_support::field_samples::{less, norm};
use stagewright_solver_support::harness::*;

const PLUME: &str = r#"
    "space": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "sphere": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.2}),
    $flow
    "start": (stage: "particles/emit_box", on: "space", params: {"center": (0.5, 0.5, 0.5), "size": (1, 1, 1), "amount": 4000}),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 4000, on: "space",
            inputs: {"init": "start.particles", "next": "advect.particles"}),
    "advect": (stage: "particles/advect", inputs: {"velocity": "flow.velocity", "particles": "set.value"}, params: {"order": 2}),
"#;

const SCALES: &str = r#""scale": (0.3, 0.15, 1, 1), "gain": (0.05, 0.02, 0, 0), "speed": 0"#;

/// Of the particles that begin outside, how deep one gets in 4/3 s, in steps of 1/fps, and the greatest speed.
fn deepest(dim: usize, flow: &str, fps: usize) -> (f64, f64) {
    let cells = if dim == 3 { "8, 8, 8" } else { "8, 8" };
    let flow = flow.replace("$scales", SCALES);
    let mut sim = start(fps as f64, PLUME, &[("$cells", cells), ("$flow", &flow)]);
    let places = |sim: &stagewright_runtime::sim::Simulation, wire: &str| -> Vec<[f64; 3]> {
        let values = read(sim, wire);
        values.chunks(dim).map(|p| std::array::from_fn(|a| p.get(a).copied().unwrap_or(0.0))).collect()
    };
    let middle = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
    let depth = |p: &[f64; 3]| 0.2 - norm(less(*p, middle));
    step(&mut sim, 1);
    let first = places(&sim, "advect.particles.position");
    assert_eq!(first.len(), 4000);
    let outside: Vec<usize> = (0..first.len()).filter(|i| depth(&first[*i]) < 0.0).collect();
    let (mut deepest, mut fastest, mut closest) = (f64::NEG_INFINITY, 0.0f64, f64::INFINITY);
    let mut before = first;
    for _ in 0..(fps * 4 / 3) / 10 {
        step(&mut sim, 10);
        let now = places(&sim, "advect.particles.position");
        for i in &outside {
            deepest = deepest.max(depth(&now[*i]));
            closest = closest.min(depth(&now[*i]).abs());
            fastest = fastest.max(norm(less(now[*i], before[*i])) * fps as f64 / 10.0);
        }
        before = now;
    }
    println!("{dim}D at 1/{fps} s: deepest {deepest:.2e} m, closest {closest:.2e} m, up to {fastest:.2} m/s");
    assert!(closest < 0.01, "particles do come close");
    (deepest, fastest)
}

/// Two things lead in. The flow leaks by up to a thousandth of its speed (`wakes` holds it to that), for the time T. And
/// a straight step of length u dt leaves a wall of radius r by (u dt)^2 / 2 r; the midpoint rule is an order better, so
/// it strays no further in 200 steps than such a single one.
#[test]
fn no_particle_enters_the_sphere() {
    let two = r#""noise": (stage: "curl_noise/noise_2d", inputs: {"shape": "sphere.distance"}, params: {$scales}),
        "flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "noise.potential"}, params: {"step": 0.004}),"#;
    let three = r#""noise": (stage: "curl_noise/noise", inputs: {"shape": "sphere.distance"}, params: {$scales}),
        "flow": (stage: "curl_noise/curl", inputs: {"potential": "noise.potential"}, params: {"step": 0.004}),"#;
    let exact = r#""flow": (stage: "curl_noise/velocity", inputs: {"shape": "sphere.distance"}, params: {$scales}),"#;
    for (dim, flow) in [(2, two), (3, three), (3, exact)] {
        let (depth, speed) = deepest(dim, flow, 150);
        let bar = 1e-3 * speed * 200.0 / 150.0 + (speed / 150.0).powi(2) / (2.0 * 0.2);
        within("  how deep a particle gets in 200 steps [m]", depth, bar, "u T / 1000 and (u dt)^2 / 2 r");
    }
}

/// Without the constraint the same noise does carry them in.
#[test]
fn unconstrained_noise_does_carry_particles_in() {
    let free = r#""noise": (stage: "curl_noise/noise_2d", on: "space", params: {$scales}),
        "flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "noise.potential"}, params: {"step": 0.004}),"#;
    let (depth, _) = deepest(2, free, 150);
    assert!(depth > 0.05, "the test can fail: {depth}");
}
