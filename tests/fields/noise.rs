//! The noises are those of the reference, and smooth.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;
pub use stagewright_solver_support::noise::{NOISE, Noise, PARAMS, ramp};

fn nodes(stage: &str) -> String {
    format!(r#""noise": (stage: "curl_noise/{stage}", on: "space", params: {{{PARAMS}}}),"#)
}

/// A place on the lattice, up to 16, is rounded twice, and so is the turn, up to 4; each moves a noise by its slope, up to
/// 4 and to 8. Another 40 roundings of numbers up to 1 make the value. All of it on three components.
const ROUNDINGS: f64 = 2.0 * 16.0 * 4.0 + 2.0 * 4.0 * 8.0 + 40.0;
const BECAUSE: &str = "roundings of a place on the lattice, of the turn and of the sum, times the gains";

#[test]
fn noises_are_those_of_the_reference_at_rest_and_as_they_change() {
    let points = scattered(3, 2000, 1);
    let bar = ROUNDINGS * U * 3f64.sqrt() * NOISE.gain.iter().sum::<f64>();
    for (frames, time) in [(1, 0.0), (4, 1.5)] {
        let noise = Noise { time, ..NOISE };
        let sampler = Sampler { dim: 3, nodes: &nodes("noise"), field: "noise.potential", ty: "vec3f", components: 3 };
        let expected: Vec<Point> = points.iter().map(|p| noise.free(*p)).collect();
        let got = vectors(&sampler.sample_frame(&points, 2.0, frames));
        println!("3D at {time} s: up to {:.3} m^2/s", longest(&expected));
        within("  vector potential", furthest(&got, &expected), bar, BECAUSE);
        let sampler = Sampler { dim: 2, nodes: &nodes("noise_2d"), field: "noise.potential", ty: "f32", components: 1 };
        let expected: Vec<f64> = points.iter().map(|p| noise.stream(*p, 1e9)).collect();
        let got: Vec<f64> = sampler.sample_frame(&points, 2.0, frames).iter().map(|v| v[0]).collect();
        within("  stream function", max_abs(&difference(&got, &expected)), bar, BECAUSE);
    }
    let still: Vec<Point> = points.iter().map(|p| NOISE.free(*p)).collect();
    let later: Vec<Point> = points.iter().map(|p| Noise { time: 1.5, ..NOISE }.free(*p)).collect();
    let changed = furthest(&still, &later);
    println!("changed by up to {changed:.3} m^2/s in 1.5 s");
    assert!(changed > 0.1, "the turbulence changes in time");
}

#[test]
fn the_three_noises_are_independent_and_have_no_mean() {
    let count = 8000;
    let spread: Vec<Point> = scattered(3, count, 5).iter().map(|p| scaled(*p, 40.0)).collect();
    let single =
        r#""noise": (stage: "curl_noise/noise", on: "space", params: {"scale": (1, 1, 1, 1), "gain": (1, 0, 0, 0)}),"#;
    let values = potential(3, single, "noise.potential", &spread);
    let moment = |f: &dyn Fn(&Point) -> f64| values.iter().map(f).sum::<f64>() / count as f64;
    let variance = moment(&|v| dot(*v, *v) / 3.0);
    // Points share lattice cells; with 64,000 cells and 8,000 points hardly.
    let bar = 4.0 / (count as f64).sqrt();
    println!("standard deviation {:.3}", variance.sqrt());
    for a in 0..3 {
        let because = "four standard errors of a sample of 8,000";
        within(&format!("mean of noise {a}"), moment(&|v| v[a]).abs() / variance.sqrt(), bar, because);
        let b = (a + 1) % 3;
        within(&format!("correlation of {a} and {b}"), moment(&|v| v[a] * v[b]).abs() / variance, bar, because);
    }
}

/// Where two lattice cells meet, the flow (a first derivative) continues without a step: across a gap of 2 d it changes
/// by no more than 2 d times the second derivative, which a step would exceed a thousandfold.
#[test]
fn the_flow_is_continuous_across_the_lattice() {
    let (gap, count) = (1.0 / 4096.0, 600);
    let params = r#""scale": (0.25, 1, 1, 1), "gain": (1, 0, 0, 0)"#;
    let nodes = format!(r#""flow": (stage: "curl_noise/velocity", on: "space", params: {{{params}}}),"#);
    let on_plane = |p: &Point, side: f64| {
        let mut p = *p;
        p[0] = (p[0] * 4.0).round() / 4.0 + side * gap;
        p
    };
    let middle = scattered(3, count, 2);
    let [left, right] = [-1.0, 1.0]
        .map(|side| flow(3, &nodes, "flow.velocity", &middle.iter().map(|p| on_plane(p, side)).collect::<Vec<_>>()));
    // As far apart, inside a cell.
    let [a, b] = [-1.0, 1.0].map(|side| {
        let inner: Vec<Point> = middle.iter().map(|p| added(on_plane(p, side), [0.0625, 0.0, 0.0])).collect();
        flow(3, &nodes, "flow.velocity", &inner)
    });
    let across = furthest(&left, &right);
    let inside = furthest(&a, &b);
    let speed = longest(&left);
    println!("speed {speed:.2} m/s, change across the lattice {across:.2e}, inside {inside:.2e} m/s");
    assert!(inside > 0.0 && speed > 1.0, "there is a flow");
    within("change where cells meet", across, 4.0 * inside, "as inside a cell, where it is a polynomial");
    within("step relative to the speed", across / speed, 0.02, "a kink of the potential would be of order 1");
}

#[test]
fn the_ramp_is_the_papers_polynomial() {
    let table = include_str!("../reference/curl_noise.csv");
    let rows: Vec<[f64; 3]> = table
        .lines()
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        .map(|l| std::array::from_fn(|i| l.split(',').nth(i).unwrap().parse().unwrap()))
        .collect();
    assert_eq!(rows.len(), 25);
    let nodes = r#"
        "plane": (stage: "shape/plane", on: "space", params: {"normal": (0, 1, 0)}),
        "one": (stage: "field/constant", on: "space", params: {"amount": 1}),
        "constrained": (stage: "curl_noise/constrain_2d", params: {"width": 0.5},
                        inputs: {"potential": "one.field", "shape": "plane.distance"}),
        "risen": (stage: "curl_noise/plume", inputs: {"potential": "one.field"}, params: {"base": 0, "height": 0.5}),
    "#;
    let points: Vec<Point> = rows.iter().map(|r| [0.25, 0.5 * r[0], 0.0]).collect();
    let expected: Vec<f64> = rows.iter().map(|r| r[1]).collect();
    for wire in ["constrained.constrained", "risen.rising"] {
        let error = max_abs(&difference(&scalar(2, nodes, wire, &points), &expected));
        within(wire, error, 1e-9 + 12.0 * U, "nine printed digits, a dozen roundings of numbers up to 2");
    }
    let error = rows.iter().map(|r| (ramp(r[0]) - r[1]).abs()).fold(0.0, f64::max);
    within("the reference of these tests", error, 1e-9, "nine printed digits");
}
