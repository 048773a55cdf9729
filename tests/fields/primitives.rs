//! Flow primitives: rigid bodies, vortices, rings, winds.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

fn curl_of(node: &str, wire: &str) -> String {
    let curl = format!(
        r#""flow": (stage: "curl_noise/curl", inputs: {{"potential": "{wire}"}}, params: {{"step": 0.00390625}}),"#
    );
    [node, &curl].concat()
}

/// A potential of order P makes rounding errors of P U / step in its curl.
fn rounding(largest: f64) -> f64 {
    16.0 * U * largest / 0.00390625
}

#[test]
fn the_laminar_potential_is_a_uniform_wind() {
    let wind = |dim: usize| if dim == 3 { [1.0, -0.5, 2.0] } else { [1.0, -0.5, 0.0] };
    for dim in [2, 3] {
        let node = r#""wind": (stage: "curl_noise/laminar", on: "space", params: {"wind": (1, -0.5, 2), "center": (0.25, 0.5, 0.5)}),"#;
        let points = scattered(dim, 500, 41);
        let got = flow(dim, &curl_of(node, "wind.potential"), "flow.velocity", &points);
        let expected = vec![wind(dim); points.len()];
        within(&format!("curl in {dim}D"), furthest(&got, &expected), rounding(2.0), "rounding over the step");
    }
    let nodes = r#""wind": (stage: "curl_noise/laminar_2d", on: "space", params: {"wind": (1, -0.5)}),
        "flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "wind.potential"}),"#;
    let points = scattered(2, 500, 41);
    let got = flow(2, nodes, "flow.velocity", &points);
    within("curl_2d", furthest(&got, &vec![wind(2); 500]), rounding(2.0), "rounding over the step");
}

const RIGID: &str = r#"
    "body": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.25}),
    "motion": (stage: "curl_noise/$rigid", inputs: {"shape": "body.distance"}, params:
        {"center": (0.5, 0.5, 0.5), "linear": (1, -0.5, 0.25), "angular": $angular, "blend": 0.25, "reach": 0.5}),
    "flow": (stage: "curl_noise/$curl", inputs: {"potential": "motion.moving"}, params: {"step": $step}),
    "solid": (stage: "shape/rigid_velocity", on: "space", params:
        {"center": (0.5, 0.5, 0.5), "linear": (1, -0.5, 0.25), "angular": (0.5, 1, -2)}),
"#;

/// The blend leaves the surface with the slope 0, so there the curl is the body's motion, all of it.
#[test]
fn a_rigid_body_carries_the_fluid_at_its_surface() {
    let step = 1.0 / 256.0;
    for (dim, rigid, angular, curl) in
        [(2, "rigid", "(0.5, 1, -2)", "curl"), (2, "rigid_2d", "-2", "curl_2d"), (3, "rigid", "(0.5, 1, -2)", "curl")]
    {
        let nodes = RIGID.replace("$rigid", rigid).replace("$angular", angular).replace("$curl", curl);
        let nodes = nodes.replace("$step", &step.to_string());
        let middle: Point = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
        let sphere = |r: f64| -> Vec<Point> {
            directions(dim, 1000, 42).iter().map(|n| rounded(added(middle, scaled(*n, r)))).collect()
        };
        let error = furthest(
            &flow(dim, &nodes, "flow.velocity", &sphere(0.25)),
            &flow(dim, &nodes, "solid.velocity", &sphere(0.25)),
        );
        // A falls by 6 (d / blend)^2, and psi is up to 0.7; along the surface d is step^2 / 2 r.
        let bar = 6.0 * 0.7 * (step / 0.25f64).powi(2) / step * (step / 0.25) + rounding(0.7);
        within(&format!("{rigid} in {dim}D: flow less motion at the surface"), error, bar, "second order in the step");
        let far = longest(&flow(dim, &nodes, "flow.velocity", &sphere(0.5 + 2.0 * step)));
        assert_eq!(far, 0.0, "beyond the blend all is at rest");
    }
}

const MOVING: &str = r#"
    "body": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.25}),
    "noise": (stage: "curl_noise/$noise", inputs: {"shape": "body.distance"}, params: {"gain": (1, 0.5, 0, 0)}),
    "motion": (stage: "curl_noise/$rigid", inputs: {"potential": "noise.potential", "shape": "body.distance"}, params:
        {"center": (0.5, 0.5, 0.5), "linear": (1, -0.5, 0.25), "angular": $angular, "blend": 0.25, "reach": 0.5}),
    "flow": (stage: "curl_noise/$curl", inputs: {"potential": "motion.moving"}, params: {"step": 0.001}),
    "solid": (stage: "shape/rigid_velocity", on: "space", params:
        {"center": (0.5, 0.5, 0.5), "linear": (1, -0.5, 0.25), "angular": (0.5, 1, -2)}),
"#;

/// With turbulence around it: across the surface the flow is the body's motion and nothing else.
#[test]
fn nothing_flows_through_a_body_that_moves() {
    for (dim, noise, rigid, angular, curl) in
        [(2, "noise_2d", "rigid_2d", "-2", "curl_2d"), (3, "noise", "rigid", "(0.5, 1, -2)", "curl")]
    {
        let nodes = MOVING.replace("$noise", noise).replace("$rigid", rigid).replace("$angular", angular);
        let nodes = nodes.replace("$curl", curl);
        let middle: Point = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
        let normals = directions(dim, 2000, 47);
        let points: Vec<Point> = normals.iter().map(|n| rounded(added(middle, scaled(*n, 0.25)))).collect();
        let (fluid, solid) =
            (flow(dim, &nodes, "flow.velocity", &points), flow(dim, &nodes, "solid.velocity", &points));
        let slip: Vec<Point> = fluid.iter().zip(&solid).map(|(u, v)| less(*u, *v)).collect();
        let through: Vec<f64> = slip.iter().zip(&normals).map(|(s, n)| dot(*s, *n)).collect();
        println!("{dim}D: fluid up to {:.2} m/s, body up to {:.2} m/s", longest(&fluid), longest(&solid));
        assert!(longest(&slip) > 1.0, "along the surface it does slip");
        let because = "a thousandth; second order in the step, and rounding over it";
        within("  speed through the surface over the greatest", max_abs(&through) / longest(&fluid), 1e-3, because);
    }
}

#[test]
fn the_middle_of_a_vortex_particle_turns_as_it_is_told() {
    let node = r#""vortex": (stage: "curl_noise/vortex_particle", on: "space", params:
        {"center": (0.5, 0.5, 0.5), "radius": 0.25, "angular": (1, -2, 3)}),"#;
    for dim in [2, 3] {
        let flat = |p: Point| if dim == 2 { [p[0], p[1], 0.0] } else { p };
        let angular = if dim == 2 { [0.0, 0.0, 3.0] } else { [1.0, -2.0, 3.0] };
        let nodes = curl_of(node, "vortex.potential");
        let near: Vec<Point> =
            directions(dim, 300, 43).iter().map(|n| rounded(added(flat([0.5; 3]), scaled(*n, 0.0125)))).collect();
        let got = flow(dim, &nodes, "flow.velocity", &near);
        let expected: Vec<Point> = near.iter().map(|p| crossed(angular, less(*p, flat([0.5; 3])))).map(flat).collect();
        // It turns at w (1 - q^2)^2, q a twentieth here; a difference over the step h sees another (h / R)^2 less.
        let (q, h) = (0.05f64, 0.0156f64);
        let bar = (2.0 * q * q + 6.0 * h * h) * 0.0125 * norm(angular) + rounding(0.03);
        within(
            &format!("{dim}D: w x r in the middle"),
            furthest(&got, &expected),
            bar,
            "second order in q and the step",
        );
        // Around the middle the curl of u, by differences across it.
        let (mut curl, distance) = ([0.0; 3], 0.0078125);
        for axis in 0..dim {
            let unit: Point = std::array::from_fn(|a| if a == axis { 1.0 } else { 0.0 });
            let at = [1.0, -1.0].map(|side| added(flat([0.5; 3]), scaled(unit, side * distance)));
            let u = flow(dim, &nodes, "flow.velocity", &at);
            curl = added(curl, scaled(crossed(unit, less(u[0], u[1])), 0.5 / distance));
        }
        let error = norm(less(curl, scaled(angular, 2.0)));
        let bar =
            2.0 * norm(angular) * (2.0 * (distance / 0.25f64).powi(2) + 6.0 * h * h) + 2.0 * rounding(0.03) / distance;
        within(
            &format!("{dim}D: vorticity of 2 w in the middle"),
            error,
            bar,
            "second order in the distance and the step",
        );
        let outside: Vec<Point> =
            directions(dim, 100, 44).iter().map(|n| added(flat([0.5; 3]), scaled(*n, 0.26))).collect();
        assert_eq!(longest(&flow(dim, &nodes, "flow.velocity", &outside)), 0.0, "at rest outside");
    }
}

#[test]
fn a_vortex_curve_turns_around_its_circle_and_flows_through_it() {
    let node = r#""ring": (stage: "curl_noise/vortex_curve", on: "space", params:
        {"center": (0.5, 0.5, 0.5), "axis": (0, 2, 0), "radius": 0.25, "core": 0.125, "angular": 4}),"#;
    let nodes = curl_of(node, "ring.potential");
    let mut near = Vec::new();
    let mut expected = Vec::new();
    for (i, n) in directions(3, 300, 45).iter().enumerate() {
        let (sin, cos) = (0.7 * i as f64).sin_cos();
        let (outward, tangent) = ([cos, 0.0, sin], crossed([0.0, 1.0, 0.0], [cos, 0.0, sin]));
        // Off the circle, within the plane across it.
        let across = less(*n, scaled(tangent, dot(*n, tangent)));
        let at = added([0.5; 3], added(scaled(outward, 0.25), scaled(across, 0.005)));
        near.push(rounded(at));
        expected.push(crossed(scaled(tangent, 4.0), scaled(across, 0.005)));
    }
    let got = flow(3, &nodes, "flow.velocity", &near);
    // The circle's bend makes psi itself, R^2 / 6 w, flow by psi / r along the axis: it is a circle, not a line.
    let bent: Vec<Point> = near
        .iter()
        .map(|p| {
            let r = ((p[0] - 0.5).powi(2) + (p[2] - 0.5).powi(2)).sqrt();
            [0.0, 0.125f64.powi(2) / 6.0 * 4.0 / r, 0.0]
        })
        .collect();
    let expected: Vec<Point> = expected.iter().zip(&bent).map(|(a, b)| added(*a, *b)).collect();
    // Of w r the fall-off takes 2 q^2, of psi / r 3 q^2, and differences over the step h another (h / core)^2.
    let (q, h) = (0.04f64, 0.03125f64);
    let bar = (2.0 * q * q + 6.0 * h * h) * 0.005 * 4.0 + 3.0 * (q * q + h * h) * 0.0417 + rounding(0.011);
    within("w x r around the circle", furthest(&got, &expected), bar, "second order in q and the step");
    let inner = flow(3, &nodes, "flow.velocity", &[[0.5 + 0.25 - 0.06, 0.5, 0.5]]);
    println!("inside the circle: {:?} m/s", inner[0]);
    assert!(inner[0][1] > 0.1, "the flow goes through the circle along its axis");
}

const RINGS: &str = r#"
    "rings": (stage: "curl_noise/rings", on: "space", params: {"center": (0.5, 0, 0.5), "radius": 0.03125, "speed": 0.5,
        "rate": 2, "magnitude": 0.25, "falloff": 0.00048828125, "base": 0.125, "ceiling": 1.125}),
"#;

/// SamplePotential of the article, without its noise; `phase` is how far the rings have climbed since the last began [m].
fn article(at: Point, phase: f64) -> Point {
    let (x, z) = (at[0] - 0.5, at[2] - 0.5);
    let rr = (x * x + z * z).sqrt();
    let temp = (rr - 0.03125).powi(2) + (rr + 0.03125).powi(2) + 0.00048828125;
    let mut psi = [0.0; 3];
    let mut ring_y = 1.125 + phase;
    while ring_y > 0.125 {
        let ry = at[1] - ring_y;
        psi = added(psi, scaled([z, 0.0, -x], 0.25 / (temp + ry * ry)));
        ring_y -= 0.5 / 2.0;
    }
    psi
}

#[test]
fn rings_are_those_of_the_article_and_climb() {
    let points = scattered(3, 1000, 46);
    for (frames, phase) in [(1, 0.0), (2, 0.0625), (4, 0.1875), (5, 0.0)] {
        // An eighth of a second a frame: 1/16 m, and a new ring after four.
        let sampler = Sampler { dim: 3, nodes: RINGS, field: "rings.potential", ty: "vec3f", components: 3 };
        let got = vectors(&sampler.sample_frame(&points, 8.0, frames));
        let expected: Vec<Point> = points.iter().map(|p| article(*p, phase)).collect();
        let bar = 40.0 * U * longest(&expected);
        within(
            &format!("after {} s", (frames - 1) as f64 / 8.0),
            furthest(&got, &expected),
            bar,
            "roundings of four rings",
        );
    }
    // Along the circle's own height profile each ring is a hump.
    let heights: Vec<Point> = (0..512).map(|i| [0.5 + 0.03125, f64::from(i) / 400.0, 0.5]).collect();
    let profile: Vec<f64> = potential(3, RINGS, "rings.potential", &heights).iter().map(|v| -v[2]).collect();
    let humps = profile.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2]).count();
    println!("{humps} rings between 0.125 and 1.125 m, 0.25 m apart");
    assert_eq!(humps, 4);
    let upward = flow(3, &curl_of(RINGS, "rings.potential"), "flow.velocity", &[[0.5, 0.625, 0.5]]);
    assert!(upward[0][1] > 0.5, "smoke is pulled up along the axis: {:?}", upward[0]);
}

#[test]
fn rings_may_fade_in_and_out() {
    let soft = RINGS.replace("\"magnitude\"", "\"fade\": 0.25, \"magnitude\"");
    let near_ends = [[0.53125, 0.2, 0.5], [0.53125, 1.1, 0.5]];
    let value = |nodes: &str, frames: usize| {
        let sampler = Sampler { dim: 3, nodes, field: "rings.potential", ty: "vec3f", components: 3 };
        vectors(&sampler.sample_frame(&near_ends, 256.0, frames))
    };
    // Frames of 1/256 s: over the moment in which a ring begins and another ends, and the one before.
    let jump = |nodes: &str| {
        furthest(&value(nodes, 128), &value(nodes, 129)) / furthest(&value(nodes, 127), &value(nodes, 128))
    };
    let (sudden, faded) = (jump(RINGS), jump(&soft));
    println!("change over that of the frame before: {sudden:.2} sudden, {faded:.2} faded");
    assert!(sudden > 3.0 && faded < 1.5, "no jump");
}
