//! Incompressible SPH (DFSPH): one iteration against f64, a tank at rest, momentum, and the force of the water on a body.

use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;
use super::sph_rest::standing;

/// Random particles in a closed box with a disc that moves in it, and one iteration of the pressure.
const ONE: &str = r##"
    "domain": (domain: (resolution: (4, 4), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, pressure: f32}", capacity: 500),
    "disc": (custom: r#"//! Disc
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return length(position - vec2f(0.45, 0.55)) - 0.2; }"#),
    "carried": (custom: r#"//! Its velocity
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec { return vec2f(0.7, -0.4) + frame.time * 0.0; }"#),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "smoothing_radius": 0.25}),
    "kernel": (stage: "sph/kernel", inputs: {"mass": "coefficients.mass", "radius": "coefficients.radius"}),
    "near": (stage: "neighbors/fill", on: "domain", inputs: {"particles": "set.value"}),
    "density": (stage: "sph/dfsph_density", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "near.particles"}),
    "factor": (stage: "sph/dfsph_factor", on: "domain", inputs: {"particles": "density.particles", "shape": "disc.distance", "shape_velocity": "carried.velocity", "wall": "kernel.wall"}),
    "solve": (stage: "sph/dfsph_pressure", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "factor.particles"}, params: {"correction": 0.5, "relaxation": 0.7}),
    "correct": (stage: "sph/dfsph_correct", on: "domain", inputs: {"kernel": "kernel.kernel", "neighbors": "near.neighbors", "particles": "solve.particles"}),
"##;

#[test]
fn an_iteration_is_that_of_the_formulas() {
    let mut sim = start(60.0, ONE, &[]);
    let outside = |p: &[f32]| (p[0] - 0.45).hypot(p[1] - 0.55) > 0.21;
    let places: Vec<f32> = random(600, 1).iter().map(|v| 0.5 + 0.49 * v).collect();
    let places: Vec<f32> = places.chunks(2).filter(|p| outside(p)).flatten().copied().collect();
    let count = places.len() / 2;
    sim.write("set.pressure", &random(count, 5).iter().map(|v| 2e4 * (v + 1.0)).collect::<Vec<_>>())
        .unwrap_or_else(|e| panic!("{e}"));
    sim.write("set.position", &places).unwrap_or_else(|e| panic!("{e}"));
    sim.write("set.velocity", &random(2 * count, 3)).unwrap_or_else(|e| panic!("{e}"));
    sim.set_count("set", count as u32).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    let (kernel, wall) = (read(&sim, "kernel.kernel"), read(&sim, "kernel.wall"));
    let h = kernel[2];
    let dt = 1.0 / 60.0;
    let rest = 1000.0;
    let [x, before, after] =
        [("near.particles", "position"), ("near.particles", "velocity"), ("correct.particles", "velocity")]
            .map(|(wire, name)| vectors(&sim, wire, name, 2));
    let pressed = scalars(&sim, "near.particles", "pressure");
    // m W, and its gradient for particle i.
    let value = |r: f64| if r < h { kernel[0] * (1.0 - r / h).powi(4) * (1.0 + 4.0 * r / h) } else { 0.0 };
    let gradient = |d: [f64; 3]| plus([0.0; 3], kernel[1] * (1.0 - length(d) / h).max(0.0).powi(3), d);
    let share = |z: f64| {
        let part = |a: f64, b: f64| if a > 0.0 { a * (1.0 - z.max(0.0) / b).max(0.0).powi(3) } else { 0.0 };
        part(wall[0], wall[1]) + part(wall[2], wall[3])
    };
    let disc = |p: [f64; 3]| (p[0] - 0.45).hypot(p[1] - 0.55) - 0.2;
    let sides = |p: [f64; 3]| [p[0], 1.0 - p[0], p[1], 1.0 - p[1]].iter().map(|z| 1.0 - share(*z)).product::<f64>();
    let wall_share = |p: [f64; 3]| sides(p) * share(disc(p));
    // All particles and their images behind the sides: of which particle, where, and 1 along the axes that are mirrored.
    let mirrored = |p: f64| [(p, 0.0), (-p, 1.0), (2.0 - p, 1.0)];
    let images: Vec<(usize, [f64; 3], [f64; 3])> = (0..count)
        .flat_map(|j| mirrored(x[j][0]).map(|across| (j, across)))
        .flat_map(|(j, across)| mirrored(x[j][1]).map(|along| (j, across, along)))
        .map(|(j, (x, across), (y, along))| (j, [x, y, 0.0], [across, along, 0.0]))
        .collect();
    // The images behind the nearest side are followed; the others have the particle's own pressure and velocity, mirrored.
    let followed = |i: usize, axes: &[f64; 3]| {
        let [across, along] = [0, 1].map(|axis| x[i][axis].min(1.0 - x[i][axis]));
        axes[0] * axes[1] == 0.0 && axes[if across < along { 1 } else { 0 }] == 0.0
    };
    let turned = |v: [f64; 3], axes: &[f64; 3]| std::array::from_fn(|axis| v[axis] * (1.0 - 2.0 * axes[axis]));
    // By differences.
    let slope = |f: &dyn Fn([f64; 3]) -> f64, p: [f64; 3]| -> [f64; 3] {
        let at = |axis: usize, by: f64| f(std::array::from_fn(|i| p[i] + if i == axis { by } else { 0.0 }));
        std::array::from_fn(|axis| if axis < 2 { (at(axis, 1e-6) - at(axis, -1e-6)) / 2e-6 } else { 0.0 })
    };
    struct Expected {
        density: f64,
        factor: f64,
        walls: [f64; 3],
        kappa: f64,
        pressure: f64,
        error: f64,
    }
    let expected: Vec<Expected> = (0..count)
        .map(|i| {
            let near: Vec<_> = images.iter().filter(|(_, place, _)| length(apart(x[i], *place)) < h).collect();
            let density = near.iter().map(|(_, place, _)| value(length(apart(x[i], *place)))).sum::<f64>()
                + rest * wall_share(x[i]);
            let pulls: Vec<[f64; 3]> = near.iter().map(|(_, place, _)| gradient(apart(x[i], *place))).collect();
            let normal = |g: &[f64; 3], axes: &[f64; 3]| std::array::from_fn(|axis| g[axis] * axes[axis]);
            let (others, mirrored_images): (Vec<_>, Vec<_>) =
                near.iter().zip(&pulls).partition(|((.., axes), _)| followed(i, axes));
            let walls =
                mirrored_images.iter().fold(plus([0.0; 3], rest, slope(&wall_share, x[i])), |sum, ((.., axes), g)| {
                    plus(sum, 2.0, normal(g, axes))
                });
            let all = others.iter().fold(walls, |sum, (_, g)| plus(sum, 1.0, **g));
            let single = dot(all, all) + others.iter().map(|(_, g)| dot(**g, **g)).sum::<f64>();
            let layers = (pulls.iter().map(|g| length(*g)).sum::<f64>() / 2.0).powi(2);
            let inflow = rest * sides(x[i]) * dot(slope(&|p| 1.0 - share(disc(p)), x[i]), [0.7, -0.4, 0.0]);
            let rate: f64 =
                others.iter().map(|((j, _, axes), g)| dot(apart(turned(before[*j], axes), before[i]), **g)).sum();
            let (excess, factor) = (density - rest, single + single.max(layers));
            let wrong = dt * (rate + dot(walls, before[i]) + inflow) + excess.min(0.0) + 0.5 * excess.max(0.0);
            let old = pressed[i] / density.powi(2);
            let new = (old + 0.7 * wrong / (dt * dt * factor)).max(0.0);
            let error = (new - old).abs() * dt * dt * factor / 0.7 / rest;
            Expected { density, factor, walls, kappa: new - old, pressure: new * density.powi(2), error }
        })
        .collect();
    let relative = |what: &str, found: &[f64], exact: &dyn Fn(&Expected) -> f64, bar: f64| {
        let scale = expected.iter().map(|k| exact(k).abs()).fold(0.0, f64::max);
        let errors: Vec<f64> = found.iter().zip(&expected).map(|(f, k)| (f - exact(k)) / scale).collect();
        within(
            what,
            max_abs(&errors),
            bar,
            "the disc's normal by differences over 0.025 m at 0.2 m tilts by up to (1/8)^2/6, where the disc takes a part",
        );
    };
    relative("density", &scalars(&sim, "factor.particles", "density"), &|k| k.density, 1e-5);
    let answers: Vec<f64> =
        read(&sim, "factor.particles.answer").chunks(2).take(count).map(|answer| answer[0]).collect();
    relative("factor", &answers, &|k| k.factor, 1e-3);
    relative("pressure", &scalars(&sim, "solve.particles", "pressure"), &|k| k.pressure, 1e-3);
    within(
        "mean error",
        (read(&sim, "solve.error")[0] / mean(&expected.iter().map(|k| k.error).collect::<Vec<_>>()) - 1.0).abs(),
        1e-3,
        "the same",
    );
    let exact: Vec<[f64; 3]> = (0..count)
        .map(|i| {
            let start = plus(before[i], -dt * expected[i].kappa, expected[i].walls);
            let near = images.iter().filter(|(_, place, axes)| length(apart(x[i], *place)) < h && followed(i, axes));
            near.fold(start, |v, (j, place, _)| {
                plus(v, -dt * (expected[i].kappa + expected[*j].kappa), gradient(apart(x[i], *place)))
            })
        })
        .collect();
    let scale = (0..count).map(|i| length(apart(before[i], exact[i]))).fold(0.0, f64::max);
    let errors: Vec<f64> = (0..count).map(|i| length(apart(after[i], exact[i])) / scale).collect();
    within("velocity", max_abs(&errors), 2e-3, "the same");
}

/// A tank 1 m wide, filled 1 m high. A square lattice is an unstable equilibrium, which without a push breaks up after some 8 s; so it starts off it.
const TANK: &str = r##"
    "d": (number: $d),
    "h": (number: "$ratio * d"),
    "cells": (number: "floor(1 / h + 0.001)"),
    "domain": (domain: (resolution: ("cells", "ceil(1.5 * cells)"), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, pressure: f32}", capacity: 4000, on: "domain", inputs: {"init": "shaken.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.5, 0.5), "size": (1, 1), "spacing": "d"}),
    "shaken": (custom: r#"//! Up to a twentieth of a spacing off the lattice
        //! @in    d: f32
        //! @inout particles: Particles{position: Vec} -> {position: Vec}    Them
        fn stage(particle: Particle) -> Vec {
            return particle.position + 0.1 * d() * (vec2f(random_at(particle.index, 1u), random_at(particle.index, 2u)) - 0.5);
        }"#, inputs: {"d": "d", "particles": "begin.particles"}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "smoothing_radius": "h", "substeps": $substeps}),
    "substep": (stage: "sph/substep_dfsph", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius"},
        params: {"rest_density": 1000, "viscosity": $viscosity, "tolerance": $tolerance, "solve_iterations": 60}, iterations: $substeps),
"##;

struct Case {
    spacing: f64,
    /// Smoothing radius over spacing.
    ratio: f64,
    viscosity: f64,
    substeps: usize,
    tolerance: f64,
    frames: usize,
}

/// What is left of it: the slope of the pressure over rho g, the level [m], the root mean square speed [m/s], and the densest over rho_0.
fn rest(case: &Case) -> [f64; 4] {
    let Case { spacing, ratio, viscosity, substeps, tolerance, frames } = *case;
    let values = [
        ("$d", spacing.to_string()),
        ("$ratio", ratio.to_string()),
        ("$substeps", substeps.to_string()),
        ("$viscosity", viscosity.to_string()),
        ("$tolerance", tolerance.to_string()),
    ];
    let mut sim = start(60.0, TANK, &pairs(&values));
    let (mut slope, mut level, mut speed) = (0.0, 0.0, 0.0);
    let last = frames / 6;
    for frame in 0..frames {
        step(&mut sim, 1);
        live(&sim, "substep.particles"); // waits for the frame, so that no frames pile up
        if frame >= frames - last {
            let [a, b, c] = standing(&sim);
            slope += a / last as f64;
            level = b;
            speed = c;
        }
    }
    assert!(sim.warnings(true).is_empty(), "{}", sim.warnings(true));
    let densest = scalars(&sim, "substep.particles", "density").into_iter().fold(0.0, f64::max) / 1000.0;
    println!(
        "d {spacing}, h/d {ratio}, viscosity {viscosity}, {substeps} substeps: slope {slope:.3} rho g, level {level:.4} m, rms {:.2} mm/s, densest {densest:.4}",
        1e3 * speed
    );
    [slope, level, speed, densest]
}

#[test]
fn a_tank_at_rest_is_hydrostatic_and_nowhere_denser() {
    let case = Case { spacing: 0.1, ratio: 2.0, viscosity: 100.0, substeps: 3, tolerance: 1e-5, frames: 90 };
    let [slope, level, speed, densest] = rest(&case);
    within("slope over rho g", (slope - 1.0).abs(), 0.07, "the spacing is a tenth of the depth");
    within("level [m]", (level - 1.0).abs(), 0.01, "a tenth of a spacing");
    within("rms speed after 1.5 s [m/s]", speed, 0.015, "a hundredth of a spacing in a tenth of a second");
    within("densest over rho_0", densest - 1.0, 0.002, "a fifth of a percent");
}

/// The bar of the method: ten seconds, at two resolutions and two radii. Takes minutes.
#[test]
#[ignore = "takes minutes; run it after a change of SPH"]
fn a_tank_of_incompressible_water_rests_for_ten_seconds() {
    for (spacing, ratio, substeps) in [(0.05, 2.0, 4), (0.05, 2.5, 4), (0.025, 2.0, 8), (0.025, 2.5, 8)] {
        // A twentieth of g dt^2 / depth.
        let tolerance = 0.4905 / (60.0 * substeps as f64).powi(2);
        let case = Case { spacing, ratio, viscosity: 30.0, substeps, tolerance, frames: 600 };
        let [slope, level, speed, densest] = rest(&case);
        within("slope over rho g", (slope - 1.0).abs(), 0.03, "3 %");
        within("level [m]", (level - 1.0).abs(), 0.01, "a hundredth");
        within("rms speed [m/s]", speed, 0.002, "2 mm/s");
        within("densest over rho_0", densest - 1.0, 0.01, "a hundredth");
    }
}

/// Fluid around a disc that moves, in the open, a substep a frame.
const STIRRED: &str = r##"
    "domain": (domain: (resolution: (8, 8), width: 1.6, edge: "$edge")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, pressure: f32}", capacity: 1000, on: "domain", inputs: {"init": "outside.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.8, 0.8), "size": (1.2, 1.2), "spacing": 0.1}),
    "outside": (stage: "particles/kill_inside", inputs: {"particles": "begin.particles", "shape": "disc.distance"}, params: {"margin": 0.03}),
    "disc": (custom: r#"//! Disc
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return length(position - vec2f(0.8 + 0.5 * frame.time, 0.75)) - 0.25; }"#),
    "carried": (custom: r#"//! Its velocity: it turns, too
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec {
            let arm = position - vec2f(0.8 + 0.5 * frame.time, 0.75);
            return vec2f(0.5, 0.0) + 3.0 * vec2f(-arm.y, arm.x);
        }"#),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"fixed_mass": 10, "smoothing_radius": 0.2, "substeps": 1}),
    "substep": (stage: "$group", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius", "shape": "disc.distance", "shape_velocity": "carried.velocity"},
        params: {"rest_density": 1000, "gravity": ($gravity), "center": (0.6, 0.9), $params}),
"##;

#[test]
fn the_force_on_a_body_is_what_the_water_loses() {
    let weak = r#""stiffness": 200, "viscosity": 10, "wall_viscosity": 20"#;
    let dense = r#""viscosity": 10, "solve_iterations": 10, "tolerance": 0"#;
    for (group, params, fps) in [("sph/substep", weak, "240"), ("sph/substep_dfsph", dense, "120")] {
        let mut sim = start(
            fps.parse().unwrap_or(60.0),
            STIRRED,
            &[("$edge", "zero"), ("$gravity", "3, -8"), ("$group", group), ("$params", params)],
        );
        let dt = 1.0 / fps.parse::<f64>().unwrap_or(60.0);
        sim.write("set.velocity", &random(288, 4)).unwrap_or_else(|e| panic!("{e}"));
        let center = [0.6, 0.9, 0.0];
        let turn = |arm: [f64; 3], v: [f64; 3]| arm[0] * v[1] - arm[1] * v[0];
        // Momentum, and angular momentum about the centre at the places before the step.
        let carried = |x: &[[f64; 3]], v: &[[f64; 3]], back: f64| {
            x.iter().zip(v).fold([0.0; 3], |[a, b, c], (x, v)| {
                let arm = apart(center, plus(*x, -back, *v));
                [a + 10.0 * v[0], b + 10.0 * v[1], c + 10.0 * turn(arm, *v)]
            })
        };
        let both =
            |sim: &Simulation, wire: &str| (vectors(sim, wire, "position", 2), vectors(sim, wire, "velocity", 2));
        let mut largest = 0.0f64;
        for frame in 0..8 {
            let (x, v) = both(&sim, "set.value");
            let falling: Vec<[f64; 3]> = v.iter().map(|v| plus(*v, dt, [3.0, -8.0, 0.0])).collect();
            let before = carried(&x, &falling, 0.0);
            step(&mut sim, 1);
            let (x, v) = both(&sim, "substep.particles");
            let after = carried(&x, &v, dt);
            let (force, torque) = (read(&sim, "substep.force"), read(&sim, "substep.torque"));
            let size = v.iter().map(|v| 10.0 * length(*v)).sum::<f64>();
            largest = largest.max(force[0].hypot(force[1]));
            for (axis, push) in [force[0], force[1], torque[2]].into_iter().enumerate() {
                let lost = before[axis] - after[axis];
                let error = (lost - dt * push).abs() / size;
                within(
                    &format!("{group}, frame {frame}, axis {axis}: {push:.1}"),
                    error,
                    2e-6,
                    "sums of 144 roundings",
                );
            }
        }
        assert!(largest > 10.0, "{group}: the disc is pushed, with {largest} N/m at most");
    }
}

#[test]
fn momentum_is_kept_without_a_body() {
    let nodes = STIRRED.replace(r#", "shape": "disc.distance", "shape_velocity": "carried.velocity"},"#, "},");
    let params = r#""viscosity": 10, "solve_iterations": 10"#;
    let mut sim = start(
        120.0,
        &nodes,
        &[("$edge", "wrap"), ("$gravity", "0, 0"), ("$group", "sph/substep_dfsph"), ("$params", params)],
    );
    sim.write("set.velocity", &random(288, 4)).unwrap_or_else(|e| panic!("{e}"));
    let sum =
        |sim: &Simulation| vectors(sim, "set.value", "velocity", 2).iter().fold([0.0; 3], |sum, v| plus(sum, 1.0, *v));
    let before = sum(&sim);
    step(&mut sim, 60);
    let size = 144.0 * rms(&f64s(&random(288, 4)));
    within(
        "momentum after 60 steps",
        length(apart(before, sum(&sim))) / size,
        1e-5,
        "60 times 10 roundings of a particle",
    );
    let densest = scalars(&sim, "substep.particles", "density").into_iter().fold(0.0, f64::max) / 1000.0;
    within("densest over rho_0", densest - 1.0, 0.02, "2 %, from impacts at 1 m/s");
}

/// A disc at rest under water.
const SUNK: &str = r##"
    "domain": (domain: (resolution: (10, 10), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, pressure: f32}", capacity: 400, on: "domain", inputs: {"init": "outside.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.5, 0.45), "size": (1, 0.9), "spacing": 0.05}),
    "outside": (stage: "particles/kill_inside", inputs: {"particles": "begin.particles", "shape": "disc.distance"}, params: {"margin": 0.02}),
    "disc": (custom: r#"//! Disc
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return length(position - vec2f(0.5, 0.45)) - 0.25; }"#),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"fixed_mass": 2.5, "smoothing_radius": 0.1, "substeps": 4}),
    "substep": (stage: "sph/substep_dfsph", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius", "shape": "disc.distance"},
        params: {"rest_density": 1000, "viscosity": 50, "solve_iterations": 40}, iterations: 4),
"##;

#[test]
fn a_sunk_disc_loses_the_weight_of_the_water_that_it_displaces() {
    let frames = 48;
    let mut sim = start(60.0, SUNK, &[]);
    let mut sum = [0.0; 2];
    for frame in 0..frames {
        step(&mut sim, 1);
        if 2 * frame >= frames {
            let force = read(&sim, "substep.force");
            sum = [sum[0] + force[1], sum[1] + force[0]];
        }
    }
    assert!(sim.warnings(true).is_empty(), "{}", sim.warnings(true));
    let [up, aside] = sum.map(|f| f / (frames / 2) as f64 / (9810.0 * std::f64::consts::PI * 0.25 * 0.25));
    within("buoyancy over rho g V", (up - 1.0).abs(), 0.05, "a quarter of a spacing of the radius");
    within("sideways", aside.abs(), 0.05, "symmetry");
}
