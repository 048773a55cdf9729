//! Substeps that the GPU chooses by the CFL condition, against as many as it would take at worst: a tank at rest, the front of a
//! dam break, a body that moves, and what happens where the most do not suffice.

use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::dam_break::{against_experiment, front};
use super::sets::*;
use super::sph_rest::standing;

/// A tank 1 m wide, filled 1 m high with particles 0.1 m apart. Sound is 20 times as fast as sqrt(g depth).
const TANK: &str = r##"
    "domain": (domain: (resolution: (5, 8), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32$kept}", capacity: 200, on: "domain", inputs: {"init": "begin.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.5, 0.5), "size": (1, 1), "spacing": 0.1}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": 1, "smoothing_radius": 0.2, "substeps": 25}),
    "substep": (stage: "sph/$group", on: "domain", inputs: {$dt"mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius"},
        params: {"rest_density": 1000, $params}, iterations: $substeps),
"##;

/// The substeps of the last frame.
fn substeps(sim: &Simulation) -> u32 {
    words(sim, "substep/loop.repeats")[0]
}

#[test]
fn a_tank_at_rest_is_hydrostatic_with_any_number_of_substeps() {
    let sound = r#""stiffness": 3924, "viscosity": 100"#;
    let run = |group: &str, params: &str, kept: &str, count: &str| {
        let dt = if count == "1" { "" } else { r#""dt": "coefficients.dt", "# };
        let values = [("$group", group), ("$params", params), ("$kept", kept), ("$substeps", count), ("$dt", dt)];
        let mut sim = start_fused(60.0, TANK, &values, &["substep.particles", "substep/loop.repeats"]);
        let mut substep_counts = Vec::new();
        for _ in 0..90 {
            step(&mut sim, 1);
            live(&sim, "substep.particles"); // waits for the frame, so that no frames pile up
            substep_counts.push(if count == "1" { substeps(&sim) } else { 25 });
        }
        assert!(sim.warnings(true).is_empty(), "{group}: {}", sim.warnings(true));
        assert_eq!(live(&sim, "set.value"), 100);
        let found = standing(&sim);
        let mean = f64::from(substep_counts.iter().sum::<u32>()) / 90.0;
        println!(
            "{group}: {mean:.1} substeps: slope {:.4} rho g, level {:.4} m, rms {:.3} mm/s",
            found[0],
            found[1],
            1e3 * found[2]
        );
        (found, mean)
    };
    let (fixed, _) = run("substep", sound, "", "25");
    let (chosen, mean) = run("substep_adaptive", sound, "", "1");
    // Sound of 62.6 m/s goes 0.4 radii of 0.2 m in 1.28 ms.
    assert!((13.0..=15.0).contains(&mean), "sound needs 14 substeps: {mean}");
    within("slope over rho g", (chosen[0] - 1.0).abs(), 0.05, "5 %, as for equal substeps at this spacing");
    within("slope against 25 equal substeps", chosen[0] / fixed[0] - 1.0, 0.01, "both are at rest");
    within("level against 25 equal substeps [m]", chosen[1] - fixed[1], 0.002, "a fiftieth of a spacing");
    within("rms speed [m/s]", chosen[2], 0.002, "2 mm/s");
    let kept = ", pressure: f32";
    let dense = r#""viscosity": 100, "tolerance": 1e-5, "solve_iterations": 60, "max_substeps": 6"#;
    let (chosen, mean) = run("substep_dfsph_adaptive", dense, kept, "1");
    assert!(mean < 5.0, "without sound a few are enough: {mean}");
    within(
        "incompressible: slope over rho g",
        (chosen[0] - 1.0).abs(),
        0.05,
        "as for equal substeps of DFSPH at this spacing",
    );
    within("incompressible: rms speed [m/s]", chosen[2], 0.01, "1 cm/s");
}

#[test]
fn the_front_of_a_dam_break_is_where_equal_substeps_have_it() {
    let (fixed, _) = front("substep", "", "", 40);
    let (chosen, substep_count) = front("substep_adaptive", "", "", 1);
    println!("{substep_count} substeps in 48 frames instead of {}", 48 * 40);
    assert!(substep_count < 48 * 30, "fewer than equal ones");
    let apart = fixed.iter().zip(&chosen).map(|(a, b)| b.1 - a.1).collect::<Vec<_>>();
    within("front against 40 equal substeps, Z", max_abs(&apart), 0.1, "two spacings");
    against_experiment(&chosen);
    let (chosen, substep_count) =
        front("substep_dfsph_adaptive", r#""solve_iterations": 16, "max_substeps": 10, "#, ", pressure: f32", 1);
    println!("incompressible: {substep_count} substeps in 48 frames");
    assert!(substep_count < 48 * 15, "a third of those that sound needs");
    against_experiment(&chosen);
}

/// A ball of 0.06 m that goes 2 m/s through a tank, as in `tank`.
const BALL: &str = r##"
    "domain": (domain: (resolution: (5, 6), width: 0.4, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 1000, on: "domain", inputs: {"init": "outside.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.2, 0.16, 0.2), "size": (0.4, 0.32, 0.4), "spacing": 0.04}),
    "outside": (stage: "particles/kill_inside", inputs: {"particles": "begin.particles", "shape": "ball.distance"}, params: {"margin": 0.016}),
    "ball": (stage: "shape/sphere", on: "domain", params: {"center": "[0.1 + 2 * time, 0.16]", "radius": 0.06}),
    "carried": (stage: "shape/rigid_velocity", on: "domain", params: {"linear": (2, 0)}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"fixed_mass": 1.6, "smoothing_radius": 0.08}),
    "substep": (stage: "sph/substep_adaptive", on: "domain", inputs: {"mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius", "shape": "ball.distance", "shape_velocity": "carried.velocity"},
        params: {"rest_density": 1000, "stiffness": 1256, "viscosity": 28, "particle_radius": 0.02, "max_substeps": $most}),
"##;

#[test]
fn a_fast_ball_moves_in_every_substep() {
    let mut sim = start(60.0, BALL, &[("$most", "40")]);
    step(&mut sim, 1);
    let mut densest = 0.0f64;
    for _ in 0..5 {
        step(&mut sim, 1);
        densest = scalars(&sim, "substep.particles", "density").into_iter().fold(densest, f64::max);
    }
    assert!(sim.warnings(true).is_empty(), "{}", sim.warnings(true));
    // A ball that jumps at the start of each frame packs 11 %.
    within("densest over rho_0", densest / 1000.0 - 1.0, 2.0 / 1256f64.sqrt(), "2 m/s over the speed of sound");
}

#[test]
fn too_few_substeps_run_in_slow_motion_and_are_reported() {
    let mut sim = start(60.0, BALL, &[("$most", "5")]);
    for _ in 0..3 {
        step(&mut sim, 1);
        assert_eq!(substeps(&sim), 5);
    }
    let said = sim.warnings(true).to_string();
    assert!(said.contains("lost") && said.contains("slow motion"), "{said}");
    // Five steps, none longer than the way of sound of 35 m/s in 0.4 radii of 0.08 m.
    let passed = read(&sim, "substep/loop/step.passed")[0] / (5.0 * 0.4 * 0.08 / 1256f64.sqrt());
    assert!((0.3..=1.002).contains(&passed), "no step is longer than its limits: {passed}");
}

/// The chosen step against its formula, in 2D and for each limit in turn.
const CHOICE: &str = r##"
    "domain": (domain: (resolution: (5, 5), width: 1, edge: "wall")),
    "coefficients": (stage: "sph/coefficients", on: "domain", inputs: {"particles": "set.value"}, params: {"fixed_mass": 10, "smoothing_radius": 0.2}),
    "set": (state: "Particles{position: Vec, velocity: Vec}", capacity: 10, on: "domain"),
    "kernel": (stage: "sph/kernel", on: "domain", inputs: {"mass": "coefficients.mass", "radius": "coefficients.radius"}),
    "speed": (number: $speed), "pull": (number: $pull), "begin": (number: 0),
    "step": (stage: "sph/time_step", on: "domain", inputs: {"acceleration": "pull", "kernel": "kernel.kernel", "remaining": "begin", "speed": "speed"},
        params: {"stiffness": $stiffness, "viscosity": $viscosity, "damping": 0.5}),
"##;

#[test]
fn the_step_is_the_longest_that_each_limit_allows() {
    let cases = [
        (0.0, 0.0, 0.0, 0.0),
        (5.0, 0.0, 0.0, 0.0),
        (0.0, 400.0, 0.0, 0.0),
        (7.0, 900.0, 0.0, 0.0),
        (1.0, 20.0, 3000.0, 1.0),
        (1.0, 20.0, 10.0, 4000.0),
    ];
    for (speed, pull, stiffness, viscosity) in cases {
        let values = [("$speed", speed), ("$pull", pull), ("$stiffness", stiffness), ("$viscosity", viscosity)];
        let values = values.map(|(name, value): (&str, f64)| (name, value.to_string()));
        let mut sim = start(60.0, CHOICE, &pairs(&values));
        step(&mut sim, 1);
        let (h, frame) = (0.2f64, 1.0 / 60.0);
        let (reach, pull) = (0.4 * h, pull.max(9.81));
        // By bisection: v dt + a dt^2 grows with dt.
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if speed * middle + pull * middle * middle <= reach { low = middle } else { high = middle }
        }
        let sound = 0.4 * h / (stiffness.sqrt() * (2.0f64 / 3.0).sqrt());
        // 8 (a + 7 b) with the weights of viscosity on a square lattice whose h is 2 spacings, 2.447 and 0.0893.
        let viscous = 0.7 / (24.57 * viscosity / 1000.0 / (h * h));
        let longest = low.min(sound).min(viscous);
        let steps = (frame / longest - 0.001).ceil().max(1.0);
        let found = read(&sim, "step.dt")[0];
        println!("v {speed}, a {pull}, k {stiffness}, mu {viscosity}: {steps} steps");
        within("  step over that of the formula", found * steps / frame - 1.0, 4.0 * U, "a division each");
        within("  left [s]", read(&sim, "step.left")[0] - (frame - frame / steps), frame * 4.0 * U, "a difference");
        let most = speed * found + pull * found * found;
        assert!(most <= 1.003 * reach && found <= 1.002 * sound && found <= 1.002 * viscous, "every limit is kept");
    }
}
