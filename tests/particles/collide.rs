//! Collisions: nothing gets in, nothing is lost, and single bounces are those of the textbook.

use stagewright_solver_support::harness::*;

use super::sets::*;

/// A ball that circles, a box at rest, and a bowl (half a hollow ball would do; here a whole one) around some particles.
const OBSTACLES: &str = r##"
    "domain": (domain: (resolution: (32, 32, 32), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 100000, inputs: {"init": "emit.particles", "next": "collide.particles"}),
    "emit": (stage: "particles/emit_box", params: {"amount": 100000, "size": (1, 1, 1), "spread": 2}),
    "shape": (custom: r#"//! Obstacles
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 {
            let turn = 2.0 * frame.time;
            let ball = length(position - vec3f(0.5 + 0.12 * cos(turn), 0.68, 0.5 + 0.12 * sin(turn))) - 0.15;
            let out = abs(position - vec3f(0.25, 0.2, 0.25)) - vec3f(0.15, 0.1, 0.12);
            let box = length(max(out, vec3f())) + min(max(out.x, max(out.y, out.z)), 0.0);
            let shell = abs(length(position - vec3f(0.75, 0.25, 0.75)) - 0.15) - 0.04;
            return min(ball, min(box, shell));
        }"#),
    "carried": (custom: r#"//! Their velocity
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec {
            let turn = 2.0 * frame.time;
            return select(vec3f(), 0.24 * vec3f(-sin(turn), 0.0, cos(turn)), position.y > 0.5);
        }"#),
    "force": (stage: "particles/force", inputs: {"particles": "set.value"}),
    "move": (stage: "particles/integrate", inputs: {"particles": "force.particles"}, params: {"speed_limit": 4}),
    "contain": (stage: "particles/contain", inputs: {"particles": "move.particles"}, params: {"restitution": 0.8}),
    "collide": (stage: "particles/collide", inputs: {"particles": "contain.particles", "shape": "shape.distance", "shape_velocity": "carried.velocity"},
        params: {"restitution": 0.5, "friction": 0.2}),
"##;

/// Signed distance of the obstacles at a time.
fn distance(p: [f64; 3], time: f64) -> f64 {
    let turn = 2.0 * time;
    let ball = length(apart([0.5 + 0.12 * turn.cos(), 0.68, 0.5 + 0.12 * turn.sin()], p)) - 0.15;
    let out: [f64; 3] = std::array::from_fn(|a| (p[a] - [0.25, 0.2, 0.25][a]).abs() - [0.15, 0.1, 0.12][a]);
    let deepest = out.iter().copied().fold(f64::MIN, f64::max);
    let boxed = length(out.map(|o| o.max(0.0))) + deepest.min(0.0);
    let shell = (length(apart([0.75, 0.25, 0.75], p)) - 0.15).abs() - 0.04;
    ball.min(boxed).min(shell)
}

#[test]
fn nothing_gets_into_obstacles_and_nothing_is_lost() {
    let mut sim = start(60.0, OBSTACLES, &[]);
    let cell = 1.0 / 32.0;
    let (mut deepest, mut touching) = (0.0f64, 0);
    for frame in 1..=320 {
        let time = sim.time();
        step(&mut sim, 1);
        if frame % 25 != 0 && frame > 5 {
            continue;
        }
        let places = vectors(&sim, "set.value", "position", 3);
        assert_eq!(places.len(), 100_000, "nobody is removed");
        assert!(places.iter().flatten().all(|x| x.is_finite()), "every place is a number");
        let depths = places.iter().map(|p| -distance(*p, time));
        deepest = depths.clone().fold(deepest, f64::max);
        touching = depths.filter(|d| *d > -0.01 * cell).count();
    }
    println!("after 320 steps {touching} of 100,000 touch an obstacle");
    assert!(touching > 100, "some do");
    within("deepest of 100,000 over 320 steps, in cells", deepest / cell, 0.1, "a tenth of a cell");
}

const ONCE: &str = r##"
    "domain": (domain: (resolution: (10, 10, 10), width: 2, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 10000),
    "shape": (custom: r#"//! Ball
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return length(position - vec3f(1.0, 1.1, 0.9)) - 0.5; }"#),
    "carried": (custom: r#"//! It turns and climbs
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec { return vec3f(0.0, 0.3, 0.0) + cross(vec3f(0.0, 0.0, 2.0), position - vec3f(1.0, 1.1, 0.9)); }"#),
    "instant": (number: 0.000001),
    "collide": (stage: "particles/collide", inputs: {"dt": "instant", "particles": "set.value", "shape": "shape.distance", "shape_velocity": "carried.velocity"},
        params: {"restitution": $restitution, "friction": $friction, "radius": 0.02}),
"##;

#[test]
fn single_bounces_are_those_of_the_textbook() {
    let center = [1.0, 1.1, 0.9];
    // On a ball of radius 0.52, up to a cell deep or not touching at all.
    let directions = vectors_of(&f64s(&random(30_000, 1)), 3);
    let depths = random(10_000, 2);
    let positions: Vec<f32> = directions
        .iter()
        .zip(&depths)
        .flat_map(|(d, depth)| plus(center, (0.52 + 0.1 * f64::from(*depth)) / length(*d), *d))
        .map(|x| x as f32)
        .collect();
    let velocities: Vec<f32> = random(30_000, 3).iter().map(|v| 3.0 * v).collect();
    for (restitution, friction) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.3, 0.4), (0.0, 5.0), (0.9, 0.1)] {
        let values = [("$restitution", restitution.to_string()), ("$friction", friction.to_string())];
        let mut sim = start(60.0, ONCE, &pairs(&values));
        place(&mut sim, "set", &positions, &velocities, 3);
        step(&mut sim, 1);
        let places = vectors(&sim, "collide.particles", "position", 3);
        let speeds = vectors(&sim, "collide.particles", "velocity", 3);
        let mut off = 0.0f64;
        let mut wrong = 0.0f64;
        let mut hits = 0;
        for (i, (p, v)) in vectors_of(&f64s(&positions), 3).iter().zip(vectors_of(&f64s(&velocities), 3)).enumerate() {
            let arm = apart(center, *p);
            if length(arm) >= 0.52 {
                assert_eq!((places[i], speeds[i]), (*p, v), "what does not touch stays as it is");
                continue;
            }
            hits += 1;
            let normal = arm.map(|x| x / length(arm));
            let out = plus(center, 0.52, normal);
            off = off.max(length(apart(out, places[i])));
            let spun = apart(center, out);
            let carried = [-2.0 * spun[1], 0.3 + 2.0 * spun[0], 0.0];
            let hit = apart(carried, v);
            let across = dot(hit, normal);
            let along = plus(hit, -across, normal);
            let slip = (1.0 - friction * (1.0 + restitution) * -across / length(along)).max(0.0);
            let bounced =
                if across < 0.0 { plus(plus(carried, slip, along), -restitution * across, normal) } else { v };
            wrong = wrong.max(length(apart(bounced, speeds[i])));
        }
        // The slope is a difference across 0.02 m either way. On a ball of 0.42 m or more its direction is wrong by up to
        // (0.02/0.42)^2/6 = 4e-4 from curvature, in each of the rounds that push out; a distance is rounded to 2^-24, which
        // the difference makes 3e-6.
        let tilt = 4.0 * (4e-4 + 3e-6);
        println!("restitution {restitution}, friction {friction}: {hits} of 10,000 hit");
        within("  place", off, 0.12 * tilt, "tilt of the slope, over the depth");
        let speed = 3.0 * 3f64.sqrt() + 1.5;
        within("  velocity", wrong, (2.0 + 2.0 * friction) * 2.0 * tilt * speed, "tilt of the slope, times the speed");
    }
}

const DROP: &str = r##"
    "domain": (domain: (resolution: (16, 32), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 4, inputs: {"next": "collide.particles"}),
    "floor": (custom: r#"//! Floor
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return position.y - 0.25; }"#),
    "force": (stage: "particles/force", inputs: {"particles": "set.value"}),
    "move": (stage: "particles/integrate", inputs: {"particles": "force.particles"}),
    "collide": (stage: "particles/collide", inputs: {"particles": "move.particles", "shape": "floor.distance"}, params: {"restitution": 0.7, "friction": 0}),
"##;

/// Heights of the first bounces of a ball that falls one metre.
fn bounces(fps: f64) -> Vec<f64> {
    let mut sim = start(fps, DROP, &[]);
    place(&mut sim, "set", &[0.5, 1.25], &[0.0, 0.0], 2);
    let mut peaks = Vec::new();
    let mut before = 1.25;
    let mut rising = false;
    for _ in 0..(1.9 * fps) as usize {
        step(&mut sim, 1);
        let height = vectors(&sim, "set.value", "position", 2)[0][1];
        if rising && height < before {
            peaks.push(before - 0.25);
        }
        rising = height > before;
        before = height;
    }
    peaks
}

#[test]
fn a_ball_that_falls_bounces_to_the_square_of_the_restitution() {
    // The step at the floor is cut short: up to one step at 4.4 m/s, and the velocity is that of the step's end.
    let errors: Vec<f64> = [100.0, 400.0]
        .iter()
        .map(|fps| {
            let peaks = bounces(*fps);
            let error = max_abs(&[peaks[0] - 0.49, peaks[1] - 0.2401]);
            within(
                &format!("bounces at {fps} frames/s, {:.4} and {:.4} m", peaks[0], peaks[1]),
                error,
                2.0 * 4.43 / fps,
                "two steps of the fall's fastest",
            );
            error
        })
        .collect();
    assert!(errors[1] < 0.5 * errors[0], "and four times the frames are at least twice as close");
}

/// A slope of 3 in 4 without friction, for particles of radius 0.02.
const SLOPE: &str = r##"
    "domain": (domain: (resolution: (16, 16), width: 4, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 4, inputs: {"next": "collide.particles"}),
    "slope": (custom: r#"//! Slope
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return 0.8 * position.y - 0.6 * position.x + 0.4; }"#),
    "force": (stage: "particles/force", inputs: {"particles": "set.value"}),
    "move": (stage: "particles/integrate", inputs: {"particles": "force.particles"}),
    "collide": (stage: "particles/collide", inputs: {"particles": "move.particles", "shape": "slope.distance"}, params: {"restitution": 0, "friction": 0, "radius": 0.02, "rest_speed": $rest}),
"##;

#[test]
fn a_particle_slower_than_the_rest_speed_stays_where_it_hits() {
    // On the slope a frame adds 0.6 g dt = 0.098 m/s; the second particle slides down at 1 m/s.
    let (pull, dt) = (0.6 * 9.81, 1.0 / 60.0);
    let on = |x: f32| [x, (0.6 * x - 0.4 + 0.02) / 0.8];
    let places = [on(2.0), on(3.0)].concat();
    let run = |rest: &str| {
        let mut sim = start(60.0, SLOPE, &[("$rest", rest)]);
        place(&mut sim, "set", &places, &[0.0, 0.0, -0.8, -0.6], 2);
        step(&mut sim, 30);
        let velocities = vectors(&sim, "set.value", "velocity", 2);
        (vectors(&sim, "set.value", "position", 2), [length(velocities[0]), length(velocities[1])])
    };
    let (_, speeds) = run("0");
    for (speed, begin) in speeds.iter().zip([0.0, 1.0]) {
        within(
            "slides without friction [m/s]",
            speed - (begin + 30.0 * pull * dt),
            1e-3,
            "30 steps of the pull along the slope",
        );
    }
    let (rested, speeds) = run("0.12");
    assert_eq!(speeds[0], 0.0, "a frame's pull is below the rest speed");
    within(
        "where it lies [m]",
        length(apart(rested[0], [f64::from(places[0]), f64::from(places[1]), 0.0])),
        1e-4,
        "30 roundings of the way out",
    );
    within("what is faster goes on [m/s]", speeds[1] - (1.0 + 30.0 * pull * dt), 1e-3, "as without");
}

/// A plate of 1 cm, or a sheet without thickness, and particles that fall or that it comes to meet.
const PLATE: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec}", capacity: 5000, on: "domain", inputs: {"init": "fill.particles", "next": "collide.particles"}),
    "fill": (stage: "particles/fill_box", on: "domain", params: {"center": (0.5, 0.7, 0.5), "size": (0.5, 0.2, 0.5), "spacing": 0.04, "velocity": ($start)}),
    "height": (number: "0.4 + $rise * time"),
    "shape": (custom: r#"//! Plate
        //! @in height: f32 = 0
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 {
            var out = abs(position - Vec(0.5)) - Vec(0.48);
            out.y = abs(position.y - height()) - $half;
            return length(max(out, Vec())) + min(max(out.x, max(out.y, out[DIM - 1])), 0.0);
        }"#, inputs: {"height": "height"}),
    "carried": (stage: "shape/rigid_velocity", on: "domain", params: {"linear": (0, $rise, 0)}),
    "force": (stage: "particles/force", inputs: {"particles": "set.value"}, params: {"constant": (0, $pull, 0)}),
    "move": (stage: "particles/integrate", inputs: {"particles": "force.particles"}),
    "collide": (stage: "particles/collide", inputs: {"particles": "move.particles", "shape": "shape.distance", "shape_velocity": "carried.velocity"},
        params: {"radius": $radius, "restitution": 0.2}),
"##;

#[test]
fn no_particle_passes_a_plate_that_is_thinner_than_a_step() {
    for dim in [2usize, 3] {
        let cells = vec!["64"; dim].join(", ");
        // Falling 4 cm a frame and more; shot at 30 m/s; a plate that rises at 6 m/s; a sheet.
        let cases = [
            ("falls", 24.0, "0, 0, 0", 0.0, -9.81, 0.005, 0.0),
            ("falls", 60.0, "0, 0, 0", 0.0, -9.81, 0.005, 0.0),
            ("with a radius", 60.0, "0, 0, 0", 0.0, -9.81, 0.002, 0.004),
            ("is shot", 60.0, "3, -30, 0", 0.0, 0.0, 0.005, 0.0),
            ("is met", 60.0, "0, 0, 0", 6.0, 0.0, 0.005, 0.0),
            ("meets a sheet", 60.0, "0, -12, 0", 0.0, -9.81, 0.0, 0.0),
        ];
        for (what, fps, velocity, rise, pull, half, radius) in cases {
            let values = [
                ("$cells", cells.clone()),
                ("$start", velocity.to_string()),
                ("$rise", format!("{rise:?}")),
                ("$pull", format!("{pull:?}")),
                ("$half", format!("{half:?}")),
                ("$radius", format!("{radius:?}")),
            ];
            let mut sim = start(fps, PLATE, &pairs(&values));
            // The plate rises until it has met all; the others lie on it after two thirds of a second.
            let frames = if rise > 0.0 { 5 } else { (0.67 * fps) as usize };
            for _ in 0..frames {
                let top = 0.4 + rise * sim.time() + half + radius;
                step(&mut sim, 1);
                let heights = vectors(&sim, "set.value", "position", dim);
                let lowest = heights.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
                within(
                    &format!("{what} in {dim}D at {fps} fps, below the plate's top"),
                    (top - lowest).max(0.0),
                    1e-4,
                    "its push out",
                );
            }
        }
    }
}

const SIZES: &str = r##"
    "domain": (domain: (resolution: (10, 10), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, radius: f32}", capacity: 100),
    "floor": (custom: r#"//! Floor
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return position.y - 0.25; }"#),
    "instant": (number: 0.000001),
    "collide": (stage: "particles/collide", inputs: {"dt": "instant", "particles": "set.value", "shape": "floor.distance", "sizes": "set.value"}, params: {"radius": 0.5}),
    "contain": (stage: "particles/contain", inputs: {"particles": "set.value", "sizes": "set.value"}, params: {"margin": 0.5}),
    "push_out": (stage: "particles/push_out", inputs: {"particles": "set.value", "shape": "floor.distance", "sizes": "set.value"}, params: {"margin": 0.5}),
"##;

/// As Niagara's collisions take each particle's scale: a ball of radius r rests at r above a floor, and at r from a wall.
#[test]
fn each_particle_collides_by_its_own_radius() {
    let mut sim = start(60.0, SIZES, &[]);
    let radii: Vec<f32> = (0..100).map(|i| 0.002 * i as f32).collect();
    // Those of radius 0.1 and more touch the floor; all are at the left wall.
    let positions: Vec<f32> = radii.iter().flat_map(|_| [0.0, 0.35]).collect();
    place(&mut sim, "set", &positions, &vec![0.0; 200], 2);
    sim.write("set.radius", &radii).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    for (node, axis, rest) in [("collide", 1, 0.25), ("push_out", 1, 0.25), ("contain", 0, 0.0)] {
        let places = vectors(&sim, &format!("{node}.particles"), "position", 2);
        let off = places.iter().zip(&radii).map(|(p, r)| {
            let touching = rest + f64::from(*r);
            (p[axis] - if axis == 1 { touching.max(f64::from(0.35f32)) } else { touching }).abs()
        });
        let worst = off.fold(0.0, f64::max);
        within(
            &format!("{node}: from where its radius holds it [m]"),
            worst,
            1e-6,
            "rounding of a distance below 1 m, and its slope",
        );
    }
}
