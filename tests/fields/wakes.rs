//! Flows along obstacles: nothing goes through a surface, edges make no spikes, the wake lies behind.

use stagewright_solver_support::field_samples::*;
use stagewright_solver_support::harness::*;

use super::noise::PARAMS;

const SPACE: &str = r#"
    "sphere": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5, 0.5), "radius": 0.25}),
    "free": (stage: "curl_noise/noise", on: "space", params: {$noise}),
    "held": (stage: "curl_noise/noise", inputs: {"shape": "sphere.distance"}, params: {$noise}),
    "whole": (stage: "curl_noise/constrain", inputs: {"potential": "free.potential", "shape": "sphere.distance"}),
    "wind": (stage: "curl_noise/laminar", on: "space", params: {"wind": (1, 0.5, -0.25), "center": (0.5, 0.5, 0.5)}),
    "around": (stage: "curl_noise/constrain", inputs: {"potential": "wind.potential", "shape": "sphere.distance"}),
    "rings": (stage: "curl_noise/rings", inputs: {"shape": "sphere.distance"}),
    "exact": (stage: "curl_noise/velocity", inputs: {"shape": "sphere.distance"}, params: {$noise}),
    "free_flow": (stage: "curl_noise/curl", inputs: {"potential": "free.potential"}, params: {"step": 0.002}),
    "held_flow": (stage: "curl_noise/curl", inputs: {"potential": "held.potential"}, params: {"step": 0.002}),
    "whole_flow": (stage: "curl_noise/curl", inputs: {"potential": "whole.constrained"}, params: {"step": 0.002}),
    "around_flow": (stage: "curl_noise/curl", inputs: {"potential": "around.constrained"}, params: {"step": 0.002}),
    "rings_flow": (stage: "curl_noise/curl", inputs: {"potential": "rings.potential"}, params: {"step": 0.002}),
"#;

const PLANE: &str = r#"
    "disc": (stage: "shape/sphere", on: "space", params: {"center": (0.5, 0.5), "radius": 0.25}),
    "free": (stage: "curl_noise/noise_2d", on: "space", params: {$noise}),
    "held": (stage: "curl_noise/noise_2d", inputs: {"shape": "disc.distance"}, params: {$noise}),
    "whole": (stage: "curl_noise/constrain_2d", inputs: {"potential": "free.potential", "shape": "disc.distance"}),
    "wind": (stage: "curl_noise/laminar_2d", on: "space", params: {"wind": (1, 0.5), "center": (0, 0.25)}),
    "around": (stage: "curl_noise/constrain_2d", inputs: {"potential": "wind.potential", "shape": "disc.distance"}, params: {"level": 0.3125}),
    "exact": (stage: "curl_noise/velocity", inputs: {"shape": "disc.distance"}, params: {$noise}),
    "free_flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "free.potential"}, params: {"step": 0.002}),
    "held_flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "held.potential"}, params: {"step": 0.002}),
    "whole_flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "whole.constrained"}, params: {"step": 0.002}),
    "around_flow": (stage: "curl_noise/curl_2d", inputs: {"potential": "around.constrained"}, params: {"step": 0.002}),
"#;

/// Greatest speed through the surface relative to the greatest along it.
fn leak(dim: usize, nodes: &str, wire: &str) -> f64 {
    let normals = directions(dim, 2000, 31);
    let middle: Point = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
    let points: Vec<Point> = normals.iter().map(|n| rounded(added(middle, scaled(*n, 0.25)))).collect();
    let flow = flow(dim, nodes, wire, &points);
    let through = flow.iter().zip(&normals).map(|(u, n)| dot(*u, *n)).collect::<Vec<_>>();
    max_abs(&through) / longest(&flow)
}

#[test]
fn nothing_flows_through_a_surface() {
    let because = "a thousandth; differences over 0.002 m leave (0.002 / r)^2 and rounding";
    for (dim, nodes) in [(2, PLANE), (3, SPACE)] {
        let nodes = nodes.replace("$noise", PARAMS);
        let free = leak(dim, &nodes, "free_flow.velocity");
        println!("{dim}D without constraint: {free:.2} of the greatest speed goes through");
        assert!(free > 0.3, "the noise alone does flow through");
        let mut wires = vec!["held_flow", "whole_flow", "around_flow", "exact"];
        wires.extend((dim == 3).then_some("rings_flow"));
        for node in wires {
            let leak = leak(dim, &nodes, &format!("{node}.velocity"));
            within(&format!("{dim}D, {node}: speed through the surface over the greatest"), leak, 1e-3, because);
        }
    }
}

/// The outline is a streamline of the level that it is given: what flows between two obstacles is the difference.
#[test]
fn the_stream_function_on_an_outline_is_its_level() {
    let points: Vec<Point> =
        directions(2, 200, 37).iter().map(|n| rounded(added([0.5, 0.5, 0.0], scaled(*n, 0.25)))).collect();
    let psi = scalar(2, &PLANE.replace("$noise", PARAMS), "around.constrained", &points);
    let error = psi.iter().map(|p| (p - 0.3125).abs()).fold(0.0, f64::max);
    within("psi on the outline less its level", error, 32.0 * U, "the outline's points are rounded, by a width of 0.3");
}

/// Beyond the layer a potential is what it was.
#[test]
fn far_from_the_obstacle_nothing_changes() {
    let mut points = scattered(3, 2000, 32);
    points.retain(|p| norm(less(*p, [0.5; 3])) - 0.25 > 0.3);
    assert!(points.len() > 100);
    let nodes = SPACE.replace("$noise", PARAMS);
    let free = potential(3, &nodes, "free.potential", &points);
    assert_eq!(potential(3, &nodes, "whole.constrained", &points), free);
}

const BOX: &str = r#"
    "box": (stage: "shape/box", on: "space", params: {"center": (0.5, 0.5, 0.5), "size": (0.5, 0.5, 0.5)}),
    "free": (stage: "curl_noise/noise", on: "space", params: {"scale": (0.3, 1, 1, 1), "gain": (1, 0, 0, 0)}),
    "held": (stage: "curl_noise/constrain", inputs: {"potential": "free.potential", "shape": "box.distance"}, params: {"sharpness": $sharpness, "step": 0.0005}),
    "noise": (stage: "curl_noise/noise", inputs: {"shape": "box.distance"}, params: {"scale": (0.3, 1, 1, 1), "gain": (1, 0, 0, 0), "sharpness": $sharpness, "step": 0.0005}),
    "rings": (stage: "curl_noise/rings", inputs: {"shape": "box.distance"}, params: {"center": (0.5, 0.5, 0.5), "radius": 0.3, "base": -1, "ceiling": 2,
        "sharpness": $sharpness, "step": 0.0005}),
    "flow": (stage: "curl_noise/curl", inputs: {"potential": "held.constrained"}, params: {"step": 0.0005}),
    "noise_flow": (stage: "curl_noise/curl", inputs: {"potential": "noise.potential"}, params: {"step": 0.0005}),
    "rings_flow": (stage: "curl_noise/curl", inputs: {"potential": "rings.potential"}, params: {"step": 0.0005}),
    "exact": (stage: "curl_noise/velocity", inputs: {"shape": "box.distance"}, params: {"scale": (0.3, 1, 1, 1), "gain": (1, 0, 0, 0), "sharpness": $sharpness, "step": 0.0005}),
"#;

/// At 1 mm off an edge the normal turns by 90 degrees within a millimetre or two, and equation 5 makes a flow of
/// psi / 1 mm, an order of magnitude and more above the fastest elsewhere; equation 3, that of psi / width. So in each stage.
#[test]
fn sharp_edges_make_no_spikes() {
    let along = random(500, 33);
    let points: Vec<Point> = along
        .iter()
        .map(|s| rounded([0.75 + 0.001 / 2f64.sqrt(), 0.75 + 0.001 / 2f64.sqrt(), 0.5 + 0.2 * f64::from(*s)]))
        .collect();
    let mut around = scattered(3, 2000, 34);
    around.retain(|p| p.iter().any(|x| (x - 0.5).abs() > 0.27));
    for node in ["flow", "noise_flow", "rings_flow", "exact"] {
        let fastest = |sharpness: &str, points: &[Point]| {
            longest(&flow(3, &BOX.replace("$sharpness", sharpness), &format!("{node}.velocity"), points))
        };
        let [naive, fallen_back] = ["0", "1"].map(|sharpness| fastest(sharpness, &points));
        let usual = fastest("1", &around);
        println!(
            "{node} at an edge: {naive:.1} m/s by equation 5 alone, {fallen_back:.1} with equation 3; elsewhere up to {usual:.1}"
        );
        assert!(naive > 10.0 * usual, "equation 5 alone makes spikes: {naive} beside {usual}");
        within(&format!("{node}: fastest at an edge over fastest elsewhere"), fallen_back / usual, 1.0, "no spike");
    }
}

/// And on its faces, next to the edges too, nothing flows through.
#[test]
fn nothing_flows_through_the_faces_of_a_box() {
    let nodes = BOX.replace("$sharpness", "1");
    let points: Vec<Point> =
        scattered(3, 2000, 35).iter().map(|p| [0.75, 0.27 + 0.46 * p[1], 0.27 + 0.46 * p[2]]).map(rounded).collect();
    for node in ["flow", "noise_flow", "rings_flow", "exact"] {
        let flow = flow(3, &nodes, &format!("{node}.velocity"), &points);
        let through = max_abs(&flow.iter().map(|u| u[0]).collect::<Vec<_>>());
        let because = "a thousandth; rounding of psi over the step";
        within(&format!("{node}: speed through the face over the greatest"), through / longest(&flow), 1e-3, because);
    }
}

const WAKE: &str = r#"
    "noise": (stage: "curl_noise/$noise", on: "space"),
    "wake": (stage: "curl_noise/amplitude", inputs: {"potential": "noise.potential"}, params:
        {"start": (0.5, 0.5, 0.5), "wind": (2, 0, 0), "rise": 0.25, "radius": 0.2, "spread": 0.1}),
"#;

#[test]
fn turbulence_lies_behind_the_obstacle() {
    for (dim, noise) in [(2, "noise_2d"), (3, "noise")] {
        let nodes = WAKE.replace("$noise", noise);
        let points = scattered(dim, 1000, 36);
        let value = |wire: &str| -> Vec<f64> {
            if dim == 2 {
                scalar(2, &nodes, wire, &points)
            } else {
                potential(3, &nodes, wire, &points).iter().map(|v| v[0]).collect()
            }
        };
        let (all, behind) = (value("noise.potential"), value("wake.behind"));
        let amplitude = |p: &Point| {
            let s = (p[0] - 0.5f64).max(0.0);
            let t = (s / 0.25).min(1.0);
            let middle: Point = std::array::from_fn(|a| if a < dim { 0.5 } else { 0.0 });
            let aside = norm(less([0.5, p[1], p[2]], middle)) / (0.2 + 0.1 * s);
            t * t * t * (10.0 - t * (15.0 - 6.0 * t)) * (-aside * aside).exp()
        };
        let expected: Vec<f64> = points.iter().zip(&all).map(|(p, psi)| amplitude(p) * psi).collect();
        within(
            &format!("A psi in {dim}D"),
            max_abs(&difference(&behind, &expected)),
            32.0 * U * 2.0,
            "32 roundings of numbers up to 2",
        );
        assert!(points.iter().zip(&behind).all(|(p, psi)| p[0] > 0.5 || *psi == 0.0), "nothing upwind");
    }
}
