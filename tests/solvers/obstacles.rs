//! Obstacles between the faces: open fractions against areas of circles, and the potential flow around a moving one.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;

/// A circle of 0.2 m in the middle of a vessel of 0.45 m, both round; the circle moves along x at 1 m/s.
const VESSEL: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "shape": (custom: r#"//! Shape
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { let r = length(position - 0.5); return min(r - 0.2, 0.45 - r); }"#),
    "motion": (custom: r#"//! Motion
        //! @out velocity: Field<Vec>
        fn stage(position: Vec) -> Vec {
            var velocity = Vec();
            velocity.x = select(0.0, 1.0, length(position - 0.5) < 0.325);
            return velocity;
        }"#),
    "body": (stage: "staggered/obstacle", on: "domain", inputs: {"shape": "shape", "motion": "motion"}),
"##;

const PUSH: &str = r#"
    "u": (state: "FaceGrid", on: "domain"),
    "before": (stage: "staggered/divergence", inputs: {"velocity": "u", "fraction": "body.fraction", "motion": "body.velocity"}),
    "p": (state: "Grid<f32>", on: "domain", inputs: {"next": "solve.pressure"}),
    "solve": (stage: "two_phase/pressure_multigrid", inputs: {"divergence": "before", "weight": "body.fraction", "pressure": "p"}, iterations: 4),
    "project": (stage: "staggered/project", inputs: {"velocity": "u", "pressure": "solve.pressure", "fraction": "body.fraction", "motion": "body.velocity"}),
    "after": (stage: "staggered/divergence", inputs: {"velocity": "project.velocity", "fraction": "body.fraction", "motion": "body.velocity"}),
"#;

/// Pushed from rest, the fluid between is in potential flow: phi = (A r + B / r) cos(angle), u_r as the walls move
/// (Lamb, Hydrodynamics, 1932, section 68 with an outer wall).
#[test]
fn a_moving_circle_pushes_the_flow_that_potential_theory_says() {
    let (inner, outer) = (0.2f64, 0.45f64);
    let a = -inner * inner / (outer * outer - inner * inner);
    let b = a * outer * outer;
    let mut errors = Vec::new();
    for n in [24usize, 96] {
        let mut sim = start(60.0, &[VESSEL, PUSH].concat(), &[("$cells", &format!("{n}, {n}"))]);
        let u = run(&mut sim, &[], 3, "project.velocity");
        let [before, after] = ["before.divergence", "after.divergence"].map(|wire| rms(&read(&sim, wire)));
        within(&format!("{n}: divergence that is left"), after / before, 1e-4, "12 cycles, as far as f32 goes");
        let mut off = Vec::new();
        for i in 0..n * n {
            let place = |axis: usize| {
                let half = |k: usize| if k == axis { 0.0 } else { 0.5 };
                [((i % n) as f64 + half(0)) / n as f64 - 0.5, ((i / n) as f64 + half(1)) / n as f64 - 0.5]
            };
            for axis in 0..2 {
                let [x, y] = place(axis);
                let r = x.hypot(y);
                if r > inner && r < outer {
                    let exact = if axis == 0 {
                        a + b / (r * r) - 2.0 * b * x * x / r.powi(4)
                    } else {
                        -2.0 * b * x * y / r.powi(4)
                    };
                    off.push(u[2 * (i / n * (n + 1) + i % n) + axis] - exact);
                }
            }
        }
        println!("{n}: rms {:.2e}, at most {:.2e} of the speed of the circle", rms(&off), max_abs(&off));
        errors.push((rms(&off), max_abs(&off)));
    }
    within("rms at 96 cells", errors[1].0, 0.001, "38 cells across the circle");
    // Twice halved. A face that is cut stands for its open part: first order along the walls, which are h of all.
    let [mean, most] = [0.5 * order(errors[0].0, errors[1].0), 0.5 * order(errors[0].1, errors[1].1)];
    println!("orders: rms {mean:.3}, largest {most:.3}");
    assert!(mean > 1.4, "rms of order {mean}, 1.5 expected");
}

#[test]
fn what_covers_a_face_is_an_area() {
    // In 2D the length of a chord of the circle, summed over all columns of faces, is its area; in 3D of slices.
    for (cells, exact) in [
        ("40, 40", PI * (0.45f64.powi(2) - 0.2f64.powi(2))),
        ("24, 24, 24", 4.0 / 3.0 * PI * (0.45f64.powi(3) - 0.2f64.powi(3))),
    ] {
        let mut sim = start(60.0, VESSEL, &[("$cells", cells)]);
        step(&mut sim, 1);
        let fraction = read(&sim, "body.fraction");
        let (n, dim) = (cells.split(',').next().unwrap().parse::<usize>().unwrap(), cells.split(',').count());
        for axis in 0..dim {
            let sum: f64 = fraction.iter().skip(axis).step_by(dim).sum();
            let error = sum / (n as f64).powi(dim as i32) / exact - 1.0;
            within(
                &format!("{cells}, along {axis}"),
                error.abs(),
                0.005,
                "chords of a curve of some cells: (h / r)^2 / 8 a wall",
            );
        }
        assert!(fraction.iter().all(|f| (0.0..=1.0).contains(f)), "{cells}: fractions");
    }
}

/// A square array of cylinders, one a period of 1 m, that a force of 1 m/s^2 drives a slow flow through.
const ARRAY: &str = r##"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "wrap")),
    "u": (state: "FaceGrid", on: "domain", inputs: {"next": "step.velocity"}),
    "p": (state: "Grid<f32>", on: "domain", inputs: {"next": "step.pressure"}),
    "shape": (custom: r#"//! Shape
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return length(position - 0.5) - 0.2523133; }"#),
    "force": (custom: r#"//! Force
        //! @out acceleration: Grid<Vec>
        fn stage(cell: Cell) -> Vec { return vec2f(1.0, 0.0); }"#, on: "domain"),
    "body": (stage: "staggered/obstacle", on: "domain", inputs: {"shape": "shape"}),
    "step": (stage: "staggered/fluid_step_obstacle", params: {"viscosity": 1, "sweeps": 20}, inputs: {
        "velocity": "u", "pressure": "p", "acceleration": "force", "fraction": "body.fraction", "distance": "body.distance", "motion": "body.velocity",
    }),
"##;

/// Drag over viscosity and mean flow is 51.53 for cylinders that fill a fifth (Sangani and Acrivos, Int. J. Multiphase Flow 8, 1982).
#[test]
fn cylinders_in_a_slow_flow_have_the_drag_of_the_literature() {
    let (n, fps) = (24usize, 200.0);
    let mut sim = start(fps, ARRAY, &[("$n", &n.to_string())]);
    let u = run(&mut sim, &[], (0.3 * fps) as usize, "u");
    let open = read(&sim, "body.fraction");
    let face = |i: usize| 2 * (i / n * (n + 1) + i % n);
    let flow = (0..n * n).map(|i| u[face(i)] * open[face(i)]).sum::<f64>() / (n * n) as f64;
    println!("drag {:.2}", 1.0 / flow);
    // Second order: 4.6 % at 8 cells across, 1.1 % at 16.
    within("drag, 12 cells across", (1.0 / flow / 51.53 - 1.0).abs(), 0.03, "(2 / cells across)^2");
}

/// A force that a pressure balances moves nothing, also on the faces that the body cuts.
#[test]
fn a_fluid_around_a_body_rests_under_its_weight() {
    let nodes = ARRAY
        .replace("vec2f(1.0, 0.0)", "vec2f(0.0, -9.81)")
        .replace(r#""viscosity": 1,"#, r#""viscosity": 0.001,"#)
        .replace("wrap", "wall");
    let u = run(&mut start(60.0, &nodes, &[("$n", "32")]), &[], 20, "u");
    // Faces that stick in the middle of a step instead would move at 0.05 m/s.
    within("speed", max_abs(&u), 0.005, "what two cycles leave; a third of a second of free fall is 3.3 m/s");
}

/// A cylinder between plates at Re 20: case 2D-1 of Schaefer and Turek, Benchmark Computations of Laminar Flow around a
/// Cylinder, 1996, in the first 0.82 m of the channel.
const CHANNEL: &str = r##"
    "domain": (domain: (resolution: (96, 48), width: 0.82, edge: (left: "inflow", right: "open", y: "wall"))),
    "parabola": (stage: "field/vector_expression", params: {"value": "[1.2 * position.y * (0.41 - position.y) / 0.41 ** 2, 0]"}),
    "cylinder": (stage: "shape/sphere", params: {"center": (0.2, 0.2, 0), "radius": 0.05}),
    "body": (stage: "staggered/obstacle", on: "domain", inputs: {"shape": "cylinder.distance"}),
    "start": (stage: "staggered/from_field", on: "domain", inputs: {"velocity": "parabola.field"}),
    "u": (state: "FaceGrid", inputs: {"init": "start.result", "next": "step.velocity"}),
    "p": (state: "Grid<f32>", on: "domain", inputs: {"next": "step.pressure"}),
    "step": (stage: "staggered/fluid_step_obstacle", params: {"viscosity": 0.001, "sweeps": 4}, inputs: {
        "velocity": "u", "pressure": "p", "fraction": "body.fraction", "distance": "body.distance", "motion": "body.velocity",
    }),
    "coefficients": (stage: "measure/body_force", params: {"density": 500, "step": 0.5, "viscosity": 0.001}, inputs: {
        "velocity": "step.velocity", "pressure": "step.pressure", "fraction": "body.fraction", "distance": "body.distance", "motion": "body.velocity",
    }),
"##;

/// Published: drag coefficient 5.57 to 5.59, lift coefficient 0.0104 to 0.0110.
#[test]
fn a_steady_flow_around_a_cylinder_has_the_drag_and_the_lift_of_the_benchmark() {
    let force = run(&mut start_fused(50.0, CHANNEL, &[], &["coefficients.force"]), &[], 150, "coefficients.force");
    let [drag, lift] = [force[0], force[1]];
    println!("drag {drag:.3}, lift {lift:.4}");
    // A wall that is displaced by (h / r)^2 / 2 of the radius, 12 cells across, changes the drag by about as much.
    within("drag", (drag / 5.58 - 1.0).abs(), 0.015, "half of (2 / cells across)^2");
    // The lift is a difference of forces on the sides, each a tenth of the drag or more.
    within("lift, of the drag", (lift - 0.0107).abs() / drag, 0.005, "a third of that");
}
