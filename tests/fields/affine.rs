//! Bodies that are stretched and keep their volume: their distance, and the flow that moves with them, against f64 references.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::noise::PARAMS;

const RADIUS: f64 = 0.25;
const LINEAR: Point = [0.5, -0.25, 0.75];
const ANGULAR: Point = [1.0, 2.0, -3.0];
const AXIS: Point = [3.0, 4.0, 12.0];
const FACTOR: f64 = 1.25;
const RATE: f64 = 1.5;

const NODES: &str = r#"
    "ball": (stage: "shape/sphere", on: "space", params: {"center": ($center), "radius": 0.25}),
    "body": (stage: "shape/stretch", inputs: {"shape": "ball.distance"}, params: {"center": ($center), "axis": ($axis), "factor": 1.25, "step": 0.001}),
    "everywhere": (stage: "field/constant", on: "space", params: {"amount": 0}),
    "noise": (stage: "curl_noise/$noise", inputs: {"shape": "body.distance"}, params: {$params}),
    "alone": (stage: "curl_noise/$affine", inputs: {"shape": "everywhere.field"}, params: {$motion}),
    "around": (stage: "curl_noise/$affine", inputs: {"potential": "noise.potential", "shape": "body.distance"}, params: {$motion}),
    "alone_flow": (stage: "curl_noise/$curl", inputs: {"potential": "alone.moving"}, params: {"step": 0.001}),
    "around_flow": (stage: "curl_noise/$curl", inputs: {"potential": "around.moving"}, params: {"step": 0.001}),
"#;

fn nodes(dim: usize) -> String {
    let (center, axis, linear, angular) = if dim == 2 {
        ("0.5, 0.5", "3, 4", "0.5, -0.25", "-3")
    } else {
        ("0.5, 0.5, 0.5", "3, 4, 12", "0.5, -0.25, 0.75", "(1, 2, -3)")
    };
    let motion = format!(
        r#""center": ({center}), "linear": ({linear}), "angular": {angular}, "axis": ({axis}), "rate": 1.5, "blend": 0.25, "reach": 0.5"#
    );
    let [noise, affine, curl] =
        if dim == 2 { ["noise_2d", "affine_2d", "curl_2d"] } else { ["noise", "affine", "curl"] };
    [("$center", center), ("$axis", axis), ("$noise", noise), ("$affine", affine), ("$curl", curl), ("$params", PARAMS)]
        .iter()
        .fold(NODES.replace("$motion", &motion), |text, (key, value)| text.replace(key, value))
}

fn flat(dim: usize, v: Point) -> Point {
    std::array::from_fn(|a| if a < dim { v[a] } else { 0.0 })
}

fn center(dim: usize) -> Point {
    flat(dim, [0.5; 3])
}

/// The map of a body that is stretched by f along the axis.
fn stretched(dim: usize, f: f64, v: Point) -> Point {
    let axis = flat(dim, AXIS);
    let axis = scaled(axis, 1.0 / norm(axis));
    let along = scaled(axis, dot(v, axis));
    added(scaled(along, f), scaled(less(v, along), f.powf(-1.0 / (dim as f64 - 1.0))))
}

/// Velocity of the body at a place: V + w x r, and that of its material points, the derivative of the map at the factor
/// f(t) = FACTOR exp(RATE t).
fn motion(dim: usize, at: Point) -> Point {
    let r = less(at, center(dim));
    let material = stretched(dim, 1.0 / FACTOR, r);
    let h = 1e-4;
    let [ahead, before] = [h, -h].map(|t| stretched(dim, FACTOR * (RATE * t).exp(), material));
    let turn = if dim == 2 { [0.0, 0.0, ANGULAR[2]] } else { ANGULAR };
    added(flat(dim, LINEAR), added(crossed(turn, r), scaled(less(ahead, before), 0.5 / h)))
}

#[test]
fn the_distance_of_a_stretched_ball_is_exact_at_its_surface() {
    for dim in [2, 3] {
        let distance = |at: Point| {
            let y = stretched(dim, 1.0 / FACTOR, less(at, center(dim)));
            (norm(y) - RADIUS) / norm(stretched(dim, 1.0 / FACTOR, scaled(y, 1.0 / norm(y))))
        };
        let mut points = scattered(dim, 1500, 71);
        points.retain(|p| norm(less(*p, center(dim))) > 0.1);
        let expected: Vec<f64> = points.iter().map(|p| distance(*p)).collect();
        let error = max_abs(&difference(&scalar(dim, &nodes(dim), "body.distance", &points), &expected));
        // The gradient's length by differences over 2 h is off by h^2 / (2 y^2) and by rounding over h.
        let bar = 0.7 * ((0.001f64 / 0.08).powi(2) + 4.0 * U / 0.001);
        within(&format!("{dim}D: distance [m]"), error, bar, "differences over 0.002 m");
        let surface: Vec<Point> = directions(dim, 500, 72)
            .iter()
            .map(|n| rounded(added(center(dim), stretched(dim, FACTOR, scaled(*n, RADIUS)))))
            .collect();
        let on = max_abs(&scalar(dim, &nodes(dim), "body.distance", &surface));
        within("  on the surface [m]", on, 8.0 * U, "rounding of places up to 1");
        // And it grows by one metre in a metre.
        let h = 1e-5;
        let slope = surface.iter().map(|p| {
            let normal = stretched(dim, 1.0 / FACTOR, stretched(dim, 1.0 / FACTOR, less(*p, center(dim))));
            let normal = scaled(normal, h / norm(normal));
            ((distance(added(*p, normal)) - distance(less(*p, normal))) / (2.0 * h) - 1.0).abs()
        });
        within("  the reference's slope there, less 1", slope.fold(0.0, f64::max), 1e-6, "first order");
    }
}

#[test]
fn the_potential_of_an_affine_motion_has_its_velocity_as_curl() {
    for dim in [2, 3] {
        let points = scattered(dim, 1000, 73);
        let expected: Vec<Point> = points.iter().map(|p| motion(dim, *p)).collect();
        let got = flow(dim, &nodes(dim), "alone_flow.velocity", &points);
        // Differences of a polynomial of second degree are exact, so psi of up to 2 is rounded, some eight times, over the step.
        let bar = 8.0 * U * 2.0 / 0.001;
        within(
            &format!("{dim}D: velocity of up to {:.2} m/s", longest(&expected)),
            furthest(&got, &expected),
            bar,
            "rounding",
        );
    }
}

/// The surface moves as the body does, and the noise slips along it.
#[test]
fn nothing_flows_through_a_body_that_deforms() {
    for dim in [2, 3] {
        let normals = directions(dim, 1500, 74);
        let points: Vec<Point> =
            normals.iter().map(|n| rounded(added(center(dim), stretched(dim, FACTOR, scaled(*n, RADIUS))))).collect();
        let flow = flow(dim, &nodes(dim), "around_flow.velocity", &points);
        let (mut through, mut along) = (0.0f64, 0.0f64);
        for ((p, u), n) in points.iter().zip(&flow).zip(&normals) {
            let normal = stretched(dim, 1.0 / FACTOR, *n);
            let normal = scaled(normal, 1.0 / norm(normal));
            let relative = less(*u, motion(dim, *p));
            through = through.max(dot(relative, normal).abs());
            along = along.max(norm(less(relative, scaled(normal, dot(relative, normal)))));
        }
        println!("{dim}D: along the surface up to {along:.2} m/s");
        assert!(along > 0.5, "the noise slips");
        within(
            "  through the surface over along it",
            through / along,
            2e-3,
            "a thousandth, and the body's differences",
        );
    }
}
