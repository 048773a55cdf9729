//! SPH with corrected gradients and shifting, beside shapes.

use stagewright_solver_support::harness::*;

use super::sets::*;

/// A box under water, whose sides are between the rows of the lattice.
const SUNK: &str = r##"
    "d": (number: 0.05),
    "substeps": (number: $substeps),
    "domain": (domain: (resolution: (10, 10), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, pressure: f32}", capacity: 400, on: "domain", inputs: {"init": "outside.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.5, 0.45), "size": (1, 0.9), "spacing": "d"}),
    "outside": (stage: "particles/kill_inside", inputs: {"particles": "begin.particles", "shape": "box.distance"}, params: {"margin": "0.4 * d"}),
    "box": (stage: "shape/box", on: "domain", params: {"center": (0.523, 0.437), "size": (0.4, 0.4)}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"fixed_mass": "1000 * d * d", "smoothing_radius": "2 * d", "substeps": "substeps"}),
    "substep": (stage: "sph/$group", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius", "shape": "box.distance"},
        params: {"rest_density": 1000, "viscosity": 50, "stiffness": 3924}, iterations: "substeps"),
"##;

#[test]
fn particles_are_not_moved_into_a_shape_and_gather_nowhere() {
    for (group, substeps, frames) in [("substep_corrected", "30", 40), ("substep_dfsph_corrected", "4", 120)] {
        let mut sim = start(60.0, SUNK, &[("$group", group), ("$substeps", substeps)]);
        step(&mut sim, 12);
        let mut densest = 0.0_f64;
        for _ in 12..frames {
            step(&mut sim, 1);
            densest = scalars(&sim, "substep.particles", "density").into_iter().fold(densest, f64::max);
        }
        assert!(sim.warnings(true).is_empty(), "{}", sim.warnings(true));
        within(
            &format!("{group}: densest over rho_0, after the first waves"),
            densest / 1000.0 - 1.0,
            0.12,
            "rows at distances that are no multiples of their spacing",
        );
    }
}

/// Without diffusion rows beside the box have pressures that alternate by 5 kPa, and boil.
#[test]
fn pressures_of_thin_water_do_not_alternate_beside_a_shape() {
    let nodes = SUNK.replace("\"viscosity\": 50", "\"viscosity\": 0.001");
    let mut sim = start(60.0, &nodes, &[("$group", "substep_corrected"), ("$substeps", "30")]);
    step(&mut sim, 40);
    let mut most = 0.0_f64;
    for _ in 40..75 {
        step(&mut sim, 1);
        most = scalars(&sim, "substep.particles", "pressure").into_iter().fold(most, f64::max);
    }
    assert!(most < 1.4 * 9810.0 * 0.9, "pressure at most {most} Pa, 1.4 times that at the floor");
}

/// Sound goes 0.4 h, which is stable where there is no shape.
#[test]
fn a_step_that_is_too_long_beside_a_shape_is_named() {
    let without = SUNK
        .replace(r#""radius": "coefficients.radius", "shape": "box.distance""#, r#""radius": "coefficients.radius""#);
    for (nodes, warns) in [(SUNK, true), (&without, false)] {
        let mut sim = start(60.0, nodes, &[("$group", "substep_corrected"), ("$substeps", "26")]);
        step(&mut sim, 2);
        assert_eq!(sim.warnings(true).to_string().contains("limits.sound"), warns, "{}", sim.warnings(true));
    }
}

/// Half of the box is above the water. `d` divides all of its edges.
#[test]
fn water_around_a_body_that_reaches_through_its_surface_stays_calm_and_bears_it() {
    let still = r##"
    "still": (custom: r#"//! Still Water
//! @inout particles: Particles{position: Vec} -> {pressure: f32}    The set
fn stage(particle: Particle) -> f32 { return 9810.0 * (0.9 - particle.position.y); }
"#, inputs: {"particles": "outside.particles"}),
"##;
    let nodes = SUNK
        .replace(r#"(resolution: (10, 10)"#, "(resolution: (8, 8)")
        .replace("(0.523, 0.437)", "(0.5, 0.9)")
        .replace("2 * d", "2.5 * d")
        .replace(r#""init": "outside.particles""#, r#""init": "still.particles""#)
        + still;
    let mut sim = start(60.0, &nodes, &[("$group", "substep_corrected"), ("$substeps", "26")]);
    let (mut borne, mut most) = (0.0, 0.0_f64);
    for frame in 0..30 {
        step(&mut sim, 1);
        most = scalars(&sim, "substep.particles", "pressure").into_iter().fold(most, f64::max);
        if frame >= 10 {
            borne += read(&sim, "substep.force")[1] / 20.0;
        }
    }
    assert!(sim.warnings(true).is_empty(), "{}", sim.warnings(true));
    assert!(most < 2.0 * 9810.0 * 0.9, "pressure at most {most} Pa, twice that at the floor");
    within("borne over rho g V", borne / (9810.0 * 0.08) - 1.0, 0.05, "8 spacings across");
}

/// A column that falls over, and hits the other side. Sound is fifteen times as fast as its front at first.
const COLUMN: &str = r##"
    "d": (number: 0.05),
    "h": (number: "$ratio * d * 0.99999"),
    "substeps": (number: "ceil(dt * sqrt(1962) / (0.4 * h))"),
    "domain": (domain: (resolution: ("floor(1 / h)", "floor(1 / h)"), width: 1, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32, pressure: f32}", capacity: 128, on: "domain", inputs: {"init": "begin.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", on: "domain", params: {"center": (0.2, 0.3), "size": (0.4, 0.6), "spacing": "d"}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"fixed_mass": "1000 * d * d", "smoothing_radius": "h", "substeps": "substeps"}),
    "substep": (stage: "sph/substep_corrected", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius"},
        params: {"particle_radius": "0.5 * d", "rest_density": 1000, "viscosity": 0.001, "stiffness": 1962}, iterations: "substeps"),
"##;

#[test]
fn a_splash_gains_no_energy() {
    for ratio in ["2", "2.5"] {
        let mut sim = start(60.0, COLUMN, &[("$ratio", ratio)]);
        let mut most = 0.0_f64;
        for _ in 0..90 {
            step(&mut sim, 1);
            let velocities = vectors(&sim, "substep.particles", "velocity", 2);
            let places = vectors(&sim, "substep.particles", "position", 2);
            let each = velocities.iter().zip(&places).map(|(v, at)| 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * at[1]);
            most = most.max(each.sum::<f64>() / places.len() as f64);
        }
        println!("h of {ratio} spacings: {:.4} of the energy at first", most / (9.81 * 0.3));
        assert!(most < 1.02 * 9.81 * 0.3, "h of {ratio} spacings: {most} J/kg, {} at first", 9.81 * 0.3);
        assert!(sim.warnings(true).is_empty(), "{}", sim.warnings(true));
    }
}
