//! Motion: forces, integration, drifting with a flow, walls and periodic borders, against analytic solutions.

use stagewright_solver_support::harness::*;

use super::sets::*;

const ROTATION: &str = r##"
    "domain": (domain: (resolution: (32, 32), width: 2, edge: "wall")),
    "flow": (custom: r#"//! Rotation, one turn a second
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec {
            let arm = position - 1.0;
            return 6.283185307 * vec2f(-arm.y, arm.x);
        }"#),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 64, inputs: {"next": "drift.particles"}),
    "drift": (stage: "particles/advect", inputs: {"particles": "set.value", "velocity": "flow.velocity"}, params: {"order": $order}),
"##;

/// Distance from the start after one turn of so many steps.
fn turn(order: usize, steps: usize) -> f64 {
    let mut sim = start(steps as f64, ROTATION, &[("$order", &order.to_string())]);
    let offsets = random(128, 3).iter().map(|v| 1.0 + 0.5 * v).collect::<Vec<f32>>();
    place(&mut sim, "set", &offsets, &[], 2);
    step(&mut sim, steps);
    let ends = vectors(&sim, "set.value", "position", 2);
    let starts = vectors_of(&f64s(&offsets), 2);
    let gaps = starts.iter().zip(&ends).map(|(a, b)| length(apart(*a, *b)) / length(apart([1.0, 1.0, 0.0], *a)));
    max_abs(&gaps.collect::<Vec<_>>())
}

#[test]
fn drifting_has_the_order_that_is_asked_for() {
    for (method, nominal, steps) in [(1, 1.0, 400), (2, 2.0, 40), (4, 4.0, 16)] {
        let (coarse, fine) = (turn(method, steps), turn(method, 2 * steps));
        has_order(
            &format!("one turn in {steps} and {} steps, {coarse:.2e} and {fine:.2e}", 2 * steps),
            order(coarse, fine),
            nominal,
        );
    }
}

const FALL: &str = r##"
    "domain": (domain: (resolution: (8, 8, 8), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 64, inputs: {"next": "move.particles"}),
    "pull": (custom: r#"//! Spring
        //! @out acceleration: Field<Vec>
        fn stage(position: Vec) -> Vec { return $pull; }"#),
    "force": (stage: "particles/force", inputs: {"acceleration": "pull.acceleration", "particles": "set.value"}, params: {"constant": $constant, "drag": $drag}),
    "move": (stage: "particles/integrate", inputs: {"particles": "force.particles"}, params: {"speed_limit": $limit}),
"##;

fn falling(fps: f64, pull: &str, constant: &str, drag: &str, limit: &str) -> stagewright_runtime::sim::Simulation {
    let values = [("$pull", pull), ("$constant", constant), ("$drag", drag), ("$limit", limit)];
    start(fps, FALL, &values)
}

#[test]
fn drag_and_a_steady_force_are_solved_exactly() {
    let velocities = random(3 * 64, 5);
    for drag in [0.0, 0.02, 0.5, 3.0, 500.0] {
        let mut sim = falling(60.0, "Vec(0.0, 0.0, 1.0)", "(0.5, -9.81, 0)", &drag.to_string(), "0");
        place(&mut sim, "set", &random(3 * 64, 6), &velocities, 3);
        let steps = 90;
        step(&mut sim, steps);
        let time = steps as f64 * f64::from((1.0 / 60.0) as f32);
        let decay = (-drag * time).exp();
        let reach = if drag > 0.0 { (1.0 - decay) / drag } else { time };
        let expected = f64s(&velocities);
        let found = vectors(&sim, "set.value", "velocity", 3);
        let errors = found
            .iter()
            .zip(expected.chunks(3))
            .map(|(v, v0)| length(std::array::from_fn(|a| v[a] - v0[a] * decay - [0.5, -9.81, 1.0][a] * reach)));
        // Each step rounds a few times, and the factor of the step is wrong by as much: exp by 3 + 2 |x| units. Drag forgets.
        let remembered = if drag > 0.0 { (1.0 / (1.0 - (-drag / 60.0).exp())).min(steps as f64) } else { steps as f64 };
        let bar = remembered * 16.0 * U * (1.8 + 10.0 * reach);
        within(&format!("drag {drag}/s for 1.5 s"), max_abs(&errors.collect::<Vec<_>>()), bar, "16 roundings a step");
    }
}

#[test]
fn semi_implicit_euler_keeps_a_springs_energy() {
    // Symplectic Euler keeps E~ = v^2/2 + w^2 x^2/2 - dt w^2 x v/2 exactly, so the energy swings by dt w/2 at most, for ever.
    let mut sim = falling(60.0, "25.0 * (0.5 - position)", "(0, 0, 0)", "0", "0");
    let positions: Vec<f32> = random(3 * 64, 7).iter().map(|v| 0.5 + 0.4 * v).collect();
    place(&mut sim, "set", &positions, &vec![0.0; 3 * 64], 3);
    let (w, dt) = (5.0, 1.0 / 60.0);
    let shadow = |sim: &stagewright_runtime::sim::Simulation| -> Vec<f64> {
        let places = vectors(sim, "set.value", "position", 3);
        let velocities = vectors(sim, "set.value", "velocity", 3);
        let energy = |(p, v): (&[f64; 3], &[f64; 3])| {
            let x = apart([0.5; 3], *p);
            // x is a step ahead of v: the scheme's invariant has its sign turned.
            0.5 * dot(*v, *v) + 0.5 * w * w * dot(x, x) - 0.5 * dt * w * w * dot(x, *v)
        };
        places.iter().zip(&velocities).map(energy).collect()
    };
    step(&mut sim, 1);
    let before = shadow(&sim);
    step(&mut sim, 2000);
    let after = shadow(&sim);
    let drift = max_abs(&before.iter().zip(&after).map(|(a, b)| b / a - 1.0).collect::<Vec<_>>());
    // Roundings wander as a random walk; all of one sign they would add up to this.
    within("energy of a spring after 2000 steps", drift, 2000.0 * 8.0 * U, "8 roundings a step, all of one sign");
}

#[test]
fn a_speed_limit_shortens_and_does_not_turn() {
    let mut sim = falling(60.0, "Vec(0.0)", "(0, 0, 0)", "0", "0.5");
    let velocities = random(3 * 64, 8);
    place(&mut sim, "set", &vec![0.5; 3 * 64], &velocities, 3);
    step(&mut sim, 1);
    let wanted: Vec<[f64; 3]> = vectors_of(&f64s(&velocities), 3)
        .iter()
        .map(|v| v.map(|c| if length(*v) > 0.5 { c * 0.5 / length(*v) } else { c }))
        .collect();
    let got = vectors(&sim, "set.value", "velocity", 3);
    let errors: Vec<f64> = got.iter().zip(&wanted).map(|(a, b)| length(apart(*a, *b))).collect();
    within("limited velocities", max_abs(&errors), 16.0 * U, "rounding of a length and a quotient");
}

const ROOM: &str = r##"
    "domain": (domain: (resolution: (16, 12, 8), width: 1.6, edge: "$edge")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 4096, inputs: {"next": "contain.particles"}),
    "move": (stage: "particles/integrate", inputs: {"particles": "set.value"}),
    "contain": (stage: "particles/contain", inputs: {"particles": "move.particles"}, params: {"restitution": 0.6, "friction": 0.25, "margin": 0.05}),
"##;

const SIZE: [f64; 3] = [1.6, 1.2, 0.8];

/// Where particles move without walls and with which velocity, and what becomes of both.
type Passage = [Vec<[f64; 3]>; 4];

/// One step in a room from random places with velocities of many times its size a second.
fn room(edge: &str) -> Passage {
    let mut sim = start(60.0, ROOM, &[("$edge", edge)]);
    let positions: Vec<f32> =
        random(3 * 4096, 1).iter().enumerate().map(|(i, v)| (0.5 + 0.5 * v) * SIZE[i % 3] as f32).collect();
    let velocities: Vec<f32> = random(3 * 4096, 2).iter().map(|v| 20.0 * v).collect();
    place(&mut sim, "set", &positions, &velocities, 3);
    step(&mut sim, 1);
    let dt = f64::from((1.0 / 60.0) as f32);
    let before = vectors_of(&f64s(&velocities), 3);
    let moved = vectors_of(&f64s(&positions), 3).iter().zip(&before).map(|(p, v)| plus(*p, dt, *v)).collect();
    let after = vectors(&sim, "set.value", "position", 3);
    [moved, before, after, vectors(&sim, "set.value", "velocity", 3)]
}

#[test]
fn walls_bounce_with_restitution_and_friction() {
    let [moved, before, places, velocities] = room("wall");
    let mut errors = Vec::new();
    for i in 0..moved.len() {
        let (mut p, mut v) = (moved[i], before[i]);
        for axis in 0..3 {
            let kept = p[axis].clamp(0.05, SIZE[axis] - 0.05);
            let across = v[axis] * (kept - p[axis]).signum();
            if kept != p[axis] && across < 0.0 {
                let along = (dot(v, v) - v[axis] * v[axis]).sqrt();
                let left = (1.0 - 0.25 * 1.6 * -across / along).max(0.0);
                v = std::array::from_fn(|a| if a == axis { -0.6 * v[a] } else { v[a] * left });
            }
            p[axis] = kept;
        }
        // On the very edge a rounding decides whether it hits at all.
        let near = (0..3).any(|a| (moved[i][a] - 0.05).abs().min((moved[i][a] - SIZE[a] + 0.05).abs()) < 1e-5);
        if !near {
            errors.push(length(apart(p, places[i])) + length(apart(v, velocities[i])));
        }
    }
    println!("{} of 4096 are clear of the edge", errors.len());
    within("bounces in a room", max_abs(&errors), 30.0 * 35.0 * U, "30 roundings of velocities up to 35 m/s");
}

#[test]
fn a_periodic_room_brings_them_in_on_the_other_side() {
    let [moved, before, places, velocities] = room("wrap");
    assert_eq!(velocities, before, "velocities stay");
    let errors: Vec<f64> = moved
        .iter()
        .zip(&places)
        .map(|(m, p)| {
            assert!((0..3).all(|a| (0.0..SIZE[a]).contains(&p[a])), "{p:?} is in the room");
            let off = |a: usize| ((m[a] - p[a]) / SIZE[a] - ((m[a] - p[a]) / SIZE[a]).round()).abs() * SIZE[a];
            (0..3).map(off).fold(0.0, f64::max)
        })
        .collect();
    within("places modulo the room", max_abs(&errors), 16.0 * 2.0 * U, "16 roundings of places up to 2 m");
}

#[test]
fn sides_of_a_room_may_differ() {
    let [moved, before, places, velocities] = room("x wrap, bottom wall, top open, z open");
    let mut errors = Vec::new();
    for i in 0..moved.len() {
        let (mut p, mut v) = (moved[i], before[i]);
        p[0] -= SIZE[0] * (p[0] / SIZE[0]).floor();
        if p[1] < 0.05 {
            p[1] = 0.05;
            if v[1] < 0.0 {
                let along = (dot(v, v) - v[1] * v[1]).sqrt();
                let left = (1.0 - 0.25 * 1.6 * -v[1] / along).max(0.0);
                v = [v[0] * left, -0.6 * v[1], v[2] * left];
            }
        }
        let seam = p[0].min(SIZE[0] - p[0]) < 1e-5;
        if (moved[i][1] - 0.05).abs() > 1e-5 && !seam {
            errors.push(length(apart(p, places[i])) + length(apart(v, velocities[i])));
        }
    }
    assert!(errors.len() > 4000);
    within("a floor, a period and nothing above", max_abs(&errors), 30.0 * 35.0 * U, "30 roundings of up to 35 m/s");
}

#[test]
fn an_open_room_lets_them_out() {
    let [moved, before, places, velocities] = room("zero");
    assert_eq!(velocities, before);
    let errors: Vec<f64> = moved.iter().zip(&places).map(|(m, p)| length(apart(*m, *p))).collect();
    within("places", max_abs(&errors), 8.0 * 2.0 * U, "rounding of a step");
}

const CLOUD: &str = r##"
    "domain": (domain: (resolution: (9, 7), width: 0.9, edge: "$edge")),
    "set": (state: "Particles{position: Vec, id: u32}", capacity: 3000),
    "cloud": (stage: "particles/to_grid", inputs: {"particles": "set.value"}, params: {"weight": 2}),
"##;

#[test]
fn particles_on_a_grid_keep_their_number_and_their_middle() {
    let positions: Vec<f32> =
        random(6000, 4).iter().enumerate().map(|(i, v)| (0.5 + 0.4 * v) * [0.9, 0.7][i % 2]).collect();
    let mut sim = start(60.0, CLOUD, &[("$edge", "wall")]);
    place(&mut sim, "set", &positions, &[], 2);
    step(&mut sim, 1);
    let amount = read(&sim, "cloud.amount");
    // Four corners, each rounded to a multiple of 2^-16.
    let bar = 3000.0 * 4.0 * 0.5 / 65536.0;
    within("particles on the grid", (amount.iter().sum::<f64>() - 6000.0).abs(), bar, "3000 x 4 roundings to 2^-16");
    let middle = |axis: usize| {
        let at = |i: usize| ([i % 9, i / 9][axis] as f64 + 0.5) * 0.1;
        amount.iter().enumerate().map(|(i, a)| a * at(i)).sum::<f64>() / 6000.0
    };
    let error = (0..2).map(|axis| {
        let expected = mean(&f64s(&positions).iter().skip(axis).step_by(2).copied().collect::<Vec<_>>());
        middle(axis) - expected
    });
    // Linear weights keep the centre of mass; each share is off by 2^-17 of a particle of 2, in a room of 0.9 m.
    let bar = 0.9 * 4.0 * 0.5 / 65536.0 + 16.0 * U;
    within("  their centre of mass", max_abs(&error.collect::<Vec<_>>()), bar, "as many roundings, in 0.9 m");
}
