//! Water in a tank comes to rest, and stays in.

use stagewright_solver_support::harness::*;

use super::sets::*;

/// 0.4 m wide, filled 0.32 m high with particles 0.04 m apart. The speed of sound is ten times sqrt(g depth).
const TANK: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 0.4, edge: "wall")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: 1000, inputs: {"init": "begin.particles", "next": "substep.particles"}),
    "begin": (stage: "particles/fill_box", params: {"center": (0.2, 0.16, 0.2), "size": (0.4, 0.32, 0.4), "spacing": 0.04}),
    "coefficients": (stage: "sph/coefficients", inputs: {"particles": "set.value"}, params: {"volume": $volume, "smoothing_radius": 0.08, "substeps": 20}),
    "substep": (stage: "sph/substep", on: "domain", inputs: {"dt": "coefficients.dt", "mass": "coefficients.mass", "particles": "set.value", "radius": "coefficients.radius"},
        params: {"rest_density": 1000, "stiffness": 314, "viscosity": 28, "particle_radius": 0.02}, iterations: 20),
"##;

#[test]
fn water_at_rest_stays_at_rest_and_in_its_tank() {
    for (dim, cells, volume) in [(2usize, "5, 6", 0.128), (3, "5, 6, 5", 0.0512)] {
        let mut sim =
            start_fused(60.0, TANK, &pairs(&[("$cells", cells.into()), ("$volume", volume.to_string())]), &[]);
        let count = [80, 800][dim - 2];
        let (mut fastest, mut late) = (0.0f64, Vec::new());
        for frame in 0..60 {
            step(&mut sim, 1);
            let places = vectors(&sim, "set.value", "position", dim);
            assert_eq!(places.len(), count, "frame {frame}: nobody is lost");
            let inside = |p: &[f64; 3]| (0..dim).all(|a| (0.0..=[0.4, 0.48, 0.4][a]).contains(&p[a]));
            assert!(places.iter().all(inside), "frame {frame}: everybody is in the tank");
            let speeds: Vec<f64> = vectors(&sim, "set.value", "velocity", dim).iter().map(|v| length(*v)).collect();
            fastest = fastest.max(max_abs(&speeds));
            if frame >= 50 {
                late.push(rms(&speeds));
            }
        }
        assert!(sim.warnings(true).is_empty(), "the step is short enough, and the search wide enough");
        // It may settle, never leap: nobody gets faster than by falling its own depth.
        within(&format!("{dim}D, fastest ever [m/s]"), fastest, (2.0 * 9.81 * 0.32f64).sqrt(), "a fall of the depth");
        // At rest: in a second a particle goes less than its distance to the next one.
        within("  root mean square speed after 0.9 s [m/s]", max_abs(&late), 0.04, "a spacing a second");
    }
}

/// A ball of 0.06 m goes round in the water.
const BALL: &str = r##"
    "ball": (custom: r#"//! Ball
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 {
            let turn = 6.0 * frame.time;
            return length(position - vec2f(0.2 + 0.08 * cos(turn), 0.15 + 0.05 * sin(turn))) - 0.06;
        }"#),
    "carried": (custom: r#"//! Its velocity
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec {
            let turn = 6.0 * frame.time;
            return 6.0 * vec2f(-0.08 * sin(turn), 0.05 * cos(turn));
        }"#),
"##;

#[test]
fn a_ball_that_stirs_the_tank_lets_nobody_in_and_removes_nobody() {
    let shape = r#""shape": "ball.distance", "shape_velocity": "carried.velocity", "dt": "coeff"#;
    let nodes = [&TANK.replace(r#""dt": "coeff"#, shape), BALL].concat();
    let mut sim = start(60.0, &nodes, &[("$cells", "5, 6"), ("$volume", "0.117")]);
    let (mut deepest, mut near) = (0.0f64, 0);
    for frame in 0..60 {
        let turn = 6.0 * sim.time();
        step(&mut sim, 1);
        let places = vectors(&sim, "set.value", "position", 2);
        assert_eq!(places.len(), 80, "frame {frame}: nobody is lost");
        let middle = [0.2 + 0.08 * turn.cos(), 0.15 + 0.05 * turn.sin(), 0.0];
        for p in &places {
            let gap = length(apart(middle, *p)) - 0.06;
            deepest = deepest.max(0.02 - gap);
            near += usize::from(gap < 0.021);
        }
    }
    println!("{near} touches in 60 frames");
    assert!(near > 60, "the ball is in the water");
    // Particles have a radius of 0.02 m. The slope is a difference over 0.008 m either way on a ball of 0.08 m, which tilts it by
    // (0.1)^2/6 = 2e-3; only a wall at its back could keep one in, and the ball stays 0.06 m from those.
    within("deepest of 80 in 60 frames, in cells", deepest / 0.08, 0.1, "a tenth of a cell");
}

/// A ball of 0.06 m that goes 2 m/s through the water, five sixths of a spacing a frame.
const FAST: &str = r##"
    "ball": (stage: "shape/sphere", on: "domain", params: {"center": "[0.1 + 2 * time, 0.16]", "radius": 0.06}),
    "carried": (stage: "shape/rigid_velocity", on: "domain", params: {"linear": (2, 0)}),
    "outside": (stage: "particles/kill_inside", inputs: {"particles": "begin.particles", "shape": "ball.distance"}, params: {"margin": 0.016}),
"##;

/// Water before a body that starts at once is compressed by u / c (Joukowsky 1898). A body that jumps once a frame packs it: 11 %.
#[test]
fn a_fast_ball_does_not_pack_the_water_before_it() {
    let shape = r#""shape": "ball.distance", "shape_velocity": "carried.velocity", "dt": "coeff"#;
    let nodes = [&TANK.replace(r#""dt": "coeff"#, shape), FAST]
        .concat()
        .replace(r#""init": "begin.particles""#, r#""init": "outside.particles""#)
        .replace(r#""volume": $volume"#, r#""fixed_mass": 1.6"#)
        .replace(r#""stiffness": 314"#, r#""stiffness": 1256"#);
    let mut sim = start(60.0, &nodes, &[("$cells", "5, 6")]);
    // The first frame takes the ball to where the water leaves room for it.
    step(&mut sim, 1);
    let mut densest = 0.0f64;
    for _ in 0..5 {
        step(&mut sim, 1);
        densest = scalars(&sim, "substep.particles", "density").into_iter().fold(densest, f64::max);
    }
    within("densest over rho_0", densest / 1000.0 - 1.0, 2.0 / 1256f64.sqrt(), "2 m/s over the speed of sound");
}
