//! The two conditions at a wall, stick (v = 0) and slip (v . n = 0), and the way around edges, against f64 references.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::noise::{NOISE, Noise, PARAMS, ramp, rise, slipping};

const CENTER: Point = [0.5, 0.5, 0.5];
const RADIUS: f64 = 0.25;
/// Half the distance of the differences for the curl.
const STEP: f64 = 0.001;
const LINEAR: Point = [0.5, -0.25, 0.75];
const ANGULAR: Point = [1.0, 2.0, -3.0];

const SPACE: &str = r#"
    "ball": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.25}),
    "free": (stage: "curl_noise/noise", on: "space", params: {$noise}),
    "constrain": (stage: "curl_noise/constrain", inputs: {"potential": "free.potential", "shape": "ball.distance"}, params: {"width": 0.25, $how}),
    "noise": (stage: "curl_noise/noise", inputs: {"shape": "ball.distance"}, params: {$noise, $how}),
    "rings": (stage: "curl_noise/rings", inputs: {"shape": "ball.distance"}, params: {$rings, $how}),
    "exact": (stage: "curl_noise/velocity", inputs: {"shape": "ball.distance"}, params: {$noise, $how}),
    "constrain_moves": (stage: "curl_noise/rigid", inputs: {"potential": "constrain.constrained", "shape": "ball.distance"}, params: {$motion}),
    "noise_moves": (stage: "curl_noise/rigid", inputs: {"potential": "noise.potential", "shape": "ball.distance"}, params: {$motion}),
    "rings_moves": (stage: "curl_noise/rigid", inputs: {"potential": "rings.potential", "shape": "ball.distance"}, params: {$motion}),
    "constrain_flow": (stage: "curl_noise/curl", inputs: {"potential": "constrain_moves.moving"}, params: {"step": 0.001}),
    "noise_flow": (stage: "curl_noise/curl", inputs: {"potential": "noise_moves.moving"}, params: {"step": 0.001}),
    "rings_flow": (stage: "curl_noise/curl", inputs: {"potential": "rings_moves.moving"}, params: {"step": 0.001}),
"#;

const PLANE: &str = r#"
    "ball": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5), "radius": 0.25}),
    "free": (stage: "curl_noise/noise_2d", on: "space", params: {$noise}),
    "constrain": (stage: "curl_noise/constrain_2d", inputs: {"potential": "free.potential", "shape": "ball.distance"}, params: {"width": 0.25, "level": 0.5, $how}),
    "noise": (stage: "curl_noise/noise_2d", inputs: {"shape": "ball.distance"}, params: {$noise, $how}),
    "exact": (stage: "curl_noise/velocity", inputs: {"shape": "ball.distance"}, params: {$noise, $how}),
    "constrain_moves": (stage: "curl_noise/rigid_2d", inputs: {"potential": "constrain.constrained", "shape": "ball.distance"}, params: {$motion}),
    "noise_moves": (stage: "curl_noise/rigid_2d", inputs: {"potential": "noise.potential", "shape": "ball.distance"}, params: {$motion}),
    "constrain_flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "constrain_moves.moving"}, params: {"step": 0.001}),
    "noise_flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "noise_moves.moving"}, params: {"step": 0.001}),
"#;

const RINGS: &str = r#""center": (0.5, 0.5, 0.5), "radius": 0.25, "rate": 0.5, "speed": 0.25, "base": -0.25, "ceiling": 1, "magnitude": 0.25, "falloff": 0.0625, "step": 0.00390625"#;

fn nodes(dim: usize, how: &str) -> String {
    let motion = if dim == 2 {
        r#""center": (0.5, 0.5), "linear": (0.5, -0.25), "angular": -3, "blend": 0.25, "reach": 0.5"#
    } else {
        r#""center": (0.5, 0.5, 0.5), "linear": (0.5, -0.25, 0.75), "angular": (1, 2, -3), "blend": 0.25, "reach": 0.5"#
    };
    let nodes = if dim == 2 { PLANE.replace("$how", how) } else { SPACE.replace("$how", how) };
    // In the plane there is nothing to fall back from.
    let noise = format!(r#"{PARAMS}, "step": 0.00390625"#);
    let plane_noise = nodes.replace(
        "noise_2d\", on: \"space\", params: {$noise}",
        &format!("noise_2d\", on: \"space\", params: {{{PARAMS}}}"),
    );
    let plane_noise = plane_noise.replace(
        "noise_2d\", inputs: {\"shape\": \"ball.distance\"}, params: {$noise,",
        &format!("noise_2d\", inputs: {{\"shape\": \"ball.distance\"}}, params: {{{PARAMS},"),
    );
    plane_noise.replace("$noise", &noise).replace("$rings", RINGS).replace("$motion", motion)
}

/// The flow on the surface less the motion of the body, and the normals there.
fn slip(dim: usize, how: &str, node: &str) -> (Vec<Point>, Vec<Point>) {
    let normals = directions(dim, 1000, 51);
    let middle: Point = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
    let points: Vec<Point> = normals.iter().map(|n| rounded(added(middle, scaled(*n, RADIUS)))).collect();
    let flow = flow(dim, &nodes(dim, how), &format!("{node}.velocity"), &points);
    let motion = |p: &Point| {
        if node == "exact" {
            return [0.0; 3]; // it has no body that moves
        }
        let away = less(*p, middle);
        if dim == 2 {
            return [LINEAR[0] - ANGULAR[2] * away[1], LINEAR[1] + ANGULAR[2] * away[0], 0.0];
        }
        added(LINEAR, crossed(ANGULAR, away))
    };
    (points.iter().zip(&flow).map(|(p, u)| less(*u, motion(p))).collect(), normals)
}

/// A difference over 2 h across the wall sees s(h / w) psi = 10 (h / w)^3 psi: 5 h^2 / w^3 psi, with psi up to 1.5 times the
/// gain. The body's own motion, a potential of second degree times 1 - 6 (d / blend)^2, is off by the third derivative of
/// it, h^2 / 6 times about 36 V / blend^2, and psi is rounded, over the step.
fn bar(node: &str) -> f64 {
    let step = STEP;
    let octaves: f64 = NOISE.gain.iter().zip(NOISE.scale).map(|(g, s)| g / s.powi(3)).sum();
    let bent = match node {
        "exact" => return 1e-5, // the points are rounded, s' grows with the square of that
        "noise_flow" => 1.5 * octaves,
        "constrain_flow" => 1.5 * NOISE.gain.iter().sum::<f64>() / 0.25f64.powi(3),
        _ => 1.0 / 0.25f64.powi(3),
    };
    5.0 * step * step * bent + 6.0 * step * step * 2.0 / 0.25f64.powi(2) + 16.0 * U / step
}

#[test]
fn fluid_sticks_to_a_moving_body_or_slips_along_it() {
    for dim in [2, 3] {
        let mut stages = vec!["constrain_flow", "noise_flow", "exact"];
        stages.extend((dim == 3).then_some("rings_flow"));
        for node in stages {
            let (sticking, _) = slip(dim, r#""no_slip": true"#, node);
            let because = "the differences' second order and rounding";
            within(
                &format!("{dim}D, {node}, no slip: from the body's motion [m/s]"),
                longest(&sticking),
                bar(node),
                because,
            );
            let (slipping, normals) = slip(dim, r#""no_slip": false"#, node);
            let along = slipping.iter().zip(&normals).map(|(u, n)| norm(less(*u, scaled(*n, dot(*u, *n)))));
            let along = along.fold(0.0, f64::max);
            let through = max_abs(&slipping.iter().zip(&normals).map(|(u, n)| dot(*u, *n)).collect::<Vec<_>>());
            println!("  slip: along the surface up to {along:.3} m/s, through it {through:.1e} m/s");
            assert!(along > 0.1, "the tangential part stays");
            within("  slip: through the surface over along it", through / along, 2e-3, "a thousandth, and the body's");
        }
    }
}

#[test]
fn inside_a_body_that_the_fluid_sticks_to_nothing_flows() {
    let points: Vec<Point> = directions(3, 300, 52)
        .iter()
        .zip(random(300, 53))
        .map(|(n, r)| added(CENTER, scaled(*n, 0.2 * f64::from(r.abs()))))
        .collect();
    let how = r#""no_slip": true"#;
    for (wire, vector) in [
        ("noise.potential", true),
        ("rings.potential", true),
        ("constrain.constrained", true),
        ("exact.velocity", false),
    ] {
        let values =
            if vector { potential(3, &nodes(3, how), wire, &points) } else { flow(3, &nodes(3, how), wire, &points) };
        assert_eq!(longest(&values), 0.0, "{wire}");
    }
}

/// 1 on smooth surfaces, 0 at edges: of the second differences of the distance over a quarter of the width.
fn smoothness(at: Point, width: f64, sharpness: f64) -> f64 {
    let distance = |p: Point| norm(less(p, CENTER)) - RADIUS;
    let reach = 0.25 * width;
    let mut bend = -6.0 * distance(at);
    for axis in 0..3 {
        for side in [-reach, reach] {
            let mut p = at;
            p[axis] += side;
            bend += distance(p);
        }
    }
    let x = (2.0 * (bend.abs() / reach) / sharpness - 1.0).clamp(0.0, 1.0);
    1.0 - x * x * (3.0 - 2.0 * x)
}

/// The chain of rings at time 0.
fn rings(at: Point) -> Point {
    let away = less(at, CENTER);
    let r = away[0].hypot(away[2]);
    let near = (r - 0.25).powi(2) + (r + 0.25).powi(2) + 0.0625;
    // From the ceiling down to the base, speed / rate apart.
    let sum: f64 = (0..3).map(|i| 0.25 / (near + (at[1] - (1.0 - 0.5 * f64::from(i))).powi(2))).sum();
    [sum * away[2], 0.0, -sum * away[0]]
}

/// The ways in which a stage holds a potential at the ball.
#[derive(Clone, Copy, PartialEq)]
enum Wall {
    Stick,
    Edges(f64),
}

impl Wall {
    fn params(self) -> String {
        match self {
            Wall::Stick => r#""no_slip": true"#.into(),
            Wall::Edges(sharpness) => format!(r#""sharpness": {sharpness}"#),
        }
    }

    fn held(self, psi: Point, at: Point, width: f64) -> Point {
        let away = less(at, CENTER);
        let distance = norm(away) - RADIUS;
        match self {
            Wall::Stick => scaled(psi, rise(distance / width)),
            Wall::Edges(sharpness) => {
                let normal = scaled(away, 1.0 / norm(away));
                slipping(psi, ramp(distance / width), smoothness(at, width, sharpness), normal)
            }
        }
    }
}

const ROUNDED: f64 = 256.0 * U * 3.0;

/// Not where the normal turns round.
fn points(count: usize) -> Vec<Point> {
    let mut points = scattered(3, count, 54);
    points.retain(|p| norm(less(*p, CENTER)) > 0.125);
    points
}

/// A ball of radius r bends by about 2 width / (4 r): of the three octaves at sharpness 1, one is an edge in part.
const WALLS: [Wall; 3] = [Wall::Stick, Wall::Edges(1.0), Wall::Edges(0.5)];

#[test]
fn potentials_at_walls_and_edges_are_those_of_the_reference() {
    let points = points(1500);
    for wall in WALLS {
        let how = wall.params();
        let noise = |p: &Point| NOISE.held(*p, |psi, scale| wall.held(psi, *p, scale));
        let whole = |p: &Point| wall.held(NOISE.free(*p), *p, 0.25);
        let ring = |p: &Point| wall.held(rings(*p), *p, 0.25);
        // The normal by differences over 2 h is off by h^2 / (2 r^2), of a potential of up to 2.
        let normal = if wall == Wall::Stick { 0.0 } else { (0.00390625 / 0.125f64).powi(2) };
        // The bend is a difference of distances, rounded, over the reach; 1.5 times two over the sharpness of that counts.
        let bend = if let Wall::Edges(sharpness) = wall { 3.0 / sharpness * 16.0 * U / (0.25 * 0.125) } else { 0.0 };
        for (wire, expected) in [
            ("noise.potential", points.iter().map(noise).collect::<Vec<_>>()),
            ("constrain.constrained", points.iter().map(whole).collect()),
            ("rings.potential", points.iter().map(ring).collect()),
        ] {
            let size = longest(&expected);
            let error = furthest(&potential(3, &nodes(3, &how), wire, &points), &expected);
            let because = "rounding; the normal and the bend by differences";
            within(&format!("{how}, {wire} of up to {size:.2} m^2/s"), error, ROUNDED + 2.0 * (normal + bend), because);
        }
    }
    let changed = points.iter().map(|p| {
        let [smooth, sharp] = [1e9, 0.5].map(|s| NOISE.held(*p, |psi, scale| Wall::Edges(s).held(psi, *p, scale)));
        norm(less(smooth, sharp))
    });
    assert!(changed.fold(0.0, f64::max) > 0.1, "the factor at edges counts");
}

#[test]
fn stream_functions_that_stick_are_those_of_the_reference() {
    let points = scattered(2, 1000, 55);
    let rise_at = |p: &Point, width: f64| rise((norm(less(*p, [0.5, 0.5, 0.0])) - RADIUS) / width);
    let how = r#""no_slip": true"#;
    let noise: Vec<f64> = points.iter().map(|p| NOISE.stream_held(*p, |scale| rise_at(p, scale))).collect();
    let whole: Vec<f64> = points.iter().map(|p| 0.5 + rise_at(p, 0.25) * (NOISE.stream(*p, 1e9) - 0.5)).collect();
    for (wire, expected) in [("noise.potential", noise), ("constrain.constrained", whole)] {
        let error = max_abs(&difference(&scalar(2, &nodes(2, how), wire, &points), &expected));
        within(wire, error, ROUNDED, "rounding of places on the lattice and of sums");
    }
}

#[test]
fn exact_derivatives_at_walls_and_edges_are_those_of_the_potential() {
    let points = points(1000);
    let psi = |noise: &Noise, wall: Wall, at: Point| noise.held(at, |psi, scale| wall.held(psi, at, scale));
    for wall in WALLS {
        let expected: Vec<Point> = points.iter().map(|p| curl(|q| psi(&NOISE, wall, q), *p, 2e-4)).collect();
        let got = flow(3, &nodes(3, &wall.params()), "exact.velocity", &points);
        let rounded = 4.0 * 16.0 * U * NOISE.gain.iter().zip(NOISE.scale).map(|(g, s)| 20.0 * g / s).sum::<f64>();
        let bent = 3.0 * (0.00390625 / 0.125f64).powi(2) * 2.0 / 0.125;
        // Where the factor begins and ends its second derivative jumps, which the reference's differences smear.
        let edges = if let Wall::Edges(sharpness) = wall { 2e-4 * 6.0 * (8.0 / sharpness).powi(2) } else { 0.0 };
        let bar = rounded + if wall == Wall::Stick { 0.0 } else { bent + edges };
        println!("{}: up to {:.2} m/s", wall.params(), longest(&expected));
        within("  exact derivatives", furthest(&got, &expected), bar, "rounding; second order in the shape's step");
    }
}
