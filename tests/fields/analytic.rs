//! The flow of the noise: exact derivatives and differences against an f64 reference of the same potential.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

use super::noise::{NOISE, Noise, PARAMS};

const CENTER: Point = [0.5, 0.5, 0.5];
const RADIUS: f64 = 0.25;

fn nodes(step: f64) -> String {
    let sphere =
        r#""sphere": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.25}),"#;
    let shape = r#"inputs: {"shape": "sphere.distance"}"#;
    format!(
        r#"{sphere}
        "free": (stage: "curl_noise/noise", on: "space", params: {{{PARAMS}}}),
        "held": (stage: "curl_noise/noise", {shape}, params: {{{PARAMS}, "sharpness": 0, "step": 0.00390625}}),
        "risen": (stage: "curl_noise/plume", inputs: {{"potential": "held.potential"}}, params: {{"base": 0.0625, "height": 0.875}}),
        "free_curl": (stage: "curl_noise/curl", inputs: {{"potential": "free.potential"}}, params: {{"step": {step}}}),
        "held_curl": (stage: "curl_noise/curl", inputs: {{"potential": "held.potential"}}, params: {{"step": {step}}}),
        "risen_curl": (stage: "curl_noise/curl", inputs: {{"potential": "risen.rising"}}, params: {{"step": {step}}}),
        "free_exact": (stage: "curl_noise/velocity", on: "space", params: {{{PARAMS}}}),
        "held_exact": (stage: "curl_noise/velocity", {shape}, params: {{{PARAMS}, "sharpness": 0, "step": 0.00390625}}),
        "risen_exact": (stage: "curl_noise/velocity", {shape}, params:
            {{{PARAMS}, "sharpness": 0, "step": 0.00390625, "base": 0.0625, "height": 0.875}}),
        "#
    )
}

/// Potentials of the three cases.
fn psi(case: &str, noise: &Noise, at: Point) -> Point {
    let away = less(at, CENTER);
    let held = || noise.potential(at, norm(away) - RADIUS, scaled(away, 1.0 / norm(away)));
    match case {
        "free" => noise.free(at),
        "held" => held(),
        _ => scaled(held(), super::noise::ramp((at[1] - 0.0625) / 0.875)),
    }
}

/// Not near the middle of the sphere, where the normal turns round.
fn points(count: usize) -> Vec<Point> {
    let mut points = scattered(3, count, 21);
    points.retain(|p| norm(less(*p, CENTER)) > 0.125);
    points
}

/// Step of the reference's differences [m].
const H: f64 = 2e-4;

#[test]
fn exact_derivatives_are_those_of_the_potential() {
    let points = points(1500);
    for case in ["free", "held", "risen"] {
        let expected: Vec<Point> = points.iter().map(|p| curl(|q| psi(case, &NOISE, q), *p, H)).collect();
        let got = flow(3, &nodes(0.01), &format!("{case}_exact.velocity"), &points);
        let speed = longest(&expected);
        // Places on the lattice are rounded, times a second derivative of up to 20 gain / scale; and some sums.
        let rounded = 4.0 * 16.0 * U * NOISE.gain.iter().zip(NOISE.scale).map(|(g, s)| 20.0 * g / s).sum::<f64>();
        // The shape's normal and its change, by differences: step^2 / r^2 of what they carry, psi / r.
        let bent = if case == "free" { 0.0 } else { 3.0 * (0.00390625 / 0.125f64).powi(2) * 2.0 / 0.125 };
        println!("{case}: {} points, up to {speed:.2} m/s", points.len());
        let because = "rounding; second order in the shape's step";
        within("  exact derivatives", furthest(&got, &expected), rounded + bent, because);
    }
}

#[test]
fn differences_converge_with_the_second_order_of_their_step() {
    let points = points(600);
    for case in ["free", "held"] {
        let expected: Vec<Point> = points.iter().map(|p| curl(|q| psi(case, &NOISE, q), *p, H)).collect();
        let errors = [0.016, 0.008, 0.004, 0.00025].map(|step| {
            let got = flow(3, &nodes(step), &format!("{case}_curl.velocity"), &points);
            let squares: Vec<f64> = got.iter().zip(&expected).map(|(a, b)| norm(less(*a, *b))).collect();
            rms(&squares)
        });
        let [a, b, c, last] = errors;
        let speed = longest(&expected);
        println!("{case}: rms errors {a:.2e} {b:.2e} {c:.2e} {last:.2e} m/s of {speed:.2} m/s");
        has_order("  step 0.016 to 0.008 m", order(errors[0], errors[1]), 2.0);
        has_order("  step 0.008 to 0.004 m", order(errors[1], errors[2]), 2.0);
        // Two places and two potentials of up to 1 are rounded, and divided by two steps.
        let rounding = 2.0 * U * (1.0 + speed) / 0.00025;
        within("  step 0.00025 m", last, c / 256.0 + rounding, "second order, and rounding over the step");
        assert!(last > c / 256.0, "there rounding shows");
    }
}

#[test]
fn the_stream_function_flows_as_its_derivatives_say() {
    let nodes = format!(
        r#""noise": (stage: "curl_noise/noise_2d", on: "space", params: {{{PARAMS}}}),
        "lifted": (stage: "curl_noise/stream_potential", inputs: {{"stream": "noise.potential"}}),
        "flow": (stage: "curl_noise/curl_2d", inputs: {{"potential": "noise.potential"}}, params: {{"step": 0.004}}),
        "same": (stage: "curl_noise/curl", inputs: {{"potential": "lifted.potential"}}, params: {{"step": 0.004}}),
        "#
    );
    let points = scattered(2, 1000, 22);
    let expected: Vec<Point> =
        points.iter().map(|p| curl(|q| [0.0, 0.0, NOISE.stream([q[0], q[1], 0.0], 1e9)], *p, H)).collect();
    let got = flow(2, &nodes, "flow.velocity", &points);
    let speed = longest(&expected);
    // The third derivative of the finest octave: about 60 gain / scale^3 for the quintic fade, over six.
    let bar = 0.004f64.powi(2) * 10.0 * NOISE.gain.iter().zip(NOISE.scale).map(|(g, s)| g / s.powi(3)).sum::<f64>();
    within("curl_2d", furthest(&got, &expected), bar, "second order in the step");
    let same = flow(2, &nodes, "same.velocity", &points);
    let noise = 8.0 * U * 2.0 / 0.004;
    within("curl of (0, 0, psi)", furthest(&same, &got), noise, "rounding of psi over the step");
    println!("up to {speed:.2} m/s");
}
