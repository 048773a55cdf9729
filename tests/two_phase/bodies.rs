//! Rigid bodies between two fluids, and those that no fluid moves.

use std::f64::consts::PI;

use stagewright_solver_support::harness::*;

/// Water up to 1 m and air above, around a body that is held. Its weight is not used.
const HELD: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 2, edge: "wall")),
    "shape": (stage: "$shape", on: "domain", params: {$size}),
    "body": (stage: "body/rigid", on: "domain", inputs: {"shape": "shape", "force": "force.force"}, params: {"center": ($place), "free": (0, 0, 0), "free_turn": (0, 0, 0)}),
    "obstacle": (stage: "staggered/obstacle", on: "domain", inputs: {"shape": "body.distance", "motion": "body.motion"}),
    "water": (stage: "shape/plane", on: "domain", params: {"through": (0, 1, 0), "normal": (0, 1, 0)}),
    "fill": (stage: "two_phase/fill", on: "domain", inputs: {"shape": "water"}),
    "mass": (stage: "two_phase/masses", inputs: {"fractions": "fill"}, params: {"density_f": 1000, "density_g": 1}),
    "cut": (stage: "two_phase/cut_weight", inputs: {"weight": "mass.weight", "fraction": "obstacle.fraction"}),
    "gravity": (stage: "two_phase/gravity", inputs: {"shares": "mass.shares"}),
    "still": (stage: "staggered/from_field", on: "domain", inputs: {"velocity": "none"}),
    "none": (stage: "field/vector_expression", on: "domain", params: {"value": "position * 0"}),
    "forces": (stage: "staggered/accelerate", inputs: {"velocity": "still", "acceleration": "gravity"}),
    "divergence": (stage: "staggered/divergence", inputs: {"velocity": "forces", "fraction": "obstacle.fraction", "motion": "obstacle.velocity"}),
    "pressure": (state: "Grid<f32>", on: "domain", inputs: {"next": "solve.pressure"}),
    "solve": (stage: "two_phase/pressure_cg", inputs: {"divergence": "divergence", "weight": "cut", "pressure": "pressure"}, params: {"steps": 160}),
    "force": (stage: "measure/body_force", inputs: {"velocity": "still", "pressure": "solve.pressure", "fraction": "obstacle.fraction", "distance": "obstacle.distance", "motion": "obstacle.velocity", "shape": "body.distance"},
        params: {"density": 1, "viscosity": 0, "center": ($place)}),
"#;

fn held(cells: &str, shape: &str, size: &str, place: &str) -> Vec<f64> {
    let values = [("$cells", cells), ("$shape", shape), ("$size", size), ("$place", place)];
    let mut sim = start(60.0, HELD, &values);
    // Each frame's steps go on from the last ones.
    step(&mut sim, 4);
    read(&sim, "force.force")
}

#[test]
fn a_floating_box_is_borne_by_what_it_displaces_wherever_its_floor_is_in_a_cell() {
    let size = r#""center": (0, 0, 0), "size": (0.5, 0.5, 0.5)"#;
    for lift in [0.03, 0.0167, 0.0166, 0.01, 0.0] {
        let place = format!("1.007, {}, 0", 1.0 + lift);
        let force = held("60, 45", "shape/box", size, &place);
        let exact = 9.81 * 0.5 * (1000.0 * (0.25 - lift) + 0.25 + lift);
        within(&format!("buoyancy, {lift} m higher"), force[1] / exact - 1.0, 0.01, "1 %, as asked");
        within("sideways", force[0] / exact, 1e-3, "pressures at equal heights are equal");
    }
}

#[test]
fn a_disc_and_a_ball_under_water_are_borne_by_what_they_displace() {
    let size = r#""center": (0, 0, 0), "radius": 0.25"#;
    let disc = held("60, 45", "shape/sphere", size, "1.01, 0.52, 0");
    within("disc", disc[1] / (9810.0 * PI / 16.0) - 1.0, 0.01, "1 %, as asked");
    let ball = held("40, 30, 30", "shape/sphere", size, "1.01, 0.52, 0.72");
    within("ball", ball[1] / (9810.0 * PI / 48.0) - 1.0, 0.01, "1 %, as asked");
}

const FREE: &str = r#"
    "domain": (domain: (resolution: (8, 8, 8), width: 1)),
    "shape": (stage: "shape/sphere", on: "domain", params: {"center": (0, 0, 0)}),
    "body": (stage: "body/rigid", on: "domain", inputs: {"shape": "shape"},
        params: {"center": (0.5, 0.9, 0.5), "linear": (0.2, 0, 0), "angular": (0.3, 0, 4), "inertia": (1, 1, 2), "mass": 3}),
"#;

/// A top that nothing holds: its angular momentum stays, and its axis goes around that at |L| / I_1 (Euler).
#[test]
fn a_free_top_falls_and_precesses() {
    let (fps, frames) = (240.0, 120);
    let mut sim = start(fps, FREE, &[]);
    let state = |sim: &stagewright_runtime::sim::Simulation| {
        let [place, q, w] = ["body/place", "body/rotation", "body/spin"].map(|wire| read(sim, wire));
        let turned = |v: [f64; 3]| {
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let u = [q[0], q[1], q[2]];
            let t = cross(u, v).map(|c| 2.0 * c);
            let r = cross(u, t);
            [0, 1, 2].map(|k| v[k] + q[3] * t[k] + r[k])
        };
        let axis = turned([0.0, 0.0, 1.0]);
        let along: f64 = (0..3).map(|k| axis[k] * w[k]).sum();
        // I_1 = 1 across the axis, 2 along it.
        let momentum = [0, 1, 2].map(|k| w[k] + along * axis[k]);
        (place, axis, momentum)
    };
    step(&mut sim, frames);
    let (place, axis, momentum) = state(&sim);
    let t = frames as f64 / fps;
    within("fall", place[1] - (0.9 - 0.5 * 9.81 * t * t), 0.5 * 9.81 * t / fps, "half a step of the speed");
    within("flight", place[0] - (0.5 + 0.2 * t), 1e-5, "no force along x");
    for (k, exact) in [0.3, 0.0, 8.0].into_iter().enumerate() {
        within(
            &format!("angular momentum {k}"),
            momentum[k] - exact,
            0.03,
            "second order in w dt: 8 (4 / 240)^2, over 120 steps of half of that",
        );
    }
    // The angle of the axis to the angular momentum, and how far it has gone around.
    let size = (0.3f64 * 0.3 + 64.0).sqrt();
    let (tilt, turned) = ((0.3f64 / 8.0).atan(), size * t);
    let exact = tilt * 2.0 * (0.5 * turned).sin().abs();
    let gone = (axis[0] * axis[0] + axis[1] * axis[1]).sqrt();
    within("way of the axis", gone - exact, 0.1 * tilt, "a tenth of the tilt");
}
